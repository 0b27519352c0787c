//! Differences over a path in a tree that changes after the context was minted.

use super::StatedDifference;
use crate::case::{Case, LaterCase};
use crate::sides;
use crate::tree::{Change, Tree};

pub fn stated() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "a grant that leads elsewhere than when it was given",
            reason: "LSH-10: no renaming widens a context; a grant stays pinned to what it led to",
            smallest: later(
                "{root}/w/j",
                &[Change::Remove("w/j"), Change::Link("w/j", "../o")],
                "{root}/o/k",
            ),
            ours: "deny",
            peer: "allow",
            explains: |case, ours, peer| pinned(case, ours, peer) && ours == "deny",
        },
        StatedDifference {
            name: "a grant that led elsewhere when it was given",
            reason: "LSH-10: a context keeps the authority that was given",
            smallest: later("{root}/w/j", &[Change::Remove("w/j")], "{root}/w/d/f"),
            ours: "allow",
            peer: "deny",
            explains: |case, ours, peer| pinned(case, ours, peer) && ours == "allow",
        },
    ]
}

fn later(grant: &str, changes: &[Change], path: &str) -> Case {
    Case::Later(LaterCase {
        grants: vec![grant.to_owned()],
        changes: changes.to_vec(),
        path: path.to_owned(),
    })
}

/// Would we agree with the peer if our context were as new as the tree?
fn pinned(case: &Case, ours: &str, peer: &str) -> bool {
    let Case::Later(case) = case else {
        return false;
    };
    let tree = Tree::new();
    tree.change(&case.changes);
    let unchanged = LaterCase {
        changes: Vec::new(),
        ..case.clone()
    };
    let anew = sides::ours::later(&unchanged, &tree);
    anew == peer && anew != ours
}
