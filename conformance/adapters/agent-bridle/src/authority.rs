//! Authority in the judge's words and in the crate's.

use std::collections::BTreeSet;

use agent_bridle_core::{Caveats, CountBound, Scope};
use proofmark_conformance::subject::{CaveatSpec, CountSpec, ScopeSpec};

pub(crate) fn caveats(spec: &CaveatSpec) -> Caveats {
    Caveats {
        fs_read: scope(&spec.fs_read),
        fs_write: scope(&spec.fs_write),
        exec: scope(&spec.exec),
        net: scope(&spec.net),
        max_calls: count(spec.max_calls),
        valid_for_generation: scope(&spec.generations),
    }
}

pub(crate) fn spec_of(caveats: &Caveats) -> CaveatSpec {
    CaveatSpec {
        fs_read: scope_spec(&caveats.fs_read),
        fs_write: scope_spec(&caveats.fs_write),
        exec: scope_spec(&caveats.exec),
        net: scope_spec(&caveats.net),
        max_calls: match caveats.max_calls {
            CountBound::Unlimited => CountSpec::Unlimited,
            CountBound::AtMost(count) => CountSpec::AtMost(count),
        },
        generations: scope_spec(&caveats.valid_for_generation),
    }
}

pub(crate) fn count(spec: CountSpec) -> CountBound {
    match spec {
        CountSpec::Unlimited => CountBound::Unlimited,
        CountSpec::AtMost(count) => CountBound::AtMost(count),
    }
}

fn scope<T: Ord + Clone>(spec: &ScopeSpec<T>) -> Scope<T> {
    match spec {
        ScopeSpec::All => Scope::All,
        ScopeSpec::Only(items) => Scope::only(items.iter().cloned()),
    }
}

fn scope_spec<T: Ord + Clone>(scope: &Scope<T>) -> ScopeSpec<T> {
    match scope {
        Scope::All => ScopeSpec::All,
        Scope::Only(items) => ScopeSpec::Only(BTreeSet::clone(items)),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::top(CaveatSpec::top())]
    #[case::reading(CaveatSpec::top().fs_read(["/r"]))]
    #[case::writing(CaveatSpec::top().fs_write(["/w"]))]
    #[case::running(CaveatSpec::top().exec(["e", "/e"]))]
    #[case::reaching(CaveatSpec::top().net(["n.test", ""]))]
    #[case::calls(CaveatSpec::top().max_calls(0))]
    #[case::generations(CaveatSpec::top().generations([0, u64::MAX]))]
    #[case::nothing(CaveatSpec::top().fs_read::<String>([]).exec::<String>([]).generations([]))]
    fn authority_comes_back_as_it_went(#[case] spec: CaveatSpec) {
        assert_eq!(spec_of(&caveats(&spec)), spec);
    }

    #[test]
    fn each_axis_goes_to_its_counterpart() {
        let spec = CaveatSpec::top()
            .fs_read(["r"])
            .fs_write(["w"])
            .exec(["e"])
            .net(["n"])
            .max_calls(3)
            .generations([7]);
        let only = |item: &str| Scope::only([item.to_owned()]);
        let expected = Caveats {
            fs_read: only("r"),
            fs_write: only("w"),
            exec: only("e"),
            net: only("n"),
            max_calls: CountBound::AtMost(3),
            valid_for_generation: Scope::only([7]),
        };
        assert_eq!(caveats(&spec), expected);
    }
}
