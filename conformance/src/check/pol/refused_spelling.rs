//! POL-18: a refused endpoint stays refused however it is written.

use super::headline::line;
use super::spelling::{Parts, encoded, endpoint_key};
use crate::outcome::Counterexample;
use crate::trial::{Finding, Judged, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let admitted = trial.admitted()?;
    let mut cases = 0;
    let mut controls = 0;
    for refused in trial.refused_samples() {
        if trial.fresh()?.ask(&refused)?.allows() {
            continue;
        }
        controls += 1;
        let climbing = climbing_out(&admitted.path, &refused.path);
        for written in spellings(&refused.path).into_iter().chain(climbing) {
            if declared_with_query(trial, &written) {
                continue;
            }
            cases += 1;
            let request = refused.clone().with_path(&written);
            let answer = trial.fresh()?.ask(&request)?;
            if answer.allows() {
                return Ok(Finding::broken(
                    Counterexample::new(line(
                        "the refused ",
                        &refused.path,
                        " passes as ",
                        &written,
                        "",
                    ))
                    .step(&request, &answer)
                    .expected(format!(
                        "refused: it is another spelling of {}",
                        refused.path
                    ))
                    .seen("allowed")
                    .twin(format!("`{refused}` was refused, `{admitted}` was allowed")),
                ));
            }
        }
    }
    if controls == 0 {
        return Ok(Finding::Undecided(
            "no declared refused endpoint is refused as it is written, which POL-11 is about"
                .to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

/// Whether the profile allows the endpoint with a query: what it refuses is another one, or none.
fn declared_with_query(trial: &Trial<'_>, written: &str) -> bool {
    let Some(key) = endpoint_key(written).filter(|_| written.contains('?')) else {
        return false;
    };
    let mut allow = trial.profile().allow.iter();
    allow.any(|sample| endpoint_key(&sample.request().path).as_ref() == Some(&key))
}

/// Spellings with the same key, simplest first. They only ever add disguise: what is refused in
/// disguise may well be allowed without.
fn spellings(url: &str) -> Vec<String> {
    let (Some(parts), Some(key)) = (Parts::of(url), endpoint_key(url)) else {
        return Vec::new();
    };
    let mut written = Vec::new();
    for path in paths(&parts.path) {
        written.push(parts.with_path(&path));
    }
    written.push(parts.with_authority(&format!(
        "{}{}",
        parts.host.to_ascii_uppercase(),
        parts.port
    )));
    written.push(parts.with_authority(&format!("{}{}", capitalised(&parts.host), parts.port)));
    if parts.port.is_empty() {
        let port = if parts.scheme == "https" { 443 } else { 80 };
        written.push(parts.with_authority(&format!("{}:{port}", parts.host)));
    }
    let backslashed = parts.path.replace('/', "\\");
    written.push(parts.with_path(&backslashed));
    written.push(url.replacen("://", ":\\\\", 1));
    written.extend(unseen(&parts));
    written.retain(|text| text != url && endpoint_key(text).as_ref() == Some(&key));
    written
}

/// Spellings with more in them than an endpoint is made of, which a parser takes off or away: names in
/// front of the host, a fragment, another query, and the controls that it removes.
fn unseen(parts: &Parts) -> Vec<String> {
    let mut written = vec![
        parts.with_authority(&format!("user@{}", parts.authority())),
        parts.with_authority(&format!("user:word@{}", parts.authority())),
        format!("{}#x", parts.with_path(&parts.path)),
    ];
    if let Some((parent, last)) = parts.path.rsplit_once('/') {
        for control in ["\t", "\n", "\r"] {
            written.push(parts.with_path(&format!("{parent}/{control}{last}")));
            written.push(parts.with_path(&format!("{parent}/{last}{control}")));
        }
    }
    if parts.query.is_empty() {
        written.push(parts.with_path(&format!("{}?", parts.path)));
        written.push(parts.with_path(&format!("{}?x=1", parts.path)));
    }
    written
}

/// The refused endpoint reached by dot segments that lead out of an admitted path: what looks at the
/// beginning of a path, or for a part of it, takes this for the admitted one.
fn climbing_out(admitted: &str, refused: &str) -> Vec<String> {
    let (Some(from), Some(to), Some(key)) = (
        Parts::of(admitted),
        Parts::of(refused),
        endpoint_key(refused),
    ) else {
        return Vec::new();
    };
    let start = from.path.trim_end_matches('/');
    let depth = start.matches('/').count();
    let climb = |up: &str| format!("{start}{}{}", format!("/{up}").repeat(depth), to.path);
    let mut written: Vec<String> = ["..", "%2e%2e", ".%2E"]
        .iter()
        .map(|up| to.with_path(&climb(up)))
        .collect();
    written.retain(|text| text != refused && endpoint_key(text).as_ref() == Some(&key));
    written
}

fn paths(path: &str) -> Vec<String> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let mut paths = Vec::new();
    for upper in [false, true] {
        for index in 0..segments.len() {
            for chosen in [first as fn(usize) -> bool, every] {
                let mut changed: Vec<String> = segments.iter().map(|s| (*s).to_owned()).collect();
                changed[index] = encoded(segments[index], upper, chosen);
                paths.push(format!("/{}", changed.join("/")));
            }
        }
        let whole: Vec<String> = segments.iter().map(|s| encoded(s, upper, every)).collect();
        paths.push(format!("/{}", whole.join("/")));
    }
    for dots in [
        "/.",
        "/%2e",
        "/x/..",
        "/x/%2e%2e",
        "/x/.%2E",
        "/x/y/../..",
        "/./x/../.",
    ] {
        paths.push(format!("{dots}{path}"));
    }
    if let Some((parent, last)) = path.rsplit_once('/') {
        paths.push(format!("{parent}/./{last}"));
        paths.push(format!("{parent}/x/../{last}"));
        paths.push(format!("{parent}/{last}/../{last}"));
        paths.push(format!("{parent}/x\\..\\{last}"));
        paths.push(format!("{parent}\\{last}"));
        paths.push(format!("{parent}/x/%2E%2e/{}", encoded(last, false, first)));
    }
    paths
}

fn first(index: usize) -> bool {
    index == 0
}

fn every(_: usize) -> bool {
    true
}

fn capitalised(host: &str) -> String {
    let (first, rest) = host.split_at(usize::from(host.is_char_boundary(1)));
    format!("{}{rest}", first.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_disguise_is_among_the_spellings() {
        let written = spellings("https://api.example.test/v1/admin");
        for expected in [
            "https://api.example.test/v1/%61dmin",
            "https://api.example.test/x/../v1/admin",
            "https://API.EXAMPLE.TEST/v1/admin",
            "https://api.example.test:443/v1/admin",
            "https://api.example.test\\v1\\admin",
        ] {
            assert!(written.iter().any(|text| text == expected), "{expected}");
        }
    }

    #[test]
    fn an_admitted_path_is_climbed_out_of() {
        let written = climbing_out(
            "https://api.example.test/v1/items?q=1",
            "https://api.example.test/admin?x=1",
        );
        assert_eq!(
            written[0],
            "https://api.example.test/v1/items/../../admin?x=1"
        );
        assert_eq!(written.len(), 3);
    }

    #[test]
    fn an_admitted_root_leaves_nothing_to_climb_out_of() {
        assert!(climbing_out("https://a.test/", "https://a.test/admin").is_empty());
    }
}
