//! The plan of `vectors/path_target.json`: finished targets.

mod path_rows;
mod query_rows;

use proofmark_conformance::catalogue::FieldId;
use proofmark_conformance::vectors::path::Answer::{self, Accept, Either, Refuse};
use proofmark_conformance::vectors::path::{TargetVector, VectorSet};

use super::drafts::{Faults, Group, content_id, group, requirement, short};
use super::oracle::target::{of_path, of_target};

/// A requirement, an answer, a reason, the twin of what is refused, and the targets.
type Row = (
    u8,
    Answer,
    &'static str,
    &'static str,
    &'static [&'static str],
);

/// All target vectors, in the order of the file.
pub fn all() -> VectorSet<TargetVector> {
    let mut drafts = TargetDrafts::default();
    for (number, answer, reason, twin, targets) in path_rows::ROWS.iter().chain(query_rows::ROWS) {
        for target in *targets {
            drafts.add(group(*number, *answer, reason), target, twin);
        }
    }
    lengths(&mut drafts);
    controls(&mut drafts);
    drafts.finish()
}

#[derive(Default)]
struct TargetDrafts {
    vectors: Vec<TargetVector>,
    twins: Vec<String>,
    faults: Faults,
}

impl TargetDrafts {
    /// Writes a target. Only one that is refused has a twin.
    fn add(&mut self, group: Group, target: &str, twin: &str) {
        let told = of_target(target);
        let path = of_path(target);
        let id = id_of(target);
        let ids = self
            .vectors
            .iter()
            .map(|vector| vector.id.clone())
            .collect();
        self.faults.check(&ids, &id, group, told.result, target);
        let control = (told.result == Answer::Refuse).then(|| {
            self.twins.push(twin.to_owned());
            id_of(twin)
        });
        let (requirement, level) = requirement(group.requirement);
        self.vectors.push(TargetVector {
            id,
            requirement,
            level,
            target: short(target),
            result: told.result,
            rule: told.rule,
            path_only: path.result,
            path_only_rule: path.rule,
            encode: told.encode,
            control,
            reason: group.reason.to_owned(),
            field: group.field.map(FieldId::new),
        });
    }

    fn finish(mut self) -> VectorSet<TargetVector> {
        for twin in std::mem::take(&mut self.twins) {
            let id = id_of(&twin);
            if self.vectors.iter().all(|vector| vector.id != id) {
                let control = group(10, Accept, "control: harmless without the refused part");
                self.add(control, &twin, "");
            }
        }
        self.faults.assert_none();
        VectorSet {
            schema: 1,
            vectors: self.vectors,
        }
    }
}

fn id_of(target: &str) -> String {
    content_id("target", &serde_json::json!({ "target": target }))
}

fn lengths(drafts: &mut TargetDrafts) {
    let fits = group(10, Accept, "a segment of 256 code points passes");
    let over = group(
        10,
        Refuse,
        "a segment of more than 256 code points was made of several values",
    );
    for (before, after) in [
        ("/", ""),
        ("/x/", ""),
        ("/x/", "/y"),
        ("/", "?k=1"),
        ("/x/", "/y?k=1"),
    ] {
        let target = |count: usize| format!("{before}{}{after}", "a".repeat(count));
        drafts.add(fits, &target(256), "");
        drafts.add(over, &target(257), &target(256));
    }
    for unit in ["é", "日", "😀"] {
        drafts.add(over, &format!("/x/{}", unit.repeat(257)), "/x/y");
    }
    drafts.add(over, &format!("/x/{}", "a".repeat(4096)), "/x/y");
    drafts.add(over, &format!("/x/{}", "%41".repeat(257)), "/x/%41");
    let unclear = group(
        10,
        Either,
        "whether an escape counts once or thrice in a segment is not said",
    );
    for (escape, count) in [
        ("%41", 86),
        ("%41", 256),
        ("%C3%A9", 43),
        ("%C3%A9", 256),
        ("%7e", 100),
    ] {
        drafts.add(unclear, &format!("/x/{}", escape.repeat(count)), "");
    }
    let sum = group(
        10,
        Accept,
        "the cap is one of segments, not of the path or its query",
    );
    let segment = "a".repeat(200);
    drafts.add(sum, &format!("/{segment}/{segment}"), "");
    drafts.add(sum, &format!("/{segment}/{segment}/{segment}"), "");
    drafts.add(sum, &format!("/x?k={}", "a".repeat(300)), "");
    drafts.add(sum, &format!("/x?k={segment}&l={segment}"), "");
}

fn controls(drafts: &mut TargetDrafts) {
    let path = group(11, Refuse, "a control character in the path half");
    let query = group(11, Refuse, "a control character in the query half");
    let escaped = group(11, Refuse, "an escaped control character in the path half");
    let escaped_query = group(11, Refuse, "an escaped control character in the query half");
    for code in [0_u8, 1, 7, 8, 9, 10, 11, 12, 13, 27, 31, 127] {
        let character = char::from(code);
        drafts.add(path.field(66), &format!("/a{character}b"), "/ab");
        drafts.add(query.field(66), &format!("/a?b=c{character}d"), "/a?b=cd");
        drafts.add(escaped, &format!("/a%{code:02x}b"), "/ab");
        drafts.add(escaped_query, &format!("/a?b=c%{code:02X}d"), "/a?b=cd");
    }
}
