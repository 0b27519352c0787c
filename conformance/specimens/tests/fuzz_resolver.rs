//! The fuzz bodies for resolvers on a stable compiler: the committed corpora, conforming resolvers
//! that must not be accused, and faults that must be found.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod corpus;

use proofmark_conformance::fuzz::{ResolverFuzzer, Violation};
use proofmark_conformance::subject::{ResolverSubject, View};
use proofmark_specimens::{find_resolver, look_alikes, reference_resolvers};
use rstest::rstest;

use self::corpus::{bytes, committed};

type Body = fn(&ResolverFuzzer, &[u8]) -> Result<(), Violation>;

const BODIES: [(&str, Body); 3] = [
    ("placeholder", ResolverFuzzer::placeholder),
    ("query_separator", ResolverFuzzer::query_separator),
    ("composed_target", ResolverFuzzer::composed_target),
];

fn fuzzer(subject: ResolverSubject) -> ResolverFuzzer {
    ResolverFuzzer::new(subject).strictly()
}

#[test]
fn the_corpora_are_what_this_test_writes_and_break_no_reference_resolver() {
    let fuzzers: Vec<ResolverFuzzer> = reference_resolvers().into_iter().map(fuzzer).collect();
    for (name, body) in BODIES {
        for seed in committed(name, 32, 16, 2) {
            for fuzzer in &fuzzers {
                // The targets' first byte chooses among subjects.
                body(fuzzer, &seed[1..]).unwrap();
            }
        }
    }
}

#[test]
fn no_conforming_resolver_breaks_a_promise_under_fuzzing() {
    let look_alikes =
        look_alikes()
            .into_iter()
            .filter_map(|look_alike| match look_alike.subject.view() {
                View::Resolver(resolver) => Some(resolver.clone()),
                _ => None,
            });
    let resolvers: Vec<ResolverSubject> = reference_resolvers()
        .into_iter()
        .chain(look_alikes)
        .collect();
    assert!(resolvers.len() > 10);
    for subject in resolvers {
        let name = subject.name().to_owned();
        let found = fuzzer(subject).hunt(inputs(400));
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

/// More where `PROOFMARK_CASES` asks for more.
fn inputs(usual: u64) -> u64 {
    let asked = std::env::var("PROOFMARK_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

#[rstest]
#[case("admits_empty_values", "PATH-01")]
#[case("admits_slashes", "PATH-02")]
#[case("overlooks_delete", "PATH-02")]
#[case("reads_lower_case_escapes", "PATH-03")]
#[case("admits_double_escapes", "PATH-03")]
#[case("compares_dots_as_text", "PATH-04")]
#[case("admits_a_single_dot", "PATH-04")]
#[case("asks_the_pattern_alone", "PATH-06")]
#[case("widens_the_cap", "PATH-07")]
#[case("ignores_declared_lengths", "PATH-07")]
#[case("drops_broken_patterns", "PATH-08")]
#[case("allows_backslashes_too", "PATH-09")]
#[case("trusts_allow_reserved", "PATH-09")]
#[case("measures_no_segments", "PATH-10")]
#[case("admits_two_question_marks", "PATH-11")]
#[case("replaces_in_turn", "PATH-12")]
#[case("sends_what_it_has", "PATH-13")]
#[case("takes_keys_first", "PATH-13")]
#[case("skips_null_segments", "PATH-14")]
#[case("joins_lists", "PATH-14")]
#[case("cuts_fractions", "PATH-14")]
#[case("quotes_the_value", "PATH-15")]
#[case("finds_any_method", "PATH-16")]
#[case("looks_up_before_interpolation", "PATH-17")]
#[case("keeps_used_keys", "PATH-18")]
#[case("takes_nested_keys", "PATH-18")]
#[case("loses_falsy_members", "PATH-18")]
#[case("asks_for_no_slash", "PATH-19")]
#[case("trusts_variables", "PATH-20")]
#[case("trusts_variables_of_queries", "PATH-20")]
#[case("admits_ampersands", "PATH-21")]
#[case("admits_equals_signs", "PATH-21")]
#[case("knows_no_folds", "PATH-22")]
#[case("reads_variables_as_template", "PATH-24")]
#[case("sends_undefined", "PATH-25")]
#[case("finds_any_case", "PATH-25")]
#[case("allows_slashes_undescribed", "PATH-26")]
#[case("sends_plus_signs", "PATH-27")]
#[case("escapes_plus_signs", "PATH-27")]
fn a_planted_fault_is_found(#[case] specimen: &str, #[case] requirement: &str) {
    let fuzzer = fuzzer(find_resolver(specimen).unwrap());
    let found = (0..4_000).find_map(|seed| {
        let data = bytes(seed, 64);
        BODIES.iter().find_map(|(_, body)| {
            let violation = body(&fuzzer, &data).err()?;
            (violation.requirement.to_string() == requirement).then_some(violation)
        })
    });
    let found = found.unwrap();
    // It is the smallest that shows it, and long ones are cut.
    assert!(found.steps[0].chars().count() < 600, "{found:?}");
}
