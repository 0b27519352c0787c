//! The scanner's vectors: texts with planted secrets, near misses and weak secrets, as data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::catalogue::RequirementId;
use crate::scan::{EncodingChain, Secret};

/// The vectors that every scanner is judged by, `vectors/credential_scan.json`.
pub const CREDENTIAL_SCAN: &str = include_str!("../../../vectors/credential_scan.json");

/// A file of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanVectors {
    /// The version of the shape, 1.
    pub schema: u32,
    /// The vectors, in the order of their ids.
    pub vectors: Vec<ScanVector>,
}

impl ScanVectors {
    /// The built-in vectors.
    ///
    /// # Errors
    ///
    /// When the file of this crate is damaged, which a test excludes.
    pub fn built_in() -> Result<Self, serde_json::Error> {
        serde_json::from_str(CREDENTIAL_SCAN)
    }
}

/// One text, the secrets to look for in it, and what must be found. All secrets are made up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanVector {
    /// Never reused.
    pub id: String,
    /// The requirement that it is about.
    pub requirement: RequirementId,
    /// What is asked.
    pub kind: VectorKind,
    /// The secrets to look for.
    pub secrets: Vec<VectorSecret>,
    /// The text to scan; the joined fields, when there are fields.
    pub text: Blob,
    /// The fields of one value that make up the text, for scanners that know fields: it is then
    /// only judged by them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// What must be found. Anything else is a false alarm.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expected>,
    /// Why this is the right answer.
    pub reason: String,
    /// The public fault that it is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl ScanVector {
    /// The secrets as a scanner takes them.
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret> {
        let secret =
            |secret: &VectorSecret| Secret::new(secret.name.as_str(), secret.value.bytes());
        self.secrets.iter().map(secret).collect()
    }
}

/// What a vector asks of a scanner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorKind {
    /// The secrets that are expected must be found, and nothing else.
    Planted,
    /// Nothing must be found, and every secret must have been looked for.
    NearMiss,
    /// Every secret must be reported as not looked for; or be found as expected, if it is.
    Weak,
}

/// A made-up secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorSecret {
    /// Its name in reports.
    pub name: String,
    /// Its value.
    pub value: Blob,
}

/// A secret that must be found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The name of the secret.
    pub secret: String,
    /// The chains that explain it. A scanner that names one must name one of these.
    pub encodings: Vec<EncodingChain>,
    /// How often it is found.
    pub count: usize,
    /// The line of the first, from 1. A scanner that names lines must name this one.
    pub line: u64,
}

/// Text, or bytes in base64 where they are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Blob {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Bytes {
        /// The bytes.
        #[serde(with = "as_base64")]
        base64: Vec<u8>,
    },
}

impl Blob {
    /// The shortest form of these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Bytes {
                base64: error.into_bytes(),
            },
        }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes { base64 } => base64,
        }
    }
}

mod as_base64 {
    use serde::{Deserializer, Serializer};

    use super::*;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map_err(serde::de::Error::custom)
    }
}
