//! PATH-23: whether a URL in an author-written query value composes. It is only reported.

use super::ordeal::unmet_control;
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Trial};

const RAW: &str = "/a?next=https://x.test/y";
const ENCODED: &str = "/a?next=https%3A%2F%2Fx.test%2Fy";

/// PATH-23.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let control = ResolveCase::new("/a?next=plain");
    if let Some(reason) = unmet_control(trial, &control)? {
        return Ok(Finding::Undecided(reason));
    }
    let told = |template: &str| {
        trial
            .resolve(&ResolveCase::new(template))
            .map(|reply| reply.to_string())
    };
    let (raw, encoded) = (told(RAW)?, told(ENCODED)?);
    Ok(Finding::broken(
        Counterexample::new(format!("`{RAW}` -> {raw}, `{ENCODED}` -> {encoded}"))
            .expected("nothing: refusing it is safe")
            .seen(raw)
            .twin(format!("`{control}` resolves")),
    ))
}
