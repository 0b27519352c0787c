//! Cases that must be refused, each beside a twin that must resolve.

use crate::check::pol::line;
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, Resolved, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

use super::ordeal::unmet_control;
use super::outline::Outline;

/// A case that must be refused.
pub(super) struct Refusable {
    /// The case.
    pub(super) case: ResolveCase,
    /// The case without the one thing.
    pub(super) twin: ResolveCase,
    /// Why it must be refused, as the end of a sentence.
    pub(super) because: String,
    /// What a resolver that encodes may send instead of refusing.
    pub(super) unless: Unless,
}

/// What a resolver that encodes may send instead of refusing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unless {
    /// Nothing.
    Never,
    /// A target that decodes to what template and values spell.
    Spelled,
    /// A target in which such characters do not stand as they are.
    Encoded(fn(char) -> bool),
    /// A target in which such characters do not stand as they are, whatever the resolver declares:
    /// what else may be wrong with it is another row's affair.
    Without(fn(char) -> bool),
}

impl Refusable {
    pub(super) fn new(case: ResolveCase, twin: ResolveCase, because: impl Into<String>) -> Self {
        Self {
            case,
            twin,
            because: because.into(),
            unless: Unless::Never,
        }
    }

    pub(super) fn unless(mut self, unless: Unless) -> Self {
        self.unless = unless;
        self
    }

    /// What is wrong with the answer, if anything is.
    fn offence(&self, trial: &Trial<'_, ResolverSubject>, reply: &Reply) -> Option<String> {
        match reply {
            Reply::Resolved(resolved) if self.may_tolerate(trial) && self.tolerates(resolved) => {
                None
            }
            Reply::Resolved(resolved) => Some(format!("`{resolved}`")),
            Reply::Refused(refused) => {
                let sent = refused.sent().first()?;
                Some(format!("refused, but `{sent}` was sent"))
            }
        }
    }

    /// Whether anything but a refusal may be tolerated of this resolver.
    fn may_tolerate(&self, trial: &Trial<'_, ResolverSubject>) -> bool {
        trial.profile().encodes_reserved() || matches!(self.unless, Unless::Without(_))
    }

    fn tolerates(&self, resolved: &Resolved) -> bool {
        match self.unless {
            Unless::Never => false,
            Unless::Spelled => Outline::of_segments(&self.case)
                .differs(&resolved.target)
                .is_none(),
            Unless::Encoded(characters) | Unless::Without(characters) => {
                !resolved.target.contains(characters)
            }
        }
    }
}

/// Judges each of them. One whose twin does not resolve is left open.
pub(super) fn judge(trial: &Trial<'_, ResolverSubject>, all: &[Refusable]) -> Judged {
    let mut unmet = None;
    for refusable in all {
        match show(trial, refusable)? {
            Finding::Held { .. } => {}
            Finding::Undecided(reason) => unmet = unmet.or(Some(reason)),
            found => return Ok(found),
        }
    }
    match unmet {
        Some(reason) => Ok(Finding::Undecided(reason)),
        None => Ok(Finding::held(all.len())),
    }
}

/// Judges one of them.
pub(super) fn show(
    trial: &Trial<'_, ResolverSubject>,
    refusable: &Refusable,
) -> Result<Finding, Stop> {
    let Refusable { case, twin, .. } = refusable;
    let fresh = trial.resolve(case)?;
    if let Some(seen) = refusable.offence(trial, &fresh) {
        return convict(trial, refusable, &fresh, seen, false);
    }
    // What was resolved before must make no difference.
    let used = trial.fresh()?;
    used.ask(twin)?;
    let reply = used.ask(case)?;
    match refusable.offence(trial, &reply) {
        Some(seen) => convict(trial, refusable, &reply, seen, true),
        None => Ok(Finding::held(1)),
    }
}

fn convict(
    trial: &Trial<'_, ResolverSubject>,
    refusable: &Refusable,
    reply: &Reply,
    seen: String,
    used: bool,
) -> Result<Finding, Stop> {
    let Refusable { case, twin, .. } = refusable;
    if let Some(reason) = unmet_control(trial, twin)? {
        return Ok(Finding::Undecided(reason));
    }
    let target = reply.resolved().map_or("", |resolved| &resolved.target);
    let headline = if target.is_empty() {
        line(
            "`",
            &case.template,
            "` is refused, and sent all the same",
            "",
            "",
        )
    } else {
        line("`", &case.template, "` comes out as `", target, "`")
    };
    let mut found = Counterexample::new(headline);
    if used {
        found = found.step(twin.to_string(), "resolved by the same resolver");
    }
    Ok(Finding::broken(
        found
            .step(case.to_string(), reply)
            .expected(format!("refused: {}", refusable.because))
            .seen(seen)
            .twin(if used {
                "the same is refused by a resolver that resolved nothing before".to_owned()
            } else {
                format!("`{twin}` resolves as it should")
            }),
    ))
}

/// The findings of several parts as one.
pub(super) fn together(parts: impl IntoIterator<Item = Judged>) -> Judged {
    let mut cases = 0;
    let mut unmet = None;
    for part in parts {
        match part? {
            Finding::Held { cases: more } => cases += more,
            Finding::Undecided(reason) => unmet = unmet.or(Some(reason)),
            found => return Ok(found),
        }
    }
    Ok(match unmet {
        Some(reason) => Finding::Undecided(reason),
        None => Finding::Held { cases },
    })
}
