//! What may leave the server: the policy seam, the hooks that carry it, and policies to deploy.

mod argument;
mod body;
mod budget;
mod combine;
mod endpoint;
mod hooks;
mod query;
mod refusal;
mod request_policy;
mod tool;

pub use argument::{ArgumentRefusal, ArgumentValidator};
pub use body::{BodyKeyDenylist, BodySizeLimit, TotalSizeLimit};
pub use budget::{
    BudgetOptions, BudgetScope, ByteBudget, DistinctEndpointBudget, Rate, RateLimit, RequestBudget,
};
pub use combine::{AllOf, AnyOf};
pub use endpoint::{
    EndpointAllowlist, EndpointDenylist, EndpointPattern, EndpointPatternError, TargetFault,
};
pub use hooks::ToolkitHooks;
pub use query::QueryAllowlist;
pub use refusal::PolicyRefusal;
pub use request_policy::{PolicyFn, RequestPolicy, policy_fn};
pub use tool::ToolAllowlist;
