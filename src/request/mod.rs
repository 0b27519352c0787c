//! One outbound request as a policy sees it, before any credential exists.

mod outbound;
mod visit;

pub use outbound::{OutboundRequest, RequestPhase};
pub use visit::{FieldPath, RequestVisitor};
