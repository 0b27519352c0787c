//! EXE-01: every request goes to the base URL's origin, beneath its path.

use std::net::{IpAddr, Ipv6Addr};

use serde_json::json;

use super::stage::{Stage, listen, sent_methods, sound};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Recorder};
use crate::subject::ExecutorSubject;
use crate::trial::{Built, Call, Driven, Ending, Finding, Judged, Stop, Trial};

/// What follows the origin in a base URL, and what every target then begins with.
const BASES: &[(&str, &str)] = &[
    ("", ""),
    ("/", ""),
    ("/v1", "/v1"),
    ("/v1/", "/v1"),
    ("/v1/tenants/a", "/v1/tenants/a"),
    ("/v1/tenants/a/", "/v1/tenants/a"),
    ("/v1.2", "/v1.2"),
    ("/api/index.php/", "/api/index.php"),
];

/// Paths of characters that no client has a reason to change.
const PLAIN: &[&str] = &["/items/7", "/v1/items", "/items.json"];

/// What follows the origin in a base that may be refused, and the part of it that has to survive.
const QUESTIONABLE: &[(&str, Option<(&str, &str)>)] = &[
    ("/v1?tenant=a7", Some(("tenant", "a7"))),
    ("/v1/?tenant=a7", Some(("tenant", "a7"))),
    ("/v1#part", None),
];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let tripwire = listen(sound())?;
    let control = trial.executor(&stage.env())?;
    stage.control(&control)?;
    let methods = sent_methods(trial, &stage, &control)?;
    let mut cases = 0;
    let hosts = host_like(&tripwire);
    for (suffix, prefix) in BASES {
        let base = format!("{}{suffix}", stage.backend.base_url());
        let Built::Executor(executor) = trial.build(&stage.env().with_base_url(&base))? else {
            continue;
        };
        for path in PLAIN
            .iter()
            .map(|path| (*path).to_owned())
            .chain(hosts.clone())
        {
            let call = Call::new("GET", &path)?;
            let observed = stage.observe(&executor, &call)?;
            cases += 1;
            let strays = |request: &&Recorded| !stays(&stage, request, prefix, &path);
            let stray = observed.requests.iter().find(strays);
            if let Some(stray) = stray {
                return Ok(Finding::broken(
                    Counterexample::new(format!(
                        "the base `{suffix}` and the path `{path}` became another target"
                    ))
                    .step(call.to_string(), observed.told())
                    .expected(format!("a target that is `{prefix}` and then `{path}`"))
                    .seen(format!(
                        "built on a base that ends in `{suffix}`, it sent: {stray}"
                    ))
                    .twin("on a base without a path, `/items/7` arrived as it is"),
                ));
            }
            if !tripwire.is_silent() {
                return Ok(Finding::broken(
                    Counterexample::new(format!("`{path}` took the request to another host"))
                        .step(call.to_string(), &observed.ending)
                        .expected("every request goes to the base URL's origin")
                        .seen(format!("the tripwire at {} heard it", tripwire.address()))
                        .twin("on the same base, `/items/7` went to the backend"),
                ));
            }
        }
    }
    for (suffix, survives) in QUESTIONABLE {
        cases += 1;
        if let Some(found) = questionable(trial, &stage, suffix, *survives)? {
            return Ok(Finding::broken(found));
        }
    }
    let elsewhere = under_other_names(trial, stage, &methods)?;
    Ok(elsewhere.map_or_else(|| Finding::held(cases + 1), Finding::broken))
}

/// Calls of every method, with and without fields, on bases by other names of this machine.
fn under_other_names(
    trial: &Trial<'_, ExecutorSubject>,
    mut stage: Stage,
    methods: &[&str],
) -> Result<Option<Counterexample>, Stop> {
    let port = stage.backend.address().port();
    let named = [stage.backend.base_url(), format!("http://localhost:{port}")];
    for base in named {
        if let Some(found) = of_every_method(trial, &stage, &base, methods)? {
            return Ok(Some(found));
        }
    }
    // A machine may have no such address.
    let Ok(backend) = Recorder::start_on(IpAddr::V6(Ipv6Addr::LOCALHOST), sound()) else {
        return Ok(None);
    };
    stage.backend = backend;
    let base = stage.backend.base_url();
    of_every_method(trial, &stage, &base, methods)
}

fn of_every_method(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    origin: &str,
    methods: &[&str],
) -> Result<Option<Counterexample>, Stop> {
    for suffix in ["/v1", "/v1/"] {
        let base = format!("{origin}{suffix}");
        let Built::Executor(executor) = trial.build(&stage.env().with_base_url(&base))? else {
            continue;
        };
        for method in methods {
            for call in [
                Call::new(method, "/items/7")?,
                Call::new(method, "/items/7")?.with_body(json!({"limit": "1"})),
                Call::new(method, "/items/7?own=1")?,
            ] {
                if let Some(found) = strayed(stage, &executor, &call, origin, suffix)? {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

fn strayed(
    stage: &Stage,
    executor: &Driven<'_>,
    call: &Call,
    origin: &str,
    suffix: &str,
) -> Result<Option<Counterexample>, Stop> {
    let observed = stage.observe(executor, call)?;
    let mut requests = observed.requests.iter();
    let stray = requests.find(|request| request.path() != b"/v1/items/7");
    Ok(stray.map(|stray| {
        let port = stage.backend.address().port().to_string();
        let origin = origin.replace(&port, "PORT");
        Counterexample::new(format!(
            "{} on the base `{origin}{suffix}` went elsewhere",
            call.method
        ))
        .step(call.to_string(), observed.told())
        .expected("the path `/v1/items/7`")
        .seen(format!("it sent: {stray}"))
        .twin("on a base without a path, `/items/7` arrived as it is")
    }))
}

/// Paths with parts that look like hosts, among them the tripwire's own.
fn host_like(tripwire: &Recorder) -> Vec<String> {
    let host = tripwire.address();
    let paths = [
        "/items:batchGet".to_owned(),
        format!("/http:{host}/x"),
        format!("/@{host}/x"),
        format!("/{host}/x"),
        format!("/x@{host}"),
        format!("/items?next=http://{host}/x"),
    ];
    paths.to_vec()
}

/// Whether a request stands beneath the base's path, one `/` between them.
fn stays(stage: &Stage, request: &Recorded, prefix: &str, path: &str) -> bool {
    let target = stage.target(request);
    let Some(rest) = target.strip_prefix(prefix.as_bytes()) else {
        return false;
    };
    if PLAIN.contains(&path) {
        return rest == path.as_bytes();
    }
    rest.starts_with(b"/") && !rest.starts_with(b"//")
}

fn questionable(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    suffix: &str,
    survives: Option<(&str, &str)>,
) -> Result<Option<Counterexample>, Stop> {
    let base = format!("{}{suffix}", stage.backend.base_url());
    let Built::Executor(executor) = trial.build(&stage.env().with_base_url(&base))? else {
        return Ok(None);
    };
    let limit = json!({"limit": "1"});
    for call in [
        Call::new("GET", "/items/7")?,
        Call::new("GET", "/items/7")?.with_body(limit.clone()),
        Call::new("GET", "/items/7?own=1")?,
        Call::new("POST", "/items/7")?.with_body(limit),
    ] {
        let found = dropped(stage, &executor, &call, suffix, survives)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What is lost of a base with a query or a fragment, in one call.
fn dropped(
    stage: &Stage,
    executor: &Driven<'_>,
    call: &Call,
    suffix: &str,
    survives: Option<(&str, &str)>,
) -> Result<Option<Counterexample>, Stop> {
    let observed = stage.observe(executor, call)?;
    let found = |headline: String, seen: String| {
        Counterexample::new(headline)
            .step(call.to_string(), observed.told())
            .expected("such a base is refused when the executor is built, or its query is sent and its path kept")
            .seen(seen)
            .twin("on a base without query and fragment, the same path arrived as it is")
    };
    let Some(request) = observed.requests.first() else {
        return Ok(matches!(observed.ending, Ending::Value(_)).then(|| {
            found(
                format!("a base that ends in `{suffix}` is accepted, and nothing is sent"),
                "a value, and no request".to_owned(),
            )
        }));
    };
    if request.path() != b"/v1/items/7" {
        let seen = format!("it sent: {request}");
        return Ok(Some(found(
            format!("a base that ends in `{suffix}` loses the path"),
            seen,
        )));
    }
    let kept = survives
        .is_none_or(|(key, value)| request.pairs().iter().any(|(k, v)| k == key && v == value));
    let seen = format!("the query is missing from: {request}");
    Ok((!kept).then(|| {
        found(
            format!("the query of a base that ends in `{suffix}` is dropped"),
            seen,
        )
    }))
}
