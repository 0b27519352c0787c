//! PATH-06 and PATH-08: declared patterns.

use proofmark_conformance::vectors::path::Answer::{Accept, Refuse};

use crate::path_plan::drafts::{ValueDrafts, group};
use crate::path_plan::oracle::patterns::{
    BOMBS, BROKEN, CLASS_DIGITS, CODE, COLOUR, DIGITS, EVERYTHING, LETTERS, LOWER, NO_SLASH, NO_X,
    ONE_CHARACTER, Pattern, SOME_DIGIT, SPELLED, WITH_SLASH, WORD,
};
use crate::path_plan::oracle::value::{CAP, Declared};

pub fn write(drafts: &mut ValueDrafts) {
    nothing_is_lifted(drafts);
    spelled_out(drafts);
    narrowed(drafts);
    details(drafts);
    broken(drafts);
}

const HOSTILE: [&str; 14] = [
    "a/b", "a?b", "a#b", "a\\b", "a\0b", "a%2Fb", "a%3fb", "%25", "%zz", "..", "%2e%2E", ".",
    "a\nb", "%00",
];

fn nothing_is_lifted(drafts: &mut ValueDrafts) {
    let reasons = [
        "a pattern of any characters lifts nothing of the floor",
        "a pattern of any class of characters lifts nothing of the floor",
        "an anchored pattern of everything lifts nothing of the floor",
        "the empty pattern lifts nothing of the floor",
    ];
    for (pattern, reason) in EVERYTHING.into_iter().zip(reasons) {
        for value in HOSTILE {
            drafts.add_with(
                group(6, Refuse, reason),
                value,
                "ab",
                Declared::pattern(pattern),
            );
        }
    }
    let cap = group(6, Refuse, "a pattern does not lift the cap");
    for pattern in EVERYTHING {
        let declared = Declared::pattern(pattern);
        drafts.add_with(cap, &"a".repeat(CAP + 1), &"a".repeat(CAP), declared);
        drafts.add_with(cap, &"é".repeat(CAP + 1), &"é".repeat(CAP), declared);
    }
    for (pattern, unit) in [(DIGITS, "7"), (WORD, "w"), (LETTERS, "é"), (NO_SLASH, "-")] {
        let declared = Declared::pattern(pattern);
        drafts.add_with(cap, &unit.repeat(CAP + 1), &unit.repeat(CAP), declared);
    }
}

fn spelled_out(drafts: &mut ValueDrafts) {
    let spelled = group(
        6,
        Refuse,
        "a pattern that spells a refused value out does not admit it",
    );
    let harmless = ("ab", Declared::default());
    for (pattern, value) in SPELLED {
        drafts.add_beside(spelled, value, Declared::pattern(pattern), harmless);
    }
    drafts.add_beside(spelled, "a/b", Declared::pattern(WITH_SLASH), harmless);
    let both = group(
        6,
        Refuse,
        "what both the floor and the pattern refuse is refused",
    );
    for (pattern, twin) in [(CODE, "C1"), (DIGITS, "7"), (COLOUR, "red")] {
        for value in ["a/b", "..", "%2e", "?", "%25"] {
            drafts.add_with(both, value, twin, Declared::pattern(pattern));
        }
    }
}

/// What matches, and what does not.
const NARROWED: [(Pattern, &[&str], &[&str]); 9] = [
    (
        CODE,
        &["C1", "C0018787", "C0"],
        &["c1", "1C", "C", "xC1", "C1x"],
    ),
    (
        DIGITS,
        &["7", "0012", "18446744073709551616"],
        &["7a", "-1", "1.5", "a"],
    ),
    (SOME_DIGIT, &["a7", "7", "x1y", "v2"], &["a", "abc", "é"]),
    (CLASS_DIGITS, &["7", "42"], &["x", "4x", "4_2"]),
    (
        LETTERS,
        &["abc", "é", "日本語", "ñandú"],
        &["a1", "a-b", "1", "a_b"],
    ),
    (LOWER, &["ab", "abcde"], &["a", "abcdef", "AB", "a1"]),
    (NO_X, &["abc", "ax", "y"], &["x", "xyz", "x1"]),
    (
        COLOUR,
        &["red", "green"],
        &["blue", "redgreen", "red1", "Red"],
    ),
    (WORD, &["a_1", "A", "_"], &["a-b", "a b", "a.b"]),
];

fn narrowed(drafts: &mut ValueDrafts) {
    let matches = group(6, Accept, "the value matches the declared pattern");
    let misses = group(6, Refuse, "the value does not match the declared pattern");
    for (pattern, admitted, refused) in NARROWED {
        let declared = Declared::pattern(pattern);
        for value in admitted {
            drafts.add(matches, value, declared);
        }
        for value in refused {
            drafts.add_with(misses, value, admitted[0], declared);
        }
    }
}

/// Where engines differ from ECMA-262.
fn details(drafts: &mut ValueDrafts) {
    let class = group(6, Refuse, "a class of ECMA-262 holds ASCII alone");
    for value in ["٣", "７", "1٣", "৪২"] {
        drafts.add_with(class, value, "42", Declared::pattern(CLASS_DIGITS));
    }
    for value in ["é", "naïve", "日本", "ſ", "straße"] {
        drafts.add_with(class, value, "A", Declared::pattern(WORD));
    }
    let point = group(6, Accept, "a dot of a pattern takes one whole code point");
    for value in ["a", "é", "日", "😀", "-"] {
        drafts.add(point, value, Declared::pattern(ONE_CHARACTER));
    }
    let points = group(
        6,
        Refuse,
        "a dot of a pattern takes no more than one code point",
    );
    for value in ["ab", "éé", "日本", "😀😀", "e\u{301}"] {
        drafts.add_with(points, value, "a", Declared::pattern(ONE_CHARACTER));
    }
    let both = group(6, Refuse, "pattern and length are asked together");
    for (value, twin) in [
        ("C12345", "C1"),
        ("1", "C1"),
        ("C12x", "C1"),
        ("CCC", "C12"),
        ("c", "C12"),
    ] {
        let declared = Declared {
            max_length: Some(3),
            ..Declared::pattern(CODE)
        };
        drafts.add_with(both, value, twin, declared);
    }
}

fn broken(drafts: &mut ValueDrafts) {
    let broken = group(8, Refuse, "a pattern that does not compile admits no value");
    for (number, pattern) in BROKEN.into_iter().enumerate() {
        let harmless = ["a", "7", "C1", "abc", "é"];
        for turn in 0..2 {
            let value = harmless[(number + turn) % harmless.len()];
            let twin = (value, Declared::pattern(EVERYTHING[0]));
            drafts.add_beside(broken, value, Declared::pattern(pattern), twin);
        }
        let own = group(
            8,
            Refuse,
            "nor the value that reads like the broken pattern",
        );
        let own_text = pattern.text;
        if !own_text.contains(['\\', '?']) {
            let twin = ("a", Declared::pattern(EVERYTHING[0]));
            drafts.add_beside(own, own_text, Declared::pattern(pattern), twin);
        }
    }
    let bomb = group(
        8,
        Refuse,
        "a pattern that costs too much is answered with a refusal",
    );
    for pattern in BOMBS {
        for value in [
            format!("{}!", "a".repeat(30)),
            format!("{}b", "a".repeat(36)),
        ] {
            let twin = ("a", Declared::pattern(EVERYTHING[0]));
            drafts.add_beside(bomb, &value, Declared::pattern(pattern), twin);
        }
    }
}
