//! One table for each requirement on a single value.

use proofmark::path::{
    PLACEHOLDER_MAX_LENGTH, PlaceholderRules, validate_path_placeholder, validate_resolved_target,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::subject::{refusal, resolve_with, target};

/// The rule that refuses `value`, or `ok`.
fn verdict(value: &str, rules: &PlaceholderRules<'_>) -> &'static str {
    validate_path_placeholder("id", value, rules).map_or_else(|refusal| refusal.rule, |()| "ok")
}

fn by_default(value: &str) -> &'static str {
    verdict(value, &PlaceholderRules::default())
}

#[test]
fn path_01_an_empty_value_is_refused() {
    assert_eq!(by_default(""), "nonEmpty");
    assert_eq!(
        refusal(target("/items/{id}", json!({"id": ""}))).rule,
        "nonEmpty"
    );
    assert_eq!(by_default(" "), "ok");
}

#[test]
fn path_02_every_separator_mark_and_control_is_refused() {
    for byte in 0..=0x7F_u8 {
        let character = char::from(byte);
        let refused = character.is_ascii_control() || "?#/\\".contains(character);
        for value in [
            format!("a{character}b"),
            format!("{character}b"),
            format!("a{character}"),
        ] {
            let expected = match character {
                '%' => "percentEncoding",
                _ if refused => "characterFloor",
                _ => "ok",
            };
            assert_eq!(by_default(&value), expected, "{value:?}");
        }
    }
}

#[test]
fn path_03_their_escapes_are_refused_in_either_case() {
    for byte in 0..=0x7F_u8 {
        let refused = byte.is_ascii_control() || b"?#/\\".contains(&byte);
        for escape in [format!("a%{byte:02x}b"), format!("a%{byte:02X}b")] {
            let expected = match byte {
                b'%' => "percentEncoding",
                _ if refused => "characterFloor",
                _ => "ok",
            };
            assert_eq!(by_default(&escape), expected, "{escape}");
        }
    }
}

#[rstest]
#[case("%")]
#[case("100%")]
#[case("%4")]
#[case("%zz")]
#[case("%u002e")]
#[case("%25")]
#[case("%252e")]
#[case("%2525")]
#[case("?%25")]
fn path_03_a_malformed_escape_and_an_escaped_percent_sign_are_refused(#[case] value: &str) {
    assert_eq!(by_default(value), "percentEncoding");
}

#[rstest]
#[case(".")]
#[case("%2e")]
#[case("%2E")]
#[case("..")]
#[case("a..b")]
#[case("...")]
#[case("%2e%2E")]
#[case(".%2e")]
#[case("%2E.")]
#[case("a%2e.b")]
#[case("..;")]
fn path_04_a_parent_sequence_and_a_single_dot_are_refused(
    #[case] value: &str,
    #[values(false, true)] allow_slash: bool,
) {
    let rules = PlaceholderRules::default().allowing_slash(allow_slash);
    assert_eq!(verdict(value, &rules), "characterFloor");
}

#[rstest]
#[case("report.pdf")]
#[case(".env")]
#[case("v1.2.3")]
#[case("a.")]
fn path_04_other_dots_are_not(#[case] value: &str) {
    assert_eq!(by_default(value), "ok");
}

#[rstest]
#[case::one_byte("a")]
#[case::two_bytes("é")]
#[case::four_bytes("\u{1F600}")]
#[case::combining("\u{301}")]
fn path_05_the_cap_counts_code_points(#[case] character: &str) {
    assert_eq!(by_default(&character.repeat(PLACEHOLDER_MAX_LENGTH)), "ok");
    assert_eq!(
        by_default(&character.repeat(PLACEHOLDER_MAX_LENGTH + 1)),
        "maxLength"
    );
}

#[test]
fn path_05_an_escape_counts_as_the_three_characters_it_is_rendered_in() {
    let just_fits = format!("{}a", "%41".repeat(85));
    assert_eq!(by_default(&just_fits), "ok");
    assert_eq!(by_default(&format!("{just_fits}a")), "maxLength");
}

#[rstest]
#[case("a/b")]
#[case("..")]
#[case("a\u{0}")]
#[case("%2F")]
#[case("．．")]
fn path_06_a_pattern_never_widens_and_the_floor_is_what_is_reported(
    #[case] value: &str,
    #[values("^.*$", "", "^[\\s\\S]*$", "^nothing$")] pattern: &str,
) {
    let rules = PlaceholderRules::default().with_pattern(Some(pattern));
    assert_eq!(verdict(value, &rules), "characterFloor");
}

#[test]
fn path_06_a_pattern_narrows() {
    let rules = PlaceholderRules::default().with_pattern(Some("^C[0-9]+$"));
    assert_eq!(verdict("C0018787", &rules), "ok");
    assert_eq!(verdict("xC0018787", &rules), "pattern");
}

#[test]
fn path_07_a_length_narrows_and_never_widens() {
    let short = PlaceholderRules::default().with_max_length(Some(4));
    assert_eq!(verdict("éééé", &short), "ok");
    assert_eq!(verdict("ééééé", &short), "maxLength");

    let long = PlaceholderRules::default().with_max_length(Some(usize::MAX));
    assert_eq!(verdict(&"a".repeat(PLACEHOLDER_MAX_LENGTH), &long), "ok");
    assert_eq!(
        verdict(&"a".repeat(PLACEHOLDER_MAX_LENGTH + 1), &long),
        "maxLength"
    );

    let none = PlaceholderRules::default().with_max_length(Some(0));
    assert_eq!(verdict("a", &none), "maxLength");
}

#[rstest]
#[case("^[A-Z")]
#[case("(")]
#[case("a**")]
#[case("(?<=a")]
#[case("(a{1000}){1000}")]
#[case("\\")]
fn path_08_a_pattern_that_does_not_compile_refuses_every_value(
    #[case] pattern: &str,
    #[values("A", "a", "(", "a**", "\u{1F600}")] value: &str,
) {
    let rules = PlaceholderRules::default().with_pattern(Some(pattern));
    assert_eq!(verdict(value, &rules), "pattern");
}

#[rstest]
#[case("a/b", "ok")]
#[case("a%2Fb", "ok")]
#[case("a%2fb", "ok")]
#[case("/", "ok")]
#[case("a\\b", "characterFloor")]
#[case("a%5Cb", "characterFloor")]
#[case("a/../b", "characterFloor")]
#[case("a/%2e./b", "characterFloor")]
#[case("a?b", "characterFloor")]
#[case("a／b", "characterFloor")]
fn path_09_allowing_a_slash_admits_nothing_else(#[case] value: &str, #[case] expected: &str) {
    let rules = PlaceholderRules::default().allowing_slash(true);
    assert_eq!(verdict(value, &rules), expected);
}

#[rstest]
#[case("canary%25", PlaceholderRules::default())]
#[case("canary/", PlaceholderRules::default())]
#[case("..canary", PlaceholderRules::default().allowing_slash(true))]
#[case("canary", PlaceholderRules::default().with_pattern(Some("^C[0-9]+$")))]
#[case("canary", PlaceholderRules::default().with_pattern(Some("(")))]
#[case("canary", PlaceholderRules::default().with_max_length(Some(3)))]
fn path_15_a_refusal_names_the_parameter_and_never_the_value(
    #[case] value: &str,
    #[case] rules: PlaceholderRules<'_>,
) {
    let refusal = validate_path_placeholder("version", value, &rules).unwrap_err();
    let spoken = format!("{refusal} {refusal:?}");
    assert!(spoken.contains("version"));
    assert!(!spoken.contains("canary"));
}

#[test]
fn path_15_a_refusal_does_not_tell_which_character_it_was() {
    let refusals = [
        "a?", "a/", "a#", "a\\", "a\u{0}", "..", ".", "a%2F", "a．", "%c0%ae",
    ]
    .map(|value| validate_path_placeholder("id", value, &PlaceholderRules::default()).unwrap_err());
    assert!(
        refusals.windows(2).all(|pair| pair[0] == pair[1]),
        "{refusals:?}"
    );
}

#[test]
fn path_15_a_refusal_quotes_what_was_declared() {
    let pattern = PlaceholderRules::default().with_pattern(Some("^C[0-9]+$"));
    let length = PlaceholderRules::default().with_max_length(Some(3));
    let said = |rules| {
        validate_path_placeholder("id", "other", rules)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(said(&pattern), "param 'id' must match ^C[0-9]+$");
    assert_eq!(said(&length), "param 'id' must be at most 3 characters");
}

#[rstest]
#[case("%c0%ae%c0%ae")]
#[case("%C0%AF")]
#[case("%e0%80%ae")]
#[case("%f0%80%80%af")]
#[case("%c0.")]
#[case("．．")]
#[case("．")]
#[case("․․")]
#[case("‥")]
#[case("…")]
#[case("a／b")]
#[case("a＼b")]
#[case("a？b")]
#[case("a＃b")]
#[case("％2e")]
#[case("%ef%bc%8e")]
#[case("%E2%80%A4")]
#[case("a∕b")]
fn path_22_what_backends_fold_into_a_refused_character_is_refused(#[case] value: &str) {
    assert_eq!(by_default(value), "characterFloor");
    assert!(validate_resolved_target(&format!("/p/{value}")).is_err());
    assert!(target("/p/{a}", json!({ "a": value })).is_err());
    assert!(resolve_with("/p/${a}", &json!({ "a": value }), Value::Null).is_err());
}

#[rstest]
#[case("é")]
#[case("日本語")]
#[case("\u{1F600}")]
#[case("%E9t%E9")]
#[case("%80")]
#[case("ｆｕｌｌ")]
fn path_22_other_text_is_not(#[case] value: &str) {
    assert_eq!(by_default(value), "ok");
    assert!(target("/p/{a}", json!({ "a": value })).is_ok());
}

#[rstest]
#[case("a/b", "characterFloor")]
#[case("%25", "percentEncoding")]
#[case("", "nonEmpty")]
fn path_26_default_rules_keep_the_floor(#[case] value: &str, #[case] rule: &str) {
    assert_eq!(by_default(value), rule);
    assert_eq!(refusal(target("/p/{a}", json!({ "a": value }))).rule, rule);
}

#[test]
fn path_26_default_rules_keep_the_cap() {
    let value = "a".repeat(PLACEHOLDER_MAX_LENGTH + 1);
    assert_eq!(
        refusal(target("/p/{a}", json!({ "a": value }))).rule,
        "maxLength"
    );
}
