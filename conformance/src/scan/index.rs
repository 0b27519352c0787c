//! Finds every occurrence, overlapping ones too, of many literals in one pass.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind, Span, packed};

use super::literal::Literal;

/// Literals, found by a rare stretch of each, all of one length.
///
/// Stretches of one length cannot start at one place, so a vectorised searcher that reports only
/// the leftmost match loses nothing when it is restarted one byte further on.
pub(super) struct LiteralIndex {
    literals: Vec<Literal>,
    /// For each stretch, the literals that hold it, and where in them.
    holders: Vec<Vec<Holder>>,
    searcher: Searcher,
}

struct Holder {
    literal: usize,
    offset: usize,
}

enum Searcher {
    Vectorised(packed::Searcher),
    Automaton(AhoCorasick),
    Nothing,
}

/// Longer stretches discriminate no better, and make the automaton larger.
const STRETCH: usize = 8;

/// Above it, the automaton is quicker than the vectorised searcher with all its false candidates.
const MOST_VECTORISED: usize = 128;

impl LiteralIndex {
    /// # Errors
    ///
    /// When the automaton cannot be built, for want of space for its states.
    pub(super) fn new(literals: Vec<Literal>) -> Result<Self, aho_corasick::BuildError> {
        let shortest = literals.iter().map(|literal| literal.bytes.len()).min();
        let length = shortest.unwrap_or(0).min(STRETCH);
        let mut stretches = BTreeMap::<&[u8], Vec<Holder>>::new();
        for (index, literal) in literals.iter().enumerate() {
            let offset = rarest_stretch(&literal.bytes, length);
            stretches
                .entry(&literal.bytes[offset..offset + length])
                .or_default()
                .push(Holder {
                    literal: index,
                    offset,
                });
        }
        let searcher = Searcher::new(stretches.keys().copied().collect())?;
        let holders = stretches.into_values().collect();
        Ok(Self {
            literals,
            holders,
            searcher,
        })
    }

    pub(super) fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Reports each occurrence, in no order.
    pub(super) fn find<'i>(
        &'i self,
        text: &[u8],
        mut report: impl FnMut(&'i Literal, std::ops::Range<usize>),
    ) {
        self.searcher.find(text, |stretch, at| {
            for holder in &self.holders[stretch] {
                let literal = &self.literals[holder.literal];
                let Some(start) = at.checked_sub(holder.offset) else {
                    continue;
                };
                if !text[start..].starts_with(&literal.bytes) {
                    continue;
                }
                if let Some(place) = literal.place(text, start) {
                    report(literal, place);
                }
            }
        });
    }
}

impl Searcher {
    fn new(stretches: Vec<&[u8]>) -> Result<Self, aho_corasick::BuildError> {
        if stretches.is_empty() {
            return Ok(Self::Nothing);
        }
        if stretches.len() <= MOST_VECTORISED {
            let vectorised = packed::Config::new()
                .only_teddy(true)
                .heuristic_pattern_limits(false)
                .builder()
                .extend(&stretches)
                .build();
            if let Some(searcher) = vectorised {
                return Ok(Self::Vectorised(searcher));
            }
        }
        AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&stretches)
            .map(Self::Automaton)
    }

    fn find(&self, text: &[u8], mut report: impl FnMut(usize, usize)) {
        match self {
            Self::Nothing => {}
            Self::Vectorised(searcher) => {
                let mut from = 0;
                while let Some(found) = searcher.find_in(text, Span::from(from..text.len())) {
                    report(found.pattern().as_usize(), found.start());
                    from = found.start() + 1;
                }
            }
            Self::Automaton(automaton) => {
                for found in automaton.find_overlapping_iter(Input::new(text)) {
                    report(found.pattern().as_usize(), found.start());
                }
            }
        }
    }
}

/// Where the stretch stands whose first bytes, those a vectorised searcher looks at, are rarest
/// in ordinary text.
fn rarest_stretch(bytes: &[u8], length: usize) -> usize {
    (0..=bytes.len() - length)
        .min_by_key(|start| {
            let looked_at = &bytes[*start..*start + length.min(4)];
            looked_at.iter().map(|byte| commonness(*byte)).sum::<u32>()
        })
        .unwrap_or(0)
}

/// How common a byte is in logs, roughly, in bits.
fn commonness(byte: u8) -> u32 {
    match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'0' | b'1' | b'"' => 5,
        b'a'..=b'z' | b'2'..=b'9' | b'-' | b':' | b'/' | b'.' | b'=' | b',' | b'_' | b'\n' => 4,
        b'A'..=b'Z' => 2,
        0 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::literal::spell;
    use super::*;

    fn occurrences(index: &LiteralIndex, text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        index.find(text, |literal, place| {
            if literal.encoding.is_none() {
                found.push((literal.secret, place.start));
            }
        });
        found.sort_unstable();
        found
    }

    fn naive(secrets: &[Vec<u8>], text: &[u8]) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (index, secret) in secrets.iter().enumerate() {
            found.extend(
                (0..text.len())
                    .filter(|at| text[*at..].starts_with(secret))
                    .map(|at| (index, at)),
            );
        }
        found
    }

    proptest! {
        #[test]
        fn every_occurrence_is_found_however_the_literals_overlap(
            secrets in proptest::collection::vec("[ab]{4,6}", 1..40),
            text in "[ab]{0,200}",
        ) {
            let secrets: Vec<Vec<u8>> = secrets.into_iter().map(String::into_bytes).collect();
            // Some of these lists are vectorised, and some are above the limit for that.
            let literals = secrets.iter().enumerate().flat_map(|(at, secret)| spell(at, secret));
            let index = LiteralIndex::new(literals.collect()).unwrap();
            let mut expected = naive(&secrets, text.as_bytes());
            expected.sort_unstable();

            prop_assert_eq!(occurrences(&index, text.as_bytes()), expected);
        }
    }
}
