//! EXE-05 and EXE-06: fields and the author's own pairs make one query, and each survives.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::spy::{Asked, Spy, Verdict, by_key, pairs_of};
use super::stage::{Observed, Stage, has_pairs, pairing_methods, sent_methods, supports};
use crate::outcome::Counterexample;
use crate::profile::AuthScheme;
use crate::recorder::Recorded;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Finding, Judged, Stop, Trial};

type Pairs = Vec<(String, String)>;

/// Targets with a query, with one that ends in `&`, and without any.
const TARGETS: &[&str] = &[
    "/s?a=1",
    "/s?a=1&b=2",
    "/s?a=1&",
    "/s?flag",
    "/s?a=1&a=2",
    "/s?q=x%26y",
    "/s?limit=5",
    "/s?sort=a&sort=b",
    "/s?q=a+b",
    "/s?q=a%20b",
    "/s?a=",
    "/s?a=&b=2",
    "/s",
];

/// Texts that a query has to carry encoded, simplest first.
const TEXTS: &[&str] = &[
    "a&b",
    "a=b",
    "x&role=admin",
    "1#x",
    "#",
    "a+b",
    "100%",
    "%41",
    "%2B",
    "%",
    "a;b",
    "two words",
    " x ",
    "?",
    "a?b=c",
    "/",
    "é",
    "日本",
    "𝄞",
    "\u{200b}",
    "'\"<>",
    "\\",
    "[]",
    "a,b",
    "e\u{301}",
    "\u{feff}x",
    "x\u{202e}y",
    "ﬁ",
    "a\tb",
    "a\r\nb",
    "a\0b",
];

/// Longer than some clients allow for.
const LONG: usize = 3_000;

/// EXE-05.
pub(super) fn one_query(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    if !supports(trial, "GET") {
        return Ok(Finding::NotApplicable(
            "the profile declares no GET".to_owned(),
        ));
    }
    let mut cases = 0;
    for scheme in schemes(trial) {
        match one_query_under(trial, &Stage::of(trial, scheme)?)? {
            Finding::Held { cases: more } => cases += more,
            other => return Ok(other),
        }
    }
    Ok(Finding::Held { cases })
}

/// The first scheme, and every one under which authentication adds a pair.
fn schemes(trial: &Trial<'_, ExecutorSubject>) -> Vec<Option<AuthScheme>> {
    let (first, further) = match trial.profile().schemes.split_first() {
        Some((first, further)) => (Some(first.clone()), further),
        None => (None, [].as_slice()),
    };
    let adds_a_pair = |scheme: &&AuthScheme| matches!(scheme, AuthScheme::QueryKey(_));
    let further = further.iter().filter(adds_a_pair).cloned().map(Some);
    std::iter::once(first).chain(further).collect()
}

fn one_query_under(trial: &Trial<'_, ExecutorSubject>, stage: &Stage) -> Judged {
    let executor = trial.executor(&stage.env())?;
    let fields = [
        json!({"limit": "10"}),
        json!({"limit": "10", "sort": "asc"}),
        json!({}),
    ];
    let plain = Call::new("GET", "/s")?.with_body(fields[0].clone());
    let control = stage.observe(&executor, &plain)?;
    if !control
        .requests
        .iter()
        .any(|request| stage.target(request) == b"/s?limit=10")
    {
        return Ok(undecided(&plain, &control));
    }
    let mut cases = 0;
    let adds_a_pair = matches!(stage.scheme, Some(AuthScheme::QueryKey(_)));
    let mut methods = pairing_methods(trial, stage, &executor)?;
    if adds_a_pair {
        // What the fields of others become is left to the API.
        let with_body = |method: &&str| ["POST", "PUT", "PATCH"].contains(method);
        let sent = sent_methods(trial, stage, &executor)?.into_iter();
        methods.extend(sent.filter(with_body));
    }
    for method in methods {
        for (target, body) in TARGETS
            .iter()
            .flat_map(|target| fields.iter().map(move |body| (target, body)))
        {
            let call = Call::new(method, target)?.with_body(body.clone());
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            let added = if has_pairs(method) {
                texts_of(body)
            } else {
                Pairs::new()
            };
            let own = target.split_once('?').map_or("", |(_, query)| query);
            let own: Pairs = url::form_urlencoded::parse(own.as_bytes())
                .into_owned()
                .collect();
            let torn = observed
                .requests
                .iter()
                .find_map(|request| torn(stage, request, &own, &added));
            if let Some(seen) = torn {
                return Ok(Finding::broken(
                    Counterexample::new(format!(
                        "`{method} {target}` and added pairs do not make one query"
                    ))
                    .step(call.to_string(), observed.told())
                    .expected(
                        "one `?`, then the author's pairs and then the added ones, each intact",
                    )
                    .seen(seen)
                    .twin(format!("`{plain}` arrived as `/s?limit=10`")),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

fn torn(stage: &Stage, request: &Recorded, own: &Pairs, added: &Pairs) -> Option<String> {
    let target = request.target();
    let marks = target.iter().filter(|&&byte| byte == b'?').count();
    if marks > 1 {
        return Some(format!("the target has {marks} question marks: {request}"));
    }
    let pairs = stage.pairs(request);
    let (first, rest) = pairs.split_at(own.len().min(pairs.len()));
    let mut rest = rest.to_vec();
    // The fields of an object have no order of their own.
    rest.sort();
    (first != own.as_slice() || rest != *added)
        .then(|| format!("decoded, the query is {pairs:?}: {request}"))
}

/// The pairs that an object of texts stands for, sorted.
fn texts_of(body: &Value) -> Pairs {
    let fields = body.as_object().cloned().unwrap_or_default();
    let mut pairs: Pairs = fields
        .into_iter()
        .map(|(key, value)| (key, value.as_str().unwrap_or_default().to_owned()))
        .collect();
    pairs.sort();
    pairs
}

fn undecided(call: &Call, observed: &Observed) -> Finding {
    Finding::Undecided(format!(
        "the control failed: `{call}` does not arrive with its pair: {}",
        observed.told()
    ))
}

/// EXE-06.
pub(super) fn survive(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    if !supports(trial, "GET") {
        return Ok(Finding::NotApplicable(
            "the profile declares no GET".to_owned(),
        ));
    }
    let stage = Stage::new(trial)?;
    let spy = Spy::new(Verdict::Allow);
    let env = stage
        .env()
        .with_policy(std::sync::Arc::new(Asked(std::sync::Arc::clone(&spy))));
    let executor = trial.executor(&env)?;
    let plain = Call::new("GET", "/s")?.with_body(json!({"limit": "10"}));
    let control = stage.observe(&executor, &plain)?;
    if !control
        .requests
        .iter()
        .any(|request| stage.target(request) == b"/s?limit=10")
    {
        return Ok(undecided(&plain, &control));
    }
    let spy = trial.profile().policy.then_some(&*spy);
    let mut cases = 0;
    for method in pairing_methods(trial, &stage, &executor)? {
        let plain = Call::new(method, "/s")?;
        for (body, pairs) in listed() {
            let call = plain.clone().with_body(body);
            if let Some(found) = encoded(&stage, &executor, spy, &call, pairs.as_ref())? {
                return Ok(Finding::broken(found));
            }
            cases += 1;
        }
    }
    let text = "[ -~]{0,6}|[a-zé日\u{1F600}&=#+%; ]{0,6}";
    let strategy = proptest::collection::btree_map("[!-~]{1,5}|[a-zé&=#+%;]{1,5}", text, 1..4)
        .prop_map(|fields| {
            fields
                .into_iter()
                .map(|(k, v)| (k, Value::from(v)))
                .collect::<Map<_, _>>()
        });
    let generated = trial.for_all(trial.settings().cases.min(128), &strategy, |fields| {
        let body = Value::from(fields);
        let pairs = texts_of(&body);
        let call = Call::new("GET", "/s")?.with_body(body);
        encoded(&stage, &executor, spy, &call, Some(&pairs))
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        other => other,
    })
}

/// Bodies, and the pairs they stand for where that is certain.
fn listed() -> Vec<(Value, Option<Pairs>)> {
    let pair = |key: &str, value: &str| Some(vec![(key.to_owned(), value.to_owned())]);
    let values = TEXTS
        .iter()
        .map(|text| (json!({"q": text}), pair("q", text)));
    let keys = TEXTS
        .iter()
        .map(|text| (json!({*text: "v"}), pair(text, "v")));
    let others = [
        (json!({"q": ""}), pair("q", "")),
        (json!({"q": 7}), pair("q", "7")),
        (json!({"q": -7.5}), pair("q", "-7.5")),
        (json!({"q": u64::MAX}), pair("q", "18446744073709551615")),
        (json!({"q": true}), pair("q", "true")),
        (json!({"q": false}), pair("q", "false")),
        (json!({"q": 0}), pair("q", "0")),
        (
            json!({"q": 9_007_199_254_740_993_u64}),
            pair("q", "9007199254740993"),
        ),
        (json!({"q": i64::MIN}), pair("q", "-9223372036854775808")),
        (json!({"": "v"}), pair("", "v")),
        (json!({"q": "x".repeat(LONG)}), pair("q", &"x".repeat(LONG))),
        (
            json!({"q": "é".repeat(LONG / 2)}),
            pair("q", &"é".repeat(LONG / 2)),
        ),
        (json!({"q": null}), None),
        (json!({"q": null, "r": "x"}), None),
    ];
    values.chain(keys).chain(others).collect()
}

fn encoded(
    stage: &Stage,
    executor: &Driven<'_>,
    spy: Option<&Spy>,
    call: &Call,
    meant: Option<&Pairs>,
) -> Result<Option<Counterexample>, Stop> {
    let before = spy.map_or(0, |spy| spy.seen().len());
    let observed = stage.observe(executor, call)?;
    let found = |headline: &str, seen: String| {
        let body = call.body.clone().unwrap_or_default();
        let brief: String = body.to_string().chars().take(40).collect();
        Counterexample::new(format!("{headline}: {brief}"))
            .step(call.to_string(), observed.told())
            .expected("form-decoded, the recorded query is exactly the pairs that were meant")
            .seen(seen)
            .twin("`limit=10` arrived as it is")
    };
    for request in &observed.requests {
        if request.target().contains(&b'#') {
            let seen = format!("a fragment was sent: {request}");
            return Ok(Some(found("a pair was cut off by a fragment", seen)));
        }
        let mut pairs = stage.pairs(request);
        if let Some(shown) = spy
            .and_then(|spy| spy.last_after(before))
            .map(|case| pairs_of(&case))
            && by_key(shown.clone()) != by_key(pairs.clone())
        {
            let seen = format!("the policy saw {shown:?}, and {pairs:?} was sent");
            return Ok(Some(found(
                "the policy saw other pairs than were sent",
                seen,
            )));
        }
        pairs.sort();
        if let Some(meant) = meant.filter(|meant| **meant != pairs) {
            let seen = format!("{meant:?} was meant, and {pairs:?} was sent: {request}");
            return Ok(Some(found("a pair does not survive its encoding", seen)));
        }
    }
    Ok(None)
}
