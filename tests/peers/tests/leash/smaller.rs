//! The cases that are one step smaller than a case.

use proofmark::leash::{AxisEnforcement, CountBound, Scope};

use crate::case::{Case, Fence, LaterCase, PathCase, Session};

impl Case {
    /// The cases with one character, grant, change, call or restriction less.
    pub fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Exec(grants, text) => names(grants, text, Self::Exec),
            Self::Net(grants, text) => names(grants, text, Self::Net),
            Self::Path(case) => paths(case).into_iter().map(Self::Path).collect(),
            Self::Later(case) => later(case).into_iter().map(Self::Later).collect(),
            Self::Session(case) => sessions(case).into_iter().map(Self::Session).collect(),
            Self::Floors(floors) => floors_below(floors),
            // No difference over a pair is stated.
            Self::Pair(_) => Vec::new(),
            Self::Document(text) => shorter(text).into_iter().map(Self::Document).collect(),
            Self::Fence(fence) => fences(fence).into_iter().map(Self::Fence).collect(),
        }
    }
}

fn shorter(text: &str) -> Vec<String> {
    text.char_indices()
        .map(|(at, c)| format!("{}{}", &text[..at], &text[at + c.len_utf8()..]))
        .collect()
}

fn without_one<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    let without = |at| [&all[..at], &all[at + 1..]].concat();
    (0..all.len()).map(without).collect()
}

/// The grants with one of them, or one character of one of them, removed.
fn fewer(grants: &[String]) -> Vec<Vec<String>> {
    let mut fewer = without_one(grants);
    for (at, grant) in grants.iter().enumerate() {
        for less in shorter(grant) {
            let mut changed = grants.to_vec();
            changed[at] = less;
            fewer.push(changed);
        }
    }
    fewer
}

fn names(grants: &[String], text: &str, case: fn(Vec<String>, String) -> Case) -> Vec<Case> {
    let texts = shorter(text);
    let texts = texts.into_iter().map(|text| case(grants.to_vec(), text));
    let grants = fewer(grants).into_iter();
    let grants = grants.map(|grants| case(grants, text.to_owned()));
    texts.chain(grants).collect()
}

fn paths(case: &PathCase) -> Vec<PathCase> {
    let paths = shorter(&case.path).into_iter().map(|path| PathCase {
        path,
        ..case.clone()
    });
    let grants = fewer(&case.grants).into_iter().map(|grants| PathCase {
        grants,
        ..case.clone()
    });
    let elsewhere = fewer(&case.elsewhere);
    let elsewhere = elsewhere.into_iter().map(|elsewhere| PathCase {
        elsewhere,
        ..case.clone()
    });
    paths.chain(grants).chain(elsewhere).collect()
}

fn later(case: &LaterCase) -> Vec<LaterCase> {
    let changes = without_one(&case.changes).into_iter();
    let changes = changes.map(|changes| LaterCase {
        changes,
        ..case.clone()
    });
    let grants = without_one(&case.grants).into_iter();
    let grants = grants.map(|grants| LaterCase {
        grants,
        ..case.clone()
    });
    changes.chain(grants).collect()
}

fn sessions(case: &Session) -> Vec<Session> {
    let mut smaller: Vec<_> = without_one(&case.calls)
        .into_iter()
        .map(|calls| Session {
            calls,
            ..case.clone()
        })
        .collect();
    for at in 0..case.calls.len() {
        let mut unbounded = case.clone();
        unbounded.calls[at].max_calls = CountBound::Unlimited;
        let mut unrestricted = case.clone();
        unrestricted.calls[at].exec = [Scope::All, Scope::All];
        unrestricted.calls[at].generations = Scope::All;
        smaller.extend([unbounded, unrestricted]);
    }
    smaller.push(Session {
        budget: None,
        ..case.clone()
    });
    smaller.retain(|smaller| smaller != case);
    smaller
}

/// With a floor less, or a lower one.
fn floors_below(floors: &[AxisEnforcement]) -> Vec<Case> {
    let mut smaller = without_one(floors);
    for at in 0..floors.len() {
        let mut lower = floors.to_vec();
        lower[at] = match lower[at] {
            AxisEnforcement::Advisory => continue,
            AxisEnforcement::Interceptor => AxisEnforcement::Advisory,
            AxisEnforcement::Kernel => AxisEnforcement::Interceptor,
        };
        smaller.push(lower);
    }
    smaller.into_iter().map(Case::Floors).collect()
}

/// An axis of a fence, to be changed.
type Axis = fn(&mut Fence) -> &mut Option<Vec<String>>;

fn fences(fence: &Fence) -> Vec<Fence> {
    let mut smaller = Vec::new();
    let axes: [Axis; 3] = [
        |fence| &mut fence.files,
        |fence| &mut fence.exec,
        |fence| &mut fence.net,
    ];
    for axis in axes {
        let mut changed = fence.clone();
        let Some(grants) = axis(&mut changed).take() else {
            continue;
        };
        smaller.push(changed);
        for fewer in fewer(&grants) {
            let mut changed = fence.clone();
            *axis(&mut changed) = Some(fewer);
            smaller.push(changed);
        }
    }
    smaller
}
