//! Differences over a composed target.

use super::fold::folds;
use super::{StatedDifference, path_half};
use crate::case::{Case, Verdict};

pub fn stated() -> Vec<StatedDifference> {
    vec![
        target_without_a_leading_slash(),
        look_alike_in_the_path_half(),
        shape_of_the_query_half(),
    ]
}

fn target_without_a_leading_slash() -> StatedDifference {
    StatedDifference {
        name: "target without a leading slash",
        reason: "PATH-19: joined to a base, it could name a scheme, an authority or a port",
        smallest: Case::Target("a".to_owned()),
        ours: "pathSegment",
        peer: "ok",
        explains: |case, ours, _| {
            matches!(case, Case::Target(path) if !path.starts_with('/'))
                && *ours == Verdict::Refused("pathSegment")
        },
    }
}

fn look_alike_in_the_path_half() -> StatedDifference {
    StatedDifference {
        name: "look-alike in the path half",
        reason: "PATH-22, for what values compose to",
        smallest: Case::Target("/．".to_owned()),
        ours: "pathSegment",
        peer: "ok",
        explains: |case, ours, _| {
            matches!(case, Case::Target(path) if path.starts_with('/') && folds(path_half(path)))
                && *ours == Verdict::Refused("pathSegment")
        },
    }
}

fn shape_of_the_query_half() -> StatedDifference {
    StatedDifference {
        name: "shape of the query half",
        reason: "PATH-23: a query has no segments, so a query value may be a URL or end in a slash",
        smallest: Case::Target("/?.".to_owned()),
        ours: "ok",
        peer: "pathSegment",
        explains: |case, ours, peer| {
            let only_the_query = |path: &str| {
                path.contains('?') && !Case::Target(path_half(path).to_owned()).peer().is_refusal()
            };
            matches!(case, Case::Target(path) if only_the_query(path))
                && *ours == Verdict::Accepted
                && matches!(peer, Verdict::Refused("pathSegment" | "segmentMaxLength"))
        },
    }
}
