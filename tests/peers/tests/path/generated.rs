//! Generated inputs: both sides agree, or a stated difference explains why not.

use std::borrow::Cow;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::case::{Case, Part};
use crate::differences::explanation;

/// Patterns of every construct that path parameters declare, and of some that none should.
pub const PATTERNS: &[&str] = &[
    "",
    "^.*$",
    "[0-9]",
    r"^\d+$",
    r"^\D+$",
    r"^\w+$",
    r"^\W$",
    r"^\s$",
    r"^\S+$",
    r"^[\s\S]*$",
    r"^[^\d]+$",
    r"^[\D]+$",
    "^C[0-9]+$",
    r"^\p{L}+$",
    "^[a-z0-9.-]{1,4}$",
    "^(?!x).*$",
    "(?<=a)b",
    r"^(?=.)\d$",
    r"^(?=.)\w+$",
    r"\ba",
    r"a\b",
    r"^\B",
    "^(?<name>a)$",
    "^(?:a|aa)+$",
    "^a$|^b$",
    r"^\/",
    r"^\-",
    r"^\x61\u00e9",
    r"^\u{61}$",
    r"^\cA$",
    r"^[\w.-]+$",
    r"^[\w-.]+$",
    "^[^]$",
    "[]",
    r"^(a)\1$",
    "(?i)^A$",
    "^(?i:A)$",
    r"\Aa\z",
    "^[[:alpha:]]+$",
    "^[a&&b]+$",
    "^(?>a)$",
    "^a++$",
    "^a{,2}$",
    "a{2,1}",
    "^{a}$",
    "^]$",
    "^[A-Z",
    "(",
    "*",
    r"\",
];

const PIECES: &[&str] = &[
    ".",
    "..",
    "/",
    "//",
    "\\",
    "?",
    "#",
    "%",
    "%25",
    "%2e",
    "%2E",
    "%2f",
    "%5C",
    "%3f",
    "%23",
    "%00",
    "%7F",
    "%7b",
    "%41",
    "%20",
    "%26",
    "%c0%ae",
    "%C0%AF",
    "%e0%80",
    "%ae",
    "%e2%80",
    "%a5",
    "%80",
    "%C3%A9",
    "．",
    "／",
    "‥",
    "…",
    "＃",
    "&",
    "=",
    "+",
    ";",
    ".;",
    " ",
    ":",
    "@",
    "-",
    "_",
    "{",
    "}",
    "{a}",
    "{b}",
    "{a",
    "$",
    "\t",
    "\n",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2003}",
    "\u{2028}",
    "é",
    "٣",
    "日",
    "\u{1F600}",
    "a",
    "b",
    "A",
    "x",
    "0",
    "aa",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-zA-Z0-9]{1,3}".prop_map(Cow::Owned),
        6 => prop::sample::select(PIECES).prop_map(Cow::Borrowed),
        1 => any::<char>().prop_map(|c| Cow::Owned(c.to_string())),
    ];
    let short = prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    let long = ("[aé]", 80..300_usize).prop_map(|(unit, count)| unit.repeat(count));
    prop_oneof![12 => short, 1 => long]
}

fn value_case() -> impl Strategy<Value = Case> {
    let pattern = prop::option::of(prop::sample::select(PATTERNS));
    let max_length = prop::option::of(prop::sample::select(&[0_usize, 1, 4, 256, 512][..]));
    (text(), pattern, max_length, any::<bool>()).prop_map(
        |(value, pattern, max_length, allow_slash)| Case::Value {
            value,
            pattern,
            max_length,
            allow_slash,
        },
    )
}

fn target_case() -> impl Strategy<Value = Case> {
    let start = prop::sample::select(&["/", "/", "/", "/s/", "", "//", "http:", "@"][..]);
    let segments = prop::collection::vec(text(), 0..4);
    let query = prop::option::of(text());
    (start, segments, query).prop_map(|(start, segments, query)| {
        let query = query.map_or_else(String::new, |query| format!("?{query}"));
        Case::Target(format!("{start}{}{query}", segments.join("/")))
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => text().prop_map(Value::String),
        1 => any::<i64>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        1 => text().prop_map(|text| json!([text])),
        1 => text().prop_map(|text| json!({ "a": text })),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let literals = &[
        "/",
        "/p",
        "/p/",
        "/{a}",
        "{a}",
        "{b}",
        "/x{a}y",
        "{{b}}",
        "{ab}",
        "/${a}",
        "?k=",
        "?",
        "&z=",
        "=",
        "{",
        "}",
        "//",
        "/.",
        "..",
        "/%41",
        "%2",
        "{}",
        "{a/b}",
        "?next=https://x.test/",
    ][..];
    prop_oneof![
        6 => prop::sample::select(literals).prop_map(|text| Part::Literal(text.to_owned())),
        1 => text().prop_map(Part::Literal),
        3 => prop::sample::select(&["v", "w", "undefined"][..]).prop_map(Part::Variable),
    ]
}

fn call_case() -> impl Strategy<Value = Case> {
    let rooted = prop::bool::weighted(0.8);
    let parts = prop::collection::vec(part(), 0..5);
    let fields = prop::collection::btree_map(
        prop::sample::select(&["a", "b", "ab", "", "a/b", "{a}", "other"][..]),
        json_value(),
        0..5,
    );
    let body = prop_oneof![
        8 => fields.prop_map(|fields| {
            let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
            Some(Value::Object(fields.collect()))
        }),
        1 => Just(None),
        1 => json_value().prop_map(Some),
    ];
    (rooted, parts, json_value(), json_value(), body).prop_map(|(rooted, parts, v, w, body)| {
        let root = rooted.then(|| Part::Literal("/r".to_owned()));
        Case::Call {
            parts: root.into_iter().chain(parts).collect(),
            variables: Map::from_iter([("v".to_owned(), v), ("w".to_owned(), w)]),
            body,
        }
    })
}

fn agree_or_explained(case: &Case) -> Result<(), TestCaseError> {
    let (ours, peer) = (case.ours(), case.peer());
    prop_assert!(
        ours == peer || explanation(case, &ours, &peer).is_some(),
        "unexplained: ours says {ours}, the peer says {peer}"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8_000, max_shrink_iters: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_judge_a_value_alike(case in value_case()) {
        agree_or_explained(&case)?;
    }

    #[test]
    fn both_sides_judge_a_target_alike(case in target_case()) {
        agree_or_explained(&case)?;
    }

    #[test]
    fn both_sides_resolve_a_call_alike(case in call_case()) {
        agree_or_explained(&case)?;
    }
}
