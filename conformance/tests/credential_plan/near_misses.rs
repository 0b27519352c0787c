//! Texts that nearly hold a secret, and do not.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use proofmark_conformance::scan::judge::VectorKind::NearMiss;

use super::{Draft, Fake, KEY, PHRASE, SECRETS, SYMBOLS, TOKEN};
use crate::spellings::{Choices, SPELLINGS, hex, percent_all, reversed, text};

pub fn write(drafts: &mut Vec<Draft>) {
    other_values(drafts);
    cut_off(drafts);
    letter_case(drafts);
    base64_neighbours(drafts);
    base64_disorder(drafts);
    lists(drafts);
    widths(drafts);
    exchanged(drafts);
    broken_escapes(drafts);
    garbled(drafts);
    look_alikes(drafts);
}

fn push(drafts: &mut Vec<Draft>, secret: Fake, id: &str, text: impl Into<Vec<u8>>, reason: &str) {
    drafts.push(Draft::new(NearMiss, id, text, reason).secret(secret));
}

/// One character off, at the start, in the middle and at the end, in every encoding.
fn other_values(drafts: &mut Vec<Draft>) {
    for (number, spelling) in SPELLINGS.iter().enumerate() {
        let places = [
            ("first", 0),
            ("middle", TOKEN.value.len() / 2),
            ("last", TOKEN.value.len() - 1),
        ];
        let (place, at) = places[number % places.len()];
        let mut value = TOKEN.value.to_vec();
        // The lowest bit: the smallest difference there is.
        value[at] ^= 1;
        let spelled = (spelling.spell)(&value, &mut Choices::new(number as u64));
        let id = format!("near {} {place} character", spelling.name);
        let reason = format!("{}, its {place} character off by one", spelling.name);
        push(
            drafts,
            TOKEN,
            &id,
            [b"key=", &spelled[..]].concat(),
            &reason,
        );
    }
    for secret in SECRETS {
        let mut value = secret.value.to_vec();
        let last = value.len() - 1;
        value[last] ^= 2;
        let id = format!("near plain {}", secret.name);
        push(
            drafts,
            secret,
            &id,
            value,
            "as it is, its last byte off by one bit",
        );
    }
}

/// All but the last character, in every encoding.
fn cut_off(drafts: &mut Vec<Draft>) {
    for (number, spelling) in SPELLINGS.iter().enumerate() {
        let (secret, value) = match number % 2 {
            0 => (TOKEN, &TOKEN.value[..TOKEN.value.len() - 1]),
            _ => (KEY, &KEY.value[1..]),
        };
        let spelled = (spelling.spell)(value, &mut Choices::new(number as u64));
        let id = format!("cut off {}", spelling.name);
        let reason = format!("{}, one character too few", spelling.name);
        push(drafts, secret, &id, spelled, &reason);
    }
    for (id, encoded, kept, reason) in [
        ("hex", hex(TOKEN.value), 25, "the last digit is missing"),
        (
            "base64",
            STANDARD_NO_PAD.encode(TOKEN.value),
            17,
            "the last character is missing, and six bits with it",
        ),
        (
            "percent",
            percent_all(TOKEN.value),
            38,
            "the last escape is cut off",
        ),
        (
            "json",
            format!("tok_FAKE_9f3{}", "\\u0041"),
            17,
            "the last escape is cut off",
        ),
    ] {
        let id = format!("cut off inside {id}");
        push(drafts, TOKEN, &id, &encoded[..kept], reason);
    }
}

fn letter_case(drafts: &mut Vec<Draft>) {
    for secret in [TOKEN, KEY, SYMBOLS, PHRASE] {
        for (name, changed) in [
            ("upper", secret.value.to_ascii_uppercase()),
            ("lower", secret.value.to_ascii_lowercase()),
        ] {
            let id = format!("{name} case {}", secret.name);
            push(
                drafts,
                secret,
                &id,
                changed,
                "letter case matters in a secret",
            );
        }
    }
    for (name, changed) in [
        ("upper", STANDARD.encode(TOKEN.value).to_uppercase()),
        ("lower", STANDARD.encode(TOKEN.value).to_lowercase()),
    ] {
        let id = format!("{name} case base64");
        push(drafts, TOKEN, &id, changed, "letter case matters in base64");
    }
}

/// The characters of base64 that the secret determines wholly, between others that contradict it.
fn base64_neighbours(drafts: &mut Vec<Draft>) {
    for (before, index) in [(1, 1), (2, 2)] {
        let prefix = &b"::"[..before];
        let mut encoded = STANDARD_NO_PAD
            .encode([prefix, TOKEN.value].concat())
            .into_bytes();
        // The lowest bit of a shared character belongs to the secret.
        encoded[index] = if encoded[index] == b'A' {
            b'B'
        } else {
            other(encoded[index])
        };
        let id = format!("base64 after {before} wrong first bits");
        push(
            drafts,
            TOKEN,
            &id,
            encoded,
            "the first bits of the secret, in a shared character, are others",
        );
        let encoded = STANDARD_NO_PAD.encode([prefix, TOKEN.value].concat());
        let id = format!("base64 after {before} without its first bits");
        push(
            drafts,
            TOKEN,
            &id,
            &encoded[index + 1..],
            "the first bits of the secret are missing",
        );
    }
    for length in [11, 12, 13] {
        let secret = Fake {
            name: "token",
            value: &b"tok_FAKE_9f3A"[..length],
        };
        let shared = length * 8 % 6;
        if shared == 0 {
            continue;
        }
        let mut encoded = STANDARD_NO_PAD.encode(secret.value).into_bytes();
        let last = encoded.len() - 1;
        // The highest bit of the last character belongs to the secret.
        encoded[last] = flip_highest(encoded[last]);
        let id = format!("base64 of {length} wrong last bits");
        push(
            drafts,
            secret,
            &id,
            encoded,
            "the last bits of the secret, in a shared character, are others",
        );
    }
}

fn base64_disorder(drafts: &mut Vec<Draft>) {
    let shifted: String = STANDARD_NO_PAD.encode(TOKEN.value).chars().rev().collect();
    push(
        drafts,
        TOKEN,
        "base64 backwards",
        shifted,
        "base64 written backwards is another text",
    );
    let gap = STANDARD_NO_PAD.encode(TOKEN.value);
    let text = format!("{}.{}", &gap[..9], &gap[9..]);
    push(
        drafts,
        TOKEN,
        "base64 with a dot inside",
        text,
        "a dot ends base64, and its halves hold only halves",
    );
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn sextet(character: u8) -> usize {
    ALPHABET
        .iter()
        .position(|other| *other == character)
        .unwrap()
}

fn other(character: u8) -> u8 {
    ALPHABET[sextet(character) ^ 1]
}

fn flip_highest(character: u8) -> u8 {
    ALPHABET[sextet(character) ^ 32]
}

fn lists(drafts: &mut Vec<Draft>) {
    let numbers = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| u16::from(*byte))
            .collect::<Vec<_>>()
    };
    let mut missing = numbers(TOKEN.value);
    missing.remove(4);
    push(
        drafts,
        TOKEN,
        "list with a gap",
        format!("{missing:?}"),
        "one number is missing",
    );
    let mut wide = numbers(TOKEN.value);
    wide[2] += 256;
    push(
        drafts,
        TOKEN,
        "list of wider numbers",
        format!("{wide:?}"),
        "a number is no byte",
    );
    let mut swapped = numbers(TOKEN.value);
    swapped.swap(3, 4);
    push(
        drafts,
        TOKEN,
        "list in another order",
        format!("{swapped:?}"),
        "two numbers are exchanged",
    );
    let joined: String = TOKEN.value.iter().map(ToString::to_string).collect();
    push(
        drafts,
        TOKEN,
        "numbers run together",
        joined,
        "nobody can tell the numbers apart",
    );
}

fn widths(drafts: &mut Vec<Draft>) {
    let units = text(TOKEN.value).encode_utf16();
    let little: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    let mut doubled = little.clone();
    doubled.insert(6, 0);
    push(
        drafts,
        TOKEN,
        "utf-16 out of step",
        doubled,
        "a byte too many: the rest is out of step",
    );
    let mut high = little.clone();
    high[7] = 1;
    push(
        drafts,
        TOKEN,
        "utf-16 with another high byte",
        high,
        "one character lies elsewhere",
    );
    push(
        drafts,
        TOKEN,
        "utf-16 cut off",
        &little[..24],
        "the last character is missing",
    );
    let pairs: Vec<u8> = TOKEN
        .value
        .chunks(2)
        .flat_map(|pair| pair.iter().rev().copied())
        .collect();
    push(
        drafts,
        TOKEN,
        "bytes exchanged in pairs",
        pairs,
        "each pair of characters is exchanged",
    );
}

fn exchanged(drafts: &mut Vec<Draft>) {
    let digits: String = hex(TOKEN.value)
        .as_bytes()
        .chunks(2)
        .flat_map(|pair| [pair[1] as char, pair[0] as char])
        .collect();
    push(
        drafts,
        TOKEN,
        "hex digits exchanged",
        digits,
        "each pair of digits is exchanged",
    );
    let mut digits = hex(TOKEN.value);
    digits.insert(7, 'g');
    push(
        drafts,
        TOKEN,
        "hex with a letter inside",
        digits,
        "g is no hex digit",
    );
    let mut backwards = reversed(TOKEN.value);
    backwards.swap(0, 1);
    push(
        drafts,
        TOKEN,
        "backwards with an exchange",
        backwards,
        "backwards, two characters exchanged",
    );
}

/// Id, text and reason.
const BROKEN_ESCAPES: &[(&str, &str, &str)] = &[
    (
        "percent of one digit",
        "tok%5FAK%4",
        "an escape takes two digits",
    ),
    (
        "percent of no digits",
        "tok%zzFAKE_9f3A",
        "no escape, and no underscore",
    ),
    (
        "percent without its sign",
        "tok5FFAKE_9f3A",
        "no escape without the sign",
    ),
    (
        "percent of another character",
        "tok%5EFAKE_9f3A",
        "the escape means another character",
    ),
    (
        "json escape of three digits",
        "tok\\u05fFAKE_9f3A",
        "the escape takes a digit of the text and means another character",
    ),
    (
        "json escape of another character",
        "tok\\u005eFAKE_9f3A",
        "the escape means another character",
    ),
    (
        "json escape without its backslash",
        "toku005fFAKE_9f3A",
        "no escape without the backslash",
    ),
    (
        "json escaped backslash",
        "tok\\\\_FAKE_9f3A",
        "an escaped backslash stands in between",
    ),
    (
        "html reference of another character",
        "tok&#94;FAKE_9f3A",
        "the reference means another character",
    ),
    (
        "html reference unknown",
        "tok&lowba;FAKE_9f3A",
        "no such name",
    ),
    (
        "html reference without its sign",
        "toklowbar;FAKE_9f3A",
        "no reference without the sign",
    ),
    (
        "html reference out of range",
        "tok&#99999999;FAKE_9f3A",
        "no such character",
    ),
];

fn broken_escapes(drafts: &mut Vec<Draft>) {
    for (id, text, reason) in BROKEN_ESCAPES {
        push(drafts, TOKEN, id, *text, reason);
    }
    let (id, reason) = ("plus for a space", "the last letter is missing");
    push(drafts, PHRASE, id, "vorpal+FAKE+mimsy+gimbl", reason);
}

/// Text that decodes to something, but to no secret.
fn garbled(drafts: &mut Vec<Draft>) {
    let mut choices = Choices::new(5);
    let noise: Vec<u8> = (0..600).map(|_| choices.below(256) as u8).collect();
    let paths: String = (0..30)
        .map(|n| format!("/srv/data/tokFAKE/shard{n}"))
        .collect();
    let dates: String = (0..30)
        .map(|n| format!("2024-06-01T10:{n:02}:00Z "))
        .collect();
    for (id, text) in [
        ("noise", noise.clone()),
        ("noise in base64", STANDARD.encode(&noise).into_bytes()),
        ("noise in hex", hex(&noise).into_bytes()),
        ("noise in percent", percent_all(&noise).into_bytes()),
        ("noise as a list", format!("{noise:?}").into_bytes()),
        ("long paths", paths.into_bytes()),
        ("dates", dates.into_bytes()),
        ("zeros", vec![0; 300]),
        ("backslashes", vec![b'\\'; 300]),
        ("percent signs", vec![b'%'; 300]),
        ("one letter", vec![b'A'; 300]),
    ] {
        push(
            drafts,
            TOKEN,
            &format!("garbled {id}"),
            text,
            "it decodes, but to no secret",
        );
    }
}

fn look_alikes(drafts: &mut Vec<Draft>) {
    for (id, text) in [
        ("Cyrillic letter", "tоk_FAKE_9f3A"),
        ("full-width letters", "ｔｏｋ_FAKE_9f3A"),
        ("accented letter", "tök_FAKE_9f3A"),
        ("other dash", "tok-FAKE-9f3A"),
        ("zero for o", "t0k_FAKE_9f3A"),
        ("doubled letter", "tokk_FAKE_9f3A"),
        ("missing letter", "tk_FAKE_9f3A"),
        ("exchanged letters", "tko_FAKE_9f3A"),
        ("halves in another order", "_9f3Atok_FAKE"),
        ("halves apart", "tok_FAKE and _9f3A"),
        ("masked middle", "tok_****_9f3A"),
        ("only the start", "tok_FAKE"),
        ("only the end", "FAKE_9f3A"),
    ] {
        push(
            drafts,
            TOKEN,
            &format!("look-alike {id}"),
            text,
            "it looks like the secret and is not",
        );
    }
}
