//! The credential scanner: finds a secret in any text or value, in every usual encoding, and never
//! shows it.
//!
//! [`Scanner`] reads texts and streams, [`Views`] and
//! [`assert_no_credential!`](crate::assert_no_credential) every view of a value,
//! [`TraceCapture`] what `tracing` is told; [`judge`] holds other scanners to the same promises.

mod capture;
mod decode;
mod encoding;
mod engine;
mod finding;
mod index;
pub mod judge;
mod literal;
mod scanner;
mod secret;
mod stream;
mod views;

pub use capture::TraceCapture;
pub use encoding::{Encoding, EncodingChain, ParseChainError};
pub use finding::{Finding, Inconclusive, Scan};
pub use scanner::{ScanError, Scanner, ScannerBuilder};
pub use secret::{Floor, Secret, Weakness};
pub use stream::Stream;
#[doc(hidden)]
pub use views::probe;
pub use views::{
    CredentialFound, CredentialPlace, CredentialSource, TextKind, TextSource, Unproven, ViewError,
    Views, assert_no_credential, check_no_credential,
};
