//! The resolvers of the real crates, seen through the judge's seam: the plan executor of Code Mode,
//! and the curated surface.

mod curated;
mod script;

pub use curated::curated_resolver;
pub use script::script_resolver;
