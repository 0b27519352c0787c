//! What operators make of their operands.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::convert::{are_equal, is_truthy, number_of, read_number, text_of, value_of};
use super::evaluate::{Evaluated, Evaluator, wrong};
use super::scope::Scope;
use crate::executor::{BinaryOperator, UnaryOperator, ValueExpr};

pub(super) fn unary(operator: UnaryOperator, operand: &Value) -> Evaluated<Value> {
    Ok(match operator {
        UnaryOperator::Not => Value::Bool(!is_truthy(operand)),
        UnaryOperator::Neg => value_of(-number_of(operand, "-")?)?,
        UnaryOperator::Plus => read_number(operand)?,
        UnaryOperator::TypeOf => Value::from(match operand {
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Null | Value::Array(_) | Value::Object(_) => "object",
        }),
    })
}

impl Evaluator<'_, '_> {
    pub(super) fn binary<'v>(
        &mut self,
        operator: BinaryOperator,
        left: &'v ValueExpr,
        right: &'v ValueExpr,
        scope: &'v Scope<'v>,
    ) -> Evaluated<Cow<'v, Value>> {
        let left = self.eval(left, scope)?;
        let settled = match operator {
            BinaryOperator::And => !is_truthy(&left),
            BinaryOperator::Or => is_truthy(&left),
            BinaryOperator::Coalesce => !left.is_null(),
            _ => {
                let right = self.eval(right, scope)?;
                return self.apply(operator, &left, &right).map(Cow::Owned);
            }
        };
        if settled {
            Ok(left)
        } else {
            self.eval(right, scope)
        }
    }

    fn apply(&mut self, operator: BinaryOperator, left: &Value, right: &Value) -> Evaluated<Value> {
        use BinaryOperator as Op;
        self.look_through(left)?;
        self.look_through(right)?;
        match operator {
            Op::Add => self.add(left, right),
            Op::Sub => calculate(left, right, "-", |l, r| l - r),
            Op::Mul => calculate(left, right, "*", |l, r| l * r),
            Op::Div => calculate(left, right, "/", |l, r| l / r),
            Op::Rem => calculate(left, right, "%", |l, r| l % r),
            Op::Eq => Ok(Value::Bool(are_equal(left, right))),
            Op::NotEq => Ok(Value::Bool(!are_equal(left, right))),
            Op::Lt => compare(left, right, Ordering::is_lt),
            Op::Lte => compare(left, right, Ordering::is_le),
            Op::Gt => compare(left, right, Ordering::is_gt),
            Op::Gte => compare(left, right, Ordering::is_ge),
            // These look at their right operand only if they must.
            Op::And | Op::Or | Op::Coalesce => Err(wrong("an operator")),
        }
    }

    fn add(&mut self, left: &Value, right: &Value) -> Evaluated<Value> {
        if left.is_string() || right.is_string() {
            let (left, right) = (text_of(left, "+")?, text_of(right, "+")?);
            self.meter.work(left.len().saturating_add(right.len()))?;
            return Ok(Value::String([left, right].concat()));
        }
        calculate(left, right, "+", |l, r| l + r)
    }
}

fn calculate(
    left: &Value,
    right: &Value,
    name: &'static str,
    calculation: impl Fn(f64, f64) -> f64,
) -> Evaluated<Value> {
    let result = calculation(number_of(left, name)?, number_of(right, name)?);
    Ok(value_of(result)?)
}

fn compare(left: &Value, right: &Value, holds: impl Fn(Ordering) -> bool) -> Evaluated<Value> {
    let ordering = match (left, right) {
        (Value::Number(l), Value::Number(r)) => match (l.as_i64(), r.as_i64()) {
            (Some(l), Some(r)) => Some(l.cmp(&r)),
            _ => l.as_f64().partial_cmp(&r.as_f64()),
        },
        (Value::String(l), Value::String(r)) => Some(l.cmp(r)),
        _ => None,
    };
    ordering
        .map(|ordering| Value::Bool(holds(ordering)))
        .ok_or_else(|| wrong("a comparison"))
}
