//! Programs and hosts as names that a check compares with, byte for byte.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use foldhash::fast::RandomState;

/// A set of names for quick look-ups.
///
/// An empty name, or one with a NUL, stays outside: no program or host is called so, and a grant
/// of one must not make a hostile string admissible.
#[derive(Debug)]
pub(super) struct Names {
    names: HashSet<Box<str>, RandomState>,
    has_paths: bool,
}

impl Names {
    pub(super) fn new(names: &BTreeSet<String>) -> Self {
        let usable = names.iter().filter(|name| is_usable(name));
        let names: HashSet<Box<str>, _> = usable.map(|name| name.as_str().into()).collect();
        Self {
            has_paths: names.iter().any(|name| name.contains('/')),
            names,
        }
    }

    /// Is exactly `name` granted?
    pub(super) fn admits(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Is `program` granted as it stands, or by its bare name? A granted path has a separator,
    /// which no bare name has: it pins exactly.
    pub(super) fn admits_program(&self, program: &str) -> bool {
        // The first look-up is for nothing where an absolute path meets bare grants only.
        let exactly = self.has_paths || !program.starts_with('/');
        (exactly && self.names.contains(program))
            || bare_name(program)
                .is_some_and(|name| self.names.contains(name) && is_usable(program))
    }
}

/// Can a grant of `name` match anything at all?
pub(super) fn is_usable(name: &str) -> bool {
    !name.is_empty() && !name.contains('\0')
}

/// The last component of a program's path; `None` where there is none, or `program` is bare.
fn bare_name(program: &str) -> Option<&str> {
    match program.rsplit_once('/') {
        // The usual case, for which walking all components would cost more than the look-up.
        Some((_, last)) if cfg!(unix) && !matches!(last, "" | "." | "..") => Some(last),
        None if cfg!(unix) => None,
        _ => Path::new(program).file_name()?.to_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_bare_name_is_the_file_name(program in "[./a-c]{0,12}") {
            let expected = Path::new(&program)
                .file_name()
                .and_then(|name| name.to_str())
                .filter(|_| program.contains('/'));
            prop_assert_eq!(bare_name(&program), expected);
        }
    }
}
