//! Compares what a call came to with what was approved and promised.

use super::bench::Heard;
use super::meaning::{Meant, meant};
use super::script::{Act, MOST_CALLS, Onward, Script, Step, TOKEN, Verdict, path_mark};
use crate::catalogue::{Family, RequirementId};
use crate::profile::{AuthScheme, ExecutorProfile};
use crate::scan::{Scanner, ViewError, Views};
use crate::subject::RequestCase;
use crate::trial::{Ending, Shown};

pub(super) const fn exe(number: u8) -> RequirementId {
    RequirementId::new(Family::Exe, number)
}

pub(super) const fn cred(number: u8) -> RequirementId {
    RequirementId::new(Family::Cred, number)
}

/// A broken promise.
pub(super) struct Fault {
    pub(super) row: RequirementId,
    pub(super) seen: String,
}

pub(super) fn fault(row: RequirementId, seen: impl Into<String>) -> Option<Fault> {
    let seen = seen.into();
    Some(Fault { row, seen })
}

/// The methods that everybody knows, and whether their fields are pairs; `None` where that is the
/// executor's choice.
const METHODS: &[(&str, Option<bool>)] = &[
    ("GET", Some(true)),
    ("HEAD", Some(true)),
    ("POST", Some(false)),
    ("PUT", Some(false)),
    ("PATCH", Some(false)),
    ("DELETE", None),
    ("OPTIONS", None),
];

/// What scanners look for.
pub(super) struct Scanners {
    /// The credential and all that stands for it.
    pub(super) credential: Scanner,
    /// User and password of the base URL.
    pub(super) user_info: Scanner,
    /// The values of the calls.
    pub(super) values: Scanner,
}

/// What a call is compared with.
pub(super) struct Oracle<'a> {
    pub(super) profile: &'a ExecutorProfile,
    pub(super) scanners: &'a Scanners,
    pub(super) strict: bool,
    pub(super) script: &'a Script,
}

/// What one call came to.
pub(super) struct Outcome<'a> {
    pub(super) step: &'a Step,
    pub(super) ending: &'a Ending,
    pub(super) heard: &'a Heard,
    /// What the policy was shown.
    pub(super) views: &'a [RequestCase],
}

impl Oracle<'_> {
    pub(super) fn judge(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        self.ended(outcome)
            .or_else(|| self.approved(outcome))
            .or_else(|| self.views(outcome.views))
            .or_else(|| self.must_not_be_sent(outcome))
            .or_else(|| self.went_on(outcome))
            .or_else(|| {
                let mut requests = outcome.heard.requests.iter();
                requests.find_map(|request| self.request(outcome, request))
            })
            .or_else(|| self.repeated(outcome))
            .or_else(|| self.error(outcome.ending))
            .or_else(|| self.value(outcome))
            .filter(|fault| self.strict || !is_should(fault.row))
    }

    /// What calls that were made at once came to: each has its own answer.
    pub(super) fn judge_at_once(&self, steps: &[Step], endings: &[Ending]) -> Option<Fault> {
        steps.iter().zip(endings).find_map(|(step, ending)| {
            let Ending::Value(value) = ending else {
                return None;
            };
            self.others(step, &value.to_string(), path_mark)
                .map(|other| Fault {
                    row: exe(12),
                    seen: format!("{step} got the answer to call {other}"),
                })
        })
    }

    /// The number of another call whose mark stands in the text.
    pub(super) fn others(
        &self,
        step: &Step,
        text: &str,
        mark: fn(usize) -> String,
    ) -> Option<usize> {
        (0..MOST_CALLS).find(|number| *number != step.number && text.contains(&mark(*number)))
    }

    fn ended(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        let expected = outcome.step.verdict != Verdict::NeverAnswers;
        match outcome.ending {
            Ending::Panicked(message) => fault(exe(9), format!("it panicked: {message}")),
            Ending::Unanswered if expected => fault(exe(9), "it did not end in time"),
            _ => None,
        }
    }

    /// Nothing goes out that the policy has not allowed.
    fn approved(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        if !self.profile.policy {
            return None;
        }
        let Outcome { step, heard, .. } = outcome;
        let (row, what) = match step.verdict {
            Verdict::Allows if outcome.views.is_empty() => (exe(13), "nobody asked the policy"),
            Verdict::Allows => return None,
            Verdict::Refuses => (exe(13), "the policy refused"),
            Verdict::NeverAnswers => (exe(19), "the policy never answered"),
        };
        if !heard.silent {
            return fault(row, format!("{what}, and it was sent: {}", told(heard)));
        }
        // A policy that was not asked because nothing was to be sent is no fault.
        if step.verdict == Verdict::Allows {
            return None;
        }
        if heard.fetched {
            return fault(exe(13), format!("{what}, and a token was fetched"));
        }
        let value = outcome.ending.is_value();
        value.then(|| Fault {
            row,
            seen: format!("{what}, and it ended in {}", outcome.ending),
        })
    }

    /// Methods that there are not, or that are not supported, and bodies that cannot be sent.
    fn must_not_be_sent(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        let step = outcome.step;
        let known = known(&step.method);
        let row = match known {
            None => exe(8),
            Some((name, _)) if !self.supports(name) => exe(4),
            Some((_, Some(true))) => match meant(step.body.as_ref(), self.profile.arrays) {
                Meant::Pairs { .. } => return None,
                Meant::Nested(_) => exe(7),
                Meant::NoObject => exe(20),
            },
            Some(_) => return None,
        };
        if !outcome.heard.silent {
            return fault(row, format!("sent: {}", told(outcome.heard)));
        }
        let value = outcome.ending.is_value();
        value.then(|| Fault {
            row,
            seen: format!("nothing was sent, and it ended in {}", outcome.ending),
        })
    }

    fn supports(&self, method: &str) -> bool {
        let methods = &self.profile.methods;
        methods.is_empty() || methods.iter().any(|known| known == method)
    }

    fn went_on(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        if outcome.heard.tripped {
            let astray = matches!(outcome.step.act, Act::Redirects(_, Onward::Tripwire));
            // What the backend has not heard of it cannot have redirected.
            return if astray && !outcome.heard.silent {
                fault(exe(10), "a redirect to another host is followed")
            } else {
                fault(cred(12), "the token request follows a redirect")
            };
        }
        let redirected = matches!(outcome.step.act, Act::Redirects(..));
        let mut requests = outcome.heard.requests.iter();
        let onward = requests.find(|request| redirected && request.path().ends_with(b"/taken"))?;
        fault(exe(10), format!("a redirect is followed: {onward}"))
    }

    fn repeated(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        let (first, later) = outcome.heard.requests.split_first()?;
        let again = later.first()?;
        if ["POST", "PATCH"].contains(&outcome.step.method.to_ascii_uppercase().as_str()) {
            return fault(exe(14), format!("it is sent again: {again}"));
        }
        let differs = later.iter().any(|other| {
            other.request_line() != first.request_line() || other.body() != first.body()
        });
        differs.then(|| Fault {
            row: exe(14),
            seen: format!("its repetition is another: {again}"),
        })
    }

    fn views(&self, views: &[RequestCase]) -> Option<Fault> {
        let row = match self.script.scheme {
            None | Some(AuthScheme::Bearer | AuthScheme::TokenEndpoint) => cred(1),
            Some(_) => cred(2),
        };
        let scanners = [
            (&self.scanners.credential, row),
            (&self.scanners.user_info, cred(10)),
        ];
        scanners.into_iter().find_map(|(scanner, row)| {
            views.iter().find_map(|shown| {
                let mut views = Views::new(scanner);
                views.source(&shown.view());
                match views.finish() {
                    Err(ViewError::Found(found)) => fault(row, format!("a policy saw: {found}")),
                    _ => None,
                }
            })
        })
    }

    fn error(&self, ending: &Ending) -> Option<Fault> {
        match ending {
            Ending::Failed(shown) => self.texts(shown),
            _ => None,
        }
    }

    /// What an error, or the refusal to be built, shows.
    pub(super) fn texts(&self, shown: &Shown) -> Option<Fault> {
        let of_credential = match self.script.spoilt {
            Some(_) => exe(18),
            None => exe(11),
        };
        let scanners = [
            (&self.scanners.user_info, cred(10)),
            (&self.scanners.values, exe(11)),
            (&self.scanners.credential, of_credential),
        ];
        scanners.into_iter().find_map(|(scanner, row)| {
            let (place, found) = shown.texts.iter().find_map(|(place, text)| {
                let found = scanner.scan(text.as_bytes()).findings;
                Some((place, found.into_iter().next()?))
            })?;
            fault(
                row,
                format!("{place} holds {} ({})", found.secret, found.encoding),
            )
        })
    }

    /// What the executor's own `Debug` shows.
    pub(super) fn printed(&self, debug: Option<&str>) -> Option<Fault> {
        let found = self.scanners.credential.scan(debug?.as_bytes()).findings;
        let (secret, encoding) = found
            .first()
            .map(|found| (&found.secret, &found.encoding))?;
        fault(cred(4), format!("its `Debug` holds {secret} ({encoding})"))
    }

    fn value(&self, outcome: &Outcome<'_>) -> Option<Fault> {
        let Ending::Value(value) = outcome.ending else {
            return None;
        };
        if outcome.heard.silent {
            return fault(exe(4), format!("nothing was sent, and it ended in {value}"));
        }
        let once = outcome.heard.requests.len() == 1;
        let failed = match outcome.step.act {
            Act::Status(_) => true,
            Act::FailsOnce(_) => once,
            _ => false,
        };
        if failed {
            return fault(exe(9), format!("a failure is taken for the value {value}"));
        }
        let text = value.to_string();
        let has_credential = self.script.scheme.is_some() && self.script.spoilt.is_none();
        if has_credential && outcome.step.act == Act::EchoesTheCredential {
            let found = self.scanners.credential.scan(text.as_bytes()).findings;
            let found = found.into_iter().next();
            let token = self.script.scheme == Some(AuthScheme::TokenEndpoint);
            if found.is_some() || (token && text.contains(TOKEN)) {
                return fault(
                    cred(7),
                    "the credential that the backend echoes is passed on",
                );
            }
        }
        let other = self.others(outcome.step, &text, path_mark)?;
        fault(exe(12), format!("it got the answer to call {other}"))
    }
}

fn is_should(row: RequirementId) -> bool {
    [exe(14), exe(20), cred(7)].contains(&row)
}

pub(super) fn known(method: &str) -> Option<(&'static str, Option<bool>)> {
    let mut methods = METHODS.iter().copied();
    methods.find(|(name, _)| name.eq_ignore_ascii_case(method))
}

fn told(heard: &Heard) -> String {
    let sent: Vec<String> = heard.requests.iter().map(ToString::to_string).collect();
    match sent.as_slice() {
        [] => "an unfinished request".to_owned(),
        sent => sent.join(", then "),
    }
}
