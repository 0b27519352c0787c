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
    DecodesOnce,
    KeepsEmptySegments,
}

pub(super) fn specimens() -> Vec<Specimen> {
    vec![
        Specimen::new(
            pol(18),
            "compares the text of the URL",
            subject("compares_refused_text", Fault::ComparesText),
        )
        .also(
            pol(19),
            "with a doubled slash, too, the text is another than the refused one",
        ),
        Specimen::new(
            pol(18),
            "does not decode percent-encoded letters",
            subject("keeps_escapes", Fault::KeepsEscapes),
        )
        .also(
            pol(19),
            "what is not decoded once is not decoded twice either",
        ),
        Specimen::new(
            pol(18),
            "compares the authority as it is written",
            subject("compares_host_as_written", Fault::ComparesHostAsWritten),
        ),
        Specimen::new(
            pol(19),
            "decodes percent-encoded letters once",
            subject("decodes_once", Fault::DecodesOnce),
        ),
        Specimen::new(
            pol(19),
            "counts an empty segment as one",
            subject("keeps_empty_segments", Fault::KeepsEmptySegments),
        ),
    ]
}

fn subject(name: &str, fault: Fault) -> PolicySubject {
    let profile = PolicyProfile::new()
        .stateless()
        .allow(["https://api.example.test/v1/items/7"])
        .refuse(["https://api.example.test/admin"]);
    PolicySubject::new(name, profile, move || Bouncer { fault })
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
        let path = match self.fault {
            Fault::KeepsEscapes => url.path().to_owned(),
            Fault::DecodesOnce => decoded(url.path()),
            _ => decoded(&decoded(url.path())),
        };
        let path = path.replace('\\', "/");
        if self.fault == Fault::KeepsEmptySegments && path.starts_with("//") {
            return false;
        }
        let path = resolved(&path);
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
