//! Each public fault that a row about leashes is for, as a leash with that very fault: the row
//! convicts it, and not the same leash without the fault.
#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use proofmark_conformance::catalogue::{Catalogue, Family, RequirementId};
use proofmark_conformance::judge::judge_row;
use proofmark_conformance::outcome::{Outcome, RowOutcome};
use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::seed::Seed;
use proofmark_conformance::subject::{
    CaveatSpec, Denial, GateSpec, Leash, LeashContext, LeashGate, LeashSubject, ScopeSpec,
    ToolkitLeash, Verdict,
};
use proofmark_conformance::trial::{Settings, Watch};

/// A fault, the row that is for it, and what the fault makes of a sound answer.
struct Case {
    fault: &'static str,
    row: u8,
    answers: Answers,
}

/// What is answered to each question; the sound answer comes last.
#[derive(Clone, Copy)]
struct Answers {
    exec: fn(&CaveatSpec, &str, bool) -> bool,
    net: fn(&CaveatSpec, &str, bool) -> bool,
    /// Handed the scope of what is asked for: reading or writing.
    path: fn(&ScopeSpec<String>, &Path, bool) -> bool,
}

const SOUND: Answers = Answers {
    exec: |_, _, sound| sound,
    net: |_, _, sound| sound,
    path: |_, _, sound| sound,
};

/// A headline stands in a line of 120 columns, behind the harness's and the row's names.
const LINE: usize = 105;

const CASES: &[Case] = &[
    net("B77", |caveats, host, _| {
        any(&caveats.net, |grant| host.ends_with(grant))
    }),
    net("B79", |caveats, host, _| {
        any(&caveats.net, |grant| {
            without_port(host) == without_port(grant)
        })
    }),
    net("B82", |caveats, host, sound| {
        let mapped = host.replace('\u{3002}', ".").replace("%2e", ".");
        sound || any(&caveats.net, |grant| grant == mapped)
    }),
    net("B83", |caveats, host, sound| {
        let first = host.split('@').next().unwrap_or(host);
        sound || any(&caveats.net, |grant| grant == first)
    }),
    Case {
        fault: "B80",
        row: 17,
        answers: Answers {
            exec: |caveats, _, sound| sound || caveats.exec == ScopeSpec::none(),
            net: |caveats, _, sound| sound || caveats.net == ScopeSpec::none(),
            path: |scope, _, sound| sound || *scope == ScopeSpec::none(),
        },
    },
    path("B85", 7, |scope, path, sound| {
        sound
            || canonical(path)
                .is_some_and(|place| any(scope, |grant| place.to_string_lossy().starts_with(grant)))
    }),
    path("B86", 7, |scope, path, _| {
        any(scope, |grant| {
            lexical(path).starts_with(lexical(Path::new(grant)))
        })
    }),
    path("B86", 15, |scope, path, sound| {
        let linked = |place: &Path| {
            place.is_symlink()
                && any(scope, |grant| {
                    canonical(Path::new(grant))
                        .is_some_and(|grant| place.starts_with(&grant) && *place != grant)
                })
        };
        sound && !path.ancestors().any(linked)
    }),
    path("B88", 8, |scope, path, _| {
        // Created by an open that follows the link.
        let place = canonical(path).or_else(|| {
            let folder = canonical(path.parent()?)?;
            Some(folder.join(path.file_name()?))
        });
        place.is_some_and(|place| contained(scope, &place))
    }),
    path("B88", 15, |scope, path, sound| {
        let place = canonical(path).or_else(|| {
            let folder = canonical(path.parent()?)?;
            Some(folder.join(path.file_name()?))
        });
        let unrestricted = *scope == ScopeSpec::All;
        sound
            && (unrestricted
                || place.is_some_and(|place| any(scope, |grant| place.starts_with(grant))))
    }),
    path("B89", 7, taken_as_it_stands),
    path("B89", 8, taken_as_it_stands),
];

const fn net(fault: &'static str, net: fn(&CaveatSpec, &str, bool) -> bool) -> Case {
    Case {
        fault,
        row: 6,
        answers: Answers { net, ..SOUND },
    }
}

const fn path(
    fault: &'static str,
    row: u8,
    path: fn(&ScopeSpec<String>, &Path, bool) -> bool,
) -> Case {
    Case {
        fault,
        row,
        answers: Answers { path, ..SOUND },
    }
}

fn any(scope: &ScopeSpec<String>, fits: impl Fn(&str) -> bool) -> bool {
    match scope {
        ScopeSpec::All => true,
        ScopeSpec::Only(items) => items.iter().any(|item| fits(item)),
    }
}

fn without_port(host: &str) -> &str {
    host.split(':').next().unwrap_or(host)
}

fn canonical(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

fn contained(scope: &ScopeSpec<String>, place: &Path) -> bool {
    any(scope, |grant| {
        canonical(Path::new(grant)).is_some_and(|grant| place.starts_with(grant))
    })
}

fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// Where the path cannot be resolved, its text is compared.
fn taken_as_it_stands(scope: &ScopeSpec<String>, path: &Path, _: bool) -> bool {
    let place = canonical(path).unwrap_or_else(|| path.to_owned());
    any(scope, |grant| {
        let grant = canonical(Path::new(grant)).unwrap_or_else(|| PathBuf::from(grant));
        place.starts_with(grant)
    })
}

impl Leash for Answers {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        Ok(Box::new(Gate(*self, ToolkitLeash.gate(spec)?)))
    }
}

struct Gate(Answers, Box<dyn LeashGate>);

impl LeashGate for Gate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        Ok(Box::new(Context(
            self.0,
            self.1.authorize(granted, needed)?,
        )))
    }
}

struct Context(Answers, Box<dyn LeashContext>);

fn verdict(allowed: bool) -> Verdict {
    allowed
        .then_some(())
        .ok_or_else(|| Denial::new("not granted"))
}

impl LeashContext for Context {
    fn caveats(&self) -> CaveatSpec {
        self.1.caveats()
    }

    fn duplicate(&self) -> Box<dyn LeashContext> {
        Box::new(Self(self.0, self.1.duplicate()))
    }

    fn check_exec(&self, program: &str) -> Verdict {
        let sound = self.1.check_exec(program).is_ok();
        verdict((self.0.exec)(&self.caveats(), program, sound))
    }

    fn check_net(&self, host: &str) -> Verdict {
        let sound = self.1.check_net(host).is_ok();
        verdict((self.0.net)(&self.caveats(), host, sound))
    }

    fn check_path_read(&self, path: &Path) -> Verdict {
        let sound = self.1.check_path_read(path).is_ok();
        verdict((self.0.path)(&self.caveats().fs_read, path, sound))
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        let sound = self.1.check_path_write(path).is_ok();
        verdict((self.0.path)(&self.caveats().fs_write, path, sound))
    }
}

fn judged(row: u8, answers: Answers) -> RowOutcome {
    let profile = LeashProfile::new().check_exec().check_net().check_path();
    let subject = LeashSubject::new("field", profile, move || answers);
    let id = RequirementId::new(Family::Lsh, row);
    let requirement = Catalogue::shared().unwrap().get(id).unwrap();
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 64;
    let watch = Arc::new(Watch::default());
    judge_row(requirement, &subject, settings, &watch).unwrap()
}

#[test]
fn each_public_fault_is_convicted_by_its_row() {
    for case in CASES {
        let faulty = judged(case.row, case.answers);
        assert_eq!(faulty.outcome, Outcome::Fail, "{}: {faulty:#?}", case.fault);
        let found = faulty.counterexample.unwrap();
        assert!(found.headline.chars().count() <= LINE, "{}", found.headline);
        assert!(
            !found.twin.is_empty() && !found.steps.is_empty(),
            "{found:#?}"
        );
    }
}

#[test]
fn the_same_leash_without_a_fault_is_not_convicted() {
    for row in CASES.iter().map(|case| case.row).collect::<BTreeSet<_>>() {
        let sound = judged(row, SOUND);
        assert_eq!(sound.outcome, Outcome::Pass, "{sound:#?}");
    }
}

#[test]
fn every_fault_that_the_catalogue_names_is_among_the_cases() {
    let rows = Catalogue::shared().unwrap();
    let rows = rows.family(Family::Lsh).chain(rows.family(Family::Lat));
    let named: BTreeSet<(String, String)> = rows
        .flat_map(|row| {
            row.field
                .iter()
                .map(|field| (field.to_string(), row.id.to_string()))
        })
        .collect();
    let judged = CASES.iter().map(|case| {
        let row = RequirementId::new(Family::Lsh, case.row);
        (case.fault.to_owned(), row.to_string())
    });
    assert_eq!(judged.collect::<BTreeSet<_>>(), named);
}
