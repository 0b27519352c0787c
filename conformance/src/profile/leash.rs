//! The profile of a leash: which parts of it the judge may look at.

use serde::{Deserialize, Serialize};

use super::{Capabilities, Capability, ProfileError};

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident $capability:ident;)*) => {
        /// What the author of a leash offers to be judged. The builder's words are those of the
        /// `conformance!` macro and, as `word = true`, of a profile file.
        ///
        /// ```
        /// use proofmark_conformance::profile::LeashProfile;
        ///
        /// let profile = LeashProfile::new().check_exec().check_path();
        /// assert!(profile.validate().is_ok());
        /// ```
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        #[non_exhaustive]
        pub struct LeashProfile {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl LeashProfile {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(mut self) -> Self {
                    self.$name = true;
                    self
                }
            )*

            /// What the profile lets the judge look at.
            #[must_use]
            pub fn capabilities(&self) -> Capabilities {
                let offered = [$((Capability::$capability, self.$name),)*];
                offered
                    .into_iter()
                    .filter_map(|(capability, offered)| offered.then_some(capability))
                    .collect()
            }
        }
    };
}

words! {
    /// Contexts answer `check_exec`.
    check_exec CheckExec;
    /// Contexts answer `check_net`.
    check_net CheckNet;
    /// Contexts answer `check_path_read` and `check_path_write`.
    check_path CheckPath;
    /// Contexts open files themselves, so that nothing can change between check and open.
    mediated_opens MediatedOpens;
    /// Contexts run programs, confined to what they may do.
    spawn Spawn;
    /// A gate stands for a generation, and denies grants that do not hold in it.
    generation Generation;
    /// A gate has a budget of calls.
    call_budget CallBudget;
    /// The leash gives the meet of two authorities.
    meet Meet;
    /// The leash compares two authorities.
    leq Leq;
    /// The leash says how strong a fence is, and how strengths compare.
    fence_strength FenceStrength;
    /// The leash writes authority as text and reads it back.
    serialised Serialised;
}

impl LeashProfile {
    /// A profile that offers nothing yet.
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
    /// use proofmark_conformance::profile::LeashProfile;
    ///
    /// let profile = LeashProfile::from_toml("check_exec = true\ncheck_net = true")?;
    /// assert!(profile.check_exec && !profile.spawn);
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
    /// [`ProfileError::OffersNothing`] where it declares nothing.
    pub fn validate(&self) -> Result<(), ProfileError> {
        if *self == Self::default() {
            return Err(ProfileError::OffersNothing);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_that_offers_nothing_says_what_to_declare() {
        let error = LeashProfile::from_toml("check_exec = false").unwrap_err();
        assert_eq!(error, ProfileError::OffersNothing);
        assert!(error.to_string().contains("`check_path`"), "{error}");
    }

    #[test]
    fn an_unknown_word_of_a_file_is_named() {
        let error = LeashProfile::from_toml("check_exce = true").unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("check_exce") && text.contains("check_exec"),
            "{text}"
        );
    }

    #[test]
    fn each_word_offers_what_it_says() {
        let profile = LeashProfile::new().meet().leq();
        let offered = profile.capabilities();
        assert!(offered.has(Capability::Meet) && offered.has(Capability::Leq));
        assert!(!offered.has(Capability::Serialised));
    }
}
