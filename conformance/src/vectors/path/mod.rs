//! The vectors about placeholders: single values, finished targets, and whole templates.
//!
//! Each has an answer for a resolver that refuses what it must not pass on (`result`) and one for
//! a resolver that encodes it (`encode`). Where a resolver may do either, an expectation that is
//! given still holds for what it sends.
//!
//! ```
//! use proofmark_conformance::toolkit::path::validate_path_placeholder;
//! use proofmark_conformance::vectors::path::{Answer, ValueVector};
//!
//! for vector in ValueVector::built_in()? {
//!     let seen = validate_path_placeholder("id", &vector.value.expand(), &vector.rules.as_toolkit());
//!     match vector.result {
//!         Answer::Accept => assert!(seen.is_ok(), "{}: {}", vector.id, vector.reason),
//!         Answer::Refuse => assert!(seen.is_err(), "{}: {}", vector.id, vector.reason),
//!         Answer::Either => {}
//!     }
//! }
//! # Ok::<(), proofmark_conformance::vectors::VectorsError>(())
//! ```

mod answer;
mod composition;
mod rules;
mod target;
mod text;
mod value;

use serde::{Deserialize, Serialize};

pub use answer::{Answer, RefusalRule};
pub use composition::{CompositionVector, EncodedAnswer, Expectation};
pub use rules::{RulesFor, ValueRules};
pub use target::TargetVector;
pub use text::{TextPart, VectorText};
pub use value::{EncodedValue, ValueVector};

/// A file of vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorSet<V> {
    /// The version of the shape, 1.
    pub schema: u32,
    /// The vectors, in the order of the file.
    pub vectors: Vec<V>,
}
