//! Texts that hold a secret: every encoding of every kind of secret, every alignment, encodings of
//! encodings, and splits.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use proofmark_conformance::scan::judge::VectorKind::Planted;

use super::{Draft, KEY, SECRETS, SYMBOLS, TOKEN};
use crate::spellings::{Choices, SPELLINGS, Spelling, reversed};

pub fn write(drafts: &mut Vec<Draft>) {
    plain(drafts);
    once(drafts);
    twice(drafts);
    alignments(drafts);
    splits(drafts);
}

/// Puts a spelling where such spellings are met; the second part is the line it is on.
fn in_place(number: usize, spelled: &[u8]) -> (Vec<u8>, u64) {
    let (before, after, line): (&str, &str, u64) = match number % 6 {
        0 => ("level=info msg=\"sent\" key='", "' took=3ms\n", 1),
        1 => ("{\"a\":1,\"b\":\"", "\",\"c\":[true,null]}", 1),
        2 => (
            "GET /v1/items?limit=10&key=",
            " HTTP/1.1\r\nhost: api.example.test\r\n\r\n",
            1,
        ),
        3 => ("first line\nsecond line\n\n", "\nlast line\n", 4),
        4 => ("<td>one</td>\n<td title='", "'>two</td>", 2),
        _ => ("", "", 1),
    };
    (
        [before.as_bytes(), spelled, after.as_bytes()].concat(),
        line,
    )
}

fn plain(drafts: &mut Vec<Draft>) {
    for (number, secret) in SECRETS.into_iter().enumerate() {
        let id = format!("plain {}", secret.name);
        let (text, line) = in_place(number, secret.value);
        let reason = "the secret as it is";
        drafts.push(Draft::new(Planted, &id, text, reason).finds(secret, 1, line, &["plain"]));

        let (text, line) = in_place(number + 3, &reversed(secret.value));
        let id = format!("reversed {}", secret.name);
        let reason = "the secret written backwards";
        drafts.push(Draft::new(Planted, &id, text, reason).finds(secret, 1, line, &["reversed"]));
    }
}

/// Each encoding of each secret.
fn once(drafts: &mut Vec<Draft>) {
    for (number, spelling) in SPELLINGS.iter().enumerate() {
        for (offset, secret) in SECRETS.into_iter().enumerate() {
            let Some(spelled) = spell(*spelling, secret.value, number as u64) else {
                continue;
            };
            if spelled == secret.value {
                continue;
            }
            let id = format!("{} {}", spelling.name, secret.name);
            let (text, mut line) = in_place(number + offset, &spelled);
            // A pretty list has its first number on its second line.
            line += u64::from(spelled.starts_with(b"[\n"));
            let reason = format!("the secret {}", spelling.name);
            let draft = Draft::new(Planted, &id, text, &reason);
            drafts.push(draft.finds(secret, 1, line, &[spelling.encoding]));
        }
    }
}

fn spell(spelling: Spelling, bytes: &[u8], seed: u64) -> Option<Vec<u8>> {
    let fits = !spelling.text_only || std::str::from_utf8(bytes).is_ok();
    fits.then(|| (spelling.spell)(bytes, &mut Choices::new(seed + 7)))
}

/// One spelling for each way an encoding is met inside or around another.
const FORMS: [&str; 10] = [
    "percent-encoded, every byte, upper-case",
    "percent-encoded but for letters and digits",
    "as a JSON string",
    "as a JSON string of \\u escapes",
    "HTML-escaped where needed",
    "as decimal character references",
    "base64, padded",
    "hex, lower-case",
    "as Debug prints bytes",
    "UTF-16, little-endian",
];

/// Each form of each form; the inner one escapes something, or the vector would say little.
fn twice(drafts: &mut Vec<Draft>) {
    let form = |name: &&str| SPELLINGS.iter().find(|spelling| spelling.name == *name);
    let forms: Vec<&Spelling> = FORMS.iter().filter_map(form).collect();
    assert_eq!(forms.len(), FORMS.len());
    for (number, inner) in forms.iter().enumerate() {
        for (offset, outer) in forms.iter().enumerate() {
            let secret = SYMBOLS;
            let Some(once) = spell(**inner, secret.value, 0) else {
                continue;
            };
            let Some(twice) = spell(**outer, &once, 1) else {
                continue;
            };
            let chain = format!("{} > {}", outer.encoding, inner.encoding);
            // Where the outer encoding has nothing to escape, one encoding is left.
            let chain = if twice == once {
                inner.encoding
            } else {
                &chain
            };
            let id = format!("{} of {}", outer.name, inner.name);
            let (text, line) = in_place(number + offset, &twice);
            let reason = format!("the secret {}, and that {}", inner.name, outer.name);
            let draft = Draft::new(Planted, &id, text, &reason);
            drafts.push(draft.finds(secret, 1, line, &[chain]));
        }
        if let Some(text) = spell(**inner, &reversed(TOKEN.value), 0) {
            let chain = format!("{} > reversed", inner.encoding);
            // A token has nothing that must be escaped.
            let chain = if text == reversed(TOKEN.value) {
                "reversed"
            } else {
                &chain
            };
            let id = format!("{} of reversed", inner.name);
            let reason = format!("the secret backwards, and that {}", inner.name);
            drafts.push(Draft::new(Planted, &id, text, &reason).finds(TOKEN, 1, 1, &[chain]));
        }
    }
}

/// Base64 of the secret amid other bytes, so that it starts and ends anywhere in a quantum.
fn alignments(drafts: &mut Vec<Draft>) {
    let engines = [
        ("standard, padded", STANDARD),
        ("standard", STANDARD_NO_PAD),
        ("url-safe, padded", URL_SAFE),
        ("url-safe", URL_SAFE_NO_PAD),
    ];
    for (name, engine) in engines {
        for before in 0..3 {
            for after in 0..3 {
                let secret = if (before + after) % 2 == 0 {
                    SYMBOLS
                } else {
                    KEY
                };
                let bytes = [&b"u:"[..before], secret.value, &b"\r\n"[..after]].concat();
                let id = format!("base64 {name} after {before} before {after}");
                let (text, line) = in_place(before + after, engine.encode(bytes).as_bytes());
                let reason = format!(
                    "base64, {name}, with {before} bytes before the secret and {after} after it"
                );
                let draft = Draft::new(Planted, &id, text, &reason);
                drafts.push(draft.finds(secret, 1, line, &["base64"]));
            }
        }
    }
    let basic = STANDARD.encode([b"admin:", TOKEN.value].concat());
    let text = format!("authorization: Basic {basic}\r\n");
    let reason = "the password of a Basic header";
    drafts.push(Draft::new(Planted, "basic header", text, reason).finds(TOKEN, 1, 1, &["base64"]));
    let text = format!("key_{}", URL_SAFE_NO_PAD.encode(KEY.value));
    let reason =
        "characters of the alphabet before the encoded secret shift a decoder's view of it";
    drafts.push(
        Draft::new(Planted, "base64 after a prefix", text, reason).finds(KEY, 1, 1, &["base64"]),
    );
}

/// Halves in neighbouring fields: only a scanner that knows fields can see them together.
fn splits(drafts: &mut Vec<Draft>) {
    let splits: [(&str, &[&str], &str); 5] = [
        ("halves", &["tok_FAKE", "_9f3A"], "plain"),
        (
            "three parts amid others",
            &["GET", "tok_", "FAKE_", "9f3A", "end"],
            "plain",
        ),
        ("halves of base64", &["dG9rX0ZBS0", "VfOWYzQQ=="], "base64"),
        ("halves of hex", &["746f6b5f4641", "4b455f39663341"], "hex"),
        ("halves of an escape", &["tok%5", "FFAKE_9f3A"], "percent"),
    ];
    for (name, fields, encoding) in splits {
        let id = format!("split {name}");
        let reason = "the secret is split over neighbouring fields";
        let draft = Draft::new(Planted, &id, fields.concat(), reason).fields(fields);
        drafts.push(draft.finds(TOKEN, 1, 1, &[encoding]));
    }
}
