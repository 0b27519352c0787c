//! What the tools of a surface do, as they are declared to its factory.

use super::Script;

/// One tool that a surface is built with.
///
/// ```
/// use proofmark_conformance::subject::{ParameterSpec, ToolSpec};
///
/// let tool = ToolSpec::operation("get_item", "GET", "/items/{id}", [
///     ParameterSpec::path("id"),
///     ParameterSpec::query("limit").with_pattern("^[0-9]+$"),
/// ]);
/// assert_eq!(tool.name, "get_item");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name by which it is called.
    pub name: String,
    /// What a call of it does.
    pub action: ToolAction,
}

/// What a call of a tool does.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolAction {
    /// It sends one request.
    Operation(OperationSpec),
    /// It runs a script of the server's own.
    Script(Script),
}

/// One request that a tool sends.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationSpec {
    /// The method, in upper case.
    pub method: String,
    /// The path, with `{name}` for each path parameter; it may hold a query of its own.
    pub path: String,
    /// Where each argument goes.
    pub parameters: Vec<ParameterSpec>,
}

/// One argument of a tool, as its schema declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// The name, of the argument and of what it becomes.
    pub name: String,
    /// Where it goes.
    pub place: Place,
    /// Whether the schema asks for it.
    pub required: bool,
    /// The ECMA-262 pattern that the schema asks its text to match.
    pub pattern: Option<String>,
}

/// Where an argument goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into the `{name}` of the path.
    Path,
    /// Into a query pair.
    Query,
    /// Into a header.
    Header,
    /// Into a member of the JSON body.
    Body,
}

impl ToolSpec {
    /// A tool that sends one request.
    #[must_use]
    pub fn operation(
        name: impl Into<String>,
        method: impl Into<String>,
        path: impl Into<String>,
        parameters: impl IntoIterator<Item = ParameterSpec>,
    ) -> Self {
        Self {
            name: name.into(),
            action: ToolAction::Operation(OperationSpec {
                method: method.into(),
                path: path.into(),
                parameters: parameters.into_iter().collect(),
            }),
        }
    }

    /// A tool that runs a script of the server's own.
    #[must_use]
    pub fn script(name: impl Into<String>, script: Script) -> Self {
        Self {
            name: name.into(),
            action: ToolAction::Script(script),
        }
    }
}

impl ParameterSpec {
    /// An argument that goes to this place.
    #[must_use]
    pub fn new(name: impl Into<String>, place: Place) -> Self {
        Self {
            name: name.into(),
            place,
            required: place == Place::Path,
            pattern: None,
        }
    }

    /// A value of the path, which must always be given.
    #[must_use]
    pub fn path(name: impl Into<String>) -> Self {
        Self::new(name, Place::Path)
    }

    /// A query pair.
    #[must_use]
    pub fn query(name: impl Into<String>) -> Self {
        Self::new(name, Place::Query)
    }

    /// A header of this name.
    #[must_use]
    pub fn header(name: impl Into<String>) -> Self {
        Self::new(name, Place::Header)
    }

    /// A member of the JSON body.
    #[must_use]
    pub fn body(name: impl Into<String>) -> Self {
        Self::new(name, Place::Body)
    }

    /// The same argument, which must be given.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same argument, whose text must match this pattern.
    #[must_use]
    pub fn with_pattern(mut self, pattern: impl Into<String>) -> Self {
        self.pattern = Some(pattern.into());
        self
    }
}
