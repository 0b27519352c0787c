//! PATH-19: nothing that is resolved names an origin.

use proofmark_conformance::vectors::path::Answer::{Accept, Refuse};
use serde_json::json;

use super::draft::{CompositionDrafts, case};
use crate::path_plan::drafts::group;

pub fn write(drafts: &mut CompositionDrafts) {
    let templates = group(19, Refuse, "a template that begins like an origin");
    for template in [
        "//evil.example.test/{a}",
        "/\\evil.example.test/{a}",
        "http:evil.example.test/{a}",
        "https://evil.example.test/{a}",
        "@evil.example.test/{a}",
        ":8080/{a}",
        "/\t/evil.example.test/{a}",
        "/\n/evil.example.test/{a}",
        "\\\\evil.example.test/{a}",
        "evil.example.test/{a}",
        "?k={a}",
        "{a}",
        "{a}/x",
        ".{a}",
        " /{a}",
        "",
    ] {
        drafts.add_with(
            templates.field(32),
            case(template, json!({"a": "x"})),
            case("/{a}", json!({"a": "x"})),
        );
    }
    values(drafts);
    beginnings(drafts);
    harmless(drafts);
}

fn values(drafts: &mut CompositionDrafts) {
    let values = group(19, Refuse, "a value that would begin a path like an origin");
    for template in ["/{a}", "/{a}/x"] {
        for value in [
            "/evil.example.test",
            "\\evil.example.test",
            "\t/evil.example.test",
            "%2Fevil.example.test",
            "%5cevil.example.test",
            "//evil.example.test",
            "https://evil.example.test",
            "\n\\x",
        ] {
            drafts.add_with(
                values.field(35),
                case(template, json!({ "a": value })),
                case(template, json!({"a": "evil.example.test"})),
            );
        }
    }
}

fn beginnings(drafts: &mut CompositionDrafts) {
    let beginning = group(19, Refuse, "a placeholder at the very beginning");
    for value in [
        "http:evil.example.test",
        "@evil.example.test",
        ":8443",
        "evil.example.test",
        "x:y@evil.example.test",
    ] {
        drafts.add_with(
            beginning.field(32),
            case("{a}/x", json!({ "a": value })),
            case("/{a}/x", json!({ "a": value })),
        );
    }
}

fn harmless(drafts: &mut CompositionDrafts) {
    let harmless = group(
        19,
        Accept,
        "a colon or an at sign behind the first slash keeps the origin",
    );
    for value in [
        "urn:x",
        "http:evil.example.test",
        "@evil.example.test",
        "evil.example.test:8443",
        "user:password@evil.example.test",
        ":8080",
        "a:b",
    ] {
        drafts.add(harmless, case("/{a}/items:batchGet", json!({ "a": value })));
        drafts.add(harmless, case("/v1/{a}", json!({ "a": value })));
    }
}
