//! What a subject promises: the facts its author declares and the judge holds it to.

mod any;
mod capability;
mod endpoint;
mod error;
mod executor;
mod leash;
mod policy;
mod resolver;
mod sample;
mod surface;
mod validate;

pub use any::Profile;
pub use capability::{Capabilities, Capability};
pub use endpoint::{DeclaredEndpoint, EndpointError};
pub use error::ProfileError;
pub use executor::{ArrayForm, AuthScheme, ExecutorProfile};
pub use leash::LeashProfile;
pub use policy::{Kind, PolicyProfile, Scope, Window};
pub use resolver::{OnReserved, ResolverProfile};
pub use sample::{Sample, SampleError};
pub use surface::SurfaceProfile;
