//! Prints the medians of both sides for the path half, and our share of the peer's time.

use std::borrow::Cow;
use std::hint::black_box;

use pmcp::server::schema_validation as peer;
use pmcp_code_mode::PathPart as PeerPart;
use proofmark::path as ours;
use proofmark_peers::measure::{Comparison, compare};
use proofmark_peers::plan::{one_call, run_deaf};
use serde_json::{Value, json};

/// A value to be judged, repeated to its length.
struct Work {
    name: &'static str,
    goal: Option<f64>,
    unit: &'static str,
    count: usize,
    pattern: Option<&'static str>,
}

const VALUES: &[Work] = &[
    floor("floor, 8 bytes", Some(0.6), "C0018787", 1),
    floor("floor, 200 bytes", Some(0.15), "C0018787", 25),
    floor("floor, 200 bytes with dots", None, "C001.787", 25),
    floor("floor, 200 bytes with escapes", None, "C0%20787", 25),
    floor("floor, 198 bytes of Japanese", None, "日本", 33),
    pattern(Some(0.15), "C0018787", "^C[0-9]+$"),
    Work {
        name: "^C[0-9]+$, refused",
        ..pattern(None, "X0018787", "^C[0-9]+$")
    },
    pattern(None, "C0018787", r"^(?:C|D)\d+$"),
    pattern(None, "C0018787", "^(?!x).*$"),
];

const fn floor(name: &'static str, goal: Option<f64>, unit: &'static str, count: usize) -> Work {
    Work {
        name,
        goal,
        unit,
        count,
        pattern: None,
    }
}

const fn pattern(goal: Option<f64>, value: &'static str, pattern: &'static str) -> Work {
    Work {
        name: pattern,
        goal,
        unit: value,
        count: 1,
        pattern: Some(pattern),
    }
}

const TARGETS: &[(&str, Option<f64>, &str)] = &[
    (
        "target, 50 bytes",
        Some(0.3),
        "/v1/projects/proofmark/items/C0018787/revisions/12",
    ),
    (
        "target, 50 bytes with a query",
        None,
        "/v1/projects/proofmark/items/C0018787?revision=123",
    ),
    (
        "target, 50 bytes with escapes",
        None,
        "/v1/projects/proof%20mark/items/C0018787/revisions",
    ),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<32} {:>9} {:>9} {:>7} {:>7}",
        "work", "ours ns", "peer ns", "ratio", "goal"
    );
    for work in VALUES {
        let seen = value(&work.unit.repeat(work.count), work.pattern);
        report(work.name, work.goal, seen);
    }
    for (work, goal, path) in TARGETS {
        report(work, *goal, target(path));
    }
    report("resolve one call", None, resolution()?);
    Ok(())
}

fn report(work: &str, goal: Option<f64>, seen: Comparison) {
    let goal = goal.map_or_else(String::new, |goal| format!("{goal:.2}"));
    println!(
        "{work:<32} {:>9.1} {:>9.1} {:>7.3} {goal:>7}",
        seen.ours,
        seen.peer,
        seen.ratio()
    );
}

fn value(value: &str, pattern: Option<&str>) -> Comparison {
    let our_rules = ours::PlaceholderRules::default().with_pattern(pattern);
    let peer_rules = peer::PlaceholderRules::default().with_pattern(pattern);
    compare(
        || ours::validate_path_placeholder("id", black_box(value), black_box(&our_rules)).is_ok(),
        || peer::validate_path_placeholder("id", black_box(value), black_box(&peer_rules)).is_ok(),
    )
}

fn target(path: &str) -> Comparison {
    compare(
        || ours::validate_resolved_target(black_box(path)).is_ok(),
        || peer::validate_resolved_target(black_box(path)).is_ok(),
    )
}

/// Ours resolves; the peer has no public function for that, so it runs a whole plan of one call on
/// an executor that does nothing.
fn resolution() -> Result<Comparison, Box<dyn std::error::Error>> {
    let body = json!({"id": "C0018787", "full": true, "limit": 10});
    let kind = json!("items");
    let template = ours::PathTemplate::parse("/v1/${kind}/{id}?full={full}")?;
    let plan = one_call(
        vec![
            PeerPart::Literal("/v1/".to_owned()),
            PeerPart::Variable("kind".to_owned()),
            PeerPart::Literal("/{id}?full={full}".to_owned()),
        ],
        Some(body.clone()),
    );
    let variables = [("kind", kind.clone())];
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(compare(
        || {
            template.resolve(
                "POST",
                |_| Some(Cow::Borrowed(&kind)),
                |_, _, _| ours::PlaceholderRules::default(),
                Some(body.clone()),
            )
        },
        || -> Result<Value, _> { runtime.block_on(run_deaf(&plan, &variables)) },
    ))
}
