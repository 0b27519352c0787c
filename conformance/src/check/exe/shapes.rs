//! EXE-07 and EXE-20: what a query cannot carry is refused, neither flattened nor dropped.

use std::sync::Arc;

use serde_json::{Value, json};

use super::spy::{Asked, Spy, Verdict, by_key, pairs_of};
use super::stage::{Observed, Stage, pairing_methods, supports};
use crate::outcome::Counterexample;
use crate::profile::ArrayForm;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Ending, Finding, Judged, Trial};

const KEY: &str = "filterby";

/// EXE-07.
pub(super) fn in_query(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    if !supports(trial, "GET") {
        return Ok(Finding::NotApplicable(
            "the profile declares no GET".to_owned(),
        ));
    }
    let stage = Stage::new(trial)?;
    let spy = Spy::new(Verdict::Allow);
    let executor = trial.executor(&stage.env().with_policy(Arc::new(Asked(Arc::clone(&spy)))))?;
    let plain = Call::new("GET", "/items")?.with_body(json!({KEY: "x"}));
    let control = stage.observe(&executor, &plain)?;
    let arrives = control
        .requests
        .iter()
        .any(|request| stage.pairs(request) == pairs(&[(KEY, "x")]));
    if !arrives {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{plain}` does not arrive with its pair: {}",
            control.told()
        )));
    }
    let spy = trial.profile().policy.then_some(&*spy);
    let arrays = trial.profile().arrays;
    let mut cases = 0;
    let get_like = pairing_methods(trial, &stage, &executor)?;
    for (method, (value, shape)) in get_like
        .iter()
        .flat_map(|method| values().into_iter().map(move |value| (method, value)))
    {
        let call = Call::new(method, "/items")?.with_body(json!({KEY: value, "limit": "10"}));
        let before = spy.map_or(0, |spy| spy.seen().len());
        let observed = stage.observe(&executor, &call)?;
        cases += 1;
        let shown = spy.and_then(|spy| spy.last_after(before));
        let shown = shown.map(|case| pairs_of(&case));
        let fault = match shape {
            Shape::Nested => nested(&observed),
            Shape::Scalars => flattened(&stage, &observed, &shown, Some(declared(arrays, &value))),
            Shape::Unsure => flattened(&stage, &observed, &shown, None)
                .or_else(|| as_text(&stage, &observed, &value)),
        };
        if let Some((headline, seen)) = fault {
            return Ok(Finding::broken(
                Counterexample::new(format!("{headline}: `{KEY}` = {value}"))
                    .step(call.to_string(), observed.told())
                    .expected("an object or a nested array is refused by its key and nothing is sent; an array of scalars is refused, or sent in the declared form as the policy saw it")
                    .seen(seen)
                    .twin(format!("`{plain}` was sent as one pair under its own key")),
            ));
        }
    }
    Ok(Finding::held(cases))
}

enum Shape {
    /// An object, or an array that holds more than scalars.
    Nested,
    /// An array of texts and numbers.
    Scalars,
    /// An array whose declared form is nobody's guess: an empty one, or one with a `null`.
    Unsure,
}

fn values() -> Vec<(Value, Shape)> {
    vec![
        (json!({"id": 1}), Shape::Nested),
        (json!({"id": {"eq": 1}}), Shape::Nested),
        (json!({}), Shape::Nested),
        (json!([[1]]), Shape::Nested),
        (json!([{"id": 1}]), Shape::Nested),
        (json!([1, {"id": 1}]), Shape::Nested),
        (json!([[]]), Shape::Nested),
        (json!([1, [2]]), Shape::Nested),
        (json!(["a", "b", {}]), Shape::Nested),
        (json!(["beta", "alpha"]), Shape::Scalars),
        (json!([1, 2, 3]), Shape::Scalars),
        (json!(["a", 1, true]), Shape::Scalars),
        (json!(["only"]), Shape::Scalars),
        (json!(["a", "a"]), Shape::Scalars),
        (json!(["x", "", "y"]), Shape::Scalars),
        (json!([0, false, "0"]), Shape::Scalars),
        (json!([]), Shape::Unsure),
        (json!([1, null]), Shape::Unsure),
    ]
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = pairs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
    owned.collect()
}

fn nested(observed: &Observed) -> Option<(&'static str, String)> {
    if !observed.silent {
        return Some(("what a query cannot carry was sent", observed.told()));
    }
    match &observed.ending {
        Ending::Failed(shown) if shown.texts.iter().any(|(_, text)| text.contains(KEY)) => None,
        Ending::Failed(shown) => Some((
            "the refusal does not name the key",
            format!("the error reads `{}`", shown.sentence()),
        )),
        ending => Some((
            "what a query cannot carry is answered as a success",
            ending.to_string(),
        )),
    }
}

/// The pairs that an array of scalars becomes.
fn declared(form: ArrayForm, value: &Value) -> Vec<(String, String)> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |item: &Value| {
        item.as_str()
            .map_or_else(|| item.to_string(), str::to_owned)
    };
    match form {
        ArrayForm::Repeated => items
            .iter()
            .map(|item| (KEY.to_owned(), text(item)))
            .collect(),
        ArrayForm::Brackets => items
            .iter()
            .map(|item| (format!("{KEY}[]"), text(item)))
            .collect(),
        ArrayForm::Commas => {
            let joined: Vec<String> = items.iter().map(text).collect();
            vec![(KEY.to_owned(), joined.join(","))]
        }
    }
}

fn flattened(
    stage: &Stage,
    observed: &Observed,
    shown: &Option<Vec<(String, String)>>,
    form: Option<Vec<(String, String)>>,
) -> Option<(&'static str, String)> {
    observed.requests.iter().find_map(|request| {
        let sent = stage.pairs(request);
        let other = shown
            .as_ref()
            .filter(|shown| by_key((*shown).clone()) != by_key(sent.clone()));
        if let Some(shown) = other {
            let seen = format!("the policy saw {shown:?}, and {sent:?} was sent");
            return Some(("the policy saw other pairs than were sent", seen));
        }
        let form = form.as_ref()?;
        let own: Vec<_> = sent
            .into_iter()
            .filter(|(key, _)| key.starts_with(KEY))
            .collect();
        (own != *form).then(|| {
            let seen = format!("{own:?} was sent, and the declared form is {form:?}");
            (
                "an array of scalars is sent in another form than declared",
                seen,
            )
        })
    })
}

/// Whether a JSON or debug text of an array was sent.
fn as_text(stage: &Stage, observed: &Observed, value: &Value) -> Option<(&'static str, String)> {
    let spaceless = |text: &str| text.replace(' ', "");
    let text = value.to_string();
    observed.requests.iter().find_map(|request| {
        let pairs = stage.pairs(request);
        let is_text = pairs
            .iter()
            .any(|(_, sent)| spaceless(sent) == spaceless(&text) || sent.contains("Null"));
        is_text.then(|| {
            (
                "an array is sent as its text",
                format!("{pairs:?} was sent"),
            )
        })
    })
}

/// EXE-20.
pub(super) fn no_object(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    if !supports(trial, "GET") {
        return Ok(Finding::NotApplicable(
            "the profile declares no GET".to_owned(),
        ));
    }
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    let plain = Call::new("GET", "/items")?.with_body(json!({}));
    let control = stage.observe(&executor, &plain)?;
    if !control
        .requests
        .iter()
        .any(|request| stage.target(request) == b"/items")
    {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{plain}` does not arrive without pairs: {}",
            control.told()
        )));
    }
    let bodies = [
        json!([1, 2]),
        json!([]),
        json!([{"id": 1}]),
        json!("x"),
        json!(""),
        json!(7),
        json!(true),
        json!(false),
    ];
    let mut cases = 0;
    let get_like = pairing_methods(trial, &stage, &executor)?;
    for (method, body) in get_like
        .iter()
        .flat_map(|method| bodies.iter().map(move |body| (method, body)))
    {
        let call = Call::new(method, "/items")?.with_body(body.clone());
        let observed = stage.observe(&executor, &call)?;
        cases += 1;
        if observed.silent && !observed.ending.is_value() {
            continue;
        }
        return Ok(Finding::broken(
            Counterexample::new(format!("a {method} with the body {body} is not refused"))
                .step(call.to_string(), observed.told())
                .expected("an error, and nothing sent: there is nothing to make pairs of")
                .seen(observed.told())
                .twin(format!("`{plain}` was sent, without pairs")),
        ));
    }
    Ok(Finding::held(cases))
}
