//! What one input asks: a template in parts, the values of its places, and what is declared.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use proofmark::path::DeclaredPattern;
use serde_json::{Map, Value};

use crate::profile::ResolverProfile;
use crate::subject::{Declared, ResolveCase};

/// The names of placeholders, variables and members that no template asks for.
pub(super) const KEYS: [&str; 3] = ["a", "b", "c"];
pub(super) const VARIABLES: [&str; 2] = ["v", "w"];
pub(super) const FURTHER: [&str; 6] = ["kept", "A", "nested", "off", "none", "number"];

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Slash,
    Question,
    And,
    Equals,
    Text(&'static str),
    Key(usize),
    Variable(usize),
}

/// What can hold a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Key(usize),
    Variable(usize),
}

/// What a declared pattern says of a value, known without running it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meaning {
    Anything,
    Only(fn(u8) -> bool),
    /// It is no regular expression, so that no value passes.
    Nothing,
}

/// A pattern and its meaning.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) source: &'static str,
    pub(super) meaning: Meaning,
}

const fn pattern(source: &'static str, meaning: Meaning) -> Pattern {
    Pattern { source, meaning }
}

pub(super) const PATTERNS: [Pattern; 8] = [
    pattern("^.*$", Meaning::Anything),
    pattern(r"[\s\S]*", Meaning::Anything),
    pattern("^[0-9]+$", Meaning::Only(|byte| byte.is_ascii_digit())),
    pattern("^[a-z]+$", Meaning::Only(|byte| byte.is_ascii_lowercase())),
    pattern("(", Meaning::Nothing),
    pattern("[z-a]", Meaning::Nothing),
    pattern("a{2,1}", Meaning::Nothing),
    pattern("*", Meaning::Nothing),
];

impl Pattern {
    /// Compiled once for all inputs, as a server does when it reads its description.
    fn compiled(&self) -> Arc<DeclaredPattern> {
        static COMPILED: LazyLock<Vec<Arc<DeclaredPattern>>> = LazyLock::new(|| {
            let patterns = PATTERNS.iter();
            let compiled = patterns.map(|pattern| Arc::new(DeclaredPattern::new(pattern.source)));
            compiled.collect()
        });
        let kept = COMPILED.iter().find(|kept| kept.as_str() == self.source);
        kept.map_or_else(|| Arc::new(DeclaredPattern::new(self.source)), Arc::clone)
    }
}

/// What is declared for one placeholder, and what the server allows in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rules {
    pub(super) key: usize,
    pub(super) pattern: Option<&'static Pattern>,
    pub(super) max_length: Option<usize>,
    /// The description asks for reserved characters, which is not its to allow.
    pub(super) reserved: bool,
    /// The server's own configuration allows `/`.
    pub(super) slash: bool,
    /// Another method on the same path declares that anything goes, first.
    pub(super) other: bool,
}

/// One input, in a form that can be made smaller.
#[derive(Debug, Clone)]
pub(super) struct Script {
    pub(super) method: &'static str,
    pub(super) parts: Vec<Part>,
    pub(super) arguments: [Option<Value>; KEYS.len()],
    pub(super) variables: [Option<Value>; VARIABLES.len()],
    pub(super) further: Vec<(usize, Value)>,
    pub(super) rules: Rules,
    /// Which base the target is joined to.
    pub(super) base: usize,
}

impl Script {
    /// An input that asks for nothing yet.
    pub(super) fn new() -> Self {
        Self {
            method: "GET",
            parts: Vec::with_capacity(16),
            arguments: [None, None, None],
            variables: [None, None],
            further: Vec::new(),
            rules: Rules::default(),
            base: 0,
        }
    }

    pub(super) fn value(&self, slot: Slot) -> Option<&Value> {
        match slot {
            Slot::Key(index) => self.arguments[index].as_ref(),
            Slot::Variable(index) => self.variables[index].as_ref(),
        }
    }

    pub(super) fn value_mut(&mut self, slot: Slot) -> &mut Option<Value> {
        match slot {
            Slot::Key(index) => &mut self.arguments[index],
            Slot::Variable(index) => &mut self.variables[index],
        }
    }

    /// The text of a value, if it has one.
    pub(super) fn text(&self, slot: Slot) -> Option<Cow<'_, str>> {
        match self.value(slot)? {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Array(_) | Value::Object(_) => None,
            scalar => Some(Cow::Owned(scalar.to_string())),
        }
    }

    /// The method: one that has a body where something is left for it, for a subject that sends
    /// would make pairs of what is left to others.
    fn method(&self) -> &'static str {
        let mut arguments = self.arguments.iter().enumerate();
        let is_left =
            arguments.any(|(index, value)| value.is_some() && !self.asks_for(Slot::Key(index)));
        let has_body = matches!(self.method, "POST" | "PATCH");
        if (is_left || !self.further.is_empty()) && !has_body {
            "POST"
        } else {
            self.method
        }
    }

    pub(super) fn asks_for(&self, slot: Slot) -> bool {
        self.parts.iter().any(|part| part.slot() == Some(slot))
    }

    /// The template, with its variables as they are written or filled in.
    pub(super) fn template(&self, filled: bool) -> String {
        let mut template = String::with_capacity(64);
        for part in &self.parts {
            match *part {
                Part::Variable(index) if filled => {
                    template.push_str(&self.text(Slot::Variable(index)).unwrap_or_default());
                }
                Part::Variable(index) => {
                    template.push_str("${");
                    template.push_str(VARIABLES[index]);
                    template.push('}');
                }
                Part::Key(index) => {
                    template.push('{');
                    template.push_str(KEYS[index]);
                    template.push('}');
                }
                Part::Slash => template.push('/'),
                Part::Question => template.push('?'),
                Part::And => template.push('&'),
                Part::Equals => template.push('='),
                Part::Text(text) => template.push_str(text),
            }
        }
        template
    }

    /// The question that a resolver is asked.
    pub(super) fn case(&self) -> ResolveCase {
        let mut case = ResolveCase::new("");
        self.method().clone_into(&mut case.method);
        case.template = self.template(false);
        for (index, value) in self.variables.iter().enumerate() {
            if let Some(value) = value {
                case.variables
                    .insert(VARIABLES[index].to_owned(), value.clone());
            }
        }
        let arguments = KEYS.iter().zip(&self.arguments);
        let arguments = arguments.filter_map(|(name, value)| Some((*name, value.as_ref()?)));
        let further = self.further.iter();
        let further = further.map(|(name, value)| (FURTHER[*name], value));
        let members: Map<String, Value> = arguments
            .chain(further)
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        if !members.is_empty() {
            case.body = Some(Value::Object(members));
        }
        self.declare(&mut case);
        case
    }

    fn declare(&self, case: &mut ResolveCase) {
        let Rules { key, .. } = self.rules;
        if self.rules.slash {
            case.slash_allowed.insert(KEYS[key].to_owned());
        }
        if !self.declares() {
            return;
        }
        let template = self.template(true);
        if self.rules.other {
            let method = if self.method == "GET" {
                "DELETE"
            } else {
                "GET"
            };
            case.declared
                .push(Declared::new(method, &template, KEYS[key]));
        }
        let mut declared = Declared::new(self.method(), &template, KEYS[key]);
        declared.max_length = self.rules.max_length;
        if let Some(pattern) = self.rules.pattern {
            declared = declared.compiled_pattern(pattern.compiled());
        }
        if self.rules.reserved {
            declared = declared.further("allowReserved", true);
        }
        case.declared.push(declared);
    }

    fn declares(&self) -> bool {
        let Rules {
            pattern,
            max_length,
            reserved,
            ..
        } = self.rules;
        pattern.is_some() || max_length.is_some() || reserved
    }

    /// Whether what is declared has to be found: under the text between the layers, which is known
    /// where variables are written as they are.
    pub(super) fn finds_rules(&self, profile: &ResolverProfile) -> bool {
        let mut variables = self.parts.iter().filter_map(|part| match part {
            Part::Variable(index) => Some(Slot::Variable(*index)),
            _ => None,
        });
        variables.all(|variable| {
            let text = self.text(variable).unwrap_or_default();
            profile.placeholder_rules && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    }
}

impl Part {
    pub(super) fn slot(self) -> Option<Slot> {
        match self {
            Self::Key(index) => Some(Slot::Key(index)),
            Self::Variable(index) => Some(Slot::Variable(index)),
            _ => None,
        }
    }
}
