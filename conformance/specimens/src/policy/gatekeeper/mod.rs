//! A stateless policy that allows a few endpoints, methods and tools and refuses a query pair; and
//! that policy with one fault at a time.

mod specimens;

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

pub(super) use specimens::specimens;

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
    NamelessPasses,
    ReadsFirstPair,
    WantsPairsSorted,
    LocksOut,
    RefusesListedMethods,
    EchoesTool,
    KeepsDoubleEscapes,
    KeepsParameters,
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
        refused: AtomicU64::new(0),
        last: std::sync::Mutex::new((String::new(), String::new())),
        loaded: Once::new(),
    })
}

struct Gatekeeper {
    fault: Fault,
    listed: bool,
    asked: AtomicU64,
    refused: AtomicU64,
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
            Some(rule) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                Err(PolicyRefusal::new(self.message(rule, request)))
            }
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
                    .call_once(|| std::thread::sleep(Duration::from_millis(30)));
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
        if self.listed && !self.allows_tool(request.tool) {
            return Some("the tool is not allowed");
        }
        if !self.allows_method(request.method) {
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
                if !odd {
                    *last = now;
                }
                odd
            }
            Fault::WantsPairsSorted => !request.query.is_sorted_by_key(|(key, _)| key),
            Fault::LocksOut => self.refused.load(Ordering::Relaxed) >= 8,
            Fault::DistrustsDigits => request.call_id.starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        odd.then_some("the request is not allowed")
    }

    fn allows_tool(&self, tool: &str) -> bool {
        let mut listed = ["search_items", "get_item"].into_iter();
        match self.fault {
            Fault::NamelessPasses => listed.any(|name| name.starts_with(tool)),
            _ => listed.any(|name| name == tool),
        }
    }

    fn allows_method(&self, method: &str) -> bool {
        match self.fault {
            Fault::RefusesListedMethods => method != "DELETE",
            _ => ["GET", "POST", "HEAD"].contains(&method),
        }
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
        let escaped = match self.fault {
            Fault::KeepsDoubleEscapes => path.replace("%25", "").contains('%'),
            _ => path.contains('%'),
        };
        let parameters = path.contains(';') && self.fault != Fault::KeepsParameters;
        let odd = escaped || parameters || path.contains("//");
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
        let looked_at = match self.fault {
            Fault::ReadsFirstPair => request.query.get(..1).unwrap_or_default(),
            _ => request.query,
        };
        let in_query = looked_at
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
            Fault::EchoesTool => format!("{rule} for {}", request.tool),
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
