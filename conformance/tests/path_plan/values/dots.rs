//! PATH-04: parent steps and lone dots, in any mix of spellings.

use proofmark_conformance::vectors::path::Answer::{Accept, Refuse};

use crate::path_plan::drafts::{ValueDrafts, group};
use crate::path_plan::oracle::patterns::NO_X;
use crate::path_plan::oracle::value::Declared;

pub fn write(drafts: &mut ValueDrafts) {
    let literal = group(4, Refuse, "two dots together are a parent step");
    for value in [
        "..", "a..b", "..a", "a..", "...", "....", "7..", "..7", "a...b", "é..日", "v1..2",
    ] {
        drafts.add_with(literal.field(54), value, "a.b", Declared::default());
    }
    let half = group(4, Refuse, "a dot beside an escaped one is a parent step");
    let values = [
        ".%2e", ".%2E", "%2e.", "%2E.", "a.%2e", "%2e.b", "a%2E.b", "a.%2Eb", "%2e..", "..%2E",
    ];
    for value in values {
        drafts.add_with(half.field(54), value, "a.b", Declared::default());
    }
    let escaped = group(4, Refuse, "URL parsers read escaped dots as dots");
    let values = [
        "%2e%2e",
        "%2E%2E",
        "%2e%2E",
        "%2E%2e",
        "a%2e%2e",
        "%2e%2eb",
        "a%2E%2Eb",
        "%2e%2e%2e",
        "%2e%2e%2E%2E",
    ];
    for value in values {
        drafts.add_with(escaped.field(54), value, "a%2eb", Declared::default());
    }
    alone(drafts);
    glued(drafts);
    stripped(drafts);
    single(drafts);
}

fn glued(drafts: &mut ValueDrafts) {
    let glued = group(
        4,
        Refuse,
        "dots glued to a separator climb after one decoding",
    );
    let values = [
        "../x",
        "../../x",
        "x/..",
        "x/../y",
        "..%2fadmin",
        "%2e%2e%2fadmin",
        "%2e%2e%5cadmin",
        "..\\x",
        "..%5Cx",
        "%2e%2e/",
        "/..",
        "..?x",
        "..#x",
        "a%2f..%2fb",
    ];
    for value in values {
        drafts.add_with(glued.field(55), value, "admin", Declared::default());
    }
    let matrix = group(
        4,
        Refuse,
        "servers cut a segment at a semicolon before they climb",
    );
    for value in [
        "..;", "..;x", "..;v=1", "%2e%2e;", "..%3B", ".%2e;a=b", "..;/", "a;..",
    ] {
        drafts.add_with(matrix.field(55), value, "a;b", Declared::default());
    }
}

fn stripped(drafts: &mut ValueDrafts) {
    let stripped = group(
        4,
        Refuse,
        "a filter that deletes parent steps makes one of this",
    );
    for value in [
        "....//admin",
        "..././admin",
        "a/../b",
        ".../...//",
        "....\\\\x",
        "..%2e%2e//x",
    ] {
        drafts.add_with(stripped.field(57), value, "admin", Declared::default());
    }
}

fn single(drafts: &mut ValueDrafts) {
    let single = group(4, Accept, "single dots inside a name pass");
    let values = [
        "a.b",
        ".env",
        "v1.2.3",
        "a.",
        "report.pdf",
        "archive.tar.gz",
        "%2ea",
        "a%2E",
        "1.5",
        ".a.b.",
        "x.y.z",
        "example.test",
    ];
    for value in values {
        drafts.add(single, value, Declared::default());
    }
}

fn alone(drafts: &mut ValueDrafts) {
    let alone = group(
        4,
        Refuse,
        "a lone dot is the collection itself, in either spelling",
    );
    for value in [".", "%2e", "%2E"] {
        drafts.add_with(alone.field(54), value, "a.b", Declared::default());
        drafts.add_with(alone, value, "a.b", Declared::slash());
        drafts.add_with(alone, value, "a.b", Declared::pattern(NO_X));
        drafts.add_with(alone, value, "a.b", Declared::max_length(3));
    }
}
