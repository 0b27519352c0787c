//! POL-22: an allowed prefix counts only at the start, and to the end of a segment.

use super::allowed_neighbour::{admitted_instance, outside};
use super::headline::line;
use super::spelling::Parts;
use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let mut cases = 0;
    for prefix in &trial.profile().prefixes {
        let request = admitted_instance(trial, prefix)?;
        let Some(parts) = prefix.instance().as_deref().and_then(Parts::of) else {
            continue;
        };
        let path = parts.path.trim_end_matches('/');
        for within in [parts.path.clone(), format!("{path}/7")] {
            let within = request.clone().with_path(&parts.with_path(&within));
            if !trial.fresh()?.ask(&within)?.allows() {
                return Ok(Finding::Undecided(format!(
                    "the control failed: `{within}` was refused, although it lies in the declared prefix `{prefix}`; declare a longer prefix, or `endpoints`"
                )));
            }
        }
        for written in elsewhere(&parts) {
            if outside(trial, &written).is_none() {
                continue;
            }
            cases += 1;
            let asked = request.clone().with_path(&written);
            let answer = trial.fresh()?.ask(&asked)?;
            if answer.allows() {
                let prefix = parts.with_path(&parts.path);
                let headline = line("the prefix ", &prefix, " also allows ", &written, "");
                return Ok(Finding::broken(
                    Counterexample::new(headline)
                        .step(&asked, &answer)
                        .expected("refused: it does not begin with the prefix and go on at a segment's end")
                        .seen("allowed")
                        .twin(format!("`{prefix}` and {path}/7 were allowed, as declared")),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// The prefix further inside, going on within a segment, in a query, and on another host.
fn elsewhere(parts: &Parts) -> Vec<String> {
    let path = parts.path.trim_end_matches('/');
    let whole = parts.with_path(path);
    let authority = parts.authority();
    let mut written: Vec<String> = [
        format!("/x{path}"),
        format!("/x{path}/7"),
        format!("/x/y{path}"),
        format!("{path}-old"),
        format!("{path}x"),
        format!("{path}.old/7"),
        format!("/x?next={path}"),
        format!("/x?next={whole}"),
        format!("/x/{whole}"),
    ]
    .map(|path| parts.with_path(&path))
    .into();
    let scheme = &parts.scheme;
    written.extend([
        format!("{scheme}://other.example.test{path}"),
        format!("{scheme}://other.example.test/{authority}{path}"),
        format!("{scheme}://other.example.test/{whole}"),
        format!("{scheme}://other.example.test/?next={whole}"),
    ]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_is_put_in_every_place_where_it_does_not_count() {
        let written = elsewhere(&Parts::of("https://a.test/v1/models").unwrap());
        for expected in [
            "https://a.test/x/v1/models",
            "https://a.test/v1/models-old",
            "https://a.test/x?next=/v1/models",
            "https://other.example.test/v1/models",
        ] {
            assert!(written.iter().any(|text| text == expected), "{expected}");
        }
    }
}
