//! Reads the catalogue's files, which are compiled in, and refuses ones that are out of order.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{Catalogue, Family, Requirement, RequirementId, UnconvictedField};

/// One catalogue file: its name in `requirements/` and its content.
struct File {
    name: &'static str,
    text: &'static str,
}

macro_rules! file {
    ($name:literal) => {
        File {
            name: $name,
            text: include_str!(concat!("../../requirements/", $name)),
        }
    };
}

/// The files of the families, in catalogue order.
const REQUIREMENT_FILES: &[(Family, File)] = &[
    (Family::Pol, file!("pol.toml")),
    (Family::Bud, file!("bud.toml")),
    (Family::Path, file!("path.toml")),
    (Family::Exe, file!("exe.toml")),
    (Family::Cred, file!("cred.toml")),
    (Family::Sur, file!("sur.toml")),
    (Family::Lsh, file!("lsh.toml")),
    (Family::Lat, file!("lat.toml")),
];

/// The public faults that no requirement convicts.
const FIELD_FILE: File = file!("field.toml");

/// The catalogue's own files cannot be read as a catalogue.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// A file is not TOML, or a row lacks a field, has an unknown one or a wrong word.
    #[error("requirements/{file} is malformed")]
    Malformed {
        /// The file's name.
        file: &'static str,
        /// What is wrong, with line and column.
        #[source]
        reason: Box<toml::de::Error>,
    },
    /// A row's id is not the next one of its file's family.
    #[error("requirements/{file}: found {found} where {expected} belongs")]
    OutOfOrder {
        /// The file's name.
        file: &'static str,
        /// The id that stands there.
        found: RequirementId,
        /// The id that belongs there.
        expected: RequirementId,
    },
}

impl Catalogue {
    /// Reads the built-in files anew. Most callers want [`Catalogue::shared`], which reads once.
    ///
    /// # Errors
    ///
    /// A [`CatalogueError`] where a built-in file is broken, which the tests of this package rule
    /// out.
    pub fn load() -> Result<Self, CatalogueError> {
        let mut requirements = Vec::new();
        let mut hash = Sha256::new();
        for (family, file) in REQUIREMENT_FILES {
            hash.update(file.text);
            requirements.extend(read_family(*family, file)?);
        }
        hash.update(FIELD_FILE.text);
        let unconvicted = read_toml::<FieldRows>(&FIELD_FILE)?.field;
        Ok(Self::from_parts(
            requirements,
            unconvicted,
            hex(&hash.finalize()),
        ))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequirementRows {
    requirement: Vec<Requirement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldRows {
    field: Vec<UnconvictedField>,
}

fn read_family(family: Family, file: &File) -> Result<Vec<Requirement>, CatalogueError> {
    let rows = read_toml::<RequirementRows>(file)?.requirement;
    for (number, row) in (1..).zip(&rows) {
        let expected = RequirementId::new(family, number);
        if row.id != expected {
            return Err(CatalogueError::OutOfOrder {
                file: file.name,
                found: row.id,
                expected,
            });
        }
    }
    Ok(rows)
}

fn read_toml<T: for<'de> Deserialize<'de>>(file: &File) -> Result<T, CatalogueError> {
    toml::from_str(file.text).map_err(|reason| CatalogueError::Malformed {
        file: file.name,
        reason: Box::new(reason),
    })
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| DIGITS[usize::from(digit)])
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::error::Error;
    use std::path::Path;

    use super::*;

    const ROW: &str = r#"
        [[requirement]]
        id = "POL-01"
        level = "must"
        title = "A claim"
        subjects = ["policy"]
        applies_when = "always"
        needs = []
        statement = "s"
        observable = "o"
        control = "c"
        attack = "a"
        repair = "r"
        source = ["000"]
        field = []
        transports = ["rust"]
        mode = "run"
    "#;

    fn family_of(text: String) -> Result<Vec<Requirement>, CatalogueError> {
        let file = File {
            name: "pol.toml",
            text: text.leak(),
        };
        read_family(Family::Pol, &file)
    }

    #[test]
    fn the_built_in_files_are_exactly_those_in_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("requirements");
        let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let built_in: BTreeSet<String> = REQUIREMENT_FILES
            .iter()
            .map(|(_, file)| file.name)
            .chain([FIELD_FILE.name])
            .map(str::to_owned)
            .collect();

        assert_eq!(built_in, on_disk);
    }

    #[test]
    fn each_family_has_a_file_named_after_it_in_catalogue_order() {
        let named: Vec<_> = REQUIREMENT_FILES
            .iter()
            .map(|(family, file)| (*family, file.name.to_owned()))
            .collect();
        let expected: Vec<_> = Family::ALL
            .iter()
            .map(|family| (*family, format!("{}.toml", family.prefix().to_lowercase())))
            .collect();

        assert_eq!(named, expected);
    }

    #[test]
    fn a_sound_row_is_read() {
        let rows = family_of(ROW.to_owned()).unwrap();
        assert_eq!(rows[0].title, "A claim");
    }

    #[test]
    fn an_id_out_of_turn_is_refused_naming_both() {
        let error = family_of(format!("{ROW}{ROW}")).unwrap_err();

        assert_eq!(
            error.to_string(),
            "requirements/pol.toml: found POL-01 where POL-02 belongs"
        );
    }

    #[test]
    fn a_row_of_another_family_is_refused() {
        let error = family_of(ROW.replace("POL-01", "BUD-01")).unwrap_err();

        assert!(error.to_string().contains("found BUD-01"));
    }

    #[test]
    fn an_unknown_field_or_word_is_refused_naming_the_file() {
        for (from, to) in [
            ("mode = \"run\"", "mode = \"run\"\nseverity = 9"),
            ("\"must\"", "\"shall\""),
            ("title", "titel"),
        ] {
            let error = family_of(ROW.replace(from, to)).unwrap_err();

            assert_eq!(error.to_string(), "requirements/pol.toml is malformed");
            assert!(error.source().unwrap().to_string().contains("line"));
        }
    }

    #[test]
    fn bytes_are_written_as_two_lower_case_digits_each() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa9, 0xff]), "000fa9ff");
    }
}
