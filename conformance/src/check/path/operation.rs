//! PATH-16: rules are those of the operation that is called, its method and its template.

use super::ordeal::unmet_control;
use crate::outcome::Counterexample;
use crate::profile::ResolverProfile;
use crate::subject::{Declared, ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

const THINGS: &str = "/things/{id}";
const OTHERS: &str = "/others/{id}";

/// Two contrary rules for one parameter, and a value that only one of them admits.
struct Contrary {
    tight: fn(Declared) -> Declared,
    wide: fn(Declared) -> Declared,
    /// What the tight rule admits; the wide one may admit it too.
    fits_tight: &'static str,
    /// What only the wide rule admits.
    fits_wide: &'static str,
    /// Whether the wide rule refuses what the tight one admits.
    exclusive: bool,
}

/// PATH-16.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    let Some(contrary) = contrary(trial.profile()) else {
        return Ok(Finding::NotApplicable(
            "the profile says neither that patterns nor that lengths can be declared".to_owned(),
        ));
    };
    if let Some(reason) = without_effect(trial, &contrary)? {
        return Ok(Finding::Undecided(reason));
    }
    let mut cases = 0;
    let pairs = [
        ("GET", "DELETE"),
        ("DELETE", "GET"),
        ("HEAD", "GET"),
        ("PUT", "POST"),
        ("PATCH", "POST"),
    ];
    for (this, other) in pairs {
        for (asked, value, passes) in verdicts(&contrary, this, other) {
            cases += 1;
            if let Some(found) = judge(trial, &contrary, &asked, value, passes)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// Why what is declared has no effect even where one operation is declared alone, if it has none
/// for either method.
fn without_effect(
    trial: &Trial<'_, ResolverSubject>,
    contrary: &Contrary,
) -> Result<Option<String>, Stop> {
    let mut reason = None;
    for method in ["GET", "DELETE"] {
        let tight = (contrary.tight)(Declared::new(method, THINGS, "id"));
        let only = Asked::new(method, THINGS, vec![tight]);
        reason = unmet_control(trial, &only.case(contrary.fits_tight))?;
        let refused = only.case(contrary.fits_wide);
        if trial.resolve(&refused)?.resolved().is_some() {
            reason = Some(format!(
                "the control failed: `{refused}` was resolved, so what is declared has no effect"
            ));
        }
        if reason.is_none() {
            break;
        }
    }
    Ok(reason)
}

/// What is asked of which operation, and whether its own rules admit it.
fn verdicts(contrary: &Contrary, this: &str, other: &str) -> Vec<(Asked, &'static str, bool)> {
    let tight = |method, template| (contrary.tight)(Declared::new(method, template, "id"));
    let wide = |method, template| (contrary.wide)(Declared::new(method, template, "id"));
    let mut verdicts = Vec::new();
    for declared in [
        [tight(this, THINGS), wide(other, THINGS)],
        [wide(other, THINGS), tight(this, THINGS)],
    ] {
        let tightly = || Asked::new(this, THINGS, declared.to_vec());
        let widely = || Asked::new(other, THINGS, declared.to_vec());
        verdicts.extend([
            (tightly(), contrary.fits_tight, true),
            (tightly(), contrary.fits_wide, false),
            (widely(), contrary.fits_wide, true),
            (widely(), contrary.fits_tight, !contrary.exclusive),
        ]);
    }
    let silent = Declared::new(this, THINGS, "id");
    for declared in [
        vec![tight(other, THINGS)],
        vec![tight(other, THINGS), silent.clone()],
        vec![silent, tight(other, THINGS)],
        vec![tight(this, OTHERS)],
        vec![tight(this, "/Things/{id}")],
    ] {
        let asked = Asked::new(this, THINGS, declared);
        verdicts.push((asked, contrary.fits_wide, true));
    }
    let both = vec![tight(this, THINGS), wide(this, OTHERS)];
    let things = Asked::new(this, THINGS, both.clone());
    verdicts.push((things, contrary.fits_wide, false));
    verdicts.push((Asked::new(this, OTHERS, both), contrary.fits_wide, true));
    verdicts
}

fn judge(
    trial: &Trial<'_, ResolverSubject>,
    contrary: &Contrary,
    asked: &Asked,
    value: &str,
    passes: bool,
) -> Result<Option<Counterexample>, Stop> {
    let case = asked.case(value);
    let mut reply = trial.resolve(&case)?;
    if reply.resolved().is_some() == passes {
        // One resolver serves every operation, one after another.
        let used = trial.fresh()?;
        for earlier in asked.earlier(contrary) {
            used.ask(&earlier)?;
        }
        reply = used.ask(&case)?;
    }
    let (headline, expected) = match (&reply, passes) {
        (Reply::Resolved(_), true) | (Reply::Refused(_), false) => return Ok(None),
        (Reply::Refused(_), true) => (
            "a value is refused by another operation's rules",
            "a target",
        ),
        (Reply::Resolved(_), false) => (
            "a value is admitted by another operation's rules",
            "refused",
        ),
    };
    let operation = format!("{} {}", asked.method, asked.template);
    Ok(Some(
        Counterexample::new(headline)
            .step(case.to_string(), &reply)
            .expected(format!("{expected}: so say the rules of {operation}"))
            .seen(reply.to_string())
            .twin("where one operation alone is declared, its rule has its effect on both values"),
    ))
}

fn contrary(profile: &ResolverProfile) -> Option<Contrary> {
    if profile.patterns {
        return Some(Contrary {
            tight: |declared| declared.pattern("^[0-9]+$"),
            wide: |declared| declared.pattern("^[a-z]+$"),
            fits_tight: "77",
            fits_wide: "xx",
            exclusive: true,
        });
    }
    profile.max_lengths.then_some(Contrary {
        tight: |declared| declared.max_length(1),
        wide: |declared| declared.max_length(3),
        fits_tight: "7",
        fits_wide: "xx",
        exclusive: false,
    })
}

/// One operation of one API description.
struct Asked {
    method: String,
    template: &'static str,
    declared: Vec<Declared>,
}

impl Asked {
    fn new(method: &str, template: &'static str, declared: Vec<Declared>) -> Self {
        Self {
            method: method.to_owned(),
            template,
            declared,
        }
    }

    /// Every declared operation, with a value of either kind.
    fn earlier(&self, contrary: &Contrary) -> Vec<ResolveCase> {
        let values = [contrary.fits_tight, contrary.fits_wide];
        let operations = self.declared.iter().flat_map(|declared| {
            values.map(|value| {
                let case = self.case(value);
                case.method(&declared.method).template(&declared.template)
            })
        });
        operations.collect()
    }

    fn case(&self, value: &str) -> ResolveCase {
        let case = ResolveCase::new(self.template)
            .method(&self.method)
            .argument("id", value);
        self.declared
            .iter()
            .cloned()
            .fold(case, ResolveCase::declaring)
    }
}
