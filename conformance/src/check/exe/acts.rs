//! How the judge's own backend misbehaves.

use std::time::Duration;

use super::stage::sound;
use crate::recorder::{Recorded, Respond, Script};

/// What an executor is given that takes its deadline.
pub(in crate::check) const SHORT: Duration = Duration::from_millis(200);

/// Plays the act that the target names.
pub(in crate::check) struct Acts(pub(in crate::check) Vec<Script>);

impl Respond for Acts {
    fn respond(&self, request: &Recorded) -> Script {
        let path = String::from_utf8_lossy(request.path()).into_owned();
        let number = path.strip_prefix("/act/");
        let number = number.and_then(|number| number.parse::<usize>().ok());
        let script = number.and_then(|number| self.0.get(number));
        script.cloned().unwrap_or_else(|| sound().into())
    }
}

/// Resets every connection before anything is read from it.
pub(in crate::check) struct ResetsAtOnce;

impl Respond for ResetsAtOnce {
    fn respond(&self, _: &Recorded) -> Script {
        Script::new().reset()
    }

    fn greet(&self, _: usize) -> Script {
        Script::new().reset()
    }
}
