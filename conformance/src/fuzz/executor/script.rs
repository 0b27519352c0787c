//! What an input stands for: how an executor is built, the calls that it has to make, and what its
//! policy and its backend do about them.

use std::fmt;

use serde_json::Value;

use crate::profile::AuthScheme;

/// The halves of the credential: each must stay unseen, too.
pub(super) const FRONT: &str = "pf7Kq2mXw9Zr";
pub(super) const BACK: &str = "Tn4Bv8sLd6Hj";

/// The user of `Basic`, or the client's id.
pub(super) const USER: &str = "u5GcYe1RxVkM";

/// What the token endpoint gives out.
pub(super) const TOKEN: &str = "tk3Wz9QpFs7NbDa2";

/// User and password of a base URL that has them.
pub(super) const INFO_USER: &str = "iu8Rf4LmTq6C";
pub(super) const INFO_PASSWORD: &str = "ip2Hs9XnKd5V";

/// At most so many calls are made of one executor.
pub(super) const MOST_CALLS: usize = 3;

/// Stands in the path of the call of this number, and nowhere else.
pub(super) fn path_mark(number: usize) -> String {
    format!("pm{number}xK7wQ2zR")
}

/// Stands in a field of the call of this number, and nowhere else.
pub(super) fn field_mark(number: usize) -> String {
    format!("fm{number}vB5tY9cN")
}

/// Where the credential is spoilt, if it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    First,
    Middle,
    Last,
}

/// A credential, and what no header can hold in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spoilt {
    pub(super) bytes: &'static str,
    pub(super) place: Place,
}

/// What the token endpoint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenAct {
    Sound,
    Redirects(u16),
    RepeatsTheSecret,
}

/// What the policy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Allows,
    Refuses,
    NeverAnswers,
}

/// Where a redirect leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onward {
    Itself,
    Tripwire,
}

/// What the backend does about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Sound,
    Status(u16),
    Redirects(u16, Onward),
    NoJson,
    NoText,
    Cut,
    Resets,
    Closes,
    Nonsense,
    EchoesTheCredential,
    Silent,
    Drips,
    FailsOnce(u16),
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) number: usize,
    pub(super) method: String,
    pub(super) target: String,
    pub(super) body: Option<Value>,
    pub(super) verdict: Verdict,
    pub(super) act: Act,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, target) = (self.method.escape_debug(), self.target.escape_debug());
        write!(f, "{method} {target}")?;
        if let Some(body) = &self.body {
            write!(f, " {}", body.to_string().escape_debug())?;
        }
        write!(f, " (policy: {:?}, backend: {:?})", self.verdict, self.act)
    }
}

/// A whole input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Script {
    pub(super) scheme: Option<AuthScheme>,
    pub(super) spoilt: Option<Spoilt>,
    /// What follows the origin in the base URL, and what every target then begins with.
    pub(super) suffix: &'static str,
    pub(super) has_user_info: bool,
    pub(super) token: TokenAct,
    /// Whether the calls are made at once, and not one after another.
    pub(super) at_once: bool,
    pub(super) steps: Vec<Step>,
}

impl Script {
    /// What the executor is given.
    pub(super) fn credential(&self) -> String {
        match self.spoilt {
            _ if self.scheme.is_none() => String::new(),
            None => format!("{FRONT}{BACK}"),
            Some(Spoilt { bytes, place }) => match place {
                Place::First => format!("{bytes}{FRONT}{BACK}"),
                Place::Middle => format!("{FRONT}{bytes}{BACK}"),
                Place::Last => format!("{FRONT}{BACK}{bytes}"),
            },
        }
    }

    /// What every target begins with.
    pub(super) fn prefix(&self) -> &'static str {
        self.suffix.trim_end_matches('/')
    }

    /// The name of the pair that holds the credential.
    pub(super) fn key_pair(&self) -> Option<&str> {
        match &self.scheme {
            Some(AuthScheme::QueryKey(name)) => Some(name),
            _ => None,
        }
    }
}

/// How the executor is built.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = if self.has_user_info {
            "USER:PASSWORD@"
        } else {
            ""
        };
        write!(f, "built on http://{info}BACKEND{}", self.suffix)?;
        match &self.scheme {
            Some(scheme) => write!(f, " with {scheme}")?,
            None => f.write_str(" without a credential")?,
        }
        if let Some(Spoilt { bytes, place }) = self.spoilt {
            let place = format!("{place:?}").to_lowercase();
            write!(f, " that has `{}` {place}", bytes.escape_debug())?;
        }
        if self.token != TokenAct::Sound {
            write!(f, "; token endpoint: {:?}", self.token)?;
        }
        if self.at_once {
            f.write_str("; all at once")?;
        }
        Ok(())
    }
}
