//! A plain HTTP/1.1 client: one connection a request, and no answer larger than it should be.

use std::io::{self, ErrorKind};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const LONGEST_HEAD: usize = 64 << 10;
const LONGEST_BODY: usize = 8 << 20;

/// What is written to the connection.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Sends a request to `address` and reads the answer to its end.
pub(crate) async fn exchange(address: &str, request: &Request) -> io::Result<Answer> {
    exchange_within(address, request, LONGEST_BODY).await
}

/// As [`exchange`], for an answer whose body has at most so many bytes.
pub(crate) async fn exchange_within(
    address: &str,
    request: &Request,
    longest_body: usize,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address).await?;
    let mut head = format!(
        "{} {} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n",
        request.method, request.target
    );
    for (name, value) in &request.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = &request.body {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream
        .write_all(request.body.as_deref().unwrap_or_default())
        .await?;
    let mut source = Source {
        stream,
        pending: Vec::new(),
        longest_body,
    };
    loop {
        let head = source.head().await?;
        let status = status_of(&head).ok_or_else(malformed)?;
        // Interim responses stand before the one that counts.
        if status >= 200 {
            let location = value_of(&head, "location").map(str::to_owned);
            let bodiless = request.method == "HEAD" || status == 204 || status == 304;
            let body = if bodiless {
                Vec::new()
            } else {
                source.body(&head).await?
            };
            return Ok(Answer {
                status,
                location,
                body,
            });
        }
    }
}

fn malformed() -> io::Error {
    ErrorKind::InvalidData.into()
}

fn status_of(head: &str) -> Option<u16> {
    let rest = head.strip_prefix("HTTP/1.")?;
    rest.split(' ')
        .nth(1)?
        .parse()
        .ok()
        .filter(|status| (100..600).contains(status))
}

fn value_of<'h>(head: &'h str, wanted: &str) -> Option<&'h str> {
    head.lines().skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case(wanted).then(|| value.trim())
    })
}

struct Source {
    stream: TcpStream,
    pending: Vec<u8>,
    longest_body: usize,
}

impl Source {
    /// Reads more; `false` at the end.
    async fn more(&mut self) -> io::Result<bool> {
        Ok(self.stream.read_buf(&mut self.pending).await? > 0)
    }

    async fn until(&mut self, mark: &[u8], limit: usize) -> io::Result<Vec<u8>> {
        let mut searched = 0;
        loop {
            let window = self.pending.get(searched..).unwrap_or_default();
            if let Some(at) = window.windows(mark.len()).position(|part| part == mark) {
                let end = searched + at + mark.len();
                let rest = self.pending.split_off(end);
                return Ok(std::mem::replace(&mut self.pending, rest));
            }
            searched = self.pending.len().saturating_sub(mark.len() - 1);
            if self.pending.len() > limit {
                return Err(malformed());
            }
            if !self.more().await? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    async fn head(&mut self) -> io::Result<String> {
        let head = self.until(b"\r\n\r\n", LONGEST_HEAD).await?;
        String::from_utf8(head).map_err(|_| malformed())
    }

    async fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.pending.len() < length {
            if !self.more().await? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        let rest = self.pending.split_off(length);
        Ok(std::mem::replace(&mut self.pending, rest))
    }

    async fn body(&mut self, head: &str) -> io::Result<Vec<u8>> {
        if value_of(head, "transfer-encoding").is_some() {
            return self.chunks().await;
        }
        let Some(length) = value_of(head, "content-length") else {
            while self.more().await? {
                if self.pending.len() > self.longest_body {
                    return Err(malformed());
                }
            }
            return Ok(std::mem::take(&mut self.pending));
        };
        let length: usize = length.parse().map_err(|_| malformed())?;
        if length > self.longest_body {
            return Err(malformed());
        }
        self.take(length).await
    }

    async fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.until(b"\r\n", 1024).await?;
            let digits = std::str::from_utf8(&line).map_err(|_| malformed())?;
            let size = usize::from_str_radix(digits.trim(), 16).map_err(|_| malformed())?;
            if size == 0 {
                return Ok(body);
            }
            if body.len().saturating_add(size) > self.longest_body {
                return Err(malformed());
            }
            let mut chunk = self.take(size + 2).await?;
            chunk.truncate(size);
            body.append(&mut chunk);
        }
    }
}
