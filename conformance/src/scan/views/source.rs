//! Values that show their texts themselves.

use proofmark::request::{FieldPath, OutboundRequest};

use super::TextKind;

/// Shows every text of a value. Implement it for a type of your own that neither serialises nor
/// prints all it holds.
///
/// ```
/// use proofmark_conformance::scan::{TextKind, TextSource, assert_no_credential};
///
/// struct Session {
///     token: String,
/// }
///
/// impl TextSource for Session {
///     fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8])) {
///         // No `..`: a new field does not compile until it is shown too.
///         let Self { token } = self;
///         show("token", TextKind::String, token.as_bytes());
///     }
/// }
///
/// let session = Session { token: "handed over".to_owned() };
/// assert_no_credential!("tok_FAKE_9f3A", session);
/// ```
pub trait TextSource {
    /// Calls `show` for each text, in order, with the place it has in the value.
    ///
    /// Everything in a place after its first `.` or `[` may come from the value: it is masked in
    /// reports where it resembles a secret.
    fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8]));
}

impl<T: TextSource + ?Sized> TextSource for &T {
    fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8])) {
        (**self).texts(show);
    }
}

/// By [`OutboundRequest::visit`], which does not compile when it leaves out a field.
///
/// Source: CRED-06.
impl TextSource for OutboundRequest<'_> {
    fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8])) {
        self.visit(&mut |field: &FieldPath, text: &str| {
            let field = field.as_str();
            let is_key = field.ends_with(".(key)") || is_query_key(field);
            let kind = if is_key {
                TextKind::Key
            } else {
                TextKind::String
            };
            show(field, kind, text.as_bytes());
        });
    }
}

fn is_query_key(field: &str) -> bool {
    field.starts_with("query[") && field.ends_with("].key")
}
