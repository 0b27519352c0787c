//! One check's run against one subject: fresh instances, asking, and what can go wrong meanwhile.

mod ask;
mod case;
mod contained;
mod executor;
mod finding;
mod instance;
mod leash;
mod load;
mod policy;
mod pool;
mod resolver;
mod surface;
mod watch;

pub use ask::{Abandoned, Answer};
pub use case::{Settings, Trial};
pub(crate) use contained::{contained, remember_panic};
pub use executor::{Built, Call, Driven, Ending, Running, Shown};
pub use finding::{Finding, Judged, Stop};
pub use instance::Instance;
pub use leash::{Act, FreshContext, FreshGate, FreshLeash};
pub(crate) use leash::{authorizing, word};
pub use load::{Load, Spent};
pub use resolver::{Reply, Resolving};
pub use surface::{Acting, Called, Underway};
pub use watch::{Hands, Stuck, Watch};
