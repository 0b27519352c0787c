//! PATH-25: a placeholder without an argument is refused.

use serde_json::json;

use super::beside::{self, Refusable};
use super::ordeal::unmet_control;
use crate::profile::ResolverProfile;
use crate::subject::{Declared, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Trial};

/// PATH-25.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let mut all = Vec::new();
    let mut unmet = None;
    let because = "no argument of that name is given";
    let mut templates = vec![
        "/items/{id}",
        "/items/{id}/parts",
        "/{id}/parts",
        "/items/v{id}.json",
    ];
    if trial.profile().composes_query {
        templates.extend(["/items?q={id}", "/items?a=1&q={id}"]);
    }
    for template in templates {
        for method in ["GET", "DELETE", "POST"] {
            let case = ResolveCase::new(template).method(method);
            let supplied = case.clone().argument("id", "7");
            if let Some(reason) = unmet_control(trial, &supplied)? {
                unmet = unmet.or(Some(reason));
                continue;
            }
            let without = [
                case.clone(),
                case.clone().body(json!({})),
                case.clone().argument("other", "7"),
                case.clone().argument("ID", "7").argument("Id", "7"),
                case.clone().argument(" id", "7").argument("{id}", "7"),
                case.clone().body(json!({"nested": {"id": "7"}})),
                case.clone().body(json!(["id"])),
                case.body(json!("id")),
            ];
            all.extend(without.map(|case| Refusable::new(case, supplied.clone(), because)));
        }
    }
    if let (true, Some(reason)) = (all.is_empty(), unmet) {
        return Ok(Finding::Undecided(reason));
    }
    let two = ResolveCase::new("/items/{id}/parts/{part}");
    let supplied = two.clone().argument("id", "7").argument("part", "x");
    for case in [two.clone().argument("id", "7"), two.argument("part", "x")] {
        all.push(Refusable::new(case, supplied.clone(), because));
    }
    all.extend(elsewhere(trial.profile()));
    beside::judge(trial, &all)
}

/// What has the argument's name, or a part of it, and is none.
fn elsewhere(profile: &ResolverProfile) -> Vec<Refusable> {
    let case = |template: &str| ResolveCase::new(template).method("POST");
    let mut all = Vec::new();
    let mut push = |template: &str, name: &str, without: ResolveCase, because: &str| {
        let supplied = without.clone().argument(name, "7");
        let without = without.template(template);
        all.push(Refusable::new(
            without,
            supplied.template(template),
            because,
        ));
    };
    let because = "the body has no member of that name";
    let nested = json!({"user": {"id": "7"}});
    let dotted = case("").body(nested.clone());
    push("/items/{user.id}", "user.id", dotted, because);
    push("/items/{0}", "0", case("").body(json!(["7"])), because);
    push(
        "/items/{length}",
        "length",
        case("").body(json!(["7"])),
        because,
    );
    for name in ["constructor", "toString", "__proto__", "keys", "len"] {
        let template = format!("/items/{{{name}}}");
        push(&template, name, case("").argument("other", "7"), because);
    }
    for member in ["default", "example"] {
        let declared = Declared::new("POST", "/items/{id}", "id").further(member, "7");
        let because = "a description gives no argument";
        push("/items/{id}", "id", case("").declaring(declared), because);
    }
    if profile.interpolates {
        let because = "a variable is no argument, nor the reverse";
        push("/items/{id}", "id", case("").variable("id", "7"), because);
        let unset = case("/items/${id}").argument("id", "7");
        for without in [unset.clone(), case("/items/${id}")] {
            let supplied = unset.clone().variable("id", "7");
            all.push(Refusable::new(without, supplied, because));
        }
    }
    all
}
