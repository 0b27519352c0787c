//! The floor that every placeholder value meets, whatever was declared for it.

use super::bytes::{
    DENIED, DOT, Decoded, FOLD, PERCENT, SLASH, are_plain, class, classes, escapes_are_plain,
    escapes_are_sound, has_pair,
};
use super::fold::FoldScan;
use super::place::Half;
use super::{PlaceholderRefusal, PlaceholderRules};

/// The longest value a placeholder takes, in Unicode code points of the rendered value.
///
/// A declared length narrows it and never widens it.
///
/// Source: seed 001.
pub const PLACEHOLDER_MAX_LENGTH: usize = 256;

/// The longest UTF-8 form of a code point, in bytes.
pub(super) const MAX_UTF8_LENGTH: usize = 4;

pub(super) const ESCAPE_EXPECTATION: &str =
    "must hold no encoded percent sign and no malformed percent escape";
const FLOOR_EXPECTATION: &str = "must hold no path separator, no parent-directory sequence, \
    no query or fragment mark, no backslash and no control character, whether written out, \
    percent-encoded or as a look-alike, and must not be a single dot";
const FLOOR_EXPECTATION_WITH_SLASH: &str = "must hold no parent-directory sequence, no query or \
    fragment mark, no backslash and no control character, whether written out, percent-encoded \
    or as a look-alike, and must not be a single dot";

/// Checks one rendered value for the place of `param` in the path half of a target.
///
/// In this order: the floor, which nothing declared can relax; the cap of
/// [`PLACEHOLDER_MAX_LENGTH`]; the declared pattern; the declared length. The floor decodes once
/// and then looks, so no spelling of a refused character gets past it: empty values, `%25`,
/// malformed escapes, `?` `#` `/` `\`, ASCII controls, `..` anywhere, a single `.`, overlong UTF-8
/// and characters that normalise to one of these. [`PlaceholderRules::allowing_slash`] admits `/`
/// and `%2F` and nothing else.
///
/// Two values that each pass can still compose into something that must not be sent: check the
/// composed target with [`validate_resolved_target`](super::validate_resolved_target), or let
/// [`PathTemplate`](super::PathTemplate) do both.
///
/// Accepting a value allocates nothing, but for what a pattern's engine keeps after its first use.
///
/// # Errors
///
/// A [`PlaceholderRefusal`] that names `param` and the first rule the value breaks.
///
/// ```
/// use proofmark::path::{PlaceholderRules, validate_path_placeholder};
///
/// let rules = PlaceholderRules::default().with_pattern(Some("^C[0-9]+$"));
/// assert!(validate_path_placeholder("code", "C0018787", &rules).is_ok());
/// assert_eq!(validate_path_placeholder("code", "X1", &rules).unwrap_err().rule, "pattern");
/// assert_eq!(validate_path_placeholder("code", "C1%2e%2e", &rules).unwrap_err().rule, "characterFloor");
/// ```
///
/// Source: seed 001.
pub fn validate_path_placeholder(
    param: &str,
    value: &str,
    rules: &PlaceholderRules<'_>,
) -> Result<(), PlaceholderRefusal> {
    check_value(param, value, rules, Half::Path)
}

/// [`validate_path_placeholder`] for a value in either half.
pub(super) fn check_value(
    param: &str,
    value: &str,
    rules: &PlaceholderRules<'_>,
    half: Half,
) -> Result<(), PlaceholderRefusal> {
    if is_above_floor(value.as_bytes(), rules.allow_slash, half)
        && !exceeds(value, PLACEHOLDER_MAX_LENGTH)
        && rules.pattern_admits(value)
        && !rules
            .declared_max_length
            .is_some_and(|declared| exceeds(value, declared))
    {
        Ok(())
    } else {
        Err(first_broken_rule(param, value, rules, half))
    }
}

/// The refusal of a value that is not accepted. Apart from the check, so that accepting pays
/// nothing for it.
#[cold]
fn first_broken_rule(
    param: &str,
    value: &str,
    rules: &PlaceholderRules<'_>,
    half: Half,
) -> PlaceholderRefusal {
    if !is_above_floor(value.as_bytes(), rules.allow_slash, half) {
        floor_refusal(param, value, rules.allow_slash)
    } else if exceeds(value, PLACEHOLDER_MAX_LENGTH) {
        too_long(param, PLACEHOLDER_MAX_LENGTH)
    } else if !rules.pattern_admits(value) {
        PlaceholderRefusal::new(param, "pattern", rules.pattern_expectation())
    } else {
        too_long(
            param,
            rules.declared_max_length.unwrap_or(PLACEHOLDER_MAX_LENGTH),
        )
    }
}

fn is_above_floor(value: &[u8], allow_slash: bool, half: Half) -> bool {
    if are_plain(value) {
        return !value.is_empty();
    }
    let seen = classes(value);
    if seen & FOLD != 0 || (seen & PERCENT != 0 && !escapes_are_plain(value)) {
        return decoded_is_above_floor(value, allow_slash, half);
    }
    let has_parent = || has_pair(value, |a, b| (a == b'.') & (b == b'.'));
    let dots_are_harmless = seen & DOT == 0 || !(value == b"." || has_parent());
    seen & DENIED == 0 && (allow_slash || seen & SLASH == 0) && dots_are_harmless
}

/// The floor over the bytes that a backend sees after one decode.
fn decoded_is_above_floor(value: &[u8], allow_slash: bool, half: Half) -> bool {
    let mut fold = FoldScan::default();
    let mut length = 0_usize;
    let mut previous = 0;
    for byte in Decoded::new(value) {
        let Ok(byte) = byte else {
            return false;
        };
        let class = class(byte);
        if class & DENIED != 0
            || (class & SLASH != 0 && !allow_slash)
            || (byte == b'.' && previous == b'.')
            || (fold.feed(byte) && half == Half::Path)
        {
            return false;
        }
        length += 1;
        previous = byte;
    }
    !(length == 1 && previous == b'.')
}

/// Which floor rule to report: the first of emptiness, escapes, characters.
fn floor_refusal(param: &str, value: &str, allow_slash: bool) -> PlaceholderRefusal {
    if value.is_empty() {
        PlaceholderRefusal::new(param, "nonEmpty", "must not be empty")
    } else if !escapes_are_sound(value.as_bytes()) {
        PlaceholderRefusal::new(param, "percentEncoding", ESCAPE_EXPECTATION)
    } else if allow_slash {
        PlaceholderRefusal::new(param, "characterFloor", FLOOR_EXPECTATION_WITH_SLASH)
    } else {
        PlaceholderRefusal::new(param, "characterFloor", FLOOR_EXPECTATION)
    }
}

/// Whether the text has more than `limit` code points, counting no more of it than it must.
fn exceeds(text: &str, limit: usize) -> bool {
    text.len() > limit
        && (text.len() > limit.saturating_mul(MAX_UTF8_LENGTH) || text.chars().count() > limit)
}

fn too_long(param: &str, limit: usize) -> PlaceholderRefusal {
    PlaceholderRefusal::new(param, "maxLength", too_long_expectation(limit))
}

pub(super) fn too_long_expectation(limit: usize) -> String {
    format!("must be at most {limit} characters")
}
