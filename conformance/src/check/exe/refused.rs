//! EXE-13 and EXE-19: what the policy refuses, or says nothing about, is neither sent nor
//! authenticated.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::grounds;
use super::spy::{Asked, Spy, Verdict};
use super::stage::{Mark, Observed, Stage, listen, sent_methods, sound, supports};
use crate::outcome::Counterexample;
use crate::recorder::Recorded;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Driven, Ending, Finding, Judged, Running, Stop, Trial};

/// How long a request that must not come is waited for, at the least.
const LISTENS: Duration = Duration::from_millis(20);

/// So many calls come and go, one after another, while such a request is waited for: one that was
/// let out before them is not slower than all of them.
const PASSERS_BY: usize = 3;

/// The deadline of an executor whose policy never answers.
const DEADLINE: Duration = Duration::from_millis(100);

/// EXE-13.
pub(super) fn neither_sent_nor_authenticated(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    let stage = Stage::new(trial)?;
    let methods = sent_methods(trial, &stage, &trial.executor(&stage.env())?)?;
    for way in ways(&methods) {
        let asked = asked(trial, &way)?;
        cases += 2;
        if !asked.twin_is_sound() && !way.is_usual {
            continue;
        }
        if !asked.twin_is_sound() {
            return Ok(Finding::Undecided(format!(
                "the control failed: the allowed `{}` is not sent with its credential: {}",
                asked.allowed,
                asked.twin.told()
            )));
        }
        if let Some(found) = asked.found() {
            return Ok(Finding::broken(found));
        }
    }
    match grounds::disregarded(trial, &stage)? {
        Some(found) => Ok(Finding::broken(found)),
        None => Ok(Finding::held(cases)),
    }
}

/// How a request is handed over whose like is refused and allowed.
struct Way {
    method: String,
    /// What follows the path.
    query: &'static str,
    body: Option<Value>,
    /// Whether it has to arrive where it is allowed.
    is_usual: bool,
}

/// Every method; and for the usual ones, other ways to hand them over.
fn ways(methods: &[&str]) -> Vec<Way> {
    let body = Some(json!({"name": "x"}));
    let way = |method: &str| Way {
        method: method.to_owned(),
        query: "",
        body: body.clone(),
        is_usual: false,
    };
    let is_usual = |method: &&&str| matches!(**method, "GET" | "POST");
    let usual = methods.iter().filter(is_usual).map(|method| Way {
        is_usual: true,
        ..way(method)
    });
    let others = methods
        .iter()
        .filter(|method| !is_usual(method))
        .map(|method| way(method));
    let varied = methods.iter().filter(is_usual).flat_map(|method| {
        [
            Way {
                query: "?own=1",
                ..way(method)
            },
            Way {
                body: None,
                ..way(method)
            },
            way(&method.to_ascii_lowercase()),
        ]
    });
    usual.chain(others).chain(varied).collect()
}

/// So often the refused call is made again in the end.
const AGAIN: usize = 4;

/// A refused call, its allowed twin, and the refused call again.
struct AskedThrice {
    stage: Stage,
    refused: Call,
    allowed: Call,
    first: Observed,
    /// Whether the token endpoint had heard anything after the first.
    fetched: bool,
    twin: Observed,
    again: Observed,
    times: usize,
}

fn asked(trial: &Trial<'_, ExecutorSubject>, way: &Way) -> Result<AskedThrice, Stop> {
    let stage = Stage::new(trial)?;
    let spy = Spy::new(Verdict::RefuseTarget("/refused"));
    let env = stage.env().with_policy(Arc::new(Asked(Arc::clone(&spy))));
    let call = |path: &str| -> Result<Call, Stop> {
        let mut call = Call::new(&way.method, &format!("{path}{}", way.query))?;
        call.body.clone_from(&way.body);
        Ok(call)
    };
    let (refused, allowed) = (call("/refused/7")?, call("/allowed/7")?);
    // Refused first: what a token endpoint gave out before would not be fetched again.
    let executor = trial.executor(&env)?;
    // What is fetched when it is built is fetched for no request.
    let tokens = stage.tokens.as_ref();
    let built = tokens.map(|tokens| (tokens, tokens.settled_tally()));
    let first = stage.observe(&executor, &refused)?;
    let fetched = built.is_some_and(|(tokens, tally)| !tokens.since(tally).0);
    let twin = stage.observe(&executor, &allowed)?;
    let mut again = stage.observe(&executor, &refused)?;
    for _ in 1..AGAIN {
        if again.silent && !again.ending.is_value() {
            again = stage.observe(&executor, &refused)?;
        }
    }
    let times = spy.seen().len();
    Ok(AskedThrice {
        stage,
        refused,
        allowed,
        first,
        fetched,
        twin,
        again,
        times,
    })
}

impl AskedThrice {
    /// Whether the allowed twin was sent with its credential.
    fn twin_is_sound(&self) -> bool {
        let sent = |request: &Recorded| {
            let carried = self.stage.times_carried(request) > 0;
            request.path() == b"/allowed/7" && (carried || self.stage.scheme.is_none())
        };
        self.twin.requests.iter().any(sent)
    }

    fn found(&self) -> Option<Counterexample> {
        let values = self.first.ending.is_value() || self.again.ending.is_value();
        let headline = if !self.first.silent || !self.again.silent {
            "a request that the policy refuses is sent"
        } else if self.fetched {
            "a request that the policy refuses is authenticated"
        } else if values {
            "a request that the policy refuses is answered as a success"
        } else {
            return None;
        };
        let seen = match &self.stage.tokens {
            Some(_) if self.fetched => "the token endpoint heard from it".to_owned(),
            _ if self.first.silent => self.again.told(),
            _ => self.first.told(),
        };
        let refused = self.refused.to_string();
        Some(
            Counterexample::new(headline)
                .step(refused.clone(), &self.first.ending)
                .step(self.allowed.to_string(), &self.twin.ending)
                .step(refused, &self.again.ending)
                .expected(
                    "an error; the backend hears nothing, and no credential is fetched or made",
                )
                .seen(format!("{seen}; the policy was asked {} times", self.times))
                .twin("the allowed twin was sent and authenticated"),
        )
    }
}

/// EXE-19.
pub(super) fn without_an_answer(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let mut cases = 0;
    for method in ["GET", "POST"]
        .into_iter()
        .filter(|method| supports(trial, method))
    {
        match without_an_answer_to(trial, method)? {
            Finding::Held { cases: more } => cases += more,
            other => return Ok(other),
        }
    }
    Ok(Finding::Held { cases })
}

fn without_an_answer_to(trial: &Trial<'_, ExecutorSubject>, method: &str) -> Judged {
    let stage = Stage::new(trial)?;
    let call = Call::new(method, "/items/7")?.with_body(json!({"name": "x"}));
    let took = delayed_control(trial, &stage, &call)?;
    let mut cases = 0;
    let ways = [
        (Verdict::Panic, "a policy that panics"),
        (Verdict::Never, "a policy that never answers"),
        (
            Verdict::OnceReleased,
            "a policy that answers after the call was dropped",
        ),
    ];
    for (verdict, name) in ways {
        // An executor may give up by itself: then it must not fall through to sending.
        let patience = match verdict {
            Verdict::OnceReleased => Duration::ZERO,
            _ => DEADLINE + LISTENS * 2,
        };
        let panics = matches!(verdict, Verdict::Panic);
        let spy = Spy::new(verdict);
        let env = stage
            .env()
            .with_deadline(DEADLINE)
            .with_policy(Arc::new(Asked(Arc::clone(&spy))));
        let executor = trial.executor(&env)?;
        let mark = Mark::of(&stage.backend);
        let running = executor.start(&call)?;
        await_asked(&spy, &executor)?;
        let ending = running.wait(patience);
        give_up(running, &ending, &executor)?;
        if panics {
            // What the panic left behind must not let the next one out either.
            let running = executor.start(&call)?;
            let ending = running.wait(patience);
            give_up(running, &ending, &executor)?;
        }
        spy.release();
        let observed = listen_on(trial, &stage, &mark, took, ending)?;
        cases += 1;
        if !observed.silent {
            return Ok(Finding::broken(
                Counterexample::new(format!("{name} lets the request out"))
                    .step(call.to_string(), observed.told())
                    .expected("nothing is sent before the policy has said yes")
                    .seen(observed.told())
                    .twin("a policy that allows after a while let the same request through"),
            ));
        }
    }
    Ok(Finding::held(cases))
}

/// An allowing policy that takes its time lets the call through; how long that takes.
pub(super) fn delayed_control(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    call: &Call,
) -> Result<Duration, Stop> {
    let spy = Spy::new(Verdict::OnceReleased);
    let env = stage.env().with_policy(Arc::new(Asked(Arc::clone(&spy))));
    let executor = trial.executor(&env)?;
    let mark = Mark::of(&stage.backend);
    let running = executor.start(call)?;
    await_asked(&spy, &executor)?;
    let started = Instant::now();
    spy.release();
    let ending = executor.ended(call, running.wait(executor.patience()))?;
    let observed = mark.observed(&stage.backend, ending);
    if observed.requests.is_empty() {
        return Err(Stop::Undecided(format!(
            "the control failed: a policy that allows after a while does not let `{call}` through: {}",
            observed.told()
        )));
    }
    Ok(started.elapsed())
}

/// Waits until the policy was asked.
pub(super) fn await_asked(spy: &Spy, executor: &Driven<'_>) -> Result<(), Stop> {
    let started = Instant::now();
    while spy.seen().is_empty() {
        if started.elapsed() > executor.patience() {
            return Err(Stop::Undecided(
                "the control failed: the policy is not asked".to_owned(),
            ));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Drops a call that has not ended.
pub(super) fn give_up(
    running: Running,
    ending: &Ending,
    executor: &Driven<'_>,
) -> Result<(), Stop> {
    if *ending == Ending::Unanswered && !running.drop_call(executor.patience()) {
        return Err(Stop::Undecided(
            "a call that was dropped did not come to an end: it holds its thread".to_owned(),
        ));
    }
    Ok(())
}

/// Listens for what must not come, several times as long as it took the twin to come, and while
/// other calls pass by.
pub(super) fn listen_on(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    mark: &Mark,
    took: Duration,
    ending: Ending,
) -> Result<Observed, Stop> {
    let until = Instant::now() + LISTENS.max(took * 3);
    let elsewhere = listen(sound())?;
    let passer_by = trial.executor(&stage.env().with_base_url(elsewhere.base_url()))?;
    let call = Call::new("GET", "/passing/by")?;
    for _ in 0..PASSERS_BY {
        passer_by.call(&call)?;
    }
    loop {
        let observed = mark.observed(&stage.backend, ending.clone());
        if !observed.silent || Instant::now() >= until {
            return Ok(observed);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
