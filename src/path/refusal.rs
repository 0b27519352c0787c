//! Why a placeholder value, or the path composed from several, was refused.

/// A refusal of one placeholder value, or of a composed path.
///
/// It names the parameter and what was declared for it. It holds no byte of the refused value and
/// does not say which character was at fault, for that would give one away.
///
/// ```
/// use proofmark::path::{PlaceholderRules, validate_path_placeholder};
///
/// let refusal = validate_path_placeholder("id", "a/b", &PlaceholderRules::default()).unwrap_err();
/// assert_eq!((refusal.param.as_str(), refusal.rule), ("id", "characterFloor"));
/// assert!(!refusal.to_string().contains("a/b"));
/// ```
///
/// Source: seed 001.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("param '{param}' {expected}")]
pub struct PlaceholderRefusal {
    /// The declared name of the parameter; `path segment` or `query` for a composed target, which
    /// belongs to no single parameter.
    pub param: String,
    /// The rule that refused: `nonEmpty`, `percentEncoding`, `characterFloor`, `maxLength`,
    /// `pattern`, `segmentMaxLength` or `pathSegment`.
    pub rule: &'static str,
    /// What the rule expects, in words that follow the name: `must not be empty`.
    pub expected: String,
}

impl PlaceholderRefusal {
    pub(crate) fn new(param: &str, rule: &'static str, expected: impl Into<String>) -> Self {
        Self {
            param: param.to_owned(),
            rule,
            expected: expected.into(),
        }
    }
}
