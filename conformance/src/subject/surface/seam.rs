//! What a surface does: it answers `tools/call`, and may look at a script beforehand.

use std::future::Future;
use std::sync::Arc;

use proofmark::async_trait;
use serde_json::Value;

use super::{Script, ToolCall, ToolFailure};
use crate::subject::executor::{Always, BuildError, Described, Perhaps, Telling};

/// Answers the calls of tools. Every closure from a [`ToolCall`] to a future of an answer is one;
/// [`surface_fn`] says what its parameter is.
///
/// ```
/// use proofmark_conformance::subject::{Surface, ToolCall, surface_fn};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let surface = surface_fn(|call| async move { Ok(call.arguments) });
/// let answer = surface.call(ToolCall::new("echo", json!({"a": 1}))).await;
/// assert_eq!(answer, Ok(json!({"a": 1})));
/// # }
/// ```
#[async_trait]
pub trait Surface: Send + Sync {
    /// Answers one `tools/call`.
    ///
    /// # Errors
    ///
    /// A [`ToolFailure`], which says whose it is to mend.
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure>;

    /// Looks at a script before it is executed, as `validate_code` does: asks the policy about its
    /// literal calls, and sends nothing.
    ///
    /// # Errors
    ///
    /// A [`ToolFailure`] where the script may not be executed, or scripts are not looked at.
    async fn validate(&self, script: Script) -> Result<(), ToolFailure> {
        let _ = script;
        Err(ToolFailure::fault("this surface validates no scripts"))
    }
}

#[async_trait]
impl<F, A> Surface for F
where
    F: Fn(ToolCall) -> A + Send + Sync,
    A: Future<Output = Result<Value, ToolFailure>> + Send,
{
    async fn call(&self, call: ToolCall) -> Result<Value, ToolFailure> {
        self(call).await
    }
}

/// A closure as a surface, whose parameter needs no type.
pub fn surface_fn<F, A>(call: F) -> F
where
    F: Fn(ToolCall) -> A + Send + Sync,
    A: Future<Output = Result<Value, ToolFailure>> + Send,
{
    call
}

/// A surface, and what it shows of itself.
#[derive(Clone)]
#[non_exhaustive]
pub struct MadeSurface {
    /// The surface.
    pub surface: Arc<dyn Surface>,
    /// What its `Debug` prints, where its factory tells.
    pub debug: Option<String>,
}

impl MadeSurface {
    fn new(surface: impl Surface + 'static) -> Self {
        Self {
            surface: Arc::new(surface),
            debug: None,
        }
    }
}

/// What a factory may give: a surface, or a `Result` of one, either of them [`Described`] or not.
///
/// `Way` is inferred and of no importance.
pub trait IntoSurface<Way> {
    /// The surface, or why there is none.
    ///
    /// # Errors
    ///
    /// Where the surface refused to be built.
    fn into_surface(self) -> Result<MadeSurface, BuildError>;
}

impl<S: Surface + 'static> IntoSurface<Always> for S {
    fn into_surface(self) -> Result<MadeSurface, BuildError> {
        Ok(MadeSurface::new(self))
    }
}

impl<S, X> IntoSurface<Perhaps> for Result<S, X>
where
    S: Surface + 'static,
    X: Into<BuildError>,
{
    fn into_surface(self) -> Result<MadeSurface, BuildError> {
        self.map(MadeSurface::new).map_err(Into::into)
    }
}

impl<Way, S: IntoSurface<Way>> IntoSurface<Telling<Way>> for Described<S> {
    fn into_surface(self) -> Result<MadeSurface, BuildError> {
        let made = self.made.into_surface()?;
        Ok(MadeSurface {
            debug: self.debug,
            ..made
        })
    }
}
