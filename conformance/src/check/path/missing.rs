//! PATH-25: a placeholder without an argument is refused.

use serde_json::json;

use super::beside::{self, Refusable};
use super::ordeal::unmet_control;
use crate::subject::{ResolveCase, ResolverSubject};
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
    beside::judge(trial, &all)
}
