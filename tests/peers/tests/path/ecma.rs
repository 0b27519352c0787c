//! Declared patterns beside an engine of ECMA-262 of its own.

use proofmark::path::DeclaredPattern;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use regress::Regex;

/// Constructs that match one character, or none.
const ATOMS: &[&str] = &[
    "a",
    "b",
    "é",
    "0",
    ".",
    r"\d",
    r"\D",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    "[ab]",
    "[^a]",
    "[a-c0]",
    r"[\w.-]",
    r"[^\s]",
    r"[\D-]",
    "[]",
    "[^]",
    "[[a]",
    "[a&&b]",
    r"\x61",
    r"\u00e9",
    r"\u{61}",
    r"\.",
    r"\/",
    r"\p{L}",
    r"\P{L}",
    r"[\p{Lu}0]",
    r"\p{Script=Greek}",
    r"\cJ",
    r"[\b]",
    "-",
    "_",
    " ",
];

/// Patterns put together from constructs that both sides know.
fn pattern() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(ATOMS).prop_map(str::to_owned);
    // The engine that looks around cannot look around within every look-behind.
    let behind = prop::collection::vec(atom.clone(), 1..3).prop_map(|atoms| atoms.concat());
    let behind = (prop::sample::select(&["?<=", "?<!"][..]), behind)
        .prop_map(|(look, atoms)| format!("({look}{atoms})"));
    let term = prop_oneof![6 => atom, 1 => behind].prop_recursive(3, 12, 3, |inner| {
        let sequence = prop::collection::vec(inner.clone(), 1..3).prop_map(|terms| terms.concat());
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(&["*", "+", "?", "*?", "{2}", "{1,}", "{0,2}"][..])
            )
                .prop_map(|(term, count)| format!("(?:{term}){count}")),
            sequence.clone().prop_map(|terms| format!("({terms})")),
            sequence.clone().prop_map(|terms| format!("(?<n>{terms})")),
            (sequence.clone(), inner).prop_map(|(a, b)| format!("(?:{a}|{b})")),
            (prop::sample::select(&["?=", "?!"][..]), sequence)
                .prop_map(|(look, terms)| format!("({look}{terms})")),
        ]
    });
    let anchor = |anchors: &'static [&'static str]| prop::sample::select(anchors);
    (
        anchor(&["", "^", r"\b", r"\B"]),
        prop::collection::vec(term, 1..4),
        anchor(&["", "$", r"\b", r"\B"]),
    )
        .prop_map(|(start, terms, end)| format!("{start}{}{end}", terms.concat()))
}

/// The other engine takes memory without end for a few of the patterns, about one in 100,000: the
/// seed is one without them.
const SEED: RngSeed = RngSeed::Fixed(0x5e1f);

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, max_global_rejects: 20_000, failure_persistence: None, rng_seed: SEED, ..ProptestConfig::default() })]

    #[test]
    fn a_declared_pattern_matches_as_ecma_262_says(
        pattern in pattern(),
        value in "[abcAé0λ٣ ._\u{2003}\u{2028}\u{FEFF}\u{1F600}\\[\\]&/-]{0,6}",
    ) {
        let Ok(ecma) = Regex::with_flags(&pattern, "u") else {
            return Err(TestCaseError::reject("not a pattern"));
        };
        let declared = DeclaredPattern::new(&pattern);
        prop_assert!(declared.is_usable());
        prop_assert_eq!(declared.matches(&value), ecma.find(&value).is_some());
    }
}
