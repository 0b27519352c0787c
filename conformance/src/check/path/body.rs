//! PATH-18: the keys that the path used leave the body, and only those.

use proptest::collection::btree_map;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::ordeal::unmet_control;
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

const PLAIN: &str = "/items";

/// PATH-18.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let control = case(PLAIN, &json!({"name": "widget"}));
    if let Some(reason) = unmet_control(trial, &control)? {
        return Ok(Finding::Undecided(reason));
    }
    if let Some(seen) = fault(trial, &control, &[])? {
        return Ok(Finding::Undecided(format!(
            "the control failed: a template without placeholders does not hand the body on: {seen}"
        )));
    }
    let templates: [(&str, &[&str]); 5] = [
        (PLAIN, &[]),
        ("/items/{id}", &["id"]),
        ("/items/{id}/{part}", &["id", "part"]),
        ("/items/{id}/of/{id}", &["id"]),
        ("/items/{Id}", &["Id"]),
    ];
    let mut cases = 0;
    for (template, used) in templates {
        for body in bodies() {
            cases += 1;
            if let Some(found) = judge(trial, template, &body, used)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    if let Some(found) = further(trial)? {
        return Ok(Finding::broken(found));
    }
    let keys = ["id", "part", "Id", "ID", "name", "a", "{id}", "", "note"];
    let strategy = (
        btree_map(select(keys.to_vec()), values(), 0..6),
        0..templates.len(),
    );
    let generated = trial.for_all(trial.cases()?, &strategy, |(members, template)| {
        let (template, used) = templates[template];
        let members = members
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value));
        let mut members: Map<String, Value> = members.collect();
        for key in used {
            members.insert((*key).to_owned(), json!("7"));
        }
        judge(trial, template, &Value::Object(members), used)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        found => found,
    })
}

/// Templates that only look as if they had a placeholder, ones that have it in a query or beside a
/// variable of its name, and other methods. A second call is made by the same resolver.
fn further(trial: &Trial<'_, ResolverSubject>) -> Result<Option<Counterexample>, Stop> {
    let body = json!({"id": "7", "Id": "8", "name": "widget"});
    let mut templates: Vec<(&str, &[&str])> = vec![
        ("/items/:id", &[]),
        ("/items/$id", &[]),
        ("/items/<id>", &[]),
        ("/items/[id]", &[]),
        ("/items/%7Bid%7D", &[]),
    ];
    if trial.profile().composes_query {
        templates.push(("/items?q={id}", &["id"]));
    }
    if trial.profile().interpolates {
        templates.push(("/items/${id}", &[]));
    }
    for (template, used) in &templates {
        let case = case(template, &body).variable("id", "eu");
        if let Some(seen) = fault(trial, &case, used)? {
            return Ok(Some(convicted(&case, used, seen)));
        }
    }
    for method in ["GET", "DELETE", "PUT"] {
        let case = case("/items/{id}", &body).method(method);
        let reply = trial.resolve(&case)?;
        let left = reply.resolved().and_then(|resolved| resolved.body.as_ref());
        if left.is_some_and(|left| left.get("id").is_some()) {
            let seen = "`id` is still there".to_owned();
            return Ok(Some(convicted(&case, &["id"], seen)));
        }
    }
    let (first, second) = (
        json!({"id": "7", "mine": 1}),
        json!({"id": "8", "yours": 2}),
    );
    let (first, second) = (case("/items/{id}", &first), case("/items/{id}", &second));
    let resolver = trial.fresh()?;
    resolver.ask(&first)?;
    let reply = resolver.ask(&second)?;
    let seen = difference(&reply, &second, &["id"]);
    Ok(seen.map(|seen| convicted(&second, &["id"], format!("{seen}, after `{first}`"))))
}

fn case(template: &str, body: &Value) -> ResolveCase {
    ResolveCase::new(template).method("POST").body(body.clone())
}

fn full() -> Value {
    json!({
        "id": "7", "part": "x", "Id": "8", "ID": "9", "name": "widget",
        "nested": {"id": "inner", "list": [{"id": 1}, {"part": null}]},
        "large": u64::MAX, "small": i64::MIN, "real": 1.5, "whole": 2.0,
        "nothing": null, "flag": false, "empty": {}, "none": [], "text": "",
    })
}

fn bodies() -> Vec<Value> {
    vec![
        json!({"id": "7", "part": "x", "Id": "8"}),
        json!({"id": "7", "part": "x", "Id": "8", "name": "widget"}),
        json!({"id": "7", "part": "x", "Id": "8", "flag": false, "nothing": null}),
        json!({"id": 7, "part": true, "Id": 8, "same": 7, "also": "7"}),
        json!({"id": "7", "part": "x", "Id": "8", "nested": {"id": "7", "part": "x", "Id": "8"}}),
        full(),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-z0-9é]{0,6}".prop_map(Value::from),
        Just(json!({"id": 1})),
        Just(json!(["id", null])),
    ]
}

fn judge(
    trial: &Trial<'_, ResolverSubject>,
    template: &str,
    body: &Value,
    used: &[&str],
) -> Result<Option<Counterexample>, Stop> {
    let case = case(template, body);
    let seen = fault(trial, &case, used)?;
    Ok(seen.map(|seen| convicted(&case, used, seen)))
}

fn convicted(case: &ResolveCase, used: &[&str], seen: String) -> Counterexample {
    let control = self::case(PLAIN, &json!({"name": "widget"}));
    Counterexample::new(format!("the body is not what the path left of it: {seen}"))
        .step(case.to_string(), "resolved")
        .expected(match used {
            [] => "the whole body, equal".to_owned(),
            used => format!(
                "the body without `{}`, and equal otherwise",
                used.join("`, `")
            ),
        })
        .seen(seen)
        .twin(format!("`{control}` hands the whole body on"))
}

/// What is wrong with the body that is handed on, if anything is. No body and an empty one are the
/// same.
fn fault(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    used: &[&str],
) -> Result<Option<String>, Stop> {
    Ok(difference(&trial.resolve(case)?, case, used))
}

fn difference(reply: &Reply, case: &ResolveCase, used: &[&str]) -> Option<String> {
    // A value that is refused is another row's affair.
    let resolved = reply.resolved()?;
    let none = Map::new();
    let given = case
        .body
        .as_ref()
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let left = match &resolved.body {
        None | Some(Value::Null) => &none,
        Some(Value::Object(left)) => left,
        Some(other) => return Some(format!("it is {other}")),
    };
    for (key, value) in given {
        let fault = match (used.contains(&key.as_str()), left.get(key)) {
            (true, Some(_)) => format!("`{key}` is still there"),
            (false, None) => format!("`{key}` is gone"),
            (false, Some(left)) if left != value => format!("`{key}` is {left} instead of {value}"),
            _ => continue,
        };
        return Some(fault);
    }
    let added = left.keys().find(|key| !given.contains_key(*key));
    added.map(|key| format!("`{key}` was not in it"))
}
