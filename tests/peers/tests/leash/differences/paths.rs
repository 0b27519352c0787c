//! Differences over paths, whether or not the tree has changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::StatedDifference;
use crate::case::{Access, Case, PathCase};
use crate::sides;
use crate::system::{failure, missing, passes_a_dangling_link, without_tail};
use crate::tree::{NOT_TEXT, Tree, shared};

/// Paths that no file can have.
pub fn hostile() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "a NUL in a path",
            reason: "LSH-14: no file has one in its path",
            smallest: path("./\0"),
            explains: |case, ours, _| denied(case, ours, |asked| asked.text().contains('\0')),
            ..denial()
        },
        StatedDifference {
            name: "a path that is not text",
            reason: "LSH-14: a hostile string is denied; grants are text",
            smallest: path(&format!("./{NOT_TEXT}")),
            explains: |case, ours, _| denied(case, ours, |asked| asked.text().contains(NOT_TEXT)),
            ..denial()
        },
        StatedDifference {
            name: "a component that is too long",
            reason: "LSH-14: no file can be called so",
            smallest: path(&format!("./{}", "a".repeat(256))),
            explains: |case, ours, _| {
                denied(case, ours, |asked| {
                    asked.text().split('/').any(|name| name.len() > 255)
                })
            },
            ..denial()
        },
        StatedDifference {
            name: "a path that is too long",
            reason: "LSH-14: the kernel opens no such path",
            smallest: path(&"./".repeat(2_048)),
            explains: |case, ours, _| {
                denied(case, ours, |asked| asked.path().as_os_str().len() > 4_095)
            },
            ..denial()
        },
        StatedDifference {
            name: "too many missing directories",
            reason: "LSH-14: deep nesting is denied",
            smallest: path(&format!("./{}m", "m/".repeat(64))),
            explains: |case, ours, _| denied(case, ours, |asked| missing(&asked.path()) > 64),
            ..denial()
        },
    ]
}

/// Paths that lead to nothing, though not for want of a last component.
pub fn leading_nowhere() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "a link to a missing file outside",
            reason: "LSH-08: what is written through it is made where it leads",
            smallest: path("./n"),
            explains: |case, ours, _| denied(case, ours, Asked::passes_a_dangling_link),
            ..denial()
        },
        StatedDifference {
            name: "a link to a missing file inside",
            reason: "LSH-15: what is written through it is made where it leads",
            smallest: path("../o/b"),
            explains: |case, ours, _| allowed(case, ours, Asked::passes_a_dangling_link),
            ..permission()
        },
        StatedDifference {
            name: "a link in a circle",
            reason: "LSH-08: it leads nowhere, and is not a missing file",
            smallest: path("./c"),
            explains: |case, ours, _| denied(case, ours, |asked| asked.fails_with(Errno::LOOP)),
            ..denial()
        },
        StatedDifference {
            name: "a path below a file",
            reason: "LSH-08: it leads nowhere, and is not a missing file",
            smallest: path("f/x"),
            explains: |case, ours, _| {
                denied(case, ours, |asked| {
                    asked.fails_with(Errno::NOTDIR) && !asked.is_there_without_its_tail()
                })
            },
            ..denial()
        },
        StatedDifference {
            name: "a path into a directory that may not be searched",
            reason: "LSH-08: where it leads cannot be told, and it is not a missing file",
            smallest: path("x/m"),
            explains: |case, ours, _| denied(case, ours, |asked| asked.fails_with(Errno::ACCESS)),
            ..denial()
        },
    ]
}

/// Grants that lead to nothing, and what means the same in another spelling.
pub fn spelt_otherwise() -> Vec<StatedDifference> {
    vec![
        StatedDifference {
            name: "a grant that leads nowhere",
            reason: "LSH-08: an unresolvable grant covers nothing",
            smallest: granted("./m", "./m"),
            explains: |case, ours, peer| {
                denied(case, ours, |asked| {
                    let leads = |grant: &str| failure(Path::new(grant)).is_none();
                    asked.peer_with(|grant| leads(grant).then_some(grant)) != peer
                })
            },
            ..denial()
        },
        StatedDifference {
            name: "a grant of a link to a file, with a slash behind it",
            reason: "LSH-15: it covers what it covers without the slash",
            smallest: granted("l/", "l"),
            explains: |case, ours, peer| {
                allowed(case, ours, |asked| {
                    asked.peer_with(|grant| Some(without_tail(grant))) != peer
                })
            },
            ..permission()
        },
        StatedDifference {
            name: "a bare new name",
            reason: "LSH-08: a missing file in the working directory is made there",
            smallest: path("m"),
            explains: |case, ours, peer| {
                allowed(case, ours, |asked| {
                    let dotted = format!("./{}", asked.text());
                    asked.path().is_relative() && asked.peer_of(&dotted) != peer
                })
            },
            ..permission()
        },
        StatedDifference {
            name: "a link to a file outside, with a slash behind it",
            reason: "LSH-07: it leads where it leads without the slash",
            smallest: path("./l/"),
            explains: |case, ours, _| denied(case, ours, Asked::is_a_file_with_a_tail),
            ..denial()
        },
        StatedDifference {
            name: "a link to a granted file, with a slash behind it",
            reason: "LSH-15: it leads where it leads without the slash",
            smallest: granted("f", "i/"),
            explains: |case, ours, _| allowed(case, ours, Asked::is_a_file_with_a_tail),
            ..permission()
        },
    ]
}

/// We deny what the peer allows.
fn denial() -> StatedDifference {
    StatedDifference {
        name: "",
        reason: "",
        smallest: path(""),
        ours: "deny",
        peer: "allow",
        explains: |_, _, _| false,
    }
}

/// We allow what the peer denies.
fn permission() -> StatedDifference {
    StatedDifference {
        ours: "allow",
        peer: "deny",
        ..denial()
    }
}

fn granted(grant: &str, path: &str) -> Case {
    Case::Path(PathCase {
        access: Access::Write,
        grants: vec![grant.to_owned()],
        elsewhere: Vec::new(),
        path: path.to_owned(),
    })
}

fn path(path: &str) -> Case {
    granted(".", path)
}

/// We deny, and this is the reason?
fn denied(case: &Case, ours: &str, reason: impl Fn(&Asked) -> bool) -> bool {
    ours == "deny" && Asked::by(case).is_some_and(|asked| reason(&asked))
}

/// We allow, and this is the reason?
fn allowed(case: &Case, ours: &str, reason: impl Fn(&Asked) -> bool) -> bool {
    ours == "allow" && Asked::by(case).is_some_and(|asked| reason(&asked))
}

/// What was asked, and the tree as it was then.
struct Asked {
    case: PathCase,
    tree: Arc<Tree>,
}

impl Asked {
    fn by(case: &Case) -> Option<Self> {
        match case {
            Case::Path(case) => Some(Self {
                case: case.clone(),
                tree: shared(),
            }),
            Case::Later(case) => {
                let tree = Tree::new();
                tree.change(&case.changes);
                Some(Self {
                    case: PathCase {
                        access: Access::Read,
                        grants: case.grants.clone(),
                        elsewhere: Vec::new(),
                        path: case.path.clone(),
                    },
                    tree: Arc::new(tree),
                })
            }
            _ => None,
        }
    }

    fn text(&self) -> &str {
        &self.case.path
    }

    fn path(&self) -> PathBuf {
        self.tree.path(&self.case.path)
    }

    /// The path without the slashes and single dots at its end.
    fn without_its_tail(&self) -> PathBuf {
        self.tree.path(without_tail(&self.case.path))
    }

    fn fails_with(&self, errno: Errno) -> bool {
        failure(&self.path()) == Some(errno)
    }

    fn is_there_without_its_tail(&self) -> bool {
        failure(&self.without_its_tail()).is_none()
    }

    fn is_a_file_with_a_tail(&self) -> bool {
        self.fails_with(Errno::NOTDIR) && self.is_there_without_its_tail()
    }

    fn passes_a_dangling_link(&self) -> bool {
        passes_a_dangling_link(&self.without_its_tail())
    }

    /// What the peer says of another path.
    fn peer_of(&self, path: &str) -> String {
        let case = PathCase {
            path: path.to_owned(),
            ..self.case.clone()
        };
        sides::peer::path(&case, &self.tree)
    }

    /// What the peer says when each grant is replaced, or left out.
    fn peer_with(&self, grant: impl Fn(&str) -> Option<&str>) -> String {
        let grants = self.case.grants.iter().map(|grant| self.tree.text(grant));
        let grants = grants.filter_map(|given| grant(&given).map(str::to_owned));
        let case = PathCase {
            grants: grants.collect(),
            ..self.case.clone()
        };
        sides::peer::path(&case, &self.tree)
    }
}
