//! Texts that hold several occurrences: overlapping, of several secrets, on several lines.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proofmark_conformance::scan::judge::VectorKind::Planted;

use super::{BINARY, Draft, Fake, PHRASE, TOKEN};
use crate::spellings::{hex, percent_all};

const LONG: Fake = Fake {
    name: "long",
    value: b"tok_FAKE_9f3A_and_more",
};

const TAIL: Fake = Fake {
    name: "tail",
    value: b"9f3A_and_more_still",
};

const PERIODIC: Fake = Fake {
    name: "periodic",
    value: b"tok1tok1",
};

pub fn write(drafts: &mut Vec<Draft>) {
    overlaps(drafts);
    self_overlaps(drafts);
    lines(drafts);
}

fn draft(id: &str, text: impl Into<Vec<u8>>, reason: &str) -> Draft {
    Draft::new(Planted, id, text, reason)
}

fn overlaps(drafts: &mut Vec<Draft>) {
    let reason = "one secret holds another";
    let contained = draft("overlap contained", LONG.value, reason);
    drafts.push(
        contained
            .finds(TOKEN, 1, 1, &["plain"])
            .finds(LONG, 1, 1, &["plain"]),
    );

    let text = "tok_FAKE_9f3A_and_more_still";
    let reason = "each secret starts inside the one before";
    let chained = |id: &str, text: String, encoding: &str| {
        draft(id, text, reason)
            .finds(TOKEN, 1, 1, &[encoding])
            .finds(LONG, 1, 1, &[encoding])
            .finds(TAIL, 1, 1, &[encoding])
    };
    drafts.push(chained("overlap chained", text.to_owned(), "plain"));
    drafts.push(chained(
        "overlap chained in base64",
        STANDARD.encode(text),
        "base64",
    ));
    drafts.push(chained(
        "overlap chained in percent",
        percent_all(text.as_bytes()),
        "percent",
    ));
    drafts.push(chained(
        "overlap chained in hex",
        hex(text.as_bytes()),
        "hex",
    ));
    let backwards = text.chars().rev().collect();
    drafts.push(chained("overlap chained backwards", backwards, "reversed"));
}

fn self_overlaps(drafts: &mut Vec<Draft>) {
    let text = "tok1tok1tok1tok1";
    let reason = "a secret that overlaps itself stands there three times";
    for (name, text, encoding) in [
        ("plain", text.to_owned(), "plain"),
        ("base64", STANDARD.encode(text), "base64"),
        ("hex", hex(text.as_bytes()), "hex"),
    ] {
        let id = format!("overlap with itself {name}");
        drafts.push(draft(&id, text, reason).finds(PERIODIC, 3, 1, &[encoding]));
    }
    let reason = "two overlapping occurrences, of which one has an escape";
    let escaped = draft(
        "overlap with itself and an escape",
        "%74ok1tok1tok1",
        reason,
    );
    drafts.push(escaped.finds(PERIODIC, 2, 1, &["plain", "percent"]));
}

fn lines(drafts: &mut Vec<Draft>) {
    let text =
        "tok_FAKE_9f3A\ntok%5FFAKE_9f3A\n746f6b5f46414b455f39663341\nno\ndG9rX0ZBS0VfOWYzQQ==\n";
    let reason = "a secret on every line but one, each in another encoding";
    let encodings = ["plain", "percent", "hex", "base64"];
    drafts.push(draft("several lines", text, reason).finds(TOKEN, 4, 1, &encodings));

    let (phrase, binary) = (percent_all(PHRASE.value), hex(BINARY.value));
    let text = [
        b"a ",
        TOKEN.value,
        b"\nb ",
        phrase.as_bytes(),
        b"\nc ",
        binary.as_bytes(),
    ];
    let reason = "three secrets in one text, in three encodings";
    let several = draft("several secrets", text.concat(), reason);
    drafts.push(
        several
            .finds(TOKEN, 1, 1, &["plain"])
            .finds(PHRASE, 1, 2, &["percent"])
            .finds(BINARY, 1, 3, &["hex"]),
    );

    // The secret begins four bytes before a multiple of 4096.
    let text = [&b"0123456\n".repeat(511)[..], b"0123", TOKEN.value, b"\n"].concat();
    let reason = "the secret across the end of a buffer of a usual size";
    drafts.push(draft("across a buffer", text, reason).finds(TOKEN, 1, 512, &["plain"]));
}
