//! The body of the `leash_lattice` target: three authorities and what a leash makes of them: their
//! meet and order, their text, the strength of a fence, and the calls that a gate authorises.
//!
//! Assumed correct: equality of authorities as plain data, the least of some strengths, a count of
//! calls, and `serde_json` as a reader of JSON. What two authorities have in common is not assumed:
//! a leash may keep the inner one of two folders. Laws are judged, not values.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use arbitrary::{Result as Drawn, Unstructured};
use serde_json::Value;

use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::profile::Capability;
use crate::subject::{
    CaveatSpec, CountSpec, FenceSpec, GateSpec, Leash, LeashSubject, ScopeSpec, Strength,
};

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

const fn lat(number: u8) -> RequirementId {
    RequirementId::new(Family::Lat, number)
}

const FOLDERS: &[&str] = &["/srv", "/srv/work", "/srv/work/a", "/tmp"];
const PROGRAMS: &[&str] = &["git", "/usr/bin/git", "ls"];
const HOSTS: &[&str] = &["api.example.test", "example.test", "a.test"];
const GENERATIONS: &[u64] = &[0, 1, 7, u64::MAX];
const COUNTS: &[u64] = &[0, 1, 2, 3, 1 << 33, u64::MAX];

/// Hands a fresh leash the authorities that `data` says.
///
/// ```
/// use proofmark_conformance::fuzz::leash_lattice;
/// use proofmark_conformance::profile::LeashProfile;
/// use proofmark_conformance::subject::{LeashSubject, ToolkitLeash};
///
/// let profile = LeashProfile::new().meet().leq().serialised();
/// leash_lattice(b"any bytes at all", &LeashSubject::new("toolkit", profile, || ToolkitLeash))?;
/// # Ok::<(), proofmark_conformance::fuzz::Violation>(())
/// ```
///
/// # Errors
///
/// The [`Violation`], where a law or a promise is broken.
pub fn leash_lattice(data: &[u8], subject: &LeashSubject) -> Result<(), Violation> {
    let offers = |capability| subject.capabilities().has(capability);
    let leash = subject.make();
    let leash = leash.as_ref();
    let mut data = Unstructured::new(data);
    // Data that ends too soon judges less.
    let Ok([a, b, c]) = authorities(&mut data) else {
        return Ok(());
    };
    if offers(Capability::Meet) {
        meets(leash, &a, &b, &c)?;
    }
    if offers(Capability::Meet) && offers(Capability::Leq) {
        orders(leash, &a, &b, &c)?;
    }
    if let (true, Ok(fence)) = (offers(Capability::FenceStrength), fence(&mut data)) {
        fences(leash, &fence)?;
    }
    if let (true, Ok(change)) = (offers(Capability::Serialised), data.int_in_range(0..=5)) {
        written(leash, &a)?;
        changed(leash, &a, change, data.arbitrary().unwrap_or_default())?;
    }
    authorised(leash, &a, &b)?;
    if offers(Capability::Generation) && offers(Capability::CallBudget) {
        spent(leash, &mut data)?;
    }
    Ok(())
}

/// Two authorities, and a third one that is often below both.
fn authorities(data: &mut Unstructured<'_>) -> Drawn<[CaveatSpec; 3]> {
    let (a, b) = (authority(data)?, authority(data)?);
    let mut c = match data.int_in_range(0..=3)? {
        0 => authority(data)?,
        1 => a.clone(),
        2 => b.clone(),
        _ => a.meet(&b),
    };
    if data.arbitrary()? {
        c = c.meet(&authority(data)?);
    }
    Ok([a, b, c])
}

fn authority(data: &mut Unstructured<'_>) -> Drawn<CaveatSpec> {
    Ok(CaveatSpec {
        fs_read: scope(data, FOLDERS, |folder| (*folder).to_owned())?,
        fs_write: scope(data, FOLDERS, |folder| (*folder).to_owned())?,
        exec: scope(data, PROGRAMS, |program| (*program).to_owned())?,
        net: scope(data, HOSTS, |host| (*host).to_owned())?,
        max_calls: match data.choose(COUNTS)? {
            _ if data.arbitrary()? => CountSpec::Unlimited,
            count => CountSpec::AtMost(*count),
        },
        generations: scope(data, GENERATIONS, |generation| *generation)?,
    })
}

fn scope<N, T: Ord>(
    data: &mut Unstructured<'_>,
    names: &[N],
    item: impl Fn(&N) -> T,
) -> Drawn<ScopeSpec<T>> {
    let kept: u8 = data.arbitrary()?;
    if kept & 0xc0 == 0 {
        return Ok(ScopeSpec::All);
    }
    let kept = names
        .iter()
        .enumerate()
        .filter(|(at, _)| kept & (1 << at) != 0);
    let items: BTreeSet<T> = kept.map(|(_, name)| item(name)).collect();
    Ok(ScopeSpec::Only(items))
}

fn broken(requirement: RequirementId, law: &str, of: &[(&str, &CaveatSpec)]) -> Violation {
    Violation {
        requirement,
        steps: of
            .iter()
            .map(|(name, is)| format!("{name} = {is}"))
            .collect(),
        seen: law.to_owned(),
    }
}

fn meets(
    leash: &dyn Leash,
    a: &CaveatSpec,
    b: &CaveatSpec,
    c: &CaveatSpec,
) -> Result<(), Violation> {
    let meet = |a: &CaveatSpec, b: &CaveatSpec| leash.meet(a, b).ok();
    let operands = [("a", a), ("b", b), ("c", c)];
    let law = |holds: bool, law: &str| {
        if holds {
            Ok(())
        } else {
            Err(broken(lat(1), law, &operands))
        }
    };
    let (Some(ab), Some(ba), Some(bc)) = (meet(a, b), meet(b, a), meet(b, c)) else {
        return Ok(());
    };
    law(meet(a, a).as_ref() == Some(a), "a ⊓ a is not a")?;
    law(ab == ba, "a ⊓ b is not b ⊓ a")?;
    law(
        meet(&ab, c) == meet(a, &bc),
        "(a ⊓ b) ⊓ c is not a ⊓ (b ⊓ c)",
    )?;
    let top = CaveatSpec::top();
    law(meet(&top, a).as_ref() == Some(a), "⊤ ⊓ a is not a")?;
    law(meet(a, &top).as_ref() == Some(a), "a ⊓ ⊤ is not a")
}

fn orders(
    leash: &dyn Leash,
    a: &CaveatSpec,
    b: &CaveatSpec,
    c: &CaveatSpec,
) -> Result<(), Violation> {
    let leq = |a: &CaveatSpec, b: &CaveatSpec| leash.leq(a, b).ok();
    let operands = [("a", a), ("b", b), ("c", c)];
    let law = |row, holds: bool, law: &str| {
        if holds {
            Ok(())
        } else {
            Err(broken(row, law, &operands))
        }
    };
    let (Some(ab), Some(ba), Some(ca), Some(cb)) = (leq(a, b), leq(b, a), leq(c, a), leq(c, b))
    else {
        return Ok(());
    };
    law(lat(3), leq(a, a) == Some(true), "a ≤ a does not hold")?;
    law(
        lat(3),
        leq(a, &CaveatSpec::top()) == Some(true),
        "a ≤ ⊤ does not hold",
    )?;
    law(
        lat(3),
        !(ab && ba) || a == b,
        "a ≤ b and b ≤ a, and yet they differ",
    )?;
    law(lat(3), !(ca && ab) || cb, "c ≤ a and a ≤ b, but not c ≤ b")?;
    let Some(met) = leash.meet(a, b).ok() else {
        return Ok(());
    };
    law(
        lat(3),
        ab == (met == *a),
        "a ≤ b and a ⊓ b = a do not agree",
    )?;
    law(
        lat(2),
        leq(&met, a) == Some(true),
        "a ⊓ b ≤ a does not hold",
    )?;
    law(
        lat(2),
        leq(&met, b) == Some(true),
        "a ⊓ b ≤ b does not hold",
    )?;
    let below = !(ca && cb) || leq(c, &met) == Some(true);
    law(lat(2), below, "c is below a and b, but not below a ⊓ b")
}

fn fence(data: &mut Unstructured<'_>) -> Drawn<FenceSpec> {
    let mut axis = || -> Drawn<Option<Strength>> {
        let held = data.int_in_range(0..=3)?;
        Ok(Strength::ALL.get(held).copied())
    };
    Ok(FenceSpec {
        fs_read: axis()?,
        fs_write: axis()?,
        exec: axis()?,
        net: axis()?,
    })
}

fn fences(leash: &dyn Leash, fence: &FenceSpec) -> Result<(), Violation> {
    let broken = |seen: String| Violation {
        requirement: lat(4),
        steps: vec![format!("a fence with {fence}")],
        seen,
    };
    // What a fence without a restricted axis is worth, a leash decides.
    if let (Some(weakest), Some(said)) = (fence.weakest(), leash.fence_strength(fence).ok())
        && said != Some(weakest)
    {
        return Err(broken(format!(
            "said to be {said:?}, and its weakest axis is {weakest}"
        )));
    }
    let axes = [fence.fs_read, fence.fs_write, fence.exec, fence.net];
    for (a, b) in axes.iter().flatten().zip(axes.iter().rev().flatten()) {
        let said: Option<Ordering> = leash.compare(*a, *b).ok();
        if said.is_some_and(|said| said != a.cmp(b)) {
            return Err(broken(format!("{a} and {b} compare as {said:?}")));
        }
    }
    Ok(())
}

fn written(leash: &dyn Leash, a: &CaveatSpec) -> Result<(), Violation> {
    let Some(text) = leash.write(a).ok() else {
        return Ok(());
    };
    let read = leash.read(&text);
    if read.as_ref() == Ok(a) {
        return Ok(());
    }
    let mut found = broken(lat(5), "read back, it is not equal", &[("a", a)]);
    found.steps.push(format!("written: {text}"));
    found.steps.push(match read {
        Ok(read) => format!("read: {read}"),
        Err(denial) => format!("refused: {denial}"),
    });
    Err(found)
}

/// The text with one member changed reads as no more, and with an unknown name not at all.
fn changed(leash: &dyn Leash, a: &CaveatSpec, change: u8, at: u8) -> Result<(), Violation> {
    let Some(text) = leash.write(a).ok() else {
        return Ok(());
    };
    let Ok(Value::Object(axes)) = serde_json::from_str(&text) else {
        return Ok(());
    };
    let mut members: Vec<(String, String)> = axes
        .iter()
        .map(|(name, value)| (name.clone(), value.to_string()))
        .collect();
    if members.is_empty() {
        return Ok(());
    }
    let at = usize::from(at) % members.len();
    let name = members[at].0.clone();
    let unknown = match change {
        0 => {
            members[at].0 = name.to_uppercase();
            true
        }
        1 => {
            members[at].0 = format!("{name}x");
            true
        }
        2 => {
            members.push(("proofmark".to_owned(), "null".to_owned()));
            true
        }
        3 => {
            members.remove(at);
            false
        }
        4 => {
            // Twice, once unrestricted: whichever is kept, one of the two was not meant.
            let top = leash.write(&CaveatSpec::top()).unwrap_or_default();
            let top: Value = serde_json::from_str(&top).unwrap_or_default();
            members.push((name.clone(), top[&name].to_string()));
            false
        }
        _ => {
            members[at].1 = "null".to_owned();
            false
        }
    };
    let members = members
        .iter()
        .map(|(name, value)| format!("{}:{value}", Value::from(name.as_str())));
    let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let wrong = match leash.read(&text) {
        Ok(_) if unknown => "text with an unknown name is accepted",
        Ok(read) if !read.leq(a) => "changed text is accepted with more authority",
        _ => return Ok(()),
    };
    let mut found = broken(lat(5), wrong, &[("a", a)]);
    found.steps.push(format!("changed: {text}"));
    Err(found)
}

/// A context carries what grant and need have in common, item by item or as the leash itself says.
fn authorised(leash: &dyn Leash, a: &CaveatSpec, b: &CaveatSpec) -> Result<(), Violation> {
    let generation = match &a.generations {
        ScopeSpec::Only(generations) => generations.first().copied().unwrap_or_default(),
        ScopeSpec::All => 0,
    };
    let gate = leash.gate(&GateSpec::new().generation(generation));
    let Ok(Ok(context)) = gate.map(|gate| gate.authorize(a, b)) else {
        return Ok(());
    };
    let told = context.caveats();
    if told == a.meet(b) || leash.meet(a, b).is_ok_and(|met| met == told) {
        return Ok(());
    }
    let mut found = broken(
        lsh(2),
        "the context does not carry what both have in common",
        &[("granted", a), ("needed", b)],
    );
    found.steps.push(format!("it carries {told}"));
    Err(found)
}

/// At most this many calls are drawn from one input.
const MOST_CALLS: usize = 24;

/// A gate in generation 1 with a small budget, and calls of valid and stale grants.
fn spent(leash: &dyn Leash, data: &mut Unstructured<'_>) -> Result<(), Violation> {
    let Ok(budget) = data.int_in_range(0..=4) else {
        return Ok(());
    };
    let spec = GateSpec::new().generation(1).budget(budget);
    let Ok(gate) = leash.gate(&spec) else {
        return Ok(());
    };
    let top = CaveatSpec::top();
    let mut steps = vec![spec.to_string()];
    let mut left = budget;
    for _ in 0..MOST_CALLS {
        let Ok(stale) = data.ratio(1, 3) else { break };
        let granted = top.clone().generations([if stale { 0 } else { 1 }]);
        let authorised = gate.authorize(&granted, &top).is_ok();
        let due = !stale && left > 0;
        let said = if authorised { "authorised" } else { "denied" };
        steps.push(format!(
            "{}: {said}",
            if stale { "a stale call" } else { "a call" }
        ));
        if authorised != due {
            return Err(Violation {
                requirement: lsh(3),
                steps,
                seen: format!("of a budget of {budget}, {left} were left"),
            });
        }
        left -= u64::from(authorised);
    }
    Ok(())
}
