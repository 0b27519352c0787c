//! LSH-06: a host matches exactly.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::LeashTrial;
use super::verdict::{must_allow, unless_refused, wrongly_allowed};
use crate::subject::CaveatSpec;
use crate::trial::{Act, Finding, Judged, Stop};

const HOST: &str = "api.example.test";

/// A grant, and what looks like it and is not it, simplest first.
const LOOK_ALIKES: &[(&str, &[&str])] = &[
    (
        HOST,
        &[
            "other.example.test",
            "sub.api.example.test",
            "evilapi.example.test",
            "x-api.example.test",
            "api.example.test.evil.test",
            "api.example.testx",
            "example.test",
            "test",
            "api.example.tes",
            "pi.example.test",
            "apixexample.test",
            "api.example.test:443",
            "api.example.test:9999",
            "api.example.test:",
            "api.example.test@evil.test",
            "api.example.test:443@evil.test",
            "user@api.example.test",
            "api.example.test\\@evil.test",
            "https://api.example.test",
            "//api.example.test",
            "api.example.test/",
            "api.example.test/evil",
            "evil.test/api.example.test",
            "/api.example.test",
            "api.example.test?x",
            "api.example.test#x",
            "api.example.test%2eevil.test",
            "api%2eexample.test",
            "api.example.test%00.evil.test",
            "api\u{3002}example\u{3002}test",
            "\u{430}pi.example.test",
            "\u{ff41}pi.example.test",
            "api.example.test,evil.test",
            " api.example.test",
            "api.example.test ",
            "api.example.test\n",
            "*",
            "*.example.test",
            ".",
            "",
            ".api.example.test",
            "api..example.test",
            "api.example.test..",
            "api\u{ad}.example.test",
            "api\u{200b}.example.test",
            "\u{feff}api.example.test",
            "api.example.te\u{17f}t",
            "[api.example.test]",
            "api.example.test:*",
            "api.example.test:+443",
        ],
    ),
    (
        "api.example.test:8443",
        &[
            HOST,
            "api.example.test:443",
            "api.example.test:84430",
            "api.example.test:8",
            "api.example.test:08443",
            "api.example.test:+8443",
            "api.example.test:73979",
            "api.example.test:8443 ",
            "sub.api.example.test:8443",
        ],
    ),
    ("*.example.test", &[HOST, "example.test", "x.example.test"]),
    (".example.test", &[HOST, "example.test"]),
    ("*", &[HOST, "other.test", ""]),
    ("", &[HOST, "localhost", " "]),
    ("api.example.test:443", &[HOST, "api.example.test:80"]),
    ("api.example.test:80", &[HOST, "api.example.test:443"]),
    (
        "api.example.test:*",
        &[HOST, "api.example.test:443", "api.example.test:8443"],
    ),
    ("*:443", &["api.example.test:443", HOST]),
    ("api.*.test", &[HOST]),
    ("api.?xample.test", &[HOST]),
    ("^api[.]example[.]test$", &[HOST]),
    ("https://api.example.test", &[HOST]),
    ("api.example.test/", &[HOST]),
    ("api.example.test,other.test", &[HOST, "other.test"]),
    ("api.example.test other.test", &[HOST, "other.test"]),
    ("user@api.example.test", &[HOST]),
    ("api", &[HOST, "api.other.test"]),
    ("k.example.test", &["\u{212a}.example.test"]),
    (
        "localhost",
        &["127.0.0.1", "::1", "[::1]", "x.localhost", "localhost.test"],
    ),
    ("10.0.0.0/8", &["10.0.0.0", "10.1.2.3"]),
    ("10.1.2", &["10.1.2.3", "10.1.0.2"]),
    (
        "[2001:db8::1]",
        &["[2001:db8::1]:443", "[2001:db8::2]", "[2001:db8::1", "2001"],
    ),
    (
        "2001:db8::1",
        &["2001:db8::1:443", "2001:db8::", "2001:db8::1%eth0", "2001"],
    ),
    (
        "[2001:db8::1]:443",
        &["[2001:db8::1]", "[2001:db8::1]:8443"],
    ),
    ("example.test", &[HOST, "www.example.test"]),
    (
        "127.0.0.1",
        &[
            "localhost",
            "2130706433",
            "127.1",
            "0x7f.0.0.1",
            "::ffff:127.0.0.1",
        ],
    ),
];

/// How a generated host is written from a granted one.
const WAYS: &[fn(&str) -> String] = &[
    |host| format!("x.{host}"),
    |host| format!("x{host}"),
    |host| format!("{host}x"),
    |host| format!("{host}.x"),
    |host| format!("{host}:80"),
    |host| format!("x@{host}"),
    |host| format!("{host}@x"),
    |host| format!("{host}/x"),
    |host| format!("x/{host}"),
    |host| format!("http://{host}"),
    |host| host.split(':').next().unwrap_or(host).to_owned(),
    |host| {
        host.split_once('.')
            .map_or(host, |(_, rest)| rest)
            .to_owned()
    },
    |host| host.replace('.', "x"),
    |host| host.replace('.', "%2e"),
    |host| format!("*.{host}"),
    |host| format!("{host}\t"),
];

const GRANTS: &[&str] = &[
    HOST,
    "api.example.test:8443",
    "localhost",
    "db.internal",
    "*.wild.test",
];

const WHY: &str = "no grant is this text";

/// LSH-06.
pub(super) fn matches(trial: &LeashTrial<'_>) -> Judged {
    let mut cases = 0;
    for (grant, look_alikes) in LOOK_ALIKES {
        // Beside it stands a plain grant, so that the context allows something whatever the leash
        // makes of the odd ones.
        let granted = CaveatSpec::top().net([*grant, "plain.test"]);
        let Some(context) = unless_refused(trial, &granted)? else {
            continue;
        };
        let twin = must_allow(&context, &Act::Net("plain.test".to_owned()))?;
        if *grant == HOST {
            must_allow(&context, &Act::Net(HOST.to_owned()))?;
        }
        for asked in *look_alikes {
            cases += 1;
            let act = Act::Net((*asked).to_owned());
            if context.allows(&act)? {
                let found = wrongly_allowed(&context, &act, WHY, twin);
                return Ok(Finding::broken(found));
            }
        }
    }
    let generated = trial.for_all(trial.settings().cases, &hosts(), |(grants, host)| {
        let granted: BTreeSet<&str> = grants.iter().copied().collect();
        let granting = CaveatSpec::top().net(grants.iter().copied());
        let Some(context) = unless_refused(trial, &granting)? else {
            return Ok(None);
        };
        let act = Act::Net(host.clone());
        if granted.contains(host.as_str()) || !context.allows(&act)? {
            return Ok(None);
        }
        let twin = format!("{} is granted in the same context", grants[0]);
        Ok(Some(wrongly_allowed(&context, &act, WHY, twin)))
    })?;
    match generated {
        Finding::Held { cases: more } => Ok(Finding::Noted {
            cases: cases + more,
            note: lenience(trial)?,
        }),
        broken => Ok(broken),
    }
}

fn hosts() -> impl Strategy<Value = (Vec<&'static str>, String)> {
    let written = (select(GRANTS), select(WAYS)).prop_map(|(host, way)| way(host));
    (subsequence(GRANTS, 1..=3), written)
}

/// What is reported and not judged: letter case and a trailing dot.
fn lenience(trial: &LeashTrial<'_>) -> Result<String, Stop> {
    let context = trial.context(&CaveatSpec::top().net([HOST]))?;
    let said = |host: &str| -> Result<&str, Stop> {
        let allowed = context.allows(&Act::Net(host.to_owned()))?;
        Ok(crate::trial::word(allowed))
    };
    Ok(format!(
        "in another letter case a granted host is {}, with a trailing dot {}",
        said("API.example.test")?,
        said("api.example.test.")?
    ))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::ScopeSpec;

    #[test]
    fn the_toolkit_matches_as_promised() {
        held("LSH-06");
    }

    fn any(caveats: &CaveatSpec, fits: impl Fn(&str) -> bool) -> bool {
        match &caveats.net {
            ScopeSpec::All => true,
            ScopeSpec::Only(items) => items.iter().any(|item| fits(item)),
        }
    }

    #[rstest]
    #[case::by_suffix(|caveats: &CaveatSpec, host: &str, _: bool| any(caveats, |grant| host.ends_with(grant)))]
    #[case::subdomains(|caveats: &CaveatSpec, host: &str, sound: bool| {
        sound || any(caveats, |grant| host.ends_with(&format!(".{grant}")))
    })]
    #[case::any_port(|caveats: &CaveatSpec, host: &str, sound: bool| {
        sound || any(caveats, |grant| host.split(':').next() == Some(grant))
    })]
    #[case::port_forgotten(|caveats: &CaveatSpec, host: &str, sound: bool| {
        sound || any(caveats, |grant| grant.split(':').next() == Some(host))
    })]
    #[case::wildcard(|caveats: &CaveatSpec, host: &str, sound: bool| {
        sound || any(caveats, |grant| grant.strip_prefix('*').is_some_and(|rest| host.ends_with(rest)))
    })]
    #[case::trimmed(|caveats: &CaveatSpec, host: &str, sound: bool| {
        sound || any(caveats, |grant| grant == host.trim())
    })]
    fn a_leash_that_forgives_is_convicted(#[case] net: fn(&CaveatSpec, &str, bool) -> bool) {
        let row = judged(
            "LSH-06",
            Double {
                net,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn letter_case_is_only_reported() {
        let forgiving = Double {
            net: |caveats, host, sound| {
                sound || any(caveats, |grant| grant.eq_ignore_ascii_case(host))
            },
            ..Double::SOUND
        };
        let row = judged("LSH-06", forgiving);
        assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
        assert!(
            row.reason
                .is_some_and(|reason| reason.contains("case a granted host is allowed"))
        );
    }
}
