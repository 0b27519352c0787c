//! The resolver seam: a factory of fresh resolvers and the profile they are held to.

use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::runtime::{Builder, Handle, Runtime};

use super::named::named;
use super::{Refused, ResolveCase, Resolved};
use crate::profile::{Capabilities, ResolverProfile};

/// Whatever turns a template and values into a request target. A closure is one:
///
/// ```
/// use std::borrow::Cow;
///
/// use proofmark_conformance::subject::{Resolved, Resolver, resolver_fn};
/// use proofmark_conformance::toolkit::path::PathTemplate;
///
/// let resolver = resolver_fn(|asked| {
///     let resolution = PathTemplate::parse(&asked.template)?.resolve(
///         &asked.method,
///         |variable| Some(Cow::Borrowed(asked.variables.get(variable.name()?)?)),
///         |method, template, param| asked.placeholder_rules(method, template, param),
///         asked.body.clone(),
///     )?;
///     let (target, body) = resolution.into_parts();
///     Ok(Resolved::new(target.as_str(), body))
/// });
/// # use proofmark_conformance::subject::ResolveCase;
/// let case = ResolveCase::new("/items/{id}").argument("id", 7);
/// assert_eq!(resolver.resolve(&case).unwrap().target, "/items/7");
/// ```
///
/// A subject that has only a part of this is made whole by [`by_value`](super::by_value) or
/// [`by_rules`](super::by_rules). An executor, whose refusal is that nothing was sent, runs one
/// call against a recorder and tells what it recorded: [`Resolved::sent_with`],
/// [`Refused::having_sent`].
pub trait Resolver: Send + Sync {
    /// Resolves the template.
    ///
    /// # Errors
    ///
    /// A refusal: there is no target and nothing was sent, unless it says otherwise.
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused>;
}

impl<F> Resolver for F
where
    F: Fn(&ResolveCase) -> Result<Resolved, Refused> + Send + Sync,
{
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        self(asked)
    }
}

/// A closure as a resolver, whose parameter needs no type.
pub fn resolver_fn<F>(resolve: F) -> F
where
    F: Fn(&ResolveCase) -> Result<Resolved, Refused> + Send + Sync,
{
    resolve
}

/// A closure that returns a future as a resolver. It is awaited on the runtime that the judge runs
/// subjects on.
///
/// ```
/// use proofmark_conformance::subject::{ResolveCase, Resolved, Resolver, awaited};
///
/// let resolver = awaited(|asked: ResolveCase| async move { Ok(Resolved::new(asked.template, None)) });
/// assert_eq!(resolver.resolve(&ResolveCase::new("/x")).unwrap().target, "/x");
/// ```
pub fn awaited<F, A>(resolve: F) -> impl Resolver
where
    F: Fn(ResolveCase) -> A + Send + Sync,
    A: Future<Output = Result<Resolved, Refused>>,
{
    resolver_fn(move |asked| match Handle::try_current() {
        Ok(runtime) => polled(
            resolve(asked.clone()),
            |answer| Ok(runtime.block_on(answer)),
        ),
        Err(_) => RUNTIME.with(|runtime| {
            let _entered = runtime.as_ref().ok().map(Runtime::enter);
            polled(resolve(asked.clone()), |answer| match runtime {
                Ok(runtime) => Ok(runtime.block_on(answer)),
                Err(cause) => Err(Refused::new(format!("there is no runtime: {cause}"))),
            })
        }),
    })
}

/// The answer at the first poll, or after waiting for it: most resolvers are ready at once.
fn polled<A>(
    answer: A,
    wait: impl FnOnce(Pin<&mut A>) -> Result<A::Output, Refused>,
) -> Result<Resolved, Refused>
where
    A: Future<Output = Result<Resolved, Refused>>,
{
    let mut answer = pin!(answer);
    let polled = answer
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    match polled {
        Poll::Ready(answer) => answer,
        Poll::Pending => wait(answer)?,
    }
}

thread_local! {
    /// Made once a thread, where the judge's own is not at hand.
    static RUNTIME: std::io::Result<Runtime> = Builder::new_current_thread().enable_all().build();
}

type Factory = Arc<dyn Fn() -> Arc<dyn Resolver> + Send + Sync>;

/// A resolver that can be judged: its name, its profile, and a factory that makes a fresh one.
///
/// ```
/// use proofmark_conformance::profile::ResolverProfile;
/// use proofmark_conformance::subject::{ResolverSubject, by_value};
/// use proofmark_conformance::toolkit::path::validate_path_placeholder;
///
/// let profile = ResolverProfile::new().validates().patterns();
/// let subject = ResolverSubject::new("validator", profile, || by_value(validate_path_placeholder));
/// assert_eq!(subject.name(), "validator");
/// ```
#[derive(Clone)]
pub struct ResolverSubject {
    name: String,
    version: String,
    profile: ResolverProfile,
    factory: Factory,
}

named!(ResolverSubject held to ResolverProfile);

impl ResolverSubject {
    /// A subject of this name.
    #[must_use]
    pub fn new<R, F>(name: impl Into<String>, profile: ResolverProfile, factory: F) -> Self
    where
        R: Resolver + 'static,
        F: Fn() -> R + Send + Sync + 'static,
    {
        Self {
            name: name.into(),
            version: "unversioned".to_owned(),
            profile,
            factory: Arc::new(move || Arc::new(factory())),
        }
    }

    /// Makes a fresh resolver.
    #[must_use]
    pub fn make(&self) -> Arc<dyn Resolver> {
        (self.factory)()
    }

    /// What the profile lets the judge look at.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.profile.capabilities()
    }
}

impl fmt::Debug for ResolverSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResolverSubject")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
