//! What an application registers: at most one request policy, and a validator for each tool.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{ArgumentValidator, RequestPolicy};

/// The hooks a surface is built with. The default registers nothing and costs nothing.
///
/// ```
/// use std::sync::Arc;
/// use proofmark::policy::{PolicyRefusal, ToolkitHooks, policy_fn};
///
/// let hooks = ToolkitHooks::new()
///     .with_request_policy(Arc::new(policy_fn(|_| Err(PolicyRefusal::new("closed")))));
/// assert!(hooks.request_policy().is_some());
/// assert!(hooks.argument_validator_for("search").is_none());
/// ```
#[derive(Clone, Default)]
pub struct ToolkitHooks {
    policy: Option<Arc<dyn RequestPolicy>>,
    validators: BTreeMap<String, Arc<dyn ArgumentValidator>>,
}

impl ToolkitHooks {
    /// No policy and no validator.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers the request policy. A second one *replaces* the first; to have both asked,
    /// register one that combines them.
    #[must_use]
    pub fn with_request_policy(mut self, policy: Arc<dyn RequestPolicy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Registers the validator of one tool, replacing an earlier one.
    #[must_use]
    pub fn with_argument_validator(
        mut self,
        tool: impl Into<String>,
        validator: Arc<dyn ArgumentValidator>,
    ) -> Self {
        self.validators.insert(tool.into(), validator);
        self
    }

    /// The registered policy, if any.
    #[must_use]
    pub fn request_policy(&self) -> Option<Arc<dyn RequestPolicy>> {
        self.policy.clone()
    }

    /// The validator registered for `tool`, if any.
    #[must_use]
    pub fn argument_validator_for(&self, tool: &str) -> Option<Arc<dyn ArgumentValidator>> {
        self.validators.get(tool).cloned()
    }

    /// The tools that have a validator, sorted.
    #[must_use]
    pub fn validator_names(&self) -> Vec<&str> {
        self.validators.keys().map(String::as_str).collect()
    }

    /// Whether nothing is registered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.policy.is_none() && self.validators.is_empty()
    }
}

/// Names what is registered, never a hook's own content.
impl fmt::Debug for ToolkitHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolkitHooks")
            .field("request_policy", &self.policy.is_some())
            .field("argument_validators", &self.validator_names())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{ArgumentRefusal, PolicyRefusal, policy_fn};

    #[test]
    fn the_default_registers_nothing() {
        let hooks = ToolkitHooks::new();

        assert!(hooks.is_empty());
        assert!(hooks.request_policy().is_none());
        assert_eq!(hooks.validator_names(), Vec::<&str>::new());
    }

    #[test]
    fn the_last_validator_of_a_tool_wins() {
        let accept = |_: &serde_json::Value| Ok(());
        let refuse = |_: &serde_json::Value| Err(ArgumentRefusal::new("never"));
        let hooks = ToolkitHooks::new()
            .with_argument_validator("t", Arc::new(accept))
            .with_argument_validator("t", Arc::new(refuse));

        let validator = hooks.argument_validator_for("t").unwrap();

        assert!(validator.validate(&serde_json::Value::Null).is_err());
        assert!(hooks.argument_validator_for("other").is_none());
    }

    #[test]
    fn debug_names_hooks_and_shows_no_content() {
        let secret = "sentence of the policy";
        let hooks = ToolkitHooks::new()
            .with_request_policy(Arc::new(policy_fn(move |_| {
                Err(PolicyRefusal::new(secret))
            })))
            .with_argument_validator("t", Arc::new(|_: &serde_json::Value| Ok(())));

        let shown = format!("{hooks:?}");

        assert!(shown.contains("request_policy: true") && shown.contains("\"t\""));
        assert!(!shown.contains(secret));
    }
}
