//! The program as its users meet it: through arguments, streams, files and exit codes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test says what is wrong by failing"
)]

mod bad_input;
mod certify;
mod documents;
mod interrupted;
mod program;
mod report;
mod selftest;
mod streams;
