//! How an imaginary shop's agent fills its endpoints' templates. It looks careful, and is not.

use serde_json::{Map, Value};

/// A value does not fit.
#[derive(Debug)]
pub struct Unfit(String);

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` must be one segment", self.0)
    }
}

impl std::error::Error for Unfit {}

/// Fills each `{name}` of the template from `arguments`, and returns the target and the arguments
/// that are left.
///
/// # Errors
///
/// [`Unfit`], where a value has a slash, is a parent step, or is missing.
pub fn fill(
    template: &str,
    arguments: &Map<String, Value>,
) -> Result<(String, Map<String, Value>), Unfit> {
    let mut target = template.to_owned();
    let mut left = arguments.clone();
    for (name, value) in arguments {
        let place = format!("{{{name}}}");
        if !target.contains(&place) {
            continue;
        }
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if text.is_empty() || text.contains('/') || text == ".." {
            return Err(Unfit(name.clone()));
        }
        target = target.replace(&place, &text);
        left.remove(name);
    }
    if target.contains('{') {
        return Err(Unfit("a placeholder".to_owned()));
    }
    Ok((target, left))
}
