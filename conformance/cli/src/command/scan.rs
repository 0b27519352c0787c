//! `scan`: finds secrets in files and on standard input, in every usual encoding.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use proofmark_conformance::scan::{Finding, Inconclusive, Scanner, Secret};
use serde::Serialize;

use super::End;
use crate::args::Scan;
use crate::error::CliError;
use crate::format::Document;
use crate::format::pretty::{BAD, GOOD, Page, styled};
use crate::output;

/// Looks through every file and prints what it found. A file that cannot be read is said at once
/// and decides the exit code, but the others are still looked through.
pub(super) fn run(asked: &Scan) -> Result<End, CliError> {
    let scanner = Scanner::builder().secrets(secrets(asked)?).build();
    let scanner = scanner.map_err(CliError::Scanner)?;
    let mut findings = Vec::new();
    let mut unread = None;
    for path in &asked.files {
        match looked_through(&scanner, path) {
            Ok(found) => findings.extend(found),
            Err(cause) => {
                let path = PathBuf::from(scanner.redact(&path.to_string_lossy()));
                let error = CliError::UnreadableText { path, cause };
                output::message(&format!("proofmark: {error}"));
                unread = Some(error);
            }
        }
    }
    let document = Findings {
        schema: 1,
        findings,
        inconclusive: scanner.inconclusive().to_vec(),
        files: asked.files.len(),
    };
    asked.format.print(&document)?;
    match (unread, document.inconclusive.first()) {
        (Some(error), _) => Err(error),
        (None, Some(weak)) => Err(CliError::WeakSecret(weak.clone())),
        (None, None) if document.findings.is_empty() => Ok(End::Well),
        (None, None) => Ok(End::Not),
    }
}

/// The secrets to look for. Their values stand in the environment or in files, never among the
/// arguments, which every process on the machine can read.
fn secrets(asked: &Scan) -> Result<Vec<Secret>, CliError> {
    let mut secrets = Vec::new();
    for name in &asked.secret_env {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| CliError::UnsetSecret { name: name.clone() })?;
        secrets.push(Secret::trimmed(name, bytes(value)));
    }
    for path in &asked.secret_file {
        let value = fs::read(path).map_err(|cause| CliError::UnreadableText {
            path: path.clone(),
            cause,
        })?;
        secrets.push(Secret::trimmed(path.display().to_string(), value));
    }
    Ok(secrets)
}

#[cfg(unix)]
fn bytes(value: OsString) -> Vec<u8> {
    std::os::unix::ffi::OsStringExt::into_vec(value)
}

#[cfg(not(unix))]
fn bytes(value: OsString) -> Vec<u8> {
    value.to_string_lossy().into_owned().into_bytes()
}

fn looked_through(scanner: &Scanner, path: &Path) -> io::Result<Vec<Finding>> {
    let (name, reader): (_, Box<dyn Read>) = if path == Path::new("-") {
        ("(standard input)".into(), Box::new(io::stdin().lock()))
    } else {
        (path.to_string_lossy(), Box::new(File::open(path)?))
    };
    let scan = scanner.scan_reader(reader).map_err(io::Error::other)?;
    Ok(scanner.in_file(&name, scan).findings)
}

#[derive(Serialize)]
struct Findings {
    schema: u32,
    findings: Vec<Finding>,
    inconclusive: Vec<Inconclusive>,
    #[serde(skip)]
    files: usize,
}

impl Document for Findings {
    fn pretty(&self, _: Page) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{finding}");
        }
        for weak in &self.inconclusive {
            let _ = writeln!(text, "{weak}");
        }
        let (style, verdict) = match (self.findings.len(), self.inconclusive.len()) {
            (0, 0) => (GOOD, "clean".to_owned()),
            (0, _) => (BAD, "not looked for".to_owned()),
            (count, _) => (BAD, format!("{count} found")),
        };
        let _ = writeln!(
            text,
            "{}, {} looked through",
            styled(style, &verdict),
            counted(self.files)
        );
        text
    }
}

fn counted(files: usize) -> String {
    match files {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    }
}
