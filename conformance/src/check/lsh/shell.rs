//! Programs of the system that the judge has a leash run, and runs itself as a control.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::subject::ProgramSpec;

/// Where programs of the system are.
const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// What a program of the system reads in order to start.
pub(super) const SYSTEM: [&str; 7] = ["/usr", "/bin", "/lib", "/lib64", "/etc", "/dev", "/proc"];

/// The place of a program of the system, if there is one.
pub(super) fn program(name: &str) -> Option<String> {
    let places = FOLDERS.iter().map(|folder| format!("{folder}/{name}"));
    places.into_iter().find(|place| Path::new(place).is_file())
}

/// A shell script whose `$1` is `folder`.
pub(super) fn script(text: &str, folder: &str) -> Option<ProgramSpec> {
    let shell = ProgramSpec::new(program("sh")?);
    Some(shell.arg("-c").arg(text).arg("sh").arg(folder))
}

/// Runs a program that nothing holds, and says whether it ended well.
pub(super) fn unconfined(spec: &ProgramSpec) -> bool {
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.args)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(folder) = &spec.folder {
        command.current_dir(folder);
    }
    command.status().is_ok_and(|status| status.success())
}

/// What lies directly in `folder`: names, kinds, and contents.
pub(super) fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut listing: Vec<String> = entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            match entry.file_type() {
                Ok(kind) if kind.is_file() => {
                    let content = fs::read_to_string(entry.path()).unwrap_or_default();
                    format!("file {name} {content:?}")
                }
                Ok(kind) if kind.is_dir() => format!("folder {name}"),
                Ok(kind) if kind.is_symlink() => format!("link {name}"),
                _ => format!("special {name}"),
            }
        })
        .collect();
    listing.sort();
    listing
}
