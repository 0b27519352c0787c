//! The scanner: which secrets it looks for, and scans of whole texts.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::engine::{Engine, Hit, plainest};
use super::stream::{Stream, Windows};
use super::{Finding, Floor, Inconclusive, Scan, Secret};

/// Looks for secrets in every usual encoding, any number of them in one pass.
///
/// A text is searched as it stands, for every finite spelling of each secret (itself, reversed,
/// hex, base64 at the three alignments), and then in its decoded views: what it says once
/// percent-encoding, backslash escapes, character references, base64, hex, decimal lists or
/// UTF-16 are undone, wholly or in part, once or twice. So any encoding is found inside any other.
/// Reversal, and UTF-16 of a secret that is not ASCII, are looked for innermost only. A spelling that takes more than 96 bytes for each byte
/// of the longest secret is not found, nor one under a run of more than 64 backslashes.
///
/// ```
/// use proofmark_conformance::scan::{Scanner, Secret};
///
/// let scanner = Scanner::builder().secret(Secret::new("api key", "tok_FAKE_9f3A")).build()?;
/// let scan = scanner.scan(b"GET /v1?key=tok%5FFAKE_9f3A");
///
/// assert_eq!(scan.findings[0].to_string(), "1:13: `api key` (percent)");
/// assert_eq!(scanner.redact("key=tok%5FFAKE_9f3A&x=1"), "key=[masked]&x=1");
/// # Ok::<(), proofmark_conformance::scan::ScanError>(())
/// ```
pub struct Scanner {
    pub(super) engine: Engine,
    names: Vec<Arc<str>>,
    inconclusive: Vec<Inconclusive>,
    windows: Windows,
}

/// Why a scanner cannot be built or a text not read.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// There is nothing to look for.
    #[error("no secret to look for: add one with `secret`")]
    NoSecret,
    /// The name of a secret would be printed, and holds a secret.
    #[error("the name of secret {position} holds the value of a secret: give it another name")]
    NameHoldsSecret {
        /// Its place in the order they were added, from 1.
        position: usize,
    },
    /// A secret is longer than [`Scanner::LONGEST_SECRET`].
    #[error("secret {position} is longer than {} bytes", Scanner::LONGEST_SECRET)]
    SecretTooLong {
        /// Its place in the order they were added, from 1.
        position: usize,
    },
    /// The secrets are too many for an index of their spellings.
    #[error("the secrets are too many to be looked for in one pass: split them over scanners")]
    TooManySecrets,
    /// The text could not be read to its end.
    #[error("the text could not be read to its end")]
    Read(#[from] std::io::Error),
}

/// Gathers what a [`Scanner`] looks for.
#[must_use = "a builder does nothing until `build`"]
#[derive(Debug, Clone, Default)]
pub struct ScannerBuilder {
    secrets: Vec<Secret>,
    floor: Floor,
    block: Option<usize>,
}

impl ScannerBuilder {
    /// Looks for this secret too.
    pub fn secret(mut self, secret: Secret) -> Self {
        self.secrets.push(secret);
        self
    }

    /// Looks for all these secrets too.
    pub fn secrets(mut self, secrets: impl IntoIterator<Item = Secret>) -> Self {
        self.secrets.extend(secrets);
        self
    }

    /// What a secret needs to be looked for; without it, [`Floor::default`].
    pub fn floor(mut self, floor: Floor) -> Self {
        self.floor = floor;
        self
    }

    /// How many bytes are searched at once: by default a quarter of a MiB. It is raised where the
    /// longest secret needs more, and never changes what is found.
    pub fn block(mut self, bytes: usize) -> Self {
        self.block = Some(bytes);
        self
    }

    /// The scanner. A secret below the floor is no error: every scan reports it as inconclusive.
    ///
    /// # Errors
    ///
    /// Without a secret; when a name holds a secret; when a secret is too long, or they are too
    /// many.
    pub fn build(self) -> Result<Scanner, ScanError> {
        if self.secrets.is_empty() {
            return Err(ScanError::NoSecret);
        }
        let too_long = |secret: &Secret| secret.expose().len() > Scanner::LONGEST_SECRET;
        if let Some(index) = self.secrets.iter().position(too_long) {
            let position = index + 1;
            return Err(ScanError::SecretTooLong { position });
        }
        let mut names = Vec::new();
        let mut values = Vec::new();
        let mut inconclusive = Vec::new();
        for secret in &self.secrets {
            let name = Arc::<str>::from(secret.name());
            match secret.weakness(self.floor) {
                Some(why) => inconclusive.push(Inconclusive { secret: name, why }),
                None => {
                    names.push(name);
                    values.push(secret.expose());
                }
            }
        }
        let engine = Engine::new(&values).map_err(|_| ScanError::TooManySecrets)?;
        let windows = Windows::new(engine.reach(), self.block);
        let scanner = Scanner {
            engine,
            names,
            inconclusive,
            windows,
        };
        for (index, secret) in self.secrets.iter().enumerate() {
            if !scanner.scan(secret.name().as_bytes()).findings.is_empty() {
                let position = index + 1;
                return Err(ScanError::NameHoldsSecret { position });
            }
        }
        Ok(scanner)
    }
}

impl Scanner {
    /// The longest secret that is looked for, in bytes.
    pub const LONGEST_SECRET: usize = 16 * 1024;

    /// What stands where [`redact`](Self::redact) found a secret.
    pub const MASK: &'static str = "[masked]";

    /// Gathers what to look for.
    pub fn builder() -> ScannerBuilder {
        ScannerBuilder::default()
    }

    /// The secrets that are too weak to be looked for: every scan is inconclusive about them.
    #[must_use]
    pub fn inconclusive(&self) -> &[Inconclusive] {
        &self.inconclusive
    }

    /// Scans a whole text.
    pub fn scan(&self, text: &[u8]) -> Scan {
        let mut lines = Lines::default();
        let mut findings = Vec::new();
        for block in self.windows.blocks(text.len()) {
            let hits = self.block_hits(&text[block.window.clone()], &block);
            if !hits.is_empty() {
                lines.report(self, hits, text, 0, &mut findings);
            }
        }
        self.scan_of(findings)
    }

    /// A scan of a text that arrives in pieces of any size; it finds what [`scan`](Self::scan)
    /// finds in the whole.
    pub fn stream(&self) -> Stream<'_> {
        Stream::new(self, self.windows)
    }

    /// Scans all that a reader yields, in bounded memory.
    ///
    /// # Errors
    ///
    /// When reading fails: a text that was not read to its end is not clean.
    pub fn scan_reader(&self, mut reader: impl Read) -> Result<Scan, ScanError> {
        let mut stream = self.stream();
        let mut piece = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return Ok(stream.finish()),
                Ok(read) => stream.push(&piece[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Notes the file that was scanned in each finding, with the secrets in its name masked.
    pub fn in_file(&self, file: &str, mut scan: Scan) -> Scan {
        let file = Arc::<str>::from(self.redact(file));
        for finding in &mut scan.findings {
            finding.file = Some(file.clone());
        }
        scan
    }

    /// The text with every spelling of every secret masked: no part of one is left, however they
    /// overlap. Secrets that are too weak to be looked for are not masked.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut at = 0;
        for place in self.masked(text) {
            redacted.push_str(&text[at..place.start]);
            redacted.push_str(Self::MASK);
            at = place.end;
        }
        redacted.push_str(&text[at..]);
        redacted
    }

    /// As [`redact`](Self::redact), without a copy when there is nothing to mask.
    #[must_use]
    pub fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.masked(text).is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.redact(text))
    }

    /// Whether a text holds a secret or shows six bytes in a row of one of its spellings.
    pub(super) fn resembles(&self, text: &[u8]) -> bool {
        self.engine.shares(text, 6) || !self.engine.hits(text).is_empty()
    }

    /// The joined places of all spellings, widened to whole characters.
    fn masked(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        for block in self.windows.blocks(text.len()) {
            let window = &text.as_bytes()[block.window.clone()];
            for Hit { mut place, .. } in self.engine.hits(window) {
                place.start += block.window.start;
                place.end += block.window.start;
                if block.owned.contains(&place.start) {
                    place.start = boundary_before(text, place.start);
                    place.end = boundary_after(text, place.end);
                    places.push(place);
                }
            }
        }
        places.sort_unstable_by_key(|place| place.start);
        places.dedup_by(|later, joined| {
            let touches = later.start <= joined.end;
            if touches {
                joined.end = joined.end.max(later.end);
            }
            touches
        });
        places
    }

    pub(super) fn scan_of(&self, findings: Vec<Finding>) -> Scan {
        Scan {
            findings,
            inconclusive: self.inconclusive.clone(),
        }
    }

    /// The hits that begin in a block's own part, with places in the whole text.
    pub(super) fn block_hits(&self, window: &[u8], block: &super::stream::Block) -> Vec<Hit> {
        let hits = self.engine.hits(window);
        if hits.is_empty() {
            return hits;
        }
        let mut hits = plainest(hits, self.engine.reach());
        for hit in &mut hits {
            hit.place.start += block.window.start;
            hit.place.end += block.window.start;
        }
        hits.retain(|hit| block.owned.contains(&hit.place.start));
        hits
    }
}

fn boundary_before(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn boundary_after(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// Counts lines up to an offset that only grows.
#[derive(Default)]
pub(super) struct Lines {
    /// How many line ends stand before `at`.
    ends: u64,
    /// Where the line that `at` stands in begins.
    line_start: usize,
    at: usize,
}

impl Lines {
    /// Turns hits, in ascending order, into findings. `text` begins at offset `base`.
    pub(super) fn report(
        &mut self,
        scanner: &Scanner,
        hits: Vec<Hit>,
        text: &[u8],
        base: usize,
        findings: &mut Vec<Finding>,
    ) {
        for Hit {
            secret,
            chain,
            place,
        } in hits
        {
            self.advance(place.start, text, base);
            findings.push(Finding {
                file: None,
                line: self.ends + 1,
                column: (place.start - self.line_start) as u64 + 1,
                encoding: chain,
                secret: scanner.names[secret].clone(),
                span: place.start as u64..place.end as u64,
            });
        }
    }

    pub(super) fn advance(&mut self, to: usize, text: &[u8], base: usize) {
        let passed = &text[self.at - base..to - base];
        self.ends += memchr::memchr_iter(b'\n', passed).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.line_start = self.at + last + 1;
        }
        self.at = to;
    }
}

/// Names only: the index holds the secrets in all their spellings.
impl fmt::Debug for Scanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner")
            .field("secrets", &self.names)
            .field("inconclusive", &self.inconclusive)
            .finish_non_exhaustive()
    }
}
