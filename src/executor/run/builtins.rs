//! The functions that stand alone.

use serde_json::Value;

use super::convert::{is_truthy, number_of, read_number, text_of, value_of};
use super::evaluate::{Evaluated, Evaluator, wrong};
use super::scope::Scope;
use crate::executor::{Builtin, ScriptError, ValueExpr};

impl Evaluator<'_, '_> {
    pub(super) fn builtin(
        &mut self,
        function: Builtin,
        arguments: &[ValueExpr],
        scope: &Scope<'_>,
    ) -> Evaluated<Value> {
        let arguments = arguments.iter().map(|argument| self.eval(argument, scope));
        let arguments = arguments.collect::<Evaluated<Vec<_>>>()?;
        let numbers = || {
            let numbers = arguments.iter().map(|value| number_of(value, "Math"));
            numbers.collect::<Result<Vec<_>, _>>()
        };
        let first = arguments.first().map_or(&Value::Null, |value| &**value);
        let rounded = |round: fn(f64) -> f64| Ok(value_of(round(number_of(first, "Math")?))?);
        match function {
            Builtin::Number => Ok(read_number(first)?),
            Builtin::String => {
                let text = text_of(first, "String")?;
                self.meter.work(text.len())?;
                Ok(Value::from(text.into_owned()))
            }
            Builtin::Boolean => Ok(Value::Bool(is_truthy(first))),
            Builtin::ParseInt => Ok(value_of(leading_number(first, false)?)?),
            Builtin::ParseFloat => Ok(value_of(leading_number(first, true)?)?),
            Builtin::Abs => rounded(f64::abs),
            Builtin::Floor => rounded(f64::floor),
            Builtin::Ceil => rounded(f64::ceil),
            // Halves go up, negative ones too.
            Builtin::Round => rounded(|number| (number + 0.5).floor()),
            Builtin::Min => Ok(value_of(
                numbers()?.into_iter().fold(f64::INFINITY, f64::min),
            )?),
            Builtin::Max => Ok(value_of(
                numbers()?.into_iter().fold(f64::NEG_INFINITY, f64::max),
            )?),
            Builtin::Keys | Builtin::Values | Builtin::Entries => self.members(function, first),
            Builtin::IsArray => Ok(Value::Bool(first.is_array())),
            Builtin::Stringify => {
                self.look_through(first)?;
                let text = first.to_string();
                self.meter.work(text.len())?;
                Ok(Value::from(text))
            }
        }
    }

    fn members(&mut self, function: Builtin, object: &Value) -> Evaluated<Value> {
        let Value::Object(members) = object else {
            return Err(wrong("a function of an object"));
        };
        let mut list = Vec::with_capacity(members.len());
        for (key, member) in members {
            self.meter.work(key.len().saturating_add(64))?;
            list.push(match function {
                Builtin::Keys => Value::from(key.as_str()),
                Builtin::Values => self.copy(member)?,
                _ => Value::from(vec![Value::from(key.as_str()), self.copy(member)?]),
            });
        }
        Ok(Value::Array(list))
    }
}

/// The number at the start of a text.
fn leading_number(value: &Value, fraction: bool) -> Result<f64, ScriptError> {
    let text = text_of(value, "a conversion to a number")?;
    let text = text.trim_start();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut points = usize::from(!fraction);
    let is_part = |c: char| {
        points += usize::from(c == '.');
        c.is_ascii_digit() || (c == '.' && points == 1)
    };
    let left = digits.trim_start_matches(is_part);
    let end = text.len() - left.len();
    text[..end].parse().map_err(|_| ScriptError::NotFinite)
}
