//! Where an unchecked open of a path really ends: the judge's own answer, found by asking the
//! kernel and never by asking a leash.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Landing {
    /// To something that exists: its place without links.
    There(PathBuf),
    /// Nowhere yet; an open that creates makes a file at this place.
    New(PathBuf),
    /// Nowhere: it can be neither opened nor created.
    Nowhere,
}

impl Landing {
    /// Whether it lies in `folder`, a place without links, or is that.
    pub(crate) fn is_within(&self, folder: &Path) -> bool {
        match self {
            Self::There(place) | Self::New(place) => place.starts_with(folder),
            Self::Nowhere => false,
        }
    }
}

/// A chain of links longer than this is a loop.
const MOST_LINKS: usize = 40;

/// Where `path` leads now, with its trailing `/` and `/.` taken for what they are written behind:
/// they only ask that it be a folder.
pub(crate) fn landing(path: &Path) -> Landing {
    // Collecting the components drops a trailing `/` and every `.` behind the first component.
    let mut path: PathBuf = path.components().collect();
    for _ in 0..MOST_LINKS {
        match path.canonicalize() {
            Ok(place) => return Landing::There(place),
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(_) => return Landing::Nowhere,
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Landing::Nowhere;
        };
        let parent = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        };
        let Ok(parent) = parent.canonicalize() else {
            return Landing::Nowhere;
        };
        let leaf = parent.join(name);
        match leaf.read_link() {
            // A link to what is not there: creating through it makes its target.
            Ok(target) => path = parent.join(target).components().collect(),
            Err(_) => return Landing::New(leaf),
        }
    }
    Landing::Nowhere
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::tree::Entry::{Dir, File, Link};
    use crate::tree::Tree;

    #[rstest]
    #[case::file("ws/f", Landing::There("ws/f".into()))]
    #[case::trailing_slash("ws/leak/", Landing::There("out/f".into()))]
    #[case::trailing_dot("ws/leak/.", Landing::There("out/f".into()))]
    #[case::behind_a_link("ws/door/../ws/f", Landing::There("ws/f".into()))]
    #[case::new("ws/new", Landing::New("ws/new".into()))]
    #[case::dangling("ws/dangling", Landing::New("out/new".into()))]
    #[case::dangling_chain("ws/chain", Landing::New("out/new".into()))]
    #[case::new_below_a_link("ws/door/new", Landing::New("out/new".into()))]
    #[case::circle("ws/loop", Landing::Nowhere)]
    #[case::below_a_circle("ws/loop/x", Landing::Nowhere)]
    #[case::below_a_file("ws/f/x", Landing::Nowhere)]
    #[case::missing_folder("ws/new/x", Landing::Nowhere)]
    fn a_path_lands_where_the_kernel_opens_it(#[case] path: &str, #[case] expected: Landing) {
        let tree = Tree::build(&[
            Dir("ws"),
            Dir("out"),
            File("ws/f"),
            File("out/f"),
            Link("ws/leak", "../out/f"),
            Link("ws/door", "../out"),
            Link("ws/dangling", "../out/new"),
            Link("ws/chain", "dangling"),
            Link("ws/loop", "loop"),
        ])
        .unwrap();
        let at = |place: PathBuf| tree.at("").join(place);
        let expected = match expected {
            Landing::There(place) => Landing::There(at(place)),
            Landing::New(place) => Landing::New(at(place)),
            Landing::Nowhere => Landing::Nowhere,
        };
        assert_eq!(landing(&tree.at(path)), expected);
    }
}
