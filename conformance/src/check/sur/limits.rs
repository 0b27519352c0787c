//! SUR-08: declared limits of scripts and answers hold.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{Scene, Sight, stage};
use super::wanted::{Form, Wanted, forms, methods, runs_loops};
use crate::check::exe::spy::Verdict;
use crate::check::exe::stage::sound;
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply, Script as Backend};
use crate::subject::{Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Finding, Judged, Stop, Trial};

/// What lies one unit within a limit, and what lies beyond it.
struct Limit {
    told: String,
    within: Attempt,
    beyond: Vec<Attempt>,
    /// The most requests that may be recorded.
    requests: Option<usize>,
}

/// A call, and what the backend does meanwhile.
struct Attempt {
    what: &'static str,
    call: ToolCall,
    backend: Backend,
    /// The target that is answered so; every other is answered as is usual.
    only: Option<&'static [u8]>,
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let item = Wanted::new("GET", "/items");
    let profile = trial.profile();
    let mut tools = vec![item.tool("get_items")];
    let scripted = forms(trial).contains(&Form::Scripted);
    if let Some(limit) = profile.calls_per_script.filter(|_| scripted) {
        tools.push(ToolSpec::script(OWN, listed("GET", size(limit) + 1)));
    }
    let scene = Scene::under(trial, stage(trial)?, Verdict::Allow, tools)?;
    let loops = scripted && runs_loops(&scene)?;
    let posts = methods(trial).iter().any(|method| method == "POST");
    let mut limits = Vec::new();
    limits.extend(
        profile
            .calls_per_script
            .map(|limit| calls(size(limit), loops, posts)),
    );
    limits.extend(profile.loop_iterations.map(|limit| iterations(size(limit))));
    for form in forms(trial) {
        let call = item.call(form, "get_items");
        limits.extend(
            profile
                .response_bytes
                .map(|limit| response(form, &call, size(limit))),
        );
    }
    let mut cases = 0;
    for limit in &limits {
        let within = attempt(&scene, &limit.within)?;
        cases += 1;
        if !within.called.is_value() {
            return Ok(Finding::Undecided(format!(
                "the control failed: {}, what lies within it does not succeed ({}): {}",
                limit.told,
                limit.within.what,
                within.told()
            )));
        }
        for beyond in &limit.beyond {
            let sight = attempt(&scene, beyond)?;
            cases += 1;
            if let Some(found) = exceeded(limit, beyond, &sight) {
                return Ok(Finding::broken(found));
            }
        }
    }
    if let Some(limit) = profile.script_ms {
        match time(&scene, limit)? {
            Finding::Held { cases: more } => cases += usize::try_from(more).unwrap_or_default(),
            other => return Ok(other),
        }
    }
    if let Some(limit) = profile.calls_per_script.map(size) {
        if let Some(found) = at_once(&scene, limit)? {
            return Ok(Finding::broken(found));
        }
        cases += 1;
    }
    Ok(Finding::held(cases))
}

/// The tool whose script is the server's own.
const OWN: &str = "run_report";

/// So many scripts are run at the same time.
const AT_ONCE: usize = 4;

/// Scripts that each go beyond the limit, all at once.
fn at_once(scene: &Scene<'_>, limit: usize) -> Result<Option<Counterexample>, Stop> {
    scene.stage.backend.answer_with(sound());
    let call = ToolCall::of_script(listed("GET", limit + 1));
    let mark = scene.stage.backend.settled_tally();
    let ends = scene.surface.call_all(&vec![call.clone(); AT_ONCE])?;
    let sent = scene.stage.backend.since(mark).1.len();
    let values = ends.iter().filter(|end| end.is_value()).count();
    let within = values == 0 && sent <= limit * AT_ONCE;
    Ok((!within).then(|| {
        Counterexample::new(format!(
            "a script may make {limit} calls, and of {AT_ONCE} at once that each make one more, {values} end in a result"
        ))
        .step(call.to_string(), format!("made {AT_ONCE} times at once"))
        .expected("each script ends with an error, and nothing beyond the limit is done")
        .seen(format!("{sent} requests, and {values} results"))
        .twin("one after another, each such script ended with an error")
    }))
}

/// How much longer than it may a script has to take, twice, until that proves something.
const LENIENCE: Duration = Duration::from_secs(1);

fn attempt(scene: &Scene<'_>, attempt: &Attempt) -> Result<Sight, Stop> {
    let (backend, only) = (attempt.backend.clone(), attempt.only);
    let responder = move |request: &Recorded| match only {
        Some(path) if !request.path().ends_with(path) => Backend::from(sound()),
        _ => backend.clone(),
    };
    scene.stage.backend.answer_with(responder);
    scene.see(&attempt.call)
}

fn exceeded(limit: &Limit, beyond: &Attempt, sight: &Sight) -> Option<Counterexample> {
    let sent = sight.requests.len();
    let what = if sight.called.is_value() {
        format!("{} ends in a result", beyond.what)
    } else if limit.requests.is_some_and(|most| sent > most) {
        format!("{} sends {sent} requests", beyond.what)
    } else {
        return None;
    };
    Some(
        Counterexample::new(format!("{}, and {what}", limit.told))
            .step(beyond.call.to_string(), &sight.called)
            .expected("the script ends with an error, and nothing beyond the limit is done")
            .seen(format!("{sent} requests, and {}", sight.called))
            .twin(format!("within the limit, {} succeeds", limit.within.what)),
    )
}

fn size(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn numbers(count: usize) -> Vec<Value> {
    (0..count).map(|number| json!(number)).collect()
}

fn of(what: &'static str, script: Script, backend: impl Into<Backend>) -> Attempt {
    let script = script.returning(ScriptValue::literal("done"));
    Attempt {
        what,
        call: ToolCall::of_script(script),
        backend: backend.into(),
        only: None,
    }
}

/// A script of so many calls, one after another.
fn listed(method: &str, count: usize) -> Script {
    let call = |number| ScriptCall::new(method, format!("/items/{number}"));
    let script = (0..count).fold(Script::new(), |script, number| script.call(call(number)));
    script.returning(ScriptValue::literal("done"))
}

fn calls(limit: usize, loops: bool, posts: bool) -> Limit {
    let one = || Script::new().call(ScriptCall::new("GET", "/items/${item}"));
    let looped = |count| Script::new().for_each("item", numbers(count), one());
    let twice = looped(limit / 2 + 1).for_each("item", numbers(limit / 2 + 1), one());
    let nested = Script::new().for_each("row", numbers(2), looped(limit / 2 + 1));
    let bare = |script: Script| {
        let mut script = script;
        script.steps.pop();
        script
    };
    let mut beyond = vec![of(
        "one call more, one after another",
        bare(listed("GET", limit + 1)),
        sound(),
    )];
    if loops {
        beyond.extend([
            of("one call more, in a loop", looped(limit + 1), sound()),
            of("one loop after another", twice, sound()),
            of("a loop in a loop", nested, sound()),
        ]);
    }
    if posts {
        let posted = bare(listed("POST", limit + 1));
        beyond.push(of("one POST more", posted, sound()));
    }
    beyond.push(Attempt {
        call: ToolCall::new(OWN, json!({})),
        ..of(
            "one call more, in a tool's own script",
            Script::new(),
            sound(),
        )
    });
    let within = match loops {
        true => of("a loop of as many calls", looped(limit), sound()),
        false => of("as many calls", bare(listed("GET", limit)), sound()),
    };
    Limit {
        told: format!("a script may make {limit} calls"),
        within,
        beyond,
        requests: Some(limit),
    }
}

fn iterations(limit: usize) -> Limit {
    let body = || Script::new().assign("seen", json!(true));
    let one = |count| Script::new().for_each("item", numbers(count), body());
    // Each loop alone stays within the limit.
    let nested = Script::new().for_each(
        "row",
        numbers(limit / 2),
        Script::new().for_each("column", numbers(limit / 2 + 1), body()),
    );
    let twice = (0..2).fold(Script::new(), |script, _| {
        script.for_each("item", numbers(limit / 2 + 1), body())
    });
    Limit {
        told: format!("the loops of a script may run through {limit} iterations"),
        within: of("a loop of as many", one(limit), sound()),
        beyond: vec![
            of("a loop of one more", one(limit + 1), sound()),
            of("a loop in a loop", nested, sound()),
            of("one loop after another", twice, sound()),
        ],
        requests: None,
    }
}

fn response(form: Form, call: &ToolCall, limit: usize) -> Limit {
    let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes.saturating_sub(2)));
    let json = |bytes: usize| {
        Reply::new(200)
            .header("content-type", "application/json")
            .body(text(bytes))
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    // Without a length nobody knows in advance how much will come.
    let unannounced = Backend::new()
        .raw(format!(
            "{head}connection: close\r\n\r\n{}",
            text(limit + 1)
        ))
        .close();
    let chunk = format!("{:x}\r\n{}\r\n", limit, "x".repeat(limit));
    let endless = Backend::new()
        .raw(format!(
            "{head}transfer-encoding: chunked\r\n\r\n1\r\n\"\r\n"
        ))
        .endless(chunk, Duration::from_millis(1));
    let attempt = |what, backend| Attempt {
        what,
        call: call.clone(),
        backend,
        only: None,
    };
    // As many letters, of two bytes each.
    let wide = Reply::new(200)
        .header("content-type", "application/json")
        .body(format!("\"{}\"", "é".repeat(limit / 2)));
    let mut beyond = vec![
        attempt("an answer of one more", json(limit + 1).into()),
        attempt("an answer of more bytes, and fewer letters", wide.into()),
        attempt(
            "an answer of one more, whose length is not announced",
            unannounced,
        ),
        attempt("an answer without end", endless),
    ];
    if form == Form::Scripted {
        let script = Script::new()
            .call(ScriptCall::new("GET", "/items"))
            .call(ScriptCall::new("GET", "/items/large"));
        beyond.push(Attempt {
            only: Some(b"/large"),
            ..of("a second answer of one more", script, json(limit + 1))
        });
    }
    let way = match form {
        Form::Curated => "a tool",
        Form::Scripted => "a script",
    };
    Limit {
        told: format!("{way} may read an answer of {limit} bytes"),
        within: attempt("an answer of as many", json(limit).into()),
        beyond,
        requests: None,
    }
}

/// What a script may be kept waiting for, by the beginning of a path.
fn waits(limit: u64, request: &Recorded) -> Backend {
    let path = request.path();
    let holds = |part: &[u8]| memchr::memmem::find(path, part).is_some();
    let share = match () {
        () if holds(b"/never/") => return Backend::new(),
        () if holds(b"/late/") => 150,
        () if holds(b"/slow/") => 60,
        () => 10,
    };
    let wait = Duration::from_millis(limit * share / 100);
    Backend::new().wait(wait).reply(sound())
}

/// What takes longer than a script may, by what paths, and in how many calls.
const KINDS: [(&str, &str, usize); 3] = [
    ("calls that each take less, and together more", "slow", 3),
    (
        "a call that takes half as long again, and is answered",
        "late",
        1,
    ),
    ("a call that is never answered", "never", 1),
];

/// Scripts that are kept waiting, all at once: each takes its whole time.
fn time(scene: &Scene<'_>, limit: u64) -> Judged {
    scene
        .stage
        .backend
        .answer_with(move |request: &Recorded| waits(limit, request));
    let calls = |kind: &str, count| {
        let call = |number| ScriptCall::new("GET", format!("/{kind}/{number}"));
        let script = (0..count).fold(Script::new(), |script, number| script.call(call(number)));
        ToolCall::of_script(script.returning(ScriptValue::literal("done")))
    };
    let told = format!("a script may take {limit} ms");
    let within = calls("items", 1);
    let sight = scene.see(&within)?;
    if !sight.called.is_value() {
        return Ok(Finding::Undecided(format!(
            "the control failed: {told}, and `{within}`, which takes a tenth, does not succeed: {}",
            sight.told()
        )));
    }
    let beyond = KINDS.map(|(what, kind, count)| (what, calls(kind, count)));
    let found = |call: &ToolCall, what: String| {
        let found = Counterexample::new(format!("{told}, and {what}"))
            .step(call.to_string(), &what)
            .expected("the script ends with an error when its time is over")
            .seen(what)
            .twin("one call that takes a tenth of it succeeds");
        Ok(Finding::broken(found))
    };
    let all: Vec<ToolCall> = beyond.iter().map(|(_, call)| call.clone()).collect();
    let limit = Duration::from_millis(limit);
    let most = (limit * 3).max(limit + LENIENCE);
    let mut took = Duration::ZERO;
    // A busy machine may be slow once.
    for _ in 0..2 {
        let started = Instant::now();
        let ends = scene.surface.call_all(&all)?;
        took = started.elapsed();
        for ((what, call), end) in beyond.iter().zip(&ends) {
            if end.is_value() {
                return found(call, format!("{what} ends in a result"));
            }
        }
        if took <= most {
            return Ok(Finding::held(1 + all.len()));
        }
    }
    found(
        &all[2],
        format!(
            "one that never ends by itself ends after {} ms",
            took.as_millis()
        ),
    )
}
