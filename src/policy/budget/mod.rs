//! Budgets: how much each call, tool or whole server may send.

mod bytes;
mod endpoints;
mod ledger;
mod measure;
mod options;
mod rate;
mod rate_limit;
mod requests;
mod scope;
mod table;

pub use bytes::ByteBudget;
pub use endpoints::DistinctEndpointBudget;
pub use options::BudgetOptions;
pub use rate::Rate;
pub use rate_limit::RateLimit;
pub use requests::RequestBudget;
pub use scope::BudgetScope;
