//! Nothing a caller supplies changes where a request goes or what it says.
#![cfg(test)]

mod bad_input;
mod composition;
mod laws;
mod resolution;
mod subject;
mod values;
