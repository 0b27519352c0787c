//! The plan of `vectors/path_composition.json`: templates and the values that fill them.

mod body;
mod declared;
mod draft;
mod hostile;
mod origin;
mod query;
mod segments;
mod variables;

use proofmark_conformance::vectors::path::{CompositionVector, VectorSet};

use draft::CompositionDrafts;

/// All composition vectors, in the order of the file.
pub fn all() -> VectorSet<CompositionVector> {
    let mut drafts = CompositionDrafts::default();
    hostile::write(&mut drafts);
    declared::write(&mut drafts);
    segments::write(&mut drafts);
    body::write(&mut drafts);
    variables::write(&mut drafts);
    origin::write(&mut drafts);
    query::write(&mut drafts);
    drafts.finish()
}
