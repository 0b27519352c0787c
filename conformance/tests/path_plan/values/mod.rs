//! The plan of `vectors/path_value.json`.

mod declared;
mod dots;
mod floor;
mod harmless;
mod lengths;
mod look_alikes;
mod slash;

use proofmark_conformance::vectors::path::{ValueVector, VectorSet};

use super::drafts::ValueDrafts;

/// All value vectors, in the order of the file.
pub fn all() -> VectorSet<ValueVector> {
    let mut drafts = ValueDrafts::default();
    floor::write(&mut drafts);
    dots::write(&mut drafts);
    lengths::write(&mut drafts);
    declared::write(&mut drafts);
    slash::write(&mut drafts);
    harmless::write(&mut drafts);
    look_alikes::write(&mut drafts);
    drafts.finish()
}

/// A piece at several places of a value, each with the value that lacks it.
fn placed(piece: &str) -> Vec<(String, String)> {
    let around = [
        ("", ""),
        ("", "b"),
        ("a", ""),
        ("a", "b"),
        ("7-", "-x"),
        ("é", "日"),
    ];
    around
        .iter()
        .map(|(before, after)| {
            let twin = match (*before, *after) {
                ("", "") => "7".to_owned(),
                (before, after) => format!("{before}{after}"),
            };
            (format!("{before}{piece}{after}"), twin)
        })
        .collect()
}
