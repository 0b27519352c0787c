//! PATH-01 to 05, 13, 15 and 22: refused values in whole templates.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};
use serde_json::json;

use super::draft::{CompositionDrafts, bare, case};
use crate::path_plan::drafts::{Group, group};
use crate::path_plan::oracle::patterns::{BROKEN, DIGITS};
use crate::path_plan::oracle::value::{CAP, Declared};

const PATH: [&str; 3] = ["/p/{a}", "/p/{a}/x", "/p/x-{a}.json"];
/// A part of refused values, which no refusal may hold.
const CANARY: &str = "q7x2m9k4w1z8v5t3";

const QUERY: [&str; 2] = ["/p?k={a}", "/p?k={a}&z=1"];

pub fn write(drafts: &mut CompositionDrafts) {
    let empty = group(
        1,
        Refuse,
        "an empty argument makes the item's call one of the collection",
    );
    let templates = [
        "/{a}",
        "/items/{a}",
        "/items/{a}/x",
        "/x{a}",
        "/items/{a}?k=1",
        "/{a}/items",
        "/x/{a}-{b}",
        "/x/{b}{a}",
    ];
    for template in templates {
        let twin = case(template, json!({"a": "7", "b": "8"}));
        drafts.add_with(
            empty.field(64),
            case(template, json!({"a": "", "b": "8"})).method("DELETE"),
            twin.method("DELETE"),
        );
    }
    let empty_pair = group(
        1,
        Refuse,
        "an empty argument is refused in the query half as well",
    );
    for template in ["/p?k={a}", "/p?{a}=1", "/p?k=x{a}", "/p?z=1&k={a}"] {
        drafts.add_with(
            empty_pair,
            case(template, json!({"a": ""})),
            case(template, json!({"a": "7"})),
        );
    }
    in_both_halves(drafts);
    lengths(drafts);
    half_done(drafts);
    told(drafts);
    look_alikes(drafts);
}

fn in_both_halves(drafts: &mut CompositionDrafts) {
    let rows: [(u8, &'static str, &'static str, &[&str]); 4] = [
        (
            2,
            "a separator in an argument of the path half",
            "a separator in an argument of the query half",
            &["a/b", "a?b", "a#b", "a\\b", "a\tb", "a\0b", "../x"],
        ),
        (
            3,
            "an escaped separator in an argument of the path half",
            "an escaped separator in an argument of the query half",
            &["a%2Fb", "a%3fb", "a%23b", "a%5Cb", "a%0d%0ab", "a%00b"],
        ),
        (
            3,
            "a bad escape in an argument of the path half",
            "a bad escape in an argument of the query half",
            &["a%25b", "%252F", "a%zzb", "a%", "%2", "%u002e"],
        ),
        (
            4,
            "a step in an argument of the path half",
            "a step in an argument of the query half",
            &["..", ".", "%2e%2E", ".%2e", "a..b", "%2e"],
        ),
    ];
    for (number, in_path, in_query, values) in rows {
        for value in values {
            everywhere(drafts, group(number, Refuse, in_path), &PATH, value);
            everywhere(drafts, group(number, Refuse, in_query), &QUERY, value);
        }
    }
}

fn everywhere(drafts: &mut CompositionDrafts, group: Group, templates: &[&str], value: &str) {
    for template in templates {
        drafts.add_with(
            group,
            case(template, json!({ "a": value })),
            case(template, json!({"a": "ab"})),
        );
    }
}

fn lengths(drafts: &mut CompositionDrafts) {
    let fits = group(5, Accept, "an argument of 256 code points is sent");
    let over = group(5, Refuse, "an argument of 257 code points is refused");
    for (template, unit) in [
        ("/p/{a}", "a"),
        ("/p/{a}", "é"),
        ("/p?k={a}", "a"),
        ("/p?k={a}", "日"),
        ("/p/{a}/x", "7"),
        ("/p?{a}=1", "a"),
    ] {
        let filled = |count: usize| case(template, json!({ "a": unit.repeat(count) }));
        drafts.add(fits, filled(CAP));
        drafts.add_with(over, filled(CAP + 1), filled(CAP));
    }
}

fn half_done(drafts: &mut CompositionDrafts) {
    let refused = group(
        13,
        Refuse,
        "one refused value of three leaves nothing half done",
    );
    let template = "/v1/{a}/{b}?k={c}";
    let filled = |at: &str, value: &str| {
        let mut arguments = json!({"a": "one", "b": "two", "c": "three", "left": true});
        arguments[at] = json!(value);
        case(template, arguments).method("POST")
    };
    for at in ["a", "b", "c"] {
        for value in ["", "..", "a/b", "%25", "x\ny", "%2F"] {
            drafts
                .add_with(refused, filled(at, value), filled("a", "one"))
                .names = Some(at.to_owned());
        }
    }
    let missing = group(
        13,
        Refuse,
        "one missing value of three leaves nothing half done",
    );
    for at in ["a", "b", "c"] {
        let mut arguments = json!({"a": "one", "b": "two", "c": "three", "left": true});
        arguments.as_object_mut().unwrap().remove(at);
        let case = case(template, arguments).method("POST");
        drafts.add_with(missing, case, filled("a", "one")).names = Some(at.to_owned());
    }
}

/// Refused values with a canary in them, and what is declared for them.
fn told(drafts: &mut CompositionDrafts) {
    let refused = group(
        15,
        Refuse,
        "a refusal names the parameter and holds no part of the value",
    );
    let values = [
        format!("{CANARY}/"),
        format!("/{CANARY}"),
        format!("a?{CANARY}"),
        format!("{CANARY}\n"),
        format!("{CANARY}..x"),
        format!("%2e%2e{CANARY}"),
        format!("{CANARY}%25"),
        format!("{CANARY}%zz"),
        format!("{CANARY}{}", "a".repeat(CAP)),
        format!("{CANARY}\0"),
        format!("x\\{CANARY}"),
    ];
    for value in values {
        let twin = case("/p/{version}", json!({"version": CANARY}));
        let vector = drafts.add_with(
            refused,
            case("/p/{version}", json!({"version": value})),
            twin,
        );
        vector.names = Some("version".to_owned());
        vector.hides = Some(CANARY.to_owned());
    }
    told_by_rules(drafts);
    told_of_missing(drafts);
}

fn told_by_rules(drafts: &mut CompositionDrafts) {
    let declared = group(
        15,
        Refuse,
        "a refusal by what is declared holds no part of the value",
    );
    for (declared_rules, twin) in [
        (Declared::pattern(DIGITS), "7"),
        (Declared::max_length(3), "7"),
        (
            Declared {
                max_length: Some(3),
                ..Declared::pattern(DIGITS)
            },
            "7",
        ),
        (
            Declared {
                allow_slash: true,
                ..Declared::pattern(DIGITS)
            },
            "7",
        ),
    ] {
        let filled = |value: &str| {
            case("/p/{version}", json!({"version": value})).declared("version", declared_rules)
        };
        let vector = drafts.add_with(declared, filled(CANARY), filled(twin));
        vector.names = Some("version".to_owned());
        vector.hides = Some(CANARY.to_owned());
    }
    let broken = case("/p/{version}", json!({"version": CANARY}))
        .declared("version", Declared::pattern(BROKEN[0]));
    let vector = drafts.add_with(
        declared,
        broken,
        case("/p/{version}", json!({"version": CANARY})),
    );
    vector.names = Some("version".to_owned());
    vector.hides = Some(CANARY.to_owned());
}

fn told_of_missing(drafts: &mut CompositionDrafts) {
    let missing = group(
        15,
        Refuse,
        "a refusal of what is missing or no scalar names it",
    );
    for arguments in [
        json!({"other": CANARY}),
        json!({"version": [CANARY]}),
        json!({"version": {"k": CANARY}}),
    ] {
        let twin = case("/p/{version}", json!({"version": CANARY}));
        let vector = drafts.add_with(missing, case("/p/{version}", arguments), twin);
        vector.names = Some("version".to_owned());
        vector.hides = Some(CANARY.to_owned());
    }
    drafts
        .add_with(
            missing,
            bare("/p/{version}"),
            case("/p/{version}", json!({"version": CANARY})),
        )
        .names = Some("version".to_owned());
}

fn look_alikes(drafts: &mut CompositionDrafts) {
    let folded = group(22, Refuse, "a look-alike in an argument of the path half");
    for value in [
        "．．",
        "a／b",
        "‥",
        "%c0%ae%c0%ae",
        "%EF%BC%8F",
        "．",
        "…",
        "a？b",
    ] {
        drafts.add_with(
            folded.field(67),
            case("/p/{a}/x", json!({ "a": value })),
            case("/p/{a}/x", json!({"a": "ｆｕｌｌ"})),
        );
    }
    let text = group(
        22,
        Either,
        "a look-alike in the query half may be refused, or is only text",
    );
    for value in ["．．", "a／b", "‥", "．", "a？b＃c", "％"] {
        drafts.add(text, case("/p?k={a}", json!({ "a": value })));
    }
}
