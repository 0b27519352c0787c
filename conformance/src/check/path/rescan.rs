//! PATH-12: a value that was put in is not read as a template again.

use super::ordeal::unmet_control;
use super::outline::{decode_once, split};
use crate::check::pol::{canary, line};
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// Where the canary belongs: its placeholder, and the template around both.
struct Order {
    template: &'static str,
    hostile: &'static str,
    canary: &'static str,
    /// The segment that the canary belongs to.
    segment: usize,
}

/// The canary's key comes after the other by its name and by its place, and the other way round.
const ORDERS: [Order; 4] = [
    Order {
        template: "/p/{a}/q/{b}",
        hostile: "a",
        canary: "b",
        segment: 3,
    },
    Order {
        template: "/p/{b}/q/{a}",
        hostile: "b",
        canary: "a",
        segment: 3,
    },
    Order {
        template: "/p/{b}/q/{a}",
        hostile: "a",
        canary: "b",
        segment: 1,
    },
    Order {
        template: "/p/{a}/q/{b}",
        hostile: "b",
        canary: "a",
        segment: 1,
    },
];

/// PATH-12.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let canary = canary(&mut trial.rng());
    let mut cases = 0;
    for order in &ORDERS {
        let control = case(order, "xy", &canary);
        if let Some(reason) = unmet_control(trial, &control)? {
            return Ok(Finding::Undecided(reason));
        }
        let (own, other) = (order.hostile, order.canary);
        let values = [
            format!("x{{{other}}}y"),
            format!("{{{other}}}"),
            format!("{{{own}}}"),
            format!("x{{{{{other}}}}}y"),
            format!("{{{other}"),
            format!("{other}}}"),
            format!("${{{other}}}"),
            format!("%7B{other}%7D"),
            format!("{{{own}}}{{{other}}}"),
            format!("x:{other}"),
            format!("<{other}>"),
            format!("${other}"),
            format!("[{other}]"),
            format!("$({other})"),
            format!("@{other}"),
        ];
        for value in values {
            cases += 1;
            if let Some(found) = judge(trial, order, &value, &canary)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    let strategy = (0..ORDERS.len(), "[ab{}$x]{1,9}");
    let generated = trial.for_all(trial.cases()?, &strategy, |(order, value)| {
        judge(trial, &ORDERS[order], &value, &canary)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        found => found,
    })
}

fn case(order: &Order, value: &str, canary: &str) -> ResolveCase {
    ResolveCase::new(order.template)
        .argument(order.hostile, value)
        .argument(order.canary, canary)
}

fn judge(
    trial: &Trial<'_, ResolverSubject>,
    order: &Order,
    value: &str,
    canary: &str,
) -> Result<Option<Counterexample>, Stop> {
    let case = case(order, value, canary);
    let reply = trial.resolve(&case)?;
    let Reply::Resolved(resolved) = &reply else {
        return Ok(None);
    };
    let target = &resolved.target;
    let seen = if misplaced(target, order.segment, canary) {
        format!(
            "`{target}`: the value of `{{{}}}` stands outside its place",
            order.canary
        )
    } else if target.contains(['{', '}']) {
        format!("`{target}`: a brace is sent as it is")
    } else {
        return Ok(None);
    };
    let control = self::case(order, "xy", canary);
    Ok(Some(
        Counterexample::new(line(
            &format!("{{{}}} = `", order.hostile),
            value,
            "` comes out as `",
            target,
            "`",
        ))
        .step(case.to_string(), &reply)
        .expected("refused, or sent with its braces encoded: a value is no template")
        .seen(seen)
        .twin(format!("`{control}` resolves as it should")),
    ))
}

/// Whether the canary stands anywhere but once in its own segment.
fn misplaced(target: &str, segment: usize, canary: &str) -> bool {
    let decoded = |text: &str| {
        let bytes = decode_once(text).unwrap_or_else(|| text.as_bytes().to_vec());
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (path, _) = split(target);
    let own = path.split('/').nth(segment + 1).map(decoded);
    own.as_deref() != Some(canary) || decoded(target).matches(canary).count() != 1
}
