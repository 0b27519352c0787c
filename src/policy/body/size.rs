//! Refuses requests that are too large.

use std::io::{self, Write};

use async_trait::async_trait;
use serde_json::Value;

use super::depth::is_too_deep;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Refuses a request whose body, written as compact JSON, has more than `max` bytes.
///
/// **Promised.** The bytes are counted as they would be sent, in UTF-8 and with every escape,
/// without writing them anywhere; counting stops at the limit. A body nested more than 128 deep
/// is refused. The answer depends on the request alone and is the same in both phases.
///
/// **Not promised.** Text can be split over many requests: see
/// [`ByteBudget`](crate::policy::ByteBudget).
///
/// ```
/// use proofmark::policy::{BodySizeLimit, RequestPolicy};
/// use proofmark::request::OutboundRequest;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let policy = BodySizeLimit::new(8);
/// let check = async |text: &str| {
///     let body = json!(text);
///     policy.check(&OutboundRequest::new("t", "POST", "/", &[], Some(&body))).await
/// };
/// assert!(check("sixsix").await.is_ok());
/// assert!(check("éééé").await.is_err());
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BodySizeLimit {
    max: u64,
}

/// Refuses a request of more than `max` bytes in all: the path with an author-written query, each
/// query key and value as they are, and the body as compact JSON.
///
/// It promises what [`BodySizeLimit`] promises, for the whole request. Headers, the method, the
/// separators and escapes of the query and what authentication adds are not counted.
///
/// ```
/// use proofmark::policy::{RequestPolicy, TotalSizeLimit};
/// use proofmark::request::OutboundRequest;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let policy = TotalSizeLimit::new(10);
/// let query = [("q".to_owned(), "12345678".to_owned())];
///
/// assert!(policy.check(&OutboundRequest::new("t", "GET", "/", &query, None)).await.is_ok());
/// assert!(policy.check(&OutboundRequest::new("t", "GET", "/x", &query, None)).await.is_err());
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TotalSizeLimit {
    max: u64,
}

impl BodySizeLimit {
    /// A limit of `max` bytes; a request without a body has none.
    #[must_use]
    pub fn new(max: u64) -> Self {
        Self { max }
    }

    fn judge(self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut room = Room { left: self.max };
        let fits = room.take_body(request.body)?;
        fits.ok_or_else(|| PolicyRefusal::new("the body is too large"))
    }
}

impl TotalSizeLimit {
    /// A limit of `max` bytes.
    #[must_use]
    pub fn new(max: u64) -> Self {
        Self { max }
    }

    fn judge(self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut room = Room { left: self.max };
        let pairs = request.query.iter().flat_map(|(key, value)| [key, value]);
        let mut texts = pairs.map(String::as_str).chain([request.path]);
        let fits = texts.try_for_each(|text| room.take(text.len()));
        let fits = match fits {
            Some(()) => room.take_body(request.body)?,
            None => None,
        };
        fits.ok_or_else(|| PolicyRefusal::new("the request is too large"))
    }
}

#[async_trait]
impl RequestPolicy for BodySizeLimit {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}

#[async_trait]
impl RequestPolicy for TotalSizeLimit {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}

/// Counts what is written to it, as long as there is room.
struct Room {
    left: u64,
}

impl Room {
    fn take(&mut self, bytes: usize) -> Option<()> {
        self.left = self.left.checked_sub(u64::try_from(bytes).ok()?)?;
        Some(())
    }

    fn take_body(&mut self, body: Option<&Value>) -> Result<Option<()>, PolicyRefusal> {
        let Some(body) = body else {
            return Ok(Some(()));
        };
        if is_too_deep(body) {
            return Err(PolicyRefusal::new("the body is nested too deeply"));
        }
        Ok(serde_json::to_writer(self, body).ok())
    }
}

impl Write for &mut Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.take(bytes.len()).map(|()| bytes.len());
        taken.ok_or_else(|| io::ErrorKind::FileTooLarge.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn message(checked: Result<(), PolicyRefusal>) -> Option<String> {
        checked.err().map(|refusal| refusal.message().to_owned())
    }

    fn body_fits(max: u64, body: &Value) -> bool {
        let request = OutboundRequest::new("t", "POST", "/a/long/path", &[], Some(body));
        BodySizeLimit::new(max).judge(&request).is_ok()
    }

    #[rstest]
    #[case(json!("\u{e9}"), 4)]
    #[case(json!("\u{1}\n\""), 12)]
    #[case(json!({"a": [1, -2.5e300, true, null]}), 29)]
    #[case(json!([]), 2)]
    fn a_body_counts_as_it_is_sent(#[case] body: Value, #[case] bytes: u64) {
        assert!(body_fits(bytes, &body));
        assert!(!body_fits(bytes - 1, &body));
    }

    #[test]
    fn a_request_without_a_body_fits_any_body_limit() {
        let request = OutboundRequest::new("t", "GET", "/", &[], None);
        assert_eq!(message(BodySizeLimit::new(0).judge(&request)), None);
    }

    #[rstest]
    #[case("/p?q=\u{e9}", &[], None, 7)]
    #[case("", &[("k\u{e9}", "v"), ("", "\u{1f600}")], None, 8)]
    #[case("/", &[("k", "v")], Some(json!({"a": 1})), 10)]
    #[case("", &[], None, 0)]
    fn path_pairs_and_body_count_together(
        #[case] path: &str,
        #[case] query: &[(&str, &str)],
        #[case] body: Option<Value>,
        #[case] bytes: u64,
    ) {
        let query: Vec<_> = query
            .iter()
            .map(|&(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        let request = OutboundRequest::new("t", "POST", path, &query, body.as_ref());
        let too_large = Some("the request is too large".to_owned());

        assert_eq!(message(TotalSizeLimit::new(bytes).judge(&request)), None);
        assert_eq!(message(TotalSizeLimit::new(u64::MAX).judge(&request)), None);
        if let Some(less) = bytes.checked_sub(1) {
            assert_eq!(
                message(TotalSizeLimit::new(less).judge(&request)),
                too_large
            );
        }
    }

    #[test]
    fn a_body_too_deep_to_count_is_refused_at_any_limit() {
        let body = (0..129).fold(Value::Null, |body, _| json!([body]));
        let request = OutboundRequest::new("t", "POST", "/", &[], Some(&body));
        let too_deep = Some("the body is nested too deeply".to_owned());

        assert_eq!(
            message(BodySizeLimit::new(u64::MAX).judge(&request)),
            too_deep
        );
        assert_eq!(
            message(TotalSizeLimit::new(u64::MAX).judge(&request)),
            too_deep
        );
    }

    proptest! {
        #[test]
        fn any_text_counts_as_it_is_written(text in any::<String>(), number in any::<f64>()) {
            let body = json!({ &text: [number, text] });
            let bytes = serde_json::to_vec(&body).unwrap().len() as u64;

            prop_assert!(body_fits(bytes, &body));
            prop_assert!(!body_fits(bytes - 1, &body));
        }
    }
}
