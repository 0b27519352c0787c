//! Laws of the path half, against plain models of what the rules say.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use proofmark::path::{
    PLACEHOLDER_MAX_LENGTH, PathTemplate, PlaceholderRules, Resolution, ResolveError, ResolvedPath,
    validate_path_placeholder, validate_resolved_target,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization;
use url::{Url, form_urlencoded};

use crate::subject::lookup;

/// Text rich in what the rules are about.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[a-zA-Z0-9_-]{1,4}".prop_map(Cow::Owned),
        4 => prop::sample::select(&[
            ".", "..", "/", "\\", "?", "#", "%", "%25", "%2e", "%2E", "%2f", "%5C", "%3f", "%23", "%00", "%7F",
            "%7b", "%41", "%20", "%c0%ae", "%C0%AF", "%e0%80", "%ae", "%e2%80", "%a5", "%80", "%C3%A9", "．", "／",
            "‥", "…", "&", "=", "+", ";", " ", ":", "@", "{", "}", "{a}", "${v}", "\t", "\n", "\u{0}", "\u{7f}", "é",
            "日", "\u{2028}", "\u{1F600}",
        ][..]).prop_map(Cow::Borrowed),
        1 => any::<char>().prop_map(|c| Cow::Owned(c.to_string())),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// A value that mostly passes the floor.
fn harmless() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9_.~:@&=+;, é日%]{0,8}".prop_map(|text| text.replace("..", ".-").replace('%', "%41"))
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![3 => harmless(), 1 => hostile()]
}

/// What the floor says of a value, told plainly.
fn floor_of(value: &str, allow_slash: bool) -> &'static str {
    if value.is_empty() {
        return "nonEmpty";
    }
    for (at, _) in value.match_indices('%') {
        let escape = value.get(at + 1..at + 3).unwrap_or_default();
        if u8::from_str_radix(escape, 16).is_err() || escape.starts_with('+') || escape == "25" {
            return "percentEncoding";
        }
    }
    let decoded: Vec<u8> = percent_decode_str(value).collect();
    let has_refused = decoded.iter().any(|&byte| {
        byte.is_ascii_control() || b"?#\\".contains(&byte) || (byte == b'/' && !allow_slash)
    });
    let has_dots = decoded == b"." || decoded.windows(2).any(|pair| pair == b"..");
    if has_refused || has_dots || folds(&decoded) {
        return "characterFloor";
    }
    if value.chars().count() > PLACEHOLDER_MAX_LENGTH {
        return "maxLength";
    }
    "ok"
}

/// Whether a lenient backend reads a refused character where there is none.
fn folds(decoded: &[u8]) -> bool {
    let overlong = decoded.iter().enumerate().any(|(at, &lead)| {
        let length = match lead {
            0xC0 | 0xC1 => return true,
            0xE0 => 3,
            0xF0 => 4,
            0xF8 => 5,
            0xFC => 6,
            _ => return false,
        };
        let limit = [0, 0, 0, 0x9F, 0x8F, 0x87, 0x83][length];
        decoded.get(at + 1..at + length).is_some_and(|tail| {
            tail[0] <= limit && tail.iter().all(|byte| (0x80..=0xBF).contains(byte))
        })
    });
    let looks_alike = |c: char| {
        !c.is_ascii()
            && (matches!(c, '\u{2044}' | '\u{2215}' | '\u{2216}')
                || std::iter::once(c).nfkc().any(|n| "./\\?#%".contains(n)))
    };
    overlong || String::from_utf8_lossy(decoded).chars().any(looks_alike)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_value_is_judged_as_the_plain_rules_say(value in hostile(), allow_slash: bool) {
        let rules = PlaceholderRules::default().allowing_slash(allow_slash);
        let seen = validate_path_placeholder("id", &value, &rules).map_or_else(|r| r.rule, |()| "ok");
        prop_assert_eq!(seen, floor_of(&value, allow_slash));
    }

    #[test]
    fn a_second_decode_of_an_accepted_value_changes_nothing(value in hostile()) {
        if validate_path_placeholder("id", &value, &PlaceholderRules::default()).is_ok() {
            let once: Vec<u8> = percent_decode_str(&value).collect();
            let twice: Vec<u8> = percent_encoding::percent_decode(&once).collect();
            prop_assert_eq!(once, twice);
        }
    }

    #[test]
    fn declared_rules_only_narrow(
        value in value(),
        pattern in prop::option::of(prop::sample::select(&["^.*$", "", "[a-z]", "^[^/]+$", "(?!x)", "["][..])),
        length in prop::option::of(0..600_usize),
    ) {
        let rules = PlaceholderRules::default().with_pattern(pattern).with_max_length(length);
        let declared = validate_path_placeholder("id", &value, &rules);
        let default = validate_path_placeholder("id", &value, &PlaceholderRules::default());
        prop_assert!(declared.is_err() || default.is_ok());
        if let Err(refusal) = default {
            prop_assert_eq!(declared, Err(refusal));
        }
    }
}

/// Whether a target is fine when nobody says who wrote it, told plainly.
fn target_is_fine(target: &str) -> bool {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let half_is_fine = |half: &str| {
        let sound = half.is_empty() || floor_of(half, true) != "percentEncoding";
        let decoded: Vec<u8> = percent_decode_str(half).collect();
        sound
            && !decoded
                .iter()
                .any(|&b| b.is_ascii_control() || b"?#\\{}".contains(&b))
    };
    let decoded: Vec<u8> = percent_decode_str(path).collect();
    let segments_are_fine = decoded == b"/"
        || decoded[1.min(decoded.len())..]
            .split(|&byte| byte == b'/')
            .all(|segment| {
                let length = String::from_utf8_lossy(segment).chars().count();
                (1..=PLACEHOLDER_MAX_LENGTH).contains(&length)
                    && segment != b"."
                    && segment != b".."
            });
    half_is_fine(path)
        && path.starts_with('/')
        && !folds(&decoded)
        && segments_are_fine
        && query.is_none_or(|query| !query.is_empty() && half_is_fine(query))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_target_is_judged_as_the_plain_rules_say(
        segments in prop::collection::vec(prop_oneof![3 => harmless(), 1 => hostile()], 0..4),
        query in prop::option::of(value()),
        rooted in prop::bool::weighted(0.9),
    ) {
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        let target = format!("{}{}{query}", if rooted { "/" } else { "" }, segments.join("/"));
        prop_assert_eq!(validate_resolved_target(&target).is_ok(), target_is_fine(&target));
    }
}

/// A piece of a generated template.
#[derive(Debug, Clone)]
enum Atom {
    Literal(String),
    Key(&'static str),
    Variable(&'static str),
}

#[derive(Debug, Clone)]
struct Template {
    segments: Vec<Vec<Atom>>,
    pairs: Vec<(Vec<Atom>, Vec<Atom>)>,
}

fn atoms(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Atom>> {
    let atom = prop_oneof![
        3 => "[a-zA-Z0-9_.~:@,-]{1,6}".prop_map(Atom::Literal),
        2 => prop::sample::select(&["a", "b", "key three"][..]).prop_map(Atom::Key),
        2 => prop::sample::select(&["v", "w"][..]).prop_map(Atom::Variable),
    ];
    prop::collection::vec(atom, length)
}

fn template() -> impl Strategy<Value = Template> {
    let pair = (atoms(1..3), atoms(0..3));
    (
        prop::collection::vec(atoms(1..3), 1..4),
        prop::collection::vec(pair, 0..3),
    )
        .prop_map(|(segments, pairs)| Template { segments, pairs })
}

impl Template {
    /// The text, each atom written by `write`.
    fn text(&self, write: &dyn Fn(&Atom) -> String) -> String {
        let all = |atoms: &[Atom]| atoms.iter().map(write).collect::<String>();
        let path: String = self
            .segments
            .iter()
            .map(|segment| format!("/{}", all(segment)))
            .collect();
        let pairs: Vec<String> = self
            .pairs
            .iter()
            .map(|(key, value)| format!("{}={}", all(key), all(value)))
            .collect();
        if pairs.is_empty() {
            path
        } else {
            format!("{path}?{}", pairs.join("&"))
        }
    }

    fn source(&self) -> String {
        self.text(&|atom| match atom {
            Atom::Literal(text) => text.clone(),
            Atom::Key(name) => format!("{{{name}}}"),
            Atom::Variable(name) => format!("${{{name}}}"),
        })
    }

    fn atoms(&self) -> impl Iterator<Item = &Atom> {
        let in_pairs = self
            .pairs
            .iter()
            .flat_map(|(key, value)| key.iter().chain(value));
        self.segments.iter().flatten().chain(in_pairs)
    }
}

#[derive(Debug, Clone)]
struct Values {
    keys: Map<String, Value>,
    variables: Value,
}

fn values() -> impl Strategy<Value = Values> {
    prop::collection::vec(value(), 5).prop_map(|values| Values {
        keys: Map::from_iter([
            ("a".to_owned(), json!(values[0])),
            ("b".to_owned(), json!(values[1])),
            ("key three".to_owned(), json!(values[2])),
            ("other".to_owned(), json!({"nested": [null, "{a}"]})),
        ]),
        variables: json!({"v": values[3], "w": values[4]}),
    })
}

impl Values {
    /// The text that an atom contributes, before any encoding.
    fn of(&self, atom: &Atom) -> String {
        let value = match atom {
            Atom::Literal(text) => return text.clone(),
            Atom::Key(name) => &self.keys[*name],
            Atom::Variable(name) => &self.variables[*name],
        };
        value.as_str().unwrap_or_default().to_owned()
    }

    fn resolve(&self, template: &Template) -> Result<Resolution, ResolveError> {
        PathTemplate::parse(&template.source())
            .expect("a template")
            .resolve(
                "GET",
                |slot| lookup(&self.variables, slot),
                |_, _, _| PlaceholderRules::default(),
                Some(Value::Object(self.keys.clone())),
            )
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// What the path half comes to when each value is written once and spaces are encoded.
fn plain_path(template: &Template, values: &Values) -> String {
    let path_only = Template {
        pairs: Vec::new(),
        ..template.clone()
    };
    path_only.text(&|atom| values.of(atom).replace(' ', "%20"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn a_resolved_path_is_the_template_with_each_value_written_once(
        template in template(), values in values(),
    ) {
        if let Ok(resolution) = values.resolve(&template) {
            let target = resolution.target().as_str();
            let path = target.split('?').next().unwrap_or_default();
            prop_assert_eq!(path, plain_path(&template, &values));
            prop_assert_eq!(path.matches('/').count(), template.segments.len());
            prop_assert_eq!(target.matches('?').count(), usize::from(!template.pairs.is_empty()));
        }
    }

    #[test]
    fn a_resolved_target_stays_at_its_origin_and_keeps_its_segments(
        template in template(), values in values(),
    ) {
        if let Ok(resolution) = values.resolve(&template) {
            let target = resolution.target().as_str();
            for base in ["https://api.example.test/v1/", "https://api.example.test:8443", "http://[::1]/x"] {
                let base = Url::parse(base).expect("a base");
                let joined = base.join(target).expect("a URL");
                prop_assert_eq!(joined.origin(), base.origin());
                prop_assert_eq!((joined.username(), joined.password()), ("", None));
                prop_assert_eq!(joined.fragment(), None);
                let segments = joined.path_segments().map_or(0, Iterator::count);
                prop_assert_eq!(segments, template.segments.len());

                let appended = format!("{}{target}", base.as_str().trim_end_matches('/'));
                let appended = Url::parse(&appended).expect("a URL");
                prop_assert_eq!(appended.origin(), base.origin());
                prop_assert!(appended.path().ends_with(joined.path()));
            }
        }
    }

    #[test]
    fn a_resolved_query_has_the_templates_pairs(template in template(), values in values()) {
        if let Ok(resolution) = values.resolve(&template) {
            let query = resolution.target().as_str().split_once('?').map_or("", |(_, query)| query);
            let seen: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
            let said = |atoms: &[Atom]| {
                decoded(&atoms.iter().map(|atom| values.of(atom)).collect::<String>())
            };
            let meant: Vec<(String, String)> =
                template.pairs.iter().map(|(key, value)| (said(key), said(value))).collect();
            prop_assert_eq!(seen, meant);
        }
    }

    #[test]
    fn a_resolved_target_passes_the_check_of_composed_targets(
        template in template(), values in values(),
    ) {
        if let Ok(resolution) = values.resolve(&template) {
            let path = resolution.target().as_path();
            prop_assert_eq!(ResolvedPath::from_checked(path.as_str()), Ok(path));
        }
    }

    #[test]
    fn what_passes_alone_and_composed_is_resolved(template in template(), values in values()) {
        // Everything that the rules of single values and of composed targets let pass, but for
        // what only the author can tell apart: braces and dots before a `;`.
        let is_in_path = |wanted: &Atom| {
            template.segments.iter().flatten().any(|atom| values.of(atom) == values.of(wanted))
        };
        let each_passes = template.atoms().all(|atom| {
            let text = values.of(atom);
            let floor = if is_in_path(atom) { floor_of(&text, false) } else { "ok" };
            matches!(atom, Atom::Literal(_))
                || (floor == "ok" && floor_of(&text.replace(|c: char| !c.is_ascii(), "x"), false) == "ok")
        });
        let braced = template.atoms().any(|atom| decoded(&values.of(atom)).contains(['{', '}']));
        let path = plain_path(&template, &values);
        if each_passes && !braced && !path.contains(';') && target_is_fine(&path) {
            prop_assert!(values.resolve(&template).is_ok(), "{:?}", values.resolve(&template));
        }
    }

    #[test]
    fn consumed_keys_leave_the_body_and_no_other_does(template in template(), values in values()) {
        if let Ok(resolution) = values.resolve(&template) {
            let mut left = values.keys.clone();
            for atom in template.atoms() {
                if let Atom::Key(name) = atom {
                    left.remove(*name);
                }
            }
            prop_assert_eq!(resolution.body(), Some(&Value::Object(left)));
        }
    }

    #[test]
    fn a_refusal_holds_no_value(template in template(), canary in "[a-z0-9]{16}", spoiler in hostile()) {
        let keys = ["a", "b", "key three"].map(|key| (key.to_owned(), json!(format!("{canary}{spoiler}"))));
        let values = Values {
            keys: Map::from_iter(keys),
            variables: json!({"v": format!("{spoiler}{canary}"), "w": canary}),
        };
        if let Err(refusal) = values.resolve(&template) {
            let spoken = format!("{refusal} {refusal:?}");
            for start in 0..=10 {
                prop_assert!(!spoken.contains(&canary[start..start + 6]), "{}", spoken);
            }
        }
    }
}
