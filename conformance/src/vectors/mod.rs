//! The vectors as typed data: cases with known answers, usable without any of this crate.
//!
//! The files themselves, what their fields mean and how to use them from another language are
//! described in `vectors/README.md` of this package.

mod file;
pub mod path;

pub use file::{FILES, VectorFile, VectorsError, digest_of_all, file};
