//! Composition vectors that are being written.

use std::collections::BTreeSet;

use proofmark_conformance::catalogue::FieldId;
use proofmark_conformance::vectors::path::{
    Answer, CompositionVector, EncodedAnswer, RulesFor, VectorSet,
};
use serde_json::{Map, Value, json};

use crate::path_plan::drafts::{Faults, Group, content_id, group, requirement, sorted};
use crate::path_plan::oracle::composition::{Case, Reserved, resolve};
use crate::path_plan::oracle::value::Declared;

/// A case with these arguments, to be called by GET.
pub fn case(template: &str, arguments: Value) -> Case {
    Case {
        method: "GET",
        template: template.to_owned(),
        variables: Map::new(),
        arguments: Some(arguments),
        rules: Vec::new(),
    }
}

/// A case without a body.
pub fn bare(template: &str) -> Case {
    Case {
        arguments: None,
        ..case(template, Value::Null)
    }
}

impl Case {
    pub fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub fn variables(mut self, variables: Value) -> Self {
        self.variables = variables.as_object().unwrap().clone();
        self
    }

    /// Declares rules for a parameter of this very endpoint.
    pub fn declared(self, param: &str, declared: Declared) -> Self {
        let (method, template) = (self.method, self.template.clone());
        self.declared_for(method, &template, param, declared)
    }

    /// Declares rules for a parameter of some endpoint.
    pub fn declared_for(
        mut self,
        method: &str,
        template: &str,
        param: &str,
        declared: Declared,
    ) -> Self {
        let row = RulesFor {
            method: method.to_owned(),
            template: template.to_owned(),
            param: param.to_owned(),
            rules: declared.rules(),
        };
        self.rules.push((row, declared));
        self
    }

    fn id(&self) -> String {
        let rules: Vec<&RulesFor> = self.rules.iter().map(|(row, _)| row).collect();
        let content = json!({
            "method": self.method,
            "template": self.template,
            "variables": self.variables,
            "arguments": self.arguments,
            "has_arguments": self.arguments.is_some(),
            "rules": rules,
        });
        content_id("composition", &content)
    }
}

#[derive(Default)]
pub struct CompositionDrafts {
    vectors: Vec<CompositionVector>,
    ids: BTreeSet<String>,
    twins: Vec<(u8, Case)>,
    faults: Faults,
}

impl CompositionDrafts {
    /// Writes a case that has no twin.
    pub fn add(&mut self, group: Group, case: Case) {
        self.write(group, &case, None);
    }

    /// Writes a case that is refused, and names its twin, which is accepted.
    pub fn add_with(&mut self, group: Group, case: Case, twin: Case) -> &mut CompositionVector {
        let id = twin.id();
        self.twins.push((group.requirement, twin));
        self.write(group, &case, Some(id))
    }

    fn write(&mut self, group: Group, case: &Case, twin: Option<String>) -> &mut CompositionVector {
        let told = resolve(case, Reserved::Refused);
        let encoding = resolve(case, Reserved::Encoded);
        let id = case.id();
        let shown = format!(
            "{} {:?} {}",
            case.template,
            case.arguments,
            Value::Object(case.variables.clone())
        );
        self.faults
            .check(&self.ids, &id, group, told.result, &shown);
        self.ids.insert(id.clone());
        let (requirement, level) = requirement(group.requirement);
        let differs = (encoding.result, &encoding.expect) != (told.result, &told.expect);
        let map = |map: &Map<String, Value>| match sorted(Value::Object(map.clone())) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let expect = |expect: Option<_>| {
            expect.map(
                |mut expect: proofmark_conformance::vectors::path::Expectation| {
                    expect.body = sorted(expect.body);
                    expect
                },
            )
        };
        self.vectors.push(CompositionVector {
            id,
            requirement,
            level,
            method: case.method.to_owned(),
            template: case.template.clone(),
            variables: map(&case.variables),
            arguments: case.arguments.clone().map(sorted),
            rules: case.rules.iter().map(|(row, _)| row.clone()).collect(),
            result: told.result,
            rule: told.rule,
            expect: expect(told.expect),
            encode: differs.then(|| EncodedAnswer {
                result: encoding.result,
                expect: expect(encoding.expect),
            }),
            names: None,
            hides: None,
            control: twin,
            reason: group.reason.to_owned(),
            field: group.field.map(FieldId::new),
        });
        self.vectors.last_mut().unwrap()
    }

    /// Writes the twins that are not there yet.
    pub fn finish(mut self) -> VectorSet<CompositionVector> {
        for (number, twin) in std::mem::take(&mut self.twins) {
            if !self.ids.contains(&twin.id()) {
                self.write(
                    group(number, Answer::Accept, twin_reason(number)),
                    &twin,
                    None,
                );
            }
        }
        self.faults.assert_none();
        VectorSet {
            schema: 1,
            vectors: self.vectors,
        }
    }
}

fn twin_reason(requirement: u8) -> &'static str {
    match requirement {
        1..=5 => "control: a harmless value in the same place",
        6..=9 => "control: a harmless value that keeps what is declared",
        10..=13 => "control: harmless values in the same template",
        14..=18 => "control: harmless, and looked up in the right place",
        20 | 24 => "control: a harmless variable in the same place",
        _ => "control: the same request without what is refused",
    }
}
