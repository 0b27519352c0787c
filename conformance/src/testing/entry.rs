//! What users write, and how an entry becomes a module of tests.

/// Certifies subjects under `cargo test`: each entry becomes a module with one test for each row
/// of the catalogue that is about such a subject.
///
/// An entry reads `policy NAME(WORDS) = FACTORY;`. The words are the methods of
/// [`PolicyProfile`](crate::profile::PolicyProfile), `word` or `word = value`. Rows whose needs
/// the words do not meet are ignored tests that say why. The factory is a closure that makes a
/// fresh policy: `|| …`, `|clock| …` with a [`SteeredClock`](proofmark::clock::SteeredClock), or
/// `|clock, limit| …` with the limit to build it with as well, so that rows about time and about
/// extreme limits apply. A combinator's factory is `|members| …`, a list of policies to combine.
///
/// A resolver's entry reads `resolver NAME(WORDS) = || …;`. Its words are the methods of
/// [`ResolverProfile`](crate::profile::ResolverProfile), and its factory makes a fresh
/// [`Resolver`](crate::subject::Resolver):
///
/// ```
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::by_value;
/// use proofmark_conformance::toolkit::path::validate_path_placeholder;
///
/// conformance! {
///     /// What every placeholder value faces.
///     resolver floor(validates, patterns, max_lengths, allow_slash) = || by_value(validate_path_placeholder);
/// }
/// # fn main() {}
/// ```
///
/// What is no closure does not compile, and the error says so:
///
/// ```compile_fail
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::by_value;
/// use proofmark_conformance::toolkit::path::validate_path_placeholder;
///
/// conformance! {
///     // error: the entry `floor`: … after `=` comes a closure that makes a fresh resolver …
///     resolver floor(validates) = by_value(validate_path_placeholder);
/// }
/// # fn main() {}
/// ```
///
/// A leash's entry reads `leash NAME(WORDS) = || …;`. Its words are the methods of
/// [`LeashProfile`](crate::profile::LeashProfile), and its factory makes a fresh
/// [`Leash`](crate::subject::Leash):
///
/// ```
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::ToolkitLeash;
///
/// conformance! {
///     leash checks(check_exec, check_net, check_path, meet, leq) = || ToolkitLeash;
/// }
/// # fn main() {}
/// ```
///
/// `executor NAME(WORDS) = |env| FACTORY;` certifies an
/// [`HttpExecutor`](proofmark::executor::HttpExecutor). Its words are the methods of
/// [`ExecutorProfile`](crate::profile::ExecutorProfile); `env` is an
/// [`ExecutorEnv`](crate::subject::ExecutorEnv), which says where to send requests, with what
/// credential and by what policy's leave. The factory gives the executor, or a `Result` of it. Where
/// that has a `Debug`, what it prints must not hold the credential either.
///
/// ```
/// use proofmark_conformance::conformance;
/// # mod my_crate {
/// #     use std::sync::Arc;
/// #     use proofmark_conformance::toolkit::{async_trait, path::ResolvedPath, policy::RequestPolicy};
/// #     use proofmark_conformance::toolkit::executor::{BackendFault, ExecutionError, HttpExecutor};
/// #     use serde_json::Value;
/// #     pub struct Client;
/// #     impl Client {
/// #         pub fn new(_: &str, _: &str, _: Arc<dyn RequestPolicy>) -> Result<Self, std::io::Error> {
/// #             Ok(Self)
/// #         }
/// #     }
/// #     #[async_trait]
/// #     impl HttpExecutor for Client {
/// #         async fn execute_request(&self, _: &str, _: ResolvedPath<'_>, _: Option<Value>) -> Result<Value, ExecutionError> {
/// #             Err(BackendFault::Unreachable.into())
/// #         }
/// #     }
/// # }
///
/// conformance! {
///     /// Sends a bearer token, and asks a policy first.
///     executor client(bearer, policy) = |env| my_crate::Client::new(env.base_url(), env.credential(), env.policy());
/// }
/// # fn main() {}
/// ```
///
/// `surface NAME(WORDS) = |env| FACTORY;` certifies a [`Surface`](crate::subject::Surface), whatever
/// answers the calls of tools. Its words are the methods of
/// [`SurfaceProfile`](crate::profile::SurfaceProfile); `env` is a
/// [`SurfaceEnv`](crate::subject::SurfaceEnv), which says besides what tools to offer.
///
/// ```
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::{ToolFailure, surface_fn};
///
/// conformance! {
///     /// Tools that send one request each.
///     surface tools(curated, bearer) = |env| {
///         let base = env.base_url().to_owned();
///         surface_fn(move |call| {
///             let told = format!("`{}` at {base} is not plugged in", call.tool);
///             async move { Err(ToolFailure::fault(told)) }
///         })
///     };
/// }
/// # fn main() {}
/// ```
///
/// The entries stand at the top of a module, beside what their factories name; inside a function
/// their tests would not be run. A misspelt word does not compile, and the compiler names the word
/// that was meant:
///
/// ```compile_fail,E0599
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::toolkit::policy::RequestBudget;
///
/// conformance! {
///     // no method named `buget` found … there is a method `budget` with a similar name
///     policy request_budget(buget, per_call, requests = 3) = || RequestBudget::new(3);
/// }
/// # fn main() {}
/// ```
///
/// Every row runs in a process of its own, so a subject that crashes or hangs fails its own tests
/// only. `PROOFMARK_SEED` repeats a run, `PROOFMARK_CASES` changes how many cases generated checks
/// try, `PROOFMARK_LEVEL=must` lets rows pass that only a SHOULD asks for, and `PROOFMARK_OUT`
/// names a folder for outcomes that `proofmark report` merges into a certificate.
///
/// ```
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::toolkit::policy::RequestBudget;
///
/// conformance! {
///     /// At most three requests per call.
///     policy request_budget(budget, per_call, requests = 3) = || RequestBudget::new(3);
/// }
/// # fn main() {}
/// ```
///
/// ```
/// use proofmark_conformance::conformance;
/// use proofmark_conformance::subject::by_value;
/// use proofmark_conformance::toolkit::path::validate_path_placeholder;
///
/// conformance! {
///     /// What every placeholder value faces.
///     resolver floor(validates, patterns, max_lengths, allow_slash) = || by_value(validate_path_placeholder);
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! conformance {
    () => {};
    (
        $(#[$meta:meta])*
        policy $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = || $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_policy! {
            [$(#[$meta])*] $name [$($word)*] [$(.$word($($value)?))*] [] NOTHING [_env] $body
        }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        policy $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = |$clock:ident| $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_policy! {
            [$(#[$meta])*] $name [$($word)*] [$(.$word($($value)?))*] [takes_clock] CLOCK
            [env let $clock = env.clock.clone();] $body
        }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        policy $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = |$clock:ident, $limit:ident| $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_policy! {
            [$(#[$meta])*] $name [$($word)*] [$(.$word($($value)?))*] [takes_clock takes_limit]
            CLOCK_AND_LIMIT [env let $clock = env.clock.clone(); let $limit = env.limit;] $body
        }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        combinator $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = |$members:ident| $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_policy! {
            [$(#[$meta])*] $name [stateless combinator $($word)*]
            [.stateless() .combinator() $(.$word($($value)?))*] [] NOTHING
            [env let $members = env.members.clone();] $body
        }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        resolver $name:ident ( $($word:ident),* $(,)? ) = || $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_resolver! { [$(#[$meta])*] $name [$($word)*] [$(.$word())*] $body }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        resolver $name:ident ( $($words:tt)* ) = $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the entry `", ::core::stringify!($name), "`: the words of a resolver take no value, and after `=` ",
            "comes a closure that makes a fresh resolver, `|| ..`, as in `|| resolver_fn(|asked| ..)`, and then ",
            "`;` before the next entry"
        ));
    };
    (
        $(#[$meta:meta])*
        leash $name:ident ( $($word:ident),* $(,)? ) = || $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_leash! { [$(#[$meta])*] $name [$($word)*] [$(.$word())*] $body }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        leash $name:ident ( $($words:tt)* ) = $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the entry `", ::core::stringify!($name), "`: the words of a leash take no value, and after `=` comes ",
            "a closure that makes a fresh leash, `|| ..`, and then `;` before the next entry"
        ));
    };
    (
        $(#[$meta:meta])*
        executor $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = |$env:ident| $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_sender! {
            __proofmark_executor_rows ExecutorSubject ExecutorProfile ExecutorEnv
            [$(#[$meta])*] $name [$($word)*] [$(.$word($($value)?))*] $env $body
        }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        surface $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = |$env:ident| $body:expr
        $(; $($rest:tt)*)?
    ) => {
        $crate::__proofmark_sender! {
            __proofmark_surface_rows SurfaceSubject SurfaceProfile SurfaceEnv
            [$(#[$meta])*] $name [$($word)*] [$(.$word($($value)?))*] $env $body
        }
        $crate::conformance! { $($($rest)*)? }
    };
    (
        $(#[$meta:meta])*
        surface $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the entry `", ::core::stringify!($name), "`: after `=` comes a closure that makes a fresh surface ",
            "from what it is given, `|env| ..`, and then `;` before the next entry"
        ));
    };
    (
        $(#[$meta:meta])*
        executor $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the entry `", ::core::stringify!($name), "`: after `=` comes a closure that makes a fresh executor ",
            "from what it is given, `|env| ..`, and then `;` before the next entry"
        ));
    };
    (
        $(#[$meta:meta])*
        policy $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the entry `", ::core::stringify!($name), "`: after `=` comes a closure that makes a fresh policy, ",
            "`|| ..`, `|clock| ..` or `|clock, limit| ..`, and then `;` before the next entry"
        ));
    };
    (
        $(#[$meta:meta])*
        combinator $name:ident ( $($word:ident $(= $value:expr)?),* $(,)? ) = $($other:tt)*
    ) => {
        ::core::compile_error!(::core::concat!(
            "the entry `", ::core::stringify!($name), "`: after `=` comes a closure that combines the policies ",
            "it is given, `|members| ..`, and then `;` before the next entry"
        ));
    };
}

/// The module of one policy entry.
#[doc(hidden)]
#[macro_export]
macro_rules! __proofmark_policy {
    (
        [$(#[$meta:meta])*] $name:ident [$($word:ident)*] [$($profile:tt)*] [$($takes:ident)*]
        $constant:ident [$env:ident $($lets:tt)*] $body:expr
    ) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn __proofmark_subject() -> $crate::subject::PolicySubject {
                let profile = $crate::profile::PolicyProfile::new()$($profile)*;
                $crate::subject::PolicySubject::with_env(
                    ::core::stringify!($name),
                    profile,
                    $crate::subject::Takes::$constant,
                    |$env| {
                        $($lets)*
                        $body
                    },
                )
                .version_is(::core::env!("CARGO_PKG_VERSION"))
            }

            $crate::__proofmark_caps! { __proofmark_policy_rows [unknown] [$($takes)*] $($word)* }
        }
    };
}

/// The module of one leash entry.
#[doc(hidden)]
#[macro_export]
macro_rules! __proofmark_leash {
    ([$(#[$meta:meta])*] $name:ident [$($word:ident)*] [$($profile:tt)*] $body:expr) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn __proofmark_subject() -> $crate::subject::LeashSubject {
                $crate::subject::LeashSubject::new(
                    ::core::stringify!($name),
                    $crate::profile::LeashProfile::new()$($profile)*,
                    || $body,
                )
                .version_is(::core::env!("CARGO_PKG_VERSION"))
            }

            $crate::__proofmark_caps! { __proofmark_leash_rows [unknown] [] $($word)* }
        }
    };
}

/// The module of one resolver entry.
#[doc(hidden)]
#[macro_export]
macro_rules! __proofmark_resolver {
    ([$(#[$meta:meta])*] $name:ident [$($word:ident)*] [$($profile:tt)*] $body:expr) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn __proofmark_subject() -> $crate::subject::ResolverSubject {
                $crate::subject::ResolverSubject::new(
                    ::core::stringify!($name),
                    $crate::profile::ResolverProfile::new()$($profile)*,
                    || $body,
                )
                .version_is(::core::env!("CARGO_PKG_VERSION"))
            }

            $crate::__proofmark_caps! { __proofmark_resolver_rows [unknown] [] $($word)* }
        }
    };
}

/// The module of one entry for what sends requests: an executor, or a surface.
#[doc(hidden)]
#[macro_export]
macro_rules! __proofmark_sender {
    (
        $rows:ident $subject:ident $profile_type:ident $env_type:ident
        [$(#[$meta:meta])*] $name:ident [$($word:ident)*] [$($profile:tt)*] $env:ident $body:expr
    ) => {
        $(#[$meta])*
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[allow(clippy::redundant_closure_call, clippy::needless_borrow)]
            fn __proofmark_subject() -> $crate::subject::$subject {
                let profile = $crate::profile::$profile_type::new()$($profile)*;
                let factory = |$env: &$crate::subject::$env_type| {
                    #[allow(unused_imports)]
                    use $crate::subject::{HasDebug as _, HasNoDebug as _};
                    // A closure of its own, so that `?` and `return` in it end nothing else.
                    let made = (|| $body)();
                    let debug = (&$crate::subject::Probe(&made)).debug();
                    $crate::subject::Described::with(made, debug)
                };
                $crate::subject::$subject::new(::core::stringify!($name), profile, factory)
                    .version_is(::core::env!("CARGO_PKG_VERSION"))
            }

            $crate::__proofmark_caps! { $rows [unknown] [] $($word)* }
        }
    };
}
