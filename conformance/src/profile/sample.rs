//! One request that a profile declares allowed or refused.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use url::Url;

use crate::subject::RequestCase;

/// A declared request: a URL, and optionally a method, tool, query pairs and a body.
///
/// As text it is `[METHOD ]URL`; the method is GET when none is given. A `?` in the URL stays in
/// the request's path, as one written by a script's author does; pairs that are to arrive as
/// `query` are added with [`Sample::pair`].
///
/// ```
/// use proofmark_conformance::profile::Sample;
///
/// let sample: Sample = "POST https://api.example.test/v1/items".parse()?;
/// let sample = sample.pair("dry_run", "1").tool("create_item");
/// assert_eq!(sample.request().query.len(), 1);
/// # Ok::<(), proofmark_conformance::profile::SampleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    #[serde(flatten)]
    request: RequestCase,
    #[serde(skip)]
    fault: Option<SampleError>,
}

/// The text of a sample is not a request to an absolute http or https URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sample `{text}` is no request: {reason}; write `[METHOD ]URL`, as in `GET https://api.example.test/v1/items`"
)]
pub struct SampleError {
    text: String,
    reason: String,
}

impl Sample {
    /// A sample from its text. A text that is no request is kept and reported when the profile is
    /// validated, so that a table of samples can be written without a `?` on every line.
    #[must_use]
    pub fn new(text: &str) -> Self {
        match Self::parse(text) {
            Ok(request) => Self {
                request,
                fault: None,
            },
            Err(fault) => Self {
                request: RequestCase::get(text),
                fault: Some(fault),
            },
        }
    }

    /// The same sample with one more query pair.
    #[must_use]
    pub fn pair(mut self, key: &str, value: &str) -> Self {
        self.request = self.request.with_pair(key, value);
        self
    }

    /// The same sample, sent by another tool; an empty name makes it unattributed.
    #[must_use]
    pub fn tool(mut self, tool: &str) -> Self {
        self.request.tool = Some(tool.to_owned());
        self
    }

    /// The same sample with a JSON body.
    #[must_use]
    pub fn body(mut self, body: Value) -> Self {
        self.request.body = Some(body);
        self
    }

    /// The request the sample stands for.
    #[must_use]
    pub fn request(&self) -> &RequestCase {
        &self.request
    }

    /// Why the sample is no request, if it is none.
    #[must_use]
    pub fn fault(&self) -> Option<&SampleError> {
        self.fault.as_ref()
    }

    fn parse(text: &str) -> Result<RequestCase, SampleError> {
        let error = |reason: &str| SampleError {
            text: text.chars().take(200).collect(),
            reason: reason.to_owned(),
        };
        let (method, url) = match text.split_once(' ') {
            Some((method, url)) => (method, url),
            None => ("GET", text),
        };
        if method.is_empty() || !method.bytes().all(|b| b.is_ascii_uppercase()) {
            return Err(error("the method must be upper-case letters"));
        }
        let parsed = Url::parse(url).map_err(|cause| error(&cause.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(error("the scheme must be http or https"));
        }
        Ok(RequestCase::get(url).with_method(method))
    }
}

impl FromStr for Sample {
    type Err = SampleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sample = Self::new(text);
        match sample.fault {
            Some(fault) => Err(fault),
            None => Ok(sample),
        }
    }
}

impl From<&str> for Sample {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Sample {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Table(Table),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    url: String,
    method: Option<String>,
    tool: Option<String>,
    #[serde(default)]
    query: Vec<(String, String)>,
    body: Option<Value>,
}

impl<'de> Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Text(text) => Self::new(&text),
            Written::Table(table) => {
                let text = match &table.method {
                    Some(method) => format!("{method} {}", table.url),
                    None => table.url.clone(),
                };
                let mut sample = Self::new(&text);
                for (key, value) in &table.query {
                    sample = sample.pair(key, value);
                }
                sample.request.tool = table.tool;
                sample.request.body = table.body;
                sample
            }
        })
    }
}
