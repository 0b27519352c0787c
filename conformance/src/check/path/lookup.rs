//! PATH-17: the lookup sees the template between the two layers.

use super::beside::together;
use super::ordeal::unmet_control;
use crate::outcome::Counterexample;
use crate::profile::ResolverProfile;
use crate::subject::{Declared, Lookup, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Stop, Trial};

/// What the first layer makes of a template.
const BETWEEN: &str = "/eu/items/{id}/{part}";

/// Templates that come to the same between the layers, the one without variables first.
const WRITTEN: [&str; 4] = [
    BETWEEN,
    "/${area}/items/{id}/{part}",
    "/eu/${kind}/{id}/{part}",
    "/${area}/${kind}/{id}/{part}",
];

/// PATH-17.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let parts = [noted(trial)?, by_effect(trial)?];
    if parts.iter().all(Option::is_none) {
        return Ok(Finding::Undecided(
            "the control failed: for a template without variables the judge's `placeholder_rules` is not asked, and nothing declared for it has an effect"
                .to_owned(),
        ));
    }
    together(parts.into_iter().flatten().map(Ok))
}

fn case(template: &str, method: &str) -> ResolveCase {
    ResolveCase::new(template)
        .method(method)
        .variable("area", "eu")
        .variable("kind", "items")
        .argument("id", "7")
        .argument("part", "x")
}

/// By what was asked of the judge's own lookup; `None` where it is not asked at all.
fn noted(trial: &Trial<'_, ResolverSubject>) -> Result<Option<Finding>, Stop> {
    let mut cases = 0;
    for method in ["GET", "DELETE"] {
        for template in WRITTEN {
            let case = case(template, method);
            if let Some(reason) = unmet_control(trial, &case)? {
                return Ok(Some(Finding::Undecided(reason)));
            }
            let (_, lookups) = trial.fresh()?.ask_noting(&case)?;
            if lookups.is_empty() && template == BETWEEN {
                return Ok(None);
            }
            cases += 1;
            if let Some(seen) = fault(&lookups, method) {
                return Ok(Some(Finding::broken(wrong(
                    &case,
                    method,
                    seen,
                    template == BETWEEN,
                ))));
            }
        }
    }
    Ok(Some(Finding::held(cases)))
}

fn wrong(case: &ResolveCase, method: &str, seen: String, plain: bool) -> Counterexample {
    let twin = if plain {
        "the template is resolved as it should be".to_owned()
    } else {
        format!("for `{BETWEEN}`, written without variables, the lookup is as it should be")
    };
    Counterexample::new("rules are looked up by another text than what stands between the layers")
        .step(case.to_string(), "resolved")
        .expected(format!(
            "a lookup of {method} {BETWEEN} for each of `id` and `part`"
        ))
        .seen(seen)
        .twin(twin)
}

/// What is wrong with the lookups, if anything is.
fn fault(lookups: &[Lookup], method: &str) -> Option<String> {
    let right = |lookup: &Lookup| {
        lookup.method == method
            && lookup.template == BETWEEN
            && ["id", "part"].contains(&lookup.param.as_str())
    };
    if let Some(lookup) = lookups.iter().find(|lookup| !right(lookup)) {
        return Some(format!("a lookup of {lookup}"));
    }
    let mut params = ["id", "part"].into_iter();
    params
        .find(|param| lookups.iter().all(|lookup| lookup.param != *param))
        .map(|param| format!("no lookup for `{param}`"))
}

/// By what is declared for the text between the layers, which must have its effect; `None` where
/// nothing can be declared, or has no effect even without variables.
fn by_effect(trial: &Trial<'_, ResolverSubject>) -> Result<Option<Finding>, Stop> {
    let Some(narrow) = narrowing(trial.profile()) else {
        return Ok(None);
    };
    let mut cases = 0;
    for template in WRITTEN {
        let declared = |id: &str| {
            let case = case(template, "GET").argument("id", id);
            case.declaring(narrow(Declared::new("GET", BETWEEN, "id")))
        };
        if let Some(reason) = unmet_control(trial, &declared("7"))? {
            return Ok(Some(Finding::Undecided(reason)));
        }
        let refused = declared("xx");
        let reply = trial.resolve(&refused)?;
        if reply.resolved().is_some() {
            if template == BETWEEN {
                return Ok(None);
            }
            return Ok(Some(Finding::broken(
                Counterexample::new(
                    "what is declared has no effect where a variable is interpolated",
                )
                .step(refused.to_string(), &reply)
                .expected(format!("refused, by what is declared for {BETWEEN}"))
                .seen(reply.to_string())
                .twin(format!(
                    "for `{BETWEEN}`, written without variables, the same value is refused"
                )),
            )));
        }
        cases += 1;
    }
    Ok(Some(Finding::held(cases)))
}

/// A rule that admits `7` and refuses `xx`.
fn narrowing(profile: &ResolverProfile) -> Option<fn(Declared) -> Declared> {
    if profile.patterns {
        return Some(|declared| declared.pattern("^[0-9]+$"));
    }
    profile
        .max_lengths
        .then_some(|declared| declared.max_length(1))
}
