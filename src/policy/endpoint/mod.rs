//! Which endpoints a request may go to, decided on the spelling that will be sent.

mod allowlist;
mod denylist;
mod pattern;
mod spelling;
mod target;

pub use allowlist::EndpointAllowlist;
pub use denylist::EndpointDenylist;
pub use pattern::{EndpointPattern, EndpointPatternError};
pub use spelling::TargetFault;
pub(super) use target::Target;
