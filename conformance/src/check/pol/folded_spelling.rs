//! POL-19: what only some servers fold opens no side door.

use super::allowed_neighbour::{admitted_instance, outside};
use super::headline::line;
use super::spelling::{Parts, encoded};
use crate::outcome::Counterexample;
use crate::profile::DeclaredEndpoint;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// A path, and the plain one that some servers take it for.
struct Disguise {
    plain: String,
    written: String,
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let mut cases = 0;
    for endpoint in trial.profile().declared_endpoints() {
        match beside(trial, endpoint)? {
            Finding::Held { cases: tried } => cases += tried,
            found => return Ok(found),
        }
    }
    if trial.profile().refuse.is_empty() {
        return Ok(Finding::Held { cases });
    }
    Ok(match refused(trial)? {
        Finding::Held { cases: tried } => Finding::Held {
            cases: cases + tried,
        },
        found => found,
    })
}

/// No disguise carries a request from an allowed endpoint to its neighbour.
fn beside(trial: &Trial<'_>, endpoint: &DeclaredEndpoint) -> Judged {
    let allowed = admitted_instance(trial, endpoint)?;
    let Some(mut parts) = Parts::of(&allowed.path) else {
        return Ok(Finding::held(0));
    };
    parts.query.clear();
    let mut cases = 0;
    for disguise in side_doors(&parts.path) {
        let plain = parts.with_path(&disguise.plain);
        if outside(trial, &plain).is_none() {
            continue;
        }
        let plain = allowed.clone().with_path(&plain);
        if trial.fresh()?.ask(&plain)?.allows() {
            // An undisguised neighbour that passes is for POL-12.
            continue;
        }
        cases += 1;
        let written = allowed
            .clone()
            .with_path(&parts.with_path(&disguise.written));
        if let Some(counterexample) = passes(trial, &plain, &written, &allowed)? {
            return Ok(Finding::broken(counterexample));
        }
    }
    Ok(Finding::held(cases))
}

/// No disguise makes a refused endpoint pass.
fn refused(trial: &Trial<'_>) -> Judged {
    let admitted = trial.admitted()?;
    let mut cases = 0;
    let mut controls = 0;
    for plain in trial.refused_samples() {
        if trial.fresh()?.ask(&plain)?.allows() {
            continue;
        }
        controls += 1;
        let Some(parts) = Parts::of(&plain.path) else {
            continue;
        };
        for disguise in masks(&parts.path) {
            cases += 1;
            let written = plain.clone().with_path(&parts.with_path(&disguise));
            if let Some(counterexample) = passes(trial, &plain, &written, &admitted)? {
                return Ok(Finding::broken(counterexample));
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

fn passes(
    trial: &Trial<'_>,
    plain: &RequestCase,
    written: &RequestCase,
    allowed: &RequestCase,
) -> Result<Option<Counterexample>, Stop> {
    let declared = trial.profile().allow.iter();
    let mut declared = declared.map(|sample| &sample.request().path);
    if declared.any(|path| *path == written.path) {
        return Ok(None);
    }
    let answer = trial.fresh()?.ask(written)?;
    if !answer.allows() {
        return Ok(None);
    }
    let headline = line(
        "the refused ",
        &plain.path,
        " passes as ",
        &written.path,
        "",
    );
    Ok(Some(
        Counterexample::new(headline)
            .step(written, &answer)
            .expected(format!("refused: some servers take it for {}", plain.path))
            .seen("allowed")
            .twin(format!("`{plain}` was refused, `{allowed}` was allowed")),
    ))
}

/// How a server that decodes twice, or cuts parameters, is told to go up.
const UPS: &[&str] = &["%252e%252e", "%252E%252E", ".%252e", "..;", "..;x=1"];

/// Ways out of an allowed path, and the plain path each leads to.
fn side_doors(path: &str) -> Vec<Disguise> {
    let path = path.trim_end_matches('/');
    let depth = path.matches('/').count();
    let (parent, last) = path.rsplit_once('/').unwrap_or_default();
    let (above, _) = parent.rsplit_once('/').unwrap_or_default();
    let mut doors = Vec::new();
    let mut add = |plain: &str, written: String| {
        doors.push(Disguise {
            plain: plain.to_owned(),
            written,
        });
    };
    for up in UPS {
        let climb = format!("/{up}").repeat(depth);
        add("/admin", format!("{path}{climb}/admin"));
        if depth > 0 {
            add(&format!("{parent}/"), format!("{path}/{up}"));
            add(&format!("{parent}/admin"), format!("{path}/{up}/admin"));
        }
        if depth > 1 {
            add(&format!("{above}/"), format!("{parent}/{up}"));
        }
    }
    for slash in ["%252f", "%252F", "%255c"] {
        let climb = format!("{slash}..").repeat(depth);
        add("/admin", format!("{path}{climb}{slash}admin"));
        add(&format!("{path}/extra"), format!("{path}{slash}extra"));
        if depth > 1 {
            let climb = format!("..{slash}").repeat(depth - 1);
            add("/admin", format!("{parent}/{climb}admin"));
        }
    }
    let neighbours = [
        "/admin".to_owned(),
        format!("{path}/extra"),
        format!("/x{path}"),
        format!("{parent}/x{last}"),
        parent.to_owned(),
    ];
    for plain in neighbours.iter().filter(|plain| plain.starts_with('/')) {
        for written in masks(plain) {
            add(plain, written);
        }
    }
    doors
}

/// The path as only some servers fold it back: simplest first.
fn masks(path: &str) -> Vec<String> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let with = |index: usize, other: &str| {
        let mut changed = segments.clone();
        changed[index] = other;
        format!("/{}", changed.join("/"))
    };
    let mut written = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        if segment.is_empty() {
            continue;
        }
        written.push(with(index, &format!("/{segment}")));
        written.push(with(index, &format!("{segment};")));
        written.push(with(index, &format!("{segment};x=1")));
        if !segment.contains('%') {
            written.push(with(index, &encoded_twice(segment, |at| at == 0)));
            written.push(with(index, &encoded_twice(segment, |_| true)));
        }
    }
    written.extend(UPS.iter().map(|up| format!("/x/{up}{path}")));
    written.push(format!("/x%252f..{path}"));
    written
}

fn encoded_twice(segment: &str, chosen: impl Fn(usize) -> bool) -> String {
    encoded(segment, false, chosen).replace('%', "%25")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_mask_is_made() {
        let written = masks("/v1/admin");
        for expected in [
            "//v1/admin",
            "/v1//admin",
            "/v1/admin;x=1",
            "/v1;x=1/admin",
            "/v1/%2561dmin",
            "/x/%252e%252e/v1/admin",
            "/x/..;/v1/admin",
        ] {
            assert!(written.iter().any(|text| text == expected), "{expected}");
        }
    }

    #[test]
    fn a_side_door_leads_to_its_plain_path_once_it_is_folded() {
        for door in side_doors("/v1/items/7") {
            let decoded = door.written.replace("%25", "%");
            let cut: Vec<&str> = decoded
                .split('/')
                .map(|segment| segment.split(';').next().unwrap_or_default())
                .collect();
            let slashes = cut.join("/").replace("%2f", "/").replace("%2F", "/");
            let folded = slashes.replace("%5c", "/").replace("//", "/");
            let base = url::Url::parse("https://a.test").unwrap();
            let parsed = |path: &str| {
                let path = base.join(path).unwrap().path().to_owned();
                percent_encoding::percent_decode_str(&path)
                    .decode_utf8_lossy()
                    .into_owned()
            };
            assert_eq!(parsed(&folded), parsed(&door.plain), "{}", door.written);
        }
    }
}
