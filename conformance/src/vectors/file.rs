//! The files of vectors as they are compiled in, and their digests.

use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::scan::judge::CREDENTIAL_SCAN;

/// One file of vectors.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorFile {
    /// Its name in `vectors/`.
    pub name: &'static str,
    /// Its content.
    pub text: &'static str,
}

macro_rules! file {
    ($name:literal) => {
        VectorFile {
            name: $name,
            text: include_str!(concat!("../../vectors/", $name)),
        }
    };
}

/// Every file, in the order of their names.
pub const FILES: &[VectorFile] = &[
    VectorFile {
        name: "credential_scan.json",
        text: CREDENTIAL_SCAN,
    },
    file!("path_composition.json"),
    file!("path_target.json"),
    file!("path_value.json"),
];

/// A built-in file cannot be read as vectors, which the tests of this package rule out.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    /// There is no file of this name.
    #[error("there is no vectors/{name}")]
    Unknown {
        /// The name that was asked for.
        name: String,
    },
    /// The file is not JSON, or a vector lacks a member, has an unknown one or a wrong word.
    #[error("vectors/{name} is malformed")]
    Malformed {
        /// The file's name.
        name: &'static str,
        /// What is wrong, with line and column.
        #[source]
        reason: serde_json::Error,
    },
}

/// The file of this name.
#[must_use]
pub fn file(name: &str) -> Option<&'static VectorFile> {
    FILES.iter().find(|file| file.name == name)
}

/// One digest over the names and contents of all files, in hexadecimal.
///
/// ```
/// assert_eq!(proofmark_conformance::vectors::digest_of_all().len(), 64);
/// ```
#[must_use]
pub fn digest_of_all() -> String {
    let mut hash = Sha256::new();
    for file in FILES {
        hash.update(format!("{}  {}\n", file.digest(), file.name));
    }
    hex(&hash.finalize())
}

impl VectorFile {
    /// The SHA-256 of the file's bytes in hexadecimal, as `sha256sum` prints it.
    #[must_use]
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.text))
    }

    pub(super) fn read<T: DeserializeOwned>(name: &str) -> Result<T, VectorsError> {
        let file = file(name).ok_or_else(|| VectorsError::Unknown {
            name: name.to_owned(),
        })?;
        serde_json::from_str(file.text).map_err(|reason| VectorsError::Malformed {
            name: file.name,
            reason,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_an_error_with_its_name() {
        let error = VectorFile::read::<serde_json::Value>("nope.json").unwrap_err();
        assert_eq!(error.to_string(), "there is no vectors/nope.json");
    }

    #[test]
    fn a_file_of_another_shape_is_an_error_with_its_name() {
        let error = VectorFile::read::<Vec<u8>>("path_value.json").unwrap_err();
        assert_eq!(error.to_string(), "vectors/path_value.json is malformed");
    }

    #[test]
    fn a_digest_is_that_of_the_bytes() {
        let file = VectorFile {
            name: "abc",
            text: "abc",
        };
        assert_eq!(
            file.digest(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
