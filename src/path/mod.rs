//! Resolving placeholders into a request target, so that nothing a caller supplies can change
//! where the request goes or what it says.

mod bytes;
mod floor;
mod fold;
pub(crate) mod nesting;
mod pattern;
mod place;
mod refusal;
mod resolve;
mod resolved;
mod rules;
mod segments;
mod target;
mod template;

pub use floor::{PLACEHOLDER_MAX_LENGTH, validate_path_placeholder};
pub use nesting::MAX_BODY_DEPTH;
pub use pattern::DeclaredPattern;
pub use refusal::PlaceholderRefusal;
pub use resolve::{InterpolatedPath, Resolution, ResolveError};
pub use resolved::{ResolvedPath, ResolvedTarget};
pub use rules::PlaceholderRules;
pub use target::{validate_resolved_path, validate_resolved_target};
pub use template::{Interpolation, PathPart, PathTemplate, TemplateError};
