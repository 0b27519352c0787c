//! Budgets: how much each call, tool or whole server may send.

mod bytes;
mod ledger;
mod measure;
mod options;
mod requests;
mod scope;
mod table;

pub use bytes::ByteBudget;
pub use options::BudgetOptions;
pub use requests::RequestBudget;
pub use scope::BudgetScope;
