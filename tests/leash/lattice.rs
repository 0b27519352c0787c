//! The laws of the authority lattice, and its JSON form.

use proofmark::leash::{
    AxisEnforcement, Caveats, CountBound, EnforcementReport, SandboxKind, Scope,
    effective_sandbox_kind, enforcement_report, fence_strength,
};
use proptest::prelude::*;
use rstest::rstest;

fn scope<T: Ord + Clone + std::fmt::Debug + 'static>(
    item: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Scope<T>> {
    let items = prop::collection::btree_set(item, 0..4);
    prop_oneof![
        1 => Just(Scope::All),
        4 => items.prop_map(|set| Scope::Only(set.into())),
    ]
}

fn count() -> impl Strategy<Value = CountBound> {
    prop_oneof![
        Just(CountBound::Unlimited),
        prop_oneof![0..4_u64, Just(u64::MAX)].prop_map(CountBound::AtMost),
    ]
}

prop_compose! {
    fn caveats()(
        fs_read in scope("[a-c]{1}"),
        fs_write in scope("[a-c]{1}"),
        exec in scope("[a-c]{1}"),
        net in scope("[a-c]{1}"),
        max_calls in count(),
        valid_for_generation in scope(0..3_u64),
    ) -> Caveats {
        Caveats { fs_read, fs_write, exec, net, max_calls, valid_for_generation }
    }
}

proptest! {
    #[test]
    fn meet_is_idempotent_commutative_and_associative_with_top_as_identity(
        a in caveats(), b in caveats(), c in caveats(),
    ) {
        prop_assert_eq!(&a.meet(&a), &a);
        prop_assert_eq!(a.meet(&b), b.meet(&a));
        prop_assert_eq!(a.meet(&b).meet(&c), a.meet(&b.meet(&c)));
        prop_assert_eq!(&a.meet(&Caveats::top()), &a);
        prop_assert_eq!(&Caveats::top().meet(&a), &a);
    }

    #[test]
    fn meet_is_the_greatest_lower_bound(a in caveats(), b in caveats(), c in caveats()) {
        let met = a.meet(&b);
        prop_assert!(met.leq(&a) && met.leq(&b));
        // What lies below both lies below the meet, and nothing else does.
        prop_assert_eq!(c.leq(&a) && c.leq(&b), c.leq(&met));
    }

    #[test]
    fn leq_is_a_partial_order_that_agrees_with_meet(
        a in caveats(), b in caveats(), c in caveats(),
    ) {
        prop_assert!(a.leq(&a));
        prop_assert!(a.leq(&Caveats::top()));
        if a.leq(&b) && b.leq(&a) {
            prop_assert_eq!(&a, &b);
        }
        if a.leq(&b) && b.leq(&c) {
            prop_assert!(a.leq(&c));
        }
        prop_assert_eq!(a.leq(&b), a.meet(&b) == a);
    }

    #[test]
    fn serialised_authority_reads_back_equal(a in caveats()) {
        let text = serde_json::to_string(&a).unwrap();
        prop_assert_eq!(serde_json::from_str::<Caveats>(&text).unwrap(), a);
    }

    #[test]
    fn a_meet_covers_exactly_what_both_cover(a in caveats(), b in caveats(), item in "[a-d]") {
        let met = a.meet(&b);
        prop_assert_eq!(
            met.exec.contains(&item),
            a.exec.contains(&item) && b.exec.contains(&item)
        );
    }
}

#[rstest]
#[case::all(Scope::<String>::All, r#""all""#)]
#[case::none(Scope::none(), r#"{"only":[]}"#)]
#[case::some(Scope::only(["b".to_owned(), "a".to_owned()]), r#"{"only":["a","b"]}"#)]
fn a_scope_has_one_json_form(#[case] scope: Scope<String>, #[case] text: &str) {
    assert_eq!(serde_json::to_string(&scope).unwrap(), text);
    assert_eq!(serde_json::from_str::<Scope<String>>(text).unwrap(), scope);
}

#[rstest]
#[case::unlimited(CountBound::Unlimited, r#""unlimited""#)]
#[case::bounded(CountBound::AtMost(3), r#"{"at_most":3}"#)]
fn a_count_has_one_json_form(#[case] count: CountBound, #[case] text: &str) {
    assert_eq!(serde_json::to_string(&count).unwrap(), text);
    assert_eq!(serde_json::from_str::<CountBound>(text).unwrap(), count);
}

const AXES: [&str; 6] = [
    "fs_read",
    "fs_write",
    "exec",
    "net",
    "max_calls",
    "valid_for_generation",
];

#[rstest]
fn an_absent_axis_is_refused_and_not_read_as_unrestricted(
    #[values(
        "fs_read",
        "fs_write",
        "exec",
        "net",
        "max_calls",
        "valid_for_generation"
    )]
    axis: &str,
) {
    let mut json = serde_json::to_value(Caveats::top()).unwrap();
    assert!(serde_json::from_value::<Caveats>(json.clone()).is_ok());
    json.as_object_mut().unwrap().remove(axis);
    assert!(serde_json::from_value::<Caveats>(json).is_err());
}

#[rstest]
#[case::other_case("Exec", r#"{"only":[]}"#)]
#[case::other_word("fs_exec", r#"{"only":[]}"#)]
#[case::comment("note", r#""for the weekend""#)]
#[case::again("exec", r#"{"only":[]}"#)]
fn an_unknown_or_repeated_axis_is_refused(#[case] axis: &str, #[case] value: &str) {
    let known = AXES.map(|axis| match axis {
        "max_calls" => r#""max_calls":"unlimited""#.to_owned(),
        axis => format!(r#""{axis}":"all""#),
    });
    let sound = format!("{{{}}}", known.join(","));
    let unsound = format!("{{{},\"{axis}\":{value}}}", known.join(","));
    assert_eq!(
        serde_json::from_str::<Caveats>(&sound).unwrap(),
        Caveats::top()
    );
    assert!(
        serde_json::from_str::<Caveats>(&unsound).is_err(),
        "{unsound}"
    );
}

#[rstest]
#[case::null("null")]
#[case::list(r#"["a"]"#)]
#[case::other_word(r#""everything""#)]
#[case::other_case(r#""All""#)]
#[case::two_answers(r#"{"only":["a"],"all":null}"#)]
#[case::unknown_field(r#"{"only":["a"],"except":["b"]}"#)]
#[case::empty(r#"{}"#)]
fn what_is_not_a_scope_is_refused(#[case] text: &str) {
    assert!(serde_json::from_str::<Scope<String>>(text).is_err());
}

#[rstest]
fn strengths_are_ordered_from_advisory_to_kernel() {
    use AxisEnforcement::{Advisory, Interceptor, Kernel};
    let mut shuffled = [Kernel, Advisory, Interceptor];
    shuffled.sort();
    assert_eq!(shuffled, [Advisory, Interceptor, Kernel]);
    assert!(Advisory < Interceptor && Interceptor < Kernel && Advisory < Kernel);
    assert_eq!(
        serde_json::to_string(&Interceptor).unwrap(),
        r#""interceptor""#
    );
}

fn strength() -> impl Strategy<Value = Option<AxisEnforcement>> {
    prop::sample::select(vec![
        None,
        Some(AxisEnforcement::Advisory),
        Some(AxisEnforcement::Interceptor),
        Some(AxisEnforcement::Kernel),
    ])
}

proptest! {
    #[test]
    fn a_fence_is_as_strong_as_its_weakest_restricted_axis(
        fs_read in strength(), fs_write in strength(), exec in strength(), net in strength(),
    ) {
        let report = EnforcementReport { fs_read, fs_write, exec, net };
        let strength = fence_strength(&report);
        let axes = [fs_read, fs_write, exec, net];
        prop_assert_eq!(strength.is_none(), report.is_empty());
        prop_assert_eq!(strength.is_none(), axes.iter().all(Option::is_none));
        if let Some(strength) = strength {
            prop_assert!(axes.contains(&Some(strength)));
            prop_assert!(axes.iter().flatten().all(|axis| strength <= *axis));
        }
    }

    #[test]
    fn exactly_the_restricted_axes_are_reported(a in caveats()) {
        let report = enforcement_report(&a, SandboxKind::None);
        prop_assert_eq!(report.fs_read.is_some(), a.fs_read.is_restricted());
        prop_assert_eq!(report.fs_write.is_some(), a.fs_write.is_restricted());
        prop_assert_eq!(report.exec.is_some(), a.exec.is_restricted());
        prop_assert_eq!(report.net.is_some(), a.net.is_restricted());
    }
}

#[rstest]
#[case::files(Caveats { fs_write: Scope::none(), ..Caveats::top() }, SandboxKind::Landlock, true)]
#[case::files_rootfs(Caveats { fs_read: Scope::none(), ..Caveats::top() }, SandboxKind::MinimalRootfs, true)]
#[case::programs(Caveats { exec: Scope::none(), ..Caveats::top() }, SandboxKind::Landlock, true)]
#[case::programs_container(
    Caveats { exec: Scope::only(["git".to_owned()]), ..Caveats::top() },
    SandboxKind::AppContainer,
    false
)]
#[case::no_program_container(Caveats { exec: Scope::none(), ..Caveats::top() }, SandboxKind::AppContainer, true)]
#[case::loopback(
    Caveats { net: Scope::only(["localhost".to_owned()]), ..Caveats::top() },
    SandboxKind::Seatbelt,
    true
)]
#[case::a_host(
    Caveats { net: Scope::only(["h.test".to_owned()]), ..Caveats::top() },
    SandboxKind::Seatbelt,
    false
)]
#[case::a_host_vm(
    Caveats { net: Scope::only(["h.test".to_owned()]), ..Caveats::top() },
    SandboxKind::MicroVm,
    true
)]
#[case::nothing(Caveats::top(), SandboxKind::MicroVm, false)]
fn a_sandbox_is_in_force_only_where_it_holds_something(
    #[case] caveats: Caveats,
    #[case] available: SandboxKind,
    #[case] in_force: bool,
) {
    let expected = if in_force {
        available
    } else {
        SandboxKind::None
    };
    assert_eq!(effective_sandbox_kind(available, &caveats), expected);
}
