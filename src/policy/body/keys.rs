//! Refuses bodies that carry a forbidden key.

use std::borrow::Cow;
use std::collections::HashSet;

use async_trait::async_trait;
use serde_json::Value;

use super::depth::is_too_deep;
use crate::policy::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Refuses a request whose body has one of the listed keys at any depth, in any letter case.
///
/// **Promised.** A key is found wherever it stands, among any number of others. Many servers bind
/// JSON members without regard to case, so `Role` is refused where `role` is. A body nested more
/// than 128 deep is refused unread. The answer depends on the request alone and is the same in
/// both phases.
///
/// **Not promised.** Only keys are looked at: neither values nor JSON inside a text. The fields of
/// a GET-like request are query pairs by the time a policy sees them: forbid those keys with
/// [`QueryAllowlist`](crate::policy::QueryAllowlist) too.
///
/// ```
/// use proofmark::policy::{BodyKeyDenylist, RequestPolicy};
/// use proofmark::request::OutboundRequest;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let policy = BodyKeyDenylist::new().refuse_key("role");
/// let body = json!({"users": [{"name": "ada", "role": "admin"}]});
/// let request = OutboundRequest::new("t", "POST", "https://h.test/users", &[], Some(&body));
///
/// assert!(policy.check(&request).await.is_err());
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct BodyKeyDenylist {
    keys: HashSet<Box<str>>,
}

impl BodyKeyDenylist {
    /// A list without a key; it still refuses bodies that are nested too deeply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forbids a key.
    pub fn refuse_key(mut self, key: &str) -> Self {
        self.keys.insert(folded(key).into());
        self
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let Some(body) = request.body else {
            return Ok(());
        };
        if is_too_deep(body) {
            return Err(PolicyRefusal::new("the body is nested too deeply"));
        }
        if self.is_in(body) {
            return Err(PolicyRefusal::new("the body holds a forbidden key"));
        }
        Ok(())
    }

    /// Recursion is bounded: a body that is too deep was refused before.
    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::Array(items) => items.iter().any(|item| self.is_in(item)),
            Value::Object(members) => members
                .iter()
                .any(|(key, member)| self.keys.contains(&*folded(key)) || self.is_in(member)),
            _ => false,
        }
    }
}

/// One form for all letter cases of a key. By way of upper case, since some letters that are not
/// ASCII have an ASCII one (`ſ`, the Kelvin sign).
fn folded(key: &str) -> Cow<'_, str> {
    if key
        .bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
    {
        return Cow::Borrowed(key);
    }
    Cow::Owned(key.to_uppercase().to_lowercase())
}

#[async_trait]
impl RequestPolicy for BodyKeyDenylist {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn allows(body: &Value) -> bool {
        let list = BodyKeyDenylist::new()
            .refuse_key("Role")
            .refuse_key("stra\u{df}e");
        list.judge(&OutboundRequest::new("t", "POST", "/", &[], Some(body)))
            .is_ok()
    }

    #[rstest]
    #[case::top(json!({"role": 1}))]
    #[case::upper(json!({"ROLE": 1}))]
    #[case::other_key(json!({"STRASSE": 1}))]
    #[case::nested(json!([{"a": [[{"b": {"role": null}}]]}]))]
    fn a_forbidden_key_is_refused_wherever_it_stands(#[case] body: Value) {
        assert!(!allows(&body));
    }

    #[rstest]
    #[case::near_miss(json!({"roles": 1, "ro": 2}))]
    #[case::value(json!({"a": "role"}))]
    #[case::scalar(json!("role"))]
    fn what_is_no_forbidden_key_is_allowed(#[case] body: Value) {
        assert!(allows(&body));
    }

    #[test]
    fn letters_with_an_ascii_case_hide_no_key() {
        let list = BodyKeyDenylist::new().refuse_key("task");
        let body = json!({"ta\u{17f}\u{212a}": 1});

        assert!(
            list.judge(&OutboundRequest::new("t", "POST", "/", &[], Some(&body)))
                .is_err()
        );
    }

    #[rstest]
    #[case(0)]
    #[case(999)]
    #[case(1999)]
    fn size_and_depth_hide_no_key(#[case] place: usize) {
        let filler = |with: bool| -> Value {
            let key = |at| {
                if with && at == place {
                    "role".to_owned()
                } else {
                    format!("k{at}")
                }
            };
            (0..2000)
                .map(|at| (key(at), json!(at)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        for depth in [0, 1, 63, 126] {
            let wrap = |body| (0..depth).fold(body, |body, _| json!({"a": [1], "n": body}));
            assert!(allows(&wrap(filler(false))), "depth {depth}");
            assert!(!allows(&wrap(filler(true))), "depth {depth}");
        }
    }

    #[test]
    fn a_body_too_deep_to_look_at_is_refused() {
        assert!(!allows(
            &(0..129).fold(Value::Null, |body, _| json!([body]))
        ));
    }
}
