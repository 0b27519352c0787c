//! A declared pattern, with the search semantics that JSON Schema takes from ECMA-262.

mod ecma;
mod sequence;

use std::sync::Arc;

use sequence::Sequence;

/// The longest pattern that is compiled, in bytes.
const MAX_PATTERN_LENGTH: usize = 16 * 1024;

/// The most memory one compiled pattern may take, in bytes.
const MAX_COMPILED_SIZE: usize = 10 * 1024 * 1024;

/// How often the backtracking engine may step back within one value before it gives up.
const MAX_BACKTRACKS: usize = 100_000;

/// A pattern compiled once, to be shared by the rules of many requests.
///
/// It is read as ECMA-262 reads a pattern with the `u` flag, as JSON Schema asks: unanchored,
/// `\d` and `\w` of ASCII only, `$` at the very end and nowhere else. Escaped punctuation that the
/// flag forbids, such as `\-`, is taken as the character itself. The time to match is linear in
/// the value, unless the pattern looks around; then steps are counted, and a value that uses them
/// up does not match.
///
/// A pattern that is not of that grammar, that uses a back-reference or looks around within a
/// look-behind of varying length, or whose compiled form would be too large, is not usable: it
/// matches nothing. Clones share the compiled form.
///
/// ```
/// use proofmark::path::DeclaredPattern;
///
/// let code = DeclaredPattern::new(r"^C\d+$");
/// assert!(code.matches("C0018787") && !code.matches("C٣"));
///
/// let broken = DeclaredPattern::new("^[A-Z");
/// assert!(!broken.is_usable() && !broken.matches("A"));
/// ```
#[derive(Debug, Clone)]
pub struct DeclaredPattern {
    source: Arc<str>,
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    Sequence(Sequence),
    Linear(regex::Regex),
    Backtracking(fancy_regex::Regex),
    Unusable,
}

impl DeclaredPattern {
    /// Compiles a pattern; see [`is_usable`](Self::is_usable) for whether that went well.
    #[must_use]
    pub fn new(source: &str) -> Self {
        Self {
            source: source.into(),
            engine: Engine::compile(source).unwrap_or(Engine::Unusable),
        }
    }

    /// The pattern as it was declared.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether the pattern compiled. One that did not matches nothing, so this is worth asking
    /// when a configuration is loaded.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !matches!(self.engine, Engine::Unusable)
    }

    /// Whether the pattern matches somewhere in `value`.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        match &self.engine {
            Engine::Sequence(sequence) => sequence.matches(value),
            Engine::Linear(regex) => regex.is_match(value),
            Engine::Backtracking(regex) => regex.is_match(value).unwrap_or(false),
            Engine::Unusable => false,
        }
    }
}

impl Engine {
    fn compile(source: &str) -> Option<Self> {
        if source.len() > MAX_PATTERN_LENGTH {
            return None;
        }
        let translation = ecma::translate(source)?;
        if translation.looks_around {
            fancy_regex::RegexBuilder::new(&translation.text)
                .backtrack_limit(MAX_BACKTRACKS)
                .delegate_size_limit(MAX_COMPILED_SIZE)
                .build()
                .ok()
                .map(Self::Backtracking)
        } else if let Some(sequence) = Sequence::of(&translation.text) {
            Some(Self::Sequence(sequence))
        } else {
            regex::RegexBuilder::new(&translation.text)
                .size_limit(MAX_COMPILED_SIZE)
                .build()
                .ok()
                .map(Self::Linear)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::unanchored("b", "abc", true)]
    #[case::empty("", "anything", true)]
    #[case::end_is_the_very_end("^a$", "a\n", false)]
    #[case::ascii_digit(r"^\d$", "٣", false)]
    #[case::ascii_word(r"^\w$", "é", false)]
    #[case::not_digit(r"^\D$", "٣", true)]
    #[case::unicode_space(r"^\s$", "\u{2003}", true)]
    #[case::bom_is_space(r"^\s$", "\u{FEFF}", true)]
    #[case::next_line_is_no_space(r"^\s$", "\u{85}", false)]
    #[case::space_in_class(r"^[\s]$", "\u{3000}", true)]
    #[case::not_space_in_class(r"^[^\S]$", "\u{3000}", true)]
    #[case::dot_is_one_code_point("^.$", "\u{1F600}", true)]
    #[case::dot_is_no_line_end("^.$", "\u{2028}", false)]
    #[case::property(r"^\p{Lu}\P{Lu}$", "Éé", true)]
    #[case::script(r"^\p{Script=Greek}+$", "αβγ", true)]
    #[case::property_in_class(r"^[\p{L}\d]+$", "é9", true)]
    #[case::empty_class("[]", "a", false)]
    #[case::full_class("^[^]$", "\u{2028}", true)]
    #[case::bracket_in_class(r"^[[\]]+$", "[]", true)]
    #[case::no_set_operations("^[a&&b]+$", "a&b", true)]
    #[case::no_posix_class("^[[:alpha:]]$", "a]", true)]
    #[case::hyphen_last("^[a-c-]+$", "b-", true)]
    #[case::range_from_hyphen("^[--/]$", ".", true)]
    #[case::hex(r"^\x41\u0042\u{43}$", "ABC", true)]
    #[case::surrogate_pair(r"^\uD83D\uDE00$", "\u{1F600}", true)]
    #[case::control(r"^\cA$", "\u{1}", true)]
    #[case::punctuation(r"^\/\.\-\@$", "/.-@", true)]
    #[case::counts("^a{2}b{1,}c{0,1}$", "aab", true)]
    #[case::lazy("^a+?b??$", "aab", true)]
    #[case::group_name("^(?<year>[0-9]{4})$", "2024", true)]
    #[case::boundary(r"\bé", "xé", true)]
    #[case::ascii_boundary(r"^é\b", "éa", true)]
    #[case::not_boundary(r"^a\Bb$", "ab", true)]
    #[case::boundary_while_looking(r"^(?=a)a\bé$", "aé", true)]
    #[case::lookahead("^(?!x).*$", "ax", true)]
    #[case::lookahead_refuses("^(?!x).*$", "xa", false)]
    #[case::lookbehind("(?<=a+)b$", "aab", true)]
    #[case::lookbehind_refuses("(?<!a)b$", "ab", false)]
    #[case::repeated_group_of_a_lookahead("^(?:(?=a))*a$", "a", true)]
    #[case::repeated_empty_group("^(?:)*(?=a)a$", "a", true)]
    #[case::stray_brackets("^]}$", "]}", true)]
    fn a_pattern_means_what_ecma_262_says(
        #[case] pattern: &str,
        #[case] value: &str,
        #[case] matches: bool,
    ) {
        let pattern = DeclaredPattern::new(pattern);
        assert!(pattern.is_usable());
        assert_eq!(pattern.matches(value), matches);
    }

    #[rstest]
    #[case::open_class("^[A-Z")]
    #[case::open_group("(a")]
    #[case::closed_group("a)")]
    #[case::nothing_to_repeat("*a")]
    #[case::repeated_repeat("a**")]
    #[case::possessive("a++")]
    #[case::repeated_anchor("^*")]
    #[case::repeated_lookahead("(?=a)*")]
    #[case::literal_brace("a{")]
    #[case::no_least_count("a{,2}")]
    #[case::counts_out_of_order("a{2,1}")]
    #[case::huge_count("a{1000000000}")]
    #[case::range_out_of_order("[z-a]")]
    #[case::range_of_set(r"[\d-x]")]
    #[case::range_to_set(r"[a-\d]")]
    #[case::start_of_text(r"\Aa")]
    #[case::end_of_text(r"a\z")]
    #[case::inline_flag("(?i)a")]
    #[case::flag_group("(?i:a)")]
    #[case::atomic_group("(?>a)")]
    #[case::comment("(?#a)")]
    #[case::python_name("(?P<a>b)")]
    #[case::back_reference(r"(a)\1")]
    #[case::named_back_reference(r"(?<n>a)\k<n>")]
    #[case::unknown_letter(r"\e")]
    #[case::lone_surrogate(r"\uD800")]
    #[case::beyond_unicode(r"\u{110000}")]
    #[case::short_hex(r"\x4")]
    #[case::octal(r"\01")]
    #[case::unknown_property(r"\p{Nonsense}")]
    #[case::bare_property(r"\pL")]
    #[case::trailing_backslash("a\\")]
    #[case::exploding("(a{1000}){1000}")]
    #[case::exploding_while_looking("(?!x)(?:a{1000}){1000}")]
    #[case::exploding_class(r"(?:\p{L}{500}){500}")]
    fn what_ecma_262_does_not_know_matches_nothing(#[case] pattern: &str) {
        let pattern = DeclaredPattern::new(pattern);
        assert!(!pattern.is_usable());
        assert!(!pattern.matches("a") && !pattern.matches(""));
    }

    #[test]
    fn nesting_without_end_matches_nothing() {
        let deep = format!("{}{}", "(".repeat(8_000), ")".repeat(8_000));
        assert!(!DeclaredPattern::new(&deep).is_usable());
        assert!(!DeclaredPattern::new(&format!("(?=a){deep}")).is_usable());
    }

    #[test]
    fn a_pattern_of_megabytes_matches_nothing() {
        assert!(!DeclaredPattern::new(&"a".repeat(10 << 20)).is_usable());
    }

    #[rstest]
    #[case("^(?!x)(?:a+)+$")]
    #[case("^(?=a)(?:a|a)*$")]
    #[case("^(?:(?=a)a?){200}b$")]
    fn running_out_of_steps_refuses(#[case] pattern: &str) {
        let pattern = DeclaredPattern::new(pattern);
        assert!(pattern.is_usable());
        assert!(!pattern.matches(&format!("{}!", "a".repeat(250))));
    }

    #[test]
    fn clones_and_the_original_are_one_pattern() {
        let pattern = DeclaredPattern::new("^a$");
        let clone = pattern.clone();
        assert!(std::ptr::eq(pattern.as_str(), clone.as_str()));
        assert!(clone.matches("a"));
    }
}
