//! The variables of one run, and the parameters bound around an expression.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde_json::Value;

/// Values by the names of their variables.
pub(super) type Values = HashMap<String, Value, RandomState>;

/// The variables of one run, over those that it began with.
pub(super) struct Variables<'i> {
    initial: &'i Values,
    own: Values,
}

impl<'i> Variables<'i> {
    pub(super) fn new(initial: &'i Values) -> Self {
        Self {
            initial,
            own: Values::default(),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.own.get(name).or_else(|| self.initial.get(name))
    }

    /// Gives a variable a value, and returns the one that it had in this run.
    pub(super) fn set(&mut self, name: &str, value: Value) -> Option<Value> {
        if let Some(kept) = self.own.get_mut(name) {
            return Some(std::mem::replace(kept, value));
        }
        self.own.insert(name.to_owned(), value)
    }

    /// Gives a variable back the value that [`set`](Self::set) took from it.
    pub(super) fn restore(&mut self, name: &str, value: Option<Value>) {
        match value {
            Some(value) => {
                self.set(name, value);
            }
            None => {
                self.own.remove(name);
            }
        }
    }
}

/// What names mean around an expression.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    variables: &'s Variables<'s>,
    outer: Option<&'s Scope<'s>>,
    names: &'s [String],
    values: &'s [&'s Value],
}

impl<'s> Scope<'s> {
    pub(super) fn of(variables: &'s Variables<'s>) -> Self {
        Self {
            variables,
            outer: None,
            names: &[],
            values: &[],
        }
    }

    /// The scope within a function whose parameters have these values.
    pub(super) fn within(
        outer: &'s Scope<'s>,
        names: &'s [String],
        values: &'s [&'s Value],
    ) -> Self {
        Self {
            variables: outer.variables,
            outer: Some(outer),
            names,
            values,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'s Value> {
        let bound = self.names.iter().zip(self.values);
        if let Some((_, value)) = bound.rev().find(|(bound, _)| *bound == name) {
            return Some(value);
        }
        match self.outer {
            Some(outer) => outer.get(name),
            None => self.variables.get(name),
        }
    }
}
