//! PATH-13: one refused value leaves nothing half done.

use serde_json::Value;

use super::ordeal::unmet_control;
use crate::outcome::Counterexample;
use crate::subject::{Refused, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

const TEMPLATE: &str = "/p/{a}/{b}/{c}";
const KEYS: [&str; 3] = ["a", "b", "c"];

/// So often one resolver is asked for what it has to refuse.
const ASKED: usize = 6;

/// PATH-13.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let harmless = harmless();
    if let Some(reason) = unmet_control(trial, &harmless)? {
        return Ok(Finding::Undecided(reason));
    }
    let refused = refused_alone(trial)?;
    if refused.is_empty() {
        return Ok(Finding::Undecided(
            "the control failed: no hostile value is refused even where it is the only one"
                .to_owned(),
        ));
    }
    for value in &refused {
        for key in KEYS {
            let case = harmless.clone().argument(key, value.clone());
            if let Some(found) = judge(trial, &case, key)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    let together = together();
    for (case, why) in &together {
        if let Some(found) = left_behind(trial, case, why)? {
            return Ok(Finding::broken(found));
        }
    }
    Ok(Finding::held(refused.len() * KEYS.len() + together.len()))
}

/// What is refused although each value that is there is harmless. Whether it is refused, other rows
/// are about.
fn together() -> Vec<(ResolveCase, &'static str)> {
    let long = |length| "a".repeat(length);
    let mut missing = harmless();
    if let Some(Value::Object(members)) = &mut missing.body {
        members.remove("c");
    }
    let joined = harmless().template("/p/{a}{b}/{c}");
    vec![
        (
            joined.argument("a", long(200)).argument("b", long(200)),
            "two values make a segment that is too long",
        ),
        (missing, "the last of three values is missing"),
    ]
}

/// What such a refusal leaves half done, if anything.
fn left_behind(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    why: &str,
) -> Result<Option<Counterexample>, Stop> {
    let reply = trial.resolve(case)?;
    let fault = reply.refused().and_then(|refused| half_done(refused, case));
    Ok(fault.map(|(headline, seen)| {
        Counterexample::new(headline)
            .step(case.to_string(), &reply)
            .expected(format!(
                "refused, since {why}: nothing sent, and the body as it was"
            ))
            .seen(seen)
            .twin(format!("`{}` resolves", harmless()))
    }))
}

fn harmless() -> ResolveCase {
    ResolveCase::new(TEMPLATE)
        .method("POST")
        .argument("a", "1")
        .argument("b", "x")
        .argument("c", "9")
        .argument("kept", true)
}

/// Values that are refused where they are the only one of their template.
fn refused_alone(trial: &Trial<'_, ResolverSubject>) -> Result<Vec<Value>, Stop> {
    let mut refused = Vec::new();
    let values = [
        Value::from(".."),
        Value::from(""),
        Value::from("a".repeat(257)),
        Value::from("a/b"),
        Value::from("a?b"),
        Value::from(vec![1]),
    ];
    for value in values {
        let case = ResolveCase::new("/p/{a}").argument("a", value.clone());
        if trial.resolve(&case)?.refused().is_some() {
            refused.push(value);
        }
    }
    Ok(refused)
}

fn judge(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    key: &str,
) -> Result<Option<Counterexample>, Stop> {
    let harmless = harmless();
    let resolver = trial.fresh()?;
    let first = resolver.ask(case)?;
    let mut second = resolver.ask(case)?;
    for _ in 2..ASKED {
        if second.resolved().is_none() {
            second = resolver.ask(case)?;
        }
    }
    let after = resolver.ask(&harmless)?;
    let fresh = trial.resolve(&harmless)?;
    let fault = match (&first, &second) {
        (Reply::Resolved(resolved), _) => Some((
            "a target comes out although a value is refused",
            format!("`{resolved}`"),
        )),
        (Reply::Refused(refused), _) if half_done(refused, case).is_some() => {
            half_done(refused, case)
        }
        (_, Reply::Resolved(resolved)) => Some((
            "the same is refused at first and resolved afterwards",
            format!("`{resolved}` when it is asked again"),
        )),
        (_, Reply::Refused(refused)) if half_done(refused, case).is_some() => {
            half_done(refused, case)
        }
        _ => None,
    };
    let fault = fault.or_else(|| {
        let differs = after.resolved() != fresh.resolved();
        differs.then(|| {
            (
                "a refusal changes what is resolved after it",
                format!("`{harmless}` -> {after}, and -> {fresh} where nothing was refused before"),
            )
        })
    });
    Ok(fault.map(|(headline, seen)| {
        Counterexample::new(headline)
            .step(case.to_string(), &first)
            .step(case.to_string(), &second)
            .step(harmless.to_string(), &after)
            .expected(format!(
                "`{{{key}}}` is refused: no target, nothing sent, and the body as it was"
            ))
            .seen(seen)
            .twin(format!(
                "`{harmless}` resolves, and the value alone in a template is refused"
            ))
    }))
}

fn half_done(refused: &Refused, case: &ResolveCase) -> Option<(&'static str, String)> {
    if let Some(sent) = refused.sent().first() {
        return Some((
            "a request is sent although a value is refused",
            format!("`{sent}`"),
        ));
    }
    let body = refused.body().filter(|body| **body != case.body)?;
    let shown = body.as_ref().map_or("nothing".to_owned(), Value::to_string);
    Some((
        "the caller's body is changed although a value is refused",
        format!("the body is {shown}"),
    ))
}
