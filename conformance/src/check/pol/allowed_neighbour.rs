//! POL-12: what only looks like an allowed endpoint is refused.

use url::Url;

use super::headline::line;
use super::spelling::{Parts, difference};
use crate::outcome::Counterexample;
use crate::profile::DeclaredEndpoint;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let mut cases = 0;
    for endpoint in trial.profile().declared_endpoints() {
        let allowed = admitted_instance(trial, endpoint)?;
        let overfilled = endpoint.overfilled();
        for written in neighbours(&allowed.path).into_iter().chain(overfilled) {
            let Some(reached) = outside(trial, &written) else {
                continue;
            };
            cases += 1;
            let request = allowed.clone().with_path(&written);
            let answer = trial.fresh()?.ask(&request)?;
            if answer.allows() {
                return Ok(Finding::broken(passed(&allowed, &request, &reached)));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// A request to `endpoint` that a fresh subject admits: an allowed sample if one lies there.
pub(super) fn admitted_instance(
    trial: &Trial<'_>,
    endpoint: &DeclaredEndpoint,
) -> Result<RequestCase, Stop> {
    let belongs =
        |request: &RequestCase| Url::parse(&request.path).is_ok_and(|url| endpoint.contains(&url));
    for request in trial.candidates().into_iter().filter(belongs) {
        if trial.fresh()?.ask(&request)?.allows() {
            return Ok(request);
        }
    }
    Err(Stop::Undecided(format!(
        "the control failed: no request to the declared endpoint `{endpoint}` was allowed, so that its neighbours are refused proves nothing"
    )))
}

/// Where a text leads, if that lies outside everything declared.
pub(super) fn outside(trial: &Trial<'_>, written: &str) -> Option<Url> {
    let url = Url::parse(written).ok()?;
    let mut declared = trial.profile().declared_endpoints();
    let inside = declared.any(|endpoint| endpoint.contains(&url));
    let sample = trial
        .profile()
        .allow
        .iter()
        .any(|sample| sample.request().path == written);
    (!inside && !sample).then_some(url)
}

fn passed(allowed: &RequestCase, request: &RequestCase, reached: &Url) -> Counterexample {
    let part = Url::parse(&allowed.path).map_or("path", |url| difference(&url, reached));
    let differs = format!(" ({part} differs)");
    let headline = line("", &allowed.path, " lets in ", reached.as_str(), &differs);
    Counterexample::new(headline)
        .step(request, "allowed")
        .expected(format!(
            "refused: {reached} lies outside the declared endpoints"
        ))
        .seen(format!(
            "allowed, and a WHATWG parser sends it to {reached}"
        ))
        .twin(format!("`{allowed}` was allowed, as declared"))
}

/// Texts that look like `allowed` to a careless reader, simplest first.
fn neighbours(allowed: &str) -> Vec<String> {
    let Some(mut parts) = Parts::of(allowed) else {
        return Vec::new();
    };
    parts.query.clear();
    let mut texts = hosts(&parts);
    texts.extend(paths(&parts).iter().map(|path| parts.with_path(path)));
    texts.extend(embedded(&parts, allowed));
    texts
}

fn hosts(parts: &Parts) -> Vec<String> {
    let Parts { host, path, .. } = parts;
    let authority = parts.authority();
    let other_scheme = if parts.scheme == "https" {
        "http"
    } else {
        "https"
    };
    let mut texts = vec![
        parts.with_authority(&format!("{host}.evil.test")),
        parts.with_authority(&format!("evil-{host}")),
        parts.with_authority(&format!("evil{host}")),
        parts.with_authority(&format!("sub.{host}")),
        parts.with_authority("evil.test"),
        parts.with_authority(&format!("{authority}@evil.test")),
        parts.with_authority(&format!("{host}:443@evil.test")),
        parts.with_authority(&format!("{host}%2f@evil.test")),
        parts.with_authority(&format!("{host}:8443")),
        parts.with_authority(&format!("{host}:8")),
        parts.with_authority(&format!("{host}:4433")),
        format!("{other_scheme}://{authority}{path}"),
        // The slash ends the authority for one parser, the backslash for another.
        parts.with_authority(&format!("evil.test\\@{authority}")),
        parts.with_authority(&format!("evil.test\\.{authority}")),
        parts.with_authority(&format!("evil.test#@{authority}")),
        parts.with_authority(&format!("evil.test?@{authority}")),
        parts.with_authority(&format!("{host}\t.evil.test")),
        parts.with_authority(&format!("{host}\n.evil.test")),
        parts.with_authority(&format!("{host}\u{ff0e}evil.test")),
    ];
    // An unescaped dot in a regular expression matches any character.
    texts.extend(host.match_indices('.').map(|(at, _)| {
        parts.with_authority(&format!(
            "{}x{}{}",
            &host[..at],
            &host[at + 1..],
            parts.port
        ))
    }));
    texts.extend(
        look_alikes(host).map(|host| parts.with_authority(&format!("{host}{}", parts.port))),
    );
    texts
}

/// The host with one letter replaced by one that looks like it.
fn look_alikes(host: &str) -> impl Iterator<Item = String> {
    [
        ("a", "\u{430}"),
        ("e", "\u{435}"),
        ("o", "\u{43e}"),
        ("l", "1"),
        ("i", "l"),
        ("o", "0"),
    ]
    .into_iter()
    .filter(|(letter, _)| host.contains(letter))
    .map(|(letter, other)| host.replacen(letter, other, 1))
}

/// What may stand behind an allowed path. A tab and a newline end a line, and a pattern, for some;
/// a parser removes them.
const TAILS: &[&str] = &[
    "x",
    "0",
    "-admin",
    ".bak",
    "/extra",
    "%2Fextra",
    "%5Cextra",
    "\n/extra",
    "\r\n/extra",
    "\t/extra",
    "\nx",
];

/// The path with its first letter in upper case.
fn capitalised(path: &str) -> String {
    let first = path.find(|letter: char| letter.is_ascii_lowercase());
    let (before, rest) = path.split_at(first.unwrap_or(path.len()));
    let (letter, rest) = rest.split_at(usize::from(!rest.is_empty()));
    format!("{before}{}{rest}", letter.to_ascii_uppercase())
}

fn paths(parts: &Parts) -> Vec<String> {
    let path = parts.path.trim_end_matches('/');
    let mut paths = Vec::new();
    if !path.is_empty() {
        for tail in TAILS {
            paths.push(format!("{path}{tail}"));
        }
        paths.push(path.to_ascii_uppercase());
        paths.push(capitalised(path));
    }
    for up in ["..", "%2e%2e", "%2E%2e", ".%2e", "%2e.", ".\t.", ".\n."] {
        let climb = format!("/{up}").repeat(path.matches('/').count());
        paths.push(format!("{path}/{up}/admin"));
        paths.push(format!("{path}/x{climb}{climb}/admin"));
        paths.push(format!("{path}{climb}/admin"));
    }
    paths.push(format!("{path}\\..\\..\\admin"));
    paths.push(format!("{path}/..\\..\\..\\..\\admin"));
    paths.push(format!("{path}/..%2fadmin"));
    paths.push(format!("{path}%2f..%2fadmin"));
    paths.push(format!("{path}%5c..%5cadmin"));
    // A segment that merely looks like a parameter once it is decoded is none.
    for (at, segment) in escaped_braces(path) {
        let rest = &path[at + segment.len()..];
        paths.push(format!("{}42{rest}", &path[..at]));
    }
    // One slash at a time becomes an encoded one: the segments are no longer the same.
    for (at, _) in path.match_indices('/').skip(1) {
        for slash in ["%2F", "%2f", "%5C"] {
            paths.push(format!("{}{slash}{}", &path[..at], &path[at + 1..]));
        }
    }
    // A segment that only begins or ends like the allowed one.
    for (at, _) in path.match_indices('/').skip(1) {
        paths.push(format!("{}x{}", &path[..at], &path[at..]));
    }
    if let Some((parent, last)) = path.rsplit_once('/') {
        paths.push(format!("{parent}/x{last}"));
        if !parent.is_empty() {
            paths.push(parent.to_owned());
        }
    }
    paths.push(format!("/x{path}"));
    paths.push("/admin".to_owned());
    paths
}

/// The segments between escaped braces, with their places.
fn escaped_braces(path: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    path.split('/').filter_map(move |segment| {
        let at = next;
        next += segment.len() + 1;
        let plain = segment.to_ascii_uppercase();
        (plain.starts_with("%7B") && plain.ends_with("%7D")).then_some((at, segment))
    })
}

/// The allowed URL, or its path, inside another one.
fn embedded(parts: &Parts, allowed: &str) -> Vec<String> {
    let authority = parts.authority();
    let scheme = &parts.scheme;
    vec![
        format!("{scheme}://evil.test/{allowed}"),
        format!("{scheme}://evil.test/\n{allowed}"),
        format!("{scheme}://evil.test/\t{allowed}"),
        format!("{scheme}://evil.test/#\n{allowed}"),
        format!("{scheme}://evil.test/?next={allowed}"),
        format!("{scheme}://evil.test/{authority}{}", parts.path),
        format!("{scheme}://{authority}/admin?next={}", parts.path),
        format!("{scheme}://{authority}/admin#{}", parts.path),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_neighbours_of_an_endpoint_cover_every_kind() {
        let written = neighbours("https://api.example.test/v1/items/7");
        let literal = neighbours("https://api.example.test/v1/%7Bid%7D/x");
        assert!(literal.contains(&"https://api.example.test/v1/42/x".to_owned()));
        for expected in [
            "https://api.example.test.evil.test/v1/items/7",
            "https://api.example.test@evil.test/v1/items/7",
            "https://api.example.test:8443/v1/items/7",
            "http://api.example.test/v1/items/7",
            "https://api.example.test/v1/items/7x",
            "https://api.example.test/v1/items/7/../admin",
            "https://api.example.test/v1/items/7/%2e%2e/admin",
            "https://api.example.test/v1/items%2F7",
            "https://apixexample.test/v1/items/7",
            "https://api.example.test/x/v1/items/7",
        ] {
            assert!(written.iter().any(|text| text == expected), "{expected}");
        }
    }
}
