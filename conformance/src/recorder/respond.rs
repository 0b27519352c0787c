//! How a backend decides what to do about a request.

use serde_json::{Value, json};

use super::recorded::Recorded;
use super::script::{Reply, Script};

/// Decides what a backend does about each request. A [`Reply`] or a [`Script`] does the same about
/// all of them, and so may a closure.
///
/// ```
/// use proofmark_conformance::recorder::{Recorded, Recorder, Reply};
///
/// let backend = Recorder::start(|request: &Recorded| match request.method() {
///     b"GET" => Reply::text(200, "read"),
///     _ => Reply::new(405),
/// })?;
/// assert!(backend.base_url().starts_with("http://127.0.0.1:"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Respond: Send + Sync + 'static {
    /// What is done about this request.
    fn respond(&self, request: &Recorded) -> Script;

    /// What is done about a connection, counted from 0, before anything is read from it.
    fn greet(&self, connection: usize) -> Script {
        let _ = connection;
        Script::new()
    }
}

impl Respond for Script {
    fn respond(&self, _: &Recorded) -> Script {
        self.clone()
    }
}

impl Respond for Reply {
    fn respond(&self, _: &Recorded) -> Script {
        self.clone().into()
    }
}

impl<F, R> Respond for F
where
    F: Fn(&Recorded) -> R + Send + Sync + 'static,
    R: Into<Script>,
{
    fn respond(&self, request: &Recorded) -> Script {
        self(request).into()
    }
}

/// Answers each request with what was sent, as a JSON object of `method`, `target`, `headers` (a
/// list of pairs) and `body`.
#[must_use]
pub fn echo() -> impl Respond {
    |request: &Recorded| Reply::json(200, &echo_of(request))
}

fn echo_of(request: &Recorded) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers: Vec<Value> = request
        .headers()
        .map(|(name, value)| json!([text(name), text(value)]))
        .collect();
    json!({
        "method": text(request.method()),
        "target": text(request.target()),
        "headers": headers,
        "body": text(request.body()),
    })
}

/// Answers each request with a redirect.
#[must_use]
pub fn redirect(status: u16, location: &str) -> impl Respond {
    Reply::new(status).header("location", location)
}

/// A token endpoint: answers each request with a bearer token that is good for an hour.
#[must_use]
pub fn token(access_token: &str) -> impl Respond {
    let answer = json!({
        "access_token": access_token,
        "token_type": "Bearer",
        "expires_in": 3600,
    });
    Reply::json(200, &answer).header("cache-control", "no-store")
}
