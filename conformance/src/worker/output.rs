//! The end of what a worker printed, however much that was.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// So many bytes are kept.
const KEPT: usize = 4096;

/// The last bytes of a stream that is read to its end by a thread of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    /// Starts reading. The thread ends when every writer of the stream is gone.
    pub(super) fn of(stream: Option<impl Read + Send + 'static>) -> Self {
        let tail = Self::default();
        if let Some(mut stream) = stream {
            let kept = tail.clone();
            thread::spawn(move || {
                let mut chunk = [0; 8192];
                while let Ok(count @ 1..) = stream.read(&mut chunk) {
                    let mut bytes = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
                    bytes.extend(&chunk[..count]);
                    let excess = bytes.len().saturating_sub(KEPT);
                    bytes.drain(..excess);
                }
            });
        }
        tail
    }

    /// The last lines that say something, in one line.
    pub(super) fn last_words(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text: Vec<u8> = bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let last = lines.len().saturating_sub(3);
        let words = lines[last..].join(" / ");
        words
            .chars()
            .take(400)
            .flat_map(char::escape_debug)
            .collect()
    }
}
