//! BUD-10: a limit of nothing, of one or of all there is keeps its meaning, and no size wraps.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::outcome::Counterexample;
use crate::profile::{Kind, PolicyProfile, Window};
use crate::subject::{PolicyEnv, RequestCase};
use crate::trial::{Finding, Instance, Judged, Load, Stop, Trial};

/// The largest body shown, in bytes.
const LARGE: usize = 16 << 20;

/// Bodies of these sizes are a small number to whoever keeps 8, 16 or 24 bits of it.
const SIZES: &[usize] = &[1 << 16, LARGE];

/// The largest number of each type that a limit is likely to be kept in.
const MAXIMA: &[u64] = &[u64::MAX, i64::MAX as u64, u32::MAX as u64];

/// So many of the largest bodies are more than 32 bits can count.
const PAST_32_BITS: u64 = (1 << 32) / LARGE as u64 + 1;

/// That many are only shown to a subject that answers as fast as this.
const QUICK: Duration = Duration::from_millis(4);

/// So many small requests are asked at most.
const MOST_ASKS: u64 = 256;

/// What the limit is a number of, and what the checks start from.
struct Subject<'t> {
    trial: &'t Trial<'t>,
    load: Load,
    whole: u64,
    /// Whether it is the only limit, so that nothing else refuses: no other, and no burst.
    alone: bool,
    /// Whether a burst of its own, declared or not, says how many are admitted at once.
    bursts: bool,
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let profile = trial.profile();
    if !matches!(profile.kind, Some(Kind::Budget | Kind::Rate)) {
        return Ok(Finding::NotApplicable(
            "the profile declares no budget and no rate".to_owned(),
        ));
    }
    // The control: with the declared limit the subject admits something, and then no more.
    let (load, whole) = trial.spent_load()?;
    let rate = profile.kind == Some(Kind::Rate);
    let bursts = profile.burst.is_some() || (rate && Some(whole) != profile.at_once());
    let subject = Subject {
        trial,
        load,
        whole,
        alone: limits(profile) == 1 && profile.window != Some(Window::Bucket),
        bursts,
    };
    let declared = trial.declared_limit();
    let mut parts: Vec<(u64, Part)> = vec![(0, nothing), (1, one), (declared, over_the_limit)];
    parts.extend(MAXIMA.iter().map(|&most| (most, everything as Part)));
    parts.push((u32::MAX.into(), past_32_bits));
    for (limit, part) in &parts {
        match part(&subject, *limit) {
            Ok(None) => {}
            Ok(Some(found)) => return Ok(Finding::broken(found)),
            Err(Stop::Panicked(found)) => {
                return Ok(Finding::broken(panicked(&subject, *limit, &found.seen)));
            }
            Err(Stop::Factory(seen)) => {
                return Ok(Finding::broken(panicked(&subject, *limit, &seen)));
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(Finding::held(parts.len()))
}

type Part = fn(&Subject<'_>, u64) -> Result<Option<Counterexample>, Stop>;

fn limits(profile: &PolicyProfile) -> usize {
    let limits = [profile.requests, profile.bytes, profile.distinct_endpoints];
    limits.into_iter().flatten().count()
}

impl Subject<'_> {
    fn made(&self, limit: u64) -> Result<Instance<'_>, Stop> {
        self.trial.fresh_in(PolicyEnv::new(limit))
    }

    fn counts_bytes(&self) -> bool {
        self.trial.profile().bytes.is_some() && self.alone
    }

    fn small(&self) -> RequestCase {
        self.load.base().clone()
    }

    fn with_body(&self, bytes: usize) -> RequestCase {
        let body = json!({"text": "t".repeat(bytes)});
        self.small().with_method("POST").with_body(body)
    }

    fn twin(&self) -> String {
        let (limit, whole) = (self.trial.declared_limit(), self.whole);
        format!("built with a limit of {limit}, it admits {whole} like it and no more")
    }
}

fn panicked(subject: &Subject<'_>, limit: u64, seen: &str) -> Counterexample {
    Counterexample::new(format!("a limit of {limit} makes it panic"))
        .expected("an answer, whatever the limit")
        .seen(seen)
        .twin(subject.twin())
}

/// A step of a request whose body is too long to print.
fn told(headline: String, request: &RequestCase, bytes: usize, verdict: &str) -> Counterexample {
    let mut shown = request.clone();
    shown.body = None;
    Counterexample::new(headline).step(&shown, format!("{verdict}, with a body of {bytes} bytes"))
}

/// Under a limit of 0.
fn nothing(subject: &Subject<'_>, limit: u64) -> Result<Option<Counterexample>, Stop> {
    let instance = subject.made(limit)?;
    let large = subject.with_body(LARGE);
    let first = subject.load.request(0);
    for request in [&subject.small(), &large, &first, &large, &subject.small()] {
        if instance.ask(request)?.allows() && !subject.bursts {
            let shown = if request.body == large.body {
                &first
            } else {
                request
            };
            return Ok(Some(
                Counterexample::new("a limit of 0 admits a request")
                    .step(shown, "allowed")
                    .expected("refused: 0 means nothing")
                    .seen("allowed")
                    .twin(subject.twin()),
            ));
        }
    }
    Ok(None)
}

/// Under a limit of 1, where one request or endpoint is one.
fn one(subject: &Subject<'_>, limit: u64) -> Result<Option<Counterexample>, Stop> {
    let instance = subject.made(limit)?;
    let large = subject.with_body(LARGE);
    if subject.counts_bytes() || !subject.alone {
        for request in [&large, &subject.small(), &large] {
            instance.ask(request)?;
        }
        return Ok(None);
    }
    let mut admitted = 0;
    while admitted < 3 && instance.ask(&subject.load.request(admitted))?.allows() {
        admitted += 1;
    }
    instance.ask(&large)?;
    if admitted == limit {
        return Ok(None);
    }
    let request = subject.load.request(admitted.saturating_sub(1));
    Ok(Some(
        Counterexample::new(format!("a limit of 1 admits {admitted}"))
            .steps(
                admitted.max(1),
                &request,
                if admitted > 1 { "allowed" } else { "refused" },
            )
            .expected("1 admitted")
            .seen(format!("{admitted} admitted"))
            .twin(subject.twin()),
    ))
}

/// Under the largest limits nothing that is asked here is refused.
fn everything(subject: &Subject<'_>, limit: u64) -> Result<Option<Counterexample>, Stop> {
    let instance = subject.made(limit)?;
    let asks = if subject.alone { subject.whole + 2 } else { 1 };
    for index in 0..asks.min(MOST_ASKS) {
        let request = subject.load.request(index);
        if !instance.ask(&request)?.allows() {
            return Ok(Some(
                Counterexample::new(format!("a limit of {limit} refuses request {}", index + 1))
                    .steps(index + 1, &request, "refused")
                    .expected("allowed: the limit is far from reached")
                    .seen("refused")
                    .twin(subject.twin()),
            ));
        }
    }
    let large = subject.with_body(LARGE);
    let short = subject.with_body(1);
    let bodies = subject.counts_bytes() && subject.made(limit)?.ask(&short)?.allows();
    for request in [&large, &large, &subject.small(), &large] {
        let refused = !instance.ask(request)?.allows();
        let judged = if request.body == large.body {
            bodies
        } else {
            subject.alone
        };
        if refused && judged {
            let headline =
                format!("a limit of {limit} refuses a body of 16 MiB, or what follows it");
            return Ok(Some(
                told(headline, request, LARGE, "refused")
                    .expected("allowed: the limit is far from reached")
                    .seen("refused")
                    .twin("the same request with a body of one byte is allowed"),
            ));
        }
    }
    Ok(None)
}

/// A body that alone is over the declared limit, first, between and last.
fn over_the_limit(subject: &Subject<'_>, limit: u64) -> Result<Option<Counterexample>, Stop> {
    let fits = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX) <= limit;
    for &bytes in SIZES {
        let instance = subject.made(limit)?;
        let large = subject.with_body(bytes);
        let over = subject.counts_bytes() && !fits(bytes);
        let admitted = instance.ask(&large)?.allows() || instance.ask(&large)?.allows();
        let row = subject.load.spend(&instance, |request| request)?;
        let later = instance.ask(&large)?.allows() || instance.ask(&large)?.allows();
        if over && (admitted || later) {
            let headline = format!("a body of {bytes} bytes passes a limit of {limit}");
            return Ok(Some(
                told(headline, &large, bytes, "allowed")
                    .expected("refused: no size is added up past the end of a number")
                    .seen("allowed")
                    .twin(subject.twin()),
            ));
        }
        let again = instance.ask(&subject.load.request(subject.whole))?.allows();
        if row.admitted > subject.whole || (row.refused && again) {
            let headline = format!("a body of {bytes} bytes refills a budget of {limit}");
            return Ok(Some(
                told(headline, &large, bytes, "asked first, and last")
                    .steps(row.admitted + 1, &subject.load.request(0), "allowed")
                    .expected(format!("{} admitted at most", subject.whole))
                    .seen(format!("{} admitted, and more after it", row.admitted))
                    .twin(subject.twin()),
            ));
        }
    }
    Ok(None)
}

/// More bytes than 32 bits count, under the largest limit that they hold.
fn past_32_bits(subject: &Subject<'_>, limit: u64) -> Result<Option<Counterexample>, Stop> {
    if !subject.counts_bytes() {
        return Ok(None);
    }
    let instance = subject.made(limit)?;
    let large = subject.with_body(LARGE);
    let started = Instant::now();
    let mut admitted = 0;
    while admitted < PAST_32_BITS && instance.ask(&large)?.allows() {
        admitted += 1;
        if admitted == 4 && started.elapsed() > 4 * QUICK {
            return Ok(None);
        }
    }
    if admitted < PAST_32_BITS {
        return Ok(None);
    }
    let headline = format!("{admitted} bodies of 16 MiB pass a limit of {limit}");
    Ok(Some(
        told(headline, &large, LARGE, "allowed each time")
            .expected("a refusal: together they are more than 4 GiB")
            .seen("all of them allowed")
            .twin(subject.twin()),
    ))
}
