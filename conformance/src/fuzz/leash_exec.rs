//! The body of the `leash_exec` target: grants of programs and hosts, and names that are made from
//! them, asked of a context and of its clone.
//!
//! Assumed correct: comparing texts, and splitting one at `/`. Nothing is assumed of the leash. A
//! leash may be stricter than asked: denials are judged only where a plain text is granted itself.

use std::collections::BTreeSet;

use arbitrary::{Result as Drawn, Unstructured};

use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::profile::Capability;
use crate::subject::{CaveatSpec, GateSpec, LeashContext, LeashSubject, ScopeSpec, Verdict};

const fn lsh(number: u8) -> RequirementId {
    RequirementId::new(Family::Lsh, number)
}

/// What grants and questions are made of.
const PROGRAMS: &[&str] = &[
    "git",
    "ls",
    "/usr/bin/git",
    "/bin/ls",
    "./run",
    "bin/tool",
    "git-shell",
    "my tool",
    "",
    "..",
    "/",
];

const HOSTS: &[&str] = &[
    "api.example.test",
    "example.test",
    "api.example.test:8443",
    "*.wild.test",
    "localhost",
    "127.0.0.1",
    "",
    "*",
];

/// What is put into a name, in front of it or behind it.
const PIECES: &[&str] = &[
    "x", "-x", ".x", "x.", "/", "/x", "x/", "../", "/..", "/.", "./", ":", ":80", ":8443", "@",
    "@x", "\\", "%2e", "*", "?", " ", "\t", "\n", "\0", "\0x", "\u{3002}", "\u{430}", "//",
    "http://", ".",
];

/// At most this many names are asked.
const MOST_ASKED: usize = 12;

/// Has a fresh leash grant what `data` says and asks what it says.
///
/// ```
/// use proofmark_conformance::fuzz::leash_exec;
/// use proofmark_conformance::profile::LeashProfile;
/// use proofmark_conformance::subject::{LeashSubject, ToolkitLeash};
///
/// let profile = LeashProfile::new().check_exec().check_net();
/// leash_exec(b"any bytes at all", &LeashSubject::new("toolkit", profile, || ToolkitLeash))?;
/// # Ok::<(), proofmark_conformance::fuzz::Violation>(())
/// ```
///
/// # Errors
///
/// The [`Violation`], where a name is allowed that nothing grants, a plain grant is denied, or a
/// clone answers otherwise.
pub fn leash_exec(data: &[u8], subject: &LeashSubject) -> Result<(), Violation> {
    // Data that ends too soon asks less.
    let mut data = Unstructured::new(data);
    let (Ok(programs), Ok(hosts)) = (scope(&mut data, PROGRAMS), scope(&mut data, HOSTS)) else {
        return Ok(());
    };
    let granted = CaveatSpec {
        exec: programs,
        net: hosts,
        ..CaveatSpec::top()
    };
    let context = subject
        .make()
        .gate(&GateSpec::new())
        .and_then(|gate| gate.authorize(&granted, &CaveatSpec::top()));
    let Ok(context) = context else {
        return Ok(());
    };
    let clone = context.duplicate();
    let mut asked = 0;
    while asked < MOST_ASKED && !data.is_empty() {
        asked += 1;
        let Ok(question) = question(&mut data, &granted) else {
            break;
        };
        if !subject.capabilities().has(question.needs()) {
            continue;
        }
        question.judge(&granted, context.as_ref(), clone.as_ref())?;
    }
    Ok(())
}

fn scope(data: &mut Unstructured<'_>, names: &[&str]) -> Drawn<ScopeSpec<String>> {
    let items = data.int_in_range(0..=3)?;
    let items = (0..items).map(|_| data.choose(names).map(|name| (*name).to_owned()));
    let items = items.collect::<Drawn<BTreeSet<String>>>()?;
    Ok(ScopeSpec::Only(items))
}

struct Question {
    program: bool,
    name: String,
}

/// A granted name, or another one, changed up to three times.
fn question(data: &mut Unstructured<'_>, granted: &CaveatSpec) -> Drawn<Question> {
    let program = data.arbitrary()?;
    let (scope, names) = if program {
        (&granted.exec, PROGRAMS)
    } else {
        (&granted.net, HOSTS)
    };
    let items: Vec<&str> = match scope {
        ScopeSpec::Only(items) if data.ratio(3, 4)? => items.iter().map(String::as_str).collect(),
        _ => names.to_vec(),
    };
    let mut name = if items.is_empty() {
        (*data.choose(names)?).to_owned()
    } else {
        (*data.choose(&items)?).to_owned()
    };
    for _ in 0..data.int_in_range(0..=3)? {
        change(data, &mut name)?;
    }
    Ok(Question { program, name })
}

fn change(data: &mut Unstructured<'_>, name: &mut String) -> Drawn<()> {
    match data.int_in_range(0..=7)? {
        0 | 1 => name.insert_str(0, data.choose(PIECES)?),
        2 | 3 => name.push_str(data.choose(PIECES)?),
        4 => {
            let at = data.int_in_range(0..=name.len())?;
            if name.is_char_boundary(at) {
                name.insert_str(at, data.choose(PIECES)?);
            }
        }
        5 => {
            name.pop();
        }
        6 => *name = name.to_uppercase(),
        _ => {
            let last = name.rsplit('/').next().unwrap_or_default();
            *name = last.to_owned();
        }
    }
    Ok(())
}

impl Question {
    fn needs(&self) -> Capability {
        if self.program {
            Capability::CheckExec
        } else {
            Capability::CheckNet
        }
    }

    fn judge(
        &self,
        granted: &CaveatSpec,
        context: &dyn LeashContext,
        clone: &dyn LeashContext,
    ) -> Result<(), Violation> {
        let ask = |context: &dyn LeashContext| -> Verdict {
            if self.program {
                context.check_exec(&self.name)
            } else {
                context.check_net(&self.name)
            }
        };
        let said = ask(context);
        let broken = |requirement, seen: &str| Violation {
            requirement,
            steps: vec![format!("granted {granted}"), self.asked()],
            seen: seen.to_owned(),
        };
        if ask(clone).is_ok() != said.is_ok() {
            return Err(broken(lsh(10), "a clone answers otherwise"));
        }
        let (scope, row) = if self.program {
            (&granted.exec, lsh(5))
        } else {
            (&granted.net, lsh(6))
        };
        let exactly = scope.covers(self.name.as_str());
        match said {
            Ok(()) if *scope == ScopeSpec::none() => {
                Err(broken(lsh(17), "allowed although nothing is granted"))
            }
            Ok(()) if self.name.contains('\0') => Err(broken(lsh(14), "a NUL is allowed")),
            Ok(()) if !exactly && !self.is_forgiven(scope) => {
                Err(broken(row, "allowed although no grant is this text"))
            }
            Err(_) if exactly && is_plain(&self.name) => {
                Err(broken(row, "denied although a grant is this text"))
            }
            _ => Ok(()),
        }
    }

    fn asked(&self) -> String {
        let check = if self.program {
            "check_exec"
        } else {
            "check_net"
        };
        format!("{check}({:?})", self.name)
    }

    /// Whether something else than the exact text is promised, or is only reported.
    fn is_forgiven(&self, scope: &ScopeSpec<String>) -> bool {
        if self.program {
            // What `git/` and `git/.` are called is a matter of reading them.
            let named = self
                .name
                .trim_end_matches("/.")
                .trim_end_matches(['/', '.']);
            let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
            let bare = |name: String| !name.is_empty() && scope.covers(name.as_str());
            return bare(last(&self.name)) || (named.len() < self.name.len() && bare(last(named)));
        }
        let ScopeSpec::Only(items) = scope else {
            return true;
        };
        let named = self.name.strip_suffix('.').unwrap_or(&self.name);
        items.iter().any(|item| {
            let item = item.strip_suffix('.').unwrap_or(item);
            !item.is_empty() && item.eq_ignore_ascii_case(named)
        })
    }
}

/// Nobody has a reason to deny such a text, if it is granted.
fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-_".contains(c);
    name.chars().all(|c| plain(c) || c == '.')
        && name.contains(|c: char| c.is_ascii_alphanumeric())
        && name
            .split('/')
            .all(|part| !part.chars().all(|c| c == '.') || part.is_empty())
        && !name.ends_with('/')
        && !name.contains("//")
}
