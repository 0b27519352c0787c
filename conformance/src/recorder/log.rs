//! What a recorder has heard so far, shared by its connections.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::recorded::Recorded;
use super::respond::Respond;

pub(super) struct Log {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    responder: Arc<dyn Respond>,
    /// The bytes of each connection.
    heard: Vec<Vec<u8>>,
    requests: Vec<Recorded>,
}

/// How much a recorder had heard at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    bytes: usize,
    requests: usize,
}

impl Log {
    pub(super) fn new(responder: Arc<dyn Respond>) -> Self {
        Self {
            state: Mutex::new(State {
                responder,
                heard: Vec::new(),
                requests: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn responder(&self) -> Arc<dyn Respond> {
        Arc::clone(&self.lock().responder)
    }

    pub(super) fn answer_with(&self, responder: Arc<dyn Respond>) {
        self.lock().responder = responder;
    }

    /// A new connection, and its number.
    pub(super) fn connected(&self) -> usize {
        let mut state = self.lock();
        state.heard.push(Vec::new());
        self.changed.notify_all();
        state.heard.len() - 1
    }

    pub(super) fn heard(&self, connection: usize, bytes: &[u8]) {
        let mut state = self.lock();
        if let Some(heard) = state.heard.get_mut(connection) {
            heard.extend_from_slice(bytes);
        }
        self.changed.notify_all();
    }

    pub(super) fn record(&self, request: Recorded) {
        self.lock().requests.push(request);
        self.changed.notify_all();
    }

    pub(super) fn connections(&self) -> usize {
        self.lock().heard.len()
    }

    pub(super) fn bytes(&self) -> Vec<Vec<u8>> {
        let state = self.lock();
        let spoke = state.heard.iter().filter(|bytes| !bytes.is_empty());
        spoke.cloned().collect()
    }

    pub(super) fn requests(&self) -> Vec<Recorded> {
        self.lock().requests.clone()
    }

    pub(super) fn tally(&self) -> Tally {
        let state = self.lock();
        Tally {
            bytes: state.heard.iter().map(Vec::len).sum(),
            requests: state.requests.len(),
        }
    }

    pub(super) fn requests_since(&self, tally: Tally) -> Vec<Recorded> {
        let state = self.lock();
        let since = state.requests.get(tally.requests..);
        since.map(<[Recorded]>::to_vec).unwrap_or_default()
    }

    pub(super) fn wait_for(&self, count: usize, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut state = self.lock();
        while state.requests.len() < count {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
