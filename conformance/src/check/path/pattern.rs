//! PATH-06 and PATH-08: what a declared pattern adds to the floor, and what a broken one does.

use std::time::Duration;

use serde_json::{Value, json};

use super::hostile::{self, PLAIN};
use super::ordeal::{Elsewhere, Ordeal, unmet_control};
use super::place::{PARAM, Place};
use crate::outcome::Counterexample;
use crate::subject::{Declared, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// Patterns that match anything.
const ANYTHING: [&str; 2] = ["^.*$", r"[\s\S]*"];

/// A pattern that matches no value of a digit in it, and a value that it refuses.
const LETTERS: &str = "^[a-f]+$";

/// Patterns that are no regular expression, by any flavour of ECMA-262.
const BROKEN: [&str; 8] = ["(", "[z-a]", "a{2,1}", "*", ")", "[", r"a\", "(?<n"];

/// Patterns that are too large for some engines and match no letter in any.
const OVERSIZED: [&str; 2] = ["^(?:[0-9]{999}){999}$", r"^(?:\d{0,99}\d{999}){99}$"];

/// Patterns that a backtracking engine takes exponentially long for.
const BOMBS: [&str; 3] = ["^(a+)+$", r"^((a+)\2?)+$", "^(?:a|aa)+(?!.)$"];

/// A pattern that keeps its thread busy for this long, in each of so many rounds, is a bomb.
const HELD: Duration = Duration::from_millis(400);
const ROUNDS: usize = 3;

fn declare(case: ResolveCase, pattern: &str) -> ResolveCase {
    let declared = Declared::new(&case.method, &case.template, PARAM).pattern(pattern);
    case.declaring(declared)
}

/// PATH-06.
pub(super) fn narrows(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let places = Ordeal::new(trial).open_places(&Place::all(trial.profile()), PLAIN)?;
    let digits = |value: &str| declare(places[0].case(value), "^[0-9]+$");
    if let Some(reason) = unmet_control(trial, &digits("7"))? {
        return Ok(Finding::Undecided(reason));
    }
    if trial.resolve(&digits("x"))?.resolved().is_some() {
        return Ok(Finding::Undecided(format!(
            "the control failed: `{}` was resolved, so patterns have no effect",
            digits("x")
        )));
    }
    let mut hostile = hostile::empty();
    hostile.extend(hostile::separators());
    hostile.extend(hostile::escaped());
    hostile.extend(hostile::dots());
    hostile.extend(hostile::too_long());
    let mut cases = 0;
    let plain = |place: Place, value: &str| place.case(value);
    let elsewhere = Elsewhere {
        case: &plain,
        differing: "without the pattern",
    };
    let spelled = |case: ResolveCase| {
        let value = case.argument_text(PARAM).unwrap_or_default();
        declare(case, &format!("^{}$", escaped(&value)))
    };
    for index in 0..=ANYTHING.len() {
        let change = |case: ResolveCase| match ANYTHING.get(index) {
            Some(pattern) => declare(case, pattern),
            None => spelled(case),
        };
        let ordeal = Ordeal::new(trial)
            .changing(&change)
            .unless_elsewhere(elsewhere);
        let places = ordeal.open_places(&places, PLAIN)?;
        match ordeal.judge(&places, &hostile)? {
            Finding::Held { cases: more } => cases += more,
            found => return Ok(found),
        }
    }
    let found = match reported_rule(trial, places[0])? {
        Some(found) => Some(found),
        None => matched(trial, &places)?,
    };
    match found {
        Some(found) => Ok(Finding::broken(found)),
        None => Ok(Finding::Held { cases }),
    }
}

/// A pattern, a value that it matches, and values that it does not: by letter case, at one end, in
/// an alternative, by a look ahead, far behind, or because they are no strings.
fn mismatches() -> Vec<(&'static str, Value, Vec<Value>)> {
    let long = |end: &str| json!(format!("{}{end}", "a".repeat(200)));
    vec![
        (
            "^[a-z]+$",
            json!("abc"),
            vec![json!("ABC"), json!("aBc"), long("1")],
        ),
        (
            "^ab$",
            json!("ab"),
            vec![json!("abc"), json!("xab"), json!("AB"), json!("xabc")],
        ),
        (
            "^(?:a|bc)$",
            json!("bc"),
            vec![json!("abc"), json!("c"), json!("bca")],
        ),
        ("^.{3}$", json!("abc"), vec![json!("ab"), json!("abcd")]),
        ("^v1\\.2$", json!("v1.2"), vec![json!("v1x2")]),
        ("^(?!admin$)[a-z]+$", json!("users"), vec![json!("admin")]),
        (
            "^[a-f]+$",
            json!("abc"),
            vec![json!(7), json!(-1.5), json!(true), Value::Null],
        ),
        (
            "^[0-9]+$",
            json!("12"),
            vec![json!(true), json!(1.5), json!("x")],
        ),
    ]
}

/// A value that comes out although it does not match.
fn matched(
    trial: &Trial<'_, ResolverSubject>,
    places: &[Place],
) -> Result<Option<Counterexample>, Stop> {
    for (pattern, fits, others) in mismatches() {
        for &place in places {
            let control = declare(place.case(fits.clone()), pattern);
            if trial.resolve(&control)?.refused().is_some() {
                // Such a pattern is not known here, or such a value never passed on.
                continue;
            }
            for value in &others {
                let plain = place.case(value.clone());
                let case = declare(plain.clone(), pattern);
                let reply = trial.resolve(&case)?;
                if reply.resolved().is_some() && unmet_control(trial, &plain)?.is_none() {
                    return Ok(Some(unmatched(&case, &reply, pattern, &control)));
                }
            }
        }
    }
    let both = |part: &str| {
        let case = ResolveCase::new("/items/{id}/parts/{part}").argument(PARAM, "abc");
        let described = Declared::new(&case.method, &case.template, "part").pattern("^[a-f]+$");
        case.argument("part", part).declaring(described)
    };
    let (control, case) = (both("abc"), both("xyz"));
    let reply = trial.resolve(&case)?;
    let broken = reply.resolved().is_some() && trial.resolve(&control)?.resolved().is_some();
    Ok(broken.then(|| unmatched(&case, &reply, "^[a-f]+$", &control)))
}

fn unmatched(
    case: &ResolveCase,
    reply: &Reply,
    pattern: &str,
    control: &ResolveCase,
) -> Counterexample {
    Counterexample::new(format!("a value comes out that `{pattern}` does not match"))
        .step(case.to_string(), reply)
        .expected("refused: the pattern narrows what the floor admits")
        .seen(format!("`{reply}`"))
        .twin(format!("`{control}` resolves, which the pattern matches"))
}

/// A refusal that speaks of the pattern where the floor's rule came first.
fn reported_rule(
    trial: &Trial<'_, ResolverSubject>,
    place: Place,
) -> Result<Option<Counterexample>, Stop> {
    let message = |case: &ResolveCase| -> Result<Option<String>, Stop> {
        let reply = trial.resolve(case)?;
        Ok(reply.refused().map(|refused| refused.message().to_owned()))
    };
    let unmatched = declare(place.case(PLAIN), LETTERS);
    let Some(of_pattern) = message(&unmatched)? else {
        return Ok(None);
    };
    for hostile in hostile::samples() {
        let plain = place.case(hostile.value.as_str());
        let declared = declare(plain.clone(), LETTERS);
        let (Some(of_floor), Some(seen)) = (message(&plain)?, message(&declared)?) else {
            continue;
        };
        if seen == of_pattern && of_floor != of_pattern {
            return Ok(Some(
                Counterexample::new(format!(
                    "a refusal states the pattern although the value holds {}",
                    hostile.what
                ))
                .step(declared.to_string(), format!("refused: {seen}"))
                .expected(format!("the floor's rule: {of_floor}"))
                .seen(seen)
                .twin(format!(
                    "`{plain}` was refused with `{of_floor}`, `{unmatched}` with `{of_pattern}`"
                )),
            ));
        }
    }
    Ok(None)
}

/// PATH-08.
pub(super) fn broken(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let places = Ordeal::new(trial).open_places(&Place::all(trial.profile()), "a")?;
    let mut cases = 0;
    for value in ["a", "b7"] {
        let control = declare(places[0].case(value), "^[a-z0-9]+$");
        if let Some(reason) = unmet_control(trial, &control)? {
            return Ok(Finding::Undecided(reason));
        }
        for pattern in BROKEN.into_iter().chain(OVERSIZED) {
            // What is too large takes long to find out, and is so at every place.
            let places = if OVERSIZED.contains(&pattern) {
                &places[..1]
            } else {
                &places[..]
            };
            for &place in places {
                cases += 1;
                let case = declare(place.case(value), pattern);
                let reply = trial.resolve(&case)?;
                if reply.resolved().is_some() {
                    return Ok(Finding::broken(accepted(&case, &reply, pattern, &control)));
                }
            }
        }
    }
    match bombed(trial, places[0])? {
        Some(found) => Ok(Finding::broken(found)),
        None => Ok(Finding::Held { cases }),
    }
}

fn accepted(
    case: &ResolveCase,
    reply: &Reply,
    pattern: &str,
    control: &ResolveCase,
) -> Counterexample {
    Counterexample::new(format!("a value is accepted under the pattern `{pattern}`"))
        .step(case.to_string(), reply)
        .expected("refused: the pattern is none, is beyond what can be run, or does not match")
        .seen(format!("`{reply}`"))
        .twin(format!("`{control}` resolves"))
}

/// A pattern that takes exponentially long, or is given up and then taken for a match. The value
/// grows until that shows, so that nothing is held for long.
fn bombed(
    trial: &Trial<'_, ResolverSubject>,
    place: Place,
) -> Result<Option<Counterexample>, Stop> {
    for pattern in BOMBS {
        let matched = declare(place.case("aaaa"), pattern);
        if trial.resolve(&matched)?.refused().is_some() {
            // The engine does not know such a pattern.
            continue;
        }
        for length in 12..=40 {
            let case = declare(place.case("a".repeat(length) + "b"), pattern);
            let mut shortest = Duration::MAX;
            for _ in 0..ROUNDS {
                let started = worked();
                let reply = trial.resolve(&case)?;
                shortest = shortest.min(worked().saturating_sub(started));
                if reply.resolved().is_some() {
                    return Ok(Some(accepted(&case, &reply, pattern, &matched)));
                }
                if shortest < HELD {
                    break;
                }
            }
            if shortest >= HELD {
                let millis = shortest.as_millis();
                return Ok(Some(
                    Counterexample::new(format!(
                        "the pattern `{pattern}` keeps the thread busy for {millis} ms"
                    ))
                    .step(case.to_string(), "refused")
                    .expected("a refusal at once, whatever the pattern: it may be given up")
                    .seen(format!(
                        "at least {millis} ms of work in each of {ROUNDS} rounds for {length} characters"
                    ))
                    .twin(format!("`{matched}` resolves at once")),
                ));
            }
        }
    }
    Ok(None)
}

/// How long this thread has worked so far. Waiting for a busy machine is no work.
fn worked() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let nanos = u64::try_from(time.tv_nsec).unwrap_or_default();
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or_default())
            + Duration::from_nanos(nanos)
    }
    #[cfg(not(unix))]
    {
        use std::sync::LazyLock;
        use std::time::Instant;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

/// The text as a pattern that matches it alone.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        match character {
            c if c.is_ascii_control() => pattern.push_str(&format!(r"\x{:02x}", u32::from(c))),
            c if c.is_ascii_punctuation() && !"-_%&#;=".contains(c) => {
                pattern.extend(['\\', c]);
            }
            c => pattern.push(c),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_spelled_as_a_pattern_that_matches_it() {
        assert_eq!(escaped("a.b/\t-7"), r"a\.b\/\x09-7");
    }
}
