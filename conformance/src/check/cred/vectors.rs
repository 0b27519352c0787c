//! CRED-05, CRED-08 and CRED-09: what a scanner says to the vectors, and what it tells of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::outcome;
use crate::scan::judge::{
    Counterexample, CredentialScanner, ScanVector, ScanVectors, judge_near_misses, judge_planted,
    judge_silence,
};
use crate::subject::ScannerSubject;
use crate::trial::{Finding, Judged, Stop};

type Judge = fn(&dyn CredentialScanner, &[ScanVector]) -> Vec<Counterexample>;

/// CRED-05.
pub(super) fn planted(subject: &ScannerSubject) -> Judged {
    judge(subject, |scanner, vectors| judge_planted(scanner, vectors))
}

/// CRED-08.
pub(super) fn silence(subject: &ScannerSubject) -> Judged {
    judge(subject, |scanner, vectors| judge_silence(scanner, vectors))
}

/// CRED-09.
pub(super) fn near_misses(subject: &ScannerSubject) -> Judged {
    judge(subject, |scanner, vectors| {
        judge_near_misses(scanner, vectors)
    })
}

fn judge(subject: &ScannerSubject, judge: Judge) -> Judged {
    let vectors = ScanVectors::built_in()
        .map_err(|cause| Stop::Harness(format!("the vectors cannot be read: {cause}")))?
        .vectors;
    let found = catch_unwind(AssertUnwindSafe(|| {
        judge(subject.make().as_ref(), &vectors)
    }));
    let Ok(found) = found else {
        return Ok(Finding::Undecided("the scanner panicked".to_owned()));
    };
    let right = vectors.len() - found.len();
    let Some(first) = found.first() else {
        return Ok(Finding::held(vectors.len()));
    };
    if right == 0 {
        return Ok(Finding::Undecided(format!(
            "the control failed: not one of {} vectors was answered rightly",
            vectors.len()
        )));
    }
    Ok(Finding::broken(
        outcome::Counterexample::new(format!(
            "vector {}: expected {}, seen {}",
            first.vector, first.expected, first.seen
        ))
        .expected(format!("{}: {}", first.expected, first.reason))
        .seen(format!("{}, given {}", first.seen, first.given))
        .twin(format!(
            "{right} of {} vectors were answered rightly",
            vectors.len()
        )),
    ))
}
