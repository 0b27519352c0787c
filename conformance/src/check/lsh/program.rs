//! LSH-05: a program matches exactly, or by its file name against bare grants.

use std::cell::Cell;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::LeashTrial;
use super::shell::program;
use super::verdict::{must_allow, unless_refused, wrongly_allowed};
use crate::outcome::Counterexample;
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, ProgramSpec};
use crate::tree::Entry::{Dir, File, Link};
use crate::tree::Tree;
use crate::trial::{Act, Finding, Judged, Stop, authorizing};

/// What is granted: bare names, a pinned path, relative paths.
const GRANTS: &[&str] = &["git", "/usr/bin/git", "ls", "./run", "bin/tool", "my tool"];

/// Asked under a bare grant of `git` and under a pinned `/usr/bin/git`, simplest first.
const ASKED: &[&str] = &[
    "proofmark-unrelated",
    "git-shell",
    "gi",
    "xgit",
    "GIT",
    "Git",
    "git ",
    " git",
    "git\n",
    "git.exe",
    "git -c x",
    "git;ls",
    "\"git\"",
    "*",
    "g*",
    "gi?",
    "",
    " ",
    ".",
    "..",
    "/",
    "/usr/bin/",
    "/usr/bin",
    "/usr/bin/git-shell",
    "/usr/bin/git/x",
    "/usr/bin/git/..",
    "git/..",
    "git/x",
    "export",
    "git",
    "/tmp/git",
    "/opt/x/git",
    "./git",
    "usr/bin/git",
    "//usr/bin/git",
    "/usr/bin/../bin/git",
    "/usr/bin/git",
];

/// Odd grants, and what somebody may take them to cover; beside each stands a plain one.
const ODD: &[(&str, &[&str])] = &[
    ("*", &["git", "sh", "/usr/bin/git"]),
    ("g*", &["git", "/usr/bin/git", "g"]),
    ("gi?", &["git"]),
    ("/usr/bin/*", &["/usr/bin/git", "git"]),
    ("/usr/bin/", &["/usr/bin/git", "/usr/bin", "git"]),
    ("/usr/bin", &["/usr/bin/git", "git"]),
    ("", &["git", "sh", "/", " ", "/usr/bin/git"]),
    (".", &["git", "./git"]),
    ("git,ls", &["git", "ls"]),
    ("git ls", &["git", "ls"]),
    ("git|ls", &["git", "ls"]),
    ("(git)", &["git"]),
    ("^git$", &["git"]),
    ("g.t", &["git"]),
    ("GIT", &["git"]),
    ("bin/tool", &["/usr/bin/tool", "x/bin/tool", "tool"]),
    ("./run", &["run", "/x/run", "x/./run"]),
    ("$HOME/git", &["git"]),
    (
        "/usr/bin/git",
        &[
            "/usr/bin/./git",
            "/usr/bin//git",
            "/usr/bin/git/",
            "/usr/bin/git/.",
            "/usr/bin/git.exe",
            "/usr/bin/git2",
            "/USR/bin/git",
            "/bin/git",
            "/usr/local/usr/bin/git",
            "usr/bin/git",
        ],
    ),
    (
        "git",
        &[
            "x\\git",
            "C:\\bin\\git",
            "git2",
            "git2.1",
            "sh",
            "env git",
            "sudo git",
            "git,ls",
            "'git'",
            "$(git)",
            "%67it",
            "\u{ff47}\u{ff49}\u{ff54}",
            "g\u{131}t",
            "g\u{130}t",
            "g\u{200b}it",
            "\u{feff}git",
            "g\u{ad}it",
        ],
    ),
];

/// The grant that stands beside an odd one.
const PLAIN: &str = "plain-tool";

/// How a generated program is written from a granted one.
const WAYS: &[fn(&str) -> String] = &[
    |name| name.to_owned(),
    |name| format!("{name}-x"),
    |name| format!("x{name}"),
    |name| name.to_uppercase(),
    |name| format!("{name} "),
    |name| format!(" {name}"),
    |name| format!("{name}\t"),
    |name| name.chars().skip(1).collect(),
    |name| name.chars().take(name.chars().count() - 1).collect(),
    |name| format!("/opt/x/{}", file_name(name)),
    |name| format!("../{name}"),
    |name| file_name(name).to_owned(),
    |name| format!("{name}/x"),
    |name| format!("{name}/.."),
    |name| format!("x/{name}x"),
    |name| name.replace('/', "//"),
    |name| name.replace('i', "*"),
    |name| name.replace('i', "\u{456}"),
];

fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// How the rule sees a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Match {
    /// A grant is exactly this.
    Exact,
    /// A bare grant is its last component.
    FileName,
    /// Whether a bare grant is its last component is a matter of reading: `git/`, or a NUL.
    Unsure,
    /// Nothing grants it.
    Nothing,
}

fn matched(grants: &[&str], program: &str) -> Match {
    let bare = |name: &str| grants.contains(&name) && !name.contains('/');
    let last = file_name(program);
    let parsed = Path::new(program)
        .file_name()
        .and_then(|name| name.to_str());
    if program.is_empty() {
        Match::Nothing
    } else if program.contains('\0') {
        Match::Unsure
    } else if grants.contains(&program) {
        Match::Exact
    } else if bare(last) {
        Match::FileName
    } else if parsed.is_some_and(bare) {
        Match::Unsure
    } else {
        Match::Nothing
    }
}

/// LSH-05.
pub(super) fn matches(trial: &LeashTrial<'_>) -> Judged {
    let narrower = Cell::new(None);
    for grants in [&["git"][..], &["/usr/bin/git"], &["git", "/usr/bin/git"]] {
        let context = trial.context(&CaveatSpec::top().exec(grants.iter().copied()))?;
        let twin = must_allow(&context, &Act::Exec(grants[0].to_owned()))?;
        for asked in ASKED {
            let act = Act::Exec((*asked).to_owned());
            let allowed = context.allows(&act)?;
            match matched(grants, asked) {
                Match::Nothing if allowed => {
                    return Ok(Finding::broken(wrongly_allowed(
                        &context,
                        &act,
                        "no grant is this text, and no bare grant its last component",
                        twin,
                    )));
                }
                Match::FileName if !allowed => narrower.set(Some(*asked)),
                _ => {}
            }
        }
    }
    if let Some(found) = odd_grants(trial)? {
        return Ok(Finding::broken(found));
    }
    if let Some(found) = linked(trial)? {
        return Ok(Finding::broken(found));
    }
    if let Some(found) = started(trial)? {
        return Ok(Finding::broken(found));
    }
    let cases = trial.settings().cases;
    let generated = trial.for_all(cases, &programs(), |(grants, program)| {
        if matched(&grants, &program) != Match::Nothing {
            return Ok(None);
        }
        let granting = CaveatSpec::top().exec(grants.iter().copied());
        let Some(context) = unless_refused(trial, &granting)? else {
            return Ok(None);
        };
        let act = Act::Exec(program);
        if !context.allows(&act)? {
            return Ok(None);
        }
        let twin = must_allow(&context, &Act::Exec(grants[0].to_owned()))?;
        let why = "no grant is this text, and no bare grant its last component";
        Ok(Some(wrongly_allowed(&context, &act, why, twin)))
    })?;
    Ok(match (generated, narrower.get()) {
        (Finding::Held { cases }, Some(asked)) => Finding::Noted {
            cases,
            note: format!("stricter than asked: a bare grant of `git` does not cover `{asked}`"),
        },
        (other, _) => other,
    })
}

const UNGRANTED: &str = "no grant is this text, and no bare grant its last component";

/// Grants are texts, whatever else they look like.
fn odd_grants(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    for (grant, asked) in ODD {
        let grants = [*grant, PLAIN];
        let granted = CaveatSpec::top().exec(grants);
        let Some(context) = unless_refused(trial, &granted)? else {
            continue;
        };
        let twin = must_allow(&context, &Act::Exec(PLAIN.to_owned()))?;
        for asked in *asked {
            let act = Act::Exec((*asked).to_owned());
            if matched(&grants, asked) == Match::Nothing && context.allows(&act)? {
                return Ok(Some(wrongly_allowed(&context, &act, UNGRANTED, twin)));
            }
        }
    }
    Ok(None)
}

/// Other names of a pinned program: to match them would be to match its place and not its name.
fn linked(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let tree = Tree::build(&[Dir("bin"), File("bin/tool"), Link("alias", "bin/tool")])?;
    let pinned = tree.text("bin/tool");
    let granted = CaveatSpec::top().exec([pinned.as_str()]);
    let context = trial.context(&granted)?;
    let twin = must_allow(&context, &Act::Exec(pinned))?;
    for name in ["alias", "bin/../bin/tool", "bin/./tool", "bin//tool"] {
        let act = Act::Exec(tree.text(name));
        if context.allows(&act)? {
            return Ok(Some(wrongly_allowed(&context, &act, UNGRANTED, twin)));
        }
    }
    Ok(None)
}

/// A leash that starts programs starts none that its checks deny.
fn started(trial: &LeashTrial<'_>) -> Result<Option<Counterexample>, Stop> {
    let (Some(touch), Some(mkdir)) = (program("touch"), program("mkdir")) else {
        return Ok(None);
    };
    if !trial.offers(Capability::Spawn) {
        return Ok(None);
    }
    let tree = Tree::build(&[Dir("in")])?;
    let gate = trial.gate(&GateSpec::new())?;
    let context = gate.context(&CaveatSpec::top().exec(["touch"]), &CaveatSpec::top())?;
    let plain = ProgramSpec::new("touch").arg(tree.text("in/granted"));
    if context.run(&plain)?.is_err() || !tree.at("in/granted").exists() {
        // Whether it has to be started, another row is about.
        return Ok(None);
    }
    for name in ["mkdir", mkdir.as_str()] {
        let other = ProgramSpec::new(name).arg(tree.text("in/other"));
        let said = context.run(&other)?;
        if said.is_ok() || tree.at("in/other").exists() {
            return Ok(Some(
                Counterexample::new(format!("{name} is started, which nothing grants"))
                    .step(
                        authorizing(context.granted(), &CaveatSpec::top()),
                        "a context",
                    )
                    .step(other.to_string(), "started")
                    .expected(format!("refused: {UNGRANTED}"))
                    .seen("started")
                    .twin(format!("{touch} is granted by its name, and started")),
            ));
        }
    }
    Ok(None)
}

fn programs() -> impl Strategy<Value = (Vec<&'static str>, String)> {
    let grants = subsequence(GRANTS, 1..=3);
    let written = (select(GRANTS), select(WAYS)).prop_map(|(name, way)| way(name));
    (grants, written)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[rstest]
    #[case::exact(&["git"], "git", Match::Exact)]
    #[case::file_name(&["git"], "/usr/bin/git", Match::FileName)]
    #[case::pinned(&["/usr/bin/git"], "/usr/bin/git", Match::Exact)]
    #[case::pinned_by_name(&["/usr/bin/git"], "git", Match::Nothing)]
    #[case::pinned_elsewhere(&["/usr/bin/git"], "/tmp/git", Match::Nothing)]
    #[case::trailing_slash(&["git"], "/usr/bin/git/", Match::Unsure)]
    #[case::climbing(&["git"], "git/..", Match::Nothing)]
    #[case::empty(&["git"], "", Match::Nothing)]
    fn the_rule_is_the_seeds(
        #[case] grants: &[&str],
        #[case] program: &str,
        #[case] expected: Match,
    ) {
        assert_eq!(matched(grants, program), expected);
    }

    #[test]
    fn the_toolkit_matches_as_promised() {
        held("LSH-05");
    }

    fn grants(exec: &crate::subject::CaveatSpec) -> Vec<String> {
        match &exec.exec {
            crate::subject::ScopeSpec::All => Vec::new(),
            crate::subject::ScopeSpec::Only(items) => items.iter().cloned().collect(),
        }
    }

    #[rstest]
    #[case::by_prefix(|caveats: &CaveatSpec, program: &str, sound: bool| {
        sound || grants(caveats).iter().any(|grant| program.starts_with(grant.as_str()))
    })]
    #[case::pins_nothing(|caveats: &CaveatSpec, program: &str, sound: bool| {
        sound || grants(caveats).iter().any(|grant| file_name(grant) == file_name(program))
    })]
    #[case::without_case(|caveats: &CaveatSpec, program: &str, sound: bool| {
        sound || grants(caveats).iter().any(|grant| grant.eq_ignore_ascii_case(program))
    })]
    #[case::trimmed(|caveats: &CaveatSpec, program: &str, sound: bool| {
        sound || grants(caveats).iter().any(|grant| grant == program.trim())
    })]
    #[case::everything(|_: &CaveatSpec, _: &str, _: bool| true)]
    fn a_leash_that_matches_otherwise_is_convicted(
        #[case] exec: fn(&CaveatSpec, &str, bool) -> bool,
    ) {
        let row = judged(
            "LSH-05",
            Double {
                exec,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn a_leash_that_wants_absolute_programs_pinned_is_only_reported() {
        let strict = Double {
            exec: |caveats, program, sound| {
                sound && (!program.starts_with('/') || caveats.exec.covers(program))
            },
            ..Double::SOUND
        };
        let row = judged("LSH-05", strict);
        assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
        assert!(
            row.reason
                .is_some_and(|reason| reason.starts_with("reported: stricter"))
        );
    }

    #[test]
    fn a_leash_that_denies_everything_proves_nothing() {
        let row = judged(
            "LSH-05",
            Double {
                exec: |_, _, _| false,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Inconclusive, "{row:?}");
    }
}
