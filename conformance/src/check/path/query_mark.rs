//! PATH-11: one `?` of the author's, and the floor in both halves.

use super::beside::{self, Refusable, Unless};
use super::hostile::reserved;
use super::ordeal::unmet_control;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Trial};

/// PATH-11.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let mut controls = vec![ResolveCase::new("/items/{q}").argument("q", "x")];
    let mut all = in_path();
    if trial.profile().composes_query {
        controls.extend([
            ResolveCase::new("/search?q=x"),
            ResolveCase::new("/search?q={q}").argument("q", "x"),
        ]);
        all.extend(in_query());
    }
    for control in &controls {
        if let Some(reason) = unmet_control(trial, control)? {
            return Ok(Finding::Undecided(reason));
        }
    }
    beside::judge(trial, &all)
}

fn value(template: &str, value: &str) -> ResolveCase {
    ResolveCase::new(template).argument("q", value)
}

fn in_path() -> Vec<Refusable> {
    let mut all = Vec::new();
    for hostile in ["7?x=1", "?", "7%3Fx=1", "7%3f"] {
        let template = "/items/{q}";
        let because = "a `?` comes from a value";
        all.push(
            Refusable::new(value(template, hostile), value(template, "7"), because)
                .unless(Unless::Spelled),
        );
    }
    // An operator of the template's gives no leave: templates are read from descriptions, too.
    for operator in ["{+q}", "{#q}", "{*q}", "{q*}", "{{q}}", "{&q}"] {
        let template = format!("/items/{operator}");
        let because = "a `?` comes from a value";
        let case = value(&template, "7?x=1");
        let twin = value("/items/{q}", "7");
        all.push(Refusable::new(case, twin, because).unless(Unless::Without(|c| c == '?')));
    }
    for byte in reserved().into_iter().filter(|byte| !"/?".contains(*byte)) {
        all.push(literal("/items/a", byte, "b/{q}"));
    }
    all
}

fn in_query() -> Vec<Refusable> {
    let mut all = Vec::new();
    let templates = [
        ("/search?a=1?b=2", "/search?a=1&b=2"),
        ("/search??a=1", "/search?a=1"),
        ("/search?a=1?", "/search?a=1"),
        ("/search?q={q}?b=2", "/search?q={q}&b=2"),
        ("/search/{q}?", "/search/{q}"),
        ("/search?", "/search"),
    ];
    for (template, twin) in templates {
        let because = "a second `?`, or one with nothing behind it";
        all.push(Refusable::new(
            value(template, "x"),
            value(twin, "x"),
            because,
        ));
    }
    let template = "/search?q={q}";
    let twin = value(template, "ab");
    for byte in reserved().into_iter().filter(|byte| *byte != '/') {
        for text in [byte.to_string(), format!("%{:02X}", u32::from(byte))] {
            let because = format!("a value in the query half holds {byte:?}, as it is or encoded");
            let case = value(template, &format!("a{text}b"));
            all.push(Refusable::new(case, twin.clone(), because).unless(Unless::Spelled));
        }
    }
    for byte in reserved().into_iter().filter(|byte| !"/?".contains(*byte)) {
        all.push(literal("/search?q={q}&a=", byte, "b"));
    }
    all
}

/// A byte of the floor in the author's own text. A resolver that encodes may encode it.
fn literal(before: &str, byte: char, after: &str) -> Refusable {
    let template = |middle: &str| value(&format!("{before}{middle}{after}"), "x");
    Refusable::new(
        template(&byte.to_string()),
        template(""),
        format!("the template holds a raw {byte:?}"),
    )
    .unless(RAW)
}

/// The slash apart, which stands in every target, and `?`, which may.
const RAW: Unless = Unless::Encoded(|c| c.is_ascii_control() || c == '#' || c == '\\');
