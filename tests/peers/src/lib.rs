//! The toolkit beside the public crates whose promises it keeps: one face for both sides of a
//! differential test, and a stopwatch for both sides of a comparison.

pub mod answering;
pub mod authority;
pub mod measure;
pub mod plan;
