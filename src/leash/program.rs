//! Where the file of a program is: in fixed directories, never in those of a `PATH` that somebody
//! else may have set.

use std::path::{Path, PathBuf};

/// Where bare names are looked up, in this order.
pub(super) const SEARCH_PATH: [&str; 6] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

/// The file that runs when `program` is started: a path as it stands, a bare name from the first
/// directory that has it.
pub(super) fn file_of(program: &str) -> Option<PathBuf> {
    files_of(program).next()
}

/// Every file that `program` can mean.
pub(super) fn files_of(program: &str) -> impl Iterator<Item = PathBuf> {
    let directories: &[&str] = if program.contains(std::path::is_separator) {
        &["."]
    } else {
        &SEARCH_PATH
    };
    let candidates = directories
        .iter()
        .map(move |directory| std::path::absolute(Path::new(directory).join(program)));
    candidates.flatten().filter(|file| file.is_file())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_found_in_the_fixed_directories_only() {
        assert!(file_of("sh").is_some_and(|file| file.ends_with("sh") && file.is_absolute()));
        assert_eq!(file_of("proofmark-has-no-such-program"), None);
    }

    #[test]
    fn a_path_is_taken_as_it_stands() {
        assert_eq!(file_of("/bin/sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(
            file_of("./Cargo.toml"),
            Some(std::path::absolute("Cargo.toml").unwrap())
        );
        assert_eq!(file_of("/bin"), None);
    }
}
