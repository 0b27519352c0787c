//! Executors that are not what they seem: canned, recording, replaying, failing, counting, guarding.
//!
//! Each implements [`HttpExecutor`](crate::toolkit::executor::HttpExecutor), and those that stand
//! before another executor hand its placeholder rules on, so they can be stacked in any order.

mod call;
mod canned;
mod cassette;
mod counting;
mod failing;
mod guard;
mod recording;
mod replaying;
mod route;

pub use call::Call;
pub use canned::{CannedExecutor, Respond};
pub use cassette::{Cassette, CassetteError, Entry, Outcome, Recorded};
pub use counting::CountingExecutor;
pub use failing::{FailingExecutor, Failure};
pub use guard::PolicyGuard;
pub use recording::RecordingExecutor;
pub use replaying::ReplayingExecutor;
pub use route::{Route, RouteError};
