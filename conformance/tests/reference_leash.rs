//! The toolkit's own leash, certified as any user's is.

use proofmark_conformance::conformance;
use proofmark_conformance::subject::ToolkitLeash;

conformance! {
    /// All that works on any machine; what needs a kernel sandbox is judged where one is built in.
    leash toolkit(
        check_exec, check_net, check_path, mediated_opens,
        generation, call_budget,
        meet, leq, fence_strength, serialised,
    ) = || ToolkitLeash;
}
