//! The limits of one script.

use std::collections::BTreeSet;
use std::time::Duration;

/// What one script may use up, and what it must not see or return.
///
/// ```
/// use std::time::Duration;
/// use proofmark::executor::ExecutionConfig;
///
/// let config = ExecutionConfig::default()
///     .with_max_api_calls(5)
///     .with_time_limit(Some(Duration::from_secs(2)))
///     .with_blocked_fields(["ssn"]);
/// assert_eq!(config.max_api_calls, 5);
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionConfig {
    /// How many calls a script may make; 50 by default. Refused ones count.
    pub max_api_calls: usize,
    /// How many iterations all its loops together may run through; 1000 by default.
    pub max_loop_iterations: usize,
    /// How large one answer may be, in bytes of JSON text; 10 MiB by default.
    pub max_response_bytes: usize,
    /// How long it may take, waiting included; 30 s by default, `None` for as long as it takes.
    pub time_limit: Option<Duration>,
    /// How much it may calculate: one unit for each expression worked out, and one for each byte
    /// copied or compared, where each value counts 32 beside its text; so this bounds its memory
    /// too. 64 Mi by default.
    pub max_work: u64,
    /// Fields that are taken out of every answer, at any depth.
    pub blocked_fields: BTreeSet<String>,
    /// Fields that the result must not hold, at any depth.
    pub output_blocked_fields: BTreeSet<String>,
}

impl Default for ExecutionConfig {
    fn default() -> Self {
        Self {
            max_api_calls: 50,
            max_loop_iterations: 1000,
            max_response_bytes: 10 << 20,
            time_limit: Some(Duration::from_secs(30)),
            max_work: 64 << 20,
            blocked_fields: BTreeSet::new(),
            output_blocked_fields: BTreeSet::new(),
        }
    }
}

impl ExecutionConfig {
    /// Sets how many calls a script may make.
    #[must_use]
    pub fn with_max_api_calls(mut self, calls: usize) -> Self {
        self.max_api_calls = calls;
        self
    }

    /// Sets how many iterations its loops may run through.
    #[must_use]
    pub fn with_max_loop_iterations(mut self, iterations: usize) -> Self {
        self.max_loop_iterations = iterations;
        self
    }

    /// Sets how large one answer may be.
    #[must_use]
    pub fn with_max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Sets how long a script may take.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Option<Duration>) -> Self {
        self.time_limit = limit;
        self
    }

    /// Sets how much it may calculate.
    #[must_use]
    pub fn with_max_work(mut self, units: u64) -> Self {
        self.max_work = units;
        self
    }

    /// Sets which fields are taken out of every answer.
    #[must_use]
    pub fn with_blocked_fields(
        mut self,
        fields: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.blocked_fields = fields.into_iter().map(Into::into).collect();
        self
    }

    /// Sets which fields the result must not hold.
    #[must_use]
    pub fn with_output_blocked_fields(
        mut self,
        fields: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.output_blocked_fields = fields.into_iter().map(Into::into).collect();
        self
    }
}
