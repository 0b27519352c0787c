//! Rows that need a process with an environment of its own, and that environment.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::catalogue::{Family, RequirementId};
use crate::recorder::{Recorded, Recorder, Reply};

/// The row that is about proxy variables.
const PROXIES: RequirementId = RequirementId::new(Family::Exe, 16);

/// Says where the tripwire listens that the proxy variables name.
const TRIPWIRE: &str = "PROOFMARK_PROXY_TRIPWIRE";

/// The variables by which clients are told of a proxy.
const VARIABLES: &[&str] = &[
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// Variables that would keep a client from using such a proxy.
const EXCEPTIONS: &[&str] = &["NO_PROXY", "no_proxy", "REQUEST_METHOD"];

/// The target by which the tripwire is asked how much it has heard.
const COUNT: &str = "/proofmark-count";

/// Whether a row needs a worker with an environment of its own.
pub(super) fn is_own(id: RequirementId) -> bool {
    id == PROXIES
}

/// An environment whose proxy variables name a tripwire. It listens in the parent, since it has to
/// be there before the worker is.
pub(super) struct ProxyEnvironment {
    tripwire: Recorder,
}

impl ProxyEnvironment {
    pub(super) fn new() -> io::Result<Self> {
        let count = Arc::new(AtomicUsize::new(0));
        let tripwire = Recorder::start(move |request: &Recorded| {
            if request.target() == COUNT.as_bytes() {
                return Reply::text(200, &count.load(Ordering::SeqCst).to_string());
            }
            count.fetch_add(1, Ordering::SeqCst);
            Reply::new(502)
        })?;
        Ok(Self { tripwire })
    }

    pub(super) fn set_for(&self, command: &mut Command) {
        for variable in VARIABLES {
            command.env(variable, self.tripwire.base_url());
        }
        for variable in EXCEPTIONS {
            command.env_remove(variable);
        }
        command.env(TRIPWIRE, self.tripwire.address().to_string());
    }
}

/// The tripwire that this worker's proxy variables name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProxyTripwire {
    address: SocketAddr,
}

impl ProxyTripwire {
    /// `None` where this process was not started with such variables.
    pub(crate) fn of_this_process() -> Option<Self> {
        let address = std::env::var(TRIPWIRE).ok()?.parse().ok()?;
        Some(Self { address })
    }

    /// How many requests it has heard, whoever sent them.
    pub(crate) fn count(self) -> io::Result<usize> {
        let answer = self.ask(COUNT)?;
        let count = answer.rsplit("\r\n\r\n").next().unwrap_or_default();
        count.parse().map_err(io::Error::other)
    }

    /// Sends what a client with default settings would: a request by way of the proxy that the
    /// environment names.
    pub(crate) fn visit(self) -> io::Result<()> {
        let proxy = std::env::var("HTTP_PROXY").map_err(io::Error::other)?;
        let address = proxy.trim_start_matches("http://").parse();
        let proxy = Self {
            address: address.map_err(io::Error::other)?,
        };
        proxy.ask("http://127.0.0.1:9/by-proxy").map(|_| ())
    }

    fn ask(self, target: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            self.address
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}
