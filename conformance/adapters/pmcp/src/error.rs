//! Why something of the toolkit's cannot be judged, and its errors as the judge reads them.

use std::error::Error;
use std::fmt::Write as _;

use pmcp_server_toolkit::ToolkitError;
use proofmark_conformance::toolkit::executor::ExecutionError;

/// Why there is no subject.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The connector takes no policy, and whatever is judged here is asked to consult one.
    #[error("the connector takes no policy: implement `HttpConnector::governed`")]
    Ungoverned,
    /// The toolkit makes no tools of the configuration.
    #[error("no tools can be made: {0}")]
    Tools(#[from] ToolkitError),
    /// No server can be made of the tools.
    #[error("no server can be made: {0}")]
    Server(#[from] pmcp::Error),
    /// The toolkit registered no such tool.
    #[error("the toolkit registered no tool `{0}`")]
    NoTool(&'static str),
}

/// Everything that an error of the toolkit's shows, for a judge that looks for what must not be in
/// it. Of the judge's own errors only a refusal holds a text, and no check looks at the kind.
pub(crate) fn told(error: &(dyn Error + 'static)) -> ExecutionError {
    let mut message = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        // Writing to a `String` cannot fail.
        let _ = writeln!(message, "{error}\n{error:?}");
        next = error.source();
    }
    ExecutionError::RefusedArguments { message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_with_its_debug_and_its_sources() {
        let source = pmcp::Error::Internal("inner".to_owned());
        let message = told(&SetupError::Server(source)).to_string();
        for text in [
            "no server can be made",
            "Server(Internal(",
            "Internal error: inner",
        ] {
            assert!(message.contains(text), "{message}");
        }
    }
}
