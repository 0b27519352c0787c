//! What every comparison needs: a runtime, a client for the peer, and a backend for each call.

use std::sync::LazyLock;

use proofmark_conformance::recorder::{Recorder, Reply};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::case::Case;
use crate::seen::{Notes, Request, Seen};
use crate::{ours, peer};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime")
});

/// Built once, since building one reads the system's certificates; as the peer builds its own, but
/// without a proxy.
static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .expect("a client")
});

pub fn wait_for<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}

pub fn client() -> reqwest::Client {
    CLIENT.clone()
}

/// A backend that answers every request alike.
pub fn backend() -> Recorder {
    Recorder::start(Reply::json(200, &json!({}))).expect("a backend")
}

/// What the toolkit makes of the call.
pub fn ours(case: &Case) -> Seen {
    observed(case, |base, address, notes| {
        wait_for(ours::call(case, &base, address, notes));
    })
}

/// What the public crates make of the call.
pub fn peer(case: &Case) -> Seen {
    observed(case, |base, address, notes| {
        wait_for(peer::call(case, base, address, notes));
    })
}

fn observed(case: &Case, call: impl FnOnce(String, String, Notes)) -> Seen {
    let backend = backend();
    let address = backend.address().to_string();
    let base = format!("http://{}{address}{}", case.base.userinfo, case.base.path);
    let notes = Notes::default();
    call(base, address, notes.clone());
    let requests = backend.requests();
    Seen {
        shown: notes.read(),
        sent: requests
            .iter()
            .map(|recorded| Request::sent(case, recorded))
            .collect(),
    }
}
