//! EXE-02: a resolved path is not resolved a second time.

use serde_json::{Value, json};

use super::stage::{Observed, Stage, supports};
use crate::outcome::Counterexample;
use crate::recorder::Recorded;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Finding, Judged, Trial};

/// Paths with marks that some router or template language reads as a placeholder for `id`.
const MARKED: &[&str] = &[
    "/items/:id",
    "/items/:id/parts",
    "/items/<id>",
    "/items/$id",
    "/items/[id]",
    "/items/(id)",
    "/items/*id",
    "/items/@id",
    "/items/~id~",
    "/items/__id__",
    "/items?sort=:id",
    "/items?sort=$id",
];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    let value = stage.canary();
    let body = json!({"id": value, "limit": "10"});
    let mut cases = 0;
    for method in ["GET", "POST"]
        .into_iter()
        .filter(|method| supports(trial, method))
    {
        let plain = Call::new(method, "/items/7")?.with_body(body.clone());
        let control = stage.observe(&executor, &plain)?;
        if !control
            .requests
            .iter()
            .any(|request| carries(&stage, request, &value))
        {
            return Ok(Finding::Undecided(format!(
                "the control failed: `{plain}` does not arrive with its `id`: {}",
                control.told()
            )));
        }
        // An executor that does not join an author's query and its own pairs loses `id` there
        // whatever the marks: that is another row's affair.
        let queried = Call::new(method, "/items?sort=7")?.with_body(body.clone());
        let joins = stage.observe(&executor, &queried)?;
        let joins = joins
            .requests
            .iter()
            .any(|request| carries(&stage, request, &value));
        for path in MARKED.iter().filter(|path| joins || !path.contains('?')) {
            let call = Call::new(method, path)?.with_body(body.clone());
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            if let Some(seen) = resolved_again(&stage, &observed, &value, path) {
                return Ok(Finding::broken(
                    Counterexample::new(format!("`{path}` was resolved a second time"))
                        .step(call.to_string(), observed.told())
                        .expected("the path as it was handed over, and every field in its place")
                        .seen(seen)
                        .twin(format!("`{plain}` arrived with its `id` in its place")),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

fn resolved_again(stage: &Stage, observed: &Observed, value: &str, path: &str) -> Option<String> {
    observed.requests.iter().find_map(|request| {
        let own_pairs = path.split_once('?').map_or("", |(_, query)| query);
        let in_path = memchr::memmem::find(request.path(), value.as_bytes()).is_some();
        let in_author = own_pairs.split_once('=').is_some_and(|(key, _)| {
            stage
                .pairs(request)
                .iter()
                .any(|(k, v)| k == key && v == value)
        });
        if in_path || in_author {
            return Some(format!("the value of `id` stands in the target: {request}"));
        }
        (!carries(stage, request, value)).then(|| format!("`id` is missing from: {request}"))
    })
}

/// Whether the field `id` travels where the method carries it.
fn carries(stage: &Stage, request: &Recorded, value: &str) -> bool {
    let in_pairs = stage
        .pairs(request)
        .iter()
        .any(|(k, v)| k == "id" && v == value);
    let in_body = request
        .json()
        .is_some_and(|body| body.get("id").and_then(Value::as_str) == Some(value));
    in_pairs || in_body
}
