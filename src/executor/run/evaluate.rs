//! Works out expressions, borrowing what it need not copy.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::convert::{is_truthy, text_of};
use super::interrupt::Interrupt;
use super::meter::Meter;
use super::scope::Scope;
use super::weight::{MAX_VALUE_DEPTH, weigh};
use crate::executor::error::shown;
use crate::executor::{ObjectField, ScriptError, ValueExpr};
use crate::path::MAX_BODY_DEPTH;

/// How deeply expressions may nest.
pub(super) const MAX_EXPRESSION_DEPTH: usize = 128;

/// A value, or what kept it from being worked out.
pub(super) type Evaluated<T> = Result<T, Interrupt>;

/// Works out expressions at the cost of one run.
pub(super) struct Evaluator<'m, 'c> {
    pub(super) meter: &'m mut Meter<'c>,
    depth: usize,
}

impl<'m, 'c> Evaluator<'m, 'c> {
    pub(super) fn new(meter: &'m mut Meter<'c>) -> Self {
        Self { meter, depth: 0 }
    }

    /// The value of an expression, to be kept: no deeper than a body may be.
    pub(super) fn settled(&mut self, expr: &ValueExpr, scope: &Scope<'_>) -> Evaluated<Value> {
        Ok(self.checked(expr, scope)?.into_owned())
    }

    /// As [`settled`](Self::settled), for one who copies no more of it than there is a use for.
    pub(super) fn checked<'v>(
        &mut self,
        expr: &'v ValueExpr,
        scope: &'v Scope<'v>,
    ) -> Evaluated<Cow<'v, Value>> {
        let value = self.eval(expr, scope)?;
        let (weight, depth) = weigh(&value);
        self.meter.work(weight)?;
        if depth > MAX_BODY_DEPTH {
            return Err(ScriptError::TooDeep.into());
        }
        Ok(value)
    }

    pub(super) fn eval<'v>(
        &mut self,
        expr: &'v ValueExpr,
        scope: &'v Scope<'v>,
    ) -> Evaluated<Cow<'v, Value>> {
        self.meter.work(1)?;
        if self.depth == MAX_EXPRESSION_DEPTH {
            return Err(ScriptError::TooDeep.into());
        }
        self.depth += 1;
        let value = self.eval_here(expr, scope);
        self.depth -= 1;
        value
    }

    fn eval_here<'v>(
        &mut self,
        expr: &'v ValueExpr,
        scope: &'v Scope<'v>,
    ) -> Evaluated<Cow<'v, Value>> {
        match expr {
            ValueExpr::Literal(value) => Ok(Cow::Borrowed(value)),
            ValueExpr::Variable(name) => match scope.get(name) {
                Some(value) => Ok(Cow::Borrowed(value)),
                None => Err(ScriptError::UndefinedVariable { name: shown(name) }.into()),
            },
            ValueExpr::Property {
                object,
                name,
                optional,
            } => {
                let object = self.eval(object, scope)?;
                self.property(object, name, *optional)
            }
            ValueExpr::Index {
                object,
                index,
                optional,
            } => {
                let object = self.eval(object, scope)?;
                let index = self.eval(index, scope)?;
                self.index(object, &index, *optional)
            }
            ValueExpr::Object(fields) => self.object(fields, scope).map(Cow::Owned),
            ValueExpr::Array(items) => self.array(items, scope).map(Cow::Owned),
            ValueExpr::Template(parts) => self.template(parts, scope).map(Cow::Owned),
            ValueExpr::Unary { operator, operand } => {
                let operand = self.eval(operand, scope)?;
                super::operators::unary(*operator, &operand).map(Cow::Owned)
            }
            ValueExpr::Binary {
                operator,
                left,
                right,
            } => self.binary(*operator, left, right, scope),
            ValueExpr::Ternary {
                condition,
                then,
                otherwise,
            } => {
                let holds = is_truthy(&*self.eval(condition, scope)?);
                self.eval(if holds { then } else { otherwise }, scope)
            }
            ValueExpr::Method {
                receiver,
                name,
                arguments,
            } => self.method(receiver, *name, arguments, scope),
            ValueExpr::Builtin {
                function,
                arguments,
            } => self.builtin(*function, arguments, scope).map(Cow::Owned),
            ValueExpr::Lambda { .. } => Err(wrong("a function as a value")),
        }
    }

    /// Copies what is borrowed.
    pub(super) fn owned(&mut self, value: Cow<'_, Value>) -> Evaluated<Value> {
        match value {
            Cow::Owned(value) => Ok(value),
            Cow::Borrowed(value) => self.copy(value),
        }
    }

    pub(super) fn copy(&mut self, value: &Value) -> Evaluated<Value> {
        self.look_through(value)?;
        Ok(value.clone())
    }

    /// Charges for going through a whole value, which must not be too deep for that.
    pub(super) fn look_through(&mut self, value: &Value) -> Evaluated<()> {
        let (weight, depth) = weigh(value);
        self.meter.work(weight)?;
        if depth > MAX_VALUE_DEPTH {
            return Err(ScriptError::TooDeep.into());
        }
        Ok(())
    }

    fn property<'v>(
        &mut self,
        object: Cow<'v, Value>,
        name: &str,
        optional: bool,
    ) -> Evaluated<Cow<'v, Value>> {
        let length = |length: usize| Ok(Cow::Owned(Value::from(length)));
        match &*object {
            Value::Null if optional => Ok(Cow::Owned(Value::Null)),
            Value::Null => Err(ScriptError::NullProperty.into()),
            Value::Array(items) if name == "length" => length(items.len()),
            Value::String(text) if name == "length" => {
                self.meter.work(text.len())?;
                length(text.chars().count())
            }
            Value::Object(_) => Ok(member(
                object,
                |value| value.get(name),
                |mut value| value.get_mut(name).map(Value::take),
            )),
            _ => Ok(Cow::Owned(Value::Null)),
        }
    }

    fn index<'v>(
        &mut self,
        object: Cow<'v, Value>,
        index: &Value,
        optional: bool,
    ) -> Evaluated<Cow<'v, Value>> {
        match (&*object, index) {
            (_, Value::String(name)) => self.property(object, name, optional),
            (Value::Null, _) if optional => Ok(Cow::Owned(Value::Null)),
            (Value::Null, _) => Err(ScriptError::NullProperty.into()),
            (Value::Array(_), Value::Number(_)) => {
                let Some(at) = index.as_u64().and_then(|at| usize::try_from(at).ok()) else {
                    return Ok(Cow::Owned(Value::Null));
                };
                Ok(member(
                    object,
                    |value| value.get(at),
                    |mut value| value.get_mut(at).map(Value::take),
                ))
            }
            (Value::String(text), Value::Number(_)) => {
                self.meter.work(text.len())?;
                let at = index.as_u64().and_then(|at| usize::try_from(at).ok());
                let found = at.and_then(|at| text.chars().nth(at));
                Ok(Cow::Owned(
                    found.map_or(Value::Null, |c| Value::from(c.to_string())),
                ))
            }
            (Value::Object(_), Value::Number(number)) => {
                let name = number.to_string();
                self.property(object, &name, optional)
            }
            _ => Err(wrong("an index")),
        }
    }

    fn object(&mut self, fields: &[ObjectField], scope: &Scope<'_>) -> Evaluated<Value> {
        let mut object = Map::new();
        for field in fields {
            match field {
                ObjectField::KeyValue { key, value } => {
                    let value = self.eval(value, scope)?;
                    let value = self.owned(value)?;
                    self.meter.work(key.len())?;
                    object.insert(key.clone(), value);
                }
                ObjectField::Spread(other) => {
                    let other = self.eval(other, scope)?;
                    match self.owned(other)? {
                        Value::Object(members) => object.extend(members),
                        Value::Null => {}
                        _ => return Err(wrong("spreading into an object")),
                    }
                }
            }
        }
        Ok(Value::Object(object))
    }

    fn array(&mut self, items: &[ValueExpr], scope: &Scope<'_>) -> Evaluated<Value> {
        let items = items.iter().map(|item| {
            let item = self.eval(item, scope)?;
            self.owned(item)
        });
        Ok(Value::Array(items.collect::<Evaluated<_>>()?))
    }

    fn template(&mut self, parts: &[ValueExpr], scope: &Scope<'_>) -> Evaluated<Value> {
        let mut text = String::new();
        for part in parts {
            let part = self.eval(part, scope)?;
            let part = text_of(&part, "joining text")?;
            self.meter.work(part.len())?;
            text.push_str(&part);
        }
        Ok(Value::String(text))
    }
}

/// A part of a container: borrowed from what is borrowed, and taken out of what is owned.
fn member<'v>(
    container: Cow<'v, Value>,
    borrow: impl FnOnce(&'v Value) -> Option<&'v Value>,
    take: impl FnOnce(Value) -> Option<Value>,
) -> Cow<'v, Value> {
    let found = match container {
        Cow::Borrowed(container) => borrow(container).map(Cow::Borrowed),
        Cow::Owned(container) => take(container).map(Cow::Owned),
    };
    found.unwrap_or(Cow::Owned(Value::Null))
}

pub(super) fn wrong(operation: &'static str) -> Interrupt {
    ScriptError::WrongType { operation }.into()
}
