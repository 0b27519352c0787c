//! What is declared for one placeholder on top of the floor.

use std::sync::{Arc, OnceLock};

use super::DeclaredPattern;

/// The longest declared pattern that a refusal quotes whole, in characters.
const QUOTED_PATTERN_LENGTH: usize = 200;

/// The narrowing declared for one placeholder.
///
/// The default declares nothing, and that is safe: the floor and the cap of
/// [`PLACEHOLDER_MAX_LENGTH`](super::PLACEHOLDER_MAX_LENGTH) hold whatever stands here.
///
/// A pattern is compiled at its first use and kept by these rules and all their clones. Rules that
/// are built anew for each request should borrow a [`DeclaredPattern`] instead.
///
/// ```
/// use proofmark::path::PlaceholderRules;
///
/// let rules = PlaceholderRules::default()
///     .with_pattern(Some("^[a-z]+$"))
///     .with_max_length(Some(32));
/// assert_eq!(rules.declared_max_length, Some(32));
/// ```
///
/// Source: seed 001.
#[non_exhaustive]
#[derive(Debug, Clone, Default)]
pub struct PlaceholderRules<'a> {
    /// An ECMA-262 pattern that the value must hold a match of, as in JSON Schema. One that does
    /// not compile refuses every value.
    pub declared_pattern: Option<&'a str>,
    /// The longest value, in code points; more than the cap changes nothing.
    pub declared_max_length: Option<usize>,
    /// Whether the value may hold `/`. Only the server's own configuration may say so: never wire
    /// it to anything in an OpenAPI document.
    pub allow_slash: bool,
    compiled: Compiled<'a>,
}

/// Where the compiled form of the pattern is kept.
#[derive(Debug, Clone, Default)]
enum Compiled<'a> {
    #[default]
    Nowhere,
    Here(Arc<OnceLock<DeclaredPattern>>),
    Borrowed(&'a DeclaredPattern),
}

impl<'a> PlaceholderRules<'a> {
    /// Declares a pattern, to be compiled when it is first needed.
    #[must_use]
    pub fn with_pattern(mut self, pattern: Option<&'a str>) -> Self {
        self.declared_pattern = pattern;
        self.compiled = match pattern {
            Some(_) => Compiled::Here(Arc::default()),
            None => Compiled::Nowhere,
        };
        self
    }

    /// Declares a pattern that was compiled before.
    ///
    /// ```
    /// use proofmark::path::{DeclaredPattern, PlaceholderRules, validate_path_placeholder};
    ///
    /// let kept = DeclaredPattern::new("^[0-9]+$");
    /// let rules = PlaceholderRules::default().with_compiled_pattern(Some(&kept));
    /// assert!(validate_path_placeholder("id", "7", &rules).is_ok());
    /// ```
    #[must_use]
    pub fn with_compiled_pattern(mut self, pattern: Option<&'a DeclaredPattern>) -> Self {
        self.declared_pattern = pattern.map(DeclaredPattern::as_str);
        self.compiled = pattern.map_or(Compiled::Nowhere, Compiled::Borrowed);
        self
    }

    /// Declares the longest value, in code points.
    #[must_use]
    pub fn with_max_length(mut self, max_length: Option<usize>) -> Self {
        self.declared_max_length = max_length;
        self
    }

    /// Admits `/` and `%2F` in the value, and nothing else that the floor refuses.
    #[must_use]
    pub fn allowing_slash(mut self, allow_slash: bool) -> Self {
        self.allow_slash = allow_slash;
        self
    }

    /// Whether the declared pattern, if there is one, matches.
    #[inline]
    pub(super) fn pattern_admits(&self, value: &str) -> bool {
        self.declared_pattern.is_none()
            || self
                .with_compiled(|pattern| pattern.matches(value))
                .unwrap_or(true)
    }

    /// What the declared pattern expects, in the words of a refusal.
    pub(super) fn pattern_expectation(&self) -> String {
        match self.with_compiled(DeclaredPattern::is_usable) {
            Some(true) => format!(
                "must match {}",
                quoted(self.declared_pattern.unwrap_or_default())
            ),
            _ => "has a declared pattern that cannot be used, so no value is accepted".to_owned(),
        }
    }

    fn with_compiled<T>(&self, ask: impl FnOnce(&DeclaredPattern) -> T) -> Option<T> {
        let source = self.declared_pattern?;
        let kept = match &self.compiled {
            Compiled::Here(cell) => Some(cell.get_or_init(|| DeclaredPattern::new(source))),
            Compiled::Borrowed(pattern) => Some(*pattern),
            Compiled::Nowhere => None,
        };
        // `declared_pattern` is public, so what is kept may be of another pattern.
        Some(match kept.filter(|kept| kept.as_str() == source) {
            Some(kept) => ask(kept),
            None => ask(&DeclaredPattern::new(source)),
        })
    }
}

/// The pattern, cut short if it is very long.
fn quoted(pattern: &str) -> String {
    match pattern.char_indices().nth(QUOTED_PATTERN_LENGTH) {
        Some((end, _)) => format!("{}…", &pattern[..end]),
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::validate_path_placeholder;

    fn accepts(rules: &PlaceholderRules<'_>, value: &str) -> bool {
        validate_path_placeholder("id", value, rules).is_ok()
    }

    #[test]
    fn clones_share_the_compiled_pattern() {
        let rules = PlaceholderRules::default().with_pattern(Some("^a$"));
        assert!(accepts(&rules.clone(), "a"));
        assert!(matches!(&rules.compiled, Compiled::Here(cell) if cell.get().is_some()));
    }

    #[test]
    fn a_pattern_that_was_set_afterwards_is_the_one_that_counts() {
        let mut rules = PlaceholderRules::default().with_pattern(Some("^a$"));
        assert!(accepts(&rules, "a"));
        rules.declared_pattern = Some("^b$");
        assert!(accepts(&rules, "b") && !accepts(&rules, "a"));
        rules.declared_pattern = None;
        assert!(accepts(&rules, "a") && accepts(&rules, "c"));
    }

    #[test]
    fn a_compiled_pattern_is_used_as_it_is() {
        let kept = DeclaredPattern::new("^a$");
        let rules = PlaceholderRules::default().with_compiled_pattern(Some(&kept));
        assert!(accepts(&rules, "a") && !accepts(&rules, "b"));
        assert!(accepts(&rules.with_pattern(None), "b"));
    }

    #[test]
    fn a_very_long_pattern_is_quoted_in_part() {
        let pattern = "é".repeat(300);
        let rules = PlaceholderRules::default().with_pattern(Some(&pattern));
        let refusal = validate_path_placeholder("id", "a", &rules).unwrap_err();
        assert_eq!(refusal.expected, format!("must match {}…", "é".repeat(200)));
    }
}
