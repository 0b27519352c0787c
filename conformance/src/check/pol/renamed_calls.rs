//! POL-08: call ids are opaque, so renaming them consistently changes nothing.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::check::call_names::{confusable, shown};
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

const PLAIN: [&str; 3] = ["call-a", "call-b", "call-c"];

/// Requests in order, each with which call makes it and how often.
type Script = Vec<(RequestCase, usize, u64)>;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let cases = trial.cases()?.div_ceil(4);
    let base = trial.base();
    let most = trial.profile().requests.unwrap_or(3).min(64);
    let used_up: Script = [(0, most), (0, 1), (1, most), (1, 1), (2, 1), (0, 1)]
        .map(|(call, times)| (base.clone(), call, times))
        .to_vec();
    let namings = confusable();
    for naming in &namings {
        if let Some(counterexample) =
            renamed(trial, &used_up, &naming.each_ref().map(String::as_str))?
        {
            return Ok(Finding::broken(counterexample));
        }
    }
    let script = vec((trial.requests(), 0_usize..3, 1..=most.max(1)), 1..6);
    let naming = prop_oneof![
        1 => prop::sample::select(namings),
        1 => ["[a-z0-9-]{1,40}", "[A-Z][0-9a-f]{8}", "[!-~]{2,12}"],
    ];
    trial.for_all(cases, &(script, naming), |(script, naming)| {
        let distinct = naming[0] != naming[1] && naming[1] != naming[2] && naming[0] != naming[2];
        if distinct {
            renamed(trial, &script, &naming.each_ref().map(String::as_str))
        } else {
            Ok(None)
        }
    })
}

fn renamed(
    trial: &Trial<'_>,
    script: &Script,
    naming: &[&str; 3],
) -> Result<Option<Counterexample>, Stop> {
    let plain = play(trial, script, &PLAIN)?;
    let other = play(trial, script, naming)?;
    let Some(index) =
        (0..plain.len()).find(|&index| plain[index].1.word() != other[index].1.word())
    else {
        return Ok(None);
    };
    if !settled(trial, script, &PLAIN, &plain)? || !settled(trial, script, naming, &other)? {
        return Err(Stop::Undecided(
            "two fresh subjects answer the same requests differently, so renaming proves nothing"
                .to_owned(),
        ));
    }
    let mut cx = Counterexample::new("renaming the calls changes a verdict");
    for ((request, answer), (_, _, times)) in other.iter().zip(script).take(index + 1) {
        cx = cx.steps(*times, request, answer);
    }
    let (request, before, after) = (&other[index].0, &plain[index].1, &other[index].1);
    Ok(Some(
        cx.expected(format!("{before}: call ids are opaque names"))
            .seen(format!("`{request}` was {after}"))
            .twin(format!(
                "with the calls named {PLAIN:?} instead of {:?} it was {before}",
                naming.map(shown)
            )),
    ))
}

/// Whether fresh subjects keep answering like this: only then is it the names that matter.
fn settled(
    trial: &Trial<'_>,
    script: &Script,
    naming: &[&str; 3],
    answers: &[(RequestCase, Answer)],
) -> Result<bool, Stop> {
    for _ in 0..3 {
        if play(trial, script, naming)? != answers {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Plays the script on a fresh subject; of a repeated request the last answer counts.
fn play(
    trial: &Trial<'_>,
    script: &Script,
    naming: &[&str; 3],
) -> Result<Vec<(RequestCase, Answer)>, Stop> {
    let instance = trial.fresh()?;
    script
        .iter()
        .map(|(request, call, times)| {
            let request = request.clone().with_call(naming[*call]);
            for _ in 1..*times {
                instance.ask(&request)?;
            }
            let answer = instance.ask(&request)?;
            Ok((request, answer))
        })
        .collect()
}
