//! Leashes whose authority forms no lattice, or does not survive being written down.

use std::collections::BTreeMap;

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{
    CaveatSpec, CountSpec, Denial, Leash, ScopeSpec, ToolkitLeash,
};
use serde_json::Value;

use super::altered::{Altered, SOUND, subject};
use super::lat;
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_meet_alone();
    specimens.extend(of_bounds());
    specimens.extend(of_orders());
    specimens.extend(of_fences());
    specimens.extend(of_text());
    specimens.extend(of_entries());
    specimens
}

fn of_meet_alone() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, LeashProfile::new().meet(), altered);
    vec![
        Specimen::new(
            lat(1),
            "takes the first of two lists of hosts for what both have in common",
            subject(
                "leash_meet_prefers_the_first",
                Altered {
                    meet: |a, b, sound| match (&a.net, &b.net) {
                        (ScopeSpec::Only(_), ScopeSpec::Only(_)) => CaveatSpec {
                            net: a.net.clone(),
                            ..sound
                        },
                        _ => sound,
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(1),
            "adds two numbers of calls up",
            subject(
                "leash_meet_adds_calls",
                Altered {
                    meet: |a, b, sound| match (a.max_calls, b.max_calls) {
                        (CountSpec::AtMost(mine), CountSpec::AtMost(theirs)) => CaveatSpec {
                            max_calls: CountSpec::AtMost(mine.saturating_add(theirs)),
                            ..sound
                        },
                        _ => sound,
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(1),
            "finds nothing in common with programs that are unrestricted",
            subject(
                "leash_meet_loses_the_top",
                Altered {
                    meet: |a, b, sound| {
                        if a.exec.is_restricted() == b.exec.is_restricted() {
                            return sound;
                        }
                        CaveatSpec {
                            exec: ScopeSpec::none(),
                            ..sound
                        }
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

fn of_bounds() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, LeashProfile::new().meet().leq(), altered);
    let meeting = |name, meet: fn(&CaveatSpec, &CaveatSpec, CaveatSpec) -> CaveatSpec| {
        subject(name, Altered { meet, ..SOUND })
    };
    vec![
        Specimen::new(
            lat(2),
            "takes the larger of two numbers of calls",
            meeting("leash_meet_takes_more_calls", |a, b, sound| {
                match (a.max_calls, b.max_calls) {
                    (CountSpec::AtMost(mine), CountSpec::AtMost(theirs)) => CaveatSpec {
                        max_calls: CountSpec::AtMost(mine.max(theirs)),
                        ..sound
                    },
                    _ => sound,
                }
            }),
        )
        .also(
            lat(3),
            "a lower number is below a higher one, and yet their meet is the higher one",
        ),
        Specimen::new(
            lat(2),
            "finds nothing in common where neither list of hosts lies within the other",
            meeting("leash_meet_drops_overlaps", |a, b, sound| {
                if a.net.leq(&b.net) || b.net.leq(&a.net) {
                    return sound;
                }
                let net = ScopeSpec::none();
                CaveatSpec { net, ..sound }
            }),
        )
        .also(
            lat(1),
            "of two overlapping lists and one within both, it matters which two are met first",
        ),
    ]
}

fn of_orders() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, LeashProfile::new().meet().leq(), altered);
    vec![
        Specimen::new(
            lat(3),
            "takes a bound of no calls for one that bounds nothing",
            subject(
                "leash_order_takes_none_for_unlimited",
                Altered {
                    meet: |a, b, sound| CaveatSpec {
                        max_calls: unless_none(a.max_calls, b.max_calls),
                        ..sound
                    },
                    leq: |a, b, _| {
                        let max_calls = CountSpec::Unlimited;
                        let rest = CaveatSpec {
                            max_calls,
                            ..b.clone()
                        };
                        let calls = unless_none(a.max_calls, b.max_calls) == a.max_calls;
                        calls && a.leq(&rest)
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(3),
            "compares all but the hosts",
            subject(
                "leash_order_forgets_hosts",
                Altered {
                    leq: |a, b, _| {
                        let net = ScopeSpec::All;
                        let b = b.clone();
                        a.leq(&CaveatSpec { net, ..b })
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

/// The lower of both, where none is not the lowest but nearly the highest.
fn unless_none(a: CountSpec, b: CountSpec) -> CountSpec {
    let none = CountSpec::AtMost(0);
    match (a, b) {
        (bound, other) if bound == none && other != CountSpec::Unlimited => other,
        (other, bound) if bound == none && other != CountSpec::Unlimited => other,
        (a, b) => a.meet(b),
    }
}

fn of_fences() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, LeashProfile::new().fence_strength(), altered);
    vec![
        Specimen::new(
            lat(4),
            "takes a fence for as strong as its strongest side",
            subject(
                "leash_fence_takes_the_strongest",
                Altered {
                    fence: |fence, _| {
                        let axes = [fence.fs_read, fence.fs_write, fence.exec, fence.net];
                        axes.into_iter().flatten().max()
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(4),
            "takes a fence for as strong as the first of its sides",
            subject(
                "leash_fence_takes_the_first",
                Altered {
                    fence: |fence, _| {
                        let axes = [fence.fs_read, fence.fs_write, fence.exec, fence.net];
                        axes.into_iter().flatten().next()
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(4),
            "orders the strengths from strong to weak",
            subject(
                "leash_orders_strengths_backwards",
                Altered {
                    compare: |_, _, sound| sound.reverse(),
                    ..SOUND
                },
            ),
        ),
    ]
}

fn of_text() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, LeashProfile::new().serialised(), altered);
    vec![
        Specimen::new(
            lat(5),
            "takes an axis that is missing for unrestricted, and leaves out what it does not know",
            subject(
                "leash_reads_missing_as_all",
                Altered {
                    read: completed,
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(5),
            "keeps the last of several axes of one name",
            subject(
                "leash_reads_the_last_axis",
                Altered {
                    read: |text| {
                        let last: BTreeMap<String, Value> =
                            serde_json::from_str(text).map_err(Denial::new)?;
                        read_axes(&last)
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(5),
            "writes a number of calls in 32 bits",
            subject(
                "leash_writes_calls_short",
                Altered {
                    write: |authority, sound| {
                        let CountSpec::AtMost(calls) = authority.max_calls else {
                            return sound;
                        };
                        let max_calls = CountSpec::AtMost(calls & u64::from(u32::MAX));
                        let short = CaveatSpec {
                            max_calls,
                            ..authority.clone()
                        };
                        ToolkitLeash.write(&short).unwrap_or(sound)
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

fn of_entries() -> Vec<Specimen> {
    let subject = |name, altered| subject(name, LeashProfile::new().serialised(), altered);
    vec![
        Specimen::new(
            lat(5),
            "passes over what looks like a note",
            subject(
                "leash_passes_over_notes",
                Altered {
                    read: without_notes,
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lat(5),
            "takes the blanks around an entry away",
            subject(
                "leash_trims_entries",
                Altered {
                    read: |text| {
                        let mut read = ToolkitLeash.read(text)?;
                        if let ScopeSpec::Only(hosts) = &mut read.net {
                            *hosts = hosts.iter().map(|host| host.trim().to_owned()).collect();
                        }
                        Ok(read)
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

/// What is read where members that begin with `_` or `$` are left out.
fn without_notes(text: &str) -> Result<CaveatSpec, Denial> {
    let Ok(Value::Object(mut axes)) = serde_json::from_str(text) else {
        return ToolkitLeash.read(text);
    };
    let all = axes.len();
    axes.retain(|name, _| !name.starts_with(['_', '$']));
    if axes.len() == all {
        return ToolkitLeash.read(text);
    }
    ToolkitLeash.read(&Value::Object(axes).to_string())
}

/// The axes of that text, over those of an unrestricted authority.
fn completed(text: &str) -> Result<CaveatSpec, Denial> {
    let top = ToolkitLeash.write(&CaveatSpec::top())?;
    let mut axes: BTreeMap<String, Value> = serde_json::from_str(&top).map_err(Denial::new)?;
    let said: BTreeMap<String, Value> = serde_json::from_str(text).map_err(Denial::new)?;
    for (axis, scope) in said {
        axes.entry(axis).and_modify(|kept| *kept = scope);
    }
    read_axes(&axes)
}

fn read_axes(axes: &BTreeMap<String, Value>) -> Result<CaveatSpec, Denial> {
    ToolkitLeash.read(&serde_json::to_string(axes).map_err(Denial::new)?)
}
