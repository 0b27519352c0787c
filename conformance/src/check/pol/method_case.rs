//! POL-20: a refused method stays refused in lower and mixed case.

use proptest::prelude::Rng as _;
use proptest::test_runner::TestRng;

use super::headline::line;
use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Trial};

/// So many random spellings follow the regular ones.
const RANDOM: usize = 4;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let admitted = trial.admitted()?;
    let mut rng = trial.rng();
    let mut cases = 0;
    for method in &trial.profile().refuse_methods {
        let refused = admitted.clone().with_method(&method.to_ascii_uppercase());
        if trial.fresh()?.ask(&refused)?.allows() {
            return Ok(Finding::Undecided(format!(
                "the control failed: `{refused}` was allowed, although its method is declared refused"
            )));
        }
        for written in spellings(&refused.method, &mut rng) {
            cases += 1;
            let request = admitted.clone().with_method(&written);
            let answer = trial.fresh()?.ask(&request)?;
            if answer.allows() {
                return Ok(Finding::broken(
                    Counterexample::new(line("the refused ", method, " passes as ", &written, ""))
                        .step(&request, &answer)
                        .expected(format!(
                            "refused: whoever sends it turns {written} into {method}"
                        ))
                        .seen("allowed")
                        .twin(format!("`{refused}` was refused, `{admitted}` was allowed")),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// Other ways to write an upper-case method, plainest first.
fn spellings(method: &str, rng: &mut TestRng) -> Vec<String> {
    let lower = method.to_ascii_lowercase();
    let cut = usize::from(method.is_char_boundary(1));
    let mut written = vec![
        lower.clone(),
        format!("{}{}", &method[..cut], &lower[cut..]),
        format!("{}{}", &lower[..cut], &method[cut..]),
    ];
    for _ in 0..RANDOM {
        let mixed = method.chars().map(|letter| match rng.next_u32() % 2 {
            0 => letter.to_ascii_lowercase(),
            _ => letter,
        });
        written.push(mixed.collect());
    }
    written.retain(|text| text != method);
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Family, RequirementId};
    use crate::seed::Seed;

    #[test]
    fn every_spelling_is_the_method_in_another_case() {
        let mut rng = Seed::new(1).rng(RequirementId::new(Family::Pol, 20));

        let written = spellings("DELETE", &mut rng);

        assert_eq!(written[..3], ["delete", "Delete", "dELETE"]);
        assert!(
            written
                .iter()
                .all(|text| text.eq_ignore_ascii_case("DELETE") && text != "DELETE")
        );
    }
}
