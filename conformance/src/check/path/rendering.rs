//! PATH-14: what each JSON type renders as.

use serde_json::{Value, json};

use super::outline::Outline;
use crate::check::pol::line;
use crate::outcome::Counterexample;
use crate::profile::ResolverProfile;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// A key that no message holds by chance.
const KEY: &str = "zq7key";

/// PATH-14.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let mut cases = 0;
    let mut judged = false;
    for template in templates(trial.profile()) {
        let case = |value: Value| ResolveCase::new(&template).argument(KEY, value);
        for value in scalars() {
            let text = case(Value::from(value.to_string()));
            let Some(written) = sound(trial, &text)? else {
                continue;
            };
            (cases, judged) = (cases + 1, true);
            if let Some(found) = scalar(trial, &case(value.clone()), &value, &written, &text)? {
                return Ok(Finding::broken(found));
            }
        }
        let plain = case(Value::from("plain"));
        if sound(trial, &plain)?.is_none() {
            continue;
        }
        for value in TEXTS {
            if template.contains('?') && value.contains(['+', '&', '=', ';']) {
                // What becomes of these in a query, other rows are about.
                continue;
            }
            cases += 1;
            if let Some(found) = rewritten(trial, &case(Value::from(value)), &plain)? {
                return Ok(Finding::broken(found));
            }
        }
        for value in containers() {
            cases += 1;
            if let Some(found) = container(trial, &case(value.clone()), &plain)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    if judged {
        return Ok(Finding::Held { cases });
    }
    Ok(Finding::Undecided(
        "the control failed: no scalar comes out even where its text is handed in as a string"
            .to_owned(),
    ))
}

fn templates(profile: &ResolverProfile) -> Vec<String> {
    let mut templates = vec![
        format!("/items/{{{KEY}}}"),
        format!("/{{{KEY}}}/parts"),
        format!("/items/v{{{KEY}}}.json"),
    ];
    if profile.composes_query {
        templates.push(format!("/items?q={{{KEY}}}&r=1"));
    }
    templates
}

fn scalars() -> Vec<Value> {
    vec![
        json!(7),
        json!(0),
        json!(-3),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.25),
        json!(-1.5),
        json!(1e300),
        json!(1e-7),
        json!(true),
        json!(false),
        Value::Null,
    ]
}

/// Harmless texts that somebody may want to tidy up, or write in another encoding.
const TEXTS: [&str; 30] = [
    "aBc",
    "ABC",
    "a b",
    " a",
    "a ",
    "a  b",
    "a+b",
    "+1",
    "007",
    "1.0",
    "1e3",
    "True",
    "null",
    "a.b.",
    "v1.",
    "-a_~",
    "a,b",
    "a:b",
    "a@b",
    "a=b&c",
    "(a)*!",
    "é",
    "e\u{301}",
    "\u{e5}",
    "\u{fb01}",
    "字",
    "😀",
    "a\u{200b}b",
    "\u{feff}a",
    "a\u{ad}b",
];

/// A string that comes out as another one. To refuse it is stricter than asked.
fn rewritten(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    plain: &ResolveCase,
) -> Result<Option<Counterexample>, Stop> {
    let reply = trial.resolve(case)?;
    let Some(resolved) = reply.resolved() else {
        return Ok(None);
    };
    let difference = Outline::of(case).text_differs(&resolved.target);
    Ok(difference.map(|difference| {
        Counterexample::new(line(
            "a string comes out as another one: `",
            &resolved.target,
            "",
            "",
            "`",
        ))
        .step(case.to_string(), &reply)
        .expected("the string itself, or a refusal")
        .seen(difference)
        .twin(format!("`{plain}` resolves as it should"))
    }))
}

fn containers() -> Vec<Value> {
    vec![
        json!([]),
        json!({}),
        json!(["a"]),
        json!([7]),
        json!([null]),
        json!({"a": "b"}),
        json!([["a"]]),
        json!({"a": {"b": []}}),
        json!(["a", "b"]),
        json!([1, 2]),
        json!({"id": "a"}),
        json!({"value": "a"}),
        json!({KEY: "a"}),
        json!({"": "a"}),
    ]
}

/// The target of a case that comes out as it should.
fn sound(trial: &Trial<'_, ResolverSubject>, case: &ResolveCase) -> Result<Option<String>, Stop> {
    let outline = Outline::of(case);
    Ok(match trial.resolve(case)? {
        Reply::Resolved(resolved) if outline.differs(&resolved.target).is_none() => {
            Some(resolved.target)
        }
        _ => None,
    })
}

fn scalar(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    value: &Value,
    written: &str,
    text: &ResolveCase,
) -> Result<Option<Counterexample>, Stop> {
    let reply = trial.resolve(case)?;
    let seen = match &reply {
        Reply::Resolved(resolved) if resolved.target == written => return Ok(None),
        Reply::Resolved(resolved) => format!("`{resolved}`"),
        Reply::Refused(refused) if refused.message().contains(KEY) => return Ok(None),
        Reply::Refused(refused) => {
            format!(
                "a refusal that does not name `{KEY}`: {}",
                refused.message()
            )
        }
    };
    let target = reply.resolved().map_or("", |resolved| &resolved.target);
    let headline = if target.is_empty() {
        format!("the refusal of {value} does not name its key")
    } else {
        line(&format!("{value} comes out as `"), target, "", "", "`")
    };
    Ok(Some(
        Counterexample::new(headline)
            .step(case.to_string(), &reply)
            .expected(format!("`{written}`, or a refusal that names `{KEY}`"))
            .seen(seen)
            .twin(format!("`{text}` -> {written}")),
    ))
}

fn container(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
    plain: &ResolveCase,
) -> Result<Option<Counterexample>, Stop> {
    let reply = trial.resolve(case)?;
    let (headline, seen) = match &reply {
        Reply::Refused(refused) if refused.message().contains(KEY) => return Ok(None),
        Reply::Refused(refused) => (
            "the refusal of an array or object does not name its key".to_owned(),
            format!("refused: {}", refused.message()),
        ),
        Reply::Resolved(resolved) => (
            line(
                "an array or object comes out as `",
                &resolved.target,
                "",
                "",
                "`",
            ),
            format!("`{resolved}`"),
        ),
    };
    Ok(Some(
        Counterexample::new(headline)
            .step(case.to_string(), &reply)
            .expected(format!("a refusal that names `{KEY}`"))
            .seen(seen)
            .twin(format!("`{plain}` resolves as it should")),
    ))
}
