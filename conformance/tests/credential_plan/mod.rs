//! The plan of `vectors/credential_scan.json`: which texts a scanner is judged by. It knows
//! nothing of how the scanner of this project works.

mod field_rows;
mod near_misses;
mod planted;
mod several;
mod weak;

use proofmark_conformance::catalogue::{Family, RequirementId};
use proofmark_conformance::scan::EncodingChain;
use proofmark_conformance::scan::judge::{
    Blob, Expected, ScanVector, ScanVectors, VectorKind, VectorSecret,
};

/// A made-up secret.
#[derive(Clone, Copy)]
pub struct Fake {
    pub name: &'static str,
    pub value: &'static [u8],
}

/// What most tokens look like.
pub const TOKEN: Fake = Fake {
    name: "token",
    value: b"tok_FAKE_9f3A",
};

/// Everything that some encoding must escape, and what base64 spells with its two odd characters.
pub const SYMBOLS: Fake = Fake {
    name: "symbols",
    value: b"tok<FAKE>&\"9f3A\\/?~~>>'+%",
};

/// As long as API keys are.
pub const KEY: Fake = Fake {
    name: "key",
    value: b"sk_FAKE_51HqLyjWDarjtT1zdp7dcXn0aBcDeFgH",
};

/// A pass phrase.
pub const PHRASE: Fake = Fake {
    name: "phrase",
    value: b"vorpal FAKE mimsy gimble",
};

/// Not ASCII, with a character outside the basic plane.
pub const UNICODE: Fake = Fake {
    name: "unicode",
    value: "pä$wörd_FAKE_😀_é9f3A".as_bytes(),
};

/// No text at all.
pub const BINARY: Fake = Fake {
    name: "binary",
    value: b"\x8f\x00\xffFAKE\x1b\x07\xfe\xc3\x28\x90\x3a\xe1",
};

pub const SECRETS: [Fake; 6] = [TOKEN, SYMBOLS, KEY, PHRASE, UNICODE, BINARY];

/// A vector that is being written.
pub struct Draft(ScanVector);

impl Draft {
    pub fn new(kind: VectorKind, id: &str, text: impl Into<Vec<u8>>, reason: &str) -> Self {
        let number = match kind {
            VectorKind::Planted => 5,
            VectorKind::NearMiss | VectorKind::Weak => 9,
        };
        Self(ScanVector {
            id: slug(id),
            requirement: RequirementId::new(Family::Cred, number),
            kind,
            secrets: Vec::new(),
            text: Blob::new(text.into()),
            fields: Vec::new(),
            expect: Vec::new(),
            reason: reason.to_owned(),
            field: None,
        })
    }

    /// Looks for a secret, expecting nothing.
    pub fn secret(mut self, secret: Fake) -> Self {
        self.0.secrets.push(VectorSecret {
            name: secret.name.to_owned(),
            value: Blob::new(secret.value.to_vec()),
        });
        self
    }

    /// Looks for a secret, expecting it so often, from this line on, in one of these encodings.
    pub fn finds(self, secret: Fake, count: usize, line: u64, encodings: &[&str]) -> Self {
        let mut draft = self.secret(secret);
        draft.0.expect.push(Expected {
            secret: secret.name.to_owned(),
            encodings: encodings.iter().map(|chain| parse(chain)).collect(),
            count,
            line,
        });
        draft
    }

    pub fn fields(mut self, fields: &[&str]) -> Self {
        self.0.fields = fields.iter().map(|field| (*field).to_owned()).collect();
        self
    }

    pub fn row(mut self, field: &str) -> Self {
        self.0.field = Some(field.to_owned());
        self
    }
}

fn parse(chain: &str) -> EncodingChain {
    chain.parse().unwrap()
}

/// An id: lower-case words with dashes.
fn slug(text: &str) -> String {
    let dashed: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let words: Vec<&str> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// All vectors, in the order of the file.
pub fn all() -> ScanVectors {
    let mut drafts = Vec::new();
    planted::write(&mut drafts);
    several::write(&mut drafts);
    field_rows::write(&mut drafts);
    near_misses::write(&mut drafts);
    weak::write(&mut drafts);
    ScanVectors {
        schema: 1,
        vectors: drafts.into_iter().map(|draft| draft.0).collect(),
    }
}
