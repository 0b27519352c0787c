//! Prints the medians of both sides for the leash, and our share of the peer's time.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use agent_bridle_core as peer;
use proofmark::leash as ours;
use proofmark_peers::authority::{Idle, same};
use proofmark_peers::measure::{Comparison, compare};

/// Contexts with the same authority on both sides.
struct Contexts {
    ours: ours::ToolContext,
    peer: peer::ToolContext,
}

impl Contexts {
    fn of(caveats: &ours::Caveats) -> Result<Self, Box<dyn Error>> {
        let (idle, of_peer) = (Idle::default(), same(caveats)?);
        Ok(Self {
            ours: ours::Gate::new(0).authorize(&idle, caveats)?,
            peer: peer::Gate::new(0).authorize(&idle, &of_peer)?,
        })
    }

    fn exec(&self, program: &str) -> Comparison {
        compare(
            || self.ours.check_exec(black_box(program)).is_ok(),
            || self.peer.check_exec(black_box(program)).is_ok(),
        )
    }

    fn net(&self, host: &str) -> Comparison {
        compare(
            || self.ours.check_net(black_box(host)).is_ok(),
            || self.peer.check_net(black_box(host)).is_ok(),
        )
    }

    fn read(&self, path: &Path) -> Comparison {
        compare(
            || self.ours.check_path_read(black_box(path)).is_ok(),
            || self.peer.check_path_read(black_box(path)).is_ok(),
        )
    }

    fn write(&self, path: &Path) -> Comparison {
        compare(
            || self.ours.check_path_write(black_box(path)).is_ok(),
            || self.peer.check_path_write(black_box(path)).is_ok(),
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:<48} {:>9} {:>9} {:>7} {:>7}",
        "work", "ours ns", "peer ns", "ratio", "goal"
    );
    names()?;
    paths()?;
    authorisation()
}

fn report(work: &str, goal: Option<f64>, seen: Comparison) {
    let goal = goal.map_or_else(String::new, |goal| format!("{goal:.2}"));
    println!(
        "{work:<48} {:>9.1} {:>9.1} {:>7.3} {goal:>7}",
        seen.ours,
        seen.peer,
        seen.ratio()
    );
}

fn programs() -> impl Iterator<Item = String> {
    (0..64).map(|number| format!("program-{number:02}"))
}

fn names() -> Result<(), Box<dyn Error>> {
    let bare = Contexts::of(&ours::Caveats {
        exec: ours::Scope::only(programs()),
        net: ours::Scope::only((0..64).map(|number| format!("host-{number:02}.test"))),
        ..ours::Caveats::top()
    })?;
    let pinned = Contexts::of(&ours::Caveats {
        exec: ours::Scope::only(programs().map(|name| format!("/usr/bin/{name}"))),
        ..ours::Caveats::top()
    })?;
    let goal = Some(0.6);
    report(
        "check_exec, 64 grants, bare name",
        goal,
        bare.exec("program-37"),
    );
    report(
        "check_exec, 64 grants, by path",
        goal,
        bare.exec("/usr/bin/program-37"),
    );
    report(
        "check_exec, 64 grants, pinned",
        goal,
        pinned.exec("/usr/bin/program-37"),
    );
    report(
        "check_exec, 64 grants, denied",
        None,
        bare.exec("/usr/bin/rm"),
    );
    report("check_net, 64 grants", None, bare.net("host-37.test"));
    report("check_net, 64 grants, denied", None, bare.net("evil.test"));
    Ok(())
}

fn paths() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let root = directory.path().canonicalize()?;
    // Eight components, the temporary directory's two among them.
    let granted = root.join("a/b/c");
    let (deep, file) = (granted.join("d/e"), granted.join("d/e/f"));
    fs::create_dir_all(&deep)?;
    fs::write(&file, "")?;
    std::os::unix::fs::symlink("d/e/f", granted.join("link"))?;
    let one = Contexts::of(&granting([&granted]))?;
    let outside = Path::new("/usr/bin/env");
    report(
        "check_path_read, 8 components, 1 grant",
        Some(0.7),
        one.read(&file),
    );
    report(
        "check_path_read, through a link",
        None,
        one.read(&granted.join("link")),
    );
    report("check_path_read, denied", None, one.read(outside));
    report(
        "check_path_write, 8 components, 1 grant",
        None,
        one.write(&file),
    );
    report(
        "check_path_write, new file",
        None,
        one.write(&deep.join("new")),
    );
    report("check_path_write, denied", None, one.write(outside));

    // The grants are looked at in the order of their text.
    let others: Vec<_> = (0..63)
        .map(|number| root.join(format!("a/a/{number:02}")))
        .collect();
    for other in &others {
        fs::create_dir_all(other)?;
    }
    let many = Contexts::of(&granting(others.iter().chain([&granted])))?;
    report(
        "check_path_read, match last of 64",
        Some(0.05),
        many.read(&file),
    );
    report(
        "check_path_write, match last of 64",
        None,
        many.write(&file),
    );
    report(
        "check_path_write, 64 grants, new file",
        None,
        many.write(&deep.join("new")),
    );
    Ok(())
}

fn granting<'p>(paths: impl IntoIterator<Item = &'p std::path::PathBuf>) -> ours::Caveats {
    let paths = paths
        .into_iter()
        .map(|path| path.to_string_lossy().into_owned());
    let scope = ours::Scope::only(paths);
    ours::Caveats {
        fs_read: scope.clone(),
        fs_write: scope,
        ..ours::Caveats::top()
    }
}

fn authorisation() -> Result<(), Box<dyn Error>> {
    let scope = || ours::Scope::only(programs());
    let of_ours = ours::Caveats {
        fs_read: scope(),
        fs_write: scope(),
        exec: scope(),
        net: scope(),
        ..ours::Caveats::top()
    };
    let of_peer: peer::Caveats = same(&of_ours)?;
    let half = ours::Caveats {
        exec: ours::Scope::only(programs().skip(32)),
        ..ours::Caveats::top()
    };
    let (idle, needy) = (Idle::default(), Idle::needing(&half)?);
    let (gate, peer_gate) = (ours::Gate::new(0), peer::Gate::new(0));
    let seen = compare(
        || gate.authorize(&idle, black_box(&of_ours)).is_ok(),
        || peer_gate.authorize(&idle, black_box(&of_peer)).is_ok(),
    );
    report("authorize, four scopes of 64", Some(0.03), seen);
    let seen = compare(
        || gate.authorize(&needy, black_box(&of_ours)).is_ok(),
        || peer_gate.authorize(&needy, black_box(&of_peer)).is_ok(),
    );
    report("authorize, a need of half of one scope", None, seen);
    // The first context of a scope opens its path grants, which the peer does at every check.
    let seen = compare(
        || {
            gate.authorize(&idle, &black_box(&of_ours).unpinned())
                .is_ok()
        },
        || peer_gate.authorize(&idle, black_box(&of_peer)).is_ok(),
    );
    report("authorize, 128 path grants never seen before", None, seen);
    Ok(())
}
