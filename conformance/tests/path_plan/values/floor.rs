//! PATH-01 to 03: what no value may hold, literal and percent-encoded.

use proofmark_conformance::vectors::path::Answer::{Accept, Refuse};

use super::placed;
use crate::path_plan::drafts::{Group, ValueDrafts, group};
use crate::path_plan::oracle::patterns::{CODE, EVERYTHING};
use crate::path_plan::oracle::value::Declared;

pub fn write(drafts: &mut ValueDrafts) {
    empty(drafts);
    marks(drafts);
    controls(drafts);
    escaped_marks(drafts);
    escaped_controls(drafts);
    percent(drafts);
    several(drafts);
}

fn empty(drafts: &mut ValueDrafts) {
    let nothing = group(
        1,
        Refuse,
        "an empty value names the collection instead of the item",
    );
    drafts.add_with(nothing.field(64), "", "7", Declared::default());
    for pattern in EVERYTHING {
        drafts.add_with(nothing, "", "7", Declared::pattern(pattern));
    }
    drafts.add_with(nothing, "", "C7", Declared::pattern(CODE));
    for length in [1, 4, 256, 257, 512, u32::MAX] {
        drafts.add_with(nothing, "", "7", Declared::max_length(length));
    }
    drafts.add_beside(
        nothing,
        "",
        Declared::max_length(0),
        ("7", Declared::max_length(1)),
    );
    drafts.add_with(nothing, "", "7", Declared::slash());
}

/// Puts a piece everywhere.
fn everywhere(drafts: &mut ValueDrafts, group: Group, pieces: &[&str]) {
    for piece in pieces {
        for (value, twin) in placed(piece) {
            drafts.add_with(group, &value, &twin, Declared::default());
        }
    }
}

fn marks(drafts: &mut ValueDrafts) {
    let slash = group(2, Refuse, "a slash ends the segment and begins another");
    everywhere(drafts, slash.field(52), &["/", "/x/"]);
    let query = group(2, Refuse, "a query mark ends the path and begins a query");
    everywhere(drafts, query.field(52), &["?", "?role=admin"]);
    let fragment = group(
        2,
        Refuse,
        "a fragment mark cuts off what the author wrote behind it",
    );
    everywhere(drafts, fragment.field(52), &["#", "#frag"]);
    let backslash = group(2, Refuse, "URL parsers read a backslash as a slash");
    everywhere(drafts, backslash, &["\\", "\\\\"]);
}

fn controls(drafts: &mut ValueDrafts) {
    let nul = group(2, Refuse, "a NUL ends the text for programs written in C");
    everywhere(drafts, nul.field(66), &["\0"]);
    let deleted = group(
        2,
        Refuse,
        "URL parsers delete tabs and line breaks without a word",
    );
    everywhere(drafts, deleted.field(66), &["\t", "\n", "\r", "\r\n"]);
    let delete = group(2, Refuse, "DEL is a control character as well");
    everywhere(drafts, delete.field(66), &["\u{7f}"]);
    let other = group(2, Refuse, "a control character has no place in a target");
    for code in (1..=0x1F_u8).filter(|code| !b"\t\n\r".contains(code)) {
        let places = placed(&char::from(code).to_string());
        let (value, twin) = &places[usize::from(code) % places.len()];
        drafts.add_with(other, value, twin, Declared::default());
    }
    let joined = group(
        2,
        Refuse,
        "a deleted control character joins what was apart",
    );
    for value in [
        ".\t.",
        ".\n.",
        "..\r",
        ".\r\n.",
        "a\t/b",
        "/\t/x",
        "java\tscript",
        "%2\n5",
        "%\t2e",
    ] {
        let twin = "a.b";
        drafts.add_with(joined.field(66), value, twin, Declared::default());
    }
}

fn escaped_marks(drafts: &mut ValueDrafts) {
    let slash = group(3, Refuse, "an escaped slash is a slash after one decoding");
    everywhere(drafts, slash.field(58), &["%2F", "%2f"]);
    let query = group(3, Refuse, "an escaped query mark is one after one decoding");
    everywhere(drafts, query, &["%3F", "%3f"]);
    let fragment = group(
        3,
        Refuse,
        "an escaped fragment mark is one after one decoding",
    );
    everywhere(drafts, fragment, &["%23", "%23%23"]);
    let backslash = group(3, Refuse, "an escaped backslash is one after one decoding");
    everywhere(drafts, backslash, &["%5C", "%5c"]);
}

fn escaped_controls(drafts: &mut ValueDrafts) {
    let control = group(
        3,
        Refuse,
        "an escaped control character is one after one decoding",
    );
    for code in (1..=0x1F_u8).filter(|code| !b"\r\n".contains(code)) {
        let escape = match code % 2 {
            0 => format!("%{code:02x}"),
            _ => format!("%{code:02X}"),
        };
        let places = placed(&escape);
        let (value, twin) = &places[usize::from(code) % places.len()];
        drafts.add_with(control, value, twin, Declared::default());
    }
    let split = group(3, Refuse, "an escaped line break splits a request line");
    everywhere(drafts, split, &["%0d%0a", "%0A", "%0D"]);
    let nul = group(3, Refuse, "an escaped NUL or DEL is one after one decoding");
    everywhere(drafts, nul, &["%00", "%7f", "%7F"]);
}

fn percent(drafts: &mut ValueDrafts) {
    let twice = group(
        3,
        Refuse,
        "an escaped percent sign asks for a second decoding",
    );
    let values = [
        "%25",
        "a%25",
        "%25b",
        "a%25b",
        "%2525",
        "%252525",
        "%252e",
        "%252E%252e",
        "%252f",
        "a%252Fb",
        "%253F",
        "%2523",
        "%255c",
        "%2500",
        "%250d%250a",
        "yes%252Fno",
        "100%25",
    ];
    for value in values {
        drafts.add_with(twice.field(58), value, "yes", Declared::default());
    }
    let cut = group(
        3,
        Refuse,
        "a percent sign at the end begins no whole escape",
    );
    for value in [
        "%", "100%", "a%", "%2", "a%2", "%a", "50%%", "%41%", "é%", "%41%4",
    ] {
        drafts.add_with(cut.field(58), value, "100", Declared::default());
    }
    no_digits(drafts);
    harmless_escapes(drafts);
}

fn no_digits(drafts: &mut ValueDrafts) {
    let no_digits = group(
        3,
        Refuse,
        "a percent sign without two hexadecimal digits is no escape",
    );
    let values = [
        "%zz", "%g0", "%0g", "a%zzb", "%u002e", "%u2215", "% 2e", "%+2f", "%-1", "%x2f", "%２e",
        "%é", "%%32%65", "%%2e", "%2%65", "a%;b", "5% of 10", "%{a}",
    ];
    for value in values {
        drafts.add_with(no_digits, value, "5 of 10", Declared::default());
    }
}

fn harmless_escapes(drafts: &mut ValueDrafts) {
    let harmless = group(3, Accept, "an escape of a harmless character passes");
    let values = [
        "%41",
        "%7e",
        "a%2Db",
        "%5F",
        "%30%31",
        "a%20b",
        "%C3%A9",
        "%e2%82%ac",
        "%F0%9F%98%80",
        "a%2Cb",
        "a%26b",
        "a%3Db",
        "a%3Bb",
        "a%2Bb",
        "a%40b",
        "a%3Ab",
        "%21",
        "%2a%2A",
    ];
    for value in values {
        drafts.add(harmless, value, Declared::default());
    }
}

fn several(drafts: &mut ValueDrafts) {
    let mixed = group(
        3,
        Refuse,
        "several refused parts in one value, literal and escaped",
    );
    let values = [
        "a/b%2Fc",
        "?%3F",
        "#%23",
        "\\%5c",
        "/%00",
        "%2F\t",
        "a?b#c/d\\e",
        "%2f%3f%23%5c",
        "x%3Frole=admin#",
        "%2e/%2e",
        "/%25",
        "?%zz",
        "%0d\n",
    ];
    for value in values {
        drafts.add_with(mixed, value, "abc", Declared::default());
    }
    let whole = group(
        2,
        Refuse,
        "a value that would be another endpoint of its own",
    );
    let values = [
        "7/../../admin",
        "7?role=admin#",
        "../../admin/config",
        "a?x=1",
        "7#frag",
        "7/permissions",
        "me/../7",
        "7;/admin",
        "7\\admin",
    ];
    for value in values {
        drafts.add_with(whole.field(52), value, "7", Declared::default());
    }
}
