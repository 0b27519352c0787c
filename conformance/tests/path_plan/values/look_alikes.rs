//! PATH-22: what backends fold into a refused character.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};

use crate::path_plan::drafts::{ValueDrafts, group};
use crate::path_plan::oracle::value::Declared;

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

pub fn write(drafts: &mut ValueDrafts) {
    let raw = group(
        22,
        Refuse,
        "compatibility normalisation makes a refused character of it",
    );
    let as_escapes = group(
        22,
        Refuse,
        "escapes of a look-alike are the look-alike after one decoding",
    );
    let values = [
        "／",
        "a／b",
        "＼",
        "a＼b",
        "？",
        "a？b",
        "＃",
        "a＃b",
        "．．／admin",
        "‥/x",
        "℀",
        "℅",
        "⁇",
        "﹖",
        "﹟",
        "﹨",
        "\u{2048}",
    ];
    for value in values {
        drafts.add_with(raw.field(67), value, "ａb", Declared::default());
        if value.chars().all(|c| !c.is_ascii()) || value.len() < 6 {
            drafts.add_with(as_escapes, &escaped(value), "ａb", Declared::default());
        }
    }
    dots(drafts);
    overlong(drafts);
    perhaps(drafts);
}

fn dots(drafts: &mut ValueDrafts) {
    let dots = group(22, Refuse, "full-width dots and dot leaders make a step");
    let values = [
        "．", "．．", "․", "․․", "‥", "…", "a．．b", ".．", "．.", "%2e．", "a‥b", "﹒", "﹒﹒",
        "․.", "．․", "︰", "a…",
    ];
    for value in values {
        // Two vertical dots fold into a colon.
        if value != "︰" {
            drafts.add_with(dots.field(67), value, "a.b", Declared::default());
        }
    }
    let dots_escaped = group(
        22,
        Refuse,
        "escaped full-width dots and dot leaders make a step",
    );
    for value in ["．", "．．", "․", "․․", "‥", "…"] {
        drafts.add_with(dots_escaped, &escaped(value), "a.b", Declared::default());
    }
}

fn perhaps(drafts: &mut ValueDrafts) {
    let perhaps = group(
        22,
        Either,
        "a look-alike that makes no step by itself may be refused",
    );
    for value in [
        "a．b",
        "․a",
        "1⒈",
        "㏂",
        "％",
        "a％2fb",
        "∕",
        "a⁄b",
        "∖",
        "%ef%bc%8ea",
    ] {
        drafts.add(perhaps, value, Declared::default());
    }
    let harmless = group(22, Accept, "characters that fold into harmless ones pass");
    let values = [
        "ｆｕｌｌ",
        "ＡＢＣ",
        "１２３",
        "①",
        "ﬁ",
        "℃",
        "½x",
        "ℌ",
        "ᵃ",
        "－",
        "＿",
        "＠",
        "%ef%bc%a1",
        "é",
        "가",
        "＋",
    ];
    for value in values
        .into_iter()
        .filter(|value| !["é", "½x"].contains(value))
    {
        drafts.add(harmless, value, Declared::default());
    }
}

fn overlong(drafts: &mut ValueDrafts) {
    let group_of = |reason| group(22, Refuse, reason);
    let overlong = group_of("lenient decoders read overlong UTF-8 as a refused character");
    let values = [
        "%c0%ae",
        "%c0%ae%c0%ae",
        "%C0%AF",
        "a%c0%afb",
        "%c1%9c",
        "%e0%80%ae",
        "%e0%80%af",
        "%E0%81%9C",
        "%f0%80%80%ae",
        "%f0%80%80%AF",
        "%c0%80",
        "a%c0%bfb",
        "%c0%a3",
        "%c0%8a",
        ".%c0%ae",
        "%c0%ae.",
    ];
    for value in values {
        drafts.add_with(overlong.field(55), value, "%C3%A9", Declared::default());
    }
    let other = group(
        22,
        Either,
        "overlong UTF-8 of a harmless character may be refused",
    );
    for value in [
        "%c1%81",
        "%e0%81%81",
        "%c0%b0",
        "%f0%80%81%81",
        "%c0",
        "%c0.",
        "%c1a",
        "%e0%80",
    ] {
        drafts.add(other, value, Declared::default());
    }
}
