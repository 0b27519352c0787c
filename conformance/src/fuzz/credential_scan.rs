//! The body of the `credential_scan` target: a secret in a drawn spelling between drawn texts, given
//! to the scanner whole and in drawn pieces.
//!
//! Assumed correct: the spellings below, which are written out by hand and share no code with any
//! scanner, and that a secret between two separators is there whatever stands around them. What the
//! drawn texts hold by themselves is not judged.

use std::fmt::Write as _;

use arbitrary::{Result as Drawn, Unstructured};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::scan::Secret;
use crate::scan::judge::{CredentialScanner, ScanReport};

const NAME: &str = "planted";
const VALUE: &str = "tok_FAKE_9f3A/x+Q7==";

/// Spells the secret.
type Spelling = fn(&[u8]) -> String;

const SPELLINGS: &[(&str, Spelling)] = &[
    ("raw", |secret| String::from_utf8_lossy(secret).into_owned()),
    ("percent, upper case", |secret| {
        each(secret, |byte| format!("%{byte:02X}"))
    }),
    ("percent, lower case", |secret| {
        each(secret, |byte| format!("%{byte:02x}"))
    }),
    ("percent, in part", |secret| {
        each(secret, |byte| match byte {
            b'/' | b'+' | b'=' => format!("%{byte:02X}"),
            other => char::from(other).to_string(),
        })
    }),
    ("base64", |secret| STANDARD.encode(secret)),
    ("base64 after one byte", |secret| {
        STANDARD.encode([b":", secret].concat())
    }),
    ("base64 after two bytes", |secret| {
        STANDARD.encode([b"u:", secret].concat())
    }),
    ("base64url", |secret| URL_SAFE_NO_PAD.encode(secret)),
    ("hex", |secret| each(secret, |byte| format!("{byte:02x}"))),
    ("JSON escapes", |secret| {
        each(secret, |byte| format!("\\u{byte:04x}"))
    }),
    ("HTML escapes", |secret| {
        each(secret, |byte| format!("&#{byte};"))
    }),
    ("reversed", |secret| {
        each_of(secret.iter().rev(), |byte| char::from(byte).to_string())
    }),
];

/// What stands between the secret and what is drawn: nothing that an encoding could run into.
const SEPARATORS: &[&str] = &[" ", "\n", "\" \"", "\t|\t", " , "];

/// Plants a secret as `data` says and looks whether `scanner` finds it.
///
/// ```
/// use proofmark_conformance::fuzz::credential_scan;
/// use proofmark_conformance::scan::judge::ReferenceScanner;
///
/// credential_scan(b"any bytes at all", &ReferenceScanner::default())?;
/// # Ok::<(), proofmark_conformance::fuzz::Violation>(())
/// ```
///
/// # Errors
///
/// The [`Violation`], where it is missed, where pieces are answered otherwise than the whole, or
/// where the answer holds the secret.
pub fn credential_scan(data: &[u8], scanner: &dyn CredentialScanner) -> Result<(), Violation> {
    // Data that ends too soon plants nothing.
    match draw(&mut Unstructured::new(data)) {
        Ok(planted) => judge(&planted, scanner),
        Err(_) => Ok(()),
    }
}

struct Planted {
    spelling: &'static str,
    text: Vec<u8>,
    cuts: Vec<usize>,
}

fn draw(data: &mut Unstructured<'_>) -> Drawn<Planted> {
    let (spelling, spell) = *data.choose(SPELLINGS)?;
    let separator = data.choose(SEPARATORS)?.as_bytes();
    let spelled = spell(VALUE.as_bytes());
    let cuts = data.int_in_range(0..=6)?;
    let cuts: Vec<usize> = (0..cuts)
        .map(|_| data.arbitrary::<u16>().map(usize::from))
        .collect::<Drawn<_>>()?;
    let before = data.int_in_range(0..=data.len())?;
    let before = data.bytes(before.min(data.len()))?;
    let after = data.bytes(data.len())?;
    let text = [before, separator, spelled.as_bytes(), separator, after].concat();
    let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.sort_unstable();
    Ok(Planted {
        spelling,
        text,
        cuts,
    })
}

fn judge(planted: &Planted, scanner: &dyn CredentialScanner) -> Result<(), Violation> {
    let secrets = [Secret::new(NAME, VALUE)];
    let whole = scanner.scan(&secrets, &planted.text);
    found(planted, "whole", &whole)?;
    let mut pieces = Vec::with_capacity(planted.cuts.len() + 1);
    let mut rest = planted.text.as_slice();
    let mut from = 0;
    for cut in &planted.cuts {
        let (piece, after) = rest.split_at(cut - from);
        pieces.push(piece);
        (rest, from) = (after, *cut);
    }
    pieces.push(rest);
    match scanner.scan_pieces(&secrets, &pieces) {
        Some(report) => found(planted, &format!("cut at {:?}", planted.cuts), &report),
        None => Ok(()),
    }
}

fn found(planted: &Planted, given: &str, report: &ScanReport) -> Result<(), Violation> {
    let broken = |number, seen: String| Violation {
        requirement: RequirementId::new(Family::Cred, number),
        steps: vec![format!(
            "{:?}, given {given}",
            String::from_utf8_lossy(&planted.text)
        )],
        seen,
    };
    if !report.findings.iter().any(|finding| finding.secret == NAME) {
        return Err(broken(
            5,
            format!("the secret, {}, was missed", planted.spelling),
        ));
    }
    let told = format!("{report:?}");
    let printed = String::from_utf8_lossy(&report.printed);
    if told.contains(VALUE) || printed.contains(VALUE) {
        return Err(broken(8, "the answer holds the secret".to_owned()));
    }
    Ok(())
}

fn each(secret: &[u8], spell: impl Fn(u8) -> String) -> String {
    each_of(secret.iter(), spell)
}

fn each_of<'b>(bytes: impl Iterator<Item = &'b u8>, spell: impl Fn(u8) -> String) -> String {
    bytes.fold(String::new(), |mut text, &byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{}", spell(byte));
        text
    })
}
