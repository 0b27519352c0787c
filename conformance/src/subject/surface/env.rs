//! What a factory of surfaces is handed.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proofmark::policy::{ArgumentValidator, RequestPolicy, ToolkitHooks};

use super::ToolSpec;
use crate::profile::AuthScheme;

/// What a factory is handed for one fresh surface, and what the surface has to use. A factory takes
/// what its surface has a use for.
#[derive(Clone)]
pub struct SurfaceEnv {
    base_url: String,
    scheme: Option<AuthScheme>,
    user: String,
    credential: String,
    hooks: ToolkitHooks,
    tools: Vec<ToolSpec>,
    checks_schema: bool,
    deadline: Duration,
    deadline_taken: Arc<AtomicBool>,
}

impl SurfaceEnv {
    /// An environment with this base URL, without a tool, a credential or a hook.
    #[must_use]
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            scheme: None,
            user: String::new(),
            credential: String::new(),
            hooks: ToolkitHooks::new(),
            tools: Vec::new(),
            checks_schema: true,
            deadline: Duration::from_secs(3),
            deadline_taken: Arc::default(),
        }
    }

    /// The same environment with a credential that travels in this way.
    #[must_use]
    pub fn with_credential(
        mut self,
        scheme: Option<AuthScheme>,
        user: impl Into<String>,
        credential: impl Into<String>,
    ) -> Self {
        self.scheme = scheme;
        self.user = user.into();
        self.credential = credential.into();
        self
    }

    /// The same environment with this policy.
    #[must_use]
    pub fn with_policy(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        self.hooks = self.hooks.with_request_policy(policy);
        self
    }

    /// The same environment with a validator of one tool's arguments.
    #[must_use]
    pub fn with_argument_validator(
        mut self,
        tool: impl Into<String>,
        validator: Arc<dyn ArgumentValidator>,
    ) -> Self {
        self.hooks = self.hooks.with_argument_validator(tool, validator);
        self
    }

    /// The same environment with these tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl IntoIterator<Item = ToolSpec>) -> Self {
        self.tools = tools.into_iter().collect();
        self
    }

    /// The same environment, where arguments are not held to their declared schema.
    #[must_use]
    pub fn without_schema_check(mut self) -> Self {
        self.checks_schema = false;
        self
    }

    /// The same environment with this deadline.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The URL that paths are joined to.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// How the credential travels, for a surface that declares several ways.
    #[must_use]
    pub fn scheme(&self) -> Option<&AuthScheme> {
        self.scheme.as_ref()
    }

    /// The user of `Basic`.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The credential: the token, the key, the password of `Basic`, or the caller's token that is
    /// passed on. Empty where none is declared.
    #[must_use]
    pub fn credential(&self) -> &str {
        &self.credential
    }

    /// The policy that has to be asked about every request; `None` where none is registered.
    #[must_use]
    pub fn policy(&self) -> Option<Arc<dyn RequestPolicy>> {
        self.hooks.request_policy()
    }

    /// The policy and the validators as the toolkit's hooks.
    #[must_use]
    pub fn hooks(&self) -> &ToolkitHooks {
        &self.hooks
    }

    /// The tools to offer, besides [`EXECUTE_CODE`](super::EXECUTE_CODE).
    #[must_use]
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// The tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Whether arguments are held to their declared schema, for a surface that can do without.
    #[must_use]
    pub fn checks_schema(&self) -> bool {
        self.checks_schema
    }

    /// How long one request may take, all in all. A surface that does not take it declares its own
    /// with `deadline_ms`.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.deadline_taken.store(true, Ordering::Relaxed);
        self.deadline
    }

    /// Whether a factory took the deadline from this environment or a clone of it.
    #[must_use]
    pub fn deadline_is_taken(&self) -> bool {
        self.deadline_taken.load(Ordering::Relaxed)
    }
}

/// Names what it holds and shows no credential.
impl fmt::Debug for SurfaceEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SurfaceEnv")
            .field("scheme", &self.scheme)
            .field("hooks", &self.hooks)
            .field("tools", &self.tools)
            .field("checks_schema", &self.checks_schema)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
