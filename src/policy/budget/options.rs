//! What every budget can be told about its groups, its memory and its clock.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::scope::BudgetScope;
use crate::clock::{Clock, SystemClock};

/// How a budget groups requests, how many groups it remembers, and whose time it goes by.
///
/// ```
/// use std::time::Duration;
/// use proofmark::policy::{BudgetOptions, BudgetScope, RequestBudget};
///
/// let options = BudgetOptions::new()
///     .scope(BudgetScope::ToolAndCall)
///     .max_calls(1_000)
///     .idle(Duration::from_secs(60));
/// let budget = RequestBudget::with_options(20, options);
/// ```
#[derive(Clone)]
#[must_use]
pub struct BudgetOptions {
    pub(super) scope: BudgetScope,
    pub(super) max_calls: usize,
    pub(super) idle: Duration,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) unattributed: bool,
}

impl BudgetOptions {
    /// How many groups a budget remembers unless told otherwise.
    pub const DEFAULT_MAX_CALLS: usize = 65_536;

    /// How long a group stays unused before it may be forgotten, unless told otherwise.
    pub const DEFAULT_IDLE: Duration = Duration::from_secs(15 * 60);

    /// One budget a call, unattributed requests refused, the bounds above, the system's clock.
    pub fn new() -> Self {
        Self {
            scope: BudgetScope::default(),
            max_calls: Self::DEFAULT_MAX_CALLS,
            idle: Self::DEFAULT_IDLE,
            clock: Arc::new(SystemClock),
            unattributed: false,
        }
    }

    /// Which requests share one budget.
    pub fn scope(mut self, scope: BudgetScope) -> Self {
        self.scope = scope;
        self
    }

    /// How many groups are remembered; at least one. Each takes a fixed number of bytes, however
    /// long its names are. When all are in use, the first request of a new group is refused:
    /// no live group is ever forgotten, so no stream of new calls refills a spent one.
    pub fn max_calls(mut self, max_calls: usize) -> Self {
        self.max_calls = max_calls.max(1);
        self
    }

    /// How long a group must have sent nothing before it may be forgotten. It is forgotten only
    /// when its room is needed; should its name come back after that, its budget is whole again.
    pub fn idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// Whose time is read.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Allows every unattributed request, uncharged, instead of refusing it: there is then *no*
    /// budget for callers that name no call (or no tool, where the scope needs one).
    pub fn allow_unattributed(mut self) -> Self {
        self.unattributed = true;
        self
    }
}

impl Default for BudgetOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for BudgetOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BudgetOptions")
            .field("scope", &self.scope)
            .field("max_calls", &self.max_calls)
            .field("idle", &self.idle)
            .field("unattributed", &self.unattributed)
            .finish_non_exhaustive()
    }
}
