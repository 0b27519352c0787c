//! Differences over gates, floors, serialised caveats and fences.

use proofmark::leash::{AxisEnforcement, CountBound, SandboxKind, Scope};
use serde_json::{Map, Value};

use super::StatedDifference;
use crate::case::{Call, Case, Fence, Question, Session};

const AXES: [&str; 6] = [
    "fs_read",
    "fs_write",
    "exec",
    "net",
    "max_calls",
    "valid_for_generation",
];

pub fn stated() -> Vec<StatedDifference> {
    vec![
        uncounted_calls(),
        lowered_floor(),
        unknown_axis(),
        pinned_program(),
        socket_grant(),
        sandbox_of_another_maker(),
    ]
}

fn uncounted_calls() -> StatedDifference {
    let call = |max_calls| Call {
        max_calls,
        generations: Scope::All,
        exec: [Scope::All, Scope::All],
    };
    StatedDifference {
        name: "the calls of a grant",
        reason: "LSH-03: the tighter of the gate's bound and the grant's counts",
        smallest: Case::Session(Session {
            generation: 0,
            budget: None,
            calls: vec![call(CountBound::Unlimited), call(CountBound::AtMost(1))],
        }),
        ours: r#"["none","advisory",{"fs_read":"all","fs_write":"all","exec":"all","net":"all","max_calls":"unlimited","valid_for_generation":"all"}]
budget"#,
        peer: r#"["none","advisory",{"fs_read":"all","fs_write":"all","exec":"all","net":"all","max_calls":"unlimited","valid_for_generation":"all"}]
["none","advisory",{"fs_read":"all","fs_write":"all","exec":"all","net":"all","max_calls":{"at_most":1},"valid_for_generation":"all"}]"#,
        explains: |case, ours, peer| {
            // The first call on which they differ has a grant for no more than have passed.
            let Case::Session(session) = case else {
                return false;
            };
            let ours: Vec<_> = ours.lines().collect();
            let differs = ours
                .iter()
                .zip(peer.lines())
                .position(|(ours, peer)| *ours != peer);
            differs.is_some_and(|at| {
                let passed = ours[..at]
                    .iter()
                    .filter(|line| line.starts_with('['))
                    .count();
                ours[at] == "budget"
                    && matches!(session.calls[at].max_calls, CountBound::AtMost(most)
                        if most > 0 && most <= passed as u64)
            })
        },
    }
}

fn lowered_floor() -> StatedDifference {
    StatedDifference {
        name: "a floor below the present one",
        reason: "LSH-11: the floor is only ever raised",
        smallest: Case::Floors(vec![
            AxisEnforcement::Interceptor,
            AxisEnforcement::Advisory,
        ]),
        ours: r#""interceptor""#,
        peer: r#""advisory""#,
        explains: |case, _, _| {
            matches!(case, Case::Floors(floors)
                if floors.iter().max().is_some_and(|highest| floors.last() < Some(highest)))
        },
    }
}

fn unknown_axis() -> StatedDifference {
    StatedDifference {
        name: "an unknown axis",
        reason: "LAT-05: a misspelt axis must not read as an unrestricted one",
        smallest: Case::Document(
            r#"{"fs_read":"all","fs_write":"all","exec":"all","net":"all","max_calls":"unlimited","valid_for_generation":"all","":0}"#
                .to_owned(),
        ),
        ours: "deny",
        peer: r#"{"fs_read":"all","fs_write":"all","exec":"all","net":"all","max_calls":"unlimited","valid_for_generation":"all"}"#,
        explains: |case, ours, peer| {
            // Without the unknown axes both read what the peer reads.
            let Case::Document(text) = case else {
                return false;
            };
            let Ok(mut axes) = serde_json::from_str::<Map<String, Value>>(text) else {
                return false;
            };
            let all = axes.len();
            axes.retain(|axis, _| AXES.contains(&axis.as_str()));
            let known = Case::Document(Value::Object(axes.clone()).to_string());
            axes.len() < all && ours == "deny" && known.ours() == peer && known.peer() == peer
        },
    }
}

fn pinned_program() -> StatedDifference {
    StatedDifference {
        name: "a program granted by its path, without a sandbox",
        reason: "LSH-11: nothing holds a started program to exactly that file",
        smallest: Case::Fence(Fence {
            exec: Some(vec!["/".to_owned()]),
            ..unrestricted(Question::Start, SandboxKind::None)
        }),
        ours: "deny",
        peer: "allow",
        explains: |case, ours, _| {
            fence(case).is_some_and(|fence| {
                fence.question == Question::Start
                    && fence.sandbox == SandboxKind::None
                    && grants(&fence.exec).any(|program| program.contains('/'))
            }) && ours == "deny"
        },
    }
}

fn socket_grant() -> StatedDifference {
    StatedDifference {
        name: "a grant of a socket by its path",
        reason: "LSH-06: a host is granted as spelt; sockets are on no axis of the leash",
        smallest: Case::Fence(Fence {
            net: Some(vec!["unix:".to_owned()]),
            ..unrestricted(Question::Start, SandboxKind::None)
        }),
        ours: "allow",
        peer: "deny",
        explains: |case, _, _| {
            fence(case)
                .is_some_and(|fence| grants(&fence.net).any(|host| host.starts_with("unix:")))
        },
    }
}

fn sandbox_of_another_maker() -> StatedDifference {
    StatedDifference {
        name: "a sandbox of another maker",
        reason: "LSH-12: what enforces a restricted axis in the kernel is in force",
        smallest: Case::Fence(Fence {
            exec: Some(Vec::new()),
            ..unrestricted(Question::InForce, SandboxKind::MicroVm)
        }),
        ours: r#""micro_vm""#,
        peer: r#""none""#,
        explains: |case, _, peer| {
            let others = [SandboxKind::MinimalRootfs, SandboxKind::MicroVm];
            fence(case).is_some_and(|fence| {
                fence.question == Question::InForce && others.contains(&fence.sandbox)
            }) && peer == r#""none""#
        },
    }
}

fn unrestricted(question: Question, sandbox: SandboxKind) -> Fence {
    Fence {
        question,
        files: None,
        exec: None,
        net: None,
        sandbox,
        floor: AxisEnforcement::Advisory,
    }
}

fn fence(case: &Case) -> Option<&Fence> {
    match case {
        Case::Fence(fence) => Some(fence),
        _ => None,
    }
}

fn grants(axis: &Option<Vec<String>>) -> impl Iterator<Item = &String> {
    axis.iter().flatten()
}
