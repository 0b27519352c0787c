//! A tool's arguments: held to their declaration, and put where it says.

use proofmark::executor::{BaseUrl, ExecutionError, Method, OutgoingRequest, RequestRefusal};
use proofmark::path::{DeclaredPattern, PathTemplate, PlaceholderRules};
use proofmark_conformance::profile::AuthScheme;
use proofmark_conformance::subject::{OperationSpec, ParameterSpec, Place, ToolFailure};
use serde_json::{Map, Value};

use super::flaw::Flaw;

/// The headers that decide where a request goes, where it ends, who it is from, or what it is.
const RESERVED: &[&str] = &[
    "host",
    "authorization",
    "cookie",
    "content-length",
    "transfer-encoding",
    "connection",
    "x-http-method-override",
    "x-http-method",
    "x-method-override",
];

/// A request that is ready to be shown, and the headers that no policy sees.
pub(super) struct Ready {
    pub(super) outgoing: OutgoingRequest,
    pub(super) headers: Vec<(String, String)>,
    /// The path as it was declared.
    pub(super) template: String,
    /// The body of a GET, where one is taken.
    pub(super) body_of_get: Option<Value>,
}

pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED
        .iter()
        .any(|reserved| reserved.eq_ignore_ascii_case(&name.replace('_', "-")))
}

/// Whether an operation may be declared so.
pub(super) fn is_declarable(
    flaw: Flaw,
    scheme: Option<&AuthScheme>,
    operation: &OperationSpec,
) -> bool {
    let own = match scheme {
        Some(AuthScheme::HeaderKey(name)) if flaw != Flaw::TakesTheKeysHeader => name,
        _ => "",
    };
    let lenient = matches!(flaw, Flaw::TakesAnyHeader | Flaw::DropsReservedHeaders);
    operation
        .parameters
        .iter()
        .filter(|parameter| parameter.place == Place::Header)
        .all(|parameter| {
            let name = &parameter.name;
            let plain = RESERVED
                .iter()
                .all(|reserved| !reserved.eq_ignore_ascii_case(name));
            let free = match flaw {
                Flaw::KnowsNoUnderscores => plain,
                _ => lenient || !is_reserved(name),
            };
            !name.eq_ignore_ascii_case(own) && free
        })
}

/// Holds arguments to their declaration.
pub(super) fn check_schema(
    flaw: Flaw,
    operation: &OperationSpec,
    args: &Map<String, Value>,
) -> Result<(), ToolFailure> {
    let declared = |key: &String| operation.parameters.iter().any(|known| known.name == *key);
    let passes = matches!(
        flaw,
        Flaw::SendsUndeclaredHeaders | Flaw::SendsUndeclaredPairs
    );
    if !args.keys().all(declared) && !passes {
        return Err(ToolFailure::refused("an argument is not declared"));
    }
    for parameter in &operation.parameters {
        match args.get(&parameter.name) {
            None if parameter.required => {
                let name = &parameter.name;
                return Err(ToolFailure::refused(format!("`{name}` must be given")));
            }
            Some(value) => check_pattern(parameter, value)?,
            None => {}
        }
    }
    Ok(())
}

fn check_pattern(parameter: &ParameterSpec, value: &Value) -> Result<(), ToolFailure> {
    let Some(pattern) = &parameter.pattern else {
        return Ok(());
    };
    if DeclaredPattern::new(pattern).matches(&text_of(value)) {
        return Ok(());
    }
    let name = &parameter.name;
    Err(ToolFailure::refused(format!(
        "`{name}` must match {pattern}"
    )))
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Makes the request of an operation and its arguments.
pub(super) fn ready(
    flaw: Flaw,
    base: &BaseUrl,
    operation: &OperationSpec,
    args: &Map<String, Value>,
) -> Result<Ready, ExecutionError> {
    let method = Method::parse(&operation.method)?;
    let (mut in_path, mut body) = (Map::new(), Map::new());
    let (mut pairs, mut headers) = (Vec::new(), Vec::new());
    for (name, value) in args {
        match place_of(operation, name) {
            Some(Place::Path) => {
                in_path.insert(name.clone(), value.clone());
            }
            None if flaw == Flaw::SendsUndeclaredPairs => push_pairs(&mut pairs, name, value)?,
            Some(Place::Query) => push_pairs(&mut pairs, name, value)?,
            Some(Place::Body) => {
                body.insert(name.clone(), value.clone());
            }
            Some(Place::Header) | None => headers.push(header_of(flaw, name, value)?),
        }
    }
    if flaw == Flaw::DropsReservedHeaders {
        headers.retain(|(name, _)| !is_reserved(name));
    }
    let declares_body = operation
        .parameters
        .iter()
        .any(|known| known.place == Place::Body);
    let mut body = declares_body.then_some(Value::Object(body));
    let takes_it = flaw == Flaw::CarriesBodiesOfGets && method.is_get_like();
    let body_of_get = if takes_it { body.take() } else { None };
    let template = PathTemplate::parse(&operation.path).map_err(|_| RequestRefusal::Target)?;
    let rules = |_: &str, _: &str, _: &str| PlaceholderRules::default();
    let resolved = template.resolve(method.as_str(), |_| None, rules, Some(in_path.into()))?;
    let path = resolved.target().as_path();
    Ok(Ready {
        outgoing: OutgoingRequest::with_pairs(base, method, path, pairs, body)?,
        headers,
        template: operation.path.clone(),
        body_of_get,
    })
}

fn place_of(operation: &OperationSpec, name: &str) -> Option<Place> {
    let known = operation.parameters.iter().find(|known| known.name == name);
    known.map(|parameter| parameter.place)
}

fn push_pairs(
    pairs: &mut Vec<(String, String)>,
    name: &str,
    value: &Value,
) -> Result<(), RequestRefusal> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for item in items {
        if item.is_array() || item.is_object() {
            let key = name.to_owned();
            return Err(RequestRefusal::NotScalar { key });
        }
        pairs.push((name.to_owned(), text_of(item)));
    }
    Ok(())
}

fn header_of(flaw: Flaw, name: &str, value: &Value) -> Result<(String, String), RequestRefusal> {
    let text = text_of(value);
    let broken = text.contains(|letter: char| letter.is_control() || !letter.is_ascii());
    if broken && flaw != Flaw::SplitsHeaders {
        let key = name.to_owned();
        return Err(RequestRefusal::HeaderValue { key });
    }
    Ok((name.to_owned(), text))
}
