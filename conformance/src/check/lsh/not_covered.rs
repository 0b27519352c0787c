//! LSH-16: what a leash does not cover is reported.

use std::net::{Ipv4Addr, UdpSocket};
use std::time::Duration;

use super::LeashTrial;
use super::shell::{program, script, unconfined};
use crate::profile::Capability;
use crate::subject::{CaveatSpec, ProgramSpec, ScopeSpec};
use crate::tree::Entry::{self, Dir, File, HardLink};
use crate::tree::Tree;
use crate::trial::{Act, Finding, Judged, Stop, word};

const TREE: &[Entry] = &[Dir("ws"), Dir("out"), File("ws/f"), File("out/f")];

/// How long a datagram may be on its way.
const PATIENCE: Duration = Duration::from_millis(300);

/// LSH-16.
pub(super) fn reported(trial: &LeashTrial<'_>) -> Judged {
    let mut lines = Vec::new();
    if trial.offers(Capability::CheckPath) {
        lines.push(format!("hard links: {}", hard_links(trial)?));
    }
    if trial.offers(Capability::Spawn) {
        lines.push(format!("changes of mode: {}", modes(trial)?));
        lines.push(format!("datagrams: {}", datagrams(trial)?));
        lines.push(format!("abstract sockets: {}", abstract_sockets(trial)?));
    }
    if lines.is_empty() {
        return Ok(Finding::NotApplicable(
            "the leash neither answers for paths nor runs programs".to_owned(),
        ));
    }
    Ok(Finding::Noted {
        cases: lines.len() as u64,
        note: lines.join("; "),
    })
}

const NOT_HERE: &str = "not available here";

/// A second name, inside the grant, of a file outside.
fn hard_links(trial: &LeashTrial<'_>) -> Result<String, Stop> {
    let tree = Tree::build(TREE)?;
    if tree.add(HardLink("ws/second", "out/f")).is_err() {
        return Ok(NOT_HERE.to_owned());
    }
    let grant = [tree.text("ws")];
    let context = trial.context(&CaveatSpec::top().fs_read(&grant).fs_write(&grant))?;
    let (read, write) = (
        Act::Read(tree.at("ws/second")),
        Act::Write(tree.at("ws/second")),
    );
    let mut said = format!(
        "one to a file outside is {} for reading and {} for writing",
        word(context.allows(&read)?),
        word(context.allows(&write)?)
    );
    if trial.offers(Capability::MediatedOpens) {
        let opened = context.open(&write)?.is_ok();
        said.push_str(if opened {
            ", and opened for writing"
        } else {
            ", and not opened for writing"
        });
    }
    Ok(said)
}

/// What becomes of a program that does `what`, where it would succeed unconfined.
fn outcome(
    trial: &LeashTrial<'_>,
    granted: &CaveatSpec,
    program: &ProgramSpec,
    happened: impl Fn() -> bool,
) -> Result<String, Stop> {
    if !unconfined(program) || !happened() {
        return Ok(NOT_HERE.to_owned());
    }
    let context = trial.context(granted)?;
    Ok(match context.run(program)? {
        Err(_) => "the program is not started under the restriction".to_owned(),
        Ok(ran) if happened() => format!("not covered by {}", ran.sandbox),
        Ok(ran) => format!("covered by {}", ran.sandbox),
    })
}

fn modes(trial: &LeashTrial<'_>) -> Result<String, Stop> {
    let tree = Tree::build(TREE)?;
    let granted = CaveatSpec::top().fs_write([tree.text("ws")]);
    let Some(program) = script("chmod u+x \"$1/out/f\"", &tree.text("")) else {
        return Ok(NOT_HERE.to_owned());
    };
    outcome(trial, &granted, &program, || take_mode(&tree))
}

/// Whether the file outside can be run now; it cannot be afterwards.
#[cfg(unix)]
fn take_mode(tree: &Tree) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let file = tree.at("out/f");
    let mode = std::fs::metadata(&file).map_or(0, |found| found.permissions().mode());
    // A mode that cannot be set back shows as not available.
    let _ = std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644));
    mode & 0o100 != 0
}

#[cfg(not(unix))]
fn take_mode(_tree: &Tree) -> bool {
    false
}

/// No host is granted.
fn no_host() -> CaveatSpec {
    CaveatSpec {
        net: ScopeSpec::none(),
        ..CaveatSpec::top()
    }
}

fn datagrams(trial: &LeashTrial<'_>) -> Result<String, Stop> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
    let bound = socket.and_then(|socket| {
        socket.set_read_timeout(Some(PATIENCE))?;
        let port = socket.local_addr()?.port();
        Ok((socket, port))
    });
    let (Ok((socket, port)), Some(bash)) = (bound, program("bash")) else {
        return Ok(NOT_HERE.to_owned());
    };
    let send = format!("echo x > /dev/udp/127.0.0.1/{port}");
    let program = ProgramSpec::new(bash).arg("-c").arg(send);
    outcome(trial, &no_host(), &program, || {
        socket.recv(&mut [0; 8]).is_ok()
    })
}

#[cfg(target_os = "linux")]
fn abstract_sockets(trial: &LeashTrial<'_>) -> Result<String, Stop> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener};

    let name = format!("proofmark-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name);
    let listener = address.and_then(|address| UnixListener::bind_addr(&address));
    let listening = listener.and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    let (Ok(listener), Some(python)) = (listening, program("python3")) else {
        return Ok(NOT_HERE.to_owned());
    };
    let connect = format!("import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')");
    let program = ProgramSpec::new(python).arg("-c").arg(connect);
    outcome(trial, &no_host(), &program, || listener.accept().is_ok())
}

#[cfg(not(target_os = "linux"))]
fn abstract_sockets(_trial: &LeashTrial<'_>) -> Result<String, Stop> {
    Ok(NOT_HERE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::double::{Double, judged};
    use crate::outcome::Outcome;

    #[test]
    fn what_the_toolkit_leaves_open_is_told() {
        let row = judged("LSH-16", Double::SOUND);
        assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
        let told = row.reason.unwrap();
        for what in [
            "hard links: ",
            "not opened for writing",
            "changes of mode: ",
            "datagrams: ",
        ] {
            assert!(told.contains(what), "{told}");
        }
    }
}
