//! Executors: the toolkit's own, broken ones, and conforming ones that look suspicious.

mod courier;
mod flaw;
mod quirk;
mod quirky;
mod reference;
mod specimens;
pub(crate) mod wire;

pub use reference::references;
pub(crate) use specimens::{look_alikes, specimens};
