//! Secrets that are too short or too plain to be looked for: a scan that skips one is not clean.

use proofmark_conformance::scan::judge::VectorKind::Weak;

use super::{Draft, Fake};

pub fn write(drafts: &mut Vec<Draft>) {
    let reason = "nobody can look for it, so its absence is not proven";
    for (id, value, text) in [
        ("empty", &b""[..], "anything at all"),
        ("one space", b" ", "a b c"),
        ("two digits", b"42", "the answer is 42"),
        (
            "one letter many times",
            b"aaaaaaaaaaaa",
            "aaaaaaaaaaaaaaaaaaaaaaaa",
        ),
        (
            "zeros",
            b"00000000",
            "id=00000000-0000-0000-0000-000000000000",
        ),
        ("an everyday word", b"password", "{\"password\":null}"),
        ("an everyday word in capitals", b"PASSWORD", "PASSWORD=\n"),
        ("a field name", b"authorization", "authorization: none"),
    ] {
        let secret = Fake {
            name: "weak one",
            value,
        };
        drafts.push(Draft::new(Weak, &format!("weak {id}"), text, reason).secret(secret));
    }
}
