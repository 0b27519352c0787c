//! A watch over the asks in flight, so that a subject that never answers can be named.

use std::fmt::{self, Display, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::subject::RequestCase;

/// What has been handed to the subject and has not come back yet.
#[derive(Default)]
pub struct Watch {
    state: Mutex<State>,
    announce: Option<Announce>,
}

/// So many characters of what is asked are kept.
const LONGEST_WHAT: usize = 200;

type Announce = Box<dyn Fn(&dyn Display) + Send + Sync>;

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    in_flight: usize,
    polling: usize,
    lifecycle: usize,
    moved: Option<Instant>,
    what: String,
}

/// What a subject is stuck in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// What it was handed last.
    pub what: String,
    /// What it was handed that for.
    pub hands: Hands,
}

/// How a subject has something in its hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hands {
    /// It is being built or torn down.
    Lifecycle,
    /// It was asked, and holds the thread that polls it.
    Polling,
    /// It was asked, and waits.
    Waiting,
}

impl Watch {
    /// What the subject is stuck in, if nothing came back for longer than `deadline`.
    #[must_use]
    pub fn stuck(&self, deadline: Duration) -> Option<Stuck> {
        let state = self.lock();
        let moved = state.moved?;
        (state.in_flight > 0 && moved.elapsed() > deadline).then(|| Stuck {
            what: state.what.clone(),
            hands: match (state.lifecycle > 0, state.polling > 0) {
                (true, _) => Hands::Lifecycle,
                (_, true) => Hands::Polling,
                (_, false) => Hands::Waiting,
            },
        })
    }

    /// A watch that passes on what a check announces.
    #[must_use]
    pub fn announcing(announce: impl Fn(&dyn Display) + Send + Sync + 'static) -> Self {
        Self {
            announce: Some(Box::new(announce)),
            ..Self::default()
        }
    }

    pub(super) fn announce(&self, asked: &dyn Display) {
        if let Some(announce) = &self.announce {
            announce(asked);
        }
    }

    pub(super) fn asking(&self, request: &RequestCase) -> InFlight<'_> {
        self.entered(|what| {
            let preview = if request.preview { " (preview)" } else { "" };
            let path: String = request.path.chars().take(100).collect();
            // Writing to a `String` cannot fail.
            let _ = write!(what, "{} {}{preview}", request.method, path.escape_debug());
        })
    }

    pub(super) fn asked(&self, asked: &dyn Display) -> InFlight<'_> {
        self.entered(|what| {
            let shown = asked.to_string();
            for character in shown.chars().take(LONGEST_WHAT) {
                if character.is_control() {
                    what.extend(character.escape_debug());
                } else {
                    what.push(character);
                }
            }
        })
    }

    pub(super) fn lifecycle(&self, what: &str) -> Lifecycle<'_> {
        self.lock().lifecycle += 1;
        Lifecycle {
            watch: self,
            _in_flight: self.entered(|shown| shown.push_str(what)),
        }
    }

    fn entered(&self, describe: impl FnOnce(&mut String)) -> InFlight<'_> {
        let mut state = self.lock();
        state.in_flight += 1;
        state.moved = Some(Instant::now());
        state.what.clear();
        describe(&mut state.what);
        InFlight { watch: self }
    }

    pub(super) fn polling(&self) -> Polling<'_> {
        self.lock().polling += 1;
        Polling { watch: self }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something is in the subject's hands until this is dropped.
#[must_use]
pub(super) struct InFlight<'a> {
    watch: &'a Watch,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let mut state = self.watch.lock();
        state.in_flight -= 1;
        state.moved = Some(Instant::now());
    }
}

/// The subject is being built or torn down until this is dropped.
#[must_use]
pub(super) struct Lifecycle<'a> {
    watch: &'a Watch,
    _in_flight: InFlight<'a>,
}

impl Drop for Lifecycle<'_> {
    fn drop(&mut self) {
        self.watch.lock().lifecycle -= 1;
    }
}

/// A thread is inside the subject's `poll` until this is dropped.
#[must_use]
pub(super) struct Polling<'a> {
    watch: &'a Watch,
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.watch.lock().polling -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_too_long_is_named() {
        let watch = Watch::default();
        let request = RequestCase::get("https://a.test/x");

        let asked = watch.asking(&request);
        std::thread::sleep(Duration::from_millis(2));

        let stuck = watch.stuck(Duration::from_millis(1)).unwrap();
        assert_eq!(stuck.what, "GET https://a.test/x");
        assert_eq!(stuck.hands, Hands::Waiting);
        drop(asked);
        assert_eq!(watch.stuck(Duration::ZERO), None);
    }
}
