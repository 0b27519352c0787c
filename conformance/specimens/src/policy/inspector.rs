//! A stateless policy that refuses a pair, a path segment and a body key; and that policy with one
//! fault at a time.

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;
use serde_json::Value;
use url::Url;

use super::pol;
use crate::Specimen;

/// What it does with what is large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Large {
    /// It looks at all of it.
    Inspects,
    /// It refuses it.
    Refuses,
    SkipsQueries,
    SkipsPaths,
    SkipsDepths,
    SkipsLists,
}

/// So many pairs or segments are large, and so many levels of a body.
const MANY: usize = 1_000;
const DEEP: usize = 16;

pub(super) fn specimens() -> Vec<Specimen> {
    let faults = [
        (
            Large::SkipsQueries,
            "skips_long_queries",
            "does not look at queries of more than a thousand pairs",
        ),
        (
            Large::SkipsPaths,
            "skips_long_paths",
            "does not look at paths of more than a thousand segments",
        ),
        (
            Large::SkipsDepths,
            "skips_deep_bodies",
            "does not look at what lies deeper than sixteen levels in a body",
        ),
        (
            Large::SkipsLists,
            "skips_lists",
            "does not look into the lists of a body",
        ),
    ];
    faults
        .map(|(large, name, text)| Specimen::new(pol(16), text, subject(name, large)))
        .into()
}

pub(super) fn subject(name: &str, large: Large) -> PolicySubject {
    let profile = PolicyProfile::new()
        .stateless()
        .allow(["https://api.example.test/v1/items/7"])
        .refuse_pairs([("admin", "1")])
        .refuse_segments(["internal"])
        .refuse_keys(["password"]);
    PolicySubject::new(name, profile, move || Inspector { large })
}

struct Inspector {
    large: Large,
}

#[async_trait]
impl RequestPolicy for Inspector {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let Ok(url) = Url::parse(request.path) else {
            return Err(PolicyRefusal::new("the target is no URL"));
        };
        let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
        let pairs = request.query.len() + url.query_pairs().count();
        if self.large == Large::Refuses && (pairs > MANY || segments.len() > MANY) {
            return Err(PolicyRefusal::new("the request is too large to look at"));
        }
        let skips_query = self.large == Large::SkipsQueries && pairs > MANY;
        let listed = request.query.iter().any(|(k, v)| k == "admin" && v == "1");
        let written = url.query_pairs().any(|(k, v)| k == "admin" && v == "1");
        if (listed || written) && !skips_query {
            return Err(PolicyRefusal::new("a query pair is not allowed"));
        }
        let skips_path = self.large == Large::SkipsPaths && segments.len() > MANY;
        if segments.contains(&"internal") && !skips_path {
            return Err(PolicyRefusal::new("a path segment is not allowed"));
        }
        match request.body {
            Some(body) => self.inspect(body),
            None => Ok(()),
        }
    }
}

impl Inspector {
    fn inspect(&self, body: &Value) -> Result<(), PolicyRefusal> {
        let mut open = vec![(body, 1)];
        while let Some((value, depth)) = open.pop() {
            match (self.large, depth > DEEP) {
                (Large::Refuses, true) => {
                    return Err(PolicyRefusal::new("the body is too deep to look at"));
                }
                (Large::SkipsDepths, true) => continue,
                _ => {}
            }
            match value {
                Value::Object(members) if members.contains_key("password") => {
                    return Err(PolicyRefusal::new("a body key is not allowed"));
                }
                Value::Object(members) => {
                    open.extend(members.values().map(|inner| (inner, depth + 1)));
                }
                Value::Array(items) if self.large != Large::SkipsLists => {
                    open.extend(items.iter().map(|inner| (inner, depth + 1)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
