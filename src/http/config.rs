//! The limits of one HTTP client.

use std::time::Duration;

/// What one logical request may take, and how it is repeated.
///
/// ```
/// use std::time::Duration;
/// use proofmark::http::HttpConfig;
///
/// let config = HttpConfig::default().with_timeout(Duration::from_secs(5)).with_retries(0);
/// assert_eq!(config.retries, 0);
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpConfig {
    /// How long a logical request may take: the policy, the token, every attempt and the answer;
    /// 30 s by default.
    pub timeout: Duration,
    /// How long making a connection may take; 10 s by default.
    pub connect_timeout: Duration,
    /// How often an idempotent request is repeated after a broken exchange or a status of 429, 502,
    /// 503 or 504; twice by default. POST and PATCH are never repeated.
    pub retries: u32,
    /// How long is waited before the first repetition, and twice as long before each further one;
    /// 100 ms by default.
    pub retry_backoff: Duration,
    /// How large an answer may be, in bytes; 10 MiB by default.
    pub max_response_bytes: usize,
    /// How large a body may be, in bytes of JSON text; 16 MiB by default.
    pub max_request_bytes: usize,
    /// How the client names itself.
    pub user_agent: String,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            retries: 2,
            retry_backoff: Duration::from_millis(100),
            max_response_bytes: 10 << 20,
            max_request_bytes: 16 << 20,
            user_agent: concat!("proofmark/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl HttpConfig {
    /// Sets how long a logical request may take.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long making a connection may take.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how often an idempotent request is repeated.
    #[must_use]
    pub fn with_retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Sets how long is waited before the first repetition.
    #[must_use]
    pub fn with_retry_backoff(mut self, backoff: Duration) -> Self {
        self.retry_backoff = backoff;
        self
    }

    /// Sets how large an answer may be.
    #[must_use]
    pub fn with_max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Sets how large a body may be.
    #[must_use]
    pub fn with_max_request_bytes(mut self, bytes: usize) -> Self {
        self.max_request_bytes = bytes;
        self
    }

    /// Sets how the client names itself.
    #[must_use]
    pub fn with_user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }
}
