//! The plan of `vectors/path_*.json`: which cases there are, and why. The answers are the oracle's.

mod drafts;
pub mod oracle;
mod targets;
mod values;

pub use drafts::written;
pub use targets::all as targets;
pub use values::all as values;
