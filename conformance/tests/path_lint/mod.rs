//! What holds of the path vectors as data: ids, reasons, rows, controls, digests.

mod faults;
mod readme;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proofmark_conformance::catalogue::{
    Catalogue, Family, FieldId, Level, RequirementId, SubjectKind,
};
use proofmark_conformance::vectors::path::{
    Answer, CompositionVector, EncodedValue, TargetVector, ValueVector,
};
use proofmark_conformance::vectors::{FILES, file};

/// What all three kinds of vectors have in common.
struct Row {
    id: String,
    requirement: RequirementId,
    level: Level,
    result: Answer,
    encode: Answer,
    rule: bool,
    control: Option<String>,
    reason: String,
    field: Option<FieldId>,
}

/// The name of a file, and its vectors.
fn files() -> [(&'static str, Vec<Row>); 3] {
    let values = ValueVector::built_in().unwrap().into_iter().map(|v| Row {
        id: v.id,
        requirement: v.requirement,
        level: v.level,
        result: v.result,
        encode: match v.encode {
            EncodedValue::Accept => Answer::Accept,
            EncodedValue::Refuse => Answer::Refuse,
            EncodedValue::OneSegment | EncodedValue::Either => Answer::Either,
        },
        rule: v.rule.is_some(),
        control: v.control,
        reason: v.reason,
        field: v.field,
    });
    let targets = TargetVector::built_in().unwrap().into_iter().map(|v| Row {
        id: v.id,
        requirement: v.requirement,
        level: v.level,
        result: v.result,
        encode: v.encode,
        rule: v.rule.is_some(),
        control: v.control,
        reason: v.reason,
        field: v.field,
    });
    let compositions = CompositionVector::built_in()
        .unwrap()
        .into_iter()
        .map(|v| Row {
            encode: v.answer(true).0,
            id: v.id,
            requirement: v.requirement,
            level: v.level,
            result: v.result,
            rule: v.rule.is_some(),
            control: v.control,
            reason: v.reason,
            field: v.field,
        });
    [
        ("value", values.collect()),
        ("target", targets.collect()),
        ("composition", compositions.collect()),
    ]
}

fn all() -> Vec<Row> {
    files().into_iter().flat_map(|(_, rows)| rows).collect()
}

#[test]
fn the_built_in_files_are_exactly_those_in_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    let built_in: BTreeSet<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
    assert_eq!(built_in, on_disk);
}

#[test]
fn there_are_vectors_enough_in_files_that_can_be_reviewed() {
    assert!(all().len() >= 1500, "{}", all().len());
    for (kind, rows) in files() {
        let size = file(&format!("path_{kind}.json")).unwrap().text.len();
        assert!(
            rows.len() >= 400 && size < 700_000,
            "{kind}: {} in {size}",
            rows.len()
        );
    }
}

#[test]
fn each_vector_has_an_id_of_its_own_that_names_its_kind() {
    for (kind, rows) in files() {
        for row in &rows {
            let digits = row.id.strip_prefix(&format!("{kind}-")).unwrap_or_default();
            let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            assert!(
                digits.len() == 10 && digits.chars().all(hexadecimal),
                "{}",
                row.id
            );
        }
    }
    let ids: BTreeSet<String> = all().into_iter().map(|row| row.id).collect();
    assert_eq!(ids.len(), all().len());
}

fn largest_share(rows: &[Row]) -> (f64, String) {
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for row in rows {
        *reasons.entry(&row.reason).or_default() += 1;
    }
    let (reason, count) = reasons.into_iter().max_by_key(|(_, count)| *count).unwrap();
    let total = u32::try_from(rows.len()).unwrap();
    (f64::from(count) / f64::from(total), reason.to_owned())
}

#[test]
fn no_reason_has_more_than_a_twentieth_of_the_vectors() {
    let reasons: BTreeSet<String> = all().into_iter().map(|row| row.reason).collect();
    assert!(reasons.len() >= 60, "{}", reasons.len());
    assert!(reasons.iter().all(|reason| reason.trim().len() >= 10));
    for rows in files().map(|(_, rows)| rows).into_iter().chain([all()]) {
        let (share, reason) = largest_share(&rows);
        assert!(share <= 0.05, "{share:.3} have the reason {reason}");
    }
}

#[test]
fn a_reason_has_one_answer_and_one_requirement() {
    for (kind, rows) in files() {
        let mut seen = BTreeMap::new();
        for row in rows
            .iter()
            .filter(|row| !row.reason.starts_with("control: "))
        {
            let first = seen
                .entry(row.reason.clone())
                .or_insert((row.result, row.requirement));
            assert_eq!(
                *first,
                (row.result, row.requirement),
                "{kind}: {}",
                row.reason
            );
        }
    }
}

#[test]
fn each_vector_shows_a_row_of_the_catalogue_at_its_level() {
    for row in all() {
        let requirement = Catalogue::shared().unwrap().get(row.requirement).unwrap();
        assert_eq!(row.requirement.family(), Family::Path, "{}", row.id);
        assert!(
            requirement.subjects.contains(&SubjectKind::Resolver),
            "{}",
            row.id
        );
        assert_eq!(row.level, requirement.level, "{}", row.id);
    }
}

/// PATH-15 is about refusals' words, so only what is refused can show it; the others are shown by
/// both answers.
#[test]
fn each_must_row_is_shown_by_ten_vectors_and_each_row_by_five() {
    for requirement in Catalogue::shared().unwrap().family(Family::Path) {
        let shown = || {
            all()
                .into_iter()
                .filter(|row| row.requirement == requirement.id)
        };
        let least = if requirement.level == Level::Must {
            10
        } else {
            5
        };
        assert!(shown().count() >= least, "{}", requirement.id);
        let definite = shown().filter(|row| row.result != Answer::Either).count();
        assert!(
            definite >= 5 || requirement.level == Level::May,
            "{}",
            requirement.id
        );
    }
}

#[test]
fn each_public_fault_of_a_path_row_is_shown() {
    let shown: BTreeSet<FieldId> = all().into_iter().filter_map(|row| row.field).collect();
    let rows = Catalogue::shared().unwrap().family(Family::Path);
    let known: BTreeSet<FieldId> = rows.flat_map(|row| row.field.clone()).collect();
    assert_eq!(shown, known);
}

#[test]
fn what_is_refused_has_a_rule_and_a_control_that_is_accepted() {
    for (_, rows) in files() {
        let accepted: BTreeSet<&str> = rows
            .iter()
            .filter(|row| row.result == Answer::Accept && row.encode == Answer::Accept)
            .map(|row| row.id.as_str())
            .collect();
        for row in &rows {
            let refused = row.result == Answer::Refuse;
            assert_eq!(
                (row.rule, row.control.is_some()),
                (refused, refused),
                "{}",
                row.id
            );
            let control = row.control.as_deref();
            assert!(control.is_none_or(|id| accepted.contains(id)), "{}", row.id);
        }
    }
}

#[test]
fn an_encoding_resolver_is_asked_for_no_more_than_a_refusing_one_may_do() {
    for row in all() {
        let contrary = (row.result, row.encode) == (Answer::Accept, Answer::Refuse)
            || (row.result, row.encode) == (Answer::Refuse, Answer::Accept);
        assert!(!contrary, "{}", row.id);
    }
}

#[test]
fn what_must_be_accepted_says_what_is_sent() {
    for vector in CompositionVector::built_in().unwrap() {
        for encodes in [false, true] {
            let (answer, expect) = vector.answer(encodes);
            assert!(
                answer != Answer::Accept || expect.is_some(),
                "{}",
                vector.id
            );
            assert!(
                answer != Answer::Refuse || expect.is_none(),
                "{}",
                vector.id
            );
        }
        let speaks = vector.names.is_some() || vector.hides.is_some();
        assert!(!speaks || vector.result == Answer::Refuse, "{}", vector.id);
    }
}
