//! What the Landlock sandbox leaves open, shown to be open.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};

use proofmark::leash::{Caveats, Scope};

use crate::authority::only;
use crate::child::{inconclusive, this_program};
use crate::landlock::{EACCES, OK, outcome, outcome_in, reading, supported, tree, writing};

/// Shows that `gap` in the sandbox's promises is open; `None` if nothing here knows it.
pub fn demonstration(gap: &str) -> Option<fn()> {
    let demonstrate: fn() = match gap {
        "the permissions of a file outside" => permissions,
        "a file outside that has a second name inside" => second_name,
        "whether a file outside exists, and its size" => size,
        "a program run by the dynamic loader" => loaded_program,
        "UDP" => datagrams,
        "every host, where some are granted" => hosts,
        "abstract sockets, where hosts are not restricted" => abstract_sockets,
        _ => return None,
    };
    Some(if supported() { demonstrate } else { || {} })
}

fn permissions() {
    let tree = tree();
    let granted = writing(&tree, &["in"]);
    assert_eq!(outcome_in(&tree, &granted, &["chmod", "{root}/out/f"]), OK);
}

fn second_name() {
    let tree = tree();
    let granted = writing(&tree, &["in"]);
    assert_eq!(
        outcome_in(&tree, &granted, &["write", "{root}/in/second_name"]),
        OK
    );
    assert_eq!(std::fs::read_to_string(tree.at("out/f")).unwrap(), "child");
}

fn size() {
    let tree = tree();
    let granted = reading(&tree, &["in"]);
    assert_eq!(
        outcome_in(&tree, &granted, &["size", "{root}/out/f", "5"]),
        OK
    );
}

fn loaded_program() {
    let Some(loader) = loader() else {
        return inconclusive("no dynamic loader was found");
    };
    let granted = Caveats {
        exec: only([this_program().to_str().unwrap()]),
        ..Caveats::top()
    };
    assert_eq!(outcome(&granted, &["run", "/usr/bin/true"]), EACCES);
    assert_eq!(outcome(&granted, &["run", &loader, "/usr/bin/true"]), OK);
}

fn loader() -> Option<String> {
    let directories = ["/lib64", "/lib"];
    let entries = directories
        .iter()
        .filter_map(|directory| std::fs::read_dir(directory).ok());
    entries
        .flatten()
        .flatten()
        .map(|entry| entry.path().to_string_lossy().into_owned())
        .find(|path| path.contains("/ld-linux"))
}

/// Caveats that engage the sandbox, with these hosts.
fn reaching(net: Scope<String>) -> Caveats {
    Caveats {
        net,
        fs_write: Scope::none(),
        ..Caveats::top()
    }
}

fn datagrams() {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = socket.local_addr().unwrap().port().to_string();
    assert_eq!(outcome(&reaching(Scope::none()), &["udp", &port]), OK);
}

fn hosts() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    assert_eq!(outcome(&reaching(only(["h.test"])), &["tcp", &port]), OK);
}

fn abstract_sockets() {
    let name = format!("proofmark-leash-open-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    assert_eq!(outcome(&reaching(Scope::All), &["abstract", &name]), OK);
}
