//! The methods of lists, texts and numbers.

use std::borrow::Cow;

use serde_json::Value;

use super::convert::{are_equal, is_truthy, number_of, text_of};
use super::evaluate::{Evaluated, Evaluator, wrong};
use super::scope::Scope;
use crate::executor::{MethodName, ValueExpr};

/// What one character of a text that is split weighs as a text of its own.
const SPLIT_WEIGHT: usize = 64;

impl Evaluator<'_, '_> {
    pub(super) fn method<'v>(
        &mut self,
        receiver: &'v ValueExpr,
        name: MethodName,
        arguments: &'v [ValueExpr],
        scope: &'v Scope<'v>,
    ) -> Evaluated<Cow<'v, Value>> {
        let receiver = self.eval(receiver, scope)?;
        let takes_function = matches!(
            name,
            MethodName::Map
                | MethodName::Filter
                | MethodName::Find
                | MethodName::Some
                | MethodName::Every
                | MethodName::FlatMap
                | MethodName::Reduce
        );
        let result = if takes_function {
            self.with_function(&receiver, name, arguments, scope)?
        } else {
            let arguments = arguments.iter().map(|argument| self.eval(argument, scope));
            let arguments = arguments.collect::<Evaluated<Vec<_>>>()?;
            let argument = |at: usize| arguments.get(at).map(|value| &**value);
            match &*receiver {
                Value::Array(items) => self.of_list(items, name, argument)?,
                Value::String(text) => self.of_text(text, name, argument)?,
                other => of_scalar(other, name, argument)?,
            }
        };
        Ok(Cow::Owned(result))
    }

    fn with_function(
        &mut self,
        receiver: &Value,
        name: MethodName,
        arguments: &[ValueExpr],
        scope: &Scope<'_>,
    ) -> Evaluated<Value> {
        let (Value::Array(items), Some(ValueExpr::Lambda { parameters, body })) =
            (receiver, arguments.first())
        else {
            return Err(wrong("a method that takes a function"));
        };
        let function = Function {
            parameters,
            body,
            scope,
        };
        if name == MethodName::Reduce {
            let start = arguments.get(1).ok_or_else(|| wrong("reduce"))?;
            let start = self.settled(start, scope)?;
            return self.reduce(items, &function, start);
        }
        let mut kept = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let index = Value::from(index);
            let arguments = [item, &index];
            let inner = Scope::within(scope, function.parameters, &arguments);
            let result = self.eval(function.body, &inner)?;
            match name {
                MethodName::Filter if is_truthy(&result) => kept.push(self.copy(item)?),
                MethodName::Find if is_truthy(&result) => return self.copy(item),
                MethodName::Some if is_truthy(&result) => return Ok(Value::Bool(true)),
                MethodName::Every if !is_truthy(&result) => return Ok(Value::Bool(false)),
                MethodName::Map => kept.push(self.owned(result)?),
                MethodName::FlatMap => match self.owned(result)? {
                    Value::Array(items) => kept.extend(items),
                    other => kept.push(other),
                },
                _ => {}
            }
        }
        Ok(match name {
            MethodName::Find => Value::Null,
            MethodName::Some => Value::Bool(false),
            MethodName::Every => Value::Bool(true),
            _ => Value::Array(kept),
        })
    }

    fn reduce(
        &mut self,
        items: &[Value],
        function: &Function<'_>,
        start: Value,
    ) -> Evaluated<Value> {
        let mut so_far = start;
        for item in items {
            let next = {
                let arguments = [&so_far, item];
                let inner = Scope::within(function.scope, function.parameters, &arguments);
                // What is handed on may grow deeper with each item.
                self.settled(function.body, &inner)?
            };
            so_far = next;
        }
        Ok(so_far)
    }

    fn of_list<'a>(
        &mut self,
        items: &[Value],
        name: MethodName,
        argument: impl Fn(usize) -> Option<&'a Value>,
    ) -> Evaluated<Value> {
        let position = || {
            let wanted = argument(0)?;
            items.iter().position(|item| are_equal(item, wanted))
        };
        match name {
            MethodName::Slice => {
                let range = range(items.len(), argument(0), argument(1))?;
                let kept = items[range].iter().map(|item| self.copy(item));
                Ok(Value::Array(kept.collect::<Evaluated<_>>()?))
            }
            MethodName::Concat => {
                let mut all = Vec::new();
                for item in items {
                    all.push(self.copy(item)?);
                }
                match argument(0) {
                    Some(Value::Array(more)) => {
                        for item in more {
                            all.push(self.copy(item)?);
                        }
                    }
                    Some(other) => all.push(self.copy(other)?),
                    None => {}
                }
                Ok(Value::Array(all))
            }
            MethodName::Includes | MethodName::IndexOf => {
                for value in items.iter().chain(argument(0)) {
                    self.look_through(value)?;
                }
                Ok(match (name, position()) {
                    (MethodName::Includes, position) => Value::Bool(position.is_some()),
                    (_, position) => position.map_or(Value::from(-1), Value::from),
                })
            }
            MethodName::Join => {
                let separator = match argument(0) {
                    Some(separator) => text_of(separator, "join")?,
                    None => Cow::Borrowed(","),
                };
                self.meter
                    .work(separator.len().saturating_mul(items.len()))?;
                let texts = items.iter().map(|item| {
                    self.look_through(item)?;
                    Ok(text_of(item, "join")?)
                });
                Ok(Value::from(
                    texts.collect::<Evaluated<Vec<_>>>()?.join(&separator),
                ))
            }
            _ => Err(wrong("a method of a list")),
        }
    }

    fn of_text<'a>(
        &mut self,
        text: &str,
        name: MethodName,
        argument: impl Fn(usize) -> Option<&'a Value>,
    ) -> Evaluated<Value> {
        self.meter.work(text.len())?;
        let given = |at: usize| match argument(at) {
            Some(Value::String(given)) => Ok(given.as_str()),
            _ => Err(wrong("a method of a text")),
        };
        Ok(match name {
            MethodName::Slice => {
                let range = range(text.chars().count(), argument(0), argument(1))?;
                let kept = text.chars().skip(range.start).take(range.len());
                Value::from(kept.collect::<String>())
            }
            MethodName::Concat => {
                let more = given(0)?;
                self.meter.work(more.len())?;
                Value::from([text, more].concat())
            }
            MethodName::Includes => Value::Bool(text.contains(given(0)?)),
            MethodName::IndexOf => match text.find(given(0)?) {
                Some(at) => Value::from(text[..at].chars().count()),
                None => Value::from(-1),
            },
            MethodName::Split => {
                let parts = SPLIT_WEIGHT.saturating_mul(text.len().saturating_add(1));
                self.meter.work(parts)?;
                match given(0)? {
                    "" => text.chars().map(|c| Value::from(c.to_string())).collect(),
                    separator => text.split(separator).map(Value::from).collect(),
                }
            }
            MethodName::ToLowerCase => Value::from(text.to_lowercase()),
            MethodName::ToUpperCase => Value::from(text.to_uppercase()),
            MethodName::Trim => Value::from(text.trim()),
            MethodName::StartsWith => Value::Bool(text.starts_with(given(0)?)),
            MethodName::EndsWith => Value::Bool(text.ends_with(given(0)?)),
            MethodName::Replace | MethodName::ReplaceAll => {
                let (wanted, with) = (given(0)?, given(1)?);
                let most = if name == MethodName::Replace {
                    1
                } else {
                    usize::MAX
                };
                let count = text.matches(wanted).count().min(most);
                self.meter.work(with.len().saturating_mul(count))?;
                Value::from(text.replacen(wanted, with, count))
            }
            MethodName::ToText => Value::from(text),
            _ => return Err(wrong("a method of a text")),
        })
    }
}

/// A function and what its names mean.
struct Function<'f> {
    parameters: &'f [String],
    body: &'f ValueExpr,
    scope: &'f Scope<'f>,
}

fn of_scalar<'a>(
    value: &Value,
    name: MethodName,
    argument: impl Fn(usize) -> Option<&'a Value>,
) -> Evaluated<Value> {
    match name {
        MethodName::ToText => Ok(Value::from(text_of(value, "toString")?.into_owned())),
        MethodName::ToFixed => {
            let number = number_of(value, "toFixed")?;
            let digits = argument(0).map_or(Some(0), Value::as_u64);
            let digits = digits
                .and_then(|digits| usize::try_from(digits).ok())
                .filter(|&digits| digits <= 100)
                .ok_or_else(|| wrong("toFixed"))?;
            Ok(Value::from(format!("{number:.digits$}")))
        }
        _ => Err(wrong("a method")),
    }
}

/// The stretch that `slice(start, end)` means; a negative number counts from the end.
fn range(
    length: usize,
    start: Option<&Value>,
    end: Option<&Value>,
) -> Evaluated<std::ops::Range<usize>> {
    let place = |value: Option<&Value>, default: usize| match value {
        None | Some(Value::Null) => Ok(default),
        Some(value) => {
            let at = number_of(value, "slice")?;
            let from_end = usize::try_from(at.abs() as u64).unwrap_or(usize::MAX);
            Ok::<_, super::interrupt::Interrupt>(if at < 0.0 {
                length.saturating_sub(from_end)
            } else {
                from_end.min(length)
            })
        }
    };
    let (start, end) = (place(start, 0)?, place(end, length)?);
    Ok(start..end.max(start))
}
