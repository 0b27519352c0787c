//! The seams: what can be judged, and the requests it is shown.

mod policy;
mod request_case;

pub use policy::{PolicyEnv, PolicySubject, Takes};
pub use request_case::RequestCase;
