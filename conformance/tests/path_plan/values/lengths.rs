//! PATH-05 and PATH-07: the cap, and declared lengths.

use proofmark_conformance::vectors::path::Answer::{Accept, Refuse};

use crate::path_plan::drafts::{ValueDrafts, group};
use crate::path_plan::oracle::value::{CAP, Declared};

/// One character of each length in UTF-8, a digit, and one that combines.
const UNITS: [&str; 6] = ["a", "é", "€", "😀", "7", "\u{301}"];

pub fn write(drafts: &mut ValueDrafts) {
    let fits = group(
        5,
        Accept,
        "up to 256 code points pass, whatever their bytes",
    );
    let over = group(
        5,
        Refuse,
        "257 code points and more do not pass, whatever their bytes",
    );
    for unit in UNITS {
        for length in [255, CAP] {
            drafts.add(fits, &unit.repeat(length), Declared::default());
        }
        for length in [CAP + 1, 300, 4096] {
            let at_cap = unit.repeat(CAP);
            drafts.add_with(over, &unit.repeat(length), &at_cap, Declared::default());
        }
    }
    let mixed = group(5, Accept, "code points of several lengths count one each");
    let mixed_over = group(5, Refuse, "code points of several lengths are one too many");
    for (first, second) in [
        ("a", "é"),
        ("a", "😀"),
        ("é", "€"),
        ("€", "😀"),
        ("7", "日"),
    ] {
        let fits = format!("{}{}", first.repeat(100), second.repeat(156));
        drafts.add(mixed, &fits, Declared::default());
        drafts.add_with(mixed_over, &format!("{fits}a"), &fits, Declared::default());
        let fits = format!("{}{}", first.repeat(255), second);
        drafts.add(mixed, &fits, Declared::default());
        drafts.add_with(
            mixed_over,
            &format!("{second}{fits}"),
            &fits,
            Declared::default(),
        );
    }
    escapes(drafts);
    declared(drafts);
}

/// An escape counts as the characters that it is written in.
fn escapes(drafts: &mut ValueDrafts) {
    let fits = group(
        5,
        Accept,
        "an escape counts as the three characters it is written in",
    );
    let over = group(5, Refuse, "escapes too many, counted as they are written");
    for escape in ["%41", "%C3%A9", "%7e"] {
        let times = CAP / escape.len();
        let rest = CAP - times * escape.len();
        let value = format!("{}{}", escape.repeat(times), "a".repeat(rest));
        drafts.add(fits, &value, Declared::default());
        drafts.add_with(over, &format!("{value}a"), &value, Declared::default());
    }
}

fn declared(drafts: &mut ValueDrafts) {
    let at = group(7, Accept, "as long as was declared, in code points");
    let over = group(7, Refuse, "one code point longer than was declared");
    for unit in ["a", "é", "😀"] {
        for length in [1, 4, 8, 64, 255] {
            let declared = Declared::max_length(length);
            let value = unit.repeat(length as usize);
            drafts.add(at, &value, declared);
            drafts.add_with(over, &format!("{value}{unit}"), &value, declared);
        }
    }
    let cap = group(7, Accept, "256 code points pass under a longer declaration");
    let widened = group(
        7,
        Refuse,
        "a declared length over 256 does not lift the cap",
    );
    for unit in ["a", "é", "😀"] {
        for length in [256, 257, 512, 100_000, u32::MAX] {
            let declared = Declared::max_length(length);
            let value = unit.repeat(CAP);
            drafts.add(cap, &value, declared);
            drafts.add_with(widened, &format!("{value}{unit}"), &value, declared);
        }
    }
    let none = group(7, Refuse, "a declared length of 0 admits nothing");
    for value in ["a", "7", "é", "abc", " ", "%41", "😀", "null"] {
        drafts.add_beside(
            none,
            value,
            Declared::max_length(0),
            ("7", Declared::max_length(1)),
        );
    }
    let floor = group(7, Refuse, "a declared length lifts nothing of the floor");
    for value in ["..", "/", "a/b", "%2e", "?", "%25", "a#b", "\\"] {
        drafts.add_with(floor, value, "abc", Declared::max_length(8));
    }
}
