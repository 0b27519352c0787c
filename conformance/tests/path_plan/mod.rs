//! The plan of `vectors/path_*.json`: which cases there are, and why. The answers are the oracle's.

mod compositions;
mod drafts;
pub mod oracle;
mod targets;
mod values;

pub use compositions::all as compositions;
pub use drafts::written;
pub use targets::all as targets;
pub use values::all as values;
