//! Judges any credential scanner: the seam it comes through, the vectors, and the counterexamples.

mod counterexample;
mod reference;
mod seam;
mod vector;

pub use counterexample::{Counterexample, judge_near_misses, judge_planted, judge_silence};
pub use reference::ReferenceScanner;
pub use seam::{CredentialScanner, ReportedFinding, ScanReport};
pub use vector::{
    Blob, CREDENTIAL_SCAN, Expected, ScanVector, ScanVectors, VectorKind, VectorSecret,
};
