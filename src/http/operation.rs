//! A declared operation: a method, a path and where each argument goes.

use reqwest::header::HeaderName;

use super::header::free_name;
use crate::executor::Method;
use crate::executor::error::shown;
use crate::path::{DeclaredPattern, PathTemplate, PlaceholderRules, TemplateError};

/// One operation of a backend, checked when it is declared.
///
/// ```
/// use proofmark::http::{Operation, Parameter};
///
/// let operation = Operation::new("GET", "/v1/items/{id}", [
///     Parameter::path("id").with_pattern("^[0-9]+$"),
///     Parameter::query("fields"),
/// ])?;
/// assert_eq!(operation.path().as_str(), "/v1/items/{id}");
///
/// assert!(Operation::new("GET", "/v1/items", [Parameter::header("Host")]).is_err());
/// # Ok::<(), proofmark::http::OperationError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Operation {
    method: Method,
    path: PathTemplate,
    parameters: Vec<Parameter>,
}

/// Where an argument goes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterLocation {
    /// Into the `{name}` of the path.
    Path,
    /// Into a query pair; a list of scalars into one pair for each item.
    Query,
    /// Into a header.
    Header,
    /// Into a field of the JSON body.
    Body,
}

/// One argument of an operation.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub(super) name: String,
    pub(super) location: ParameterLocation,
    pub(super) required: bool,
    pub(super) pattern: Option<DeclaredPattern>,
    pub(super) max_length: Option<usize>,
    pub(super) allow_slash: bool,
    pub(super) past_policy: bool,
}

/// Why an operation cannot be declared like this.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OperationError {
    /// The path is no template.
    #[error(transparent)]
    Path(#[from] TemplateError),
    /// The path has a `${…}`, for which there is no value.
    #[error("the path of a declared operation has no `${{…}}`")]
    Interpolation,
    /// The method is not supported.
    #[error("the method must be one of GET, HEAD, OPTIONS, POST, PUT, PATCH and DELETE")]
    Method,
    /// Two parameters have one name.
    #[error("the parameter '{name}' is declared twice")]
    Twice {
        /// The name.
        name: String,
    },
    /// A placeholder of the path has no parameter.
    #[error("the placeholder '{name}' has no path parameter")]
    Unbound {
        /// The name.
        name: String,
    },
    /// A path parameter has no placeholder.
    #[error("the path parameter '{name}' has no placeholder")]
    NoPlaceholder {
        /// The name.
        name: String,
    },
    /// A header parameter's name is no header's, or one that arguments must not set.
    #[error("the header parameter '{name}' has a name that an argument must not set")]
    ReservedHeader {
        /// The name.
        name: String,
    },
    /// A GET-like operation has a body parameter.
    #[error("the operation sends no body, but '{name}' is a body parameter")]
    NoBody {
        /// The name.
        name: String,
    },
    /// A pattern cannot be used.
    #[error("the pattern of the parameter '{name}' cannot be used")]
    Pattern {
        /// The name.
        name: String,
    },
}

impl Parameter {
    fn new(name: impl Into<String>, location: ParameterLocation) -> Self {
        Self {
            name: name.into(),
            location,
            required: location == ParameterLocation::Path,
            pattern: None,
            max_length: None,
            allow_slash: false,
            past_policy: false,
        }
    }

    /// A value of the path, which must always be given.
    #[must_use]
    pub fn path(name: impl Into<String>) -> Self {
        Self::new(name, ParameterLocation::Path)
    }

    /// A query pair.
    #[must_use]
    pub fn query(name: impl Into<String>) -> Self {
        Self::new(name, ParameterLocation::Query)
    }

    /// A header, named like the argument.
    ///
    /// A request policy is not shown headers. So where there is one, an argument for a header is
    /// refused, unless the parameter [may pass by it](Self::past_policy).
    #[must_use]
    pub fn header(name: impl Into<String>) -> Self {
        Self::new(name, ParameterLocation::Header)
    }

    /// A field of the JSON body.
    #[must_use]
    pub fn body(name: impl Into<String>) -> Self {
        Self::new(name, ParameterLocation::Body)
    }

    /// Must be given.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Narrows the values of a path, query or header parameter: each must hold a match of this
    /// ECMA-262 pattern, as in JSON Schema.
    #[must_use]
    pub fn with_pattern(mut self, pattern: &str) -> Self {
        self.pattern = Some(DeclaredPattern::new(pattern));
        self
    }

    /// Narrows the values of a path, query or header parameter to this many code points.
    #[must_use]
    pub fn with_max_length(mut self, max_length: usize) -> Self {
        self.max_length = Some(max_length);
        self
    }

    /// Admits `/` in the value of a path parameter. For a server's own configuration only, never
    /// because a document says so.
    #[must_use]
    pub fn allowing_slash(mut self) -> Self {
        self.allow_slash = true;
        self
    }

    /// Lets the value of a header parameter be sent although no policy can see it.
    #[must_use]
    pub fn past_policy(mut self) -> Self {
        self.past_policy = true;
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the argument goes.
    #[must_use]
    pub fn location(&self) -> ParameterLocation {
        self.location
    }

    /// What is declared for it as a placeholder.
    pub(super) fn rules(&self) -> PlaceholderRules<'_> {
        PlaceholderRules::default()
            .with_compiled_pattern(self.pattern.as_ref())
            .with_max_length(self.max_length)
    }

    pub(super) fn header_name(&self) -> Option<HeaderName> {
        free_name(&self.name)
    }
}

impl Operation {
    /// Declares an operation.
    ///
    /// # Errors
    ///
    /// An [`OperationError`].
    pub fn new(
        method: &str,
        path: &str,
        parameters: impl IntoIterator<Item = Parameter>,
    ) -> Result<Self, OperationError> {
        let operation = Self {
            method: Method::parse(method).map_err(|_| OperationError::Method)?,
            path: PathTemplate::parse(path)?,
            parameters: parameters.into_iter().collect(),
        };
        if operation.path.is_dynamic() {
            return Err(OperationError::Interpolation);
        }
        for (at, parameter) in operation.parameters.iter().enumerate() {
            operation.check(parameter, &operation.parameters[..at])?;
        }
        let unbound = operation.path.placeholders().find(|name| {
            operation
                .parameter(name)
                .is_none_or(|parameter| parameter.location != ParameterLocation::Path)
        });
        match unbound {
            Some(name) => Err(OperationError::Unbound { name: shown(name) }),
            None => Ok(operation),
        }
    }

    fn check(&self, parameter: &Parameter, earlier: &[Parameter]) -> Result<(), OperationError> {
        let name = || shown(&parameter.name);
        let same = |other: &Parameter| {
            other.name == parameter.name
                || (other.location == ParameterLocation::Header
                    && parameter.location == ParameterLocation::Header
                    && other.name.eq_ignore_ascii_case(&parameter.name))
        };
        if earlier.iter().any(same) {
            return Err(OperationError::Twice { name: name() });
        }
        let unusable = |pattern: &DeclaredPattern| !pattern.is_usable();
        if parameter.pattern.as_ref().is_some_and(unusable) {
            return Err(OperationError::Pattern { name: name() });
        }
        match parameter.location {
            ParameterLocation::Path if !self.path.placeholders().any(|p| p == parameter.name) => {
                Err(OperationError::NoPlaceholder { name: name() })
            }
            ParameterLocation::Header if parameter.header_name().is_none() => {
                Err(OperationError::ReservedHeader { name: name() })
            }
            ParameterLocation::Body if self.method.is_get_like() => {
                Err(OperationError::NoBody { name: name() })
            }
            _ => Ok(()),
        }
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The path as it is declared.
    #[must_use]
    pub fn path(&self) -> &PathTemplate {
        &self.path
    }

    /// The parameters in the order of declaration.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == name)
    }
}
