//! Call ids that a careless key takes for one another.

/// Lengths at which stores cut a text off, and a little more than each: three ids of such a length
/// differ at their ends only.
const CUTS: &[usize] = &[16, 32, 64, 128, 256, 1_024];

/// Triples of ids, plainest first. What folds case, trims, splits, parses, normalises or cuts ids
/// takes two of a triple for one.
pub(super) fn confusable() -> Vec<[String; 3]> {
    let written = [
        ["call-b", "call-c", "call-a"],
        ["call-1", "call-10", "call-100"],
        ["aB", "Ab", "AB"],
        ["1", "10", "100"],
        ["x", " x", "x "],
        ["a:b", "a", "b"],
        ["a/b", "a%2Fb", "a_b"],
        ["a\0b", "a\0c", "a\0"],
        ["00", "0", "000"],
        ["\u{e9}", "e\u{301}", "e"],
        ["admin", "root", "system"],
        [
            "6f1d2c80-9f51-4c1a-8d0e-2b7a1f3c5e01",
            "6f1d2c80-9f51-4c1a-8d0e-2b7a1f3c5e02",
            "7f1d2c80-9f51-4c1a-8d0e-2b7a1f3c5e01",
        ],
    ];
    let written = written.map(|names| names.map(str::to_owned));
    let long = CUTS.iter().flat_map(|&cut| {
        let same = "0123456789abcdef".repeat(cut.div_ceil(16));
        let ends = ["1", "2", "3"].map(|end| format!("{same}{end}"));
        let begins = ["1", "2", "3"].map(|begin| format!("{begin}{same}"));
        [ends, begins]
    });
    written.into_iter().chain(long).collect()
}

/// The name as a message shows it: of a long one both ends.
pub(super) fn shown(name: &str) -> String {
    const SHOWN: usize = 24;
    let characters: Vec<char> = name.chars().collect();
    let text = match characters.len() {
        0..=SHOWN => name.to_owned(),
        length => {
            let part = |range: &[char]| range.iter().collect::<String>();
            let (head, tail) = (&characters[..8], &characters[length - 8..]);
            format!("{}…{} of {length} characters", part(head), part(tail))
        }
    };
    text.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_triple_is_another() {
        for [a, b, c] in confusable() {
            assert!(a != b && b != c && a != c, "{}", shown(&a));
        }
    }

    #[test]
    fn some_names_are_alike_up_to_where_stores_cut() {
        for cut in [64, 255, 256] {
            let alike = |names: &[String; 3]| {
                names
                    .iter()
                    .all(|name| name.chars().take(cut).eq(names[0].chars().take(cut)))
            };
            assert!(confusable().iter().any(alike), "{cut}");
        }
    }

    #[test]
    fn a_long_name_is_shown_by_its_ends() {
        assert_eq!(shown("a\tb"), "a\\tb");
        let long = format!("{}1", "x".repeat(64));
        assert_eq!(shown(&long), "xxxxxxxx…xxxxxxx1 of 65 characters");
    }
}
