//! Fields that a script must not see, and fields that must not leave it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Takes the fields out of a value, at any depth.
pub(super) fn strip(value: &mut Value, fields: &BTreeSet<String>) {
    if fields.is_empty() {
        return;
    }
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                members.retain(|key, _| !fields.contains(key));
                left.extend(members.values_mut());
            }
            _ => {}
        }
    }
}

/// One of the fields that a value holds, at any depth.
pub(super) fn found<'f>(value: &Value, fields: &'f BTreeSet<String>) -> Option<&'f str> {
    if fields.is_empty() {
        return None;
    }
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                if let Some(field) = members.keys().find_map(|key| fields.get(key)) {
                    return Some(field);
                }
                left.extend(members.values());
            }
            _ => {}
        }
    }
    None
}
