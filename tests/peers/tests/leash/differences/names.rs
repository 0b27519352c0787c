//! Differences over programs and hosts.

use super::StatedDifference;
use crate::case::Case;

pub fn stated() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "an empty name",
            reason: "LSH-14: nothing is called so, whatever is granted",
            smallest: Case::Net(vec![String::new()], String::new()),
            ours: "deny",
            peer: "allow",
            explains: |case, ours, _| name(case).is_some_and(str::is_empty) && ours == "deny",
        },
        StatedDifference {
            name: "a NUL in a host",
            reason: "LSH-14: no host has one, whatever is granted",
            smallest: Case::Net(vec!["\0".to_owned()], "\0".to_owned()),
            ours: "deny",
            peer: "allow",
            explains: |case, ours, _| {
                matches!(case, Case::Net(_, host) if host.contains('\0')) && ours == "deny"
            },
        },
        StatedDifference {
            name: "a NUL in a program",
            reason: "LSH-14: no program has one; the bare name behind it must not admit it",
            smallest: Case::Exec(vec!["a".to_owned()], "\0/a".to_owned()),
            ours: "deny",
            peer: "allow",
            explains: |case, ours, _| {
                matches!(case, Case::Exec(_, program) if program.contains('\0')) && ours == "deny"
            },
        },
    ]
}

fn name(case: &Case) -> Option<&str> {
    match case {
        Case::Exec(_, name) | Case::Net(_, name) => Some(name),
        _ => None,
    }
}
