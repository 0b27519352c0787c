//! Checks of programs and hosts.

use proofmark::leash::{Caveats, Scope, ToolContext, ToolError};
use proptest::prelude::*;
use rstest::rstest;

use crate::authority::{context, only};

fn running(grants: &[&str]) -> ToolContext {
    context(&Caveats {
        exec: only(grants.iter().copied()),
        ..Caveats::top()
    })
}

fn reaching(grants: &[&str]) -> ToolContext {
    context(&Caveats {
        net: only(grants.iter().copied()),
        ..Caveats::top()
    })
}

const ALLOW: bool = true;
const DENY: bool = false;

#[rstest]
// A bare grant means the name, wherever the program is.
#[case::bare(&["git"], "git", ALLOW)]
#[case::bare_absolute(&["git"], "/usr/bin/git", ALLOW)]
#[case::bare_anywhere(&["git"], "/tmp/evil/git", ALLOW)]
#[case::bare_relative(&["git"], "../git", ALLOW)]
#[case::bare_trailing_slash(&["git"], "/usr/bin/git/", ALLOW)]
#[case::bare_other_name(&["git"], "/usr/bin/rm", DENY)]
#[case::bare_prefix(&["git"], "git2", DENY)]
#[case::bare_suffix(&["git"], "egit", DENY)]
#[case::bare_case(&["git"], "GIT", DENY)]
#[case::bare_directory(&["git"], "git/rm", DENY)]
#[case::bare_parent(&["git"], "/usr/bin/git/..", DENY)]
#[case::bare_space(&["git"], "git ", DENY)]
#[case::bare_arguments(&["git"], "git status", DENY)]
// A grant with a separator pins that spelling.
#[case::path(&["/usr/bin/git"], "/usr/bin/git", ALLOW)]
#[case::path_elsewhere(&["/usr/bin/git"], "/opt/bin/git", DENY)]
#[case::path_bare(&["/usr/bin/git"], "git", DENY)]
#[case::path_spelling(&["/usr/bin/git"], "/usr/bin/../bin/git", DENY)]
#[case::path_slashes(&["/usr/bin/git"], "//usr/bin/git", DENY)]
#[case::path_relative(&["bin/git"], "bin/git", ALLOW)]
#[case::path_relative_deeper(&["bin/git"], "/usr/bin/git", DENY)]
// Both kinds together, neither helping the other.
#[case::both_bare(&["/opt/rm", "git"], "/opt/git", ALLOW)]
#[case::both_path(&["/opt/rm", "git"], "/bin/rm", DENY)]
// Nothing grants what is no program.
#[case::empty(&["git"], "", DENY)]
#[case::empty_granted(&[""], "", DENY)]
#[case::nul(&["git"], "/x\0/git", DENY)]
#[case::nul_end(&["git"], "git\0", DENY)]
#[case::nul_granted(&["git\0"], "git\0", DENY)]
#[case::dot(&["git"], ".", DENY)]
#[case::builtin(&["git"], "export", DENY)]
// An empty scope is not an absent one.
#[case::nothing_granted(&[], "git", DENY)]
fn programs(#[case] grants: &[&str], #[case] program: &str, #[case] allowed: bool) {
    assert_eq!(running(grants).check_exec(program).is_ok(), allowed);
}

#[rstest]
#[case::exact(&["api.example.test"], "api.example.test", ALLOW)]
#[case::second_of_two(&["a.test", "b.test"], "b.test", ALLOW)]
#[case::with_port(&["api.example.test:443"], "api.example.test:443", ALLOW)]
#[case::another_port(&["api.example.test:443"], "api.example.test:444", DENY)]
#[case::port_not_granted(&["api.example.test"], "api.example.test:443", DENY)]
#[case::port_left_out(&["api.example.test:443"], "api.example.test", DENY)]
#[case::subdomain(&["example.test"], "api.example.test", DENY)]
#[case::suffix(&["example.test"], "evilexample.test", DENY)]
#[case::prefix(&["api.example.test"], "api.example.test.evil.test", DENY)]
#[case::wildcard(&["*.example.test"], "api.example.test", DENY)]
#[case::wildcard_alone(&["*"], "api.example.test", DENY)]
#[case::basename(&["example.test"], "evil.test/example.test", DENY)]
#[case::url(&["example.test"], "https://example.test", DENY)]
#[case::userinfo(&["example.test"], "example.test@evil.test", DENY)]
#[case::backslash(&["example.test"], "example.test\\@evil.test", DENY)]
#[case::path(&["example.test"], "example.test/x", DENY)]
#[case::percent(&["example.test"], "example.test%2fevil", DENY)]
#[case::ideographic_stop(&["api.example.test"], "api\u{3002}example\u{3002}test", DENY)]
#[case::space(&["example.test"], " example.test", DENY)]
#[case::nul(&["example.test"], "example.test\0", DENY)]
#[case::case_is_exact(&["example.test"], "EXAMPLE.test", DENY)]
#[case::trailing_dot_is_exact(&["example.test"], "example.test.", DENY)]
#[case::trailing_dot_granted(&["example.test."], "example.test.", ALLOW)]
#[case::address(&["127.0.0.1"], "127.1", DENY)]
#[case::empty(&["example.test"], "", DENY)]
#[case::empty_granted(&[""], "", DENY)]
#[case::nothing_granted(&[], "example.test", DENY)]
fn hosts(#[case] grants: &[&str], #[case] host: &str, #[case] allowed: bool) {
    assert_eq!(reaching(grants).check_net(host).is_ok(), allowed);
}

#[test]
fn an_unrestricted_axis_allows_what_an_empty_one_denies() {
    let (all, none) = (context(&Caveats::top()), running(&[]));
    assert!(all.check_exec("git").is_ok() && none.check_exec("git").is_err());
    let none = reaching(&[]);
    assert!(all.check_net("h.test").is_ok() && none.check_net("h.test").is_err());
}

#[test]
fn a_grant_that_names_nothing_is_reported() {
    let cx = context(&Caveats {
        exec: only(["git", ""]),
        net: only(["h\0.test"]),
        ..Caveats::top()
    });
    let inert = cx.inert_grants();
    let inert: Vec<_> = inert
        .iter()
        .map(|found| (found.axis, &*found.grant))
        .collect();
    assert_eq!(inert, [("exec", ""), ("net", "h\0.test")]);
}

proptest! {
    /// The rule of the seed, written down a second time.
    #[test]
    fn a_program_is_admitted_as_named_or_by_its_file_name(
        grants in prop::collection::btree_set("[/.ab]{1,4}", 0..5),
        program in "[/.ab]{0,6}",
    ) {
        let cx = context(&Caveats { exec: Scope::Only(grants.clone().into()), ..Caveats::top() });
        let file_name = std::path::Path::new(&program).file_name().and_then(|name| name.to_str());
        let expected = grants.contains(&program)
            || file_name.is_some_and(|name| grants.contains(name));
        prop_assert_eq!(cx.check_exec(&program).is_ok(), expected);
    }

    #[test]
    fn a_hostile_string_is_denied_quietly(hostile in "\\PC{0,64}|[\0-\u{1f}]{1,8}") {
        let cx = context(&Caveats { exec: only(["git"]), net: only(["h.test"]), ..Caveats::top() });
        for outcome in [cx.check_exec(&hostile), cx.check_net(&hostile)] {
            if let Err(error) = outcome {
                let text = error.to_string();
                let denied = matches!(error, ToolError::Denied { .. });
                prop_assert!(denied);
                prop_assert!(!text.contains(char::is_control), "{}", text);
            }
        }
    }
}

#[test]
fn a_huge_string_is_denied_in_few_words() {
    let huge = "x".repeat(64 * 1024);
    for error in [
        running(&["git"]).check_exec(&huge),
        reaching(&["h"]).check_net(&huge),
    ] {
        assert!(error.unwrap_err().to_string().len() < 400);
    }
}
