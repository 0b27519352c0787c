//! PATH-09: what a slash that is allowed lets in, and what it does not.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};

use crate::path_plan::drafts::{ValueDrafts, group};
use crate::path_plan::oracle::patterns::{DIGITS, EVERYTHING, NO_SLASH, WITH_SLASH};
use crate::path_plan::oracle::value::Declared;

pub fn write(drafts: &mut ValueDrafts) {
    let literal = group(9, Accept, "an allowed slash passes");
    for value in [
        "a/b",
        "a/b/c",
        "docs/2024/report.pdf",
        "é/日",
        "x/.env",
        "a/b-c/d_e",
        "1/2/3/4/5",
    ] {
        drafts.add(literal, value, Declared::slash());
    }
    let escaped = group(9, Accept, "an allowed slash passes in escaped form");
    for value in ["a%2Fb", "a%2fb", "a%2Fb%2fc", "a/b%2Fc", "é%2F日"] {
        drafts.add(escaped, value, Declared::slash());
    }
    refused(drafts);
    not_allowed(drafts);
    let edges = group(
        9,
        Either,
        "an empty or lone-dot part beside an allowed slash is refused at the latest when composed",
    );
    for value in [
        "/", "/x", "x/", "x//y", "%2Fx", "x%2f", "a/./b", "./a", "a/.", "a/%2e/b", "//",
    ] {
        drafts.add(edges, value, Declared::slash());
    }
}

fn refused(drafts: &mut ValueDrafts) {
    let separators = group(
        9,
        Refuse,
        "an allowed slash does not let other separators in",
    );
    let values = [
        "\\", "a\\b", "%5C", "a%5cb", "a/b\\c", "a/%5C", "?", "a/b?c", "a%3Fb", "#", "a/b#c",
        "a%2F%23",
    ];
    for value in values {
        drafts.add_with(separators, value, "a/b", Declared::slash());
    }
    let steps = group(9, Refuse, "an allowed slash does not let a parent step in");
    let values = [
        "..",
        "../a",
        "a/..",
        "a/../b",
        "docs/../../secret",
        "a/%2e%2e/b",
        "a%2F..%2Fb",
        ".%2e/a",
        "a/b..c",
        "....//x",
        "..%2fx",
        "a/.%2E",
    ];
    for value in values {
        drafts.add_with(steps, value, "a/b", Declared::slash());
    }
    refused_otherwise(drafts);
    narrowed(drafts);
}

fn refused_otherwise(drafts: &mut ValueDrafts) {
    let rest = group(
        9,
        Refuse,
        "an allowed slash does not let controls and bad escapes in",
    );
    let values = [
        "a/\0", "a\t/b", "a/%00", "%0a/b", "a/%25", "%252F", "a/%", "a/%zz", "a/b%7f", "\u{7f}",
    ];
    for value in values {
        drafts.add_with(rest, value, "a/b", Declared::slash());
    }
    let folded = group(
        9,
        Refuse,
        "only the slash itself is allowed, and no look-alike of it",
    );
    for value in ["a／b", "a%EF%BC%8Fb", "a%c0%afb", "a/b＼c", "％／"] {
        drafts.add_with(folded, value, "a/b", Declared::slash());
    }
}

fn narrowed(drafts: &mut ValueDrafts) {
    let narrowed = group(9, Refuse, "an allowed slash does not lift a pattern");
    for (pattern, value, twin) in [
        (DIGITS, "1/2", "12"),
        (NO_SLASH, "a/b", "ab"),
        (WITH_SLASH, "a/b/c", "a/b"),
        (WITH_SLASH, "A/b", "a/b"),
        (NO_SLASH, "a/", "a"),
    ] {
        let declared = Declared {
            pattern: Some(pattern),
            ..Declared::slash()
        };
        drafts.add_with(narrowed, value, twin, declared);
    }
    let length = group(9, Refuse, "an allowed slash counts as a code point");
    for (value, twin) in [
        ("ab/c", "a/b"),
        ("a/bc", "a/b"),
        ("a/b/", "a/b"),
        ("é/日本", "é/日"),
    ] {
        let declared = Declared {
            max_length: Some(3),
            ..Declared::slash()
        };
        drafts.add_with(length, value, twin, declared);
    }
    let cap = format!("{}/{}", "a".repeat(128), "b".repeat(128));
    let twin = format!("{}/{}", "a".repeat(127), "b".repeat(128));
    drafts.add_with(length, &cap, &twin, Declared::slash());
}

fn not_allowed(drafts: &mut ValueDrafts) {
    let pattern = group(9, Refuse, "a pattern that holds a slash does not allow one");
    let twin = ("a/b", Declared::slash());
    for value in ["x/y", "abc/def", "a/z"] {
        drafts.add_beside(pattern, value, Declared::pattern(WITH_SLASH), twin);
    }
    for value in ["a/b/c", "/", "a%2fb"] {
        drafts.add_beside(pattern, value, Declared::pattern(EVERYTHING[1]), twin);
    }
}
