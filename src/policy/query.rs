//! Which query pairs may leave, whether they stand in the query or were written into the path.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;

use super::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows a request whose query pairs all have an allowed key and are not refused.
///
/// **Promised.** Every pair is looked at, those in [`query`](OutboundRequest::query) and those an
/// author wrote into [`path`](OutboundRequest::path) behind a `?`, each time a key repeats. The
/// written ones are decoded as a form is; those between semicolons are looked at too, as some
/// servers split there. A refused key or pair is found also under one more percent-decoding. A
/// path with a control character or a `#` is refused, since its query may end elsewhere for
/// another reader. The answer depends on the request alone, is the same in both phases and for any
/// order of the pairs, and takes time linear in the request's size.
///
/// **Not promised.** Keys are compared byte for byte: where a server ignores letter case, or reads
/// `tag[]` as `tag`, rely on the allowed keys and not on the refused ones. The path before the `?`
/// is for an endpoint policy to judge, and fields in a body for a body policy.
///
/// ```
/// use proofmark::policy::{QueryAllowlist, RequestPolicy};
/// use proofmark::request::OutboundRequest;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let policy = QueryAllowlist::new().allow_key("limit").refuse_pair("limit", "all");
/// let check = async |path| policy.check(&OutboundRequest::new("t", "GET", path, &[], None)).await;
///
/// assert!(check("https://api.example.test/items?limit=10").await.is_ok());
/// assert!(check("https://api.example.test/items?limit=a%6Cl").await.is_err());
/// assert!(check("https://api.example.test/items?limit=10&admin=1").await.is_err());
/// # }
/// ```
///
/// Source: seed 000.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct QueryAllowlist {
    allowed: HashSet<Box<str>>,
    any_key: bool,
    refused_keys: HashSet<Box<str>>,
    refused_pairs: HashMap<Box<str>, HashSet<Box<str>>>,
}

impl QueryAllowlist {
    /// A list that allows no pair at all.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows pairs with this key.
    pub fn allow_key(mut self, key: &str) -> Self {
        self.allowed.insert(key.into());
        self
    }

    /// Allows pairs with any key that is not refused.
    pub fn allow_any_key(mut self) -> Self {
        self.any_key = true;
        self
    }

    /// Refuses pairs with this key, even if it is allowed.
    pub fn refuse_key(mut self, key: &str) -> Self {
        self.refused_keys.insert(key.into());
        self
    }

    /// Refuses this key with this value, even if the key is allowed.
    pub fn refuse_pair(mut self, key: &str, value: &str) -> Self {
        let values = self.refused_pairs.entry(key.into()).or_default();
        values.insert(value.into());
        self
    }

    fn judge(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let path = request.path;
        if path.bytes().any(|byte| byte.is_ascii_control()) || path.contains('#') {
            return Err(PolicyRefusal::new(
                "the path holds a control character or a fragment",
            ));
        }
        for (key, value) in request.query {
            self.judge_pair(key, value)?;
        }
        let Some((_, written)) = path.split_once('?') else {
            return Ok(());
        };
        self.judge_written(written)?;
        if written.contains(';') {
            written
                .split(';')
                .try_for_each(|part| self.judge_written(part))?;
        }
        Ok(())
    }

    fn judge_written(&self, written: &str) -> Result<(), PolicyRefusal> {
        let mut pairs = form_urlencoded::parse(written.as_bytes());
        pairs.try_for_each(|(key, value)| self.judge_pair(&key, &value))
    }

    fn judge_pair(&self, key: &str, value: &str) -> Result<(), PolicyRefusal> {
        if !self.any_key && !self.allowed.contains(key) {
            return Err(PolicyRefusal::new("the query key is not on the allowlist"));
        }
        for key in readings(key) {
            if self.refused_keys.contains(&*key) {
                return Err(PolicyRefusal::new("the query key is refused"));
            }
            let values = self.refused_pairs.get(&*key);
            if values.is_some_and(|values| readings(value).any(|value| values.contains(&*value))) {
                return Err(PolicyRefusal::new("the query pair is refused"));
            }
        }
        Ok(())
    }
}

/// The text as it is, and as it reads when it is decoded once more.
fn readings(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let again = text
        .contains('%')
        .then(|| percent_decode_str(text).decode_utf8_lossy());
    std::iter::once(Cow::Borrowed(text)).chain(again)
}

#[async_trait]
impl RequestPolicy for QueryAllowlist {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        self.judge(request)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn list() -> QueryAllowlist {
        let list = QueryAllowlist::new().allow_key("page").allow_key("q x");
        list.allow_key("role")
            .refuse_pair("role", "ad min")
            .refuse_pair("page", "-1")
    }

    fn open() -> QueryAllowlist {
        QueryAllowlist::new()
            .allow_any_key()
            .refuse_key("admin")
            .refuse_pair("role", "ad min")
    }

    fn allows(list: &QueryAllowlist, path: &str, query: &[(&str, &str)]) -> bool {
        let query: Vec<_> = query
            .iter()
            .map(|&(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        list.judge(&OutboundRequest::new("t", "GET", path, &query, None))
            .is_ok()
    }

    #[rstest]
    #[case("/x", &[])]
    #[case("/x?", &[])]
    #[case("/x?page=1&&page=2", &[("page", "3")])]
    #[case("/x?q+x=1&q%20x=2", &[("q x", "3")])]
    #[case("/x?role=user;page=2", &[("role", "admin")])]
    fn allowed_keys_pass_wherever_they_stand(#[case] path: &str, #[case] query: &[(&str, &str)]) {
        assert!(allows(&list(), path, query));
    }

    #[rstest]
    #[case::in_query("/x", &[("role", "ad min")])]
    #[case::written("/x?role=ad%20min", &[])]
    #[case::plus("/x?role=ad+min", &[])]
    #[case::escaped_key("/x?r%6fle=ad+min", &[])]
    #[case::escaped_value("/x?role=%61%64+%6D%69%6E", &[])]
    #[case::twice_escaped("/x?role=%2561d+min", &[])]
    #[case::among_others("/x?page=1&role=ad+min&page=2", &[])]
    #[case::repeated("/x?role=user&role=ad+min", &[])]
    #[case::behind_a_semicolon("/x?page=1;role=ad+min", &[])]
    #[case::before_a_semicolon("/x?role=ad+min;page=1", &[])]
    #[case::split_over_both("/x?role=user", &[("role", "ad min")])]
    #[case::newline("/x?ro\nle=ad+min", &[])]
    #[case::fragment("/x?role=ad+min#", &[])]
    fn a_refused_pair_is_found_in_every_spelling(
        #[case] path: &str,
        #[case] query: &[(&str, &str)],
    ) {
        assert!(!allows(&list(), path, query));
        assert!(!allows(&open(), path, query));
    }

    #[rstest]
    #[case("/x?admin", &[])]
    #[case("/x?%61dmin=1", &[])]
    #[case("/x?%2561dmin=1", &[])]
    #[case("/x?a=1;admin", &[])]
    #[case("/x", &[("%61dmin", "")])]
    #[case("/x", &[("a", "1"), ("admin", "")])]
    fn a_refused_key_is_found_in_every_spelling(
        #[case] path: &str,
        #[case] query: &[(&str, &str)],
    ) {
        assert!(!allows(&open(), path, query));
    }

    #[rstest]
    #[case("/x?other=1", &[])]
    #[case("/x?=1", &[])]
    #[case("/x?Page=1", &[])]
    #[case("/x?page%00=1", &[])]
    #[case("/x?page=1;other=2", &[])]
    #[case("/x", &[("", "")])]
    fn a_key_that_is_not_on_the_list_is_refused(
        #[case] path: &str,
        #[case] query: &[(&str, &str)],
    ) {
        assert!(!allows(&list(), path, query));
        assert!(!allows(&QueryAllowlist::new(), path, query));
    }

    #[rstest]
    #[case(0)]
    #[case(1000)]
    #[case(2000)]
    fn size_hides_no_pair(#[case] place: usize) {
        let mut pairs = vec![("page", "1"); 2000];
        assert!(allows(&list(), "/x", &pairs));
        pairs.insert(place, ("role", "ad min"));

        let written: Vec<_> = pairs
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let written = format!("/x?{}", written.join("&").replace(' ', "+"));

        assert!(!allows(&list(), "/x", &pairs));
        assert!(!allows(&list(), &written, &[]));
    }

    proptest! {
        #[test]
        fn a_pair_gets_one_verdict_in_the_query_and_written(
            pairs in prop::collection::vec(("page|role|admin|[ -~]{0,3}", "-1|ad min|.{0,3}"), 0..4)
        ) {
            let query: Vec<_> = pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            let written = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&query)
                .finish();

            for list in [list(), open()] {
                let in_query = allows(&list, "/x", &query);
                prop_assert_eq!(allows(&list, &format!("/x?{written}"), &[]), in_query);
                let reversed: Vec<_> = query.iter().rev().copied().collect();
                prop_assert_eq!(allows(&list, "/x", &reversed), in_query);
            }
        }
    }
}
