//! The requests a check starts from: what the profile declares, and generated neighbours of it.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::case::Trial;
use super::finding::Stop;
use crate::subject::RequestCase;

/// The target used where a profile names none.
const PLAIN_TARGET: &str = "https://api.example.test/v1/items/7";

/// A target that a profile has nothing to do with.
pub(super) const UNRELATED: &str = "https://other.example.test/admin";

/// A tool that no profile lists.
const UNLISTED_TOOL: &str = "proofmark_unlisted_tool";

/// The tool used where a profile names none.
const PLAIN_TOOL: &str = "search_items";

/// The call that requests belong to unless a check says otherwise.
const PLAIN_CALL: &str = "call-5f0c2e";

impl Trial<'_> {
    /// `request`, attributed to a tool and a call where it names none. A tool that is named, even
    /// the empty one, is kept.
    #[must_use]
    pub fn attribute(&self, mut request: RequestCase) -> RequestCase {
        if request.tool.is_none() {
            let tool = self.profile().tools.first();
            request.tool = Some(tool.map_or_else(|| PLAIN_TOOL.to_owned(), Clone::clone));
        }
        if request.call_id.is_empty() {
            PLAIN_CALL.clone_into(&mut request.call_id);
        }
        request
    }

    /// The requests most likely to be admitted, likeliest first: never empty.
    #[must_use]
    pub fn candidates(&self) -> Vec<RequestCase> {
        let profile = self.profile();
        let samples = profile.allow.iter().map(|sample| sample.request().clone());
        let endpoints = profile.declared_endpoints().filter_map(|endpoint| {
            let instance = RequestCase::get(&endpoint.instance()?);
            Some(match endpoint.method() {
                Some(method) => instance.with_method(method),
                None => instance,
            })
        });
        let plain = std::iter::once(RequestCase::get(PLAIN_TARGET));
        samples
            .chain(endpoints)
            .chain(plain)
            .map(|request| self.attribute(request))
            .collect()
    }

    /// The likeliest request to be admitted, whatever the subject says to it.
    #[must_use]
    pub fn base(&self) -> RequestCase {
        let first = self.candidates().into_iter().next();
        first.unwrap_or_else(|| self.attribute(RequestCase::get(PLAIN_TARGET)))
    }

    /// A request that a fresh subject admits: the control of most checks.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where none is admitted, and as [`Instance::ask`](super::Instance::ask).
    pub fn admitted(&self) -> Result<RequestCase, Stop> {
        for candidate in self.candidates() {
            if self.fresh()?.ask(&candidate)?.allows() {
                return Ok(candidate);
            }
        }
        Err(Stop::Undecided(format!(
            "no request is admitted, so a refusal proves nothing: `{}` was refused by a fresh subject; declare a request under `allow` that it admits",
            self.base()
        )))
    }

    /// A request to a host that a profile has nothing to do with, likely to be refused by whatever
    /// refuses anything.
    #[must_use]
    pub fn unrelated(&self) -> RequestCase {
        self.base().with_path(UNRELATED)
    }

    /// `request`, sent by a tool that no profile lists.
    #[must_use]
    pub fn unlisted(&self, request: &RequestCase) -> RequestCase {
        request.clone().with_tool(UNLISTED_TOOL)
    }

    /// The declared refused samples, attributed.
    #[must_use]
    pub fn refused_samples(&self) -> Vec<RequestCase> {
        let samples = self.profile().refuse.iter();
        samples
            .map(|sample| self.attribute(sample.request().clone()))
            .collect()
    }

    /// Requests that the profile says are refused, likeliest first; whether they are is for the
    /// check to see.
    #[must_use]
    pub fn refused_requests(&self) -> Vec<RequestCase> {
        let profile = self.profile();
        let base = self.base();
        let mut refused = self.refused_samples();
        for (key, value) in &profile.refuse_pairs {
            refused.push(base.clone().with_pair(key, value));
        }
        for method in &profile.refuse_methods {
            refused.push(base.clone().with_method(method));
        }
        for key in &profile.refuse_keys {
            let body = json!({key: 1});
            refused.push(base.clone().with_method("POST").with_body(body));
        }
        for segment in &profile.refuse_segments {
            refused.push(base.clone().with_path(&format!("{}/{segment}", base.path)));
        }
        if !profile.tools.is_empty() {
            refused.push(self.unlisted(&base));
        }
        if profile.declared_endpoints().next().is_some() {
            refused.push(self.unrelated());
        }
        // The last of a load is refused once the others are spent.
        refused.extend(self.load().map(|load| load.request(load.most_steps())));
        refused
    }

    /// Every request that the profile itself speaks of, allowed and refused, without repetition.
    #[must_use]
    pub fn declared_requests(&self) -> Vec<RequestCase> {
        let mut requests: Vec<RequestCase> = Vec::new();
        for request in self.candidates().into_iter().chain(self.refused_requests()) {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        requests
    }

    /// Generated requests around what the profile declares.
    pub fn requests(&self) -> impl Strategy<Value = RequestCase> + use<> {
        let profile = self.profile();
        let mut bases = self.candidates();
        bases.extend(self.refused_samples());
        bases.push(self.unrelated());
        bases.push(self.attribute(RequestCase::get("http://127.0.0.1:8080/a/b?k=v")));
        let tail = prop_oneof![
            6 => Just(String::new()),
            1 => "/[a-z0-9]{1,6}",
            1 => "\\?[a-z]{1,4}=[a-z0-9%+]{0,6}",
        ];
        (
            select(bases),
            tail,
            option::weighted(0.4, select(methods(&profile.refuse_methods))),
            vec(pairs(&profile.refuse_pairs), 0..4),
            option::weighted(0.3, select(bodies(&profile.refuse_keys))),
            option::weighted(0.3, select(tools(&profile.tools))),
        )
            .prop_map(|(mut request, tail, method, pairs, body, tool)| {
                request.path.push_str(&tail);
                request.method = method.unwrap_or(request.method);
                request.query.extend(pairs);
                request.body = body.or(request.body);
                request.tool = tool.or(request.tool);
                request
            })
    }
}

fn methods(refused: &[String]) -> Vec<String> {
    let usual = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
    let refused = refused.iter().cloned();
    usual
        .map(str::to_owned)
        .into_iter()
        .chain(refused)
        .collect()
}

fn pairs(refused: &[(String, String)]) -> impl Strategy<Value = (String, String)> + use<> {
    let mut known = vec![
        ("limit".to_owned(), "10".to_owned()),
        ("q".to_owned(), "two words".to_owned()),
    ];
    known.extend(refused.iter().cloned());
    prop_oneof![
        3 => select(known),
        1 => ("[a-z_]{1,6}", "[a-z0-9%&= é]{0,8}"),
    ]
}

fn bodies(refused: &[String]) -> Vec<Value> {
    let mut bodies = vec![
        json!({"name": "a"}),
        json!({"name": "a", "tags": ["x", "y"], "nested": {"deep": 1}}),
        json!([1, 2, 3]),
        json!("text"),
    ];
    bodies.extend(refused.iter().map(|key| json!({key: 1})));
    bodies
}

fn tools(declared: &[String]) -> Vec<String> {
    let usual = [PLAIN_TOOL, "other_tool", ""];
    let declared = declared.iter().cloned();
    declared.chain(usual.map(str::to_owned)).collect()
}
