//! Surfaces: the toolkit's own, broken ones, and conforming ones that look suspicious.

mod arguments;
mod counted;
mod desk;
mod flaw;
mod ids;
mod line;
mod reference;
mod seldom;
mod specimens;

pub use counted::{CountedSurface, counted_surfaces};
pub(crate) use reference::references;
pub(crate) use specimens::{look_alikes, specimens};
