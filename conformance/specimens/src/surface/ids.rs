//! The ids of a desk's calls, sound ones and others.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use proofmark::request::CallId;
use proofmark_conformance::subject::{ToolCall, ToolFailure};

use super::flaw::Flaw;

/// How many calls this process has numbered.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// The id of one call.
pub(super) fn id_of(flaw: Flaw, call: &ToolCall, credential: &str) -> Result<String, ToolFailure> {
    let number = || CALLS.fetch_add(1, Ordering::Relaxed);
    match flaw {
        Flaw::TakesTheMessagesId => {
            let id = call.message_id.as_str().map(str::to_owned);
            Ok(format!(
                "call-{}",
                id.unwrap_or_else(|| call.message_id.to_string())
            ))
        }
        Flaw::HashesTheArguments => {
            let mut hasher = DefaultHasher::new();
            call.arguments.to_string().hash(&mut hasher);
            let script = call.script.as_ref().map(|script| script.source());
            script.hash(&mut hasher);
            Ok(format!("{:016x}", hasher.finish()))
        }
        Flaw::CountsCalls => Ok(format!("call-{:06}", number())),
        Flaw::SeedsItsGenerator => Ok(format!("{:016x}", scrambled(number()))),
        Flaw::ShowsTheCredential => Ok(format!("{}-{credential}", minted()?)),
        Flaw::TurnsAWheel => Ok(format!("{}-{:03}", of_process(), number() % 500)),
        _ => minted(),
    }
}

/// What all ids of this process begin with, and those of no other.
fn of_process() -> &'static str {
    static BEGINNING: OnceLock<String> = OnceLock::new();
    BEGINNING.get_or_init(|| minted().unwrap_or_default())
}

/// A fresh id.
pub(super) fn minted() -> Result<String, ToolFailure> {
    let id = CallId::mint().map_err(|cause| ToolFailure::fault(cause.to_string()))?;
    Ok(id.as_str().to_owned())
}

/// A step of a generator that always begins with the same seed.
fn scrambled(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}
