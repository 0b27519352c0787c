//! The requirement catalogue: what a conforming subject does, as data.

mod field;
mod id;
mod index;
mod load;
mod requirement;
mod word;

pub use field::{FieldArea, FieldId, ParseFieldIdError, UnconvictedField};
pub use id::{Family, ParseIdError, RequirementId};
pub use index::Catalogue;
pub use load::CatalogueError;
pub use requirement::{
    Level, Mode, Requirement, RequirementSummary, Source, SubjectKind, Transport,
};
pub use word::ParseWordError;
