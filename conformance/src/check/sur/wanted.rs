//! A request that a surface is to send, and the calls that ask for it in each form.

use serde_json::{Map, Value};

use super::scene::Scene;
use crate::subject::{
    ParameterSpec, Place, Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall, ToolSpec,
};
use crate::trial::{Stop, Trial};

/// How a surface is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum Form {
    /// By a tool that sends one request.
    Curated,
    /// By a script of the caller's.
    Scripted,
}

/// The forms that the surface declares.
pub(in crate::check) fn forms(trial: &Trial<'_, SurfaceSubject>) -> Vec<Form> {
    let profile = trial.profile();
    let declared = [
        (Form::Curated, profile.curated),
        (Form::Scripted, profile.scripted),
    ];
    let declared = declared.into_iter();
    declared
        .filter_map(|(form, declared)| declared.then_some(form))
        .collect()
}

/// The methods that are tried: those declared, or GET and POST.
pub(in crate::check) fn methods(trial: &Trial<'_, SurfaceSubject>) -> Vec<String> {
    let declared = &trial.profile().methods;
    if declared.is_empty() {
        return ["GET", "POST"].map(str::to_owned).into();
    }
    declared.clone()
}

/// Whether scripts with a loop are run: a surface may refuse them all.
pub(in crate::check) fn runs_loops(scene: &Scene<'_>) -> Result<bool, Stop> {
    let body = Script::new().call(ScriptCall::new("GET", "/items/${item}"));
    let script = Script::new().for_each("item", vec![Value::from(1)], body);
    let script = script.returning(ScriptValue::literal("done"));
    let sight = scene.see(&ToolCall::of_script(script))?;
    Ok(sight.called.is_value())
}

/// Whether the fields of this method travel as pairs.
pub(in crate::check) fn is_get_like(method: &str) -> bool {
    ["GET", "HEAD", "OPTIONS"].contains(&method)
}

/// A request that a surface is to send.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::check) struct Wanted {
    pub(in crate::check) method: String,
    /// The path, with `{key}` for what is filled in.
    pub(in crate::check) path: String,
    /// What fills the path, and what travels as pairs or in the body.
    pub(in crate::check) fields: Vec<(String, Value)>,
}

impl Wanted {
    pub(in crate::check) fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            fields: Vec::new(),
        }
    }

    /// The same request with one more field.
    pub(in crate::check) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.fields.push((key.to_owned(), value.into()));
        self
    }

    /// The path with its values, as they are.
    pub(in crate::check) fn filled(&self) -> String {
        self.fields
            .iter()
            .fold(self.path.clone(), |path, (key, value)| {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                path.replace(&format!("{{{key}}}"), &text)
            })
    }

    fn in_path(&self, key: &str) -> bool {
        self.path.contains(&format!("{{{key}}}"))
    }

    /// Where a field goes.
    fn place(&self, key: &str) -> Place {
        match (self.in_path(key), is_get_like(&self.method)) {
            (true, _) => Place::Path,
            (false, true) => Place::Query,
            (false, false) => Place::Body,
        }
    }

    fn arguments(&self) -> Value {
        Value::Object(self.fields.iter().cloned().collect::<Map<_, _>>())
    }

    /// A tool that sends such a request.
    pub(in crate::check) fn tool(&self, name: &str) -> ToolSpec {
        let parameters = self.fields.iter();
        let parameters = parameters.map(|(key, _)| ParameterSpec::new(key, self.place(key)));
        ToolSpec::operation(name, &self.method, &self.path, parameters)
    }

    /// The call of a script that sends it.
    pub(in crate::check) fn script_call(&self) -> ScriptCall {
        let call = ScriptCall::new(&self.method, &self.path);
        if self.fields.is_empty() {
            return call;
        }
        call.with_body(ScriptValue::Literal(self.arguments()))
    }

    /// A script that sends it and returns the answer.
    pub(in crate::check) fn script(&self) -> Script {
        Script::new()
            .keep("answer", self.script_call())
            .returning(ScriptValue::variable("answer"))
    }

    /// The call that asks for it: of the tool of this name, or of a script.
    pub(in crate::check) fn call(&self, form: Form, tool: &str) -> ToolCall {
        match form {
            Form::Curated => ToolCall::new(tool, self.arguments()),
            Form::Scripted => ToolCall::of_script(self.script()),
        }
    }
}
