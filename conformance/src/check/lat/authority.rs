//! Generated authorities, small enough that many of them are comparable.

use std::collections::BTreeSet;

use proptest::collection::btree_set;
use proptest::prelude::*;
use proptest::sample::select;

use crate::subject::{CaveatSpec, CountSpec, ScopeSpec};

const PROGRAMS: &[&str] = &["git", "ls", "/usr/bin/make"];
const HOSTS: &[&str] = &["a.test", "b.test:443", "c.test"];
/// Folders beside one another: what the meet of nested ones is, a leash may decide.
const FOLDERS: &[&str] = &["/srv/a", "/srv/b", "/home/c"];

/// Any authority.
pub(super) fn any_authority() -> impl Strategy<Value = CaveatSpec> {
    let counts = vec![
        CountSpec::Unlimited,
        CountSpec::AtMost(0),
        CountSpec::AtMost(1),
        CountSpec::AtMost(7),
        CountSpec::AtMost(u64::MAX),
    ];
    (
        texts(FOLDERS),
        texts(FOLDERS),
        texts(PROGRAMS),
        texts(HOSTS),
        select(counts),
        numbers(),
    )
        .prop_map(
            |(fs_read, fs_write, exec, net, max_calls, generations)| CaveatSpec {
                fs_read,
                fs_write,
                exec,
                net,
                max_calls,
                generations,
            },
        )
}

fn texts(items: &'static [&'static str]) -> impl Strategy<Value = ScopeSpec<String>> {
    let only = btree_set(select(items), 0..=items.len()).prop_map(ScopeSpec::only);
    prop_oneof![1 => Just(ScopeSpec::All), 3 => only]
}

fn numbers() -> impl Strategy<Value = ScopeSpec<u64>> {
    let numbers: BTreeSet<u64> = [0, 1, 7, u64::MAX].into();
    let numbers: Vec<u64> = numbers.into_iter().collect();
    let only = btree_set(select(numbers), 0..=3).prop_map(ScopeSpec::Only);
    prop_oneof![1 => Just(ScopeSpec::All), 3 => only]
}

/// On each axis alone two lists of which neither lies within the other, and one within both; and
/// two numbers. Of generated authorities only few are such.
pub(super) fn overlapping() -> Vec<(CaveatSpec, CaveatSpec, CaveatSpec)> {
    let top = CaveatSpec::top;
    let texts = |put: fn(&[&str]) -> CaveatSpec, items: &[&str]| {
        (put(&items[..2]), put(&items[1..]), put(&items[1..2]))
    };
    let numbers = |items: &[u64]| top().generations(items.iter().copied());
    vec![
        texts(|hosts| CaveatSpec::top().net(hosts.iter().copied()), HOSTS),
        texts(
            |programs| CaveatSpec::top().exec(programs.iter().copied()),
            PROGRAMS,
        ),
        texts(
            |folders| CaveatSpec::top().fs_read(folders.iter().copied()),
            FOLDERS,
        ),
        texts(
            |folders| CaveatSpec::top().fs_write(folders.iter().copied()),
            FOLDERS,
        ),
        (numbers(&[0, 1]), numbers(&[1, 7]), numbers(&[1])),
        (top().max_calls(1), top().max_calls(7), top().max_calls(1)),
    ]
}

/// Folders within one another. What their meet is, a leash may decide, but not by who is asked first.
pub(super) fn nested() -> Vec<(CaveatSpec, CaveatSpec, CaveatSpec)> {
    let read = |folder: &str| CaveatSpec::top().fs_read([folder]);
    let write = |folder: &str| CaveatSpec::top().fs_write([folder]);
    let both = CaveatSpec::top().fs_read(["/srv/a/b", "/home/c"]);
    vec![
        (read("/srv"), read("/srv/a"), read("/srv/a/b")),
        (read("/srv/a"), both, read("/srv")),
        (write("/srv"), write("/srv/a"), write("/srv/a/b")),
    ]
}

/// Three authorities, most of the time the last below both others, or all in a row.
pub(super) fn three() -> impl Strategy<Value = (CaveatSpec, CaveatSpec, CaveatSpec)> {
    (any_authority(), any_authority(), any_authority(), 0..5_u8).prop_map(|(a, b, c, shape)| {
        match shape {
            0 => (a, b, c),
            1 => {
                let below = a.meet(&b);
                (a, b, below)
            }
            2 => {
                let below = a.meet(&b).meet(&c);
                (a, b, below)
            }
            _ => {
                let middle = b.meet(&c);
                (a.meet(&middle), middle, c)
            }
        }
    })
}
