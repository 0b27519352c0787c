//! The whole catalogue in memory, and the questions one asks of it.

use std::sync::OnceLock;

use super::{CatalogueError, Family, FieldId, Requirement, RequirementId, UnconvictedField};

/// Every requirement of one catalogue version, in order, and the public faults they convict.
///
/// ```
/// use proofmark_conformance::catalogue::{Catalogue, CatalogueError, Level};
///
/// let catalogue = Catalogue::shared()?;
/// let id = "POL-04".parse()?;
/// let row = catalogue.get(id).ok_or("no such row")?;
/// assert_eq!(row.level, Level::Must);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    requirements: Vec<Requirement>,
    unconvicted: Vec<UnconvictedField>,
    digest: String,
}

impl Catalogue {
    /// Builds a catalogue from rows that stand in order.
    pub(super) fn from_parts(
        requirements: Vec<Requirement>,
        unconvicted: Vec<UnconvictedField>,
        digest: String,
    ) -> Self {
        Self {
            requirements,
            unconvicted,
            digest,
        }
    }

    /// The built-in catalogue, read at the first call and then shared.
    ///
    /// It is a `Result` so that a broken file can never pass for an empty catalogue, under which
    /// every subject would be certified.
    ///
    /// # Errors
    ///
    /// A [`CatalogueError`] where a built-in file is broken, which the tests of this package rule
    /// out.
    pub fn shared() -> Result<&'static Self, CatalogueError> {
        static SHARED: OnceLock<Result<Catalogue, CatalogueError>> = OnceLock::new();
        SHARED
            .get_or_init(Catalogue::load)
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The catalogue's version, `YYYY.N`. The meaning of the rows never changes within one.
    #[must_use]
    pub const fn version(&self) -> &'static str {
        "2026.1"
    }

    /// SHA-256 in hex over the bytes of the files: the families in catalogue order, then
    /// `field.toml`, as `cat` would join them.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The requirement of this name.
    #[must_use]
    pub fn get(&self, id: RequirementId) -> Option<&Requirement> {
        self.requirements
            .binary_search_by_key(&id, |row| row.id)
            .ok()
            .and_then(|place| self.requirements.get(place))
    }

    /// Every requirement, in catalogue order.
    pub fn iter(&self) -> std::slice::Iter<'_, Requirement> {
        self.requirements.iter()
    }

    /// How many requirements there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.requirements.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// The requirements of one family, in order.
    pub fn family(&self, family: Family) -> impl Iterator<Item = &Requirement> {
        self.iter().filter(move |row| row.family() == family)
    }

    /// The requirements that convict a public fault.
    pub fn convicting(&self, fault: FieldId) -> impl Iterator<Item = &Requirement> {
        self.iter().filter(move |row| row.field.contains(&fault))
    }

    /// The public faults that no requirement convicts, each with the reason.
    #[must_use]
    pub fn unconvicted(&self) -> &[UnconvictedField] {
        &self.unconvicted
    }
}

impl<'a> IntoIterator for &'a Catalogue {
    type Item = &'a Requirement;
    type IntoIter = std::slice::Iter<'a, Requirement>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_id() {
        let catalogue = Catalogue::shared().unwrap();
        for row in catalogue {
            assert_eq!(catalogue.get(row.id), Some(row));
        }
    }

    #[test]
    fn an_id_beyond_a_family_is_not_found() {
        let catalogue = Catalogue::shared().unwrap();
        assert_eq!(catalogue.get(RequirementId::new(Family::Pol, 0)), None);
        assert_eq!(catalogue.get(RequirementId::new(Family::Pol, 99)), None);
    }

    #[test]
    fn two_readings_agree_in_content_and_digest() {
        let shared = Catalogue::shared().unwrap();
        assert_eq!(Catalogue::load().as_ref(), Ok(shared));
        assert_eq!(shared.digest().len(), 64);
    }
}
