//! What the leash promises, by what it holds each promise, and what that leaves open.

/// One line of the table in the [module's documentation](super).
///
/// ```
/// use proofmark::leash::PROMISES;
///
/// let reading = PROMISES.iter().find(|promise| promise.of == "`open_path_read`").unwrap();
/// assert!(reading.open.contains(&"a file outside that has a second name inside"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Promise {
    /// What makes it.
    pub of: &'static str,
    /// What holds.
    pub holds: &'static str,
    /// What enforces it.
    pub by: &'static str,
    /// What it does not cover. The tests show each of these to be really open.
    pub open: &'static [&'static str],
}

/// Every promise of the leash.
pub const PROMISES: &[Promise] = &[
    Promise {
        of: "`Gate::authorize`",
        holds: "a context has no more authority than grant and need have in common, and no more \
                calls pass than the tighter bound says",
        by: "the types: nothing else makes a context; one counter a gate",
        open: &["calls of another gate are not counted"],
    },
    Promise {
        of: "`check_exec`",
        holds: "the program is granted as spelt, or by its bare name",
        by: "comparing text",
        open: &[
            "a bare grant admits any file of that name",
            "a granted interpreter runs what it is told to",
        ],
    },
    Promise {
        of: "`check_net`",
        holds: "the host is granted as spelt",
        by: "comparing text",
        open: &["the address behind a granted name"],
    },
    Promise {
        of: "`check_path_read`, `check_path_write`",
        holds: "the path leads to a granted file, or into a granted directory, which is still the \
                one that was granted",
        by: "the kernel resolves the path; the grant is held by a descriptor",
        open: &[
            "a file outside that has a second name inside",
            "what changes between the check and an open by name",
        ],
    },
    Promise {
        of: "`open_path_read`",
        holds: "the file opened is covered, whatever is renamed meanwhile",
        by: "the kernel opens it below the descriptor of the grant, through no link",
        open: &["a file outside that has a second name inside"],
    },
    Promise {
        of: "`open_path_write`",
        holds: "the same, and a file that has a second name is not touched",
        by: "the kernel, as before; the file's own count of names",
        open: &["a second name given to the file later"],
    },
    Promise {
        of: "`ConfinedCommand`",
        holds: "nothing starts with a restricted axis below the floor, and a started program gets \
                no variable and no descriptor that it was not given",
        by: "this process, before it starts the program",
        open: &["without a sandbox, all that a granted program does"],
    },
    Promise {
        of: "`LandlockSandbox`, `fs_write`",
        holds: "the program changes no content and no name outside the grant",
        by: "the kernel",
        open: &[
            "the permissions of a file outside",
            "a file outside that has a second name inside",
        ],
    },
    Promise {
        of: "`LandlockSandbox`, `fs_read`",
        holds: "the program reads no content and no list outside the grant, but for the system's \
                programs and libraries",
        by: "the kernel",
        open: &["whether a file outside exists, and its size"],
    },
    Promise {
        of: "`LandlockSandbox`, `exec`",
        holds: "the program cannot run a file that is not granted",
        by: "the kernel, for direct runs: counted as an interceptor",
        open: &["a program run by the dynamic loader"],
    },
    Promise {
        of: "`LandlockSandbox`, `net`",
        holds: "where no host is granted, the program opens no TCP connection (Linux 6.7)",
        by: "the kernel, for TCP: counted as an interceptor",
        open: &["UDP", "every host, where some are granted"],
    },
    Promise {
        of: "`LandlockSandbox`, other processes",
        holds: "the program signals none outside, and connects to no abstract socket of one where \
                hosts are restricted (Linux 6.12)",
        by: "the kernel",
        open: &["abstract sockets, where hosts are not restricted"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered() -> String {
        let mut table = "| of | holds | by | does not cover |\n|---|---|---|---|\n".to_owned();
        for Promise {
            of,
            holds,
            by,
            open,
        } in PROMISES
        {
            let open = open.join("; ");
            table.push_str(&format!("| {of} | {holds} | {by} | {open} |\n"));
        }
        table
    }

    #[test]
    fn the_documentation_shows_the_table() {
        let shown = include_str!("promises.md");
        assert_eq!(
            shown,
            rendered(),
            "write this to promises.md:\n{}",
            rendered()
        );
    }
}
