//! Generated calls: both sides agree, or a stated difference explains why not; and what the toolkit
//! shows is what it sends.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::case::{Argument, Base, Case, Place};
use crate::desk;
use crate::differences::agree;
use crate::seen::Seen;

const PIECES: &[&str] = &[
    "a", "b", "Z", "0", "7", "é", "日", " ", "&", "=", "+", ";", ",", "%41", "%26", "%20",
    "%C3%A9", "%", "%2e", ".", "..", "/", "\\", "?", "#", ":", "@", "$", "~", "-", "_", "'", "\"",
    "<", "|", "^", "[", "{", "}", "{p}", "\t", "\n", "\u{7f}", "\u{FF0E}", "%c0%ae",
];

fn text() -> impl Strategy<Value = String> {
    let plain = "[a-z0-9]{1,4}";
    let odd = prop::collection::vec(prop::sample::select(PIECES), 0..4);
    prop_oneof![3 => plain, 2 => odd.prop_map(|pieces| pieces.concat())]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => text().prop_map(Value::String),
        1 => any::<i64>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => scalar(),
        1 => prop::collection::vec(scalar(), 0..3).prop_map(Value::Array),
        1 => text().prop_map(|text| json!({ "a": text })),
        1 => text().prop_map(|text| json!([[text]])),
    ]
}

fn base() -> impl Strategy<Value = Base> {
    let of = |userinfo, path| Just(Base { userinfo, path });
    prop_oneof![
        8 => Just(Base::PLAIN),
        1 => of("", "/"),
        3 => of("", "/v1"),
        1 => of("", "/v1/"),
        1 => of("", "/v%31/é"),
        1 => of("", "/a/../b"),
        1 => of("u:p@", ""),
        1 => of("", "?x=1"),
        1 => of("", "/v1#f"),
    ]
}

fn method() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => Just("GET"),
        4 => Just("POST"),
        4 => prop::sample::select(&["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"][..]),
        1 => prop::sample::select(&["get", "Post", "TRACE", "po\u{17F}t"][..]),
    ]
}

fn template() -> impl Strategy<Value = String> {
    let paths = &[
        "/",
        "/a",
        "/a/b",
        "/{p}",
        "/a/{p}",
        "/{p}/{q}",
        "/{p}.{q}",
        "/x{p}y/{p}",
        "/é",
        "/a b",
        "/%41",
        "/a:b",
        "/a;b",
        "a",
        "/a//b",
        "/a/",
    ][..];
    let queries = &[
        "",
        "",
        "",
        "?k=1",
        "?k={q}",
        "?k={q}&l={p}",
        "?k=a+b;c",
        "?{q}",
        "?k=é",
    ][..];
    (prop::sample::select(paths), prop::sample::select(queries))
        .prop_map(|(path, query)| format!("{path}{query}"))
}

fn arguments_beside() -> impl Strategy<Value = Vec<Argument>> {
    let names: &[(&'static str, Place)] = &[
        ("k", Place::Query),
        ("l", Place::Query),
        ("a b", Place::Query),
        ("&é", Place::Query),
        ("n", Place::Body),
        ("o", Place::Body),
        ("body", Place::Body),
        ("x-tenant", Place::HeaderPastPolicy),
        ("accept-language", Place::HeaderPastPolicy),
        ("x-seen", Place::Header),
        ("cookie", Place::HeaderPastPolicy),
        ("z", Place::Nowhere),
    ];
    let weight = |place| match place {
        Place::Query | Place::Body | Place::Path => 0.3,
        Place::HeaderPastPolicy => 0.1,
        Place::Header | Place::Nowhere => 0.03,
    };
    let each = names.iter().map(|&(name, place)| {
        let value = prop::option::weighted(0.8, json_value());
        prop::option::weighted(weight(place), value)
            .prop_map(move |value| value.map(|value| Argument { name, place, value }))
            .boxed()
    });
    each.collect::<Vec<_>>()
        .prop_map(|arguments| arguments.into_iter().flatten().collect())
}

fn curated_case() -> impl Strategy<Value = Case> {
    let in_path = (scalar(), scalar(), prop::bool::weighted(0.95));
    (base(), method(), template(), in_path, arguments_beside()).prop_map(
        |(base, method, path, (p, q, is_given), beside)| {
            let mut arguments = Vec::new();
            for (name, value) in [("p", p), ("q", q)] {
                if path.contains(&format!("{{{name}}}")) {
                    arguments.push(Argument {
                        name,
                        place: Place::Path,
                        value: Some(value).filter(|_| is_given),
                    });
                }
            }
            let taken: BTreeSet<_> = arguments.iter().map(|argument| argument.name).collect();
            arguments.extend(beside.into_iter().filter(|a| !taken.contains(a.name)));
            let case = Case::curated(method, &path, &arguments);
            Case { base, ..case }
        },
    )
}

fn target() -> impl Strategy<Value = String> {
    let piece = prop_oneof![3 => "/[a-z0-9]{1,3}", 1 => text(), 1 => Just("/".to_owned())];
    let path = prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat());
    let query =
        prop_oneof![3 => Just(String::new()), 1 => text().prop_map(|text| format!("?k={text}"))];
    (prop::bool::weighted(0.95), path, query).prop_map(|(rooted, path, query)| {
        let root = if rooted { "/" } else { "" };
        format!("{root}{path}{query}")
    })
}

fn script_case() -> impl Strategy<Value = Case> {
    let keys = prop::sample::select(&["k", "l", "a b", "&é", "\t"][..]).prop_map(str::to_owned);
    let fields = prop::collection::btree_map(keys, json_value(), 0..4);
    let body = prop_oneof![
        6 => fields.prop_map(|fields| Some(Value::Object(fields.into_iter().collect()))),
        1 => json_value().prop_map(Some),
        1 => Just(None),
    ];
    (base(), method(), target(), body).prop_map(|(base, method, path, body)| {
        let case = Case::script(method, &path, body);
        Case { base, ..case }
    })
}

fn agree_or_explained(case: &Case) -> Result<(), TestCaseError> {
    let (ours, peer) = (desk::ours(case), desk::peer(case));
    prop_assert!(
        agree(case, &ours, &peer),
        "unexplained:\n ours {ours}\n peer {peer}"
    );
    shows_what_it_sends(&ours)
}

/// The policy is asked about what is sent, and about nothing else; headers it is not shown.
fn shows_what_it_sends(ours: &Seen) -> Result<(), TestCaseError> {
    let mut sent = ours.sent.clone();
    sent.iter_mut().for_each(|request| request.headers.clear());
    prop_assert_eq!(&ours.shown, &sent);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_make_a_curated_call_alike(case in curated_case()) {
        agree_or_explained(&case)?;
    }

    #[test]
    fn both_sides_make_a_call_of_a_script_alike(case in script_case()) {
        agree_or_explained(&case)?;
    }
}

/// Few, for each is two exchanges; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(400)
}
