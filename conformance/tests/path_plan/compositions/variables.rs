//! PATH-20 and 24: what `${var}` contributes.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};
use serde_json::{Value, json};

use super::draft::{CompositionDrafts, bare, case};
use crate::path_plan::drafts::group;
use crate::path_plan::oracle::value::{CAP, Declared};

/// A field of the body that must stay there.
const CANARY: &str = "c4n4ry0000000000";

const PLACES: [&str; 5] = [
    "/p/${v}",
    "/p/x${v}y",
    "/p/${v}/{a}",
    "/p?k=${v}",
    "/p?${v}=k",
];

fn filled(template: &str, value: &Value) -> crate::path_plan::oracle::composition::Case {
    case(template, json!({"a": "7"})).variables(json!({ "v": value }))
}

pub fn write(drafts: &mut CompositionDrafts) {
    let rows: [(&'static str, &[&str]); 5] = [
        ("an empty variable is refused wherever it stands", &[""]),
        (
            "a separator in a variable is refused wherever it stands",
            &["a/b", "a?b", "a#b", "a\\b", "a\nb"],
        ),
        (
            "an escaped separator in a variable is refused wherever it stands",
            &["a%2Fb", "a%3f", "%00", "%5C"],
        ),
        (
            "a bad escape in a variable is refused wherever it stands",
            &["%25", "a%zz", "100%"],
        ),
        (
            "a step in a variable is refused wherever it stands",
            &["..", ".", "%2e%2e", "a..b"],
        ),
    ];
    for (reason, values) in rows {
        for value in values {
            for place in PLACES {
                drafts.add_with(
                    group(20, Refuse, reason),
                    filled(place, &json!(value)),
                    filled(place, &json!("ab")),
                );
            }
        }
    }
    lengths(drafts);
    rules_of_keys(drafts);
    renderings(drafts);
    whole(drafts);
    braces(drafts);
    braces_of_authors(drafts);
}

fn lengths(drafts: &mut CompositionDrafts) {
    let cap = group(
        20,
        Refuse,
        "a variable of 257 code points is refused wherever it stands",
    );
    let fits = group(20, Accept, "a variable of 256 code points is sent");
    for place in [PLACES[0], PLACES[3]] {
        for unit in ["a", "é", "😀"] {
            let at_cap = filled(place, &json!(unit.repeat(CAP)));
            drafts.add(fits, at_cap.clone());
            drafts.add_with(cap, filled(place, &json!(unit.repeat(CAP + 1))), at_cap);
        }
    }
}

fn rules_of_keys(drafts: &mut CompositionDrafts) {
    let rules = group(
        20,
        Refuse,
        "what is declared for a key of the same name lifts nothing for a variable",
    );
    for (place, value) in [
        ("/p/${v}/{a}", "a/b"),
        ("/p/{v}/${v}", "a/b"),
        ("/p?k=${v}&l={v}", "a/b"),
    ] {
        let filled = |value: &str| {
            case(place, json!({"a": "7", "v": "x"}))
                .variables(json!({ "v": value }))
                .declared("v", Declared::slash())
        };
        drafts.add_with(rules, filled(value), filled("ab"));
    }
}

fn renderings(drafts: &mut CompositionDrafts) {
    let scalars = group(20, Accept, "a variable renders as an argument does");
    let containers = group(20, Refuse, "a variable that is no scalar is refused");
    for place in ["/p/${v}", "/p?k=${v}"] {
        for value in [json!("x"), json!(5), json!(-1.5), json!(true), json!("é")] {
            drafts.add(scalars, filled(place, &value));
        }
        for value in [json!([]), json!(["x"]), json!({}), json!({"k": 1})] {
            drafts.add_with(
                containers,
                filled(place, &value),
                filled(place, &json!("ab")),
            );
        }
    }
}

fn whole(drafts: &mut CompositionDrafts) {
    let origin = group(
        20,
        Refuse,
        "a variable that is the path's beginning may name an origin",
    );
    for (template, value) in [
        ("${v}", "x"),
        ("${v}/x", "x"),
        ("${v}", "http:evil.example.test"),
        ("${v}/x", "@evil.example.test"),
        ("${v}x", ":8443"),
        ("${v}", "/x"),
        ("${v}/x", "//evil.example.test"),
        ("/${v}", "/evil.example.test"),
        ("/${v}/x", "\\evil.example.test"),
    ] {
        drafts.add_with(
            origin,
            filled(template, &json!(value)),
            filled("/${v}", &json!("x")),
        );
    }
}

fn braces(drafts: &mut CompositionDrafts) {
    let taken = group(
        24,
        Either,
        "braces in a variable are refused or encoded, and take no key from the body",
    );
    for template in [
        "/items/${v}",
        "/items/x${v}y",
        "/items?k=${v}",
        "/${v}/x",
        "/items/${v}/{id}",
    ] {
        for value in ["{secret}", "x{secret}", "{", "}", "{id}"] {
            let case = case(template, json!({"secret": CANARY, "id": "7", "other": 1}));
            drafts.add(taken, case.variables(json!({ "v": value })).method("POST"));
        }
    }
    let escaped = group(
        24,
        Either,
        "escaped braces in a variable are refused or sent as text",
    );
    for value in ["%7Bsecret%7D", "%7bsecret%7d", "x%7B"] {
        let case = case("/items/${v}", json!({"secret": CANARY, "other": 1}));
        drafts.add(
            escaped,
            case.variables(json!({ "v": value })).method("POST"),
        );
    }
}

fn braces_of_authors(drafts: &mut CompositionDrafts) {
    let control = group(
        24,
        Accept,
        "a key that the author named is taken, and one that nobody named stays",
    );
    for (template, value) in [
        ("/items/${v}", "plain"),
        ("/items/{secret}", "plain"),
        ("/items/${v}/{secret}", "plain"),
        ("/items/${v}", "secret"),
        ("/items?k=${v}", "secret"),
    ] {
        let case = case(template, json!({"secret": CANARY, "other": 1}));
        drafts.add(
            control,
            case.variables(json!({ "v": value })).method("POST"),
        );
    }
    let around = group(
        24,
        Refuse,
        "braces of the author's around a variable make no placeholder",
    );
    for template in [
        "/items/{${v}}",
        "/items/${{v}}",
        "/items/{${v}",
        "/items/{x${v}}",
        "/items?k={${v}}",
    ] {
        let filled = |template: &str| {
            case(template, json!({"secret": CANARY})).variables(json!({"v": "secret"}))
        };
        drafts.add_with(around, filled(template), filled("/items/${v}"));
    }
    let value = group(
        24,
        Either,
        "an argument that reads like a variable is refused or encoded",
    );
    for text in ["${v}", "x${v}y", "$v", "${"] {
        let group = match text {
            "$v" => group_of_plain(),
            _ => value,
        };
        drafts.add(
            group,
            case("/items/{id}", json!({ "id": text })).variables(json!({"v": CANARY})),
        );
    }
    drafts.add(
        control,
        bare("/items/${v}").variables(json!({"v": "plain"})),
    );
}

fn group_of_plain() -> crate::path_plan::drafts::Group {
    group(24, Accept, "a dollar sign alone is only text")
}
