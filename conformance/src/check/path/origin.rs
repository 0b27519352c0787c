//! PATH-19: no resolved target can change the origin.

use proptest::sample::select;
use url::Url;

use super::ordeal::unmet_control;
use super::outline::BASE;
use crate::check::pol::line;
use crate::outcome::Counterexample;
use crate::profile::ResolverProfile;
use crate::subject::{ResolveCase, ResolverSubject};
use crate::trial::{Finding, Judged, Stop, Trial};

/// Bases that a target is joined to: bare, with a path, and with a port and userinfo.
const BASES: [&str; 4] = [
    BASE,
    "https://api.example.test/base/",
    "https://api.example.test/base",
    "https://user:word@api.example.test:8443/base",
];

/// Beginnings that some parser takes for an origin or a part of one.
const BEGINNINGS: [&str; 24] = [
    "//evil.test",
    "///evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "\\/evil.test",
    "/\t/evil.test",
    "/\n/evil.test",
    "/\r\n/evil.test",
    "\t//evil.test",
    "\n//evil.test",
    " //evil.test",
    "http:evil.test",
    "http:/evil.test",
    "http://evil.test",
    "https://evil.test",
    "HTTPS://evil.test",
    "ht\ntps://evil.test",
    "ftp://evil.test",
    "@evil.test",
    ":8080",
    ":pass@evil.test",
    ".evil.test",
    "-evil.test",
    "javascript:",
];

/// PATH-19.
pub(super) fn check(trial: &Trial<'_, ResolverSubject>) -> Judged {
    for template in ["/v1/items/7", "/v1/items:batchGet", "/v1/a@b/x"] {
        let control = ResolveCase::new(template);
        if let Some(reason) = unmet_control(trial, &control)? {
            return Ok(Finding::Undecided(reason));
        }
        if let Some(found) = judge(trial, &control)? {
            return Ok(Finding::broken(found));
        }
    }
    let mut cases = 0;
    for beginning in BEGINNINGS {
        for case in cases_of(trial.profile(), beginning) {
            cases += 1;
            if let Some(found) = judge(trial, &case)? {
                return Ok(Finding::broken(found));
            }
        }
    }
    let pieces = [
        "/",
        "//",
        "\\",
        "\t",
        "\n",
        " ",
        "@",
        ":",
        "http:",
        "https://",
        "evil.test",
        ".",
        "%2f",
        "a",
    ];
    let strategy = proptest::collection::vec(select(pieces.to_vec()), 1..5);
    let generated = trial.for_all(trial.cases()?, &strategy, |pieces| {
        for case in cases_of(trial.profile(), &pieces.concat()) {
            if let Some(found) = judge(trial, &case)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    })?;
    Ok(match generated {
        Finding::Held { cases: more } => Finding::Held {
            cases: cases + more,
        },
        found => found,
    })
}

/// The text as the author's own, and as a value wherever a target may begin.
fn cases_of(profile: &ResolverProfile, text: &str) -> Vec<ResolveCase> {
    let mut cases = vec![ResolveCase::new(&format!("{text}/x"))];
    let values = [text, text.strip_prefix('/').unwrap_or(text)];
    for value in values {
        for template in ["{a}", "{a}/x", "/{a}", "/{a}/x"] {
            let case = ResolveCase::new(template).argument("a", value);
            if profile.allow_slash {
                cases.push(case.clone().allowing_slash("a"));
            }
            cases.push(case);
        }
        if profile.interpolates {
            for template in ["${v}", "${v}/x", "/${v}/x"] {
                cases.push(ResolveCase::new(template).variable("v", value));
            }
        }
    }
    let halves = text.char_indices().nth(1).map(|(at, _)| text.split_at(at));
    if let Some((first, second)) = halves {
        let case = ResolveCase::new("{a}{b}/x");
        cases.push(case.argument("a", first).argument("b", second));
    }
    cases
}

fn judge(
    trial: &Trial<'_, ResolverSubject>,
    case: &ResolveCase,
) -> Result<Option<Counterexample>, Stop> {
    let reply = trial.resolve(case)?;
    let Some(resolved) = reply.resolved() else {
        return Ok(None);
    };
    let target = &resolved.target;
    let Some((how, url)) = BASES.iter().find_map(|base| escapes(base, target)) else {
        return Ok(None);
    };
    Ok(Some(
        Counterexample::new(line("the target `", target, "` goes to ", &url, ""))
            .step(case.to_string(), &reply)
            .expected("refused, or a path that keeps the origin however it is joined")
            .seen(format!("{how}: {url}"))
            .twin("`/v1/items:batchGet` and `/v1/a@b/x` come out and keep the origin"),
    ))
}

/// How joining the target to the base leaves its origin, if it does, and where it leads.
fn escapes(base: &str, target: &str) -> Option<(String, String)> {
    let origin = Url::parse(base).ok()?;
    let left = |url: &Url| {
        url.scheme() != origin.scheme()
            || url.host_str() != origin.host_str()
            || url.port() != origin.port()
            || url.username() != origin.username()
            || url.password() != origin.password()
    };
    let how = |how: &str| format!("{how} to {base}");
    let concatenated = [
        format!("{base}{target}"),
        format!("{}{target}", base.trim_end_matches('/')),
    ];
    for text in concatenated {
        match Url::parse(&text) {
            Ok(url) if !left(&url) => {}
            Ok(url) => return Some((how("written behind"), url.into())),
            Err(cause) => return Some((how("written behind"), format!("`{text}` ({cause})"))),
        }
    }
    match origin.join(target) {
        Ok(url) if !left(&url) => {}
        Ok(url) => return Some((how("joined by a WHATWG parser"), url.into())),
        Err(cause) => {
            return Some((
                how("joined by a WHATWG parser"),
                format!("`{target}` ({cause})"),
            ));
        }
    }
    reference(target).map(|kind| (how("resolved by RFC 3986"), format!("{kind} in `{target}`")))
}

/// What the target brings along as a reference of RFC 3986, if it is more than a path and a query.
fn reference(target: &str) -> Option<String> {
    let end = target.find(['/', '?', '#']).unwrap_or(target.len());
    if let Some((scheme, _)) = target[..end].split_once(':') {
        let mut letters = scheme.chars();
        let is_scheme = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if is_scheme {
            return Some(format!("the scheme `{scheme}`"));
        }
    }
    let authority = target.strip_prefix("//")?;
    let end = authority.find(['/', '?', '#']).unwrap_or(authority.len());
    Some(format!("the authority `{}`", &authority[..end]))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::path("/v1/items", false)]
    #[case::colon("/v1/items:batchGet", false)]
    #[case::at("/v1/a@b", false)]
    #[case::url_in_the_query("/a?next=https://evil.test", false)]
    #[case::encoded("/%2F/evil.test", false)]
    #[case::authority("//evil.test/x", true)]
    #[case::backslash("/\\evil.test", true)]
    #[case::tab("/\t/evil.test", true)]
    #[case::userinfo("@evil.test/x", true)]
    #[case::port(":8080/x", true)]
    #[case::suffix(".evil.test/x", true)]
    #[case::scheme("http:/evil.test", true)]
    fn a_target_that_leaves_the_origin_is_seen(#[case] target: &str, #[case] leaves: bool) {
        let seen = BASES.iter().find_map(|base| escapes(base, target));
        assert_eq!(seen.is_some(), leaves, "{seen:?}");
    }
}
