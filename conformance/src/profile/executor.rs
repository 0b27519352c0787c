//! The profile of an HTTP executor.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Capabilities, Capability, ProfileError};

/// How a credential travels, or where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuthScheme {
    /// `Authorization: Bearer` and the credential.
    Bearer,
    /// `Authorization: Basic`, of a user and the credential as the password.
    Basic,
    /// The credential in a header of this name.
    HeaderKey(String),
    /// The credential in a query pair of this name.
    QueryKey(String),
    /// The caller's own token, passed on.
    Forwarded,
    /// A token that is fetched from an endpoint with a client's id and secret.
    TokenEndpoint,
}

impl AuthScheme {
    /// Whether the credential travels in a header.
    #[must_use]
    pub fn is_header(&self) -> bool {
        !matches!(self, Self::QueryKey(_))
    }
}

impl fmt::Display for AuthScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bearer => f.write_str("bearer"),
            Self::Basic => f.write_str("basic"),
            Self::HeaderKey(name) => write!(f, "header_key = {name:?}"),
            Self::QueryKey(name) => write!(f, "query_key = {name:?}"),
            Self::Forwarded => f.write_str("forwarded"),
            Self::TokenEndpoint => f.write_str("token_endpoint"),
        }
    }
}

/// How an array of scalars becomes query pairs, where it is not refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrayForm {
    /// One pair an item, all under the field's key.
    #[default]
    Repeated,
    /// One pair an item, all under the field's key and `[]`.
    Brackets,
    /// One pair, its items joined by commas.
    Commas,
}

/// What the author of an executor promises. The builder's words are those of the `conformance!`
/// macro and of a profile file. A profile without a word is one of an executor that has no
/// credential and asks no policy.
///
/// ```
/// use proofmark_conformance::profile::ExecutorProfile;
///
/// let profile = ExecutorProfile::new().bearer().policy().methods(["GET", "POST"]);
/// assert!(profile.validate().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ExecutorProfile {
    /// How the credential travels; the executor is built for each of these.
    pub schemes: Vec<AuthScheme>,
    /// Whether a policy is asked about every request.
    pub policy: bool,
    /// The methods that are supported; where none is declared, those that are sent are.
    pub methods: Vec<String>,
    /// Whether a failed request may be repeated.
    pub retries: bool,
    /// How an array of scalars becomes pairs.
    pub arrays: ArrayForm,
    /// How long one call may take, in milliseconds, where the factory does not take the deadline.
    pub deadline_ms: Option<u64>,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty)?) => |$profile:ident| $change:expr;)*) => {
        impl ExecutorProfile {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self $(, $arg: $ty)?) -> Self {
                    let $profile = &mut self;
                    $change;
                    self
                }
            )*
        }
    };
}

words! {
    /// The credential is a bearer token.
    bearer() => |p| p.schemes.push(AuthScheme::Bearer);
    /// The credential is a password, sent with a user as `Basic`.
    basic() => |p| p.schemes.push(AuthScheme::Basic);
    /// The credential travels in a header of this name.
    header_key(name: impl Into<String>) => |p| p.schemes.push(AuthScheme::HeaderKey(name.into()));
    /// The credential travels in a query pair of this name.
    query_key(name: impl Into<String>) => |p| p.schemes.push(AuthScheme::QueryKey(name.into()));
    /// The credential is the caller's own token, passed on.
    forwarded() => |p| p.schemes.push(AuthScheme::Forwarded);
    /// The credential is a token that is fetched from
    /// [`token_url`](crate::subject::ExecutorEnv::token_url) with a client's id and secret.
    token_endpoint() => |p| p.schemes.push(AuthScheme::TokenEndpoint);
    /// A policy is asked about every request before it is authenticated and sent.
    policy() => |p| p.policy = true;
    /// The methods that are supported; all others are errors.
    methods(names: impl IntoIterator<Item = impl Into<String>>) =>
        |p| p.methods.extend(names.into_iter().map(Into::into));
    /// A failed request may be repeated.
    retries() => |p| p.retries = true;
    /// An array of scalars becomes one pair an item, under the field's key and `[]`.
    bracket_arrays() => |p| p.arrays = ArrayForm::Brackets;
    /// An array of scalars becomes one pair, its items joined by commas.
    comma_arrays() => |p| p.arrays = ArrayForm::Commas;
    /// One call may take so many milliseconds, whatever deadline the factory is handed.
    deadline_ms(millis: u64) => |p| p.deadline_ms = Some(millis);
}

impl ExecutorProfile {
    /// How long a call may take where neither the profile declares a deadline nor the factory
    /// takes one.
    pub const DEADLINE: Duration = Duration::from_secs(5);

    /// A profile without a word.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a profile file: TOML whose entries are the profile's fields.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Unreadable`] where the text is not such a file, and whatever
    /// [`validate`](Self::validate) finds.
    ///
    /// ```
    /// use proofmark_conformance::profile::{AuthScheme, ExecutorProfile};
    ///
    /// let profile = ExecutorProfile::from_toml(r#"
    ///     schemes = ["bearer", { query_key = "api_key" }]
    ///     policy = true
    /// "#)?;
    /// assert_eq!(profile.schemes[1], AuthScheme::QueryKey("api_key".to_owned()));
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
        for scheme in &self.schemes {
            let name = match scheme {
                AuthScheme::HeaderKey(name) => ("header_key", name, is_token(name)),
                AuthScheme::QueryKey(name) => ("query_key", name, !name.is_empty()),
                _ => continue,
            };
            if let (word, name, false) = name {
                let name = name.clone();
                return Err(ProfileError::NoName { word, name });
            }
        }
        for method in &self.methods {
            if !is_token(method) || method.to_ascii_uppercase() != *method {
                let name = method.clone();
                return Err(ProfileError::NoName {
                    word: "methods",
                    name,
                });
            }
        }
        match self.deadline_ms {
            Some(value) if !(50..=30_000).contains(&value) => Err(ProfileError::OutOfRange {
                word: "deadline_ms",
                value,
                why: "a call that is judged takes from 50 ms to 30 s",
            }),
            _ => Ok(()),
        }
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        use AuthScheme as A;
        use Capability as C;
        let any = |is: fn(&A) -> bool| self.schemes.iter().any(is);
        let token = any(|scheme| matches!(scheme, A::TokenEndpoint));
        let further = any(|scheme| !matches!(scheme, A::Bearer | A::TokenEndpoint));
        let named = any(|scheme| matches!(scheme, A::HeaderKey(_) | A::QueryKey(_)));
        let header = any(|scheme| scheme.is_header() && !matches!(scheme, A::TokenEndpoint));
        let facts = [
            (C::Credential, !self.schemes.is_empty()),
            (C::AuthSchemes, further),
            (C::HeaderCredential, header),
            (C::NamedCredential, named),
            (C::TokenEndpoint, token),
            (C::AsksPolicy, self.policy),
            (C::Retries, self.retries),
        ];
        facts
            .into_iter()
            .filter_map(|(capability, offered)| offered.then_some(capability))
            .collect()
    }
}

/// Whether a text is a token in the sense of RFC 9110.
fn is_token(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(ExecutorProfile::new().header_key("x y"), "`header_key`")]
    #[case(ExecutorProfile::new().query_key(""), "`query_key`")]
    #[case(ExecutorProfile::new().methods(["get"]), "`methods`")]
    #[case(ExecutorProfile::new().deadline_ms(0), "`deadline_ms = 0`")]
    fn what_cannot_be_judged_is_named(#[case] profile: ExecutorProfile, #[case] named: &str) {
        let error = profile.validate().unwrap_err().to_string();
        assert!(error.starts_with(named), "{error}");
    }

    #[test]
    fn an_unknown_entry_is_refused() {
        let error = ExecutorProfile::from_toml("polices = true").unwrap_err();
        assert!(error.to_string().contains("polices"), "{error}");
    }
}
