//! POL-22: an allowed prefix counts only at the start of a path.

use super::allowed_neighbour::{admitted_instance, outside};
use super::headline::line;
use super::spelling::Parts;
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let mut cases = 0;
    for prefix in &trial.profile().prefixes {
        let request = admitted_instance(trial, prefix)?;
        let Some(parts) = prefix.instance().as_deref().and_then(Parts::of) else {
            continue;
        };
        for tail in tails(&parts, &request) {
            let within = parts.with_path(&format!("{}{tail}", start(&parts)));
            let within = request.clone().with_path(&within);
            // What is not admitted where it belongs proves nothing elsewhere.
            if !trial.fresh()?.ask(&within)?.allows() {
                continue;
            }
            for written in elsewhere(&parts, &tail) {
                if outside(trial, &written).is_none() {
                    continue;
                }
                cases += 1;
                let asked = request.clone().with_path(&written);
                if trial.fresh()?.ask(&asked)?.allows() {
                    return Ok(Finding::broken(passed(&within, &asked)));
                }
            }
        }
    }
    Ok(Finding::held(cases))
}

fn passed(within: &RequestCase, asked: &RequestCase) -> Counterexample {
    let headline = line("", &within.path, " lets in ", &asked.path, "");
    Counterexample::new(headline)
        .step(asked, "allowed")
        .expected("refused: the prefix stands further inside the path")
        .seen("allowed")
        .twin(format!("`{within}` was allowed, as declared"))
}

/// The prefix's path, without a slash at its end.
fn start(parts: &Parts) -> &str {
    parts.path.trim_end_matches('/')
}

/// What may stand behind the prefix: nothing, a segment, and what stands there in a request that
/// is known to be admitted.
fn tails(parts: &Parts, admitted: &RequestCase) -> Vec<String> {
    let mut tails = vec![String::new(), "/7".to_owned()];
    let known = Parts::of(&admitted.path);
    let known = known
        .as_ref()
        .and_then(|known| known.path.strip_prefix(start(parts)));
    tails.extend(known.filter(|tail| tail.len() > 1).map(str::to_owned));
    tails.dedup();
    tails
}

/// The prefix further inside a path of its own origin, with that tail behind it. That it goes on
/// within a segment, or stands on another host, is for POL-12 to see.
fn elsewhere(parts: &Parts, tail: &str) -> Vec<String> {
    let path = start(parts);
    let whole = parts.with_path(path);
    [
        format!("/x{path}{tail}"),
        format!("/x/y{path}{tail}"),
        format!("/x/{whole}{tail}"),
    ]
    .map(|path| parts.with_path(&path))
    .into()
}
