//! Resolvers that remember what they resolved before, and are led astray by it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use proofmark::path::PlaceholderRules;
use proofmark_conformance::subject::{
    Refused, ResolveCase, Resolved, ResolverSubject, resolver_fn,
};
use serde_json::{Map, Value};

use super::clerk::{Clerk, Piece, floor, pieces, profile};
use super::path;
use crate::Specimen;

/// Every specimen that remembers.
pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(16),
            "a value that one operation admitted is admitted by every other",
            ResolverSubject::new("remembers_admitted_values", profile(), || {
                let admitted = Mutex::new(BTreeSet::new());
                resolver_fn(move |asked| with_admitted(asked, &mut lock(&admitted)))
            }),
        ),
        Specimen::new(
            path(18),
            "what one call left of its body goes out with the next",
            ResolverSubject::new("keeps_the_last_body", profile(), || {
                let kept = Mutex::new(Map::new());
                resolver_fn(move |asked| with_body(asked, &mut lock(&kept)))
            }),
        ),
        Specimen::new(
            path(25),
            "an argument that is missing is the one of the call before",
            ResolverSubject::new("fills_in_the_last_arguments", profile(), || {
                let last = Mutex::new(Map::new());
                resolver_fn(move |asked| with_arguments(asked, &mut lock(&last)))
            }),
        ),
    ]
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sound clerk.
struct Sound;

impl Clerk for Sound {}

/// A clerk that asks no rules of values it has seen.
struct Knowing(BTreeSet<String>);

impl Clerk for Knowing {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        if self.0.contains(value) {
            return floor(name, value, &PlaceholderRules::default());
        }
        floor(name, value, rules)
    }
}

fn with_admitted(
    asked: &ResolveCase,
    admitted: &mut BTreeSet<String>,
) -> Result<Resolved, Refused> {
    let resolved = Knowing(admitted.clone()).resolve(asked)?;
    let names = keys(asked);
    admitted.extend(names.iter().filter_map(|name| asked.argument_text(name)));
    Ok(resolved)
}

fn with_body(asked: &ResolveCase, kept: &mut Map<String, Value>) -> Result<Resolved, Refused> {
    let mut resolved = Sound.resolve(asked)?;
    if let Some(Value::Object(members)) = &mut resolved.body {
        let own = members.clone();
        for (name, value) in kept.iter() {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
        *kept = own;
    }
    Ok(resolved)
}

fn with_arguments(asked: &ResolveCase, last: &mut Map<String, Value>) -> Result<Resolved, Refused> {
    let mut filled = asked.clone();
    for name in keys(asked) {
        match (asked.argument_of(&name), last.get(&name)) {
            (Some(value), _) => drop(last.insert(name, value.clone())),
            (None, Some(value)) => filled = filled.argument(&name, value.clone()),
            (None, None) => {}
        }
    }
    Sound.resolve(&filled)
}

fn keys(asked: &ResolveCase) -> Vec<String> {
    let pieces = pieces(&asked.template).unwrap_or_default();
    let names = pieces.into_iter().filter_map(|piece| match piece {
        Piece::Key(name) => Some(name.to_owned()),
        Piece::Text(_) | Piece::Variable(_) => None,
    });
    names.collect()
}
