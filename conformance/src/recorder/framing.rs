//! Where a request ends: the little that has to be read of it to know.

use super::recorded::Recorded;

/// The longest head and the longest body that are read, in bytes.
const LONGEST_HEAD: usize = 1 << 20;
const LONGEST_BODY: usize = 64 << 20;

/// How far a request has come.
#[derive(Debug)]
pub(super) enum Progress {
    /// More bytes are needed.
    More,
    /// The head is there, and the client waits to be told to send the body.
    Awaited,
    /// The request took so many bytes.
    Done(Recorded),
    /// What came can never become a request.
    Hopeless,
}

/// Reads one request after another out of what a connection yields.
#[derive(Debug, Default)]
pub(super) struct Framer {
    pending: Vec<u8>,
    head_end: Option<usize>,
    framing: Framing,
    /// How far the head was searched, or the chunks were read.
    read: usize,
    body: Vec<u8>,
    awaited: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Framing {
    #[default]
    Nothing,
    Length(usize),
    Chunked,
}

impl Framer {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// What came and is no whole request, as one that is not complete; `None` if nothing did.
    pub(super) fn rest(self, connection: usize) -> Option<Recorded> {
        let is_empty = self.pending.iter().all(|byte| b"\r\n".contains(byte));
        if is_empty {
            return None;
        }
        let head_end = self.head_end.unwrap_or(self.pending.len());
        let body = match self.framing {
            Framing::Chunked => self.body,
            _ => self.pending[head_end..].to_vec(),
        };
        Some(Recorded {
            connection,
            bytes: self.pending,
            head_end,
            body,
            complete: false,
        })
    }

    pub(super) fn next(&mut self, connection: usize) -> Progress {
        let head_end = match self.head_end {
            Some(end) => end,
            None => match self.find_head() {
                Some(end) => end,
                None if self.pending.len() > LONGEST_HEAD => return Progress::Hopeless,
                None => return Progress::More,
            },
        };
        let end = match self.framing {
            Framing::Nothing => Some(head_end),
            Framing::Length(length) => {
                let end = head_end.saturating_add(length);
                (end <= self.pending.len()).then_some(end)
            }
            Framing::Chunked => match self.read_chunks() {
                Ok(end) => end,
                Err(()) => return Progress::Hopeless,
            },
        };
        match end {
            Some(end) => Progress::Done(self.take(connection, head_end, end)),
            None if self.pending.len() - head_end > LONGEST_BODY => Progress::Hopeless,
            None if self.awaited => {
                self.awaited = false;
                Progress::Awaited
            }
            None => Progress::More,
        }
    }

    fn take(&mut self, connection: usize, head_end: usize, end: usize) -> Recorded {
        let rest = self.pending.split_off(end);
        let bytes = std::mem::replace(&mut self.pending, rest);
        let body = match self.framing {
            Framing::Chunked => std::mem::take(&mut self.body),
            _ => bytes[head_end..].to_vec(),
        };
        let rest = std::mem::take(&mut self.pending);
        *self = Self {
            pending: rest,
            ..Self::default()
        };
        Recorded {
            connection,
            bytes,
            head_end,
            body,
            complete: true,
        }
    }

    fn find_head(&mut self) -> Option<usize> {
        let start = self
            .pending
            .iter()
            .position(|byte| !b"\r\n".contains(byte))?;
        let from = self.read.max(start);
        let end = memchr::memchr_iter(b'\n', &self.pending[from..]).find_map(|at| {
            let next = from + at + 1;
            match self.pending[next..] {
                [b'\n', ..] => Some(next + 1),
                [b'\r', b'\n', ..] => Some(next + 2),
                _ => None,
            }
        });
        let Some(end) = end else {
            // The last line end may turn out to be the one before the empty line.
            self.read = self.pending.len().saturating_sub(2);
            return None;
        };
        self.head_end = Some(end);
        self.read = end;
        let head = Recorded {
            connection: 0,
            bytes: self.pending[..end].to_vec(),
            head_end: end,
            body: Vec::new(),
            complete: false,
        };
        self.framing = framing(&head);
        self.awaited = head.header("expect").is_some();
        Some(end)
    }

    /// Decodes the chunks that are there; the end of the last one once it is.
    fn read_chunks(&mut self) -> Result<Option<usize>, ()> {
        loop {
            let Some(line) = memchr::memchr(b'\n', &self.pending[self.read..]) else {
                return Ok(None);
            };
            let text = self.pending[self.read..self.read + line].trim_ascii();
            let digits = text.split(|&byte| byte == b';').next().unwrap_or_default();
            let digits = std::str::from_utf8(digits.trim_ascii()).map_err(|_| ())?;
            let size = usize::from_str_radix(digits, 16).map_err(|_| ())?;
            let data = self.read + line + 1;
            if size == 0 {
                return Ok(self.trailer_end(data));
            }
            let end = data.checked_add(size).ok_or(())?;
            match self.pending.get(end..) {
                Some([b'\n', ..]) => self.take_chunk(data, end, 1),
                Some([b'\r', b'\n', ..]) => self.take_chunk(data, end, 2),
                Some([] | [b'\r']) | None => return Ok(None),
                Some(_) => return Err(()),
            }
        }
    }

    fn take_chunk(&mut self, data: usize, end: usize, line_end: usize) {
        self.body.extend_from_slice(&self.pending[data..end]);
        self.read = end + line_end;
    }

    fn trailer_end(&self, mut at: usize) -> Option<usize> {
        loop {
            let line = memchr::memchr(b'\n', self.pending.get(at..)?)?;
            let is_empty = self.pending[at..at + line].trim_ascii().is_empty();
            at += line + 1;
            if is_empty {
                return Some(at);
            }
        }
    }
}

fn framing(head: &Recorded) -> Framing {
    let chunked = head
        .values_of("transfer-encoding")
        .any(|value| value.to_ascii_lowercase().ends_with(b"chunked"));
    if chunked {
        return Framing::Chunked;
    }
    let length = head.header("content-length");
    let length = length.and_then(|value| std::str::from_utf8(value).ok()?.parse().ok());
    length.map_or(Framing::Nothing, Framing::Length)
}
