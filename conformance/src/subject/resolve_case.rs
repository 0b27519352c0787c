//! What a resolver is asked: a template with its values, and what is declared for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use proofmark::path::{DeclaredPattern, PlaceholderRules};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::shown::cut;

/// One template to resolve, with everything its placeholders need. Clone it, change one part, and
/// you have its twin.
///
/// ```
/// use proofmark_conformance::subject::{Declared, ResolveCase};
///
/// let case = ResolveCase::new("/v1/${kind}/{id}")
///     .variable("kind", "items")
///     .argument("id", 7)
///     .declaring(Declared::new("GET", "/v1/items/{id}", "id").pattern("^[0-9]+$"));
/// assert_eq!(case.argument_text("id").as_deref(), Some("7"));
///
/// let rules = case.placeholder_rules("GET", "/v1/items/{id}", "id");
/// assert_eq!(rules.declared_pattern, Some("^[0-9]+$"));
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ResolveCase {
    /// The HTTP method, upper-case.
    pub method: String,
    /// The template as its author wrote it: `${var}` is filled first, then `{key}`; a `?` begins
    /// the query half.
    pub template: String,
    /// The values of `${var}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Value>,
    /// The caller's body, whose members are the values of `{key}`; what the target does not use
    /// stays in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// What an API description declares of parameters, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<Declared>,
    /// Parameters in whose values the server's own configuration allows `/`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub slash_allowed: BTreeSet<String>,
    /// Who has asked for rules so far.
    #[serde(skip)]
    lookups: Lookups,
}

/// What an API description declares of one parameter of one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Declared {
    /// The operation's method, upper-case.
    pub method: String,
    /// The operation's path template.
    pub template: String,
    /// The parameter's name.
    pub param: String,
    /// The ECMA-262 pattern that a value must match somewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The longest value, in code points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<usize>,
    /// Further members of the parameter's object: `allowReserved`, extensions.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub further: Map<String, Value>,
    /// The pattern as it was compiled, which a server does once and not for every request.
    #[serde(skip)]
    compiled: Compiled,
}

#[derive(Debug, Clone, Default)]
struct Compiled(OnceLock<Arc<DeclaredPattern>>);

/// Whether it was needed so far makes no difference.
impl PartialEq for Compiled {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One question for the rules of a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// The method asked about.
    pub method: String,
    /// The template asked about.
    pub template: String,
    /// The parameter asked about.
    pub param: String,
}

#[derive(Debug, Clone, Default)]
struct Lookups(Arc<Mutex<Vec<Lookup>>>);

impl Declared {
    /// An operation's parameter, of which nothing is declared yet.
    #[must_use]
    pub fn new(method: &str, template: &str, param: &str) -> Self {
        Self {
            method: method.to_owned(),
            template: template.to_owned(),
            param: param.to_owned(),
            pattern: None,
            max_length: None,
            further: Map::new(),
            compiled: Compiled::default(),
        }
    }

    /// The same parameter with a pattern.
    #[must_use]
    pub fn pattern(mut self, pattern: &str) -> Self {
        self.pattern = Some(pattern.to_owned());
        self
    }

    /// The same parameter with a longest value, in code points.
    #[must_use]
    pub fn max_length(mut self, length: usize) -> Self {
        self.max_length = Some(length);
        self
    }

    /// The same parameter with a further member in its object.
    #[must_use]
    pub fn further(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.further.insert(member.to_owned(), value.into());
        self
    }

    /// The same parameter with a pattern that was compiled before.
    pub(crate) fn compiled_pattern(mut self, pattern: Arc<DeclaredPattern>) -> Self {
        self.pattern = Some(pattern.as_str().to_owned());
        self.compiled = Compiled(OnceLock::from(pattern));
        self
    }

    fn rules(&self) -> PlaceholderRules<'_> {
        let rules = PlaceholderRules::default().with_max_length(self.max_length);
        let Some(pattern) = self.pattern.as_deref() else {
            return rules;
        };
        let compile = || Arc::new(DeclaredPattern::new(pattern));
        let compiled = self.compiled.0.get_or_init(compile);
        // The pattern is public, so it may have been changed since.
        if compiled.as_str() == pattern {
            rules.with_compiled_pattern(Some(compiled))
        } else {
            rules.with_pattern(Some(pattern))
        }
    }

    fn parameter(&self) -> Value {
        let mut schema = json!({"type": "string"});
        if let Some(pattern) = &self.pattern {
            schema["pattern"] = json!(pattern);
        }
        if let Some(length) = self.max_length {
            schema["maxLength"] = json!(length);
        }
        let mut parameter = self.further.clone();
        parameter.insert("name".to_owned(), json!(self.param));
        parameter.insert("in".to_owned(), json!("path"));
        parameter.insert("required".to_owned(), json!(true));
        parameter.insert("schema".to_owned(), schema);
        Value::Object(parameter)
    }
}

impl ResolveCase {
    /// A GET of this template, without values.
    #[must_use]
    pub fn new(template: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            template: template.to_owned(),
            variables: BTreeMap::new(),
            body: None,
            declared: Vec::new(),
            slash_allowed: BTreeSet::new(),
            lookups: Lookups::default(),
        }
    }

    /// The same case with another method.
    #[must_use]
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// The same values for another template.
    #[must_use]
    pub fn template(mut self, template: &str) -> Self {
        template.clone_into(&mut self.template);
        self
    }

    /// The same case with this value for `${name}`.
    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// The same case with this member in its body. A body that is no object is replaced.
    #[must_use]
    pub fn argument(mut self, name: &str, value: impl Into<Value>) -> Self {
        let mut members = match self.body.take() {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        };
        members.insert(name.to_owned(), value.into());
        self.body = Some(Value::Object(members));
        self
    }

    /// The same case with this body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Value>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The same case with one more declaration of the API description.
    #[must_use]
    pub fn declaring(mut self, declared: Declared) -> Self {
        self.declared.push(declared);
        self
    }

    /// The same case on a server whose configuration allows `/` in the values of `param`.
    #[must_use]
    pub fn allowing_slash(mut self, param: &str) -> Self {
        self.slash_allowed.insert(param.to_owned());
        self
    }

    /// The member of the body that fills `{name}`.
    #[must_use]
    pub fn argument_of(&self, name: &str) -> Option<&Value> {
        self.body.as_ref()?.get(name)
    }

    /// The text that fills `{name}`: a string is itself, any other scalar its JSON text; what is no
    /// scalar has none.
    #[must_use]
    pub fn argument_text(&self, name: &str) -> Option<String> {
        match self.argument_of(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Array(_) | Value::Object(_) => None,
            scalar => Some(scalar.to_string()),
        }
    }

    /// The rules of one parameter as the server knows them: what is declared for exactly this
    /// operation, and whether its configuration allows `/`. It is the `placeholder_rules` of an
    /// executor over [`document`](Self::document), and the judge notes who asks it for what.
    #[must_use]
    pub fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        self.lookups.note(method, path_template, param);
        let declared = self.declared.iter().find(|declared| {
            declared.method == method
                && declared.template == path_template
                && declared.param == param
        });
        declared
            .map(Declared::rules)
            .unwrap_or_default()
            .allowing_slash(self.slash_allowed.contains(param))
    }

    /// The API description as an OpenAPI document.
    #[must_use]
    pub fn document(&self) -> Value {
        let mut paths = Map::new();
        for declared in &self.declared {
            let operations = paths
                .entry(declared.template.clone())
                .or_insert_with(|| json!({}));
            let method = declared.method.to_ascii_lowercase();
            let parameters = &mut operations[method]["parameters"];
            match parameters.as_array_mut() {
                Some(parameters) => parameters.push(declared.parameter()),
                None => *parameters = json!([declared.parameter()]),
            }
        }
        json!({
            "openapi": "3.1.0",
            "info": {"title": "items", "version": "1"},
            "paths": paths,
        })
    }

    /// The same case, of which nobody has asked for rules yet.
    pub(crate) fn unasked(&self) -> Self {
        let lookups = Lookups::default();
        Self {
            lookups,
            ..self.clone()
        }
    }

    /// What [`placeholder_rules`](Self::placeholder_rules) was asked, in order.
    pub(crate) fn lookups(&self) -> Vec<Lookup> {
        self.lookups.lock().clone()
    }
}

/// Two cases are equal whoever has asked for their rules.
impl PartialEq for ResolveCase {
    fn eq(&self, other: &Self) -> bool {
        self.method == other.method
            && self.template == other.template
            && self.variables == other.variables
            && self.body == other.body
            && self.declared == other.declared
            && self.slash_allowed == other.slash_allowed
    }
}

impl Lookups {
    fn note(&self, method: &str, template: &str, param: &str) {
        self.lock().push(Lookup {
            method: method.to_owned(),
            template: template.to_owned(),
            param: param.to_owned(),
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Lookup>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            method,
            template,
            param,
        } = self;
        write!(f, "{} {} `{}`", cut(method), cut(template), cut(param))
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            method,
            template,
            param,
            ..
        } = self;
        write!(f, "{} {} `{}`", cut(method), cut(template), cut(param))?;
        if let Some(pattern) = &self.pattern {
            write!(f, " pattern {}", cut(pattern))?;
        }
        if let Some(length) = self.max_length {
            write!(f, " maxLength {length}")?;
        }
        for (member, value) in &self.further {
            write!(f, " {} {}", cut(member), cut(&value.to_string()))?;
        }
        Ok(())
    }
}

/// One line for people: long parts are cut, control characters are escaped.
impl fmt::Display for ResolveCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", cut(&self.method), cut(&self.template))?;
        for (name, value) in &self.variables {
            write!(f, " ${{{}}} = {}", cut(name), cut(&value.to_string()))?;
        }
        if let Some(body) = &self.body {
            write!(f, " with {}", cut(&body.to_string()))?;
        }
        for declared in &self.declared {
            write!(f, "; declared: {declared}")?;
        }
        if !self.slash_allowed.is_empty() {
            let names: Vec<&str> = self.slash_allowed.iter().map(String::as_str).collect();
            write!(f, "; `/` allowed in {}", cut(&names.join(", ")))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_for_exactly_one_operation_and_every_question_is_noted() {
        let case = ResolveCase::new("/things/{id}")
            .declaring(Declared::new("GET", "/things/{id}", "id").max_length(3));

        let found = case.placeholder_rules("GET", "/things/{id}", "id");
        assert_eq!(found.declared_max_length, Some(3));
        for (method, template, param) in [
            ("DELETE", "/things/{id}", "id"),
            ("GET", "/things", "id"),
            ("GET", "/things/{id}", "other"),
        ] {
            let missed = case.placeholder_rules(method, template, param);
            assert_eq!(missed.declared_max_length, None);
        }
        assert_eq!(case.lookups().len(), 4);
        assert!(case.unasked().lookups().is_empty());
    }

    #[test]
    fn the_document_declares_what_the_case_does() {
        let case = ResolveCase::new("/things/{id}")
            .declaring(Declared::new("GET", "/things/{id}", "id").pattern("^a$"))
            .declaring(
                Declared::new("GET", "/things/{id}", "other").further("allowReserved", true),
            );

        let document = case.document();

        let parameters = &document["paths"]["/things/{id}"]["get"]["parameters"];
        assert_eq!(parameters[0]["schema"]["pattern"], "^a$");
        assert_eq!(parameters[1]["allowReserved"], true);
    }

    #[test]
    fn a_case_reads_as_one_line_whatever_it_holds() {
        let case = ResolveCase::new("/a\n{id}")
            .variable("v", "x".repeat(500))
            .argument("id", "\r\n");
        let shown = case.to_string();
        assert!(
            !shown.contains(['\n', '\r']) && shown.len() < 400,
            "{shown}"
        );
    }
}
