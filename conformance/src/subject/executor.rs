//! The executor seam: a factory of executors from what the judge wants them to use, and the
//! profile they are held to.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proofmark::clock::SteeredClock;
use proofmark::executor::HttpExecutor;
use proofmark::policy::{RequestPolicy, policy_fn};

use super::named::named;
use crate::profile::{AuthScheme, Capabilities, ExecutorProfile};

/// What a factory is handed for one fresh executor, and what the executor has to use. A factory
/// takes what its executor has a use for.
#[derive(Clone)]
pub struct ExecutorEnv {
    base_url: String,
    scheme: Option<AuthScheme>,
    user: String,
    credential: String,
    token_url: String,
    policy: Arc<dyn RequestPolicy>,
    tool: String,
    call_id: String,
    deadline: Duration,
    deadline_taken: Arc<AtomicBool>,
    clock: SteeredClock,
}

impl ExecutorEnv {
    /// An environment with this base URL, without a credential, and with a policy that allows
    /// everything.
    #[must_use]
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            scheme: None,
            user: String::new(),
            credential: String::new(),
            token_url: String::new(),
            policy: Arc::new(policy_fn(|_| Ok(()))),
            tool: "search_items".to_owned(),
            call_id: "call-5f0c2e".to_owned(),
            deadline: Duration::from_secs(3),
            deadline_taken: Arc::default(),
            clock: SteeredClock::new(),
        }
    }

    /// The same environment with another base URL.
    #[must_use]
    pub fn with_base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// The same environment with a credential that travels in this way.
    #[must_use]
    pub fn with_credential(
        mut self,
        scheme: Option<AuthScheme>,
        user: impl Into<String>,
        credential: impl Into<String>,
    ) -> Self {
        self.scheme = scheme;
        self.user = user.into();
        self.credential = credential.into();
        self
    }

    /// The same environment with a token endpoint.
    #[must_use]
    pub fn with_token_url(mut self, url: impl Into<String>) -> Self {
        self.token_url = url.into();
        self
    }

    /// The same environment with this policy.
    #[must_use]
    pub fn with_policy(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        self.policy = policy;
        self
    }

    /// The same environment with this deadline.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The URL that paths are joined to, with or without a `/` at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// How the credential travels, for an executor that declares several ways.
    #[must_use]
    pub fn scheme(&self) -> Option<&AuthScheme> {
        self.scheme.as_ref()
    }

    /// The user of `Basic`, or the client's id at the token endpoint.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The credential: the token, the key, the password of `Basic`, the caller's token that is
    /// passed on, or the client's secret at the token endpoint. Empty where none is declared.
    #[must_use]
    pub fn credential(&self) -> &str {
        &self.credential
    }

    /// Where a token is fetched. Empty where `token_endpoint` is not declared.
    #[must_use]
    pub fn token_url(&self) -> &str {
        &self.token_url
    }

    /// The policy that has to be asked about every request.
    #[must_use]
    pub fn policy(&self) -> Arc<dyn RequestPolicy> {
        Arc::clone(&self.policy)
    }

    /// The tool on whose behalf requests are sent.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The call that requests belong to.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// How long one call may take, all in all. An executor that does not take it declares its own
    /// with `deadline_ms`.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.deadline_taken.store(true, Ordering::Relaxed);
        self.deadline
    }

    /// Whether a factory took the deadline from this environment or a clone of it.
    #[must_use]
    pub fn deadline_is_taken(&self) -> bool {
        self.deadline_taken.load(Ordering::Relaxed)
    }

    /// A clock that moves only when the judge moves it.
    #[must_use]
    pub fn clock(&self) -> SteeredClock {
        self.clock.clone()
    }
}

/// Names what it holds and shows no credential.
impl fmt::Debug for ExecutorEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutorEnv")
            .field("scheme", &self.scheme)
            .field("tool", &self.tool)
            .field("call_id", &self.call_id)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

/// Why an executor refused to be built.
pub type BuildError = Box<dyn Error + Send + Sync>;

/// An executor, and what it shows of itself.
#[derive(Clone)]
#[non_exhaustive]
pub struct MadeExecutor {
    /// The executor.
    pub executor: Arc<dyn HttpExecutor>,
    /// What its `Debug` prints, where its factory tells.
    pub debug: Option<String>,
}

impl MadeExecutor {
    fn new(executor: impl HttpExecutor + 'static) -> Self {
        Self {
            executor: Arc::new(executor),
            debug: None,
        }
    }
}

/// What a factory may give: an executor, or a `Result` of one, either of them
/// [`Described`] or not.
///
/// `Way` is inferred and of no importance.
pub trait IntoExecutor<Way> {
    /// The executor, or why there is none.
    ///
    /// # Errors
    ///
    /// Where the executor refused to be built.
    fn into_executor(self) -> Result<MadeExecutor, BuildError>;
}

/// The way of a factory that cannot fail.
#[derive(Debug)]
pub enum Always {}

/// The way of a factory that can fail.
#[derive(Debug)]
pub enum Perhaps {}

/// The way of a factory that tells what `Debug` prints.
#[derive(Debug)]
pub struct Telling<Way>(PhantomData<Way>);

impl<E: HttpExecutor + 'static> IntoExecutor<Always> for E {
    fn into_executor(self) -> Result<MadeExecutor, BuildError> {
        Ok(MadeExecutor::new(self))
    }
}

impl<E, X> IntoExecutor<Perhaps> for Result<E, X>
where
    E: HttpExecutor + 'static,
    X: Into<BuildError>,
{
    fn into_executor(self) -> Result<MadeExecutor, BuildError> {
        self.map(MadeExecutor::new).map_err(Into::into)
    }
}

impl<Way, E: IntoExecutor<Way>> IntoExecutor<Telling<Way>> for Described<E> {
    fn into_executor(self) -> Result<MadeExecutor, BuildError> {
        let made = self.made.into_executor()?;
        Ok(MadeExecutor {
            debug: self.debug,
            ..made
        })
    }
}

/// What a factory made, and what its `Debug` prints: no text of an executor or a surface may hold its
/// credential. The `conformance!` macro describes whatever has a `Debug`.
///
/// ```
/// use proofmark_conformance::profile::ExecutorProfile;
/// use proofmark_conformance::subject::{Described, ExecutorSubject};
/// # use proofmark_conformance::toolkit::async_trait;
/// # use proofmark_conformance::toolkit::executor::{BackendFault, ExecutionError, HttpExecutor};
/// # use proofmark_conformance::toolkit::path::ResolvedPath;
/// # use serde_json::Value;
///
/// #[derive(Debug)]
/// struct Client {
///     base_url: String,
/// }
/// # #[async_trait]
/// # impl HttpExecutor for Client {
/// #     async fn execute_request(&self, _: &str, _: ResolvedPath<'_>, _: Option<Value>) -> Result<Value, ExecutionError> {
/// #         Err(BackendFault::Unreachable.into())
/// #     }
/// # }
///
/// let subject = ExecutorSubject::new("client", ExecutorProfile::new(), |env| {
///     Described::new(Client { base_url: env.base_url().to_owned() })
/// });
/// assert_eq!(subject.name(), "client");
/// ```
pub struct Described<E> {
    pub(super) made: E,
    pub(super) debug: Option<String>,
}

impl<E: fmt::Debug> Described<E> {
    /// Keeps what `Debug` prints of it, on one line and on many.
    #[must_use]
    pub fn new(made: E) -> Self {
        let debug = Some(format!("{made:?}\n{made:#?}"));
        Self { made, debug }
    }
}

impl<E> Described<E> {
    #[doc(hidden)]
    pub fn with(made: E, debug: Option<String>) -> Self {
        Self { made, debug }
    }
}

/// Finds out, for a type that a macro does not know, whether it has a `Debug`.
#[doc(hidden)]
pub struct Probe<'a, T>(pub &'a T);

#[doc(hidden)]
pub trait HasDebug {
    fn debug(&self) -> Option<String>;
}

impl<T: fmt::Debug> HasDebug for Probe<'_, T> {
    fn debug(&self) -> Option<String> {
        Some(format!("{:?}\n{:#?}", self.0, self.0))
    }
}

#[doc(hidden)]
pub trait HasNoDebug {
    fn debug(&self) -> Option<String>;
}

// Behind one more reference, so that it is found only where the other is not.
impl<T> HasNoDebug for &Probe<'_, T> {
    fn debug(&self) -> Option<String> {
        None
    }
}

type Factory = Arc<dyn Fn(&ExecutorEnv) -> Result<MadeExecutor, BuildError> + Send + Sync>;

/// An executor that can be judged: its name, its profile, and a factory that makes a fresh one.
///
/// ```
/// use proofmark_conformance::profile::ExecutorProfile;
/// use proofmark_conformance::subject::ExecutorSubject;
/// use proofmark_conformance::toolkit::async_trait;
/// use proofmark_conformance::toolkit::executor::{BackendFault, ExecutionError, HttpExecutor};
/// use proofmark_conformance::toolkit::path::ResolvedPath;
/// use serde_json::Value;
///
/// struct Unplugged;
///
/// #[async_trait]
/// impl HttpExecutor for Unplugged {
///     async fn execute_request(&self, _: &str, _: ResolvedPath<'_>, _: Option<Value>) -> Result<Value, ExecutionError> {
///         Err(BackendFault::Unreachable.into())
///     }
/// }
///
/// let subject = ExecutorSubject::new("unplugged", ExecutorProfile::new(), |_| Unplugged);
/// assert_eq!(subject.name(), "unplugged");
/// ```
#[derive(Clone)]
pub struct ExecutorSubject {
    name: String,
    version: String,
    profile: ExecutorProfile,
    factory: Factory,
}

named!(ExecutorSubject held to ExecutorProfile);

impl ExecutorSubject {
    /// A subject whose factory gives an executor, or a `Result` of one.
    #[must_use]
    pub fn new<Way, E, F>(name: impl Into<String>, profile: ExecutorProfile, factory: F) -> Self
    where
        E: IntoExecutor<Way>,
        F: Fn(&ExecutorEnv) -> E + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            version: "unversioned".to_owned(),
            profile,
            factory: Arc::new(move |env| factory(env).into_executor()),
        }
    }

    /// Makes a fresh executor.
    ///
    /// # Errors
    ///
    /// Where the executor refuses to be built from this.
    pub fn make(&self, env: &ExecutorEnv) -> Result<MadeExecutor, BuildError> {
        (self.factory)(env)
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.profile.capabilities()
    }
}

impl fmt::Debug for ExecutorSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutorSubject")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
