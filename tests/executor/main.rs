//! Plans are run within their limits, and what is refused is never sent.
#![cfg(test)]

mod calls;
mod expressions;
mod joining;
mod limits;
mod outgoing;
mod steps;
mod subject;
