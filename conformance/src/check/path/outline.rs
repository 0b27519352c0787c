//! The outline of the target that a case has to come to, and how a target differs from it.
//!
//! The judge reads targets by itself, strictly, and once more with a WHATWG parser: it shares no
//! decision with the toolkit, which is one of its subjects.

use serde_json::Value;
use url::Url;

use crate::subject::ResolveCase;

/// What targets are joined to.
pub(super) const BASE: &str = "https://api.example.test";

/// The segments and pairs that the author's text and the values together spell, once decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outline {
    segments: Vec<Vec<u8>>,
    pairs: Option<Vec<Pair>>,
    /// Whether a value may add segments, because `/` is allowed in it.
    may_add_segments: bool,
}

type Pair = (Vec<u8>, Vec<u8>);

impl Outline {
    /// The outline of what `case` asks for.
    pub(super) fn of(case: &ResolveCase) -> Self {
        let (path, query) = match case.template.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (case.template.as_str(), None),
        };
        let path = path.strip_prefix('/').unwrap_or(path);
        Self {
            segments: path
                .split('/')
                .map(|segment| filled(segment, case, literal))
                .collect(),
            pairs: query.map(|query| {
                query
                    .split('&')
                    .map(|pair| {
                        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                        (
                            filled(key, case, form_literal),
                            filled(value, case, form_literal),
                        )
                    })
                    .collect()
            }),
            may_add_segments: !case.slash_allowed.is_empty(),
        }
    }

    /// The outline of what `case` asks for where each value stays in its segment, although `/` may
    /// be allowed in it.
    pub(super) fn of_segments(case: &ResolveCase) -> Self {
        Self {
            may_add_segments: false,
            ..Self::of(case)
        }
    }

    /// In what `target` differs, if it does: by its own text, or as a WHATWG parser reads it.
    pub(super) fn differs(&self, target: &str) -> Option<String> {
        if !target.starts_with('/') {
            return Some("it does not begin with `/`".to_owned());
        }
        let raw = target
            .chars()
            .find(|&c| c.is_ascii_control() || c == '\\' || c == '#');
        if let Some(raw) = raw {
            return Some(format!("it holds a raw {raw:?}"));
        }
        self.text_differs(target)
            .or_else(|| self.parsed_differs(target))
    }

    /// In what `target` differs by its own text, if it does: a parser may also drop blanks at its
    /// end.
    pub(super) fn text_differs(&self, target: &str) -> Option<String> {
        let (path, query) = split(target);
        self.path_differs(path)
            .or_else(|| self.query_differs(query))
    }

    fn path_differs(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let segments: Vec<&str> = path.split('/').collect();
        if self.may_add_segments {
            let whole = decode_once(path);
            let wanted = self.segments.join(&b'/');
            return (whole.as_ref() != Some(&wanted))
                .then(|| format!("`{path}` does not decode to `{}`", shown(&wanted)));
        }
        if segments.len() != self.segments.len() {
            return Some(format!(
                "it has {} segments instead of {}",
                segments.len(),
                self.segments.len()
            ));
        }
        let mut both = segments.iter().zip(&self.segments);
        both.find_map(|(segment, wanted)| {
            (decode_once(segment).as_ref() != Some(wanted)).then(|| {
                format!(
                    "the segment `{segment}` does not decode to `{}` in one step",
                    shown(wanted)
                )
            })
        })
    }

    fn query_differs(&self, query: Option<&str>) -> Option<String> {
        let (query, wanted) = match (query, &self.pairs) {
            (None, None) => return None,
            (None, Some(_)) => return Some("its query is gone".to_owned()),
            (Some(_), None) => return Some("it has a query".to_owned()),
            (Some(query), Some(wanted)) => (query, wanted),
        };
        let pairs = pairs(query);
        if pairs.len() != wanted.len() {
            return Some(format!(
                "its query has {} pairs instead of {}",
                pairs.len(),
                wanted.len()
            ));
        }
        let mut both = pairs.iter().zip(wanted);
        both.find_map(|(pair, wanted)| {
            (pair.as_ref() != Some(wanted)).then(|| {
                format!(
                    "the query `{query}` does not decode to the pair `{}` = `{}`",
                    shown(&wanted.0),
                    shown(&wanted.1)
                )
            })
        })
    }

    /// A parser that folds dots or drops characters sees another path than is written.
    fn parsed_differs(&self, target: &str) -> Option<String> {
        let Ok(url) = Url::parse(&format!("{BASE}{target}")) else {
            return Some("a WHATWG parser cannot read it".to_owned());
        };
        let seen = self.path_differs(url.path());
        seen.or_else(|| self.query_differs(url.query()))
            .map(|difference| format!("as a WHATWG parser reads it, {difference}"))
    }
}

/// The path half and the query half.
pub(super) fn split(target: &str) -> (&str, Option<&str>) {
    match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    }
}

/// The pairs of a query, decoded once as a form; `None` for one that holds a malformed escape.
pub(super) fn pairs(query: &str) -> Vec<Option<Pair>> {
    query
        .split('&')
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decode_form(key)?, decode_form(value)?))
        })
        .collect()
}

/// The bytes that the text stands for after one decoding; `None` where an escape is malformed.
pub(super) fn decode_once(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        decoded.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    Some(decoded)
}

fn decode_form(text: &str) -> Option<Vec<u8>> {
    decode_once(&text.replace('+', " "))
}

/// The author's own text means what it decodes to.
fn literal(text: &str) -> Vec<u8> {
    decode_once(text).unwrap_or_else(|| text.as_bytes().to_vec())
}

fn form_literal(text: &str) -> Vec<u8> {
    decode_form(text).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// The part of a template with its values in their places, which are never read again. What has no
/// value stays as it is written.
fn filled(part: &str, case: &ResolveCase, literal: fn(&str) -> Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = part;
    while let Some((before, from)) = rest.split_once('{') {
        let Some((name, after)) = from.split_once('}') else {
            break;
        };
        let (before, value) = match before.strip_suffix('$') {
            Some(stripped) => (stripped, case.variables.get(name).and_then(text_of)),
            None => (before, case.argument_text(name)),
        };
        out.extend(literal(before));
        match value {
            Some(value) => out.extend(value.as_bytes()),
            None => out.extend(format!("{{{name}}}").as_bytes()),
        }
        rest = after;
    }
    out.extend(literal(rest));
    out
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => None,
        scalar => Some(scalar.to_string()),
    }
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown: String = text.chars().take(80).collect();
    shown.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn case() -> ResolveCase {
        ResolveCase::new("/v1/${kind}/x{id}?q={id}&r=%41+b")
            .variable("kind", "it ems")
            .argument("id", "a/b")
    }

    #[rstest]
    #[case::encoded("/v1/it%20ems/xa%2Fb?q=a%2fb&r=A%20b", "")]
    #[case::raw_in_the_query("/v1/it%20ems/xa%2Fb?q=a/b&r=A+b", "")]
    #[case::a_segment_more("/v1/it%20ems/xa/b?q=a/b&r=A+b", "4 segments")]
    #[case::twice_encoded("/v1/it%20ems/xa%252Fb?q=a/b&r=A+b", "does not decode")]
    #[case::a_pair_more("/v1/it%20ems/xa%2Fb?q=a/b&r=A+b&s", "3 pairs")]
    #[case::no_query("/v1/it%20ems/xa%2Fb", "gone")]
    #[case::fragment("/v1/it%20ems/xa%2Fb?q=a/b&r=A+b#", "raw '#'")]
    #[case::not_rooted("v1", "begin")]
    fn a_target_is_compared_with_what_template_and_values_spell(
        #[case] target: &str,
        #[case] difference: &str,
    ) {
        let seen = Outline::of(&case()).differs(target);
        assert_eq!(seen.is_none(), difference.is_empty(), "{seen:?}");
        let seen = seen.unwrap_or_default();
        assert!(seen.contains(difference), "{seen}");
    }

    #[rstest]
    #[case::raw("/a/../c")]
    #[case::encoded("/a/%2e%2e/c")]
    fn what_a_parser_folds_differs(#[case] target: &str) {
        let case = ResolveCase::new("/a/{id}/c").argument("id", "..");
        let seen = Outline::of(&case).differs(target).unwrap();
        assert!(seen.contains("WHATWG"), "{seen}");
    }

    #[test]
    fn only_whole_escapes_are_decoded_and_only_once() {
        assert_eq!(
            decode_once("%2541%c3%A9").as_deref(),
            Some("%41é".as_bytes())
        );
        for malformed in ["%", "%4", "%zz", "%+1"] {
            assert_eq!(decode_once(malformed), None);
        }
    }
}
