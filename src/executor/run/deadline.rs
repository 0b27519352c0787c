//! A deadline that costs a timer only once something waits.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::time::{Instant, Sleep, sleep_until};

/// The deadline passed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Elapsed;

/// Polls `work` to its end or until `deadline`, and drops it then.
pub(crate) async fn until<T>(
    deadline: Option<Instant>,
    work: impl Future<Output = T>,
) -> Result<T, Elapsed> {
    let Some(deadline) = deadline else {
        return Ok(work.await);
    };
    let mut work = pin!(work);
    let mut timer: Option<Pin<Box<Sleep>>> = None;
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        timer.as_mut().poll(context).map(|()| Err(Elapsed))
    })
    .await
}
