//! The smallest script that still breaks the same row.

use serde_json::Value;

use super::ResolverFuzzer;
use super::blame::PLAIN;
use super::script::{KEYS, Script, Slot, VARIABLES};

/// At most so many scripts are tried.
const MOST_TRIES: usize = 2_000;

impl ResolverFuzzer {
    /// A script that breaks the row and of which no part can go.
    pub(super) fn shrink(&self, mut script: Script, row: u8) -> Script {
        let mut tries = MOST_TRIES;
        loop {
            let mut untried = candidates(&script).take(tries);
            let smaller = untried.find(|candidate| {
                tries -= 1;
                self.breaks(candidate, row)
            });
            drop(untried);
            match smaller {
                Some(smaller) => script = smaller,
                None => return script,
            }
        }
    }

    fn breaks(&self, script: &Script, row: u8) -> bool {
        let (_, _, fault) = self.ask(script);
        fault.is_some_and(|fault| self.blame(script, &fault) == row)
    }
}

/// Scripts that lack something, the most first. Each is smaller than the one before, so that
/// shrinking ends.
fn candidates(script: &Script) -> impl Iterator<Item = Script> {
    let parts = removals(script.parts.len()).map(|(from, to)| {
        let mut smaller = script.clone();
        smaller.parts.drain(from..to);
        smaller
    });
    let keys = (0..KEYS.len()).map(Slot::Key);
    let slots = keys.chain((0..VARIABLES.len()).map(Slot::Variable));
    let values = slots.flat_map(move |slot| {
        smaller_values(script, slot).map(move |value| {
            let mut smaller = script.clone();
            *smaller.value_mut(slot) = value;
            smaller
        })
    });
    let further = (0..script.further.len()).map(|index| {
        let mut smaller = script.clone();
        smaller.further.remove(index);
        smaller
    });
    parts.chain(further).chain(values).chain(simpler(script))
}

/// Ranges to take out: halves, quarters and so on, down to single ones.
fn removals(length: usize) -> impl Iterator<Item = (usize, usize)> {
    let widths = std::iter::successors(Some(length / 2), |width| Some(width / 2));
    widths
        .take_while(|width| *width > 0)
        .flat_map(move |width| (0..=length - width).map(move |from| (from, from + width)))
}

fn smaller_values(script: &Script, slot: Slot) -> impl Iterator<Item = Option<Value>> {
    let mut values = Vec::new();
    match script.value(slot) {
        None => {}
        Some(_) if !script.asks_for(slot) => values.push(None),
        Some(Value::String(text)) => {
            if !text.is_empty() && text != PLAIN {
                values.push(Some(Value::from(PLAIN)));
            }
            let ends: Vec<usize> = text
                .char_indices()
                .map(|(at, _)| at)
                .chain([text.len()])
                .collect();
            for (from, to) in removals(ends.len() - 1) {
                let (before, after) = (&text[..ends[from]], &text[ends[to]..]);
                values.push(Some(Value::from(format!("{before}{after}"))));
            }
            if text.len() == 1 {
                values.push(Some(Value::from("")));
            }
        }
        Some(Value::Array(items)) if !items.is_empty() => {
            values.push(Some(Value::Array(Vec::new())))
        }
        Some(_) => {}
    }
    values.into_iter()
}

fn simpler(script: &Script) -> impl Iterator<Item = Script> {
    let mut simpler = Vec::new();
    let mut push = |is_set: bool, change: &dyn Fn(&mut Script)| {
        if is_set {
            let mut smaller = script.clone();
            change(&mut smaller);
            simpler.push(smaller);
        }
    };
    let rules = &script.rules;
    push(rules.pattern.is_some(), &|script| {
        script.rules.pattern = None
    });
    push(rules.max_length.is_some(), &|script| {
        script.rules.max_length = None
    });
    push(rules.slash, &|script| script.rules.slash = false);
    push(rules.other, &|script| script.rules.other = false);
    push(rules.reserved, &|script| script.rules.reserved = false);
    push(script.base != 0, &|script| script.base = 0);
    push(script.method != "GET", &|script| script.method = "GET");
    simpler.into_iter()
}
