//! What holds of the catalogue as data: its size, its levels, its words and its texts.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_conformance::catalogue::{
    Catalogue, Family, Level, Mode, Requirement, SubjectKind, Transport,
};
use rstest::rstest;

/// The rows whose level is not MUST. Levels never change, so they are written down twice.
const SHOULD: &str = "\
    POL-10 POL-13 POL-14 POL-15 POL-19 POL-20 POL-21 POL-22 \
    BUD-11 BUD-16 PATH-22 PATH-27 EXE-14 EXE-15 EXE-16 EXE-20 EXE-21 CRED-07 SUR-13 LSH-13";
const MAY: &str = "BUD-14 PATH-23 LSH-16";

/// Every capability word, so that a slip of the pen in one row cannot make it never apply.
const CAPABILITIES: &str = "\
    allow_slash any_endpoints approval_token argument_validator auth_schemes bounded budget bytes \
    call_budget call_scope check_exec check_net check_path combinator credential \
    distinct_endpoints endpoints fence_strength fixed_budget generation header_credential \
    independent_calls interpolation leq limits max_length mediated_opens meet named_credential \
    pattern pends per_call placeholder_rules policy prefixes query rate refusal refuse_methods \
    refuse_pairs refused_endpoints refused_parts requests resolve retries samples scripts \
    serialised spawn stateless takes_clock takes_limit token_endpoint tool_and_call tools \
    without_policy";

/// Every public fault the catalogue knows of; each is convicted by some row or excused by name.
const FAULTS: &str = "\
    B01 B03 B04 B06 B07 B09 B10 B12 B13 B15 B16 B18 B19 B21 B22 B24 B25 B27 B28 B30 B31 \
    B32 B34 B35 B37 B38 B40 B41 B43 B44 B46 B47 B49 B50 \
    B52 B54 B55 B57 B58 B60 B61 B63 B64 B66 B67 B69 B70 \
    B71 B73 B74 B76 B77 B79 B80 B82 B83 B85 B86 B88 B89 B91 B92 B94 B95 \
    B97 B99 B100 B102 B103 B105 B106 B108 B109 B111 B112 B114 B115";

#[allow(
    clippy::unwrap_used,
    reason = "a broken catalogue fails every test here"
)]
fn catalogue() -> &'static Catalogue {
    Catalogue::shared().unwrap()
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn texts(row: &Requirement) -> [(&'static str, &str); 6] {
    [
        ("applies_when", &row.applies_when),
        ("statement", &row.statement),
        ("observable", &row.observable),
        ("control", &row.control),
        ("attack", &row.attack),
        ("repair", &row.repair),
    ]
}

#[rstest]
#[case(Family::Pol, 22)]
#[case(Family::Bud, 17)]
#[case(Family::Path, 27)]
#[case(Family::Exe, 21)]
#[case(Family::Cred, 12)]
#[case(Family::Sur, 16)]
#[case(Family::Lsh, 18)]
#[case(Family::Lat, 5)]
fn a_family_has_as_many_rows_as_its_version_froze(#[case] family: Family, #[case] rows: usize) {
    assert_eq!(catalogue().family(family).count(), rows);
}

#[test]
fn ids_are_unique_and_in_order() {
    let ids: Vec<_> = catalogue().iter().map(|row| row.id).collect();
    let sorted: Vec<_> = BTreeSet::from_iter(ids.clone()).into_iter().collect();

    assert_eq!(ids, sorted);
}

#[rstest]
#[case(Level::Should, SHOULD)]
#[case(Level::May, MAY)]
fn exactly_the_frozen_rows_are_weaker_than_must(#[case] level: Level, #[case] frozen: &str) {
    let found = catalogue()
        .iter()
        .filter(|row| row.level == level)
        .map(|row| row.id.to_string())
        .collect();

    assert_eq!(words(frozen), found);
}

#[test]
fn a_title_is_a_claim_of_at_most_70_characters_and_no_other_row_has_it() {
    let mut seen = BTreeMap::new();
    for row in catalogue() {
        let length = row.title.chars().count();
        assert!(
            (10..=70).contains(&length),
            "{}: {length} characters",
            row.id
        );
        assert!(!row.title.ends_with('.'), "{}: ends in a full stop", row.id);
        assert_eq!(
            seen.insert(&row.title, row.id),
            None,
            "{}: repeated",
            row.id
        );
    }
}

#[test]
fn every_text_says_something() {
    for row in catalogue() {
        for (name, text) in texts(row) {
            assert!(!text.trim().is_empty(), "{}: empty {name}", row.id);
        }
        for (name, text) in &texts(row)[1..] {
            assert!(
                text.chars().count() >= 40,
                "{}: {name} is too short",
                row.id
            );
        }
    }
}

#[test]
fn every_attack_repair_and_control_is_written_for_its_row_alone() {
    let mut seen = BTreeMap::new();
    for row in catalogue() {
        for text in [&row.control, &row.attack, &row.repair] {
            assert_eq!(seen.insert(text, row.id), None, "{}: {text}", row.id);
        }
    }
}

#[test]
fn the_capability_words_are_exactly_the_known_ones() {
    let used: BTreeSet<_> = catalogue()
        .iter()
        .flat_map(|row| row.needs.iter().cloned())
        .collect();

    assert_eq!(words(CAPABILITIES), used);
}

#[test]
fn every_list_that_must_name_something_does_so_once() {
    fn once<T: Ord>(list: &[T]) -> bool {
        BTreeSet::from_iter(list).len() == list.len()
    }
    for row in catalogue() {
        assert!(
            !row.subjects.is_empty() && once(&row.subjects),
            "{}",
            row.id
        );
        assert!(!row.source.is_empty() && once(&row.source), "{}", row.id);
        assert!(
            !row.transports.is_empty() && once(&row.transports),
            "{}",
            row.id
        );
        assert!(once(&row.needs) && once(&row.field), "{}", row.id);
    }
}

#[test]
fn a_row_that_compiles_a_fixture_is_a_rust_matter() {
    for row in catalogue() {
        if row.mode == Mode::Compile {
            assert_eq!(row.transports, [Transport::Rust], "{}", row.id);
            assert!(row.subjects.contains(&SubjectKind::Compile), "{}", row.id);
        }
    }
}

#[test]
fn a_row_that_never_convicts_claims_no_public_fault() {
    for row in catalogue() {
        assert!(
            row.level != Level::May || row.field.is_empty(),
            "{}",
            row.id
        );
    }
}

#[test]
fn every_fault_is_either_convicted_or_excused_and_never_both() {
    let convicted: BTreeSet<_> = catalogue()
        .iter()
        .flat_map(|row| &row.field)
        .map(ToString::to_string)
        .collect();
    let excused: Vec<_> = catalogue()
        .unconvicted()
        .iter()
        .map(|fault| fault.id.to_string())
        .collect();

    for fault in words(FAULTS) {
        let times = usize::from(convicted.contains(&fault))
            + excused.iter().filter(|id| **id == fault).count();
        assert_eq!(times, 1, "{fault}");
    }
    let placed: BTreeSet<_> = convicted.into_iter().chain(excused).collect();
    assert_eq!(placed, words(FAULTS), "no fault is made up");
}

#[test]
fn every_excuse_says_why() {
    for fault in catalogue().unconvicted() {
        assert!(fault.why.chars().count() >= 40, "{}", fault.id);
    }
}

#[test]
fn a_fault_leads_to_the_rows_that_name_it() {
    let fault = "B06".parse().unwrap();
    let rows: Vec<_> = catalogue()
        .convicting(fault)
        .map(|row| row.id.to_string())
        .collect();

    assert_eq!(rows, ["POL-18", "POL-19"]);
}

#[test]
fn a_summary_has_the_shape_that_scripts_read() {
    let row = catalogue().get("POL-12".parse().unwrap()).unwrap();

    assert_eq!(
        serde_json::to_value(row.summary()).unwrap(),
        serde_json::json!({
            "id": "POL-12",
            "family": "POL",
            "level": "must",
            "title": "What lies next to an allowed endpoint is refused",
            "subjects": ["policy"],
            "source": ["field"],
            "transports": ["rust", "child"],
            "needs": ["endpoints"],
            "mode": "run",
        })
    );
}

#[test]
fn a_row_applies_once_all_it_needs_is_declared() {
    let row = catalogue().get("POL-12".parse().unwrap()).unwrap();

    assert_eq!(row.unmet(&["stateless"]).collect::<Vec<_>>(), ["endpoints"]);
    assert_eq!(row.unmet(&["stateless", "endpoints"]).count(), 0);
}
