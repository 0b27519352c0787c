//! The fuzz bodies for leashes on a stable compiler: the committed corpora, and faults they must
//! find.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

mod corpus;

use proofmark_conformance::fuzz::{Violation, leash_exec, leash_lattice, leash_paths};
use proofmark_conformance::subject::{LeashSubject, View};
use proofmark_specimens::{find_leash, look_alikes, reference_leash};
use rstest::rstest;

use self::corpus::{bytes, committed};

type Body = fn(&[u8], &LeashSubject) -> Result<(), Violation>;

#[rstest]
#[case("leash_paths", leash_paths)]
#[case("leash_lattice", leash_lattice)]
#[case("leash_exec", leash_exec)]
fn the_corpus_is_what_this_test_writes_and_the_toolkits_leash_breaks_no_promise(
    #[case] target: &str,
    #[case] body: Body,
) {
    let leash = reference_leash();
    for seed in committed(target, 32, 24, 5) {
        body(&seed, &leash).unwrap();
    }
    for index in 32..800 {
        body(&bytes(index, 160), &leash).unwrap();
    }
}

#[test]
fn no_conforming_leash_breaks_a_promise_under_fuzzing() {
    let look_alikes = look_alikes();
    let leashes = look_alikes
        .iter()
        .filter_map(|look_alike| match look_alike.subject.view() {
            View::Leash(leash) => Some(leash),
            _ => None,
        });
    for leash in leashes {
        for body in [leash_paths, leash_lattice, leash_exec] {
            for seed in 0..200 {
                let found = body(&bytes(seed, 160), leash);
                assert!(found.is_ok(), "{}: {found:?}", leash.name());
            }
        }
    }
}

#[rstest]
#[case(leash_paths, "leash_trusts_the_last_component", "LSH-07")]
#[case(leash_paths, "leash_contains_by_text", "LSH-07")]
#[case(leash_paths, "leash_trusts_a_trailing_slash", "LSH-07")]
#[case(leash_paths, "leash_takes_a_dangling_link_for_new", "LSH-08")]
#[case(leash_paths, "leash_climbs_out_of_nothing", "LSH-08")]
#[case(leash_paths, "leash_keeps_dead_grants", "LSH-08")]
#[case(leash_paths, "leash_reads_what_it_may_write", "LSH-09")]
#[case(leash_paths, "leash_writes_what_it_may_read", "LSH-09")]
#[case(leash_paths, "leash_denies_every_link", "LSH-15")]
#[case(leash_paths, "leash_leaves_grants_unresolved", "LSH-15")]
#[case(leash_lattice, "leash_meet_prefers_the_first", "LAT-01")]
#[case(leash_lattice, "leash_meet_adds_calls", "LAT-01")]
#[case(leash_lattice, "leash_meet_takes_more_calls", "LAT-02")]
#[case(leash_lattice, "leash_meet_drops_overlaps", "LAT-01 or LAT-02")]
#[case(leash_lattice, "leash_order_forgets_hosts", "LAT-03")]
#[case(leash_lattice, "leash_fence_takes_the_strongest", "LAT-04")]
#[case(leash_lattice, "leash_orders_strengths_backwards", "LAT-04")]
#[case(leash_lattice, "leash_reads_missing_as_all", "LAT-05")]
#[case(leash_lattice, "leash_reads_the_last_axis", "LAT-05")]
#[case(leash_lattice, "leash_writes_calls_short", "LAT-05")]
#[case(leash_lattice, "leash_forgets_the_needed_calls", "LSH-02")]
#[case(leash_lattice, "leash_charges_stale_calls", "LSH-03")]
#[case(leash_lattice, "leash_stops_only_at_its_limit", "LSH-03")]
#[case(leash_exec, "leash_folds_programs", "LSH-05")]
#[case(leash_exec, "leash_pins_nothing", "LSH-05")]
#[case(leash_exec, "leash_takes_subcommands", "LSH-05")]
#[case(leash_exec, "leash_matches_host_suffixes", "LSH-06")]
#[case(leash_exec, "leash_forgives_ports", "LSH-06")]
#[case(leash_exec, "leash_widens_its_clones", "LSH-10")]
#[case(leash_exec, "leash_reads_to_a_nul", "LSH-14")]
#[case(leash_exec, "leash_takes_no_hosts_for_all", "LSH-17")]
fn a_planted_fault_is_found(#[case] body: Body, #[case] specimen: &str, #[case] requirement: &str) {
    let leash = find_leash(specimen).unwrap();
    let found = (0..4_000).find_map(|seed| {
        let found = body(&bytes(seed, 200), &leash).err()?;
        Some((seed, found))
    });
    let (seed, found) = found.unwrap();
    println!("{specimen}: seed {seed}");
    assert!(
        requirement.contains(&found.requirement.to_string()),
        "{found}"
    );
}
