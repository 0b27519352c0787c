//! The `conformance!` macro: one entry a subject, one test a row.

mod entry;
mod fragment;
mod row;
#[cfg(test)]
mod row_table;
mod rows;

pub use fragment::{Fragment, FragmentError, VARIABLE as FRAGMENTS};
#[doc(hidden)]
pub use row::row;
