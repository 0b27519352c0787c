//! The profile of a request policy.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Capabilities, Capability, DeclaredEndpoint, ProfileError, Sample};

/// Whether a policy remembers anything, and what for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The same request always gets the same verdict.
    Stateless,
    /// Something is counted and runs out.
    Budget,
    /// Something is counted and comes back with time.
    Rate,
}

/// What shares one budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The requests of one call.
    Call,
    /// The requests of one tool.
    Tool,
    /// The requests of one tool within one call.
    ToolAndCall,
    /// All requests.
    Global,
}

impl Scope {
    /// Whether another call has a budget of its own.
    #[must_use]
    pub fn by_call(self) -> bool {
        matches!(self, Self::Call | Self::ToolAndCall)
    }

    /// Whether another tool has a budget of its own.
    #[must_use]
    pub fn by_tool(self) -> bool {
        matches!(self, Self::Tool | Self::ToolAndCall)
    }
}

/// How a rate comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// All at once, when an aligned window begins.
    Fixed,
    /// As each admitted request leaves a window that ends now.
    Sliding,
    /// Bit by bit, up to a burst.
    Bucket,
}

/// What the author of a policy promises. The builder's words are those of the `conformance!`
/// macro and of a profile file.
///
/// ```
/// use proofmark_conformance::profile::PolicyProfile;
///
/// let profile = PolicyProfile::new()
///     .stateless()
///     .endpoints(["https://api.example.test/v1/items/{id}"])
///     .refuse(["https://api.example.test/admin"]);
/// assert!(profile.validate().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PolicyProfile {
    /// What the policy remembers.
    pub kind: Option<Kind>,
    /// What shares one budget.
    pub scope: Option<Scope>,
    /// How many requests the budget or one window admits.
    pub requests: Option<u64>,
    /// How many bytes the budget admits.
    pub bytes: Option<u64>,
    /// How many distinct endpoints the budget admits.
    pub distinct_endpoints: Option<u64>,
    /// The length of a rate's window in milliseconds.
    pub window_ms: Option<u64>,
    /// How a rate comes back.
    pub window: Option<Window>,
    /// How many requests a bucket admits at once.
    pub burst: Option<u64>,
    /// Requests that are allowed.
    pub allow: Vec<Sample>,
    /// Requests that are refused.
    pub refuse: Vec<Sample>,
    /// With `prefixes`, the complete set of what may be reached.
    #[serde(deserialize_with = "exact_endpoints")]
    pub endpoints: Vec<DeclaredEndpoint>,
    /// Prefixes of whole segments that may be reached.
    #[serde(deserialize_with = "prefix_endpoints")]
    pub prefixes: Vec<DeclaredEndpoint>,
    /// Query pairs that are refused wherever they stand.
    pub refuse_pairs: Vec<(String, String)>,
    /// Path segments that are refused wherever they stand.
    pub refuse_segments: Vec<String>,
    /// Body keys that are refused at any depth.
    pub refuse_keys: Vec<String>,
    /// Methods that are refused.
    pub refuse_methods: Vec<String>,
    /// The only tools that are allowed.
    pub tools: Vec<String>,
    /// Whether an unattributed request is allowed although tools are listed.
    pub allow_unattributed: bool,
    /// How many calls are remembered at most.
    pub max_calls: Option<u64>,
    /// After how many idle milliseconds a call may be forgotten.
    pub idle_ms: Option<u64>,
    /// How long one poll of `check` may take, in milliseconds.
    pub block_ms: Option<u64>,
    /// Whether `check` waits for something before it answers.
    pub pends: bool,
    /// Whether the policy combines members that the judge chooses.
    pub combinator: bool,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty)?) => |$profile:ident| $change:expr;)*) => {
        impl PolicyProfile {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self $(, $arg: $ty)?) -> Self {
                    let $profile = &mut self;
                    $change;
                    self
                }
            )*
        }
    };
}

words! {
    /// The policy remembers nothing.
    stateless() => |p| p.kind = Some(Kind::Stateless);
    /// The policy counts something that runs out.
    budget() => |p| p.kind = Some(Kind::Budget);
    /// The policy counts something that comes back with time; its scope is global unless declared.
    rate() => |p| p.kind = Some(Kind::Rate);
    /// The requests of one call share a budget.
    per_call() => |p| p.scope = Some(Scope::Call);
    /// The requests of one tool share a budget.
    per_tool() => |p| p.scope = Some(Scope::Tool);
    /// The requests of one tool within one call share a budget.
    per_tool_and_call() => |p| p.scope = Some(Scope::ToolAndCall);
    /// All requests share a budget.
    global() => |p| p.scope = Some(Scope::Global);
    /// So many requests are admitted, by a budget or in one window of a rate.
    requests(limit: u64) => |p| p.requests = Some(limit);
    /// So many bytes are admitted.
    bytes(limit: u64) => |p| p.bytes = Some(limit);
    /// So many distinct endpoints are admitted.
    distinct_endpoints(limit: u64) => |p| p.distinct_endpoints = Some(limit);
    /// A rate's window, in milliseconds.
    window_ms(millis: u64) => |p| p.window_ms = Some(millis);
    /// The rate comes back all at once, when an aligned window begins.
    fixed() => |p| p.window = Some(Window::Fixed);
    /// The rate comes back as admitted requests leave a window that ends now.
    sliding() => |p| p.window = Some(Window::Sliding);
    /// The rate comes back bit by bit.
    bucket() => |p| p.window = Some(Window::Bucket);
    /// So many requests are admitted at once by a bucket.
    burst(limit: u64) => |p| p.burst = Some(limit);
    /// Requests that are allowed: texts `[METHOD ]URL`, or [`Sample`]s.
    allow(samples: impl IntoIterator<Item = impl Into<Sample>>) =>
        |p| p.allow.extend(samples.into_iter().map(Into::into));
    /// Requests that are refused: texts `[METHOD ]URL`, or [`Sample`]s.
    refuse(samples: impl IntoIterator<Item = impl Into<Sample>>) =>
        |p| p.refuse.extend(samples.into_iter().map(Into::into));
    /// With `prefixes`, the complete set of what may be reached: `[METHOD ]URL`, where a segment
    /// `{name}` stands for any one segment.
    endpoints(texts: impl IntoIterator<Item = impl AsRef<str>>) =>
        |p| p.endpoints.extend(texts.into_iter().map(|t| DeclaredEndpoint::exact(t.as_ref())));
    /// URLs that may be reached together with everything below them.
    prefixes(texts: impl IntoIterator<Item = impl AsRef<str>>) =>
        |p| p.prefixes.extend(texts.into_iter().map(|t| DeclaredEndpoint::prefix(t.as_ref())));
    /// Query pairs that are refused wherever they stand.
    refuse_pairs(pairs: impl IntoIterator<Item = (&'static str, &'static str)>) =>
        |p| p.refuse_pairs.extend(pairs.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())));
    /// Path segments that are refused wherever they stand.
    refuse_segments(segments: impl IntoIterator<Item = impl Into<String>>) =>
        |p| p.refuse_segments.extend(segments.into_iter().map(Into::into));
    /// Body keys that are refused at any depth.
    refuse_keys(keys: impl IntoIterator<Item = impl Into<String>>) =>
        |p| p.refuse_keys.extend(keys.into_iter().map(Into::into));
    /// Methods that are refused.
    refuse_methods(methods: impl IntoIterator<Item = impl Into<String>>) =>
        |p| p.refuse_methods.extend(methods.into_iter().map(Into::into));
    /// The only tools that are allowed.
    tools(names: impl IntoIterator<Item = impl Into<String>>) =>
        |p| p.tools.extend(names.into_iter().map(Into::into));
    /// An unattributed request is allowed although tools are listed.
    allow_unattributed() => |p| p.allow_unattributed = true;
    /// At most so many calls are remembered.
    max_calls(limit: u64) => |p| p.max_calls = Some(limit);
    /// A call that was idle for so many milliseconds may be forgotten.
    idle_ms(millis: u64) => |p| p.idle_ms = Some(millis);
    /// One poll of `check` may take so many milliseconds; 50 unless declared.
    block_ms(millis: u64) => |p| p.block_ms = Some(millis);
    /// `check` waits for something before it answers.
    pends() => |p| p.pends = true;
    /// The policy combines members that the judge chooses.
    combinator() => |p| p.combinator = true;
}

impl PolicyProfile {
    /// A profile that promises nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a profile file: TOML whose entries are the builder's words.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Unreadable`] where the text is not such a file, and whatever
    /// [`validate`](Self::validate) finds.
    ///
    /// ```
    /// use proofmark_conformance::profile::PolicyProfile;
    ///
    /// let profile = PolicyProfile::from_toml(r#"
    ///     kind = "budget"
    ///     scope = "call"
    ///     requests = 3
    /// "#)?;
    /// assert_eq!(profile.requests, Some(3));
    /// # Ok::<(), proofmark_conformance::profile::ProfileError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        let profile: Self =
            toml::from_str(text).map_err(|cause| ProfileError::Unreadable(cause.to_string()))?;
        profile.validate()?;
        Ok(profile)
    }

    /// The scope in force: a rate is global unless it says otherwise.
    #[must_use]
    pub fn scope_in_force(&self) -> Option<Scope> {
        match (self.kind, self.scope) {
            (Some(Kind::Rate), None) => Some(Scope::Global),
            (_, scope) => scope,
        }
    }

    /// How many requests a budget or rate admits at one instant: a bucket's burst, which is its
    /// `requests` unless declared, and `requests` of any other.
    #[must_use]
    pub fn at_once(&self) -> Option<u64> {
        match (self.kind, self.window) {
            (Some(Kind::Rate), Some(Window::Bucket)) => self.burst.or(self.requests),
            _ => self.requests,
        }
    }

    /// How long one poll of `check` may take.
    #[must_use]
    pub fn block_bound(&self) -> Duration {
        Duration::from_millis(self.block_ms.unwrap_or(50))
    }

    /// Every declared endpoint, exact ones first.
    pub fn declared_endpoints(&self) -> impl Iterator<Item = &DeclaredEndpoint> {
        self.endpoints.iter().chain(&self.prefixes)
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        use Capability as C;
        let budget = matches!(self.kind, Some(Kind::Budget | Kind::Rate));
        let rate = self.kind == Some(Kind::Rate);
        let scope = self.scope_in_force();
        let by_call = budget && scope.is_some_and(Scope::by_call);
        let stateless = self.kind == Some(Kind::Stateless);
        let refuses_endpoint = !self.refuse.is_empty();
        let endpoints = self.declared_endpoints().next().is_some();
        let parts = !self.refuse_pairs.is_empty()
            || !self.refuse_segments.is_empty()
            || !self.refuse_keys.is_empty();
        let refusal = budget
            || refuses_endpoint
            || endpoints
            || parts
            || !self.refuse_methods.is_empty()
            || !self.tools.is_empty();
        let facts = [
            (C::Stateless, stateless),
            (C::Budget, budget),
            (C::FixedBudget, budget && !rate),
            (C::Requests, budget && !rate && self.requests.is_some()),
            (C::Bytes, budget && self.bytes.is_some()),
            (
                C::DistinctEndpoints,
                budget && self.distinct_endpoints.is_some(),
            ),
            (C::Rate, rate),
            (C::PerCall, budget && scope == Some(Scope::Call)),
            (C::CallScope, by_call),
            (C::ToolAndCall, budget && scope == Some(Scope::ToolAndCall)),
            (C::IndependentCalls, stateless || by_call),
            (
                C::Samples,
                !self.allow.is_empty() || !self.refuse.is_empty(),
            ),
            (C::Refusal, refusal),
            (C::RefusePairs, !self.refuse_pairs.is_empty()),
            (C::RefusedParts, parts),
            (C::RefuseMethods, !self.refuse_methods.is_empty()),
            (C::Endpoints, endpoints),
            (C::RefusedEndpoints, refuses_endpoint),
            (C::AnyEndpoints, endpoints || refuses_endpoint),
            (C::Prefixes, !self.prefixes.is_empty()),
            (C::Tools, !self.tools.is_empty()),
            (C::Pends, self.pends),
            (
                C::Bounded,
                self.max_calls.is_some() || self.idle_ms.is_some(),
            ),
            (C::Combinator, self.combinator),
        ];
        facts
            .into_iter()
            .filter_map(|(capability, offered)| offered.then_some(capability))
            .collect()
    }
}

fn exact_endpoints<'de, D>(deserializer: D) -> Result<Vec<DeclaredEndpoint>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let texts = Vec::<String>::deserialize(deserializer)?;
    Ok(texts
        .iter()
        .map(|text| DeclaredEndpoint::exact(text))
        .collect())
}

fn prefix_endpoints<'de, D>(deserializer: D) -> Result<Vec<DeclaredEndpoint>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let texts = Vec::<String>::deserialize(deserializer)?;
    Ok(texts
        .iter()
        .map(|text| DeclaredEndpoint::prefix(text))
        .collect())
}
