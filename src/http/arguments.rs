//! Puts a tool's arguments where its operation declares them.

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::header::visible_value;
use super::{Operation, Parameter, ParameterLocation};
use crate::executor::error::shown;
use crate::executor::outgoing::pairs::{push_field, text_of};
use crate::executor::{BaseUrl, ExecutionError, OutgoingRequest, RequestRefusal};
use crate::path::nesting::nests_deeper_than;
use crate::path::{MAX_BODY_DEPTH, PlaceholderRefusal, PlaceholderRules, ResolveError};

/// The headers that arguments set.
pub(super) type Headers = Vec<(HeaderName, HeaderValue)>;

/// The arguments of one call, sorted by where they go.
#[derive(Default)]
struct Placed {
    fields: Map<String, Value>,
    pairs: Vec<(String, String)>,
    headers: Headers,
    body: Map<String, Value>,
}

/// Makes the request of an operation and its arguments. `has_policy` says whether one is asked.
pub(super) fn request_of(
    operation: &Operation,
    args: &Value,
    base: &BaseUrl,
    has_policy: bool,
) -> Result<(OutgoingRequest, Headers), ExecutionError> {
    if nests_deeper_than(args, MAX_BODY_DEPTH) {
        return Err(RequestRefusal::BodyTooDeep.into());
    }
    let empty = Map::new();
    let args = match args {
        Value::Object(args) => args,
        Value::Null => &empty,
        _ => return Err(RequestRefusal::ArgumentsNotAnObject.into()),
    };
    if let Some(key) = args.keys().find(|key| operation.parameter(key).is_none()) {
        return Err(RequestRefusal::UnknownArgument { key: shown(key) }.into());
    }
    let mut placed = Placed::default();
    for parameter in operation.parameters() {
        placed.place(parameter, args.get(&parameter.name), has_policy)?;
    }
    let resolution = operation.path().resolve(
        operation.method().as_str(),
        |_| None,
        |_, _, name| rules_of(operation, name),
        Some(Value::Object(placed.fields)),
    )?;
    // A method that sends JSON sends an object even of no fields, if it declares any.
    let declares_body = operation
        .parameters()
        .iter()
        .any(|parameter| parameter.location == ParameterLocation::Body);
    let body = declares_body.then_some(Value::Object(placed.body));
    let path = resolution.target().as_path();
    let request = OutgoingRequest::with_pairs(base, operation.method(), path, placed.pairs, body)?;
    Ok((request, placed.headers))
}

fn rules_of<'o>(operation: &'o Operation, name: &str) -> PlaceholderRules<'o> {
    match operation.parameter(name) {
        Some(parameter) => parameter.rules().allowing_slash(parameter.allow_slash),
        None => PlaceholderRules::default(),
    }
}

impl Placed {
    fn place(
        &mut self,
        parameter: &Parameter,
        value: Option<&Value>,
        has_policy: bool,
    ) -> Result<(), ExecutionError> {
        let key = || shown(&parameter.name);
        // `null` is a value in a body, and elsewhere none.
        let in_body = parameter.location == ParameterLocation::Body;
        let Some(value) = value.filter(|value| in_body || !value.is_null()) else {
            if parameter.required {
                return Err(RequestRefusal::MissingArgument { key: key() }.into());
            }
            return Ok(());
        };
        match parameter.location {
            ParameterLocation::Path => {
                self.fields.insert(parameter.name.clone(), value.clone());
            }
            ParameterLocation::Query => {
                let first = self.pairs.len();
                push_field(&mut self.pairs, parameter.name.clone(), value.clone())?;
                for (_, text) in &self.pairs[first..] {
                    check_declared(parameter, text)?;
                }
            }
            ParameterLocation::Header => {
                if has_policy && !parameter.past_policy {
                    return Err(RequestRefusal::UnseenHeader { key: key() }.into());
                }
                let text = text_of(&parameter.name, value.clone())?;
                check_declared(parameter, &text)?;
                let header = parameter.header_name().zip(visible_value(&text));
                let header = header.ok_or_else(|| RequestRefusal::HeaderValue { key: key() })?;
                self.headers.push(header);
            }
            ParameterLocation::Body => {
                self.body.insert(parameter.name.clone(), value.clone());
            }
        }
        Ok(())
    }
}

/// Holds a value beside the path to what is declared for it.
fn check_declared(parameter: &Parameter, text: &str) -> Result<(), ResolveError> {
    let refused = |rule, expected: String| {
        Err(PlaceholderRefusal::new(&parameter.name, rule, expected).into())
    };
    if let Some(max_length) = parameter.max_length
        && text.chars().nth(max_length).is_some()
    {
        return refused(
            "maxLength",
            format!("must be at most {max_length} characters long"),
        );
    }
    match &parameter.pattern {
        Some(pattern) if !pattern.matches(text) => {
            refused("pattern", format!("must match {}", shown(pattern.as_str())))
        }
        _ => Ok(()),
    }
}
