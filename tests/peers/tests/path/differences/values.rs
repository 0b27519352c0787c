//! Differences over a single value and its declared pattern.

use super::StatedDifference;
use super::fold::folds;
use crate::case::{Case, Verdict};

pub fn stated() -> Vec<StatedDifference> {
    vec![
        look_alike_in_a_value(),
        dot_and_line_separators(),
        all_space_is_space(),
        ascii_classes_beside_a_look_around(),
        ascii_word_boundaries(),
        syntax_of_another_language(),
        back_reference(),
        brackets_and_ampersands_in_a_class(),
        syntax_the_peer_does_not_know(),
    ]
}

fn look_alike_in_a_value() -> StatedDifference {
    StatedDifference {
        name: "look-alike in a value",
        reason: "PATH-22: overlong UTF-8 and what compatibility normalisation turns into a refused character is refused",
        smallest: Case::value("．"),
        ours: "characterFloor",
        peer: "ok",
        explains: |case, ours, _| {
            matches!(case, Case::Value { value, .. } if folds(value))
                && *ours == Verdict::Refused("characterFloor")
        },
    }
}

fn dot_and_line_separators() -> StatedDifference {
    StatedDifference {
        name: "dot and line separators",
        reason: "ECMA-262: `.` matches neither U+2028 nor U+2029",
        smallest: Case::matched("\u{2028}", "^.*$"),
        ours: "pattern",
        peer: "ok",
        explains: |case, ours, peer| {
            pattern_of(case).is_some_and(|(pattern, value)| {
                pattern
                    .replace("[\\w.", "")
                    .replace("0-9.", "")
                    .contains('.')
                    && value.contains(['\u{2028}', '\u{2029}'])
            }) && narrower(ours, peer)
        },
    }
}

fn all_space_is_space() -> StatedDifference {
    StatedDifference {
        name: "all space is space",
        reason: "ECMA-262: `\\s` is every Unicode space separator, of which the peer knows a few",
        smallest: Case::matched("\u{2002}", r"^\s$"),
        ours: "ok",
        peer: "pattern",
        explains: |case, _, _| {
            pattern_of(case).is_some_and(|(pattern, value)| {
                pattern.to_lowercase().contains(r"\s") && value.chars().any(is_space_to_ecma_only)
            })
        },
    }
}

fn ascii_classes_beside_a_look_around() -> StatedDifference {
    StatedDifference {
        name: "ASCII classes beside a look-around",
        reason: "ECMA-262: `\\d` and `\\w` are ASCII in every pattern; the peer forgets it when the pattern looks around",
        smallest: Case::matched("é", r"^(?=.)\w+$"),
        ours: "pattern",
        peer: "ok",
        explains: |case, ours, peer| {
            pattern_of(case).is_some_and(|(pattern, value)| {
                [r"^(?=.)\w+$", r"^(?=.)\d$"].contains(&pattern) && !value.is_ascii()
            }) && narrower(ours, peer)
        },
    }
}

fn ascii_word_boundaries() -> StatedDifference {
    StatedDifference {
        name: "ASCII word boundaries",
        reason: "ECMA-262: only ASCII letters, digits and `_` make a word",
        smallest: Case::matched("éa", r"\ba"),
        ours: "ok",
        peer: "pattern",
        explains: |case, _, _| {
            pattern_of(case).is_some_and(|(pattern, value)| {
                pattern.to_lowercase().contains(r"\b") && !value.is_ascii()
            })
        },
    }
}

fn syntax_of_another_language() -> StatedDifference {
    StatedDifference {
        name: "syntax of another language",
        reason: "ECMA-262 has no such construct: a pattern that does not compile refuses every value (PATH-08)",
        smallest: Case::matched("a", r"\Aa\z"),
        ours: "pattern",
        peer: "ok",
        explains: |case, ours, peer| {
            pattern_of(case).is_some_and(|(pattern, _)| FOREIGN.contains(&pattern))
                && narrower(ours, peer)
        },
    }
}

fn back_reference() -> StatedDifference {
    StatedDifference {
        name: "back-reference",
        reason: "Not supported, and said so: the pattern refuses every value (PATH-08)",
        smallest: Case::matched("aa", r"^(a)\1$"),
        ours: "pattern",
        peer: "ok",
        explains: |case, ours, peer| {
            pattern_of(case).is_some_and(|(pattern, _)| pattern.contains(r"\1"))
                && narrower(ours, peer)
        },
    }
}

fn brackets_and_ampersands_in_a_class() -> StatedDifference {
    StatedDifference {
        name: "brackets and ampersands in a class",
        reason: "ECMA-262 with the `u` flag: they stand for themselves, and name no other class",
        smallest: Case::matched("a", "^[a&&b]+$"),
        ours: "ok",
        peer: "pattern",
        explains: |case, _, _| {
            pattern_of(case).is_some_and(|(pattern, _)| IN_CLASS.contains(&pattern))
        },
    }
}

fn syntax_the_peer_does_not_know() -> StatedDifference {
    StatedDifference {
        name: "syntax the peer does not know",
        reason: "ECMA-262: `[^]` matches any character",
        smallest: Case::matched("a", "^[^]$"),
        ours: "ok",
        peer: "pattern",
        explains: |case, _, peer| {
            pattern_of(case).is_some_and(|(pattern, _)| NATIVE.contains(&pattern))
                && *peer == Verdict::Refused("pattern")
        },
    }
}

/// Patterns in which the engines see what ECMA-262 does not.
const FOREIGN: &[&str] = &[
    "(?i)^A$", "^(?i:A)$", r"\Aa\z", "^(?>a)$", "^a++$", "^a{,2}$",
];

/// Patterns whose classes are of other characters than the engines would have it.
const IN_CLASS: &[&str] = &["^[a&&b]+$", "^[[:alpha:]]+$"];

/// Patterns of ECMA-262 that the peer cannot use.
const NATIVE: &[&str] = &["^[^]$", "[]"];

fn pattern_of(case: &Case) -> Option<(&'static str, &str)> {
    match case {
        Case::Value {
            value,
            pattern: Some(pattern),
            ..
        } => Some((*pattern, value)),
        _ => None,
    }
}

/// The toolkit refuses by the pattern, and the peer does not.
fn narrower(ours: &Verdict, peer: &Verdict) -> bool {
    *ours == Verdict::Refused("pattern") && *peer != Verdict::Refused("pattern")
}

/// Unicode's space separators but for those that the peer knows, and U+2028.
fn is_space_to_ecma_only(c: char) -> bool {
    matches!(
        c,
        '\u{1680}' | '\u{2000}'..='\u{2002}' | '\u{2004}'..='\u{200A}' | '\u{2028}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}
