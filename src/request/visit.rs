//! A walk over every text an outbound request carries, so that a scanner cannot miss a field.

use std::fmt;

use serde_json::Value;

use super::{OutboundRequest, RequestPhase};

/// Where in a request a text stands, as `path`, `query[2].value` or `body.items[0].name`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldPath(String);

impl FieldPath {
    fn root(name: &str) -> Self {
        Self(name.to_owned())
    }

    fn key(&self, key: &str) -> Self {
        Self(format!("{}.{key}", self.0))
    }

    fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Is shown every text of a request, field by field. Every `FnMut(&FieldPath, &str)` is one.
pub trait RequestVisitor {
    /// Sees one text: a string as it is, an object key, or the JSON text of another scalar.
    fn text(&mut self, field: &FieldPath, text: &str);
}

impl<F: FnMut(&FieldPath, &str)> RequestVisitor for F {
    fn text(&mut self, field: &FieldPath, text: &str) {
        self(field, text);
    }
}

impl OutboundRequest<'_> {
    /// Shows `visitor` every text the request carries, in field order.
    ///
    /// ```
    /// use proofmark::request::{FieldPath, OutboundRequest};
    ///
    /// let query = [("q".to_owned(), "needle".to_owned())];
    /// let mut found = None;
    /// OutboundRequest::new("t", "GET", "/x", &query, None).visit(&mut |field: &FieldPath, text: &str| {
    ///     if text == "needle" {
    ///         found = Some(field.to_string());
    ///     }
    /// });
    /// assert_eq!(found.as_deref(), Some("query[0].value"));
    /// ```
    pub fn visit(&self, visitor: &mut dyn RequestVisitor) {
        // No `..`: a new field does not compile until it is visited too.
        let Self {
            tool,
            method,
            path,
            query,
            body,
            call_id,
            phase,
        } = self;
        visitor.text(&FieldPath::root("tool"), tool);
        visitor.text(&FieldPath::root("method"), method);
        visitor.text(&FieldPath::root("path"), path);
        for (index, (key, value)) in query.iter().enumerate() {
            let pair = FieldPath::root("query").index(index);
            visitor.text(&pair.key("key"), key);
            visitor.text(&pair.key("value"), value);
        }
        if let Some(body) = body {
            visit_json(&FieldPath::root("body"), body, visitor);
        }
        visitor.text(&FieldPath::root("call_id"), call_id);
        let phase = match phase {
            RequestPhase::Execute => "execute",
            RequestPhase::Validate => "validate",
        };
        visitor.text(&FieldPath::root("phase"), phase);
    }
}

/// Walks with a list of its own, so that a deep body cannot overflow the stack.
fn visit_json(root: &FieldPath, body: &Value, visitor: &mut dyn RequestVisitor) {
    let mut open = vec![(root.clone(), body)];
    while let Some((field, value)) = open.pop() {
        match value {
            Value::String(text) => visitor.text(&field, text),
            Value::Array(items) => {
                let items = items.iter().enumerate().rev();
                open.extend(items.map(|(index, item)| (field.index(index), item)));
            }
            Value::Object(members) => {
                for (key, member) in members.iter().rev() {
                    open.push((field.key(key), member));
                }
                for key in members.keys() {
                    visitor.text(&field.key("(key)"), key);
                }
            }
            scalar => visitor.text(&field, &scalar.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_text_of_a_request_is_visited_with_its_place() {
        let query = [("qk".to_owned(), "qv".to_owned())];
        let body = json!({"bk": ["bv", 12, true, null]});
        let request = OutboundRequest::new("tl", "POST", "/p", &query, Some(&body))
            .with_call_id("cid")
            .with_phase(RequestPhase::Validate);

        let mut seen = Vec::new();
        request.visit(&mut |field: &FieldPath, text: &str| {
            seen.push(format!("{field}={text}"));
        });

        assert_eq!(
            seen,
            [
                "tool=tl",
                "method=POST",
                "path=/p",
                "query[0].key=qk",
                "query[0].value=qv",
                "body.(key)=bk",
                "body.bk[0]=bv",
                "body.bk[1]=12",
                "body.bk[2]=true",
                "body.bk[3]=null",
                "call_id=cid",
                "phase=validate",
            ]
        );
    }
}
