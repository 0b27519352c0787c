//! Windows over a text, and scans of texts that arrive in pieces.

use std::ops::Range;

use super::scanner::Lines;
use super::{Finding, Scan, Scanner};

/// How a text is cut: blocks of one size, each searched with a margin on both sides.
///
/// The cuts depend on offsets alone, so the pieces a text arrives in cannot change what is found;
/// and since the margin exceeds what a report depends on, nor can the size of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows {
    block: usize,
    margin: usize,
}

/// One block: the part whose findings it reports, and the part that is searched for them.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) owned: Range<usize>,
    pub(super) window: Range<usize>,
}

const DEFAULT_BLOCK: usize = 256 * 1024;

impl Windows {
    /// For spellings of up to `reach` bytes. Whether one is reported depends on those that overlap
    /// it, and whether they occur on what surrounds them: three times the reach, in all.
    pub(super) fn new(reach: usize, block: Option<usize>) -> Self {
        let margin = 3 * reach;
        let block = block.unwrap_or(DEFAULT_BLOCK.max(4 * margin)).max(1);
        Self { block, margin }
    }

    fn block(&self, index: usize, length: usize) -> Block {
        let start = index * self.block;
        let end = (start + self.block).min(length);
        Block {
            owned: start..end,
            window: start.saturating_sub(self.margin)..(end + self.margin).min(length),
        }
    }

    /// The blocks of a text of known length.
    pub(super) fn blocks(self, length: usize) -> impl Iterator<Item = Block> {
        (0..length.div_ceil(self.block)).map(move |index| self.block(index, length))
    }
}

/// A scan of a text that arrives in pieces. It keeps a block and its margins, 280 KiB of text for a
/// secret of 40 bytes, and while a block is searched its decoded views; and the findings until they
/// are taken.
///
/// ```
/// use proofmark_conformance::scan::{Scanner, Secret};
///
/// let scanner = Scanner::builder().secret(Secret::new("key", "tok_FAKE_9f3A")).build()?;
/// let mut stream = scanner.stream();
/// stream.push(b"key=tok_FA");
/// stream.push(b"KE_9f3A\n");
///
/// assert_eq!(stream.finish().findings[0].column, 5);
/// # Ok::<(), proofmark_conformance::scan::ScanError>(())
/// ```
#[must_use = "call `finish` for the rest of the findings"]
pub struct Stream<'s> {
    scanner: &'s Scanner,
    windows: Windows,
    /// The text from offset `base` on.
    buffer: Vec<u8>,
    base: usize,
    next_block: usize,
    lines: Lines,
    findings: Vec<Finding>,
}

impl<'s> Stream<'s> {
    pub(super) fn new(scanner: &'s Scanner, windows: Windows) -> Self {
        Self {
            scanner,
            windows,
            buffer: Vec::new(),
            base: 0,
            next_block: 0,
            lines: Lines::default(),
            findings: Vec::new(),
        }
    }

    /// Scans the next piece of the text.
    pub fn push(&mut self, mut piece: &[u8]) {
        let Windows { block, margin } = self.windows;
        let full = block + 2 * margin;
        while !piece.is_empty() {
            let taken = piece
                .len()
                .min(full.saturating_sub(self.buffer.len()).max(1));
            self.buffer.extend_from_slice(&piece[..taken]);
            piece = &piece[taken..];
            // A block is searched once its margin is here.
            while self.base + self.buffer.len() >= (self.next_block + 1) * block + margin {
                self.search(self.base + self.buffer.len());
            }
        }
    }

    /// The findings that are certain by now and were not taken before, in the order of the text.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// Ends the text: the findings that were not taken, and what was not looked for.
    pub fn finish(mut self) -> Scan {
        let length = self.base + self.buffer.len();
        while self.next_block * self.windows.block < length {
            self.search(length);
        }
        self.scanner.scan_of(self.findings)
    }

    /// Searches the next block of a text that is known up to `length`.
    fn search(&mut self, length: usize) {
        let block = self.windows.block(self.next_block, length);
        let window = block.window.start - self.base..block.window.end - self.base;
        let hits = self.scanner.block_hits(&self.buffer[window], &block);
        let (text, base) = (&self.buffer, self.base);
        self.lines
            .report(self.scanner, hits, text, base, &mut self.findings);
        self.lines.advance(block.owned.end, text, base);
        self.next_block += 1;
        let keep_from = block.owned.end.saturating_sub(self.windows.margin);
        // The lines before are counted, so all that is left behind is the margin.
        self.buffer.drain(..keep_from - self.base);
        self.base = keep_from;
    }
}
