//! SUR-08: declared limits of scripts and answers hold.

use std::time::Duration;

use serde_json::{Value, json};

use super::scene::{Scene, Sight, stage};
use super::wanted::{Form, Wanted, forms};
use crate::check::exe::spy::Verdict;
use crate::check::exe::stage::sound;
use crate::outcome::Counterexample;
use crate::recorder::{Reply, Script as Backend};
use crate::subject::{Script, ScriptCall, ScriptValue, SurfaceSubject, ToolCall};
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
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let item = Wanted::new("GET", "/items");
    let scene = Scene::under(
        trial,
        stage(trial)?,
        Verdict::Allow,
        [item.tool("get_items")],
    )?;
    let profile = trial.profile();
    let mut limits = Vec::new();
    limits.extend(profile.calls_per_script.map(|limit| calls(size(limit))));
    limits.extend(profile.loop_iterations.map(|limit| iterations(size(limit))));
    for form in forms(trial) {
        let call = item.call(form, "get_items");
        limits.extend(
            profile
                .response_bytes
                .map(|limit| response(form, &call, size(limit))),
        );
    }
    limits.extend(profile.script_ms.map(time));
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
    Ok(Finding::held(cases))
}

fn attempt(scene: &Scene<'_>, attempt: &Attempt) -> Result<Sight, Stop> {
    scene.stage.backend.answer_with(attempt.backend.clone());
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
    }
}

fn calls(limit: usize) -> Limit {
    let looped = |count| {
        let call = ScriptCall::new("GET", "/items/${item}");
        Script::new().for_each("item", numbers(count), Script::new().call(call))
    };
    let listed = |count| {
        let call = |number| ScriptCall::new("GET", format!("/items/{number}"));
        (0..count).fold(Script::new(), |script, number| script.call(call(number)))
    };
    Limit {
        told: format!("a script may make {limit} calls"),
        within: of("a loop of as many calls", looped(limit), sound()),
        beyond: vec![
            of("one call more, in a loop", looped(limit + 1), sound()),
            of(
                "one call more, one after another",
                listed(limit + 1),
                sound(),
            ),
        ],
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
    };
    let way = match form {
        Form::Curated => "a tool",
        Form::Scripted => "a script",
    };
    Limit {
        told: format!("{way} may read an answer of {limit} bytes"),
        within: attempt("an answer of as many", json(limit).into()),
        beyond: vec![
            attempt("an answer of one more", json(limit + 1).into()),
            attempt(
                "an answer of one more, whose length is not announced",
                unannounced,
            ),
            attempt("an answer without end", endless),
        ],
        requests: None,
    }
}

fn time(limit: u64) -> Limit {
    let waits = |share: u64| {
        Backend::new()
            .wait(Duration::from_millis(limit * share / 100))
            .reply(sound())
    };
    let calls = |count| {
        let call = ScriptCall::new("GET", "/items/${item}");
        Script::new().for_each("item", numbers(count), Script::new().call(call))
    };
    Limit {
        told: format!("a script may take {limit} ms"),
        within: of("one call that takes a tenth", calls(1), waits(10)),
        beyond: vec![
            of(
                "calls that each take less, and together more",
                calls(3),
                waits(60),
            ),
            of("a call that is never answered", calls(1), Backend::new()),
        ],
        requests: None,
    }
}
