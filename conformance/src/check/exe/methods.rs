//! EXE-04: fields travel as pairs or as a body, as the method demands.

use serde_json::{Value, json};

use super::stage::{Observed, Stage};
use crate::outcome::Counterexample;
use crate::recorder::Recorded;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Ending, Finding, Judged, Trial};

/// How the fields of a method travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carries {
    Pairs,
    Body,
    /// Either, but not both: what the method means is left to the API.
    Either,
}

const METHODS: &[(&str, Carries)] = &[
    ("GET", Carries::Pairs),
    ("POST", Carries::Body),
    ("HEAD", Carries::Pairs),
    ("PUT", Carries::Body),
    ("PATCH", Carries::Body),
    ("DELETE", Carries::Either),
    ("OPTIONS", Carries::Either),
    ("TRACE", Carries::Either),
    ("PROPFIND", Carries::Either),
    // What a method carries does not hang on its letter case.
    ("get", Carries::Pairs),
    ("Head", Carries::Pairs),
    ("post", Carries::Body),
    ("pUT", Carries::Body),
];

/// So many letters make a body that no single packet holds.
const MANY: usize = 200_000;

/// What is handed over by a method that carries a body, besides plain fields.
fn bodies() -> [Value; 5] {
    [
        json!({
            "text": "grüße ✓ 😀 e\u{301}", "quoted": "\"\\/\u{1}\r\n", "empty": "", "none": null,
            "no": false, "zero": 0, "list": [], "object": {}, "nested": {"a": [1, [2, null], ""]},
        }),
        // Not every one of these is a 64-bit float.
        json!({"odd": 9_007_199_254_740_993_u64, "most": u64::MAX, "least": i64::MIN, "part": 0.1}),
        json!([1, "a", null]),
        json!({"": "x", "a.b": 1, "c[]": ["x", "x"]}),
        json!({"name": "x".repeat(MANY)}),
    ]
}

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    let declared = &trial.profile().methods;
    let is_declared = |method: &str| declared.iter().any(|known| known == method);
    let is_supported = |method: &str| {
        declared.is_empty()
            || declared
                .iter()
                .any(|known| known.eq_ignore_ascii_case(method))
    };
    let one = json!({"name": "x"});
    let mut cases = 0;
    let mut controls = 0;
    for (method, carries) in METHODS {
        let supported = is_supported(method);
        for (target, body) in handed_over(&one, *carries, supported) {
            let mut call = Call::new(method, target)?;
            call.body = body.clone();
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            if supported && observed.requests.is_empty() && body.as_ref() == Some(&one) {
                let is_control = matches!(*method, "GET" | "POST");
                if is_control || is_declared(method) {
                    return Ok(Finding::Undecided(format!(
                        "the control failed: `{call}` does not arrive: {}; declare `methods` without {method} if it is not supported",
                        observed.told()
                    )));
                }
            }
            controls += u32::from(!observed.requests.is_empty());
            let fault = if supported {
                misplaced(&stage, &observed, *carries, &call)
            } else {
                unsupported(&observed)
            };
            if let Some((headline, seen)) = fault {
                return Ok(Finding::broken(
                    Counterexample::new(format!("{method}: {headline}"))
                        .step(call.to_string(), observed.told())
                        .expected("GET-like methods send pairs and no body, the others a JSON body and no pairs; a method that is not supported is an error")
                        .seen(seen)
                        .twin("a method that is supported arrives in its proper form"),
                ));
            }
        }
    }
    if controls == 0 {
        return Ok(Finding::Undecided("no method at all was sent".to_owned()));
    }
    Ok(Finding::held(cases))
}

/// Targets and bodies, simplest first.
fn handed_over(
    one: &Value,
    carries: Carries,
    supported: bool,
) -> Vec<(&'static str, Option<Value>)> {
    let mut all = vec![
        ("/items", Some(one.clone())),
        ("/items", None),
        (
            "/items",
            Some(json!({"name": "x y", "limit": 10, "exact": true})),
        ),
    ];
    if supported && carries == Carries::Body {
        all.push(("/items?own=1", Some(one.clone())));
        all.extend(bodies().map(|body| ("/items", Some(body))));
    }
    all
}

type Fault = Option<(String, String)>;

fn unsupported(observed: &Observed) -> Fault {
    let headline = "it is not declared, and still";
    if !observed.silent {
        return Some((format!("{headline} sent"), observed.told()));
    }
    let value = matches!(observed.ending, Ending::Value(_));
    value.then(|| (format!("{headline} answered as a success"), observed.told()))
}

fn misplaced(stage: &Stage, observed: &Observed, carries: Carries, call: &Call) -> Fault {
    let body = call.body.as_ref();
    if observed.silent && matches!(observed.ending, Ending::Value(_)) {
        let headline = "nothing is sent, and it is answered as a success".to_owned();
        return Some((headline, observed.told()));
    }
    observed.requests.iter().find_map(|request| {
        let as_pairs = as_pairs(stage, request, body);
        let as_body = as_body(stage, request, call);
        let fault = match carries {
            Carries::Pairs => as_pairs?,
            Carries::Body => as_body?,
            Carries::Either => {
                as_pairs?;
                as_body?
            }
        };
        let sent = request.body().get(..400).unwrap_or(request.body());
        Some((
            fault.to_owned(),
            format!("{request}: {}", sent.escape_ascii()),
        ))
    })
}

/// What is wrong with a request whose fields should be pairs.
fn as_pairs(stage: &Stage, request: &Recorded, body: Option<&Value>) -> Option<&'static str> {
    if !request.body().is_empty() {
        return Some("it has a body, and its fields are pairs");
    }
    let mut pairs = stage.pairs(request);
    pairs.sort();
    let fields = body.and_then(Value::as_object);
    let mut wanted: Vec<(String, String)> = fields
        .into_iter()
        .flatten()
        .map(|(key, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (key.clone(), text)
        })
        .collect();
    wanted.sort();
    (pairs != wanted).then_some("its pairs are not its fields")
}

/// What is wrong with a request whose fields should be its JSON body.
fn as_body(stage: &Stage, request: &Recorded, call: &Call) -> Option<&'static str> {
    let own = call.target().split_once('?').map_or("", |(_, own)| own);
    let own = url::form_urlencoded::parse(own.as_bytes()).count();
    let body = call.body.as_ref();
    // An author's pair that is lost is another row's affair.
    if stage.pairs(request).len() > own {
        return Some("it has pairs, and its fields are its body");
    }
    let Some(body) = body else {
        let nothing = [Value::Null, json!({})];
        let is_empty =
            request.body().is_empty() || request.json().is_some_and(|sent| nothing.contains(&sent));
        return (!is_empty).then_some("it has a body, and was given none");
    };
    if request.json().as_ref() != Some(body) {
        return Some("its body is not the JSON it was given");
    }
    let media_type = request.header("content-type").unwrap_or_default();
    let essence = media_type
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or_default();
    let essence = essence.trim_ascii().to_ascii_lowercase();
    let is_json = essence == b"application/json" || essence.ends_with(b"+json");
    (!is_json).then_some("its content type is not JSON")
}
