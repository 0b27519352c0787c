//! Accepting a value or a target allocates nothing. A binary of its own, for it counts allocations.
#![cfg(test)]

use allocation_counter::measure;
use proofmark::path::{
    DeclaredPattern, PlaceholderRules, ResolvedPath, validate_path_placeholder,
    validate_resolved_path, validate_resolved_target,
};
use rstest::rstest;

fn allocations<T>(run: impl Fn() -> T) -> u64 {
    // What an engine keeps after its first use on this thread is not counted.
    let _ = run();
    measure(|| drop(run())).count_total
}

#[rstest]
#[case::short("C0018787")]
#[case::long(&"C0018787".repeat(32))]
#[case::dots("report.v1.2.pdf")]
#[case::escapes("a%20b%41")]
#[case::escapes_beyond_ascii("caf%C3%A9")]
#[case::scripts("日本語 ｆｕｌｌ é")]
#[case::longest(&"\u{1F600}".repeat(256))]
fn accepting_a_value_allocates_nothing(#[case] value: &str) {
    let rules = PlaceholderRules::default().with_max_length(Some(300));
    assert!(validate_path_placeholder("id", value, &rules).is_ok());
    assert_eq!(
        allocations(|| validate_path_placeholder("id", value, &rules)),
        0
    );
}

#[rstest]
#[case::sequence("^C[0-9]+$")]
#[case::automaton("^(?:C|D)[0-9]+$")]
#[case::search("[0-9]")]
fn accepting_by_a_pattern_allocates_nothing(#[case] pattern: &str) {
    let kept = DeclaredPattern::new(pattern);
    let own = PlaceholderRules::default().with_pattern(Some(pattern));
    for rules in [
        PlaceholderRules::default().with_compiled_pattern(Some(&kept)),
        own,
    ] {
        assert!(validate_path_placeholder("id", "C0018787", &rules).is_ok());
        assert_eq!(
            allocations(|| validate_path_placeholder("id", "C0018787", &rules)),
            0
        );
    }
}

#[rstest]
#[case("/")]
#[case("/v1/projects/proofmark/items/C0018787/revisions/12")]
#[case("/v1/a%20b/caf%C3%A9/%E9")]
#[case(&format!("/v1/{}/x", "\u{1F600}".repeat(256)))]
#[case("/日本語/é")]
fn accepting_a_target_allocates_nothing(#[case] path: &str) {
    let target = format!("{path}?next=https://example.test/%20é");
    assert!(validate_resolved_path(path).is_ok() && validate_resolved_target(&target).is_ok());
    assert_eq!(allocations(|| validate_resolved_path(path)), 0);
    assert_eq!(allocations(|| validate_resolved_target(&target)), 0);
    assert_eq!(allocations(|| ResolvedPath::from_checked(&target)), 0);
}

#[test]
fn a_refusal_is_counted() {
    let rules = PlaceholderRules::default();
    assert!(allocations(|| validate_path_placeholder("id", "..", &rules)) > 0);
}
