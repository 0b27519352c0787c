//! What a backend does once it has been asked.

use std::time::Duration;

use serde_json::Value;

/// One thing that a backend does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Sends a whole response. To a `HEAD` it sends the head alone.
    Reply(Reply),
    /// Sends bytes as they are.
    Raw(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Sends bytes one by one, waiting before each.
    Drip {
        /// The bytes.
        bytes: Vec<u8>,
        /// How long it waits.
        every: Duration,
    },
    /// Sends bytes again and again until the client is gone, waiting before each time.
    Endless {
        /// The bytes.
        bytes: Vec<u8>,
        /// How long it waits.
        every: Duration,
    },
    /// Ends the connection at once, so that the client sees a reset.
    Reset,
    /// Ends the connection in good order.
    Close,
}

/// What a backend does about one request, in order. If the connection is left open at the end, the
/// next request is answered on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "a script does nothing until a recorder is started with it"]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// A script that does nothing: the client waits.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same script, with one more step.
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Then sends a whole response.
    pub fn reply(self, reply: Reply) -> Self {
        self.then(Step::Reply(reply))
    }

    /// Then sends bytes as they are.
    pub fn raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.then(Step::Raw(bytes.into()))
    }

    /// Then waits.
    pub fn wait(self, time: Duration) -> Self {
        self.then(Step::Wait(time))
    }

    /// Then sends bytes one by one, waiting before each.
    pub fn drip(self, bytes: impl Into<Vec<u8>>, every: Duration) -> Self {
        self.then(Step::Drip {
            bytes: bytes.into(),
            every,
        })
    }

    /// Then sends bytes again and again until the client is gone, waiting before each time.
    pub fn endless(self, bytes: impl Into<Vec<u8>>, every: Duration) -> Self {
        self.then(Step::Endless {
            bytes: bytes.into(),
            every,
        })
    }

    /// Then ends the connection at once, so that the client sees a reset.
    pub fn reset(self) -> Self {
        self.then(Step::Reset)
    }

    /// Then ends the connection in good order.
    pub fn close(self) -> Self {
        self.then(Step::Close)
    }

    /// What is done, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Self::new().reply(reply)
    }
}

/// A response. Its length is declared unless a header does so.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a reply is not sent until a recorder is started with it"]
pub struct Reply {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Reply {
    /// A response without headers and body.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A JSON response.
    pub fn json(status: u16, value: &Value) -> Self {
        Self::new(status)
            .header("content-type", "application/json")
            .body(value.to_string())
    }

    /// A plain text.
    pub fn text(status: u16, text: &str) -> Self {
        Self::new(status)
            .header("content-type", "text/plain; charset=utf-8")
            .body(text)
    }

    /// The same response, with one more header line.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same response, with this body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The bytes that are sent; a `HEAD` gets the head alone.
    #[must_use]
    pub fn wire(&self, method: &[u8]) -> Vec<u8> {
        let mut wire = format!("HTTP/1.1 {} {}\r\n", self.status, self.reason()).into_bytes();
        for (name, value) in &self.headers {
            wire.extend_from_slice(name.as_bytes());
            wire.extend_from_slice(b": ");
            wire.extend_from_slice(value);
            wire.extend_from_slice(b"\r\n");
        }
        let declares = |name: &str| {
            name.eq_ignore_ascii_case("content-length")
                || name.eq_ignore_ascii_case("transfer-encoding")
        };
        let bodiless = self.status < 200 || self.status == 204 || self.status == 304;
        if !bodiless && !self.headers.iter().any(|(name, _)| declares(name)) {
            wire.extend_from_slice(format!("content-length: {}\r\n", self.body.len()).as_bytes());
        }
        wire.extend_from_slice(b"\r\n");
        if !method.eq_ignore_ascii_case(b"HEAD") {
            wire.extend_from_slice(&self.body);
        }
        wire
    }

    fn reason(&self) -> &'static str {
        match self.status {
            200 => "OK",
            201 => "Created",
            204 => "No Content",
            301 => "Moved Permanently",
            302 => "Found",
            303 => "See Other",
            307 => "Temporary Redirect",
            308 => "Permanent Redirect",
            400 => "Bad Request",
            401 => "Unauthorized",
            404 => "Not Found",
            429 => "Too Many Requests",
            500 => "Internal Server Error",
            502 => "Bad Gateway",
            503 => "Service Unavailable",
            504 => "Gateway Timeout",
            _ => "Unnamed",
        }
    }
}
