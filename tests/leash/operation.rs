//! What a child process tries, each reported by its error number.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::process::Command;

use rustix::process::{Pid, test_kill_process};

/// The exit status for an error that has no number of its own.
pub const NO_ERRNO: i32 = 120;

/// Does what the words say.
pub fn perform(words: &[&str]) -> io::Result<()> {
    match words {
        ["nothing"] => Ok(()),
        ["read", path] => File::open(path)?.read(&mut [0; 1]).map(drop),
        ["write", path] => File::create(path)?.write_all(b"child"),
        ["append", path] => OpenOptions::new().append(true).open(path).map(drop),
        ["list", path] => fs::read_dir(path).map(drop),
        ["mkdir", path] => fs::create_dir(path),
        ["rmdir", path] => fs::remove_dir(path),
        ["unlink", path] => fs::remove_file(path),
        ["rename", from, to] => fs::rename(from, to),
        ["link", from, to] => fs::hard_link(from, to),
        ["symlink", target, path] => symlink(target, path),
        ["chmod", path] => fs::set_permissions(path, fs::Permissions::from_mode(0o640)),
        ["size", path, expected] if fs::metadata(path)?.len() == number::<u64>(expected)? => Ok(()),
        ["run", program, args @ ..] => run(Command::new(program).args(args)),
        ["tcp", port] => TcpStream::connect((Ipv4Addr::LOCALHOST, number(port)?)).map(drop),
        ["udp", port] => {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
            let sent = socket.send_to(b"child", (Ipv4Addr::LOCALHOST, number(port)?));
            sent.map(drop)
        }
        ["abstract", name] => {
            UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
        }
        ["signal", pid] => {
            let pid = Pid::from_raw(number(pid)?).ok_or_else(|| io::Error::other("no such pid"))?;
            Ok(test_kill_process(pid)?)
        }
        ["environment", expected] => environment(expected),
        ["descriptors"] => descriptors(),
        ["in this process", claim] => crate::alone::claim(claim),
        _ => Err(io::Error::other(format!("unknown operation {words:?}"))),
    }
}

fn number<N: std::str::FromStr>(word: &str) -> io::Result<N> {
    word.parse().map_err(|_| io::Error::other("not a number"))
}

/// The exit status of a program that itself reports by error number.
fn run(command: &mut Command) -> io::Result<()> {
    match command.status()?.code() {
        Some(0) => Ok(()),
        code => Err(io::Error::from_raw_os_error(code.unwrap_or(NO_ERRNO))),
    }
}

/// Are exactly these variables set, beside the one that brought the task?
fn environment(expected: &str) -> io::Result<()> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name != crate::child::TASK).collect();
    names.sort();
    if names.join(" ") == expected {
        Ok(())
    } else {
        Err(io::Error::other(format!("the environment has {names:?}")))
    }
}

/// Is nothing open but the three streams and the list itself?
fn descriptors() -> io::Result<()> {
    let names = fs::read_dir("/proc/self/fd")?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    // The list's own descriptor is closed by now, and leads nowhere.
    let open: Vec<_> = names
        .iter()
        .filter(|name| {
            !["0", "1", "2"]
                .map(|stream| name.ends_with(stream))
                .contains(&true)
        })
        .filter_map(|name| Some((name, fs::read_link(name).ok()?)))
        .collect();
    if open.is_empty() {
        Ok(())
    } else {
        Err(io::Error::other(format!("inherited: {open:?}")))
    }
}
