//! The plan of `vectors/path_*.json`: which cases there are, and why. The answers are the oracle's.

mod drafts;
pub mod oracle;
mod values;

pub use drafts::{ValueDrafts, content_id, written};
pub use values::all as values;
