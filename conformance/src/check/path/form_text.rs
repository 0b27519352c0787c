//! PATH-27: semicolons and plus signs neither split nor rewrite a pair.

use proptest::sample::select;

use super::ordeal::unmet_control;
use super::outline::{Outline, split};
use crate::check::pol::line;
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Stop, Trial};

/// Templates of the author's with `;` and `+`, each with its twin that has a letter instead.
const WRITTEN: [(&str, &str); 8] = [
    ("/p?a=1;b=2", "/p?a=1xb=2"),
    ("/p?a;b=2", "/p?axb=2"),
    ("/p?a=x+y", "/p?a=xzy"),
    ("/p?a+b=1", "/p?axb=1"),
    ("/p?a=1;b=2&c=x+y", "/p?a=1xb=2&c=xzy"),
    ("/p?a=1;", "/p?a=1x"),
    ("/p?a=%2B+%3B;", "/p?a=%2Bx%3Bx"),
    ("/p?q={v}&a=x+y;z", "/p?q={v}&a=xzyxz"),
];

const VALUES: [&str; 10] = [
    "a+b@x.test",
    "+",
    "a+",
    "+a",
    "a++b",
    "x;role=admin",
    ";",
    "a;b;c",
    "a+b;c",
    "1;2+3",
];

const TEMPLATES: [&str; 3] = ["/p?k={v}", "/p?x=1&k={v}&y=2", "/p?k=a{v}b"];

/// PATH-27.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let mut cases = 0;
    let mut open = false;
    let mut unmet = None;
    for (template, twin) in WRITTEN {
        let twin = value(twin, "v");
        if let Some(reason) = unmet_control(trial, &twin)? {
            unmet = unmet.or(Some(reason));
            continue;
        }
        (cases, open) = (cases + 1, true);
        if let Some(found) = judge_author(trial, template, &twin)? {
            return Ok(Finding::broken(found));
        }
    }
    if let (false, Some(reason)) = (open, unmet) {
        return Ok(Finding::Undecided(reason));
    }
    for template in TEMPLATES {
        for text in VALUES {
            cases += 1;
            if let Some(found) = judge_value(trial, template, text)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    let strategy = (select(&TEMPLATES[..]), "[a-c;+@.]{1,8}");
    let generated = trial.for_all(trial.cases()?, &strategy, |(template, text)| {
        judge_value(trial, template, &text)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        found => found,
    })
}

fn value(template: &str, value: &str) -> ResolveCase {
    let case = ResolveCase::new(template);
    if template.contains("{v}") {
        case.argument("v", value)
    } else {
        case
    }
}

/// The author's text comes out byte by byte.
fn judge_author(
    trial: &Trial<'_, ResolverSubject>,
    template: &str,
    twin: &ResolveCase,
) -> Result<Option<Counterexample>, Stop> {
    let case = value(template, "v");
    let reply = trial.resolve(&case)?;
    let Some(resolved) = reply.resolved() else {
        return Ok(None);
    };
    let written = template.replace("{v}", "v");
    let (wanted, seen) = (split(&written).1, split(&resolved.target).1);
    if wanted == seen {
        return Ok(None);
    }
    Ok(Some(
        Counterexample::new(line(
            "`",
            template,
            "` comes out as `",
            &resolved.target,
            "`",
        ))
        .step(case.to_string(), &reply)
        .expected(format!(
            "the query `{}`, byte by byte",
            wanted.unwrap_or_default()
        ))
        .seen(format!("`{}`", seen.unwrap_or_default()))
        .twin(format!("`{twin}` comes out unchanged")),
    ))
}

/// A value is what form-decoding gives back.
fn judge_value(
    trial: &Trial<'_, ResolverSubject>,
    template: &str,
    text: &str,
) -> Result<Option<Counterexample>, Stop> {
    let case = value(template, text);
    let reply = trial.resolve(&case)?;
    let Some(resolved) = reply.resolved() else {
        return Ok(None);
    };
    let Some(difference) = Outline::of(&case).differs(&resolved.target) else {
        return Ok(None);
    };
    let twin = value(template, "v");
    if unmet_control(trial, &twin)?.is_some() {
        return Ok(None);
    }
    Ok(Some(
        Counterexample::new(line(
            "{v} = `",
            text,
            "` comes out as `",
            &resolved.target,
            "`",
        ))
        .step(case.to_string(), &reply)
        .expected("refused, or a query whose form-decoding gives the value back")
        .seen(difference)
        .twin(format!("`{twin}` resolves as it should")),
    ))
}
