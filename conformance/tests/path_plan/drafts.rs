//! Vectors that are being written: ids from content, answers from the oracle, twins for refusals.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_conformance::catalogue::{Catalogue, Family, FieldId, Level, RequirementId};
use proofmark_conformance::vectors::path::{Answer, TextPart, ValueVector, VectorSet, VectorText};
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::oracle::value::{Declared, Half, judge};

/// The id of a case: a prefix and ten hexadecimal digits of the SHA-256 of what is put in.
///
/// The answer and its reason are no part of it, so the same case always has the same id, and two
/// vectors cannot say different things of one case.
pub fn content_id(prefix: &str, content: &Value) -> String {
    let digest = Sha256::digest(sorted(content.clone()).to_string());
    let digits: String = digest[..5]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{prefix}-{digits}")
}

/// The value with the members of its objects in the order of their names.
pub fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        Value::Object(members) => {
            let members: BTreeMap<String, Value> = members.into_iter().collect();
            let members = members
                .into_iter()
                .map(|(name, child)| (name, sorted(child)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        scalar => scalar,
    }
}

/// A file's text: one vector a line, so that a change shows as what it is.
pub fn written<V: Serialize>(set: &VectorSet<V>) -> String {
    let lines = set.vectors.iter().map(serde_json::to_string);
    let lines: Vec<String> = lines.collect::<Result<_, _>>().unwrap();
    let schema = set.schema;
    format!(
        "{{\"schema\":{schema},\"vectors\":[\n{}\n]}}\n",
        lines.join(",\n")
    )
}

pub fn requirement(number: u8) -> (RequirementId, Level) {
    let id = RequirementId::new(Family::Path, number);
    (id, Catalogue::shared().unwrap().get(id).unwrap().level)
}

/// A text whose repetitions are written in short form.
pub fn short(text: &str) -> VectorText {
    const LONG: usize = 40;
    let characters: Vec<char> = text.chars().collect();
    let mut parts: Vec<TextPart> = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while at < characters.len() {
        let unit = characters[at];
        let run = characters[at..].iter().take_while(|c| **c == unit).count();
        if run < LONG {
            plain.extend(&characters[at..at + run]);
        } else {
            if !plain.is_empty() {
                parts.push(TextPart::Plain(std::mem::take(&mut plain)));
            }
            parts.push(TextPart::Repeated(
                unit.to_string(),
                u32::try_from(run).unwrap(),
            ));
        }
        at += run;
    }
    if parts.is_empty() {
        return VectorText::Plain(plain);
    }
    if !plain.is_empty() {
        parts.push(TextPart::Plain(plain));
    }
    VectorText::Parts(parts)
}

/// Value vectors that are being written.
#[derive(Default)]
pub struct ValueDrafts {
    vectors: Vec<ValueVector>,
    ids: BTreeSet<String>,
    twins: Vec<(String, Declared)>,
    faults: Faults,
}

/// What is wrong with a plan, told all at once.
#[derive(Default)]
pub struct Faults(Vec<String>);

impl Faults {
    /// Notes a case that is planned twice, or of which the oracle thinks otherwise than the plan.
    pub fn check(
        &mut self,
        ids: &BTreeSet<String>,
        id: &str,
        group: Group,
        told: Answer,
        case: &str,
    ) {
        let reason = group.reason;
        if ids.contains(id) {
            self.0.push(format!("planned twice: {case:?} ({reason})"));
        }
        if told != group.answer {
            self.0
                .push(format!("the oracle says {told:?}: {case:?} ({reason})"));
        }
    }

    pub fn assert_none(&self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

/// What a group of values has in common.
#[derive(Clone, Copy)]
pub struct Group {
    pub requirement: u8,
    /// What the plan's author expects, to be compared with the oracle.
    pub answer: Answer,
    pub reason: &'static str,
    pub field: Option<u16>,
}

pub const fn group(requirement: u8, answer: Answer, reason: &'static str) -> Group {
    Group {
        requirement,
        answer,
        reason,
        field: None,
    }
}

impl Group {
    pub const fn field(mut self, number: u16) -> Self {
        self.field = Some(number);
        self
    }
}

impl ValueDrafts {
    /// Writes a value that has no twin.
    pub fn add(&mut self, group: Group, value: &str, declared: Declared) {
        self.write(group, value, declared, None);
    }

    /// Writes a value that is refused, and names its twin, which is accepted.
    pub fn add_with(&mut self, group: Group, value: &str, twin: &str, declared: Declared) {
        self.add_beside(group, value, declared, (twin, declared));
    }

    /// The same, where the twin has other rules.
    pub fn add_beside(
        &mut self,
        group: Group,
        value: &str,
        declared: Declared,
        twin: (&str, Declared),
    ) {
        let id = id_of(twin.0, &twin.1);
        self.twins.push((twin.0.to_owned(), twin.1));
        self.write(group, value, declared, Some(id));
    }

    fn write(&mut self, group: Group, value: &str, declared: Declared, twin: Option<String>) {
        let told = judge(value, &declared, Half::Path);
        let id = id_of(value, &declared);
        self.faults.check(&self.ids, &id, group, told.result, value);
        self.ids.insert(id.clone());
        let (requirement, level) = requirement(group.requirement);
        self.vectors.push(ValueVector {
            id,
            requirement,
            level,
            value: short(value),
            rules: declared.rules(),
            result: told.result,
            rule: told.rule,
            encode: told.encode,
            control: twin,
            reason: group.reason.to_owned(),
            field: group.field.map(FieldId::new),
        });
    }

    /// Writes the twins that are not there yet.
    pub fn finish(mut self) -> VectorSet<ValueVector> {
        for (value, declared) in std::mem::take(&mut self.twins) {
            if !self.ids.contains(&id_of(&value, &declared)) {
                let number = twin_requirement(&declared);
                let group = group(number, Answer::Accept, twin_reason(&declared, &value));
                self.write(group, &value, declared, None);
            }
        }
        self.faults.assert_none();
        VectorSet {
            schema: 1,
            vectors: self.vectors,
        }
    }
}

fn twin_requirement(declared: &Declared) -> u8 {
    match declared {
        Declared {
            allow_slash: true, ..
        } => 9,
        Declared {
            pattern: Some(_), ..
        } => 6,
        Declared {
            max_length: Some(_),
            ..
        } => 7,
        _ => 14,
    }
}

fn twin_reason(declared: &Declared, value: &str) -> &'static str {
    match declared {
        Declared {
            allow_slash: true, ..
        } => "control: harmless where a slash is allowed",
        Declared {
            pattern: Some(_), ..
        } => "control: harmless, and the pattern matches",
        Declared {
            max_length: Some(_),
            ..
        } => "control: harmless, and short enough",
        _ if value.is_ascii() => "control: harmless without the refused part",
        _ => "control: harmless in another script",
    }
}

fn id_of(value: &str, declared: &Declared) -> String {
    let content = serde_json::json!({"rules": declared.rules(), "value": value});
    content_id("value", &content)
}
