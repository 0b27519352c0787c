//! The requirement catalogue: what a conforming subject does, as data.

mod id;

pub use id::{Family, ParseIdError, RequirementId};
