//! The surface seam: a factory of surfaces from what the judge wants them to use, and the profile
//! they are held to.

mod as_executor;
mod call;
mod env;
mod script;
mod seam;
mod tool;

pub use call::{EXECUTE_CODE, ToolCall, ToolFailure};
pub use env::SurfaceEnv;
pub use script::{Script, ScriptCall, ScriptFault, ScriptStep, ScriptValue};
pub use seam::{IntoSurface, MadeSurface, Surface, surface_fn};
pub use tool::{OperationSpec, ParameterSpec, Place, ToolAction, ToolSpec};

use std::fmt;
use std::sync::Arc;

use super::executor::BuildError;
use crate::profile::{Capabilities, SurfaceProfile};
use crate::subject::named::named;

type Factory = Arc<dyn Fn(&SurfaceEnv) -> Result<MadeSurface, BuildError> + Send + Sync>;

/// A surface that can be judged: its name, its profile, and a factory that makes a fresh one.
///
/// ```
/// use proofmark_conformance::profile::SurfaceProfile;
/// use proofmark_conformance::subject::{SurfaceSubject, ToolFailure, surface_fn};
///
/// let profile = SurfaceProfile::new().curated();
/// let subject = SurfaceSubject::new("unplugged", profile, |_| {
///     surface_fn(|call| async move { Err(ToolFailure::fault(format!("`{}` is not plugged in", call.tool))) })
/// });
/// assert_eq!(subject.name(), "unplugged");
/// ```
#[derive(Clone)]
pub struct SurfaceSubject {
    name: String,
    version: String,
    profile: SurfaceProfile,
    factory: Factory,
}

named!(SurfaceSubject held to SurfaceProfile);

impl SurfaceSubject {
    /// A subject whose factory gives a surface, or a `Result` of one.
    #[must_use]
    pub fn new<Way, S, F>(name: impl Into<String>, profile: SurfaceProfile, factory: F) -> Self
    where
        S: IntoSurface<Way>,
        F: Fn(&SurfaceEnv) -> S + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            version: "unversioned".to_owned(),
            profile,
            factory: Arc::new(move |env| factory(env).into_surface()),
        }
    }

    /// Makes a fresh surface.
    ///
    /// # Errors
    ///
    /// Where the surface refuses to be built from this.
    pub fn make(&self, env: &SurfaceEnv) -> Result<MadeSurface, BuildError> {
        (self.factory)(env)
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.profile.capabilities()
    }
}

impl fmt::Debug for SurfaceSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SurfaceSubject")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
