//! What every subject tells of itself: name, version and profile.

/// Gives a subject its name and version, and where it is `held to` one, its profile.
macro_rules! named {
    ($subject:ident held to $profile:ident) => {
        $crate::subject::named::named!($subject);

        impl $subject {
            /// The same subject, held to another profile.
            #[must_use]
            pub fn held_to(mut self, profile: $profile) -> Self {
                self.profile = profile;
                self
            }

            /// What the subject promises.
            #[must_use]
            pub fn profile(&self) -> &$profile {
                &self.profile
            }
        }
    };
    ($subject:ident) => {
        impl $subject {
            /// The same subject, at a named version.
            #[must_use]
            pub fn version_is(mut self, version: impl Into<String>) -> Self {
                self.version = version.into();
                self
            }

            /// The subject's name.
            #[must_use]
            pub fn name(&self) -> &str {
                &self.name
            }

            /// The subject's version.
            #[must_use]
            pub fn version(&self) -> &str {
                &self.version
            }
        }
    };
}

pub(super) use named;
