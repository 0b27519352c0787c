//! What fuzzing finds in `fill`, on a stable compiler and without a fuzzer to drive it.

#[path = "../fuzz/subject.rs"]
mod subject;

#[test]
fn the_holes_of_a_resolver_that_looks_careful_are_found() {
    let found = subject::fuzzer().hunt(1_000);

    for violation in &found {
        println!("{violation}");
    }
    let rows: Vec<String> = found
        .iter()
        .map(|violation| violation.requirement.to_string())
        .collect();
    for hole in ["PATH-02", "PATH-03", "PATH-04", "PATH-12", "PATH-21"] {
        assert!(rows.iter().any(|row| row == hole), "{hole} is not in {rows:?}");
    }
    // What it does look at is in order.
    assert!(!rows.iter().any(|row| row == "PATH-01"), "{rows:?}");
}
