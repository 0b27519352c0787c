//! Allows the requests of listed tools and refuses those of all others.

use std::collections::HashSet;

use async_trait::async_trait;

use super::{PolicyRefusal, RequestPolicy};
use crate::request::OutboundRequest;

/// Allows a request whose tool is on the list. An empty list allows nothing.
///
/// **Promised.** Names are compared byte for byte. An empty name means *unattributed*, never a
/// tool of that name: it is refused unless [`allow_unattributed`](Self::allow_unattributed) is
/// chosen, and cannot be listed. The answer depends on the request alone and is the same in both
/// phases.
///
/// **Not promised.** The name is what the surface says it is. All the requests of a script carry
/// the name of the tool that ran it.
///
/// ```
/// use proofmark::policy::ToolAllowlist;
///
/// let policy = ToolAllowlist::new().allow("list_items").allow("execute_code");
/// # let _: &dyn proofmark::policy::RequestPolicy = &policy;
/// ```
///
/// Source: seed 000.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ToolAllowlist {
    tools: HashSet<Box<str>>,
    unattributed: bool,
}

impl ToolAllowlist {
    /// A list without a tool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows the requests of a tool.
    pub fn allow(mut self, tool: &str) -> Self {
        self.tools.insert(tool.into());
        self
    }

    /// Allows requests that name no tool.
    pub fn allow_unattributed(mut self) -> Self {
        self.unattributed = true;
        self
    }

    fn allows(&self, tool: &str) -> bool {
        if tool.is_empty() {
            return self.unattributed;
        }
        self.tools.contains(tool)
    }
}

#[async_trait]
impl RequestPolicy for ToolAllowlist {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if self.allows(request.tool) {
            return Ok(());
        }
        Err(PolicyRefusal::new("the tool is not on the allowlist"))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("list", true)]
    #[case("List", false)]
    #[case("list ", false)]
    #[case("other", false)]
    #[case("", false)]
    fn only_a_listed_tool_is_allowed(#[case] tool: &str, #[case] expected: bool) {
        let list = ToolAllowlist::new().allow("list").allow("");

        assert_eq!(list.allows(tool), expected);
        assert!(!ToolAllowlist::new().allows(tool));
    }

    #[test]
    fn unattributed_requests_are_allowed_by_declaration_alone() {
        let list = ToolAllowlist::new().allow("list").allow_unattributed();

        assert!(list.allows("") && list.allows("list") && !list.allows("other"));
    }
}
