//! What every check of an executor begins with: a recording backend, credentials that are canaries,
//! and what the executor is built with.

use std::cell::RefCell;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::test_runner::TestRng;
use serde_json::json;

use crate::check::pol::canary;
use crate::profile::AuthScheme;
use crate::recorder::{Recorded, Recorder, Reply, Respond, Tally, token};
use crate::scan::{Scanner, Secret};
use crate::subject::{ExecutorEnv, ExecutorSubject};
use crate::trial::{Call, Driven, Ending, Shown, Stop, Trial};

/// A backend with an executor before it.
pub(in crate::check) struct Stage {
    pub(in crate::check) backend: Recorder,
    /// The token endpoint, where the executor has one.
    pub(in crate::check) tokens: Option<Recorder>,
    pub(in crate::check) scheme: Option<AuthScheme>,
    /// The user of `Basic`, or the client's id.
    pub(in crate::check) user: String,
    /// What the executor is given.
    pub(in crate::check) credential: String,
    /// What the token endpoint gives out.
    token: String,
    rng: RefCell<TestRng>,
}

/// What one call came to.
pub(in crate::check) struct Observed {
    pub(in crate::check) ending: Ending,
    /// The requests that the backend recorded meanwhile.
    pub(in crate::check) requests: Vec<Recorded>,
    /// Whether the backend heard not a byte meanwhile.
    pub(in crate::check) silent: bool,
}

impl Observed {
    /// Ending and requests in one line.
    pub(in crate::check) fn told(&self) -> String {
        let sent: Vec<String> = self.requests.iter().map(ToString::to_string).collect();
        match sent.as_slice() {
            [] if self.silent => format!("nothing was sent, and it ended in {}", self.ending),
            [] => format!(
                "an unfinished request was sent, and it ended in {}",
                self.ending
            ),
            sent => format!(
                "sent: {}; it ended in {}",
                sent.join(", then "),
                self.ending
            ),
        }
    }
}

/// A backend's ordinary answer.
pub(in crate::check) fn sound() -> Reply {
    Reply::json(200, &json!({"ok": true}))
}

/// What went wrong with a listener of our own.
pub(in crate::check) fn no_listener(cause: &std::io::Error) -> Stop {
    Stop::Harness(format!("no backend can be started: {cause}"))
}

impl Stage {
    /// A stage for the first declared scheme.
    pub(in crate::check) fn new(trial: &Trial<'_, ExecutorSubject>) -> Result<Self, Stop> {
        Self::of(trial, trial.profile().schemes.first().cloned())
    }

    /// A stage for one scheme.
    pub(in crate::check) fn of(
        trial: &Trial<'_, ExecutorSubject>,
        scheme: Option<AuthScheme>,
    ) -> Result<Self, Stop> {
        Self::with(trial.rng(), scheme)
    }

    /// A stage whose canaries come from this generator.
    pub(in crate::check) fn with(
        mut rng: TestRng,
        scheme: Option<AuthScheme>,
    ) -> Result<Self, Stop> {
        let [user, credential, fetched] = [(); 3].map(|()| canary(&mut rng));
        let tokens = match scheme {
            Some(AuthScheme::TokenEndpoint) => {
                Some(Recorder::start(token(&fetched)).map_err(|cause| no_listener(&cause))?)
            }
            _ => None,
        };
        Ok(Self {
            backend: listen(sound())?,
            tokens,
            credential: if scheme.is_some() {
                credential
            } else {
                String::new()
            },
            scheme,
            user,
            token: fetched,
            rng: RefCell::new(rng),
        })
    }

    /// One more canary, unlike all others of this stage.
    pub(in crate::check) fn canary(&self) -> String {
        canary(&mut self.rng.borrow_mut())
    }

    /// An ordinary environment before this backend.
    pub(in crate::check) fn env(&self) -> ExecutorEnv {
        let env = ExecutorEnv::new(self.backend.base_url()).with_credential(
            self.scheme.clone(),
            self.user.clone(),
            self.credential.clone(),
        );
        match &self.tokens {
            Some(tokens) => env.with_token_url(format!("{}/token", tokens.base_url())),
            None => env,
        }
    }

    /// What travels to the backend: the credential, or the token that was fetched with it.
    pub(in crate::check) fn on_wire(&self) -> &str {
        match self.scheme {
            Some(AuthScheme::TokenEndpoint) => &self.token,
            _ => &self.credential,
        }
    }

    /// How often the request carries the credential, whole and where its scheme puts it.
    pub(in crate::check) fn times_carried(&self, request: &Recorded) -> usize {
        self.times_carries(request, self.on_wire())
    }

    /// How often the request carries this credential, whole and where the scheme puts it.
    pub(in crate::check) fn times_carries(&self, request: &Recorded, credential: &str) -> usize {
        let user = &self.user;
        let wanted = credential;
        let credential = credential.as_bytes();
        match &self.scheme {
            None => 0,
            Some(AuthScheme::HeaderKey(name)) => request
                .values_of(name)
                .filter(|value| *value == credential)
                .count(),
            Some(AuthScheme::QueryKey(name)) => {
                let own =
                    |(key, value): &(String, String)| key == name && value.as_bytes() == credential;
                request.pairs().iter().filter(|pair| own(pair)).count()
            }
            Some(AuthScheme::Basic) => {
                let wanted = STANDARD.encode(format!("{user}:{wanted}"));
                ending_in(request, wanted.as_bytes())
            }
            Some(_) => ending_in(request, credential),
        }
    }

    /// The pairs of the request's query without the one that authentication adds.
    pub(in crate::check) fn pairs(&self, request: &Recorded) -> Vec<(String, String)> {
        let mut pairs = request.pairs();
        if let Some(AuthScheme::QueryKey(name)) = &self.scheme {
            let own = pairs
                .iter()
                .rposition(|(key, value)| key == name && *value == self.credential);
            if let Some(own) = own {
                pairs.remove(own);
            }
        }
        pairs
    }

    /// The target without the pair that authentication adds.
    pub(in crate::check) fn target(&self, request: &Recorded) -> Vec<u8> {
        let target = request.target();
        let Some(AuthScheme::QueryKey(name)) = &self.scheme else {
            return target.to_vec();
        };
        let own = url::form_urlencoded::Serializer::new(String::new())
            .append_pair(name, &self.credential)
            .finish();
        ["&", "?"]
            .iter()
            .find_map(|mark| target.strip_suffix(format!("{mark}{own}").as_bytes()))
            .unwrap_or(target)
            .to_vec()
    }

    /// Makes a call, and looks at what the backend heard meanwhile.
    pub(in crate::check) fn observe(
        &self,
        executor: &Driven<'_>,
        call: &Call,
    ) -> Result<Observed, Stop> {
        // What came of earlier calls was waited for when they were observed.
        let mark = Mark(self.backend.tally());
        let ending = executor.call(call)?;
        Ok(mark.observed(&self.backend, ending))
    }

    /// The control of most checks: a plain `GET`, or whatever method is declared, arrives as it is.
    pub(in crate::check) fn control(&self, executor: &Driven<'_>) -> Result<Recorded, Stop> {
        let call = Call::new("GET", "/items/7")?;
        let observed = self.observe(executor, &call)?;
        let arrived = |request: &&Recorded| self.target(request) == b"/items/7";
        match (&observed.ending, observed.requests.iter().find(arrived)) {
            (Ending::Value(_), Some(request)) => Ok(request.clone()),
            _ => Err(Stop::Undecided(format!(
                "the control failed: `{call}` does not arrive and come back with a value: {}",
                observed.told()
            ))),
        }
    }

    /// Looks for all that is secret here.
    pub(in crate::check) fn scanner(&self) -> Result<Scanner, Stop> {
        let credential = Secret::new("the credential", self.credential.as_str());
        let token = Secret::new("the fetched token", self.token.as_str());
        let user = Secret::new("the user", self.user.as_str());
        match self.scheme {
            Some(AuthScheme::TokenEndpoint) => scanner([credential, token]),
            Some(AuthScheme::Basic) => {
                let both = format!("{}:{}", self.user, self.credential);
                scanner([credential, user, Secret::new("user and password", both)])
            }
            _ => scanner([credential]),
        }
    }
}

fn ending_in(request: &Recorded, wanted: &[u8]) -> usize {
    let ends = |value: &&[u8]| {
        value
            .strip_suffix(wanted)
            .is_some_and(|before| before.last().is_none_or(|&byte| byte == b' '))
    };
    request.headers().filter(|(_, value)| ends(value)).count()
}

/// How much a backend had heard before a call.
pub(in crate::check) struct Mark(Tally);

impl Mark {
    /// Takes into account what is still on its way.
    pub(in crate::check) fn of(backend: &Recorder) -> Self {
        Self(backend.settled_tally())
    }

    pub(in crate::check) fn observed(&self, backend: &Recorder, ending: Ending) -> Observed {
        let (silent, requests) = backend.since(self.0);
        Observed {
            ending,
            requests,
            silent,
        }
    }
}

/// A listener of our own.
pub(in crate::check) fn listen(responder: impl Respond) -> Result<Recorder, Stop> {
    Recorder::start(responder).map_err(|cause| no_listener(&cause))
}

/// A scanner for these canaries.
pub(in crate::check) fn scanner(
    secrets: impl IntoIterator<Item = Secret>,
) -> Result<Scanner, Stop> {
    let built = Scanner::builder().secrets(secrets).build();
    built.map_err(|cause| Stop::Harness(format!("no scanner can be built: {cause}")))
}

/// What an error shows of what the scanner looks for, and where.
pub(in crate::check) fn leak(scanner: &Scanner, shown: &Shown) -> Option<String> {
    shown.texts.iter().find_map(|(place, text)| {
        let scan = scanner.scan(text.as_bytes());
        let found = scan.findings.first()?;
        let (secret, encoding) = (&found.secret, &found.encoding);
        Some(format!("{place} holds {secret} ({encoding})"))
    })
}

/// The methods that executors commonly send.
pub(in crate::check) const KNOWN: [&str; 7] =
    ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Whether the fields of this method travel as pairs, whatever an API makes of it.
pub(in crate::check) fn has_pairs(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

/// The methods that are looked at: GET and POST, unless the profile leaves them out, and the other
/// known ones that arrive.
pub(in crate::check) fn sent_methods(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    executor: &Driven<'_>,
) -> Result<Vec<&'static str>, Stop> {
    let mut sent = Vec::new();
    for method in KNOWN.into_iter().filter(|method| supports(trial, method)) {
        let usual = matches!(method, "GET" | "POST");
        if usual || arrives(stage, executor, method)? {
            sent.push(method);
        }
    }
    Ok(sent)
}

/// Those of the methods that are looked at whose fields become pairs: that they become anything else
/// is one row's affair, and not that of each row about pairs.
pub(in crate::check) fn pairing_methods(
    trial: &Trial<'_, ExecutorSubject>,
    stage: &Stage,
    executor: &Driven<'_>,
) -> Result<Vec<&'static str>, Stop> {
    let mut pairing = sent_methods(trial, stage, executor)?;
    pairing.retain(|method| has_pairs(method));
    let mut kept = Vec::new();
    for method in pairing {
        let call = Call::new(method, "/items")?.with_body(json!({"name": "x"}));
        let observed = stage.observe(executor, &call)?;
        let as_body = |request: &Recorded| !request.body().is_empty();
        if method == "GET" || !observed.requests.iter().any(as_body) {
            kept.push(method);
        }
    }
    Ok(kept)
}

fn arrives(stage: &Stage, executor: &Driven<'_>, method: &str) -> Result<bool, Stop> {
    let observed = stage.observe(executor, &Call::new(method, "/items/7")?)?;
    let sent = |request: &Recorded| request.method() == method.as_bytes();
    Ok(observed.requests.iter().any(sent))
}

/// Whether the executor says that it sends this method, or says nothing about methods.
pub(in crate::check) fn supports(trial: &Trial<'_, ExecutorSubject>, method: &str) -> bool {
    let methods = &trial.profile().methods;
    methods.is_empty() || methods.iter().any(|known| known == method)
}
