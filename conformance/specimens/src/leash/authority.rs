//! Leashes that hand out another authority than grant and need have in common, or that change what
//! they handed out.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use proofmark_conformance::profile::LeashProfile;
use proofmark_conformance::subject::{
    CaveatSpec, CountSpec, Denial, GateSpec, Leash, LeashContext, LeashGate, LeashSubject,
    ScopeSpec, ToolkitLeash, Verdict,
};

use super::altered::{Altered, SOUND, checks, subject};
use super::lsh;
use super::opening::{by_name, opening};
use crate::Specimen;

pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = of_the_meet();
    specimens.extend(of_common_items());
    specimens.extend(of_clones());
    specimens.push(of_an_empty_generation());
    specimens
}

fn of_the_meet() -> Vec<Specimen> {
    let leash = |name, authority: fn(&CaveatSpec, &CaveatSpec) -> (CaveatSpec, CaveatSpec)| {
        let altered = Altered { authority, ..SOUND };
        subject(name, checks(), altered)
    };
    vec![
        Specimen::new(
            lsh(2),
            "hands out the grant, whatever the tool needs",
            leash("leash_hands_out_the_grant", |granted, _| {
                (granted.clone(), CaveatSpec::top())
            }),
        )
        .also(
            lsh(17),
            "an empty scope in the need denies nothing, since the need is not looked at",
        ),
        Specimen::new(
            lsh(2),
            "hands the grant's number of calls on, though the need has a lower one",
            leash("leash_forgets_the_needed_calls", |granted, needed| {
                let max_calls = CountSpec::Unlimited;
                let needed = needed.clone();
                (
                    granted.clone(),
                    CaveatSpec {
                        max_calls,
                        ..needed
                    },
                )
            }),
        ),
    ]
}

fn of_common_items() -> Vec<Specimen> {
    let leash = |name, authority: fn(&CaveatSpec, &CaveatSpec) -> (CaveatSpec, CaveatSpec)| {
        let altered = Altered { authority, ..SOUND };
        subject(name, checks(), altered)
    };
    vec![
        Specimen::new(
            lsh(2),
            "of a folder and one within it, keeps the outer one for what both have in common",
            leash("leash_keeps_the_outer_folder", |granted, needed| {
                let mut needed = needed.clone();
                for (granted, needed) in [
                    (&granted.fs_read, &mut needed.fs_read),
                    (&granted.fs_write, &mut needed.fs_write),
                ] {
                    let (ScopeSpec::Only(granted), ScopeSpec::Only(items)) = (granted, needed)
                    else {
                        continue;
                    };
                    let inner = |outer: &&String| {
                        let within = |item: &String| Path::new(item).starts_with(outer);
                        items.iter().any(within)
                    };
                    let outer: Vec<String> = granted.iter().filter(inner).cloned().collect();
                    items.extend(outer);
                }
                (granted.clone(), needed)
            }),
        ),
        Specimen::new(
            lsh(2),
            "keeps only the first of several hosts that grant and need have in common",
            leash("leash_keeps_one_common_host", |granted, needed| {
                let mut granted = granted.clone();
                let both = granted.net.is_restricted() && needed.net.is_restricted();
                if let (true, ScopeSpec::Only(common)) = (both, granted.net.meet(&needed.net)) {
                    granted.net = ScopeSpec::Only(common.into_iter().take(1).collect());
                }
                (granted, needed.clone())
            }),
        ),
    ]
}

fn of_clones() -> Vec<Specimen> {
    let profile = || LeashProfile::new().check_exec().check_net();
    vec![
        Specimen::new(
            lsh(10),
            "looks its authority up in the gate, which keeps that of the last call",
            LeashSubject::new("leash_follows_its_gate", checks(), || Following),
        ),
        Specimen::new(
            lsh(10),
            "forgets the programs when a context is cloned, so that all are let through",
            subject(
                "leash_widens_its_clones",
                profile(),
                Altered {
                    clone: |_| Altered {
                        exec: |_, _, _| true,
                        ..SOUND
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lsh(10),
            "opens by its name whatever a clone is asked to open",
            subject(
                "leash_clones_open_everything",
                opening(),
                Altered {
                    clone: |_| Altered {
                        open: by_name,
                        ..SOUND
                    },
                    ..SOUND
                },
            ),
        ),
        Specimen::new(
            lsh(10),
            "forgets the hosts when a context is cloned, so that none is let through",
            subject(
                "leash_narrows_its_clones",
                profile(),
                Altered {
                    clone: |_| Altered {
                        net: |_, _, _| false,
                        ..SOUND
                    },
                    ..SOUND
                },
            ),
        ),
    ]
}

fn of_an_empty_generation() -> Specimen {
    Specimen::new(
        lsh(17),
        "takes a grant that holds in no generation for one that holds in all",
        subject(
            "leash_takes_no_generation_for_all",
            checks().generation(),
            Altered {
                authority: |granted, needed| {
                    let mut granted = granted.clone();
                    if granted.generations == ScopeSpec::none() {
                        granted.generations = ScopeSpec::All;
                    }
                    (granted, needed.clone())
                },
                ..SOUND
            },
        ),
    )
}

/// A leash whose contexts ask the gate what they may do.
struct Following;

impl Leash for Following {
    fn gate(&self, spec: &GateSpec) -> Result<Box<dyn LeashGate>, Denial> {
        let sound = ToolkitLeash.gate(spec)?;
        let last = Arc::new(Mutex::new(None));
        Ok(Box::new(FollowedGate { sound, last }))
    }
}

type Last = Arc<Mutex<Option<Arc<dyn LeashContext>>>>;

struct FollowedGate {
    sound: Box<dyn LeashGate>,
    last: Last,
}

impl LeashGate for FollowedGate {
    fn authorize(
        &self,
        granted: &CaveatSpec,
        needed: &CaveatSpec,
    ) -> Result<Box<dyn LeashContext>, Denial> {
        let context = self.sound.authorize(granted, needed)?;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::from(context));
        Ok(Box::new(FollowingContext(Arc::clone(&self.last))))
    }
}

struct FollowingContext(Last);

impl FollowingContext {
    fn ask(&self, question: impl FnOnce(&dyn LeashContext) -> Verdict) -> Verdict {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = last.as_deref();
        question(last.ok_or_else(|| Denial::new("nothing was authorised yet"))?)
    }
}

impl LeashContext for FollowingContext {
    fn caveats(&self) -> CaveatSpec {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let caveats = last.as_deref().map(LeashContext::caveats);
        caveats.unwrap_or_else(CaveatSpec::top)
    }

    fn duplicate(&self) -> Box<dyn LeashContext> {
        Box::new(Self(Arc::clone(&self.0)))
    }

    fn check_exec(&self, program: &str) -> Verdict {
        self.ask(|context| context.check_exec(program))
    }

    fn check_net(&self, host: &str) -> Verdict {
        self.ask(|context| context.check_net(host))
    }

    fn check_path_read(&self, path: &Path) -> Verdict {
        self.ask(|context| context.check_path_read(path))
    }

    fn check_path_write(&self, path: &Path) -> Verdict {
        self.ask(|context| context.check_path_write(path))
    }
}
