//! Judging a subject: which rows apply, what each check's end means, and the report.

mod conclude;
mod report;
mod row;

pub(crate) use conclude::{Fault, crashed, hidden, timed_out};
pub use report::{Selection, UnknownRow, report};
pub(crate) use row::panicking_place;
pub use row::{judge_row, not_applicable};
