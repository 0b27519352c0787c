//! EXE-02: a resolved path is not resolved a second time.

use serde_json::{Value, json};

use super::stage::{Observed, Stage, sent_methods};
use crate::outcome::Counterexample;
use crate::recorder::Recorded;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Finding, Judged, Stop, Trial};

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
    "/items/%7Bid%7D",
    "/items/%7bid%7d/parts",
    "/items/%24%7Bid%7D",
    "/items/%3Aid",
    "/items/:id.json",
];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    let value = stage.canary();
    // A text, a number, and a field of another name.
    let fields = [
        ("id", json!(value)),
        ("id", json!(7_041_732_655_u64)),
        ("tenant", json!(value)),
    ];
    let mut cases = 0;
    for method in sent_methods(trial, &stage, &executor)? {
        for (key, value) in &fields {
            let field = Field { method, key, value };
            match field.judge(&stage, &executor)? {
                Finding::Held { cases: more } => cases += more,
                // Where other methods carry fields is their own affair.
                Finding::Undecided(_) if !matches!(method, "GET" | "POST") => {}
                other => return Ok(other),
            }
        }
    }
    Ok(Finding::Held { cases })
}

/// A field that a mark in the path could be filled with.
struct Field<'a> {
    method: &'a str,
    key: &'a str,
    value: &'a Value,
}

impl Field<'_> {
    fn call(&self, path: &str) -> Result<Call, Stop> {
        let body = json!({self.key: self.value, "limit": "10"});
        Ok(Call::new(self.method, path)?.with_body(body))
    }

    fn text(&self) -> String {
        let text = self.value.as_str().map(str::to_owned);
        text.unwrap_or_else(|| self.value.to_string())
    }

    fn judge(&self, stage: &Stage, executor: &Driven<'_>) -> Judged {
        let plain = self.call("/items/7")?;
        let control = stage.observe(executor, &plain)?;
        if !self.is_carried(stage, &control) {
            return Ok(Finding::Undecided(format!(
                "the control failed: `{plain}` does not arrive with its `{}`: {}",
                self.key,
                control.told()
            )));
        }
        // An executor that does not join an author's query and its own pairs loses the field there
        // whatever the marks: that is another row's affair.
        let joins = stage.observe(executor, &self.call("/items?sort=7")?)?;
        let joins = self.is_carried(stage, &joins);
        let mut cases = 0;
        for path in MARKED.iter().filter(|path| joins || !path.contains('?')) {
            let path = path.replace("id", self.key);
            // Some cannot be handed over in Rust.
            let Ok(call) = self.call(&path) else { continue };
            let observed = stage.observe(executor, &call)?;
            cases += 1;
            if let Some(seen) = self.resolved_again(stage, &observed, &path) {
                return Ok(Finding::broken(
                    Counterexample::new(format!("`{path}` was resolved a second time"))
                        .step(call.to_string(), observed.told())
                        .expected("the path as it was handed over, and every field in its place")
                        .seen(seen)
                        .twin(format!(
                            "`{plain}` arrived with its `{}` in its place",
                            self.key
                        )),
                ));
            }
        }
        Ok(Finding::held(cases))
    }

    fn resolved_again(&self, stage: &Stage, observed: &Observed, path: &str) -> Option<String> {
        let (key, text) = (self.key, self.text());
        observed.requests.iter().find_map(|request| {
            let own_pairs = path.split_once('?').map_or("", |(_, query)| query);
            let in_path = memchr::memmem::find(request.path(), text.as_bytes()).is_some();
            let in_author = own_pairs.split_once('=').is_some_and(|(key, _)| {
                let pairs = stage.pairs(request);
                pairs.iter().any(|(k, v)| k == key && *v == text)
            });
            if in_path || in_author {
                return Some(format!(
                    "the value of `{key}` stands in the target: {request}"
                ));
            }
            (!self.carries(stage, request)).then(|| format!("`{key}` is missing from: {request}"))
        })
    }

    fn is_carried(&self, stage: &Stage, observed: &Observed) -> bool {
        let mut requests = observed.requests.iter();
        requests.any(|request| self.carries(stage, request))
    }

    /// Whether the field travels where the method carries it.
    fn carries(&self, stage: &Stage, request: &Recorded) -> bool {
        let text = self.text();
        let pairs = stage.pairs(request);
        let in_pairs = pairs.iter().any(|(k, v)| k == self.key && *v == text);
        let body = request.json();
        in_pairs || body.is_some_and(|body| body.get(self.key) == Some(self.value))
    }
}
