//! A stateless policy that refuses a few endpoints and allows all others; and that policy with one
//! fault at a time.

use proofmark::async_trait;
use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;
use proofmark_conformance::profile::PolicyProfile;
use proofmark_conformance::subject::PolicySubject;
use url::Url;

use super::pol;
use crate::Specimen;

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    ComparesText,
    KeepsEscapes,
    ComparesHostAsWritten,
}

pub(super) fn specimens() -> Vec<Specimen> {
    let faults = [
        (
            Fault::ComparesText,
            "compares_refused_text",
            "compares the text of the URL",
        ),
        (
            Fault::KeepsEscapes,
            "keeps_escapes",
            "does not decode percent-encoded letters",
        ),
        (
            Fault::ComparesHostAsWritten,
            "compares_host_as_written",
            "compares the authority as it is written",
        ),
    ];
    faults
        .map(|(fault, name, text)| {
            let profile = PolicyProfile::new()
                .stateless()
                .allow(["https://api.example.test/v1/items/7"])
                .refuse(["https://api.example.test/admin"]);
            Specimen::new(
                pol(18),
                text,
                PolicySubject::new(name, profile, move || Bouncer { fault }),
            )
        })
        .into()
}

struct Bouncer {
    fault: Fault,
}

#[async_trait]
impl RequestPolicy for Bouncer {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        if self.leads_to_admin(request.path) {
            Err(PolicyRefusal::new("the endpoint is refused"))
        } else {
            Ok(())
        }
    }
}

impl Bouncer {
    fn leads_to_admin(&self, written: &str) -> bool {
        if self.fault == Fault::ComparesText {
            return written.starts_with("https://api.example.test/admin");
        }
        let authority = written
            .get(8..)
            .and_then(|rest| rest.split(['/', '\\', '?']).next());
        if self.fault == Fault::ComparesHostAsWritten && authority != Some("api.example.test") {
            return false;
        }
        let Ok(url) = Url::parse(written) else {
            return true;
        };
        // Twice decoded, without parameters and empty segments: any reader's idea of the path.
        let mut path = url.path().to_owned();
        if self.fault != Fault::KeepsEscapes {
            path = decoded(&decoded(&path));
        }
        let path = resolved(&path.replace('\\', "/"));
        url.host_str() == Some("api.example.test") && path.first().is_some_and(|s| s == "admin")
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let escape = escape.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (byte, escape) {
            (b'%', Some(decoded)) => {
                bytes.push(decoded);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn resolved(path: &str) -> Vec<String> {
    let mut segments: Vec<String> = Vec::new();
    for segment in path.split('/') {
        match segment.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name.to_owned()),
        }
    }
    segments
}
