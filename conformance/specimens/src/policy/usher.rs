//! A stateless policy that allows what lies below one path; and that policy with one fault at a
//! time.

use proofmark::policy::{PolicyRefusal, policy_fn};
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;
use url::Url;

use super::pol;
use crate::Specimen;

const PREFIX: [&str; 2] = ["v1", "models"];

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    FindsItAnywhere,
    EndsWithinSegment,
}

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(22),
            "looks for the allowed segments anywhere in the path",
            subject("finds_the_prefix_anywhere", Fault::FindsItAnywhere),
        )
        .also(
            pol(12),
            "a path with a segment before the allowed ones lies outside the declared set",
        ),
        Specimen::new(
            pol(12),
            "does not look how the last segment of the prefix goes on",
            subject("ends_the_prefix_within_a_segment", Fault::EndsWithinSegment),
        ),
    ]
}

fn subject(name: &str, fault: Fault) -> PolicySubject {
    let profile = PolicyProfile::new()
        .stateless()
        .prefixes(["https://api.example.test/v1/models"]);
    PolicySubject::new(name, profile, move || {
        policy_fn(move |request| {
            if is_below(request.path, fault) {
                Ok(())
            } else {
                Err(PolicyRefusal::new("the endpoint is not allowed"))
            }
        })
    })
}

fn is_below(written: &str, fault: Fault) -> bool {
    let Ok(url) = Url::parse(written) else {
        return false;
    };
    let plain = !written.contains(['%', ';', '\\', '@', '#']) && !url.path().contains("//");
    let segments: Vec<&str> = url.path_segments().into_iter().flatten().collect();
    let below = match fault {
        Fault::FindsItAnywhere => segments.windows(2).any(|pair| pair == PREFIX),
        Fault::EndsWithinSegment => {
            segments.first() == Some(&PREFIX[0])
                && segments.get(1).is_some_and(|s| s.starts_with(PREFIX[1]))
        }
    };
    plain && below && url.origin().ascii_serialization() == "https://api.example.test"
}
