//! The rules that a vector declares for a value.

use serde::{Deserialize, Serialize};

use crate::toolkit::path::PlaceholderRules;

/// What is declared for one parameter. The default declares nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRules {
    /// An ECMA-262 pattern, matched anywhere in the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The longest value in code points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// Whether the server's own configuration lets the value hold `/`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_slash: bool,
}

/// The rules of one parameter on one endpoint. They hold for no other method and no other template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RulesFor {
    /// The method, in upper case.
    pub method: String,
    /// The template as it is after `${var}` and before `{key}`.
    pub template: String,
    /// The parameter.
    pub param: String,
    /// What is declared for it.
    pub rules: ValueRules,
}

impl ValueRules {
    /// Whether nothing is declared.
    #[must_use]
    pub fn are_default(&self) -> bool {
        *self == Self::default()
    }

    /// The rules as the toolkit takes them.
    #[must_use]
    pub fn as_toolkit(&self) -> PlaceholderRules<'_> {
        let max_length = self
            .max_length
            .map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        PlaceholderRules::default()
            .with_pattern(self.pattern.as_deref())
            .with_max_length(max_length)
            .allowing_slash(self.allow_slash)
    }
}
