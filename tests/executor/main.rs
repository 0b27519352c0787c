//! Plans are run within their limits, and what is refused is never sent.
#![cfg(test)]

mod calls;
mod expressions;
mod joining;
mod laws;
mod limits;
mod outgoing;
mod steps;
mod subject;
