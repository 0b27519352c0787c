//! How far a long run has come: a bar on a terminal, a line for each subject elsewhere.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// What has been judged so far, on standard error.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    done: AtomicUsize,
}

impl Progress {
    /// Nothing has been judged yet of so many subjects.
    pub(crate) fn of(total: usize) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(u64::try_from(total).unwrap_or(u64::MAX));
            match ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self {
            bar,
            total,
            done: AtomicUsize::new(0),
        }
    }

    /// One more subject has been judged.
    pub(crate) fn judged(&self, name: &str) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        match &self.bar {
            Some(bar) => {
                bar.set_message(name.to_owned());
                bar.inc(1);
            }
            None => output::message(&format!("judged {done}/{} {name}", self.total)),
        }
    }
}

/// The bar makes room for what is printed next, however the run ended.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
