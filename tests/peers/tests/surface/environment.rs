//! What surrounds a call and is none of it: the variables of a process, and a backend that is silent.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use pmcp_code_mode::HttpExecutor as _;
use pmcp_server_toolkit as peer;
use pmcp_server_toolkit::code_mode::HttpCodeExecutor as PeerExecutor;
use pmcp_server_toolkit::http::HttpConnector as _;
use proofmark::executor::{BackendFault, HttpExecutor as _};
use proofmark::http as ours;
use proofmark::http::HttpConnector as _;
use proofmark_conformance::recorder::{Recorder, Script};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::desk;

/// Where the child calls, and for which side.
const CHILD: &str = "PROOFMARK_PEERS_CHILD";

/// EXE-16.
#[test]
fn only_the_peer_sends_a_request_to_the_proxy_of_the_environment() {
    for (side, at_backend, at_proxy) in [("ours", 1, 0), ("peer", 0, 1)] {
        let (backend, proxy) = (desk::backend(), Recorder::tripwire().expect("a tripwire"));
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "environment::child", "--ignored"])
            .env(CHILD, format!("{side} {}", backend.base_url()))
            .env("http_proxy", proxy.base_url())
            .env_remove("no_proxy")
            .env_remove("NO_PROXY")
            .output()
            .expect("a child");
        assert!(child.status.success(), "{side}: {child:?}");
        let heard = (backend.requests().len(), proxy.requests().len());
        assert_eq!(heard, (at_backend, at_proxy), "{side}");
    }
}

#[test]
#[ignore = "run by the test above, in an environment of its own"]
fn child() {
    let told = std::env::var(CHILD).expect("a side and a backend");
    let (side, base) = told.split_once(' ').expect("a side and a backend");
    let ended = desk::wait_for(async {
        if side == "ours" {
            let operation = ours::Operation::new("GET", "/a", []).expect("an operation");
            let client = ours::HttpClient::new(base, Arc::new(ours::NoAuth)).expect("a client");
            client.execute(&operation, &json!({})).await.is_ok()
        } else {
            let client = peer::http::HttpClient::from_config(
                base.to_owned(),
                Arc::new(peer::http::auth::NoAuth),
                peer::http::HttpConfig::default(),
            );
            let operation = peer::http::Operation {
                method: "GET".to_owned(),
                path: "/a".to_owned(),
                parameters: Vec::new(),
                has_request_body: false,
                base_url: None,
            };
            let client = client.expect("a client");
            client.execute(&operation, &json!({})).await.is_ok()
        }
    });
    assert!(ended, "the call failed");
}

/// EXE-09. The clock is the runtime's own and goes on by itself once everything waits.
#[test]
fn only_the_toolkit_gives_up_a_backend_that_is_silent() {
    let backend = Recorder::start(Script::new()).expect("a backend");
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let long = Duration::from_secs(3600);

    let path = proofmark::path::ResolvedPath::from_checked("/a").expect("a path");
    let executor = ours::HttpCodeExecutor::new(&backend.base_url(), Arc::new(ours::NoAuth));
    let executor = executor.expect("an executor");
    let call = executor.execute_request("POST", path, None);
    let ended = runtime.block_on(async { timeout(long, call).await });
    assert_eq!(ended.expect("an end"), Err(BackendFault::TimedOut.into()));

    let path = pmcp_code_mode::ResolvedPath::from_checked("/a").expect("a path");
    let executor = PeerExecutor::new(
        reqwest::Client::new(),
        backend.base_url(),
        Arc::new(peer::http::auth::NoAuth),
    );
    let call = executor.execute_request("POST", path, None);
    let ended = runtime.block_on(async { timeout(long, call).await });
    assert!(ended.is_err(), "the peer has given up");
}
