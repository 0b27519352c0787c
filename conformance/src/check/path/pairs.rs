//! PATH-21: a value in the query half stays inside its pair.

use url::{Url, form_urlencoded};

use super::ordeal::unmet_control;
use super::outline::{BASE, decode_once, split};
use crate::check::pol::line;
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// A template, and the keys of its pairs; `None` is the value's own.
struct Query {
    template: &'static str,
    keys: &'static [Option<&'static str>],
}

const QUERIES: [Query; 5] = [
    Query {
        template: "/p?k={a}",
        keys: &[Some("k")],
    },
    Query {
        template: "/p?x=1&k={a}",
        keys: &[Some("x"), Some("k")],
    },
    Query {
        template: "/p?k={a}&x=1&y=2",
        keys: &[Some("k"), Some("x"), Some("y")],
    },
    Query {
        template: "/p?{a}=1",
        keys: &[None],
    },
    Query {
        template: "/p?x=1&{a}=2&y=3",
        keys: &[Some("x"), None, Some("y")],
    },
];

/// Queries of the author's own that somebody may want to tidy up.
const WRITTEN: [Query; 6] = [
    Query {
        template: "/p?k={a}&x=1&x=2",
        keys: &[Some("k"), Some("x"), Some("x")],
    },
    Query {
        template: "/p?x=1&x=1&k={a}",
        keys: &[Some("x"), Some("x"), Some("k")],
    },
    Query {
        template: "/p?x=&k={a}",
        keys: &[Some("x"), Some("k")],
    },
    Query {
        template: "/p?flag&k={a}",
        keys: &[Some("flag"), Some("k")],
    },
    Query {
        template: "/p?x%5B%5D=1&k={a}",
        keys: &[Some("x[]"), Some("k")],
    },
    Query {
        template: "/p?x=1%26y&b=%3D&a={a}",
        keys: &[Some("x"), Some("b"), Some("a")],
    },
];

const VALUES: [&str; 24] = [
    "x&role=admin",
    "&role=admin",
    "x&",
    "&",
    "x=y",
    "=",
    "=y",
    "x=1&k=2",
    "&&",
    "x;role=admin",
    ";",
    "x#y",
    "#",
    "x%26role=admin",
    "%26",
    "x%3Dy",
    "%3D",
    "x%3Brole=admin",
    "x%23y",
    "x&k=y&k=z",
    "x&amp;y",
    "x&k",
    "+",
    "x+y",
];

/// PATH-21.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let mut open = Vec::new();
    let mut unmet = None;
    for query in &QUERIES {
        match unmet_control(trial, &case(query, "x"))? {
            None => open.push(query),
            Some(reason) => unmet = unmet.or(Some(reason)),
        }
    }
    if let (true, Some(reason)) = (open.is_empty(), unmet) {
        return Ok(Finding::Undecided(reason));
    }
    for query in &WRITTEN {
        if let Some(found) = judge(trial, query, "x")? {
            return Ok(Finding::broken(found));
        }
    }
    let mut cases = WRITTEN.len() as u64;
    for query in &open {
        for value in VALUES {
            cases += 1;
            if let Some(found) = judge(trial, query, value)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    let strategy = (0..open.len(), "[xk&=;#%2-6D+]{1,8}");
    let generated = trial.for_all(trial.cases()?, &strategy, |(query, value)| {
        judge(trial, open[query], &value)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        found => found,
    })
}

fn case(query: &Query, value: &str) -> ResolveCase {
    ResolveCase::new(query.template).argument("a", value)
}

fn judge(
    trial: &Trial<'_, ResolverSubject>,
    query: &Query,
    value: &str,
) -> Result<Option<Counterexample>, Stop> {
    let case = case(query, value);
    let reply = trial.resolve(&case)?;
    let Reply::Resolved(resolved) = &reply else {
        return Ok(None);
    };
    let target = &resolved.target;
    let Some(seen) = fault(query, value, target) else {
        return Ok(None);
    };
    let twin = self::case(query, "x");
    Ok(Some(
        Counterexample::new(line("{a} = `", value, "` comes out as `", target, "`"))
            .step(case.to_string(), &reply)
            .expected(format!(
                "the pairs of `{}`: as many, under the same keys",
                query.template
            ))
            .seen(seen)
            .twin(format!("`{twin}` resolves as it should")),
    ))
}

/// In what the pairs differ from the template's, by the text and as a WHATWG parser reads it.
fn fault(query: &Query, value: &str, target: &str) -> Option<String> {
    let text = split(target).1.unwrap_or_default();
    let text = text.split('#').next().unwrap_or_default();
    let by_text = form_urlencoded::parse(text.as_bytes()).map(|(key, _)| key.into_owned());
    let parsed = Url::parse(&format!("{BASE}{target}")).ok()?;
    let by_parser = parsed.query_pairs().map(|(key, _)| key.into_owned());
    let empty_parts = text.split('&').filter(|part| part.is_empty()).count();
    keys_differ(query, value, &by_text.collect::<Vec<_>>(), empty_parts)
        .or_else(|| keys_differ(query, value, &by_parser.collect::<Vec<_>>(), empty_parts))
}

fn keys_differ(query: &Query, value: &str, keys: &[String], empty_parts: usize) -> Option<String> {
    // An empty part is no pair to a form parser, but it shows that one was begun.
    let count = keys.len() + empty_parts;
    if count != query.keys.len() {
        return Some(format!(
            "{count} pairs instead of {}: {keys:?}",
            query.keys.len()
        ));
    }
    let decoded = decode_once(value).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut both = keys.iter().zip(query.keys);
    both.find_map(|(key, wanted)| {
        let fits = match wanted {
            Some(wanted) => key == wanted,
            None => key == value || Some(key) == decoded.as_ref(),
        };
        (!fits).then(|| match wanted {
            Some(wanted) => format!("the key `{key}` instead of `{wanted}`"),
            None => format!("the key `{key}`, which is not the value"),
        })
    })
}
