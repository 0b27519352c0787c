//! The oracle of the path vectors: the requirements' sentences written down one by one, with no
//! thought of speed. It shares nothing with the toolkit's resolver.

pub mod composition;
pub mod patterns;
pub mod spelling;
pub mod target;
pub mod value;
