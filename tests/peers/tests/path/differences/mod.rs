//! Every difference between the toolkit and the public crates: the smallest input, what each side
//! says of it, and why. A difference that is not stated here is a fault.

mod calls;
mod fold;
mod targets;
mod values;

use std::sync::LazyLock;

use crate::case::{Case, Part, Verdict};

/// One way in which the sides differ on purpose.
pub struct StatedDifference {
    name: &'static str,
    /// The requirement it follows from, and in what way.
    reason: &'static str,
    smallest: Case,
    ours: &'static str,
    peer: &'static str,
    /// Whether it is the reason for what was seen of a case.
    explains: fn(&Case, &Verdict, &Verdict) -> bool,
}

/// The stated difference that a difference is an instance of.
pub fn explanation(case: &Case, ours: &Verdict, peer: &Verdict) -> Option<&'static str> {
    STATED
        .iter()
        .find(|stated| (stated.explains)(case, ours, peer))
        .map(|stated| stated.name)
}

#[test]
fn every_stated_difference_is_there_and_is_explained_by_itself() {
    for stated in STATED.iter() {
        let (ours, peer) = (stated.smallest.ours(), stated.smallest.peer());
        assert_eq!(ours.to_string(), stated.ours, "{}", stated.name);
        assert_eq!(peer.to_string(), stated.peer, "{}", stated.name);
        assert!(
            (stated.explains)(&stated.smallest, &ours, &peer),
            "{}",
            stated.name
        );
        assert!(!stated.reason.is_empty());
    }
}

#[test]
fn no_stated_input_can_be_made_smaller() {
    for stated in STATED.iter() {
        for smaller in one_character_less(&stated.smallest) {
            let (ours, peer) = (smaller.ours(), smaller.peer());
            let still = ours != peer && explanation(&smaller, &ours, &peer) == Some(stated.name);
            assert!(!still, "{}: {smaller:?} suffices", stated.name);
        }
    }
}

/// The case with one character of its text removed, each in turn.
fn one_character_less(case: &Case) -> Vec<Case> {
    let shorter = |text: &str| -> Vec<String> {
        text.char_indices()
            .map(|(at, c)| format!("{}{}", &text[..at], &text[at + c.len_utf8()..]))
            .collect()
    };
    match case {
        Case::Value { value, .. } => shorter(value)
            .into_iter()
            .map(|shorter| {
                let mut case = case.clone();
                if let Case::Value { value, .. } = &mut case {
                    *value = shorter;
                }
                case
            })
            .collect(),
        Case::Target(path) => shorter(path).into_iter().map(Case::Target).collect(),
        Case::Call { parts, .. } => (0..parts.len())
            .filter_map(|at| match &parts[at] {
                Part::Literal(text) => Some((at, shorter(text))),
                Part::Variable(_) => None,
            })
            .flat_map(|(at, texts)| texts.into_iter().map(move |text| (at, text)))
            .map(|(at, text)| {
                let mut case = case.clone();
                if let Case::Call { parts, .. } = &mut case {
                    parts[at] = Part::Literal(text);
                }
                case
            })
            .collect(),
    }
}

static STATED: LazyLock<Vec<StatedDifference>> = LazyLock::new(stated_differences);

fn stated_differences() -> Vec<StatedDifference> {
    let mut stated = values::stated();
    stated.extend(targets::stated());
    stated.extend(calls::refused());
    stated.extend(calls::sent());
    stated
}

fn path_half(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}
