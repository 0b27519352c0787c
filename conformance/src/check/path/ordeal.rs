//! Hostile values at every place: each is refused, or sent as what decodes to it where the subject
//! encodes.

use proptest::sample::select;

use super::hostile::Hostile;
use super::outline::Outline;
use super::place::Place;
use crate::check::pol::line;
use crate::outcome::Counterexample;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Reply, Stop, Trial};

/// How hostile values are shown to a resolver.
pub(super) struct Ordeal<'a> {
    trial: &'a Trial<'a, ResolverSubject>,
    /// What is changed in every case.
    change: &'a dyn Fn(ResolveCase) -> ResolveCase,
    /// The same value where it must be refused as well, and how that case differs: what is let
    /// through there is another row's affair.
    elsewhere: Option<Elsewhere<'a>>,
    /// Whether a resolver is asked that has just resolved the harmless value, too.
    used: bool,
}

/// Another case with the same value.
#[derive(Clone, Copy)]
pub(super) struct Elsewhere<'a> {
    /// The case with this value.
    pub(super) case: &'a dyn Fn(Place, &str) -> ResolveCase,
    /// How it differs, as in "without the pattern".
    pub(super) differing: &'a str,
}

/// What one hostile value came to.
enum Came {
    Kept,
    Broken(Box<Counterexample>),
    Open(String),
}

impl<'a> Ordeal<'a> {
    pub(super) fn new(trial: &'a Trial<'a, ResolverSubject>) -> Self {
        Self {
            trial,
            change: &|case| case,
            elsewhere: None,
            used: false,
        }
    }

    /// The same, asking also a resolver that has just resolved the harmless value.
    pub(super) fn used_before(mut self) -> Self {
        self.used = true;
        self
    }

    /// The same with something changed in every case.
    pub(super) fn changing(mut self, change: &'a dyn Fn(ResolveCase) -> ResolveCase) -> Self {
        self.change = change;
        self
    }

    /// The same, convicting only of values that are refused elsewhere.
    pub(super) fn unless_elsewhere(mut self, elsewhere: Elsewhere<'a>) -> Self {
        self.elsewhere = Some(elsewhere);
        self
    }

    /// The places at which a harmless value comes out as it should.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where there is none.
    pub(super) fn open_places(&self, places: &[Place], harmless: &str) -> Result<Vec<Place>, Stop> {
        let mut open = Vec::new();
        let mut unmet = None;
        for &place in places {
            let case = (self.change)(place.case(harmless));
            match unmet_control(self.trial, &case)? {
                None => open.push(place),
                Some(reason) => unmet = unmet.or(Some(reason)),
            }
        }
        match (open.is_empty(), unmet) {
            (true, Some(reason)) => Err(Stop::Undecided(reason)),
            _ => Ok(open),
        }
    }

    /// Shows every value at every place.
    pub(super) fn judge(&self, places: &[Place], hostile: &[Hostile]) -> Judged {
        let mut cases = 0;
        let mut unmet = None;
        for value in hostile {
            for &place in places {
                cases += 1;
                match self.show(place, value)? {
                    Came::Kept => {}
                    Came::Broken(found) => return Ok(Finding::Broken(found)),
                    Came::Open(reason) => unmet = unmet.or(Some(reason)),
                }
            }
        }
        match unmet {
            Some(reason) => Ok(Finding::Undecided(reason)),
            None => Ok(Finding::held(cases)),
        }
    }

    /// Shows hostile texts amid generated harmless ones, after the fixed values.
    pub(super) fn judge_amid(
        &self,
        places: &[Place],
        fixed: &[Hostile],
        texts: Vec<String>,
    ) -> Judged {
        let fixed = match self.judge(places, fixed)? {
            Finding::Held { cases } => cases,
            found => return Ok(found),
        };
        let strategy = (
            select(places.to_vec()),
            "[g-z0-9_-]{0,6}",
            select(texts),
            "([g-z][g-z0-9]{0,5})?",
        );
        let generated = self.trial.for_all(
            self.trial.cases()?,
            &strategy,
            |(place, before, text, after)| {
                let value = Hostile::between(&before, &text, &after);
                match self.show(place, &value)? {
                    Came::Broken(found) => Ok(Some(*found)),
                    // A generated twin that is refused says nothing about the fixed ones.
                    Came::Kept | Came::Open(_) => Ok(None),
                }
            },
        )?;
        Ok(match generated {
            Finding::Held { cases } => Finding::Held {
                cases: cases + fixed,
            },
            found => found,
        })
    }

    fn show(&self, place: Place, hostile: &Hostile) -> Result<Came, Stop> {
        let case = (self.change)(place.case(hostile.value.as_str()));
        let harmless = (self.change)(place.case(hostile.harmless.as_str()));
        let mut reply = self.trial.resolve(&case)?;
        let mut offence = self.offence(&case, &reply, hostile);
        let used = self.used && offence.is_none();
        if used {
            let resolver = self.trial.fresh()?;
            resolver.ask(&harmless)?;
            reply = resolver.ask(&case)?;
            offence = self.offence(&case, &reply, hostile);
        }
        let Some(mut seen) = offence else {
            return Ok(Came::Kept);
        };
        if used {
            seen = format!("{seen}, by a resolver that resolved `{harmless}` before");
        }
        if let Some(reason) = unmet_control(self.trial, &harmless)? {
            return Ok(Came::Open(reason));
        }
        let mut twin = format!("`{harmless}` resolves as it should");
        if let Some(elsewhere) = self.elsewhere {
            let other = (elsewhere.case)(place, &hostile.value);
            let reply = self.trial.resolve(&other)?;
            let differing = elsewhere.differing;
            if self.offence(&other, &reply, hostile).is_some() {
                return Ok(Came::Open(format!(
                    "the control failed: {} comes through {differing} as well (`{other}` -> {reply}), which another row is about",
                    hostile.what
                )));
            }
            twin = format!("{twin}, and {differing} `{other}` -> {reply}");
        }
        let target = reply.resolved().map_or("", |resolved| &resolved.target);
        let expected = if self.trial.profile().encodes_reserved() && hostile.is_encodable {
            format!(
                "refused, or sent as what decodes to the value in one step: the value holds {}",
                hostile.what
            )
        } else {
            format!("refused: the value holds {}", hostile.what)
        };
        Ok(Came::Broken(Box::new(
            Counterexample::new(line(
                &format!("{} = `", place.name()),
                &hostile.value,
                "` comes out as `",
                target,
                "`",
            ))
            .step(case.to_string(), &reply)
            .expected(expected)
            .seen(seen)
            .twin(twin),
        )))
    }

    /// What is wrong with the answer to a hostile value, if anything is.
    fn offence(&self, case: &ResolveCase, reply: &Reply, hostile: &Hostile) -> Option<String> {
        let resolved = match reply {
            Reply::Resolved(resolved) => resolved,
            Reply::Refused(refused) => {
                let sent = refused.sent().first()?;
                return Some(format!("refused, but `{sent}` was sent"));
            }
        };
        if self.trial.profile().encodes_reserved() && hostile.is_encodable {
            // A slash that is allowed may be encoded with the rest, or stand as it is.
            Outline::of_segments(case).differs(&resolved.target)?;
            let difference = Outline::of(case).differs(&resolved.target)?;
            return Some(format!("`{resolved}`: {difference}"));
        }
        Some(format!("`{resolved}`"))
    }
}

/// Why a case that is to resolve as it stands does not, if it does not.
pub(super) fn unmet_control(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
) -> Result<Option<String>, Stop> {
    Ok(match trial.resolve(case)? {
        Reply::Refused(refused) => Some(format!(
            "the control failed: `{case}` was refused ({})",
            refused.message().escape_debug()
        )),
        Reply::Resolved(resolved) => {
            Outline::of(case)
                .differs(&resolved.target)
                .map(|difference| {
                    format!("the control failed: `{case}` came out as `{resolved}`: {difference}")
                })
        }
    })
}
