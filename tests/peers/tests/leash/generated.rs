//! Generated inputs: both sides agree, or a stated difference explains why not.

use proofmark::leash::{AxisEnforcement, Caveats, CountBound, SandboxKind, Scope};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::case::{Access, Call, Case, Fence, LaterCase, PathCase, Question, Session};
use crate::differences::explanation;
use crate::tree::{Change, shared};

/// Components of paths: what is in the tree, what leads nowhere, and what is hostile.
fn component() -> impl Strategy<Value = String> {
    let known = select(
        &[
            "w", "o", "d", "e", "f", "k", "i", "j", "l", "u", "t", "r", "ww", "g",
        ][..],
    );
    let nowhere = select(&["n", "p", "q", "b", "c", "z", "x", "v"][..]);
    let dots = select(&[".", "..", "..", "", "m", "m", "mm", "...", "D", "é"][..]);
    prop_oneof![
        9 => known.prop_map(str::to_owned),
        3 => nowhere.prop_map(str::to_owned),
        8 => dots.prop_map(str::to_owned),
        1 => select(&["\0", "f\0", "\u{FFFF}", "l\0"][..]).prop_map(str::to_owned),
        1 => (254..258_usize).prop_map(|length| "a".repeat(length)),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let start = select(
        &[
            "{root}/",
            "{root}/w/",
            "{root}/w/",
            "",
            "./",
            "/",
            "../",
            "//",
        ][..],
    );
    let components = prop::collection::vec(component(), 0..6);
    let repeated = (select(&["./", "m/", "d/../", "/"][..]), 60..2_100_usize);
    let repeated = repeated.prop_map(|(unit, count)| unit.repeat(count));
    let middle = prop_oneof![30 => Just(String::new()), 1 => repeated];
    let end = select(&["", "", "", "/", "/.", "/.."][..]);
    (start, middle, components, end).prop_map(|(start, middle, components, end)| {
        format!("{start}{middle}{}{end}", components.join("/"))
    })
}

fn path_grants() -> impl Strategy<Value = Vec<String>> {
    let sound = select(
        &[
            "{root}/w",
            "{root}/w/",
            "{root}/w/.",
            "{root}/o/../w",
            "{root}/w/d",
            "{root}/w/j",
            "{root}/w/f",
            "{root}/w/i",
            "{root}/o",
            "{root}/w/u",
            "{root}/w/l",
            "{root}",
            "/",
            ".",
            "d",
            "..",
            "{root}/g",
            "{root}/g/d",
            "{root}/ww",
            "w",
            "{root}/w/x",
            "{root}/w/d/r",
        ][..],
    );
    let nowhere = select(
        &[
            "{root}/w/m",
            "{root}/w/n",
            "{root}/w/c",
            "{root}/w/f/m",
            "{root}/w/l/",
            "{root}/o/b",
            "{root}/w/v",
            "{root}/w/m/../d",
            "m",
            "",
            "\0",
            "{root}",
        ][..],
    );
    let grant = prop_oneof![8 => sound, 1 => nowhere].prop_map(str::to_owned);
    prop::collection::vec(grant, 0..3)
}

fn path_case() -> impl Strategy<Value = Case> {
    let access = select(&[Access::Read, Access::Write][..]);
    (access, path_grants(), path_grants(), path()).prop_map(|(access, grants, elsewhere, path)| {
        Case::Path(PathCase {
            access,
            grants,
            elsewhere,
            path,
        })
    })
}

const CHANGED: &[&str] = &["w/d", "w/f", "w/m", "w/j", "o/k", "w/d/m", "g"];

fn change() -> impl Strategy<Value = Change> {
    let target = select(&["../o", "d", "m", "../o/k", "../w/f"][..]);
    prop_oneof![
        3 => select(CHANGED).prop_map(Change::Remove),
        2 => select(CHANGED).prop_map(Change::Directory),
        2 => select(CHANGED).prop_map(Change::File),
        2 => (select(CHANGED), target).prop_map(|(name, target)| Change::Link(name, target)),
    ]
}

fn later_case() -> impl Strategy<Value = Case> {
    let grants = subsequence(
        vec![
            "{root}/w",
            "{root}/w/d",
            "{root}/w/f",
            "{root}/w/m",
            "{root}/w/j",
            "{root}/g",
        ],
        0..3,
    );
    let paths = &[
        "{root}/w/d",
        "{root}/w/d/f",
        "{root}/w/d/m",
        "{root}/w/f",
        "{root}/w/m",
        "{root}/w/j/f",
        "{root}/w/m/m",
        "{root}/o/k",
        "{root}/w/f/m",
        "{root}/g/f",
    ][..];
    let changes = prop::collection::vec(change(), 0..4);
    (grants, changes, select(paths)).prop_map(|(grants, changes, path)| {
        let grants = grants.into_iter().map(str::to_owned).collect();
        Case::Later(LaterCase {
            grants,
            changes,
            path: path.to_owned(),
        })
    })
}

/// Grants of names, and a name: mostly a piece of one, or one with something round it.
fn names() -> impl Strategy<Value = (Vec<String>, String)> {
    let word = prop_oneof![
        4 => select(&["git", "a.test", "/usr/bin/git", "bin/git", "A.TEST", "git.", "*", "*.test"][..])
            .prop_map(str::to_owned),
        1 => "[/.ab\0]{0,4}",
    ];
    let around = select(
        &[
            ("", ""),
            ("", ""),
            ("/usr/bin/", ""),
            ("./", ""),
            ("", "/"),
            ("", "/."),
            ("/", "/.."),
            ("x.", ""),
            ("", ".x"),
            ("", ":443"),
            ("", "."),
            ("", "\0"),
            ("\0", ""),
            ("\0/", ""),
            ("//", "//"),
            (" ", ""),
            ("", "\n"),
            ("git/", ""),
        ][..],
    );
    let grants = prop::collection::vec(word.clone(), 0..4);
    (grants, word, around)
        .prop_map(|(grants, word, (before, after))| (grants, format!("{before}{word}{after}")))
}

fn name_case() -> impl Strategy<Value = Case> {
    prop_oneof![
        names().prop_map(|(grants, program)| Case::Exec(grants, program)),
        names().prop_map(|(grants, host)| Case::Net(grants, host)),
    ]
}

fn bound() -> impl Strategy<Value = CountBound> {
    prop_oneof![
        2 => Just(CountBound::Unlimited),
        4 => (0..4_u64).prop_map(CountBound::AtMost),
        1 => Just(CountBound::AtMost(u64::MAX)),
    ]
}

fn text_scope() -> impl Strategy<Value = Scope<String>> {
    let items = subsequence(vec!["a", "b", "/w", "/w/d", ""], 0..5);
    prop_oneof![
        1 => Just(Scope::All),
        4 => items.prop_map(|items| Scope::only(items.into_iter().map(str::to_owned))),
    ]
}

fn generations() -> impl Strategy<Value = Scope<u64>> {
    let some = subsequence(vec![0, 1, 2, u64::MAX], 0..4).prop_map(Scope::only);
    prop_oneof![1 => Just(Scope::All), 2 => some]
}

/// Any authority.
pub fn caveats() -> impl Strategy<Value = Caveats> {
    (
        text_scope(),
        text_scope(),
        text_scope(),
        text_scope(),
        bound(),
        generations(),
    )
        .prop_map(
            |(fs_read, fs_write, exec, net, max_calls, valid_for_generation)| Caveats {
                fs_read,
                fs_write,
                exec,
                net,
                max_calls,
                valid_for_generation,
            },
        )
}

fn session_case() -> impl Strategy<Value = Case> {
    let valid = prop_oneof![3 => Just(Scope::All), 1 => generations()];
    let call = (bound(), valid, text_scope(), text_scope()).prop_map(
        |(max_calls, generations, granted, needed)| Call {
            max_calls,
            generations,
            exec: [granted, needed],
        },
    );
    let generation = select(&[0, 0, 1, u64::MAX][..]);
    let calls = prop::collection::vec(call, 0..6);
    (generation, prop::option::of(bound()), calls).prop_map(|(generation, budget, calls)| {
        Case::Session(Session {
            generation,
            budget,
            calls,
        })
    })
}

fn pair_case() -> impl Strategy<Value = Case> {
    let narrowed = (caveats(), caveats()).prop_map(|(a, b)| (a.meet(&b), a));
    prop_oneof![(caveats(), caveats()), narrowed].prop_map(|pair| Case::Pair(Box::new(pair)))
}

fn axis_value() -> impl Strategy<Value = Value> {
    select(vec![
        json!("all"),
        json!("All"),
        json!("ALL"),
        json!("unlimited"),
        json!("only"),
        json!(null),
        json!(3),
        json!({}),
        json!([]),
        json!({"only": []}),
        json!({"only": ["a", "a"]}),
        json!({"only": "a"}),
        json!({"only": null}),
        json!({"only": [null]}),
        json!({"only": [1]}),
        json!({"only": [1.0]}),
        json!({"only": [-1]}),
        json!({"Only": []}),
        json!({"only": [], "all": null}),
        json!({"all": null}),
        json!({"at_most": 0}),
        json!({"at_most": -1}),
        json!({"at_most": 1.0}),
        json!({"at_most": [1]}),
        json!({"at_most": u64::MAX}),
        json!({"at_most": null}),
        json!({"unlimited": null}),
    ])
}

/// Serialised caveats that are spoilt in up to three places, or not at all.
fn document_case() -> impl Strategy<Value = Case> {
    let keys = select(
        &[
            "fs_read",
            "fs_write",
            "exec",
            "net",
            "max_calls",
            "valid_for_generation",
            "Exec",
            "",
            "net ",
            "x",
        ][..],
    );
    let spoiled = prop_oneof![
        2 => (keys.clone(), axis_value()).prop_map(|(key, value)| (key, Some(value))),
        1 => keys.prop_map(|key| (key, None)),
    ];
    let spoils = prop::collection::vec(spoiled, 0..3);
    let form = select(
        &[
            "object", "object", "object", "array", "twice", "cut", "more", "null",
        ][..],
    );
    (caveats(), spoils, form).prop_map(|(caveats, spoils, form)| {
        let mut whole = json!(caveats);
        for (key, value) in spoils {
            match (whole.as_object_mut(), value) {
                (Some(axes), Some(value)) => drop(axes.insert(key.to_owned(), value)),
                (Some(axes), None) => drop(axes.remove(key)),
                (None, _) => {}
            }
        }
        let text = whole.to_string();
        Case::Document(match form {
            "array" => json!(
                whole
                    .as_object()
                    .map(|axes| axes.values().collect::<Vec<_>>())
            )
            .to_string(),
            "twice" => text.replacen('{', r#"{"net":"all","#, 1),
            "cut" => text[..text.len() - 1].to_owned(),
            "more" => format!("{text} x"),
            "null" => "null".to_owned(),
            _ => text,
        })
    })
}

fn fence_case() -> impl Strategy<Value = Case> {
    let hosts = subsequence(
        vec!["a.test", "localhost", "127.0.0.1", "::1", "unix:/s"],
        0..3,
    );
    let programs = subsequence(vec!["git", "/bin/git", ""], 0..3);
    let files = subsequence(vec!["/w", "/o"], 0..2);
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    // Not Landlock: what that enforces depends on the kernel and on the features built.
    let sandbox = select(
        &[
            SandboxKind::None,
            SandboxKind::Seatbelt,
            SandboxKind::AppContainer,
            SandboxKind::MinimalRootfs,
            SandboxKind::MicroVm,
        ][..],
    );
    let some = |grants| prop::option::of(grants);
    let question = select(&[Question::Report, Question::InForce, Question::Start][..]);
    (
        question,
        some(files),
        some(programs),
        some(hosts),
        sandbox,
        floor(),
    )
        .prop_map(move |(question, files, exec, net, sandbox, floor)| {
            Case::Fence(Fence {
                question,
                files: files.map(owned),
                exec: exec.map(owned),
                net: net.map(owned),
                sandbox,
                floor,
            })
        })
}

fn floor() -> impl Strategy<Value = AxisEnforcement> + Clone {
    use AxisEnforcement::{Advisory, Interceptor, Kernel};
    select(&[Advisory, Interceptor, Kernel][..])
}

fn floors_case() -> impl Strategy<Value = Case> {
    prop::collection::vec(floor(), 0..4).prop_map(Case::Floors)
}

/// Both sides agree on this many cases, or a stated difference says why not.
fn agree_or_explained(cases: u32, strategy: impl Strategy<Value = Case>) {
    let _tree = shared();
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&strategy, |case| {
        let (ours, peer) = (case.ours(), case.peer());
        prop_assert!(
            ours == peer || explanation(&case, &ours, &peer).is_some(),
            "unexplained: ours says {ours}, the peer says {peer}"
        );
        Ok(())
    });
    if let Err(difference) = outcome {
        panic!("{difference}");
    }
}

#[test]
fn both_sides_judge_a_name_alike() {
    agree_or_explained(20_000, name_case());
}

#[test]
fn both_sides_judge_a_path_alike() {
    agree_or_explained(40_000, path_case());
}

#[test]
fn both_sides_judge_a_path_alike_after_the_tree_has_changed() {
    agree_or_explained(4_000, later_case());
}

#[test]
fn both_sides_pass_the_same_calls() {
    agree_or_explained(8_000, session_case());
}

#[test]
fn both_sides_keep_the_same_floor() {
    agree_or_explained(1_000, floors_case());
}

#[test]
fn both_sides_compare_and_meet_authority_alike() {
    agree_or_explained(8_000, pair_case());
}

#[test]
fn both_sides_read_the_same_documents() {
    agree_or_explained(20_000, document_case());
}

#[test]
fn both_sides_call_a_fence_equally_strong() {
    agree_or_explained(8_000, fence_case());
}
