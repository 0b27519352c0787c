//! The profile of a resolver.

use serde::{Deserialize, Serialize};

use super::{Capabilities, Capability, ProfileError};

/// What a resolver does with a value that holds a reserved character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReserved {
    /// It refuses the value, whole.
    #[default]
    Refuse,
    /// It percent-encodes the character, so that the value stays one segment or one part of a
    /// pair, and one decoding gives it back.
    Encode,
}

/// What the author of a resolver promises. The builder's words are those of the `conformance!`
/// macro and of a profile file.
///
/// It begins with what the subject is: it [`resolves`](Self::resolves) a whole template, is a
/// lookup of [`placeholder_rules`](Self::placeholder_rules), [`validates`](Self::validates) single
/// values, or several of these.
///
/// ```
/// use proofmark_conformance::profile::ResolverProfile;
///
/// let profile = ResolverProfile::new().resolves().composes_query().encodes();
/// assert!(profile.validate().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ResolverProfile {
    /// Whether a whole template is resolved with its values.
    pub resolves: bool,
    /// Whether rules are looked up by method, template and parameter.
    pub placeholder_rules: bool,
    /// Whether single values are validated.
    pub validates: bool,
    /// What becomes of a value that holds a reserved character.
    pub on_reserved: OnReserved,
    /// Whether a template may have a `?` and values behind it.
    pub composes_query: bool,
    /// Whether `${var}` is interpolated.
    pub interpolates: bool,
    /// Whether a pattern can be declared for a parameter.
    pub patterns: bool,
    /// Whether a longest value can be declared for a parameter.
    pub max_lengths: bool,
    /// Whether the server's configuration can allow `/` in a parameter.
    pub allow_slash: bool,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident() => |$profile:ident| $change:expr;)*) => {
        impl ResolverProfile {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self) -> Self {
                    let $profile = &mut self;
                    $change;
                    self
                }
            )*
        }
    };
}

words! {
    /// A whole template is resolved with its values.
    resolves() => |p| p.resolves = true;
    /// Rules are looked up by method, template and parameter, as
    /// [`ResolveCase::placeholder_rules`](crate::subject::ResolveCase::placeholder_rules) does.
    placeholder_rules() => |p| p.placeholder_rules = true;
    /// Single values are validated.
    validates() => |p| p.validates = true;
    /// A value that holds a reserved character is refused; so it is unless declared.
    refuses() => |p| p.on_reserved = OnReserved::Refuse;
    /// A reserved character in a value is percent-encoded.
    encodes() => |p| p.on_reserved = OnReserved::Encode;
    /// A template may have a `?` and values behind it.
    composes_query() => |p| p.composes_query = true;
    /// `${var}` is interpolated before `{key}` is filled.
    interpolates() => |p| p.interpolates = true;
    /// A pattern that is declared for a parameter is asked.
    patterns() => |p| p.patterns = true;
    /// A longest value that is declared for a parameter is kept.
    max_lengths() => |p| p.max_lengths = true;
    /// The server's configuration can allow `/` in a parameter.
    allow_slash() => |p| p.allow_slash = true;
}

impl ResolverProfile {
    /// A profile that promises nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a profile file: TOML whose entries are the builder's words.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Unreadable`] where the text is not such a file, and whatever
    /// [`validate`](Self::validate) finds.
    ///
    /// ```
    /// use proofmark_conformance::profile::{OnReserved, ResolverProfile};
    ///
    /// let profile = ResolverProfile::from_toml("resolves = true\non_reserved = \"encode\"\n")?;
    /// assert_eq!(profile.on_reserved, OnReserved::Encode);
    /// # Ok::<(), proofmark_conformance::profile::ProfileError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        let profile: Self =
            toml::from_str(text).map_err(|cause| ProfileError::Unreadable(cause.to_string()))?;
        profile.validate()?;
        Ok(profile)
    }

    /// Says whether the profile can be judged.
    ///
    /// # Errors
    ///
    /// The first [`ProfileError`] found; each says how to mend it.
    pub fn validate(&self) -> Result<(), ProfileError> {
        if !self.resolves && !self.placeholder_rules && !self.validates {
            return Err(ProfileError::NoPartOfResolver);
        }
        let of_whole_templates = [
            ("composes_query", self.composes_query),
            ("interpolates", self.interpolates),
            ("encodes", self.encodes_reserved()),
        ];
        match of_whole_templates.into_iter().find(|(_, set)| *set) {
            Some((word, _)) if !self.resolves => Err(ProfileError::Orphan {
                word,
                needs: "resolves",
            }),
            _ => Ok(()),
        }
    }

    /// Whether reserved characters in values are encoded.
    #[must_use]
    pub fn encodes_reserved(&self) -> bool {
        self.on_reserved == OnReserved::Encode
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        use Capability as C;
        let facts = [
            (C::Resolve, self.resolves),
            (C::PlaceholderRules, self.placeholder_rules),
            (C::Query, self.composes_query),
            (C::Interpolation, self.interpolates),
            (C::Pattern, self.patterns),
            (C::MaxLength, self.max_lengths),
            (C::AllowSlash, self.allow_slash),
        ];
        facts
            .into_iter()
            .filter_map(|(capability, offered)| offered.then_some(capability))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn profile() -> ResolverProfile {
        ResolverProfile::new()
    }

    #[rstest]
    #[case::nothing(profile().patterns(), "`resolves`")]
    #[case::query_of_a_validator(profile().validates().composes_query(), "`composes_query` needs `resolves`")]
    #[case::encoding_validator(profile().validates().encodes(), "`encodes` needs `resolves`")]
    fn a_profile_that_cannot_be_judged_says_why(
        #[case] profile: ResolverProfile,
        #[case] expected: &str,
    ) {
        let error = profile.validate().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[rstest]
    #[case(profile().resolves().encodes().interpolates())]
    #[case(profile().placeholder_rules().patterns())]
    #[case(profile().validates())]
    fn a_profile_that_says_what_the_subject_is_is_judged(#[case] profile: ResolverProfile) {
        assert_eq!(profile.validate(), Ok(()));
    }

    #[test]
    fn an_unknown_entry_of_a_file_is_named() {
        let error = ResolverProfile::from_toml("resolves = true\npattern = true\n").unwrap_err();
        assert!(error.to_string().contains("unknown field `pattern`"));
    }
}
