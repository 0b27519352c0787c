//! PATH-10: what values make together, and what composition leaves behind.

use super::beside::{self, Refusable, Unless, together};
use super::hostile::CAP;
use super::ordeal::unmet_control;
use crate::outcome::Counterexample;
use crate::profile::ResolverProfile;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

const BRACES: Unless = Unless::Encoded(|c| c == '{' || c == '}');

/// PATH-10.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let alone = ResolveCase::new("/f/{a}").argument("a", "a".repeat(180));
    if let Some(reason) = unmet_control(trial, &alone)? {
        return Ok(Finding::Undecided(reason));
    }
    let mut all = dots();
    all.extend(too_long());
    all.extend(braces());
    all.extend(escapes());
    all.extend(emptied());
    all.extend(further(trial.profile()));
    let judged = together([
        root(trial),
        beside::judge(trial, &all),
        generated_lengths(trial),
    ])?;
    Ok(match judged {
        Finding::Held { cases } => Finding::Noted {
            cases,
            note: authors_own(trial)?,
        },
        found => found,
    })
}

/// What becomes of empty segments that the template's author wrote.
fn authors_own(trial: &Trial<'_, ResolverSubject>) -> Result<String, Stop> {
    let told = |template: &str| -> Result<String, Stop> {
        let reply = trial.resolve(&one(template, "x"))?;
        Ok(format!("`{template}` -> {reply}"))
    };
    Ok(format!("{}, {}", told("/f//{a}")?, told("/f/{a}/")?))
}

fn two(template: &str, first: &str, second: &str) -> ResolveCase {
    let case = ResolveCase::new(template);
    case.argument("a", first).argument("b", second)
}

fn three(value: &str) -> ResolveCase {
    two("/f/{a}{b}{c}", value, value).argument("c", value)
}

fn one(template: &str, value: &str) -> ResolveCase {
    ResolveCase::new(template).argument("a", value)
}

fn dots() -> Vec<Refusable> {
    let because = "the values make a dot segment together";
    vec![
        Refusable::new(
            two("/f/{a}{b}", ".", "."),
            two("/f/{a}{b}", "x", "y"),
            because,
        ),
        Refusable::new(
            two("/{a}{b}/x", ".", "."),
            two("/{a}{b}/x", "x", "y"),
            because,
        ),
        Refusable::new(one("/f/.{a}", "."), one("/f/.{a}", "x"), because),
        Refusable::new(one("/f/{a}.", "."), one("/f/{a}.", "x"), because),
        Refusable::new(one("/f/%2e{a}", "."), one("/f/%2e{a}", "x"), because),
    ]
}

fn too_long() -> Vec<Refusable> {
    let long = |a: usize, b: usize| two("/f/{a}{b}", &"a".repeat(a), &"b".repeat(b));
    let because = "the segment has more than 256 code points";
    vec![
        Refusable::new(long(180, 200), long(180, 1), because),
        Refusable::new(long(CAP, 1), long(1, 1), because),
        Refusable::new(three(&"a".repeat(100)), three("a"), because),
        Refusable::new(
            one("/f/v{a}", &"a".repeat(CAP)),
            one("/f/v{a}", "a"),
            because,
        ),
    ]
}

fn braces() -> Vec<Refusable> {
    let because = "a brace is left over";
    let templates = [
        "/f/{a}}",
        "/f/{{a}}",
        "/f/{{a}",
        "/f/{a}/x}",
        "/f/{a}/{x",
        "/f/{a}/{}",
    ];
    templates
        .map(|template| {
            Refusable::new(one(template, "x"), one("/f/{a}", "x"), because).unless(BRACES)
        })
        .into()
}

/// An escape of a dot that neither the template nor the value holds.
fn escapes() -> Vec<Refusable> {
    let because = "the template's `%` and the value make a dot segment together";
    let made = [("/f/%{a}/x", "2e"), ("/f/%2{a}", "e"), ("/f/.%2{a}/x", "E")];
    made.map(|(template, value)| {
        Refusable::new(one(template, value), one("/f/{a}", value), because)
    })
    .into()
}

fn emptied() -> Vec<Refusable> {
    let because = "composition leaves a segment empty";
    ["/f/{a}/x", "/{a}/x", "/f/{a}"]
        .map(|template| Refusable::new(one(template, ""), one(template, "y"), because))
        .into()
}

/// What only resolvers with further abilities can be shown.
fn further(profile: &ResolverProfile) -> Vec<Refusable> {
    let mut all = Vec::new();
    if profile.interpolates {
        let case = |v: &str, a: &str| one("/f/${v}{a}", a).variable("v", v);
        let dots = "a variable and a value make a dot segment together";
        let long = "the segment has more than 256 code points";
        all.push(Refusable::new(case(".", "."), case("x", "y"), dots));
        let long_case = case(&"a".repeat(180), &"b".repeat(200));
        all.push(Refusable::new(long_case, case("x", "y"), long));
    }
    if profile.allow_slash {
        let case = |template: &str, value: &str| one(template, value).allowing_slash("a");
        let empty = "composition leaves a segment empty, or a `/` at the end";
        let dots = "composition makes a dot segment";
        let cases = [
            ("/f/{a}", "x/", empty),
            ("/f/{a}", "/x", empty),
            ("/f/{a}", "x//y", empty),
            ("/f/{a}/y", "x/", empty),
            ("/f/.{a}", "/x", dots),
            ("/f/{a}.", "x/", dots),
        ];
        all.extend(cases.map(|(template, value, because)| {
            Refusable::new(case(template, value), case(template, "x/y"), because)
                .unless(Unless::Spelled)
        }));
    }
    all
}

/// The path `/` alone is accepted.
fn root(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let (case, twin) = (ResolveCase::new("/"), ResolveCase::new("/f"));
    let reply = trial.resolve(&case)?;
    let seen = match &reply {
        Reply::Resolved(resolved) if resolved.target == "/" => return Ok(Finding::held(1)),
        Reply::Resolved(resolved) => format!("`{resolved}`"),
        Reply::Refused(refused) => format!("refused: {}", refused.message()),
    };
    if let Some(reason) = unmet_control(trial, &twin)? {
        return Ok(Finding::Undecided(reason));
    }
    Ok(Finding::broken(
        Counterexample::new("the path `/` is not accepted")
            .step(case.to_string(), &reply)
            .expected("the target `/`")
            .seen(seen)
            .twin(format!("`{twin}` resolves")),
    ))
}

/// Two values that are each short enough, and together are not.
fn generated_lengths(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let because = "the segment has more than 256 code points";
    let strategy = (1..=CAP, 1..=CAP);
    trial.for_all(trial.cases()?, &strategy, |(first, second)| {
        if first + second <= CAP {
            return Ok(None);
        }
        let case = |a: usize, b: usize| two("/f/{a}{b}", &"a".repeat(a), &"b".repeat(b));
        let refusable = Refusable::new(case(first, second), case(1, 1), because);
        Ok(match beside::show(trial, &refusable)? {
            Finding::Broken(found) => Some(*found),
            _ => None,
        })
    })
}
