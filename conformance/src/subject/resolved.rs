//! What a resolver answers: a request target and the rest of the body, or a refusal.

use std::error::Error;
use std::fmt::{self, Debug, Display};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shown::cut;

/// What a template and its values resolve to: what was sent, or would be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resolved {
    /// The request target: the path, and the query that the template's author wrote.
    pub target: String,
    /// What is left of the caller's body, or `None` where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The method it was sent with, where a request was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

impl Resolved {
    /// A target, with what is left of the body.
    #[must_use]
    pub fn new(target: impl Into<String>, body: Option<Value>) -> Self {
        Self {
            target: target.into(),
            body,
            method: None,
        }
    }

    /// The same, as it was sent with this method.
    #[must_use]
    pub fn sent_with(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }
}

impl Display for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(method) = &self.method {
            write!(f, "{} ", cut(method))?;
        }
        f.write_str(&cut(&self.target))?;
        match &self.body {
            Some(body) => write!(f, " with {}", cut(&body.to_string())),
            None => Ok(()),
        }
    }
}

/// Why there is no target. Any error becomes one with `?`, with its `Display`, its `Debug` and its
/// sources, none of which may hold a value.
///
/// ```
/// use proofmark_conformance::subject::Refused;
///
/// fn number(text: &str) -> Result<u8, Refused> {
///     Ok(text.parse::<u8>()?)
/// }
/// assert!(number("x").unwrap_err().message().contains("invalid digit"));
/// ```
#[derive(Clone, PartialEq)]
pub struct Refused {
    message: String,
    further: Vec<String>,
    sent: Vec<Resolved>,
    // Boxed, since an `Err` is moved about.
    body: Option<Box<Option<Value>>>,
}

impl Refused {
    /// A refusal with this message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            further: Vec::new(),
            sent: Vec::new(),
            body: None,
        }
    }

    /// A refusal with what `error` tells.
    pub(super) fn telling(error: &(impl Debug + Display)) -> Self {
        Self {
            further: vec![format!("{error:?}")],
            ..Self::new(error.to_string())
        }
    }

    /// The same refusal, although a request was sent.
    #[must_use]
    pub fn having_sent(mut self, sent: Resolved) -> Self {
        self.sent.push(sent);
        self
    }

    /// The same refusal of a resolver that changes the caller's body in place: what the body is
    /// now.
    #[must_use]
    pub fn leaving(mut self, body: Option<Value>) -> Self {
        self.body = Some(Box::new(body));
        self
    }

    /// What the caller is told.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The message, and everything else that can be had from the error.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let further = self.further.iter().map(String::as_str);
        std::iter::once(self.message.as_str()).chain(further)
    }

    /// What was sent all the same.
    #[must_use]
    pub fn sent(&self) -> &[Resolved] {
        &self.sent
    }

    /// What the caller's body is now, where the resolver changes it in place.
    #[must_use]
    pub fn body(&self) -> Option<&Option<Value>> {
        self.body.as_deref()
    }
}

impl Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused: {}", self.message)
    }
}

impl<E: Error> From<E> for Refused {
    fn from(error: E) -> Self {
        let mut refused = Self::telling(&error);
        let mut source = error.source();
        while let Some(cause) = source {
            refused
                .further
                .extend([cause.to_string(), format!("{cause:?}")]);
            source = cause.source();
        }
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::fmt::Error);

    #[test]
    fn an_error_is_kept_with_all_that_can_be_had_from_it() {
        let refused = Refused::from(Outer(std::fmt::Error));
        let texts: Vec<&str> = refused.texts().collect();
        assert_eq!(texts[0], "outer");
        assert!(texts.contains(&"Outer(Error)") && texts.contains(&"Error"));
    }
}
