//! BUD-01 and BUD-02: previews are not charged, and change nothing wherever they stand.

use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Trial};

/// So many previews for each request that the budget admits, and at least this many in all.
const PREVIEWS_EACH: u64 = 2;
const FEWEST_PREVIEWS: u64 = 8;
const MOST_PREVIEWS: u64 = 4_000;

/// BUD-01.
pub(super) fn uncharged(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let previews = (whole * PREVIEWS_EACH).clamp(FEWEST_PREVIEWS, MOST_PREVIEWS);
    for count in [1, previews] {
        let instance = trial.fresh()?;
        for index in 0..count {
            instance.ask(&load.request(index % (whole + 1)).previewed())?;
        }
        let left = load.spend(&instance, |request| request)?.admitted;
        if left != whole {
            let base = load.request(0);
            return Ok(Finding::broken(
                Counterexample::new(format!("{count} previews leave {left} of {whole} requests"))
                    .steps(count, &base.clone().previewed(), "previewed")
                    .steps(left + 1, &base, "refused at the last")
                    .expected(format!(
                        "{whole} requests admitted: a preview is never charged"
                    ))
                    .seen(format!("{left} admitted before the first refusal"))
                    .twin(format!("without the previews {whole} were admitted")),
            ));
        }
    }
    Ok(Finding::Held {
        cases: previews + whole,
    })
}

/// BUD-02.
pub(super) fn change_nothing(trial: &Trial<'_>) -> Judged {
    let Some(limit) = trial.profile().requests else {
        return Ok(Finding::NotApplicable(
            "the profile declares no request budget".to_owned(),
        ));
    };
    let base = trial.base();
    let plain = trial.fresh()?.admits_until_refused(limit + 1, &base)?;
    if plain != limit {
        let count = if plain > limit {
            "more than".to_owned()
        } else {
            format!("only {plain} of")
        };
        let last = if plain > limit { "allowed" } else { "refused" };
        return Ok(Finding::broken(
            Counterexample::new(format!(
                "{count} the declared {limit} requests are admitted"
            ))
            .steps((plain + u64::from(plain < limit)).max(1), &base, last)
            .expected(format!("{limit} admitted, and the next refused"))
            .seen(format!("request {} was {last}", plain.max(1)))
            .twin(if plain == 0 {
                "none: nothing was admitted".to_owned()
            } else {
                format!("request 1 was allowed, as it should be within {limit}")
            }),
        ));
    }
    for (name, before, between, after) in [
        ("before", 3, 0, 0),
        ("between", 0, 2, 0),
        ("after", 0, 0, 3),
        ("before, between and after", 2, 1, 2),
    ] {
        let instance = trial.fresh()?;
        let preview = base.clone().previewed();
        let mut admitted = 0;
        instance.admits(before, &preview)?;
        for _ in 0..limit {
            admitted += instance.admits(1, &base)?;
            instance.admits(between, &preview)?;
        }
        let next = instance.admits(1, &base)?;
        instance.admits(after, &preview)?;
        let later = instance.admits(1, &base)?;
        if admitted != limit || next + later != 0 {
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "previews {name} the requests change what is admitted"
                ))
                .steps(before.max(between).max(after), &preview, "previewed")
                .steps(
                    limit + 2,
                    &base,
                    format!("{} admitted", admitted + next + later),
                )
                .expected(format!("{limit} admitted and every further one refused"))
                .seen(format!(
                    "{admitted} of the first {limit} admitted, then {} more",
                    next + later
                ))
                .twin(format!(
                    "without previews {limit} were admitted and the next was refused"
                )),
            ));
        }
    }
    Ok(Finding::Held {
        cases: 5 * (limit + 2),
    })
}
