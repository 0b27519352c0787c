//! A request made ready before any credential exists: one value that the policy is shown and that
//! is then sent.

mod base_url;
mod method;
pub(crate) mod pairs;
mod question;
mod request;

pub use base_url::{BaseUrl, BaseUrlError};
pub use method::Method;
pub use question::{Attribution, ask_policy};
pub use request::{MAX_TARGET_BYTES, OutgoingRequest};
