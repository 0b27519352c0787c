//! A runtime whose time moves only when it is told to, or when nothing else is left to do.

use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::trial::Stop;

/// So many turns the subject's own tasks get whenever the time is moved.
const TURNS: usize = 8;

/// A runtime of one thread whose time stands still.
pub(super) fn paused() -> Result<Runtime, Stop> {
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .map_err(|cause| Stop::Harness(format!("no runtime with paused time can be had: {cause}")))
}

/// Moves the time on; tasks of the subject's that wait for it get their turns.
pub(super) fn advance(runtime: &Runtime, step: Duration) {
    runtime.block_on(async {
        tokio::time::advance(step).await;
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
    });
}
