//! Searches one window of text: every literal, in the text and in its decoded views.

use std::ops::Range;

use super::decode::{Decoded, ESCAPES, Escapes, Need, Neighbourhoods, decode_runs};
use super::index::LiteralIndex;
use super::literal::spell;
use super::{Encoding, EncodingChain};

/// One occurrence, by offsets into the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) secret: usize,
    pub(super) chain: EncodingChain,
    pub(super) place: Range<usize>,
}

/// The longest spelling that is reported, in bytes a byte of the longest secret. A secret that is
/// escaped twice takes up to 36, an indented list of decimals of escapes twice that.
const REACH: usize = 96;

/// How far from an escape a spelling under it may begin or end, in bytes a byte of the longest
/// secret, when the escape is only part of a spelling that is encoded once more.
const WIDE: usize = 16;

/// How many encodings are undone before the literals are looked for.
const LAYERS: usize = 2;

/// The searcher of windows.
///
/// Whether an occurrence is reported depends on the bytes within [`reach`](Self::reach) of it and
/// on nothing further off: windows that overlap by enough see the same.
pub(super) struct Engine {
    index: LiteralIndex,
    escapes: Vec<Escapes>,
    need: Need,
    longest: usize,
    longest_literal: usize,
}

/// A text to search, and how it came out of the window.
struct Layer<'l> {
    text: &'l [u8],
    chain: EncodingChain,
    depth: usize,
    from: Option<(&'l Decoded, &'l Layer<'l>)>,
}

impl<'l> Layer<'l> {
    fn window(text: &'l [u8]) -> Self {
        Self {
            text,
            chain: EncodingChain::PLAIN,
            depth: 0,
            from: None,
        }
    }

    fn inner(&'l self, decoded: &'l Decoded, encoding: Encoding) -> Self {
        Self {
            text: decoded.bytes(),
            chain: self.chain.then(encoding),
            depth: self.depth + 1,
            from: Some((decoded, self)),
        }
    }

    /// The part of the window that spells a part of this text.
    fn place(&self, part: Range<usize>) -> Range<usize> {
        match self.from {
            Some((decoded, outer)) => outer.place(decoded.source(&part)),
            None => part,
        }
    }
}

impl Engine {
    /// # Errors
    ///
    /// When the automaton for very many secrets cannot be built.
    pub(super) fn new(secrets: &[&[u8]]) -> Result<Self, aho_corasick::BuildError> {
        let literals = secrets
            .iter()
            .enumerate()
            .flat_map(|(index, value)| spell(index, value));
        let index = LiteralIndex::new(literals.collect())?;
        let longest_literal = index.literals().iter().map(|literal| literal.bytes.len());
        let lengths = || secrets.iter().map(|value| value.len());
        let shortest = lengths().min().unwrap_or(0);
        // Only what has a space in it is spelled with the `+` of forms.
        let mut literals = index.literals().iter();
        let spaced = literals.any(|literal| literal.bytes.contains(&b' '));
        Ok(Self {
            longest_literal: longest_literal.max().unwrap_or(0),
            index,
            escapes: ESCAPES
                .into_iter()
                .filter(|dialect| *dialect != Escapes::Form || spaced)
                .collect(),
            need: Need {
                bytes: shortest,
                numbers: shortest,
                ascii: secrets.iter().all(|value| value.is_ascii()),
            },
            longest: lengths().max().unwrap_or(0),
        })
    }

    /// The length of the longest spelling that is reported, in bytes.
    pub(super) fn reach(&self) -> usize {
        (self.longest * REACH).max(1024)
    }

    /// Every occurrence in a window, in no order, some of them more than once.
    pub(super) fn hits(&self, window: &[u8]) -> Vec<Hit> {
        let mut search = Search {
            engine: self,
            hits: Vec::new(),
            spare: Vec::new(),
        };
        if self.longest > 0 {
            search.layer(&Layer::window(window));
        }
        let reach = self.reach();
        search.hits.retain(|hit| hit.place.len() <= reach);
        search.hits
    }

    /// Whether a text has `length` bytes in a row in common with a literal.
    pub(super) fn shares(&self, text: &[u8], length: usize) -> bool {
        text.windows(length).any(|part| {
            let mut literals = self.index.literals().iter();
            literals.any(|literal| memchr::memmem::find(&literal.bytes, part).is_some())
        })
    }

    /// How far from an escape a literal under it may begin or end.
    fn near(&self) -> usize {
        (self.longest_literal + 2).max(64)
    }

    /// Shows the parts of a text that a further layer could decode, in no order.
    fn candidates(&self, text: &[u8], scratch: &mut Decoded, mut show: impl FnMut(Range<usize>)) {
        for dialect in &self.escapes {
            dialect.places(text, &mut show);
        }
        // A list may be cut off where its surroundings were; six numbers show it.
        let need = Need {
            numbers: self.need.numbers.min(6),
            ..self.need
        };
        decode_runs(text, need, scratch, &mut |_, decoded| {
            show(decoded.source(&(0..decoded.bytes().len())));
        });
    }
}

struct Search<'e> {
    engine: &'e Engine,
    hits: Vec<Hit>,
    /// Buffers that no layer is using.
    spare: Vec<Decoded>,
}

impl Search<'_> {
    fn layer(&mut self, layer: &Layer<'_>) {
        self.literals(layer);
        if layer.depth < LAYERS {
            self.behind_escapes(layer);
            self.behind_runs(layer);
        }
    }

    fn literals(&mut self, layer: &Layer<'_>) {
        self.engine.index.find(layer.text, |literal, part| {
            self.hits.push(Hit {
                secret: literal.secret,
                chain: literal
                    .encoding
                    .map_or(layer.chain, |encoding| layer.chain.then(encoding)),
                place: layer.place(part),
            });
        });
    }

    /// Looks close to every escape for literals, and further where a second layer shows itself:
    /// between an escape and the nearest escape of the layer below it a secret has only plain
    /// bytes, fewer than its own length, so a look close by is enough to tell.
    fn behind_escapes(&mut self, layer: &Layer<'_>) {
        let engine = self.engine;
        for dialect in &engine.escapes {
            let mut decoded = self.spare.pop().unwrap_or_default();
            let mut scratch = self.spare.pop().unwrap_or_default();
            let mut deeper = Vec::new();
            dialect.decode_near(layer.text, engine.near(), &mut decoded, |decoded| {
                let inner = layer.inner(decoded, dialect.encoding());
                self.literals(&inner);
                if inner.depth < LAYERS {
                    engine.candidates(inner.text, &mut scratch, |candidate| {
                        deeper.push(decoded.source(&candidate));
                    });
                }
            });
            deeper.sort_unstable_by_key(|place| place.start);
            let margin = engine.longest * WIDE;
            let mut parts = Neighbourhoods::new(margin, layer.text.len());
            for place in deeper {
                parts.add(place);
            }
            for part in parts.done() {
                dialect.decode(layer.text, part, &mut decoded);
                let inner = layer.inner(&decoded, dialect.encoding());
                self.behind_escapes(&inner);
                self.behind_runs(&inner);
            }
            self.spare.extend([decoded, scratch]);
        }
    }

    fn behind_runs(&mut self, layer: &Layer<'_>) {
        let need = self.engine.need;
        let mut scratch = self.spare.pop().unwrap_or_default();
        decode_runs(layer.text, need, &mut scratch, &mut |encoding, decoded| {
            self.layer(&layer.inner(decoded, encoding));
        });
        self.spare.push(scratch);
    }
}

/// Keeps one report of each place: of two that explain it, the one with the plainest chain.
///
/// Two explain the same place when one of them lies within the other. Partial overlaps are two
/// occurrences, as in `tok1tok1tok1`; but a reversal that overlaps a plainer hit only says that
/// the secret repeats itself, as `abab` does.
pub(super) fn plainest(mut hits: Vec<Hit>, reach: usize) -> Vec<Hit> {
    use std::collections::BTreeMap;

    let key = |hit: &Hit| (hit.secret, hit.chain, hit.place.start, hit.place.end);
    hits.sort_unstable_by_key(key);
    hits.dedup();
    // For each secret and start, the ends and chains kept so far.
    let mut kept = BTreeMap::<(usize, usize), Vec<(usize, EncodingChain)>>::new();
    hits.retain(|hit| {
        let Range { start, end } = hit.place;
        let near = kept.range((hit.secret, start.saturating_sub(reach))..(hit.secret, end));
        let explained = near
            .flat_map(|((_, from), ends)| ends.iter().map(move |(to, chain)| (*from..*to, chain)))
            .any(|(other, chain)| {
                let within = other.start <= start && end <= other.end;
                let around = start <= other.start && other.end <= end;
                let turned =
                    other.end > start && hit.chain.steps().ends_with(&[Encoding::Reversed]);
                *chain < hit.chain && (within || around || turned)
            });
        if !explained {
            let ends = kept.entry((hit.secret, start)).or_default();
            ends.push((end, hit.chain));
        }
        !explained
    });
    hits.sort_unstable_by_key(|hit| (hit.place.start, hit.place.end, hit.secret));
    hits
}
