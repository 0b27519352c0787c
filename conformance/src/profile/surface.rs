//! The profile of a surface.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{AuthScheme, Capabilities, Capability, ExecutorProfile, ProfileError};

/// What the author of a surface promises. The builder's words are those of the `conformance!` macro
/// and of a profile file. Every surface is judged as one that asks a policy.
///
/// ```
/// use proofmark_conformance::profile::SurfaceProfile;
///
/// let profile = SurfaceProfile::new().scripted().bearer().calls_per_script(20);
/// assert!(profile.validate().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SurfaceProfile {
    /// Whether it offers tools that send one request each.
    pub curated: bool,
    /// Whether it runs scripts: the caller's own, and those of tools.
    pub scripted: bool,
    /// Whether it looks at scripts before they are executed.
    pub validates_scripts: bool,
    /// How the credential travels; the surface is built for each of these.
    pub schemes: Vec<AuthScheme>,
    /// The methods that are supported; where none is declared, GET and POST are sent.
    pub methods: Vec<String>,
    /// Whether a failed request may be repeated.
    pub retries: bool,
    /// Whether arguments can be judged by a validator.
    pub argument_validator: bool,
    /// Whether it can be built without its schema check.
    pub optional_schema: bool,
    /// Whether arguments can be declared to become headers.
    pub header_parameters: bool,
    /// How many calls one script may make.
    pub calls_per_script: Option<u64>,
    /// How many iterations all loops of one script may run through.
    pub loop_iterations: Option<u64>,
    /// How large an answer may be, in bytes.
    pub response_bytes: Option<u64>,
    /// How long one script may take, in milliseconds.
    pub script_ms: Option<u64>,
    /// How long one request may take, in milliseconds, where the factory does not take the
    /// deadline.
    pub deadline_ms: Option<u64>,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty)?) => |$profile:ident| $change:expr;)*) => {
        impl SurfaceProfile {
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
    /// It offers tools that send one request each, as the factory is told.
    curated() => |p| p.curated = true;
    /// It runs scripts: the caller's own, and those of the tools that the factory is told.
    scripted() => |p| p.scripted = true;
    /// It looks at scripts before they are executed.
    validates_scripts() => |p| p.validates_scripts = true;
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
    /// The methods that are supported.
    methods(names: impl IntoIterator<Item = impl Into<String>>) =>
        |p| p.methods.extend(names.into_iter().map(Into::into));
    /// A failed request may be repeated.
    retries() => |p| p.retries = true;
    /// The arguments of a tool can be judged by a validator, which the factory is handed.
    argument_validator() => |p| p.argument_validator = true;
    /// It can be built without its schema check, as the factory is told.
    optional_schema() => |p| p.optional_schema = true;
    /// Arguments can be declared to become headers.
    header_parameters() => |p| p.header_parameters = true;
    /// One script makes at most so many calls.
    calls_per_script(calls: u64) => |p| p.calls_per_script = Some(calls);
    /// All loops of one script run through at most so many iterations.
    loop_iterations(iterations: u64) => |p| p.loop_iterations = Some(iterations);
    /// An answer of the backend has at most so many bytes.
    response_bytes(bytes: u64) => |p| p.response_bytes = Some(bytes);
    /// One script takes at most so many milliseconds.
    script_ms(millis: u64) => |p| p.script_ms = Some(millis);
    /// One request may take so many milliseconds, whatever deadline the factory is handed.
    deadline_ms(millis: u64) => |p| p.deadline_ms = Some(millis);
}

/// A word, its value, the least and the most that can be judged, and what is said of another.
type Range = (
    &'static str,
    fn(&SurfaceProfile) -> Option<u64>,
    u64,
    u64,
    &'static str,
);

const RANGES: &[Range] = &[
    (
        "calls_per_script",
        |p| p.calls_per_script,
        2,
        1_000,
        "between 2 and 1000 can be judged; declare such a limit and build the subject with it",
    ),
    (
        "loop_iterations",
        |p| p.loop_iterations,
        4,
        100_000,
        "between 4 and 100000 can be judged; declare such a limit and build the subject with it",
    ),
    (
        "response_bytes",
        |p| p.response_bytes,
        64,
        16 << 20,
        "between 64 and 16777216 can be judged; declare such a limit and build the subject with it",
    ),
    (
        "script_ms",
        |p| p.script_ms,
        100,
        10_000,
        "a script that is judged takes from 100 ms to 10 s",
    ),
    (
        "deadline_ms",
        |p| p.deadline_ms,
        50,
        30_000,
        "a request that is judged takes from 50 ms to 30 s",
    ),
];

impl SurfaceProfile {
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
    /// use proofmark_conformance::profile::SurfaceProfile;
    ///
    /// let profile = SurfaceProfile::from_toml("curated = true\nschemes = [\"bearer\"]\n")?;
    /// assert!(profile.curated && !profile.scripted);
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
        if !self.curated && !self.scripted {
            return Err(ProfileError::NoKindOfSurface);
        }
        self.validate_needs()?;
        if self.schemes.contains(&AuthScheme::TokenEndpoint) {
            return Err(ProfileError::NoName {
                word: "schemes",
                name: AuthScheme::TokenEndpoint.to_string(),
            });
        }
        for &(word, value, least, most, why) in RANGES {
            match value(self) {
                Some(value) if value < least || value > most => {
                    return Err(ProfileError::OutOfRange { word, value, why });
                }
                _ => {}
            }
        }
        self.as_sender().validate()
    }

    /// Refuses a word that says something about what this surface does not offer.
    fn validate_needs(&self) -> Result<(), ProfileError> {
        let needs = [
            (
                "validates_scripts",
                self.validates_scripts,
                "scripted",
                self.scripted,
            ),
            (
                "calls_per_script",
                self.calls_per_script.is_some(),
                "scripted",
                self.scripted,
            ),
            (
                "loop_iterations",
                self.loop_iterations.is_some(),
                "scripted",
                self.scripted,
            ),
            (
                "script_ms",
                self.script_ms.is_some(),
                "scripted",
                self.scripted,
            ),
            (
                "argument_validator",
                self.argument_validator,
                "curated",
                self.curated,
            ),
            (
                "header_parameters",
                self.header_parameters,
                "curated",
                self.curated,
            ),
            (
                "optional_schema",
                self.optional_schema,
                "argument_validator",
                self.argument_validator,
            ),
        ];
        for (word, declared, needs, met) in needs {
            if declared && !met {
                return Err(ProfileError::Orphan { word, needs });
            }
        }
        Ok(())
    }

    /// How long a request may take where neither the profile declares a deadline nor the factory
    /// takes one.
    pub const DEADLINE: Duration = ExecutorProfile::DEADLINE;

    /// What it shares with an executor.
    pub(crate) fn as_sender(&self) -> ExecutorProfile {
        ExecutorProfile {
            schemes: self.schemes.clone(),
            methods: self.methods.clone(),
            retries: self.retries,
            policy: true,
            deadline_ms: self.deadline_ms,
            ..ExecutorProfile::default()
        }
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        use Capability as C;
        let limits = [
            self.calls_per_script,
            self.loop_iterations,
            self.response_bytes,
            self.script_ms,
        ];
        let facts = [
            (C::Scripts, self.validates_scripts),
            (C::ArgumentValidator, self.argument_validator),
            (C::Limits, limits.iter().any(Option::is_some)),
        ];
        let mut offered = self.as_sender().capabilities();
        let facts = facts.into_iter();
        offered.extend(facts.filter_map(|(capability, offered)| offered.then_some(capability)));
        offered
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(
        SurfaceProfile::new(),
        "the profile does not say what the surface offers"
    )]
    #[case(SurfaceProfile::new().curated().calls_per_script(5), "`calls_per_script` needs `scripted`")]
    #[case(SurfaceProfile::new().scripted().header_parameters(), "`header_parameters` needs `curated`")]
    #[case(SurfaceProfile::new().curated().optional_schema(), "`optional_schema` needs")]
    #[case(SurfaceProfile::new().scripted().script_ms(1), "`script_ms = 1`")]
    #[case(SurfaceProfile::new().curated().query_key(""), "`query_key`")]
    fn what_cannot_be_judged_is_named(#[case] profile: SurfaceProfile, #[case] named: &str) {
        let error = profile.validate().unwrap_err().to_string();
        assert!(error.starts_with(named), "{error}");
    }

    #[test]
    fn an_unknown_entry_is_refused() {
        let error = SurfaceProfile::from_toml("curate = true").unwrap_err();
        assert!(error.to_string().contains("curate"), "{error}");
    }
}
