//! What a path must look like before the file system is asked about it.

use std::path::Path;

use super::Unresolvable;

/// The longest path, in bytes, that the kernel resolves in one call (4,096 with its final NUL).
/// A longer one cannot be opened as it stands, whatever it would name.
pub(super) const LONGEST_PATH: usize = 4_095;

/// The longest component, in bytes, that a file can be created with.
pub(super) const LONGEST_COMPONENT: usize = 255;

/// How many components of a path may be missing: no honest caller makes more directories at
/// once, and a hostile one must not buy a long walk.
pub(super) const MOST_MISSING: usize = 64;

/// The path as text, without the `/` and `/.` at its end.
///
/// These make the kernel ask for a directory, so that a link to a file looks missing; what the
/// path names is decided without them.
pub(super) fn admit(path: &Path) -> Result<&str, Unresolvable> {
    let text = path.to_str().ok_or(Unresolvable("it is not UTF-8"))?;
    if text.is_empty() {
        return Err(Unresolvable("it is empty"));
    }
    if text.len() > LONGEST_PATH {
        return Err(Unresolvable("it is too long"));
    }
    if text.contains('\0') {
        return Err(Unresolvable("it has a NUL"));
    }
    Ok(without_tail(text))
}

/// `text` without the separators and single dots at its end; never empty.
fn without_tail(text: &str) -> &str {
    let mut rest = text;
    loop {
        let shorter = match rest.strip_suffix('/') {
            Some(shorter) => shorter,
            None if rest.ends_with("/.") => &rest[..rest.len() - 1],
            None => return rest,
        };
        if shorter.is_empty() {
            return rest;
        }
        rest = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("/a/b", "/a/b")]
    #[case::slash("/a/b/", "/a/b")]
    #[case::slashes("/a/b//", "/a/b")]
    #[case::dot("/a/b/.", "/a/b")]
    #[case::dots("/a/b/././", "/a/b")]
    #[case::dot_dot_stays("/a/b/..", "/a/b/..")]
    #[case::dotted_name_stays("/a/b.", "/a/b.")]
    #[case::root("/", "/")]
    #[case::root_slashes("//", "/")]
    #[case::root_dot("/.", "/")]
    #[case::here(".", ".")]
    #[case::here_slash("./", ".")]
    #[case::here_dot("./.", ".")]
    fn the_end_that_asks_for_a_directory_is_dropped(#[case] given: &str, #[case] expected: &str) {
        assert_eq!(admit(Path::new(given)), Ok(expected));
    }

    #[rstest]
    #[case::empty("".to_owned())]
    #[case::nul("/a\0b".to_owned())]
    #[case::long("a/".repeat(LONGEST_PATH))]
    fn a_hostile_spelling_is_refused(#[case] given: String) {
        assert!(admit(Path::new(&given)).is_err());
    }
}
