//! One outbound request as a policy sees it, before any credential exists.

mod call_id;
mod outbound;
mod visit;

pub use call_id::{CallId, NoRandomBytes};
pub use outbound::{OutboundRequest, RequestPhase};
pub use visit::{FieldPath, RequestVisitor};
