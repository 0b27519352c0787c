//! PATH-12, 14 and 19: what is sent as it is, and what the requirements leave open.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};

use crate::path_plan::drafts::{ValueDrafts, group};
use crate::path_plan::oracle::value::Declared;

/// A requirement, an answer, a reason, and values.
type Row = (
    u8,
    proofmark_conformance::vectors::path::Answer,
    &'static str,
    &'static [&'static str],
);

const ROWS: &[Row] = &[
    (
        14,
        Accept,
        "letters, digits and the unreserved marks are sent as they are",
        &[
            "a",
            "Z",
            "0",
            "42",
            "C0018787",
            "a-b_c~d",
            "0b4f8f1e-7c1d-4a53-9f0e-1d2c3b4a5f60",
            "-1",
            "_",
            "~",
        ],
    ),
    (
        14,
        Accept,
        "a word that programs know is only text here",
        &[
            "null",
            "true",
            "false",
            "undefined",
            "NaN",
            "1e5",
            "None",
            "0x1F",
            "admin",
            "id",
        ],
    ),
    (
        14,
        Accept,
        "the delimiters that a segment may hold pass",
        &[
            "a!b", "a$b", "a&b", "it's", "a(b)", "a*b", "a+b", "a,b", "a;b=c", "a=b", "a:b", "a@b",
            "$", "&", "=",
        ],
    ),
    (
        14,
        Accept,
        "marks that have to be encoded pass, as they are or encoded",
        &[
            "a\"b",
            "a<b>",
            "a^b",
            "a`b",
            "a|b",
            "[1]",
            "a b",
            "a  b",
            "salt & pepper",
        ],
    ),
    (
        14,
        Accept,
        "text in any script passes",
        &[
            "é",
            "naïve",
            "Straße",
            "日本語",
            "한국",
            "Ελλάδα",
            "Москва",
            "😀",
            "👩\u{1F3FD}",
            "e\u{301}",
            "ﬀ",
            "ı",
            "שלום",
        ],
    ),
    (
        14,
        Either,
        "a value of white space, or with some at its edge, may be refused",
        &[
            " ",
            "  ",
            " a",
            "a ",
            "%20",
            "a%20",
            "\u{3000}",
            "a\u{2003}",
            "\u{A0}b",
        ],
    ),
    (
        14,
        Either,
        "characters that nobody sees may be refused",
        &[
            "a\u{200B}b",
            "\u{FEFF}a",
            "a\u{202E}b",
            "a\u{2028}b",
            "a\u{AD}b",
            "a\u{85}b",
            "a\u{80}b",
            "\u{2060}",
            "a\u{200D}b",
        ],
    ),
    (
        14,
        Either,
        "escapes of bytes that are no UTF-8 may be refused",
        &[
            "%80",
            "%E9t%E9",
            "%ff",
            "a%c3",
            "%C3%28",
            "%e2%82",
            "%f0%9f%98",
            "%ed%a0%80",
            "%fe%ff",
            "a%bfb",
        ],
    ),
    (
        12,
        Either,
        "a brace is refused or encoded, at whatever step",
        &[
            "{b}",
            "x{b}y",
            "{",
            "}",
            "{{",
            "{}",
            "${v}",
            "{a",
            "a}",
            "%7Bb%7D",
            "%7b",
            "a%7Db",
            "{\"k\":1}",
            "}{",
        ],
    ),
    (
        19,
        Accept,
        "a scheme without slashes is a segment like any other",
        &[
            "http:evil.example.test",
            "mailto:x@y.test",
            "urn:isbn:12",
            "javascript:1",
            "data:,x",
            "items:batchGet",
            "a:",
            ":b",
        ],
    ),
    (
        19,
        Accept,
        "an authority without slashes is a segment like any other",
        &[
            "@evil.example.test",
            "user:pw@evil.example.test",
            ":8443",
            "evil.example.test:443",
            "x@y",
            "@",
            "evil.example.test",
        ],
    ),
];

pub fn write(drafts: &mut ValueDrafts) {
    for (requirement, answer, reason, values) in ROWS {
        for value in *values {
            drafts.add(
                group(*requirement, *answer, reason),
                value,
                Declared::default(),
            );
        }
    }
    let origin = group(
        19,
        Refuse,
        "a value that names an origin of its own holds a separator",
    );
    let values = [
        "//evil.example.test",
        "https://evil.example.test",
        "http:/x",
        "/\\evil.example.test",
        "\\\\evil.example.test",
        "\\/evil.example.test",
        "/\t/evil.example.test",
        "/\n/evil.example.test",
        "%2F%2Fevil.example.test",
        "https:%2f%2fevil.example.test",
        "%5C%5cevil.example.test",
        "//user@evil.example.test:443",
        "ftp:\\x",
        "///x",
    ];
    for value in values {
        drafts.add_with(
            origin.field(32),
            value,
            "evil.example.test",
            Declared::default(),
        );
    }
}
