//! Executors for an imaginary shop's API over three HTTP clients: as one writes them with the
//! clients' defaults, and as they pass.

pub mod naive;
pub mod repaired;
