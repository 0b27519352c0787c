//! Encoders that owe nothing to the scanner: crates where there are some, spelled out by hand
//! where there are none. Each says how bytes may be written down.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, reason = "an encoder that fails is a broken test")]

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};

/// Makes the choices that a spelling leaves open, the same ones every time.
#[derive(Clone)]
pub struct Choices(u64);

impl Choices {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// One way to write bytes down.
#[derive(Clone, Copy)]
pub struct Spelling {
    /// What it is called in a vector's reason.
    pub name: &'static str,
    /// The name of its encoding in a chain.
    pub encoding: &'static str,
    /// Whether only text can be written so.
    pub text_only: bool,
    pub spell: fn(&[u8], &mut Choices) -> Vec<u8>,
}

macro_rules! spellings {
    ($($name:literal, $encoding:literal, $text_only:literal, $spell:expr;)*) => {
        &[$(Spelling { name: $name, encoding: $encoding, text_only: $text_only, spell: $spell }),*]
    };
}

impl std::fmt::Debug for Spelling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All but reversal.
pub const SPELLINGS: &[Spelling] = spellings! {
    "percent-encoded, every byte, upper-case", "percent", false, |b, _| percent_all(b).into_bytes();
    "percent-encoded, every byte, lower-case", "percent", false, |b, _| percent_all(b).to_lowercase().into_bytes();
    "percent-encoded, every byte, mixed case", "percent", false, |b, c| mixed_case(percent_all(b), c);
    "percent-encoded in part", "percent", false, percent_some;
    "percent-encoded but for letters and digits", "percent", false, |b, _| percent_encoding::percent_encode(b, NON_ALPHANUMERIC).to_string().into_bytes();
    "form-encoded", "percent", false, |b, _| url::form_urlencoded::byte_serialize(b).collect::<String>().into_bytes();
    "as a JSON string", "json", true, |b, _| json_string(b);
    "as a JSON string of \\u escapes", "json", true, |b, _| units(b).map(|u| format!("\\u{u:04x}")).collect::<String>().into_bytes();
    "as a JSON string of \\u escapes, upper-case", "json", true, |b, _| units(b).map(|u| format!("\\u{u:04X}")).collect::<String>().into_bytes();
    "as a JSON string with some escapes", "json", true, json_some;
    "as Debug prints a string", "json", true, |b, _| inside_quotes(&format!("{:?}", text(b))).to_vec();
    "as escape_unicode writes it", "json", true, |b, _| text(b).escape_unicode().to_string().into_bytes();
    "as escape_ascii writes it, all hexadecimal", "json", false, |b, _| b.iter().map(|b| format!("\\x{b:02x}")).collect::<String>().into_bytes();
    "HTML-escaped where needed", "html", true, |b, _| html_needed(b);
    "as decimal character references", "html", true, |b, _| text(b).chars().map(|c| format!("&#{};", u32::from(c))).collect::<String>().into_bytes();
    "as hexadecimal character references", "html", true, |b, _| text(b).chars().map(|c| format!("&#x{:X};", u32::from(c))).collect::<String>().into_bytes();
    "as character references of every kind", "html", true, html_some;
    "base64, padded", "base64", false, |b, _| STANDARD.encode(b).into_bytes();
    "base64, not padded", "base64", false, |b, _| STANDARD_NO_PAD.encode(b).into_bytes();
    "base64url, padded", "base64", false, |b, _| URL_SAFE.encode(b).into_bytes();
    "base64url, not padded", "base64", false, |b, _| URL_SAFE_NO_PAD.encode(b).into_bytes();
    "base64 with one byte before and one after", "base64", false, |b, _| STANDARD.encode([b":", b, b"\n"].concat()).into_bytes();
    "base64 with two bytes before and two after", "base64", false, |b, _| STANDARD.encode([b"u:", b, b"\r\n"].concat()).into_bytes();
    "base64 in lines of sixteen", "base64", false, |b, _| wrapped(&STANDARD.encode(b), 16);
    "hex, lower-case", "hex", false, |b, _| hex(b).into_bytes();
    "hex, upper-case", "hex", false, |b, _| hex(b).to_uppercase().into_bytes();
    "hex, mixed case", "hex", false, |b, c| mixed_case(hex(b).to_uppercase(), c);
    "as Debug prints bytes", "decimal", false, |b, _| format!("{b:?}").into_bytes();
    "as pretty Debug prints bytes", "decimal", false, |b, _| format!("{b:#?}").into_bytes();
    "as JSON writes bytes", "decimal", false, |b, _| serde_json::to_vec(b).unwrap();
    "UTF-16, little-endian", "utf-16", true, |b, _| units(b).flat_map(u16::to_le_bytes).collect();
    "UTF-16, big-endian", "utf-16", true, |b, _| units(b).flat_map(u16::to_be_bytes).collect();
};

pub fn reversed(bytes: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().rev().collect::<String>().into_bytes(),
        Err(_) => bytes.iter().rev().copied().collect(),
    }
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    text(bytes).encode_utf16().collect::<Vec<_>>().into_iter()
}

pub fn percent_all(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("%{byte:02X}")).collect()
}

/// Each byte as it stands or escaped, but for those that must be escaped.
fn percent_some(bytes: &[u8], choices: &mut Choices) -> Vec<u8> {
    const MUST: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'&').add(b'#').add(b'+');
    let mut spelled = String::new();
    for byte in bytes {
        match choices.below(3) {
            0 => spelled += &format!("%{byte:02x}"),
            1 => spelled += &format!("%{byte:02X}"),
            _ => spelled += &percent_encoding::percent_encode(&[*byte], MUST).to_string(),
        }
    }
    spelled.into_bytes()
}

pub fn mixed_case(upper: String, choices: &mut Choices) -> Vec<u8> {
    let case = |byte: u8| match choices.below(2) {
        0 => byte.to_ascii_lowercase(),
        _ => byte,
    };
    upper.into_bytes().into_iter().map(case).collect()
}

pub fn json_string(bytes: &[u8]) -> Vec<u8> {
    inside_quotes(&serde_json::to_string(text(bytes)).unwrap()).to_vec()
}

fn inside_quotes(quoted: &str) -> &[u8] {
    &quoted.as_bytes()[1..quoted.len() - 1]
}

/// Any legal JSON spelling of each character.
fn json_some(bytes: &[u8], choices: &mut Choices) -> Vec<u8> {
    let mut spelled = String::new();
    for character in text(bytes).chars() {
        match (choices.below(4), character) {
            (0, _) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    spelled += &format!("\\u{unit:04X}");
                }
            }
            (1, '/') => spelled += "\\/",
            _ => {
                let plain = character.to_string();
                spelled += text(&json_string(plain.as_bytes()));
            }
        }
    }
    spelled.into_bytes()
}

fn html_needed(bytes: &[u8]) -> Vec<u8> {
    let mut spelled = String::new();
    for character in text(bytes).chars() {
        match character {
            '&' => spelled += "&amp;",
            '<' => spelled += "&lt;",
            '>' => spelled += "&gt;",
            '"' => spelled += "&quot;",
            '\'' => spelled += "&#39;",
            other => spelled.push(other),
        }
    }
    spelled.into_bytes()
}

fn html_some(bytes: &[u8], choices: &mut Choices) -> Vec<u8> {
    let mut spelled = String::new();
    for character in text(bytes).chars() {
        let code = u32::from(character);
        match (choices.below(4), character) {
            (0, _) => spelled += &format!("&#{code};"),
            (1, _) => spelled += &format!("&#x{code:x};"),
            (2, '_') => spelled += "&lowbar;",
            (2, '/') => spelled += "&sol;",
            (2, '=') => spelled += "&equals;",
            (2, '+') => spelled += "&plus;",
            (2, '?') => spelled += "&quest;",
            (2, '@') => spelled += "&commat;",
            (2, ':') => spelled += "&colon;",
            (2, 'é') => spelled += "&eacute;",
            _ => spelled += text(&html_needed(character.to_string().as_bytes())),
        }
    }
    spelled.into_bytes()
}

pub fn wrapped(encoded: &str, width: usize) -> Vec<u8> {
    let lines: Vec<&[u8]> = encoded.as_bytes().chunks(width).collect();
    lines.join(&b'\n')
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
