//! POL-22: an allowed prefix counts only at the start, and to the end of a segment.

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
        .expected("refused: it does not begin with the prefix and go on at a segment's end")
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

/// The prefix further inside, going on within a segment, in a query, and on another host; each time
/// with that tail behind it.
fn elsewhere(parts: &Parts, tail: &str) -> Vec<String> {
    let path = start(parts);
    let whole = parts.with_path(path);
    let authority = parts.authority();
    let mut written: Vec<String> = [
        format!("/x{path}{tail}"),
        format!("/x/y{path}{tail}"),
        format!("{path}-old{tail}"),
        format!("{path}x{tail}"),
        format!("{path}.old{tail}"),
        format!("/x?next={path}{tail}"),
        format!("/x?next={whole}{tail}"),
        format!("/x/{whole}{tail}"),
    ]
    .map(|path| parts.with_path(&path))
    .into();
    let scheme = &parts.scheme;
    written.extend([
        format!("{scheme}://other.example.test{path}{tail}"),
        format!("{scheme}://other.example.test/{authority}{path}{tail}"),
        format!("{scheme}://other.example.test/{whole}{tail}"),
        format!("{scheme}://other.example.test/?next={whole}{tail}"),
    ]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_put_in_every_place_where_it_does_not_count() {
        let written = elsewhere(&Parts::of("https://a.test/v1/models").unwrap(), "/7");
        for expected in [
            "https://a.test/x/v1/models/7",
            "https://a.test/v1/models-old/7",
            "https://a.test/x?next=/v1/models/7",
            "https://other.example.test/v1/models/7",
        ] {
            assert!(written.iter().any(|text| text == expected), "{expected}");
        }
    }

    #[test]
    fn an_admitted_request_says_what_may_stand_behind_the_prefix() {
        let parts = Parts::of("https://a.test/v1/").unwrap();
        let admitted = RequestCase::get("https://a.test/v1/items?q=1");
        assert_eq!(tails(&parts, &admitted), ["", "/7", "/items"]);
    }
}
