//! A stateless policy that allows a few endpoints, methods and tools and refuses a query pair; and
//! that policy with one fault at a time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::{OutboundRequest, RequestPhase};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;
use serde_json::Value;
use url::Url;

use super::pol;
use crate::Specimen;

const ITEM: &str = "https://api.example.test/v1/items/7";
const SEARCH: &str = "https://api.example.test/v1/search";
const ADMIN: &str = "https://api.example.test/admin";

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    SlicesBytes,
    RecursesIntoBody,
    UnwrapsNumber,
    RefusesEverySeventh,
    RemembersLastPath,
    LetsPreviewsPass,
    PreviewsOnlyHosts,
    ReadsQueryOnly,
    ReadsPathPairsUndecoded,
    EchoesPath,
    EchoesHashOfQuery,
    EchoesCallInHex,
    DistrustsDigits,
    LoadsRulesOnFirstUse,
    ForgetsSearch,
    MatchesTextPrefix,
    MatchesSiblings,
    IgnoresScheme,
    DecodesSlashes,
}

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = crashes();
    specimens.extend(verdicts());
    specimens.extend(messages());
    specimens.extend(matching());
    specimens
}

fn crashes() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(1),
            "cuts the path at a byte offset for its log line",
            subject("panics_on_multibyte_path", full(), Fault::SlicesBytes),
        ),
        Specimen::new(
            pol(1),
            "walks the body by recursion with a large frame",
            subject("overflows_on_nested_body", full(), Fault::RecursesIntoBody),
        ),
        Specimen::new(
            pol(1),
            "takes every `limit` for a number",
            subject("panics_on_odd_number", full(), Fault::UnwrapsNumber),
        ),
        Specimen::new(
            pol(9),
            "reads its rules from a slow disk when it is first asked",
            subject(
                "blocks_on_first_use",
                allowing().block_ms(10),
                Fault::LoadsRulesOnFirstUse,
            ),
        ),
    ]
}

fn verdicts() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(2),
            "refuses every seventh request",
            subject("refuses_every_seventh", full(), Fault::RefusesEverySeventh),
        ),
        Specimen::new(
            pol(2),
            "refuses a request to the endpoint it was last asked about, when the method differs",
            subject(
                "remembers_the_last_request",
                full(),
                Fault::RemembersLastPath,
            ),
        ),
        Specimen::new(
            pol(3),
            "does not look at previews",
            subject("previews_pass_unseen", full(), Fault::LetsPreviewsPass),
        )
        .also(
            pol(11),
            "a declared refused sample must be refused as a preview, too",
        ),
        Specimen::new(
            pol(3),
            "looks only at the host of a preview",
            subject(
                "previews_checked_by_host",
                allowing(),
                Fault::PreviewsOnlyHosts,
            ),
        ),
        Specimen::new(
            pol(4),
            "looks for the refused pair in `query` only",
            subject("reads_query_only", full(), Fault::ReadsQueryOnly),
        ),
        Specimen::new(
            pol(4),
            "looks for the refused pair in the path as plain text",
            subject(
                "reads_path_pairs_undecoded",
                full(),
                Fault::ReadsPathPairsUndecoded,
            ),
        ),
        Specimen::new(
            pol(8),
            "refuses calls whose id begins with a digit",
            subject("distrusts_some_call_ids", full(), Fault::DistrustsDigits),
        ),
        Specimen::new(
            pol(11),
            "refuses one of the endpoints it is declared to allow",
            subject("forgets_an_endpoint", full(), Fault::ForgetsSearch),
        ),
    ]
}

fn messages() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(5),
            "repeats the path it refuses",
            subject("echoes_the_path", full(), Fault::EchoesPath),
        ),
        Specimen::new(
            pol(5),
            "names the refusal after a hash of the query",
            subject(
                "echoes_a_hash_of_the_query",
                full(),
                Fault::EchoesHashOfQuery,
            ),
        ),
        Specimen::new(
            pol(5),
            "repeats the call id in hexadecimal",
            subject("echoes_the_call_in_hex", full(), Fault::EchoesCallInHex),
        ),
    ]
}

fn matching() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(12),
            "matches the allowed URL as a prefix of the text, without its slash",
            subject(
                "matches_text_prefix",
                whole_host(),
                Fault::MatchesTextPrefix,
            ),
        ),
        Specimen::new(
            pol(12),
            "matches the last segment by its beginning",
            subject("matches_sibling_segments", exact(), Fault::MatchesSiblings),
        ),
        Specimen::new(
            pol(12),
            "compares the host and the port, not the scheme",
            subject("ignores_the_scheme", exact(), Fault::IgnoresScheme),
        ),
        Specimen::new(
            pol(12),
            "decodes encoded slashes before it splits the path",
            subject("decodes_slashes_first", exact(), Fault::DecodesSlashes),
        ),
    ]
}

fn allowing() -> PolicyProfile {
    PolicyProfile::new().stateless().allow([ITEM])
}

fn exact() -> PolicyProfile {
    allowing().endpoints(["https://api.example.test/v1/items/{id}", SEARCH])
}

fn whole_host() -> PolicyProfile {
    allowing().prefixes(["https://api.example.test/"])
}

/// Everything the sound policy promises.
fn full() -> PolicyProfile {
    exact()
        .allow([SEARCH])
        .refuse([ADMIN])
        .refuse_pairs([("debug", "1"), ("mode", "raw dump")])
        .refuse_methods(["DELETE"])
        .tools(["search_items", "get_item"])
}

fn subject(name: &str, profile: PolicyProfile, fault: Fault) -> PolicySubject {
    let listed = !profile.tools.is_empty();
    PolicySubject::new(name, profile, move || Gatekeeper {
        fault,
        listed,
        asked: AtomicU64::new(0),
        last: std::sync::Mutex::new((String::new(), String::new())),
        loaded: Once::new(),
    })
}

struct Gatekeeper {
    fault: Fault,
    listed: bool,
    asked: AtomicU64,
    last: std::sync::Mutex<(String, String)>,
    loaded: Once,
}

#[async_trait]
impl RequestPolicy for Gatekeeper {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.misbehave(request);
        if self.waves_through(request) {
            return Ok(());
        }
        match self.rule_against(request) {
            None => Ok(()),
            Some(rule) => Err(PolicyRefusal::new(self.message(rule, request))),
        }
    }
}

impl Gatekeeper {
    fn misbehave(&self, request: &OutboundRequest<'_>) {
        match self.fault {
            Fault::SlicesBytes => {
                let shown = &request.path[..request.path.len().min(40)];
                std::hint::black_box(shown);
            }
            Fault::RecursesIntoBody => {
                std::hint::black_box(request.body.map_or(0, depth));
            }
            Fault::UnwrapsNumber => {
                let limits = request.query.iter().filter(|(key, _)| key == "limit");
                for (_, limit) in limits {
                    let limit: Result<i32, _> = limit.parse();
                    #[allow(clippy::unwrap_used, reason = "to panic is this specimen's fault")]
                    std::hint::black_box(limit.unwrap());
                }
            }
            Fault::LoadsRulesOnFirstUse => {
                self.loaded
                    .call_once(|| std::thread::sleep(Duration::from_millis(15)));
            }
            _ => {}
        }
    }

    fn waves_through(&self, request: &OutboundRequest<'_>) -> bool {
        let preview = request.phase == RequestPhase::Validate;
        match self.fault {
            Fault::LetsPreviewsPass => preview,
            Fault::PreviewsOnlyHosts => {
                preview && Url::parse(request.path).is_ok_and(|url| own_origin(&url))
            }
            Fault::MatchesTextPrefix => request.path.starts_with("https://api.example.test"),
            _ => false,
        }
    }

    fn rule_against(&self, request: &OutboundRequest<'_>) -> Option<&'static str> {
        if self.listed && !["search_items", "get_item"].contains(&request.tool) {
            return Some("the tool is not allowed");
        }
        if !["GET", "POST", "HEAD"].contains(&request.method) {
            return Some("the method is not allowed");
        }
        let Ok(url) = Url::parse(request.path) else {
            return Some("the target is no URL");
        };
        if !self.allows(&url, request.path) {
            return Some("the endpoint is not allowed");
        }
        if self.listed && self.carries_refused_pair(&url, request) {
            return Some("a query pair is not allowed");
        }
        self.odd_rule(request)
    }

    fn odd_rule(&self, request: &OutboundRequest<'_>) -> Option<&'static str> {
        let odd = match self.fault {
            Fault::RefusesEverySeventh => self.asked.fetch_add(1, Ordering::Relaxed) % 7 == 6,
            Fault::RemembersLastPath => {
                let now = (request.method.to_owned(), request.path.to_owned());
                let mut last = self
                    .last
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let odd = last.1 == now.1 && last.0 != now.0;
                *last = now;
                odd
            }
            Fault::DistrustsDigits => request.call_id.starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        odd.then_some("the request is not allowed")
    }

    fn allows(&self, url: &Url, written: &str) -> bool {
        let origin = match self.fault {
            Fault::IgnoresScheme => {
                url.host_str() == Some("api.example.test") && url.port().is_none()
            }
            _ => own_origin(url),
        };
        let path = match self.fault {
            Fault::DecodesSlashes => url.path().replace("%2F", "/").replace("%2f", "/"),
            _ => url.path().to_owned(),
        };
        let odd = path.contains(['%', ';']) || path.contains("//");
        let odd = odd || written.contains(['\\', '#', '@']) || written.contains(char::is_control);
        origin && !odd && self.allows_path(&path)
    }

    fn allows_path(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (segments.as_slice(), self.fault) {
            (["v1", "search"], Fault::ForgetsSearch) => false,
            (["v1", last], Fault::MatchesSiblings) => last.starts_with("search"),
            (["v1", "search"], _) => true,
            (["v1", "items", id], _) => !id.is_empty(),
            _ => false,
        }
    }

    fn carries_refused_pair(&self, url: &Url, request: &OutboundRequest<'_>) -> bool {
        let refused = [("debug", "1"), ("mode", "raw dump")];
        let in_query = request
            .query
            .iter()
            .any(|(key, value)| refused.contains(&(key.as_str(), value.as_str())));
        let in_path = match self.fault {
            Fault::ReadsQueryOnly => false,
            Fault::ReadsPathPairsUndecoded => {
                let query = url.query().unwrap_or_default();
                query
                    .split('&')
                    .any(|pair| pair == "debug=1" || pair == "mode=raw%20dump")
            }
            _ => url
                .query_pairs()
                .any(|(key, value)| refused.contains(&(key.as_ref(), value.as_ref()))),
        };
        in_query || in_path
    }

    fn message(&self, rule: &str, request: &OutboundRequest<'_>) -> String {
        match self.fault {
            Fault::EchoesPath => format!("{rule}: {}", request.path),
            Fault::EchoesHashOfQuery => {
                let mut hasher = DefaultHasher::new();
                request.query.hash(&mut hasher);
                format!("{rule} (reference {:04x})", hasher.finish() & 0xffff)
            }
            Fault::EchoesCallInHex => {
                let hex: String = request
                    .call_id
                    .bytes()
                    .map(|b| format!("{b:02x}"))
                    .collect();
                format!("{rule} (call {hex})")
            }
            _ => rule.to_owned(),
        }
    }
}

fn own_origin(url: &Url) -> bool {
    url.scheme() == "https" && url.host_str() == Some("api.example.test") && url.port().is_none()
}

/// How deep a body is, with a frame of 32 KiB a level.
fn depth(body: &Value) -> usize {
    let frame = std::hint::black_box([0_u8; 32 << 10]);
    let inner = match body {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => None,
    };
    inner.unwrap_or_default() + 1 + usize::from(std::hint::black_box(frame)[1])
}
