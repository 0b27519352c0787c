//! What a body may hold, and how large a request may be.

mod depth;
mod keys;
mod size;

pub(super) use depth::is_too_deep;
pub use keys::BodyKeyDenylist;
pub use size::{BodySizeLimit, TotalSizeLimit};
