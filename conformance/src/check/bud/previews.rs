//! BUD-01 and BUD-02: previews are not charged, and change nothing wherever they stand.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// So many previews for each request that the budget admits, and at least this many in all.
const PREVIEWS_EACH: u64 = 2;
const FEWEST_PREVIEWS: u64 = 8;
const MOST_PREVIEWS: u64 = 4_000;

/// Whose previews they are.
const SHAPES: &[(&str, Shape)] = &[
    ("of the same call", |r| r),
    ("of another call", |r| r.with_call("call-other")),
    ("of another tool", |r| r.with_tool("proofmark_other_tool")),
    ("of no call and no tool", |r| r.with_call("").with_tool("")),
];

type Shape = fn(RequestCase) -> RequestCase;

/// BUD-01.
pub(super) fn uncharged(trial: &Trial<'_>) -> Judged {
    let (load, whole) = trial.spent_load()?;
    let previews = (whole * PREVIEWS_EACH).clamp(FEWEST_PREVIEWS, MOST_PREVIEWS);
    for (whose, shape) in SHAPES {
        for count in [1, previews] {
            let instance = trial.fresh()?;
            for index in 0..count {
                instance.ask(&shape(load.request(index % (whole + 1))).previewed())?;
            }
            let left = load.spend(&instance, |request| request)?.admitted;
            if left != whole {
                let base = load.request(0);
                return Ok(Finding::broken(
                    Counterexample::new(format!(
                        "{count} previews {whose} leave {left} of {whole} requests"
                    ))
                    .steps(count, &shape(base.clone()).previewed(), "previewed")
                    .steps(left + 1, &base, "refused at the last")
                    .expected(format!(
                        "{whole} requests admitted: a preview is never charged"
                    ))
                    .seen(format!("{left} admitted before the first refusal"))
                    .twin(format!("without the previews {whole} were admitted")),
                ));
            }
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
    if plain == 0 && limit > 0 {
        return Ok(Finding::Undecided(format!(
            "the control failed: a fresh subject refuses `{base}`, so nothing can be counted; declare a request under `allow` that it admits"
        )));
    }
    if plain != limit {
        return Ok(Finding::broken(other_limit(&base, limit, plain)));
    }
    for placing in PLACINGS {
        if let Some(counterexample) = placed(trial, &base, limit, placing)? {
            return Ok(Finding::broken(counterexample));
        }
    }
    Ok(Finding::Held {
        cases: 5 * (limit + 2),
    })
}

/// Without any preview, another number of requests than declared was admitted.
fn other_limit(base: &RequestCase, limit: u64, plain: u64) -> Counterexample {
    let more = plain > limit;
    let (count, last) = if more {
        ("more than the".to_owned(), "allowed")
    } else {
        (format!("only {plain} of the"), "refused")
    };
    Counterexample::new(format!("{count} declared {limit} requests are admitted"))
        .steps(if more { plain } else { plain + 1 }, base, last)
        .expected(format!("{limit} admitted, and the next refused"))
        .seen(format!(
            "request {} was {last}",
            if more { plain } else { plain + 1 }
        ))
        .twin(match plain {
            0 => "a budget of 0 refuses the first request".to_owned(),
            _ => format!("request 1 was allowed, as it should be within {limit}"),
        })
}

/// Where previews stand, and how many: before the requests, after each, and after a refusal.
struct Placing {
    name: &'static str,
    before: u64,
    between: u64,
    after: u64,
}

const PLACINGS: &[Placing] = &[
    Placing {
        name: "before",
        before: 3,
        between: 0,
        after: 0,
    },
    Placing {
        name: "between",
        before: 0,
        between: 2,
        after: 0,
    },
    Placing {
        name: "after",
        before: 0,
        between: 0,
        after: 3,
    },
    Placing {
        name: "before, between and after",
        before: 2,
        between: 1,
        after: 2,
    },
];

fn placed(
    trial: &Trial<'_>,
    base: &RequestCase,
    limit: u64,
    placing: &Placing,
) -> Result<Option<Counterexample>, Stop> {
    let instance = trial.fresh()?;
    let preview = base.clone().previewed();
    let mut admitted = 0;
    instance.admits(placing.before, &preview)?;
    for _ in 0..limit {
        admitted += instance.admits(1, base)?;
        instance.admits(placing.between, &preview)?;
    }
    let mut more = instance.admits(1, base)?;
    instance.admits(placing.after, &preview)?;
    more += instance.admits(1, base)?;
    if admitted == limit && more == 0 {
        return Ok(None);
    }
    let previews = placing.before.max(placing.between).max(placing.after);
    Ok(Some(
        Counterexample::new(format!(
            "previews {} the requests change what is admitted",
            placing.name
        ))
        .steps(previews, &preview, "previewed")
        .steps(limit + 2, base, format!("{} admitted", admitted + more))
        .expected(format!("{limit} admitted and every further one refused"))
        .seen(format!(
            "{admitted} of the first {limit} admitted, then {more} more"
        ))
        .twin(format!(
            "without previews {limit} were admitted and the next was refused"
        )),
    ))
}
