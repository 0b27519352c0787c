//! What the judge found: the outcome of each row, the counterexample, and the verdict.

mod certificate;
mod counterexample;
mod failure;
mod regression;
mod row;
mod verdict;

pub use certificate::{Certificate, NotJudged, SubjectReport};
pub use counterexample::{Asked, Counterexample, Step};
pub use failure::Failure;
pub use row::{Masked, Outcome, RowOutcome};
pub use verdict::{Tally, Verdict};
