//! A small script, as data: enough to judge a surface that runs scripts, in whatever language.

use std::fmt::Write as _;

use proofmark::executor::{
    ExecutionPlan, Method, ObjectField, PlanStep, PlannedCall, RequestRefusal, ValueExpr,
};
use proofmark::path::{PathTemplate, TemplateError};
use serde_json::Value;

/// A script. [`source`](Self::source) is its text for a surface that compiles scripts,
/// [`plan`](Self::plan) what that text means for one that runs the toolkit's plans.
///
/// ```
/// use proofmark_conformance::subject::{Script, ScriptCall, ScriptValue};
/// use serde_json::json;
///
/// let script = Script::new()
///     .assign("id", json!(7))
///     .keep("item", ScriptCall::new("GET", "/items/${id}"))
///     .returning(ScriptValue::variable("item"));
/// assert_eq!(
///     script.source(),
///     "const id = 7;\nconst item = await api.get(`/items/${id}`);\nreturn item;\n",
/// );
/// assert_eq!(script.plan()?.steps.len(), 3);
/// # Ok::<(), proofmark_conformance::subject::ScriptFault>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Script {
    /// The steps, in order.
    pub steps: Vec<ScriptStep>,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ScriptStep {
    /// Gives a variable a value.
    Assign {
        /// The variable.
        name: String,
        /// The value.
        value: Value,
    },
    /// Makes a call.
    Call {
        /// The variable that receives the answer.
        keep: Option<String>,
        /// The call.
        call: ScriptCall,
    },
    /// Runs through a list.
    ForEach {
        /// The variable that holds the item.
        item: String,
        /// The list.
        items: Vec<Value>,
        /// What is done with each item.
        body: Script,
    },
    /// Ends the script with a result.
    Return {
        /// The result.
        value: ScriptValue,
    },
}

/// A call of the backend.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptCall {
    /// The method, in upper case.
    pub method: String,
    /// The path: `${var}` is filled from variables, `{key}` from the body.
    pub path: String,
    /// The fields.
    pub body: Option<ScriptValue>,
}

/// A value of a script.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ScriptValue {
    /// A value.
    Literal(Value),
    /// The value of a variable.
    Variable(String),
    /// An object.
    Object(Vec<(String, ScriptValue)>),
    /// A list.
    List(Vec<ScriptValue>),
}

/// Why a script is none that the toolkit's plans can say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptFault {
    /// A path is no template.
    #[error(transparent)]
    Path(#[from] TemplateError),
    /// A method is none.
    #[error(transparent)]
    Method(#[from] RequestRefusal),
}

impl Script {
    /// A script without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn then(mut self, step: ScriptStep) -> Self {
        self.steps.push(step);
        self
    }

    /// Then gives a variable a value.
    #[must_use]
    pub fn assign(self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let (name, value) = (name.into(), value.into());
        self.then(ScriptStep::Assign { name, value })
    }

    /// Then makes a call.
    #[must_use]
    pub fn call(self, call: ScriptCall) -> Self {
        self.then(ScriptStep::Call { keep: None, call })
    }

    /// Then makes a call and keeps its answer.
    #[must_use]
    pub fn keep(self, name: impl Into<String>, call: ScriptCall) -> Self {
        let keep = Some(name.into());
        self.then(ScriptStep::Call { keep, call })
    }

    /// Then runs through a list.
    #[must_use]
    pub fn for_each(self, item: impl Into<String>, items: Vec<Value>, body: Self) -> Self {
        let item = item.into();
        self.then(ScriptStep::ForEach { item, items, body })
    }

    /// Then ends with a result.
    #[must_use]
    pub fn returning(self, value: ScriptValue) -> Self {
        self.then(ScriptStep::Return { value })
    }

    /// The script's text.
    #[must_use]
    pub fn source(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text
    }

    fn write(&self, text: &mut String, depth: usize) {
        let indent = "  ".repeat(depth);
        // Writing to a `String` cannot fail.
        for step in &self.steps {
            let _ = match step {
                ScriptStep::Assign { name, value } => {
                    writeln!(text, "{indent}const {name} = {value};")
                }
                ScriptStep::Call { keep, call } => {
                    let keep = keep.as_ref().map(|name| format!("const {name} = "));
                    let keep = keep.unwrap_or_default();
                    writeln!(text, "{indent}{keep}await {};", call.source())
                }
                ScriptStep::ForEach { item, items, body } => {
                    let items = Value::from(items.clone());
                    let _ = writeln!(text, "{indent}for (const {item} of {items}) {{");
                    body.write(text, depth + 1);
                    writeln!(text, "{indent}}}")
                }
                ScriptStep::Return { value } => {
                    writeln!(text, "{indent}return {};", value.source())
                }
            };
        }
    }

    /// The script as a plan of the toolkit's.
    ///
    /// # Errors
    ///
    /// A [`ScriptFault`].
    pub fn plan(&self) -> Result<ExecutionPlan, ScriptFault> {
        Ok(ExecutionPlan::new(self.plan_steps()?))
    }

    fn plan_steps(&self) -> Result<Vec<PlanStep>, ScriptFault> {
        self.steps.iter().map(ScriptStep::plan).collect()
    }
}

impl ScriptStep {
    fn plan(&self) -> Result<PlanStep, ScriptFault> {
        Ok(match self {
            Self::Assign { name, value } => PlanStep::Assign {
                var: name.clone(),
                expr: ValueExpr::literal(value.clone()),
            },
            Self::Call { keep, call } => PlanStep::ApiCall {
                result_var: keep.clone(),
                call: call.plan()?,
            },
            Self::ForEach { item, items, body } => PlanStep::BoundedLoop {
                item_var: item.clone(),
                collection: ValueExpr::literal(items.clone()),
                max_iterations: items.len(),
                body: body.plan_steps()?,
            },
            Self::Return { value } => PlanStep::Return {
                value: value.plan(),
            },
        })
    }
}

impl ScriptCall {
    /// A call without fields.
    #[must_use]
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            path: path.into(),
            body: None,
        }
    }

    /// The same call with fields.
    #[must_use]
    pub fn with_body(mut self, body: ScriptValue) -> Self {
        self.body = Some(body);
        self
    }

    /// The same call as a plan of the toolkit's has it.
    ///
    /// # Errors
    ///
    /// A [`ScriptFault`].
    pub fn plan(&self) -> Result<PlannedCall, ScriptFault> {
        let method = Method::parse(&self.method)?;
        let call = PlannedCall::new(method, PathTemplate::parse(&self.path)?);
        Ok(match &self.body {
            Some(body) => call.with_body(body.plan()),
            None => call,
        })
    }

    fn source(&self) -> String {
        let path = if self.path.contains("${") {
            format!("`{}`", self.path)
        } else {
            Value::from(self.path.as_str()).to_string()
        };
        let method = self.method.to_ascii_lowercase();
        match &self.body {
            Some(body) => format!("api.{method}({path}, {})", body.source()),
            None => format!("api.{method}({path})"),
        }
    }
}

impl ScriptValue {
    /// A value.
    #[must_use]
    pub fn literal(value: impl Into<Value>) -> Self {
        Self::Literal(value.into())
    }

    /// The value of a variable.
    #[must_use]
    pub fn variable(name: impl Into<String>) -> Self {
        Self::Variable(name.into())
    }

    /// An object with these members.
    #[must_use]
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        let members = members.into_iter();
        Self::Object(members.map(|(key, value)| (key.into(), value)).collect())
    }

    fn plan(&self) -> ValueExpr {
        match self {
            Self::Literal(value) => ValueExpr::literal(value.clone()),
            Self::Variable(name) => ValueExpr::variable(name),
            Self::List(items) => ValueExpr::Array(items.iter().map(Self::plan).collect()),
            Self::Object(members) => {
                let fields = members.iter().map(|(key, value)| ObjectField::KeyValue {
                    key: key.clone(),
                    value: value.plan(),
                });
                ValueExpr::Object(fields.collect())
            }
        }
    }

    fn source(&self) -> String {
        match self {
            Self::Literal(value) => value.to_string(),
            Self::Variable(name) => name.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::source).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(members) => {
                let members = members.iter();
                let members = members.map(|(key, value)| {
                    format!("{}: {}", Value::from(key.as_str()), value.source())
                });
                format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_script_reads_as_the_plan_that_it_is() {
        let call = ScriptCall::new("POST", "/items/{id}").with_body(ScriptValue::object([
            ("id", ScriptValue::variable("x")),
            ("tags", ScriptValue::List(vec![ScriptValue::literal("a")])),
        ]));
        let script =
            Script::new().for_each("x", vec![json!(1), json!(2)], Script::new().call(call));

        assert_eq!(
            script.source(),
            "for (const x of [1,2]) {\n  await api.post(\"/items/{id}\", { \"id\": x, \"tags\": [\"a\"] });\n}\n"
        );
        let plan = script.plan().unwrap();
        let PlanStep::BoundedLoop { body, .. } = &plan.steps[0] else {
            panic!("{plan:?}");
        };
        assert_eq!(body.len(), 1);
    }

    #[test]
    fn what_no_plan_can_say_is_named() {
        let fault = |call| Script::new().call(call).plan().unwrap_err();

        assert!(matches!(
            fault(ScriptCall::new("TRACE", "/x")),
            ScriptFault::Method(_)
        ));
        assert!(matches!(
            fault(ScriptCall::new("GET", "x")),
            ScriptFault::Path(_)
        ));
    }
}
