//! Bodies of fuzz targets: each takes the fuzzer's bytes and a subject, any subject, and says what
//! promise it broke.
//!
//! A target is one line over a body; see `fuzz/fuzz_targets/` for those of this repository. The
//! bodies run the subject in the fuzzer's own process, so a panic or an overflow is the fuzzer's to
//! report.

mod credential_scan;
mod executor;
mod leash_exec;
mod leash_lattice;
#[cfg(unix)]
mod leash_paths;
mod policy;
mod resolver;
mod violation;

pub use credential_scan::credential_scan;
pub use executor::ExecutorFuzzer;
pub use leash_exec::leash_exec;
pub use leash_lattice::leash_lattice;
#[cfg(unix)]
pub use leash_paths::leash_paths;
pub use policy::{PolicyFuzzer, Script};
pub use resolver::ResolverFuzzer;
pub use violation::Violation;
