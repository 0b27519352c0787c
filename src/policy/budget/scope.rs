//! What a budget groups requests by.

use crate::request::OutboundRequest;

/// Which requests share one budget.
///
/// A name that is empty means *no grouping*, never a group of that name: a request without the
/// name its scope groups by is *unattributed*, and gets the verdict the budget was built with.
///
/// Source: seed 000.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BudgetScope {
    /// Those of one `tools/call`, whichever tools they name.
    #[default]
    Call,
    /// Those of one tool, over all its calls.
    Tool,
    /// Those of one tool within one call.
    ToolAndCall,
    /// All of them.
    Global,
}

/// The names of one group; a name outside the scope is left empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Group<'a> {
    pub(super) tool: &'a str,
    pub(super) call: &'a str,
}

impl BudgetScope {
    /// The group a request belongs to, or `None` if it is unattributed.
    pub(super) fn group<'a>(self, request: &OutboundRequest<'a>) -> Option<Group<'a>> {
        let (tool, call) = (request.tool, request.call_id);
        let group = |tool, call| Some(Group { tool, call });
        match self {
            Self::Global => group("", ""),
            Self::Call if !call.is_empty() => group("", call),
            Self::Tool if !tool.is_empty() => group(tool, ""),
            Self::ToolAndCall if !tool.is_empty() && !call.is_empty() => group(tool, call),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(BudgetScope::Call, "t", "c", Some(("", "c")))]
    #[case(BudgetScope::Call, "", "c", Some(("", "c")))]
    #[case(BudgetScope::Call, "t", "", None)]
    #[case(BudgetScope::Tool, "t", "", Some(("t", "")))]
    #[case(BudgetScope::Tool, "", "c", None)]
    #[case(BudgetScope::ToolAndCall, "t", "c", Some(("t", "c")))]
    #[case(BudgetScope::ToolAndCall, "", "c", None)]
    #[case(BudgetScope::ToolAndCall, "t", "", None)]
    #[case(BudgetScope::Global, "", "", Some(("", "")))]
    fn a_request_is_grouped_by_the_names_of_its_scope(
        #[case] scope: BudgetScope,
        #[case] tool: &str,
        #[case] call: &str,
        #[case] expected: Option<(&str, &str)>,
    ) {
        let request = OutboundRequest::new(tool, "GET", "/", &[], None).with_call_id(call);

        let group = scope.group(&request);

        assert_eq!(group.map(|group| (group.tool, group.call)), expected);
    }
}
