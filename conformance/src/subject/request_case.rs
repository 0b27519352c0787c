//! A request the judge owns: what it shows to a policy, and prints as a counterexample.

use std::fmt;

use proofmark::request::{OutboundRequest, RequestPhase};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shown::cut;

/// One request with owned parts. Clone it, change one part, and you have its twin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestCase {
    /// The tool; `None` where a sample leaves it to the judge, which then names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// The resolved target, with the base URL joined on.
    #[serde(rename = "url")]
    pub path: String,
    /// The pairs that would be appended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query: Vec<(String, String)>,
    /// The JSON body, if one would be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The call the request belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call_id: String,
    /// Whether the request is only previewed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
}

impl RequestCase {
    /// A GET of `path`, unattributed, about to be sent.
    #[must_use]
    pub fn get(path: &str) -> Self {
        Self {
            tool: None,
            method: "GET".to_owned(),
            path: path.to_owned(),
            query: Vec::new(),
            body: None,
            call_id: String::new(),
            preview: false,
        }
    }

    /// The same request with another method.
    #[must_use]
    pub fn with_method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// The same request to another target.
    #[must_use]
    pub fn with_path(mut self, path: &str) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// The same request from another tool.
    #[must_use]
    pub fn with_tool(mut self, tool: &str) -> Self {
        self.tool = Some(tool.to_owned());
        self
    }

    /// The same request in another call.
    #[must_use]
    pub fn with_call(mut self, call_id: &str) -> Self {
        call_id.clone_into(&mut self.call_id);
        self
    }

    /// The same request with one more pair.
    #[must_use]
    pub fn with_pair(mut self, key: &str, value: &str) -> Self {
        self.query.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The same request with a body.
    #[must_use]
    pub fn with_body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// The same request, only previewed.
    #[must_use]
    pub fn previewed(mut self) -> Self {
        self.preview = true;
        self
    }

    /// The same request, about to be sent.
    #[must_use]
    pub fn sent(mut self) -> Self {
        self.preview = false;
        self
    }

    /// The view a policy is shown.
    #[must_use]
    pub fn view(&self) -> OutboundRequest<'_> {
        let phase = if self.preview {
            RequestPhase::Validate
        } else {
            RequestPhase::Execute
        };
        OutboundRequest::new(
            self.tool.as_deref().unwrap_or_default(),
            &self.method,
            &self.path,
            &self.query,
            self.body.as_ref(),
        )
        .with_call_id(&self.call_id)
        .with_phase(phase)
    }
}

/// One line for people: long parts are cut, control characters are escaped.
impl fmt::Display for RequestCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", cut(&self.method), cut(&self.path))?;
        match self.query.len() {
            0 => {}
            1..=4 => {
                f.write_str(" query [")?;
                for (index, (key, value)) in self.query.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}={}", cut(key), cut(value))?;
                }
                f.write_str("]")?;
            }
            many => write!(f, " query of {many} pairs")?,
        }
        if let Some(body) = &self.body {
            write!(f, " body {}", cut(&body.to_string()))?;
        }
        if let Some(tool) = &self.tool {
            write!(f, " tool={}", quoted(tool))?;
        }
        write!(f, " call={}", quoted(&self.call_id))?;
        if self.preview {
            f.write_str(" (preview)")?;
        }
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", cut(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reads_as_one_line_whatever_it_holds() {
        let request = RequestCase::get("https://a.test/\t\n")
            .with_tool("t")
            .with_call("c1")
            .with_pair("k", &"x".repeat(500))
            .previewed();

        let shown = request.to_string();

        assert!(!shown.contains('\n') && shown.len() < 400, "{shown}");
        assert!(
            shown.ends_with("tool=\"t\" call=\"c1\" (preview)"),
            "{shown}"
        );
    }
}
