//! One request, as it came.

use std::fmt;

use serde_json::Value;

/// One request as it was sent: its bytes first, and readings of them.
#[derive(Clone, PartialEq, Eq)]
pub struct Recorded {
    pub(super) connection: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) head_end: usize,
    pub(super) body: Vec<u8>,
    pub(super) complete: bool,
}

impl Recorded {
    /// Which connection it came on, counted from 0.
    #[must_use]
    pub fn connection(&self) -> usize {
        self.connection
    }

    /// Every byte of it, framing included.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The head: the request line, the header lines and the empty line behind them.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.bytes[..self.head_end]
    }

    /// The body, without the framing of chunks.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Whether head and body arrived to their end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The request line, without its line end.
    #[must_use]
    pub fn request_line(&self) -> &[u8] {
        self.lines().next().unwrap_or_default()
    }

    /// What stands before the first space of the request line.
    #[must_use]
    pub fn method(&self) -> &[u8] {
        let line = self.request_line();
        let end = line.iter().position(|&byte| byte == b' ');
        &line[..end.unwrap_or(line.len())]
    }

    /// What stands between the first and the last space of the request line.
    #[must_use]
    pub fn target(&self) -> &[u8] {
        let line = self.request_line();
        let first = line.iter().position(|&byte| byte == b' ');
        let last = line.iter().rposition(|&byte| byte == b' ');
        match (first, last) {
            (Some(first), Some(last)) if first < last => &line[first + 1..last],
            (Some(first), _) => &line[first + 1..],
            _ => &[],
        }
    }

    /// What stands behind the last space of the request line.
    #[must_use]
    pub fn version(&self) -> &[u8] {
        let line = self.request_line();
        let last = line.iter().rposition(|&byte| byte == b' ');
        last.map_or(&[], |last| &line[last + 1..])
    }

    /// The target up to its first `?`.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        let target = self.target();
        let end = target.iter().position(|&byte| byte == b'?');
        &target[..end.unwrap_or(target.len())]
    }

    /// What stands behind the target's first `?`, if it has one.
    #[must_use]
    pub fn query(&self) -> Option<&[u8]> {
        let target = self.target();
        let mark = target.iter().position(|&byte| byte == b'?')?;
        Some(&target[mark + 1..])
    }

    /// The pairs of the query, form-decoded.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        let query = self.query().unwrap_or_default();
        url::form_urlencoded::parse(query).into_owned().collect()
    }

    /// The header lines, each without its line end and as it came.
    pub fn header_lines(&self) -> impl Iterator<Item = &[u8]> {
        self.lines().skip(1).filter(|line| !line.is_empty())
    }

    /// Names and values of the header lines: what stands before the first `:`, and what stands
    /// behind it without surrounding spaces.
    pub fn headers(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.header_lines().map(|line| {
            let colon = line.iter().position(|&byte| byte == b':');
            match colon {
                Some(colon) => (&line[..colon], line[colon + 1..].trim_ascii()),
                None => (line, [].as_slice()),
            }
        })
    }

    /// Every value under a name, whatever its letter case.
    pub fn values_of(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let wanted = name.as_bytes();
        self.headers()
            .filter(move |(name, _)| name.trim_ascii().eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value)
    }

    /// The first value under a name, whatever its letter case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.values_of(name).next()
    }

    /// The body read as JSON; `None` where it is none.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Whether these bytes occur in it anywhere, as they are.
    #[must_use]
    pub fn contains(&self, needle: &[u8]) -> bool {
        memchr::memmem::find(&self.bytes, needle).is_some()
            || memchr::memmem::find(&self.body, needle).is_some()
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        // A client may end the request before with a line end too many.
        let head = self.head();
        let start = head.iter().position(|byte| !b"\r\n".contains(byte));
        head[start.unwrap_or(head.len())..]
            .split(|&byte| byte == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// The request line, escaped and cut.
impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.request_line();
        let shown = &line[..line.len().min(200)];
        write!(f, "{}", shown.escape_ascii())?;
        match self.body.len() {
            0 => Ok(()),
            length => write!(f, " with a body of {length} bytes"),
        }
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded")
            .field("connection", &self.connection)
            .field("head", &self.head().escape_ascii().to_string())
            .field("body", &self.body.escape_ascii().to_string())
            .field("complete", &self.complete)
            .finish()
    }
}
