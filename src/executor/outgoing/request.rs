//! The finished request: what the policy is shown is what is sent.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;
use url::{Url, form_urlencoded};

use super::pairs::query_pairs;
use super::{BaseUrl, Method};
use crate::executor::RequestRefusal;
use crate::executor::error::shown;
use crate::path::ResolvedPath;
use crate::path::nesting::bounded;
use crate::request::OutboundRequest;

/// The longest URL that is sent, in bytes, without what authentication adds.
pub const MAX_TARGET_BYTES: usize = 60 * 1024;

/// A request that lacks nothing but its credential.
///
/// ```
/// use proofmark::executor::{BaseUrl, OutgoingRequest};
/// use proofmark::path::ResolvedPath;
/// use serde_json::json;
///
/// let base = BaseUrl::parse("https://api.example.test/v1")?;
/// let path = ResolvedPath::from_checked("/items?full=true")?;
/// let request = OutgoingRequest::new(&base, "get", path, Some(json!({"q": "salt & pepper"})))?;
///
/// let shown = request.view("search");
/// assert_eq!(shown.path, "https://api.example.test/v1/items?full=true");
/// assert_eq!(shown.query, [("q".to_owned(), "salt & pepper".to_owned())]);
/// assert_eq!(shown.body, None);
/// assert_eq!(
///     request.url().as_str(),
///     "https://api.example.test/v1/items?full=true&q=salt+%26+pepper",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: seed 000.
#[derive(Clone, PartialEq)]
pub struct OutgoingRequest {
    method: Method,
    /// With the pairs.
    url: Url,
    /// How much of the URL stands before the added pairs.
    target_end: usize,
    pairs: Vec<(String, String)>,
    body: Option<Value>,
}

impl OutgoingRequest {
    /// Makes a request of what an executor is handed: the fields of a GET-like request become query
    /// pairs, in order; any other method sends the body.
    ///
    /// # Errors
    ///
    /// A [`RequestRefusal`].
    pub fn new(
        base: &BaseUrl,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Self, RequestRefusal> {
        // First of all, so that no later refusal drops a body that is too deep to be dropped.
        let body = shallow(body)?;
        let method = Method::parse(method)?;
        let (pairs, body) = if method.is_get_like() {
            (query_pairs(body)?, None)
        } else {
            (Vec::new(), body)
        };
        Self::assemble(base, method, path, pairs, body)
    }

    /// Makes a request of its parts. GET-like methods send no body.
    ///
    /// # Errors
    ///
    /// A [`RequestRefusal`].
    pub fn with_pairs(
        base: &BaseUrl,
        method: Method,
        path: ResolvedPath<'_>,
        pairs: Vec<(String, String)>,
        body: Option<Value>,
    ) -> Result<Self, RequestRefusal> {
        let body = shallow(body)?.filter(|_| !method.is_get_like());
        Self::assemble(base, method, path, pairs, body)
    }

    fn assemble(
        base: &BaseUrl,
        method: Method,
        path: ResolvedPath<'_>,
        pairs: Vec<(String, String)>,
        body: Option<Value>,
    ) -> Result<Self, RequestRefusal> {
        for (key, value) in &pairs {
            if key.contains(char::is_control) || value.contains(char::is_control) {
                return Err(RequestRefusal::ControlCharacter { key: shown(key) });
            }
        }
        let raw: usize = pairs.iter().map(|(k, v)| k.len() + v.len() + 2).sum();
        if path.as_str().len().saturating_add(raw) > MAX_TARGET_BYTES {
            return Err(RequestRefusal::TargetTooLong);
        }
        let mut url = base.join(path)?;
        let target_end = url.as_str().len();
        if !pairs.is_empty() {
            url.query_pairs_mut().extend_pairs(&pairs);
        }
        if url.as_str().len() > MAX_TARGET_BYTES {
            return Err(RequestRefusal::TargetTooLong);
        }
        Ok(Self {
            method,
            url,
            target_end,
            pairs,
            body,
        })
    }

    /// The request as a policy sees it.
    #[must_use]
    pub fn view<'a>(&'a self, tool: &'a str) -> OutboundRequest<'a> {
        let target = &self.url.as_str()[..self.target_end];
        OutboundRequest::new(
            tool,
            self.method.as_str(),
            target,
            &self.pairs,
            self.body.as_ref(),
        )
    }

    /// Refuses a pair, in the author's own query as well, that has one of these names.
    ///
    /// Names are compared after one form-decoding, without surrounding spaces and letter case, and
    /// `;` separates pairs too: what some backend may take for the name is taken for it here.
    ///
    /// # Errors
    ///
    /// [`RequestRefusal::ReservedName`].
    pub fn refuse_pairs_named<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<(), RequestRefusal> {
        for name in names {
            let is_reserved = |key: &str| key.trim().eq_ignore_ascii_case(name);
            let in_query = self
                .url
                .query()
                .is_some_and(|query| keys_of(query).any(|key| is_reserved(&key)));
            let in_pairs = self.pairs.iter().any(|(key, _)| is_reserved(key));
            if in_query || in_pairs {
                return Err(RequestRefusal::ReservedName { key: shown(name) });
            }
        }
        Ok(())
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The whole URL, with the pairs.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The pairs that stand behind the target.
    #[must_use]
    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    /// The JSON body.
    #[must_use]
    pub fn body(&self) -> Option<&Value> {
        self.body.as_ref()
    }
}

fn shallow(body: Option<Value>) -> Result<Option<Value>, RequestRefusal> {
    match body {
        None => Ok(None),
        Some(body) => bounded(body).map(Some).ok_or(RequestRefusal::BodyTooDeep),
    }
}

/// The decoded keys of a query, whether `&` or `;` separates its pairs.
fn keys_of(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    query
        .split(['&', ';'])
        .filter_map(|pair| form_urlencoded::parse(pair.as_bytes()).next())
        .map(|(key, _)| key)
}

/// Names the method and the size, and shows no value.
impl fmt::Debug for OutgoingRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutgoingRequest")
            .field("method", &self.method)
            .field("pairs", &self.pairs.len())
            .field("body", &self.body.is_some())
            .finish_non_exhaustive()
    }
}
