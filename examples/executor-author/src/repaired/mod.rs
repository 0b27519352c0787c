//! The same executors with what it takes to keep every promise.

mod echo;
mod with_hyper;
mod with_reqwest;
mod with_ureq;

pub use with_hyper::HyperExecutor;
pub use with_reqwest::ReqwestExecutor;
pub use with_ureq::UreqExecutor;

use proofmark::executor::BaseUrl;

/// The tool on whose behalf requests are sent.
const TOOL: &str = "shop";

/// The header or query pair that holds the key.
const KEY: &str = "api_key";

/// Longer answers are not read.
const LONGEST_ANSWER: usize = 8 << 20;

/// Why an executor was not built.
type Unusable = Box<dyn std::error::Error + Send + Sync>;

/// A base URL that a credential may be sent to.
fn base(text: &str) -> Result<BaseUrl, Unusable> {
    let base = BaseUrl::parse(text)?;
    if !base.may_carry_credential() {
        return Err("a credential is sent over https, or to this machine".into());
    }
    Ok(base)
}
