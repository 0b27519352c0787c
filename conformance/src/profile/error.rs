//! Why a profile cannot be judged, and how to mend it.

use super::{EndpointError, SampleError};

/// A profile that contradicts itself, promises nothing or cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The text is not TOML, or has an unknown or ill-typed entry.
    #[error("the profile cannot be read: {0}")]
    Unreadable(String),
    /// Nothing in the profile can be held against a subject.
    #[error(
        "the profile promises nothing: declare a request that is allowed or refused (`allow`, `refuse`, `endpoints`, …) or a budget (`requests`, `bytes`, …)"
    )]
    PromisesNothing,
    /// Nothing in a leash's profile lets the judge look at anything.
    #[error(
        "the profile offers nothing to be judged: declare what the leash answers (`check_exec`, `check_net`, `check_path`, `meet`, …)"
    )]
    OffersNothing,
    /// Nothing says what part of a resolver the subject is.
    #[error(
        "the profile does not say what the resolver is: begin with `resolves` (a whole template), `placeholder_rules` (a lookup of rules) or `validates` (single values)"
    )]
    NoPartOfResolver,
    /// Nothing says what a surface offers.
    #[error(
        "the profile does not say what the surface offers: begin with `curated` (tools that send one request), `scripted` (scripts) or both"
    )]
    NoKindOfSurface,
    /// No kind was declared.
    #[error("the profile has no kind: begin with `stateless`, `budget` or `rate`")]
    NoKind,
    /// A stateless policy with a limit.
    #[error("`{word}` contradicts `stateless`: a policy that counts is a `budget` or a `rate`")]
    LimitOnStateless {
        /// The contradicting word.
        word: &'static str,
    },
    /// A budget without a limit.
    #[error("a `budget` needs a limit: `requests = N`, `bytes = N` or `distinct_endpoints = N`")]
    BudgetWithoutLimit,
    /// A budget without a scope.
    #[error("a `budget` needs a scope: `per_call`, `per_tool`, `per_tool_and_call` or `global`")]
    BudgetWithoutScope,
    /// A rate without its requests.
    #[error("a `rate` needs `requests = N`, how many are admitted in one window")]
    RateWithoutRequests,
    /// A word that says something about a budget or rate this profile does not have.
    #[error("`{word}` needs `{needs}`, which the profile does not declare")]
    Orphan {
        /// The word that stands alone.
        word: &'static str,
        /// What it needs.
        needs: &'static str,
    },
    /// A sample is not a request.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// An endpoint cannot be read.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// One request is declared both allowed and refused.
    #[error("`{request}` is declared both allowed and refused: remove one")]
    AllowedAndRefused {
        /// The request in question.
        request: String,
    },
    /// An allowed sample lies outside the declared endpoints.
    #[error(
        "`{request}` is declared allowed but lies outside the declared endpoints and prefixes: add an endpoint that holds it, or remove the sample"
    )]
    AllowedOutsideEndpoints {
        /// The request in question.
        request: String,
    },
    /// A name or a method that cannot be one.
    #[error("`{word}`: {name:?} cannot be sent as one; methods are written in upper case")]
    NoName {
        /// The word.
        word: &'static str,
        /// What was given.
        name: String,
    },
    /// A number that cannot be judged.
    #[error("`{word} = {value}` is out of range: {why}")]
    OutOfRange {
        /// The word.
        word: &'static str,
        /// Its value.
        value: u64,
        /// What would be in range.
        why: &'static str,
    },
}
