//! One `tools/call` as a client makes it, and why it came to nothing.

use std::error::Error;
use std::fmt;

use proofmark::executor::{Blame, ExecutionError};
use serde_json::{Value, json};

use super::Script;
use crate::subject::shown::cut;

/// The tool that runs scripts which the caller wrote.
pub const EXECUTE_CODE: &str = "execute_code";

/// Chains of sources longer than this may be endless.
const LONGEST_CHAIN: usize = 64;

/// One `tools/call`, with all that a client sends along with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool that is called.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The script that the caller wrote, where the tool is [`EXECUTE_CODE`].
    pub script: Option<Script>,
    /// The `id` of the JSON-RPC message.
    pub message_id: Value,
    /// The `_meta` of the parameters.
    pub meta: Value,
    /// The headers of the HTTP request that carried the message.
    pub headers: Vec<(String, String)>,
}

impl ToolCall {
    /// A call of a tool with these arguments.
    #[must_use]
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            tool: tool.into(),
            arguments,
            script: None,
            message_id: json!(1),
            meta: Value::Null,
            headers: Vec::new(),
        }
    }

    /// A call that runs a script of the caller's.
    #[must_use]
    pub fn of_script(script: Script) -> Self {
        Self {
            script: Some(script),
            ..Self::new(EXECUTE_CODE, json!({}))
        }
    }

    /// The same call in a message with this id.
    #[must_use]
    pub fn with_message_id(mut self, id: impl Into<Value>) -> Self {
        self.message_id = id.into();
        self
    }

    /// The same call with this `_meta`.
    #[must_use]
    pub fn with_meta(mut self, meta: Value) -> Self {
        self.meta = meta;
        self
    }

    /// The same call with one more header.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// One line for people: long parts are cut, control characters are escaped.
impl fmt::Display for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.script {
            Some(script) => write!(f, "{} `{}`", cut(&self.tool), cut(&script.source())),
            None => write!(
                f,
                "{} {}",
                cut(&self.tool),
                cut(&self.arguments.to_string())
            ),
        }
    }
}

/// Why a call came to nothing, as the surface reports it to its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    refusal: bool,
    texts: Vec<(String, String)>,
}

impl ToolFailure {
    /// The call was refused: the caller can mend it. In MCP, a tool result with `isError`.
    #[must_use]
    pub fn refused(text: impl Into<String>) -> Self {
        Self::new(true, text.into())
    }

    /// The server or its backend is at fault. In MCP, an error of the protocol.
    #[must_use]
    pub fn fault(text: impl Into<String>) -> Self {
        Self::new(false, text.into())
    }

    fn new(refusal: bool, text: String) -> Self {
        Self {
            refusal,
            texts: vec![("the report".to_owned(), text)],
        }
    }

    /// The same failure with all that an error shows of itself: `Display`, `Debug`, and its sources.
    #[must_use]
    pub fn with_error(mut self, error: &(dyn Error + 'static)) -> Self {
        let mut next = Some(error);
        for depth in 0..LONGEST_CHAIN {
            let Some(error) = next else { break };
            let name = match depth {
                0 => "the error".to_owned(),
                _ => format!("source {depth} of the error"),
            };
            self.texts
                .push((format!("`Display` of {name}"), error.to_string()));
            self.texts
                .push((format!("`Debug` of {name}"), format!("{error:?}")));
            next = error.source();
        }
        self
    }

    /// Whether the caller is told that another call may succeed.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.refusal
    }

    /// Where each text comes from, and the text.
    #[must_use]
    pub fn texts(&self) -> &[(String, String)] {
        &self.texts
    }
}

/// An error of the toolkit's: what the caller can mend is a refusal.
impl From<ExecutionError> for ToolFailure {
    fn from(error: ExecutionError) -> Self {
        Self::new(error.blame() == Blame::Caller, error.to_string()).with_error(&error)
    }
}

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.refusal { "refusal" } else { "fault" };
        let text = self.texts.first().map_or("", |(_, text)| text);
        write!(f, "the {kind} `{}`", cut(text))
    }
}

impl Error for ToolFailure {}
