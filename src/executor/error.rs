//! Why a call came to nothing, with refusals kept apart from faults.

use crate::path::ResolveError;
use crate::policy::{ArgumentRefusal, PolicyRefusal};

/// The longest name that a message shows, in characters.
const SHOWN_NAME_LENGTH: usize = 64;

/// Why a call came to nothing.
///
/// No variant holds a URL, a value of the request, a credential or a byte of the backend's answer,
/// and none keeps an error that might: so neither `Display` nor `Debug` nor a source can show one.
/// Parameters and fields are named.
///
/// ```
/// use proofmark::executor::{BackendFault, Blame, ExecutionError};
/// use proofmark::policy::PolicyRefusal;
///
/// let refused = ExecutionError::from(PolicyRefusal::new("only reading is allowed"));
/// assert!(refused.is_refusal());
/// assert_eq!(refused.blame(), Blame::Caller);
///
/// let fault = ExecutionError::from(BackendFault::TimedOut);
/// assert!(!fault.is_refusal());
/// assert_eq!(fault.blame(), Blame::Backend);
/// ```
///
/// Source: seed 001.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecutionError {
    /// The target could not be resolved; nothing was sent.
    #[error(transparent)]
    Unresolved(#[from] ResolveError),
    /// A policy refused the request; it was neither authenticated nor sent.
    #[error("the request was refused by policy: {message}")]
    RefusedByPolicy {
        /// The policy's own sentence.
        message: String,
    },
    /// A validator refused the tool's arguments; nothing was sent.
    #[error("the arguments were refused: {message}")]
    RefusedArguments {
        /// The validator's own sentence.
        message: String,
    },
    /// The request cannot be sent as it is; nothing was.
    #[error(transparent)]
    Unsendable(#[from] RequestRefusal),
    /// The script itself is at fault.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A declared limit of the script was reached.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// The backend answered with a status other than 2xx; its answer was dropped.
    #[error("the backend answered with status {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// The backend gave no answer that can be used.
    #[error(transparent)]
    Backend(#[from] BackendFault),
    /// There is no credential to send; the request was not sent.
    #[error(transparent)]
    Auth(#[from] AuthFault),
    /// No call id could be made, so no policy could be asked; nothing was sent.
    #[error("no call id could be made")]
    NoCallId,
}

/// Who can mend an error.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Blame {
    /// Whoever made the call: another call may succeed.
    Caller,
    /// The backend, or the way to it.
    Backend,
    /// Whoever runs this server.
    Server,
}

impl ExecutionError {
    /// Whether the request was refused before anything of it was sent, or a credential made for it.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Unresolved(_)
                | Self::RefusedByPolicy { .. }
                | Self::RefusedArguments { .. }
                | Self::Unsendable(_)
        )
    }

    /// Who can mend it.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Self::Unresolved(_)
            | Self::RefusedByPolicy { .. }
            | Self::RefusedArguments { .. }
            | Self::Unsendable(_)
            | Self::Script(_)
            | Self::Limit(_)
            | Self::Auth(AuthFault::NoInboundToken) => Blame::Caller,
            Self::Status { .. } | Self::Backend(_) | Self::Auth(AuthFault::TokenEndpoint(_)) => {
                Blame::Backend
            }
            Self::Auth(_) | Self::NoCallId => Blame::Server,
        }
    }
}

impl From<PolicyRefusal> for ExecutionError {
    fn from(refusal: PolicyRefusal) -> Self {
        Self::RefusedByPolicy {
            message: refusal.message().to_owned(),
        }
    }
}

impl From<ArgumentRefusal> for ExecutionError {
    fn from(refusal: ArgumentRefusal) -> Self {
        Self::RefusedArguments {
            message: refusal.message().to_owned(),
        }
    }
}

/// Why a request cannot be sent as it is.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefusal {
    /// The method is none of those that are supported.
    #[error("the method must be one of GET, HEAD, OPTIONS, POST, PUT, PATCH and DELETE")]
    Method,
    /// A GET-like request was given a body that has no fields.
    #[error("the body of a GET-like request must be an object, whose fields become query pairs")]
    NotAnObject,
    /// A field that would become a pair or a header is neither a scalar nor, for a pair, a list of
    /// scalars.
    #[error("'{key}' must be a string, a number or a boolean, or for a query a list of these")]
    NotScalar {
        /// The field.
        key: String,
    },
    /// A field holds a control character.
    #[error("'{key}' must not hold a control character")]
    ControlCharacter {
        /// The field.
        key: String,
    },
    /// An argument is required and was not given.
    #[error("'{key}' must be given")]
    MissingArgument {
        /// The parameter.
        key: String,
    },
    /// An argument has no declared parameter.
    #[error("'{key}' is not a declared parameter")]
    UnknownArgument {
        /// The argument.
        key: String,
    },
    /// The arguments are not an object.
    #[error("the arguments must be an object")]
    ArgumentsNotAnObject,
    /// A pair or header has the name under which the credential travels.
    #[error("'{key}' is set by authentication and by nothing else")]
    ReservedName {
        /// The name.
        key: String,
    },
    /// An argument's text cannot be a header's value.
    #[error("'{key}' must be visible ASCII text without surrounding spaces, for it is a header")]
    HeaderValue {
        /// The parameter.
        key: String,
    },
    /// A header argument would pass by the policy, which is not shown headers.
    #[error("'{key}' is a header, which the request policy cannot see")]
    UnseenHeader {
        /// The parameter.
        key: String,
    },
    /// The target, joined to the base URL, would not be what was checked.
    #[error("the target cannot be joined to the base URL as it is")]
    Target,
    /// The target is longer than [`MAX_TARGET_BYTES`](super::MAX_TARGET_BYTES).
    #[error("the target is too long")]
    TargetTooLong,
    /// The body is larger than may be sent.
    #[error("the body must not be larger than {limit} bytes")]
    BodyTooLarge {
        /// How many bytes may be sent.
        limit: usize,
    },
    /// The body nests deeper than [`MAX_BODY_DEPTH`](crate::path::MAX_BODY_DEPTH).
    #[error(
        "the body must not nest deeper than {} levels",
        crate::path::MAX_BODY_DEPTH
    )]
    BodyTooDeep,
}

/// What is wrong with a script.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// A variable was read before it had a value.
    #[error("variable '{name}' must be defined")]
    UndefinedVariable {
        /// The variable.
        name: String,
    },
    /// A property was read of something that has none.
    #[error("a property was read of null")]
    NullProperty,
    /// An operation was applied to a value of another kind.
    #[error("{operation} cannot be applied to such a value")]
    WrongType {
        /// The operation.
        operation: &'static str,
    },
    /// A calculation has no finite result.
    #[error("a calculation has no finite result")]
    NotFinite,
    /// Expressions or values nest too deeply.
    #[error("an expression or a value nests too deeply")]
    TooDeep,
    /// The script threw an error and did not catch it.
    #[error("the script threw an error that it did not catch")]
    Uncaught,
    /// The result holds a field that must not leave.
    #[error("the result must not hold the field '{field}'")]
    BlockedField {
        /// The declared name of the field.
        field: String,
    },
    /// `continue` or `break` stands outside a loop.
    #[error("`continue` or `break` stands outside a loop")]
    OutsideLoop,
}

/// The declared limit that ended a script.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitReached {
    /// More calls than one script may make.
    #[error("a script must not make more than {limit} calls")]
    Calls {
        /// How many it may make.
        limit: usize,
    },
    /// More iterations than the loops of one script, or one loop, may run through.
    #[error("loops must not run through more than {limit} iterations")]
    Iterations {
        /// How many they may.
        limit: usize,
    },
    /// A response larger than a script may read.
    #[error("a response must not be larger than {limit} bytes")]
    ResponseSize {
        /// How many bytes it may have.
        limit: usize,
    },
    /// More time than a script may take.
    #[error("a script must not take longer than {milliseconds} ms")]
    Time {
        /// How long it may take.
        milliseconds: u128,
    },
    /// More calculation, in steps and bytes copied, than one script may do.
    #[error("a script must not do more than {limit} units of work")]
    Work {
        /// How much it may do.
        limit: u64,
    },
}

/// Why a backend's answer cannot be used, or there is none.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BackendFault {
    /// No connection could be made.
    #[error("the backend cannot be reached")]
    Unreachable,
    /// The exchange did not end in time.
    #[error("the backend did not answer in time")]
    TimedOut,
    /// The connection broke, or what came was not HTTP.
    #[error("the exchange with the backend broke off")]
    Broken,
    /// The answer is longer than is read.
    #[error("the backend's answer is too large")]
    TooLarge,
    /// The answer is not JSON, or nests too deeply.
    #[error("the backend's answer is not JSON")]
    NotJson,
    /// The answer holds the credential that was sent.
    #[error("the backend's answer was dropped, for it holds the credential")]
    EchoedCredential,
}

/// Why there is no credential to send.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthFault {
    /// The caller's own token was to be forwarded, and there is none.
    #[error("authentication needs the caller's token, and there is none")]
    NoInboundToken,
    /// The credential cannot be sent where it belongs.
    #[error("the credential cannot be sent: it is empty, or holds a character that must not be")]
    Unsendable,
    /// The provider set a name that it had not declared.
    #[error("the auth provider contributed a name that it had not declared")]
    Undeclared,
    /// The token endpoint refused.
    #[error("the token endpoint answered with status {0}")]
    TokenStatus(u16),
    /// The token endpoint gave no answer that can be used.
    #[error("no token was obtained: {0}")]
    TokenEndpoint(BackendFault),
    /// The provider failed for a reason of its own.
    #[error("the auth provider failed")]
    Provider,
}

/// A name as messages show it: cut short, and without what could break a line.
pub(crate) fn shown(name: &str) -> String {
    let mut shown: String = name
        .chars()
        .take(SHOWN_NAME_LENGTH)
        .map(|c| if c.is_control() { '\u{FFFD}' } else { c })
        .collect();
    if name.chars().nth(SHOWN_NAME_LENGTH).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("id", "id")]
    #[case("a\r\nb", "a\u{FFFD}\u{FFFD}b")]
    #[case(&"é".repeat(64), &"é".repeat(64))]
    #[case(&"é".repeat(65), &format!("{}…", "é".repeat(64)))]
    fn a_name_is_shown_on_one_line_and_in_part(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(shown(name), expected);
    }

    #[rstest]
    #[case(RequestRefusal::Method.into(), true, Blame::Caller)]
    #[case(PolicyRefusal::new("no").into(), true, Blame::Caller)]
    #[case(ArgumentRefusal::new("no").into(), true, Blame::Caller)]
    #[case(ResolveError::BodyTooDeep.into(), true, Blame::Caller)]
    #[case(ScriptError::Uncaught.into(), false, Blame::Caller)]
    #[case(LimitReached::Calls { limit: 1 }.into(), false, Blame::Caller)]
    #[case(ExecutionError::Status { status: 500 }, false, Blame::Backend)]
    #[case(BackendFault::Broken.into(), false, Blame::Backend)]
    #[case(AuthFault::NoInboundToken.into(), false, Blame::Caller)]
    #[case(AuthFault::TokenEndpoint(BackendFault::Broken).into(), false, Blame::Backend)]
    #[case(AuthFault::Unsendable.into(), false, Blame::Server)]
    #[case(ExecutionError::NoCallId, false, Blame::Server)]
    fn refusals_are_kept_apart_from_faults(
        #[case] error: ExecutionError,
        #[case] refusal: bool,
        #[case] blame: Blame,
    ) {
        assert_eq!((error.is_refusal(), error.blame()), (refusal, blame));
    }
}
