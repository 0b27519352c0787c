//! PATH-06 to 09, 16, 17 and 26: rules, and where they are looked up.

use proofmark_conformance::vectors::path::Answer::{Accept, Refuse};
use serde_json::json;

use super::draft::{CompositionDrafts, case};
use crate::path_plan::drafts::group;
use crate::path_plan::oracle::patterns::{BROKEN, CODE, DIGITS, EVERYTHING, LOWER};
use crate::path_plan::oracle::value::Declared;

pub fn write(drafts: &mut CompositionDrafts) {
    narrowed(drafts);
    slash(drafts);
    methods(drafts);
    between(drafts);
    misses(drafts);
}

fn narrowed(drafts: &mut CompositionDrafts) {
    let pattern = group(
        6,
        Refuse,
        "a declared pattern is asked wherever its parameter stands",
    );
    for template in [
        "/p/{a}",
        "/p/x{a}/y",
        "/p?k={a}",
        "/p?{a}=1",
        "/p/{a}/{b}",
        "/p/{b}?k={a}",
    ] {
        let filled = |value: &str| {
            case(template, json!({"a": value, "b": "x"})).declared("a", Declared::pattern(CODE))
        };
        drafts.add_with(pattern, filled("X7"), filled("C7"));
    }
    let lifted = group(
        6,
        Refuse,
        "a pattern of everything lifts nothing in a template",
    );
    for (template, value) in [
        ("/p/{a}", "a/b"),
        ("/p/{a}", ".."),
        ("/p/{a}/x", "%2f"),
        ("/p?k={a}", "a#b"),
        ("/p?k={a}", "%25"),
        ("/p/x{a}", "?"),
    ] {
        for pattern in [EVERYTHING[0], EVERYTHING[2]] {
            let filled = |value: &str| {
                case(template, json!({ "a": value })).declared("a", Declared::pattern(pattern))
            };
            drafts.add_with(lifted, filled(value), filled("ab"));
        }
    }
    lengths(drafts);
    broken(drafts);
}

fn lengths(drafts: &mut CompositionDrafts) {
    let length = group(
        7,
        Refuse,
        "a declared length is kept wherever its parameter stands",
    );
    for template in ["/p/{a}", "/p/x{a}/y", "/p?k={a}", "/p/{a}/{b}"] {
        let filled = |value: &str| {
            case(template, json!({"a": value, "b": "x"})).declared("a", Declared::max_length(3))
        };
        drafts.add_with(length, filled("abcd"), filled("abc"));
        drafts.add_with(length, filled("éééé"), filled("ééé"));
    }
    let number = group(7, Refuse, "a number is measured by its text");
    for (value, twin) in [
        (json!(1234), json!(123)),
        (json!(-123), json!(-12)),
        (json!(false), json!("fal")),
    ] {
        let filled = |value: &serde_json::Value| {
            case("/p/{a}", json!({ "a": value })).declared("a", Declared::max_length(3))
        };
        drafts.add_with(number, filled(&value), filled(&twin));
    }
}

fn broken(drafts: &mut CompositionDrafts) {
    let broken = group(
        8,
        Refuse,
        "a broken pattern refuses wherever its parameter stands",
    );
    for (template, pattern) in [
        "/p/{a}",
        "/p?k={a}",
        "/p/x{a}/y",
        "/p/{b}/{a}",
        "/p/{a}?k={b}",
    ]
    .into_iter()
    .zip(BROKEN)
    {
        let filled = |pattern| {
            case(template, json!({"a": "abc", "b": "x"})).declared("a", Declared::pattern(pattern))
        };
        drafts.add_with(broken, filled(pattern), filled(EVERYTHING[0]));
    }
}

fn slash(drafts: &mut CompositionDrafts) {
    let filled = |template: &str, value: &str| {
        case(template, json!({ "a": value })).declared("a", Declared::slash())
    };
    let allowed = group(9, Accept, "an allowed slash makes segments of its own");
    for (template, value) in [
        ("/f/{a}", "a/b"),
        ("/f/{a}", "docs/2024/r.pdf"),
        ("/f/{a}/x", "a/b"),
        ("/f/x{a}y", "a/b"),
        ("/{a}", "a/b/c"),
    ] {
        drafts.add(allowed, filled(template, value));
    }
    let edges = group(
        9,
        Refuse,
        "an allowed slash that leaves a segment empty is refused",
    );
    for (template, value) in [
        ("/f/{a}", "/x"),
        ("/f/{a}", "x/"),
        ("/f/{a}", "x//y"),
        ("/f/{a}", "/"),
        ("/f/{a}/x", "x/"),
        ("/f/{a}/x", "/y"),
        ("/f/{a}?k=1", "x/"),
        ("/f/x{a}", "//y"),
        ("/{a}", "/evil.example.test"),
        ("/{a}/x", "/evil.example.test"),
    ] {
        drafts.add_with(edges, filled(template, value), filled(template, "x/y"));
    }
    let steps = group(9, Refuse, "an allowed slash lets no dot segment in");
    for (template, value) in [
        ("/f/{a}", "x/./y"),
        ("/f/{a}", "./x"),
        ("/f/{a}", "x/."),
        ("/f/{a}", "x/../y"),
        ("/f/{a}", "../x"),
        ("/f/{a}", "x/%2e/y"),
        ("/f/.{a}", "/x"),
        ("/f/{a}.", "x/"),
    ] {
        drafts.add_with(steps, filled(template, value), filled(template, "x/y"));
    }
    one_slash(drafts);
}

fn one_slash(drafts: &mut CompositionDrafts) {
    let others = group(
        9,
        Refuse,
        "a slash allowed to one parameter is not allowed to another",
    );
    for (template, arguments) in [
        ("/f/{a}/{b}", json!({"a": "x/y", "b": "x/y"})),
        ("/f/{a}/{b}", json!({"a": "x", "b": "x/y"})),
        ("/f/{a}?k={b}", json!({"a": "x", "b": "x/y"})),
        ("/f/{b}/{a}", json!({"a": "x/y", "b": "%2F"})),
    ] {
        let filled = |arguments| case(template, arguments).declared("a", Declared::slash());
        drafts.add_with(
            others,
            filled(arguments),
            filled(json!({"a": "x/y", "b": "x"})),
        );
    }
}

fn methods(drafts: &mut CompositionDrafts) {
    let refused = group(
        16,
        Refuse,
        "the rules of this method refuse, whatever those of another say",
    );
    let accepted = group(
        16,
        Accept,
        "the rules of another method on the same path do not matter",
    );
    for template in ["/things/{id}", "/things/{id}/x", "/things?id={id}"] {
        for (first, second) in [("GET", "DELETE"), ("DELETE", "GET"), ("PUT", "POST")] {
            let filled = |method: &'static str, value: &str| {
                case(template, json!({ "id": value }))
                    .method(method)
                    .declared_for(first, template, "id", Declared::pattern(LOWER))
                    .declared_for(second, template, "id", Declared::pattern(DIGITS))
            };
            drafts.add_with(refused, filled(first, "77"), filled(first, "abc"));
            drafts.add_with(refused, filled(second, "abc"), filled(second, "77"));
        }
        for method in ["GET", "PATCH", "POST"] {
            let filled = |value: &str| {
                case(template, json!({ "id": value }))
                    .method(method)
                    .declared_for("DELETE", template, "id", Declared::pattern(DIGITS))
            };
            drafts.add(accepted, filled("seven"));
        }
        // Nothing of another method's leave to hold a slash.
        let filled = |value: &str| {
            case(template, json!({ "id": value })).declared_for(
                "PUT",
                template,
                "id",
                Declared::slash(),
            )
        };
        drafts.add_with(refused, filled("a/b"), filled("ab"));
    }
}

fn between(drafts: &mut CompositionDrafts) {
    let found = group(
        17,
        Refuse,
        "the lookup sees variables filled and keys unfilled",
    );
    let missed = group(
        17,
        Accept,
        "rules under the text before the variables, or after the keys, are not found",
    );
    for (template, lookup, variables) in [
        ("/${kind}/{id}", "/items/{id}", json!({"kind": "items"})),
        (
            "/v1/${kind}/{id}/x",
            "/v1/items/{id}/x",
            json!({"kind": "items"}),
        ),
        ("/${a}/${b}/{id}", "/x/y/{id}", json!({"a": "x", "b": "y"})),
        (
            "/${kind}?id={id}",
            "/items?id={id}",
            json!({"kind": "items"}),
        ),
        ("/${n}/{id}", "/7/{id}", json!({"n": 7})),
        (
            "/${kind}-list/{id}",
            "/item-list/{id}",
            json!({"kind": "item"}),
        ),
    ] {
        let filled = |under: &str, value: &str| {
            case(template, json!({ "id": value }))
                .variables(variables.clone())
                .declared_for("GET", under, "id", Declared::pattern(DIGITS))
        };
        drafts.add_with(found, filled(lookup, "seven"), filled(lookup, "7"));
        drafts.add(missed, filled(template, "seven"));
        drafts.add(missed, filled(&lookup.replace("{id}", "seven"), "seven"));
    }
    let plain = group(
        17,
        Refuse,
        "without variables the lookup sees the template as it was written",
    );
    for template in ["/items/{id}", "/a/{id}/b/{c}", "/items?k={id}", "/{c}{id}"] {
        let filled = |value: &str| {
            case(template, json!({"id": value, "c": "c"})).declared("id", Declared::pattern(DIGITS))
        };
        drafts.add_with(plain, filled("seven"), filled("7"));
    }
}

fn misses(drafts: &mut CompositionDrafts) {
    let floor = group(26, Refuse, "a lookup that finds nothing keeps the floor");
    let cap = group(26, Refuse, "a lookup that finds nothing keeps the cap");
    for (method, template, param) in [
        ("GET", "/other/{id}", "id"),
        ("DELETE", "/items/{id}", "id"),
        ("GET", "/items/{id}", "ID"),
        ("GET", "/items/{id}/", "id"),
        ("GET", "/items/{other}", "id"),
    ] {
        let filled = |value: &str| {
            case("/items/{id}", json!({ "id": value })).declared_for(
                method,
                template,
                param,
                Declared::slash(),
            )
        };
        for value in ["a/b", "..", "a%2Fb", ""] {
            drafts.add_with(floor, filled(value), filled("ab"));
        }
        drafts.add_with(cap, filled(&"a".repeat(257)), filled("ab"));
    }
}
