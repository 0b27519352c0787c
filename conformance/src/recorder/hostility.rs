//! What hostile backends do, as scripts by name.

use std::time::Duration;

use serde_json::json;

use super::script::{Reply, Script};

/// One thing that a hostile backend does about a request.
///
/// ```
/// use proofmark_conformance::recorder::{Hostility, Recorder};
///
/// let worst = Hostility::all();
/// let endless = worst.iter().find(|one| one.name == "chunks without end").map(|one| one.script.clone());
/// let backend = Recorder::start(endless.unwrap_or_default())?;
/// assert!(backend.is_silent());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hostility {
    /// What it does, as it is told to people.
    pub name: &'static str,
    /// How it does it.
    pub script: Script,
    /// Whether a value would be a success that there was none of: the answer is whole, and its
    /// status other than 2xx and 3xx.
    pub is_failure: bool,
    /// Whether nothing but a deadline ends it.
    pub stalls: bool,
}

impl Hostility {
    /// Everything that a backend tries, simplest first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let failure = |name, reply: Reply| Self {
            name,
            script: reply.into(),
            is_failure: true,
            stalls: false,
        };
        let statuses = FAILURES
            .iter()
            .map(|(status, name)| failure(name, Reply::json(*status, &json!({"ok": true}))));
        let others_of_status = [
            failure("status 404 and no body", Reply::new(404)),
            failure("status 500 and no body", Reply::new(500)),
            failure("status 502 and a text", Reply::text(502, "<html>")),
        ];
        let statuses = statuses.chain(others_of_status);
        let ending = [documents(), framing(), cut()].into_iter().flatten();
        let others = ending.map(|act| (act, false));
        let others = others.chain(slow().into_iter().map(|act| (act, true)));
        statuses
            .chain(others.map(|((name, script), stalls)| Self {
                name,
                script,
                is_failure: false,
                stalls,
            }))
            .collect()
    }
}

/// Statuses other than 2xx and 3xx: whether a redirect is an error is the executor's choice.
const FAILURES: &[(u16, &str)] = &[
    (400, "status 400"),
    (401, "status 401"),
    (403, "status 403"),
    (404, "status 404"),
    (405, "status 405"),
    (409, "status 409"),
    (410, "status 410"),
    (412, "status 412"),
    (422, "status 422"),
    (429, "status 429"),
    (451, "status 451"),
    (500, "status 500"),
    (503, "status 503"),
    (599, "status 599"),
];

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// Whole answers whose body is not what it should be.
fn documents() -> Vec<(&'static str, Script)> {
    let json = |body: &str| {
        Script::from(
            Reply::new(200)
                .header("content-type", "application/json")
                .body(body),
        )
    };
    vec![
        ("no body", json("")),
        ("status 204", Reply::new(204).into()),
        ("a body that is no JSON", json("<html>not json</html>")),
        ("half a JSON document", json("{\"a\": [1, 2")),
        ("JSON and more", json("{} trailing")),
        (
            "a body that is not UTF-8",
            Reply::new(200)
                .body(b"{\"a\": \"\xff\xfe\"}".to_vec())
                .into(),
        ),
        ("deep nesting", json(&"[".repeat(100_000))),
        (
            "deep and closed nesting",
            json(&format!("{}{}", "[".repeat(20_000), "]".repeat(20_000))),
        ),
        ("a number too large", json("1e999999999")),
        ("a lone surrogate", json(r#""\ud800""#)),
        (
            "a body of 24 MiB",
            json(&format!("\"{}\"", "x".repeat(24 << 20))),
        ),
    ]
}

/// Answers that break the rules of HTTP.
fn framing() -> Vec<(&'static str, Script)> {
    let with_head = |rest: &str| Script::new().raw(format!("{HEAD}{rest}")).close();
    vec![
        (
            "a body cut short",
            with_head("content-length: 100\r\n\r\n{\"a\":"),
        ),
        (
            "a chunked body cut short",
            with_head("transfer-encoding: chunked\r\n\r\n5\r\n{\"a\""),
        ),
        (
            "a length that is too small",
            with_head("content-length: 3\r\n\r\n{\"ok\": true}"),
        ),
        (
            "a length that is no number",
            with_head("content-length: many\r\n\r\n{}"),
        ),
        (
            "two lengths",
            with_head("content-length: 2\r\ncontent-length: 5\r\n\r\n{}   "),
        ),
        (
            "a chunk size that is no number",
            with_head("transfer-encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n"),
        ),
        (
            "an enormous chunk",
            with_head("transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n{}"),
        ),
        (
            "an encoding that it has not",
            with_head("content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"),
        ),
    ]
}

/// Answers that end too early, or are none.
fn cut() -> Vec<(&'static str, Script)> {
    let raw = |text: &str| Script::new().raw(text).close();
    vec![
        ("no HTTP at all", raw("\0\x01\x02 nonsense \r\n\r\n")),
        ("an empty answer", Script::new().close()),
        ("a head cut short", raw("HTTP/1.1 200 OK\r\ncontent-le")),
        (
            "a status that is no number",
            raw("HTTP/1.1 abc OK\r\n\r\n{}"),
        ),
        (
            "a long header",
            raw(&format!(
                "{HEAD}x: {}\r\ncontent-length: 2\r\n\r\n{{}}",
                "y".repeat(1 << 20)
            )),
        ),
        ("a reset after the request", Script::new().reset()),
        (
            "a reset within the head",
            Script::new().raw("HTTP/1.1 200").reset(),
        ),
        (
            "a reset within the body",
            Script::new()
                .raw(format!("{HEAD}content-length: 100\r\n\r\n{{"))
                .reset(),
        ),
    ]
}

fn slow() -> Vec<(&'static str, Script)> {
    let tenth = Duration::from_millis(100);
    let piece = "x".repeat(16 << 10);
    let chunk = format!("4000\r\n{piece}\r\n");
    let head = |rest: &str| Script::new().raw(format!("{HEAD}{rest}"));
    let pause = Duration::from_millis(2);
    vec![
        ("no answer", Script::new()),
        ("a head and no body", head("content-length: 10\r\n\r\n")),
        (
            "a body a byte at a time",
            head("content-length: 100000\r\n\r\n\"").drip("x".repeat(100_000), tenth),
        ),
        (
            "a head a byte at a time",
            Script::new().drip(format!("{HEAD}x: {}", "y".repeat(100_000)), tenth),
        ),
        ("a body without end", head("\r\n\"").endless(piece, pause)),
        (
            "chunks without end",
            head("transfer-encoding: chunked\r\n\r\n").endless(chunk, pause),
        ),
        ("headers without end", head("").endless("x: y\r\n", pause)),
        (
            "interim responses without end",
            Script::new().endless("HTTP/1.1 103 Early Hints\r\n\r\n", pause),
        ),
        (
            "white space without end",
            head("transfer-encoding: chunked\r\n\r\n").endless("1\r\n \r\n", pause),
        ),
    ]
}
