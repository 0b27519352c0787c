//! One call of a curated tool, or of a script's executor, in the words of neither side.

use serde_json::{Map, Value};

/// The tool on whose behalf every call is made.
pub const TOOL: &str = "get_item";

/// A call that both sides are asked to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    pub base: Base,
    pub method: &'static str,
    pub path: String,
    pub by: By,
}

/// Which surface makes the call.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    /// A curated tool, whose path is a template.
    Curated(Vec<Argument>),
    /// The executor of scripts, whose path is resolved.
    Script(Option<Value>),
}

/// A base URL, but for the address of the backend.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    pub userinfo: &'static str,
    pub path: &'static str,
}

/// An argument, and where the tool declares it to go.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    pub name: &'static str,
    pub place: Place,
    /// Without one it is declared and not given.
    pub value: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Path,
    Query,
    Header,
    /// A header that may pass by the policy, where one has to say so.
    HeaderPastPolicy,
    Body,
    /// Given, and not declared.
    Nowhere,
}

impl Case {
    pub fn curated(method: &'static str, path: &str, arguments: &[Argument]) -> Self {
        Self {
            base: Base::PLAIN,
            method,
            path: path.to_owned(),
            by: By::Curated(arguments.to_vec()),
        }
    }

    pub fn script(method: &'static str, path: &str, body: Option<Value>) -> Self {
        Self {
            base: Base::PLAIN,
            method,
            path: path.to_owned(),
            by: By::Script(body),
        }
    }

    pub fn at(self, userinfo: &'static str, path: &'static str) -> Self {
        let base = Base { userinfo, path };
        Self { base, ..self }
    }

    pub fn is_get_like(&self) -> bool {
        let method = self.method.to_ascii_uppercase();
        ["GET", "HEAD", "OPTIONS"].contains(&method.as_str())
    }

    /// The arguments of a curated call.
    pub fn arguments(&self) -> &[Argument] {
        match &self.by {
            By::Curated(arguments) => arguments,
            By::Script(_) => &[],
        }
    }

    /// The arguments that go to one place, and are given.
    pub fn given(&self, place: Place) -> impl Iterator<Item = (&'static str, &Value)> {
        self.arguments()
            .iter()
            .filter(move |argument| argument.place == place)
            .filter_map(|argument| Some((argument.name, argument.value.as_ref()?)))
    }

    /// The path with the texts of its values in the place of their names.
    pub fn filled(&self) -> String {
        self.given(Place::Path)
            .fold(self.path.clone(), |path, (name, value)| {
                path.replace(&format!("{{{name}}}"), &text_of(value))
            })
    }

    /// The fields that become query pairs.
    pub fn query_fields(&self) -> Map<String, Value> {
        match &self.by {
            By::Curated(_) => self
                .given(Place::Query)
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
            By::Script(Some(Value::Object(fields))) if self.is_get_like() => fields.clone(),
            By::Script(_) => Map::new(),
        }
    }
}

impl Base {
    pub const PLAIN: Self = Self {
        userinfo: "",
        path: "",
    };
}

/// The text of a scalar.
pub fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

pub fn argument(name: &'static str, place: Place, value: Value) -> Argument {
    Argument {
        name,
        place,
        value: Some(value),
    }
}
