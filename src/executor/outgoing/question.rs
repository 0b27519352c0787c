//! Asking a policy about a request, if there is a policy.

use super::OutgoingRequest;
use crate::executor::ExecutionError;
use crate::policy::RequestPolicy;
use crate::request::RequestPhase;

/// Whose call a request belongs to.
///
/// Both are empty where a connector is driven directly: *unattributed*.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attribution<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The id of the `tools/call`.
    pub call_id: &'a str,
}

/// Asks `policy` about `request`. Without a policy nothing is built and nothing is allocated.
///
/// # Errors
///
/// [`ExecutionError::RefusedByPolicy`].
///
/// Source: seed 000.
pub async fn ask_policy(
    policy: Option<&dyn RequestPolicy>,
    request: &OutgoingRequest,
    attribution: Attribution<'_>,
    phase: RequestPhase,
) -> Result<(), ExecutionError> {
    let Some(policy) = policy else {
        return Ok(());
    };
    let shown = request
        .view(attribution.tool)
        .with_call_id(attribution.call_id)
        .with_phase(phase);
    policy.check(&shown).await?;
    Ok(())
}
