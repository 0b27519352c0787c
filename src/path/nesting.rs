//! Bounds how deeply JSON may nest, without recursion.

use serde_json::Value;

/// How deeply a body may nest. Deeper ones are refused, for whatever serialises or drops them by
/// recursion would run out of stack.
pub const MAX_BODY_DEPTH: usize = 128;

/// Hands the value back, or takes it apart and returns nothing when it nests too deeply.
pub(crate) fn bounded(value: Value) -> Option<Value> {
    if nests_deeper_than(&value, MAX_BODY_DEPTH) {
        dismantle(value);
        None
    } else {
        Some(value)
    }
}

/// Whether containers stand in containers more than `limit` levels deep.
pub(crate) fn nests_deeper_than(value: &Value, limit: usize) -> bool {
    let mut level = children(value);
    let mut outer = Vec::new();
    loop {
        let Some(child) = level.next() else {
            match outer.pop() {
                Some(enclosing) => level = enclosing,
                None => return false,
            }
            continue;
        };
        if child.is_array() || child.is_object() {
            if outer.len() + 1 == limit {
                return true;
            }
            outer.push(std::mem::replace(&mut level, children(child)));
        }
    }
}

fn children(value: &Value) -> Children<'_> {
    match value {
        Value::Array(items) => Children::Items(items.iter()),
        Value::Object(members) => Children::Members(members.values()),
        _ => Children::Items([].iter()),
    }
}

/// What stands directly in a container.
enum Children<'v> {
    Items(std::slice::Iter<'v, Value>),
    Members(serde_json::map::Values<'v>),
}

impl<'v> Iterator for Children<'v> {
    type Item = &'v Value;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Items(items) => items.next(),
            Self::Members(members) => members.next(),
        }
    }
}

/// Drops a value whose nesting would overflow the stack if it were dropped as it is.
pub(crate) fn dismantle(value: Value) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.into_iter().map(|(_, child)| child)),
            _ => {}
        }
    }
}
