//! Inputs of public faults of scanners and redactors, one vector or more for each.

use proofmark_conformance::scan::judge::VectorKind::{self, NearMiss, Planted, Weak};

use super::{Draft, Fake, TOKEN};

struct Row {
    row: &'static str,
    kind: VectorKind,
    id: &'static str,
    text: &'static str,
    /// How often each secret is found, from which line on, in which encodings.
    finds: &'static [Find],
    absent: &'static [Fake],
    reason: &'static str,
}

type Find = (Fake, usize, u64, &'static [&'static str]);

const fn row(row: &'static str, kind: VectorKind, id: &'static str, text: &'static str) -> Row {
    Row {
        row,
        kind,
        id,
        text,
        finds: &[],
        absent: &[],
        reason: "",
    }
}

const PLAIN: &[&str] = &["plain"];
const BASE64: &[&str] = &["base64"];
const JSON: &[&str] = &["json"];
const JSON_TWICE: &[&str] = &["json > json"];

const fn fake(name: &'static str, value: &'static str) -> Fake {
    Fake {
        name,
        value: value.as_bytes(),
    }
}

const PIN: Fake = fake("pin", "1234");
const ODD: Fake = fake("odd characters", "tok_FAKE??>>~~ok");
const SHORT: Fake = fake("short", "tok_FAKE");
const LONG: Fake = fake("long", "tok_FAKE_12345");
const FIRST: Fake = fake("first", "abcdeX");
const LONGER_FIRST: Fake = fake("longer first", "abcde-fake-X");
const SECOND: Fake = fake("second", "Xvery-fake-value");
const OWN: Fake = fake("own overlap", "abab");
const ANGLED: Fake = fake("angled", "tok<FAKE>&9f3A");
const QUOTED: Fake = fake("quoted", "tok\"FA\\KE/9f3A");
const PASSWORD: Fake = fake("password", "foo\"bar_FAKE_tail");
const USER_INFO: Fake = fake("user info", "tok_FAKE@9f3A");
const BEARER: Fake = fake("bearer", "tok_FAKE_b34r3r_1");
const LOGIN: Fake = fake("login", "admin:admin");

pub fn write(drafts: &mut Vec<Draft>) {
    let tables = [
        ENCODED,
        OVERLAPPING,
        JSON_SPELLINGS,
        PLACES,
        PRINTED,
        CONTROLS,
    ];
    for row in tables.into_iter().flatten() {
        let mut draft = Draft::new(row.kind, row.id, row.text, row.reason).row(row.row);
        for (secret, count, line, encodings) in row.finds {
            draft = draft.finds(*secret, *count, *line, encodings);
        }
        for secret in row.absent {
            draft = draft.secret(*secret);
        }
        drafts.push(draft);
    }
    let host = |n: u32| format!("host{n:02}/pool/web/prod/eu/west/rack{n:03}");
    let hosts: Vec<String> = (0..40).map(host).collect();
    let reason = "a list of hosts that happens to be in the alphabet of base64";
    let draft = Draft::new(
        NearMiss,
        "hosts that look like base64",
        hosts.join("/"),
        reason,
    );
    drafts.push(draft.secret(LOGIN).secret(TOKEN).row("B115"));
}

const SUFFIX: &str = "base64 changes its last characters with what follows the secret";
const ALPHABETS: &str = "the secret needs the two characters in which the alphabets differ";

const ENCODED: &[Row] = &[
    Row {
        finds: &[(PIN, 1, 1, BASE64)],
        reason: "a short secret in base64 with a line end after it: found, or reported as too short",
        ..row("B97", Weak, "pin and line end in base64", "MTIzNAo=")
    },
    Row {
        finds: &[(TOKEN, 1, 1, BASE64)],
        reason: SUFFIX,
        ..row("B97", Planted, "token in base64", "dG9rX0ZBS0VfOWYzQQ==")
    },
    Row {
        finds: &[(TOKEN, 1, 1, BASE64)],
        reason: SUFFIX,
        ..row(
            "B97",
            Planted,
            "token and a line feed in base64",
            "dG9rX0ZBS0VfOWYzQQo=",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, BASE64)],
        reason: SUFFIX,
        ..row(
            "B97",
            Planted,
            "token and two line ends in base64",
            "dG9rX0ZBS0VfOWYzQQ0K",
        )
    },
    Row {
        finds: &[(ODD, 1, 1, BASE64)],
        reason: ALPHABETS,
        ..row(
            "B99",
            Planted,
            "url-safe not padded",
            "dG9rX0ZBS0U_Pz4-fn5vaw",
        )
    },
    Row {
        finds: &[(ODD, 1, 1, BASE64)],
        reason: ALPHABETS,
        ..row(
            "B99",
            Planted,
            "url-safe padded",
            "dG9rX0ZBS0U_Pz4-fn5vaw==",
        )
    },
    Row {
        finds: &[(ODD, 1, 1, BASE64)],
        reason: ALPHABETS,
        ..row(
            "B99",
            Planted,
            "standard not padded",
            "dG9rX0ZBS0U/Pz4+fn5vaw",
        )
    },
    Row {
        finds: &[(ODD, 1, 1, BASE64)],
        reason: ALPHABETS,
        ..row(
            "B99",
            Planted,
            "standard padded",
            "dG9rX0ZBS0U/Pz4+fn5vaw==",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, &["base64", "json > base64"])],
        reason: "a server echoes the credential, base64-encoded, in a JSON member",
        ..row(
            "B100",
            Planted,
            "echo in base64",
            "{\"token\":\"dG9rX0ZBS0VfOWYzQQ==\"}",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, &["json > base64"])],
        reason: "the same with an escape in the JSON string, which must be undone first",
        ..row(
            "B100",
            Planted,
            "echo in escaped base64",
            "{\"token\":\"\\u0064G9rX0ZBS0VfOWYzQQ==\"}",
        )
    },
];

const WITHIN: &str = "a secret within another, which must not hide it, in either order";

const OVERLAPPING: &[Row] = &[
    Row {
        finds: &[(SHORT, 1, 1, PLAIN), (LONG, 1, 1, PLAIN)],
        reason: WITHIN,
        ..row("B102", Planted, "short secret first", "tok_FAKE_12345 used")
    },
    Row {
        finds: &[(LONG, 1, 1, PLAIN), (SHORT, 1, 1, PLAIN)],
        reason: WITHIN,
        ..row("B102", Planted, "long secret first", "tok_FAKE_12345 used")
    },
    Row {
        finds: &[(FIRST, 1, 1, PLAIN)],
        reason: "the other secret starts with the last character of this one, which may be too short to look for",
        ..row(
            "B103",
            Weak,
            "overlap by one, the first",
            "abcdeXvery-fake-value",
        )
    },
    Row {
        finds: &[(SECOND, 1, 1, PLAIN)],
        reason: "the secret starts with the last character of another",
        ..row(
            "B103",
            Planted,
            "overlap by one, the second",
            "abcdeXvery-fake-value",
        )
    },
    Row {
        finds: &[(LONGER_FIRST, 1, 1, PLAIN), (SECOND, 1, 1, PLAIN)],
        reason: "the second secret starts with the last character of the first",
        ..row(
            "B103",
            Planted,
            "overlap by one, both",
            "abcde-fake-Xvery-fake-value",
        )
    },
    Row {
        finds: &[(OWN, 2, 1, PLAIN)],
        reason: "a secret that overlaps itself is there twice, or too plain to look for",
        ..row("B103", Weak, "own overlap", "ababab")
    },
];

const HTML_SAFE: &str = "encoders that guard against HTML write < > & as \\u escapes";
const TWICE: &str = "the same in JSON that is itself a JSON string";

const JSON_SPELLINGS: &[Row] = &[
    Row {
        finds: &[(ANGLED, 1, 1, JSON)],
        reason: HTML_SAFE,
        ..row(
            "B105",
            Planted,
            "html-safe json",
            "tok\\u003cFAKE\\u003e\\u00269f3A",
        )
    },
    Row {
        finds: &[(ANGLED, 1, 1, JSON)],
        reason: HTML_SAFE,
        ..row(
            "B105",
            Planted,
            "html-safe json, upper-case",
            "tok\\u003CFAKE\\u003E\\u00269f3A",
        )
    },
    Row {
        finds: &[(ANGLED, 1, 1, JSON_TWICE)],
        reason: TWICE,
        ..row(
            "B105",
            Planted,
            "html-safe json twice",
            "{\"inner\":\"{\\\"t\\\":\\\"tok\\\\u003cFAKE\\\\u003e\\\\u00269f3A\\\"}\"}",
        )
    },
    Row {
        finds: &[(QUOTED, 1, 1, JSON_TWICE)],
        reason: "quote, backslash and slash in a string within a string",
        ..row(
            "B105",
            Planted,
            "quote and backslash twice",
            "{\"inner\":\"{\\\"t\\\":\\\"tok\\\\\\\"FA\\\\\\\\KE\\\\/9f3A\\\"}\"}",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, JSON)],
        reason: "every character as an escape, which is legal JSON",
        ..row(
            "B105",
            Planted,
            "all escapes",
            "\\u0074\\u006f\\u006b\\u005f\\u0046\\u0041\\u004b\\u0045\\u005f\\u0039\\u0066\\u0033\\u0041",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, JSON_TWICE)],
        reason: TWICE,
        ..row(
            "B105",
            Planted,
            "all escapes twice",
            "\\\\u0074\\\\u006f\\\\u006b\\\\u005f\\\\u0046\\\\u0041\\\\u004b\\\\u0045\\\\u005f\\\\u0039\\\\u0066\\\\u0033\\\\u0041",
        )
    },
    Row {
        finds: &[(PASSWORD, 1, 1, JSON)],
        reason: "a scanner of JSON members stops at the escaped quote",
        ..row(
            "B106",
            Planted,
            "escaped quote inside",
            "{\"password\":\"foo\\\"bar_FAKE_tail\"}",
        )
    },
];

const BY_VALUE: &str = "found by its value, however the name of the parameter is written";
const ONE_AFTER_ANOTHER: &str = "the same secret in one field after another";

const fn place(id: &'static str, text: &'static str, finds: &'static [Find]) -> Row {
    Row {
        finds,
        reason: ONE_AFTER_ANOTHER,
        ..row("B109", Planted, id, text)
    }
}

const PLACES: &[Row] = &[
    Row {
        finds: &[(TOKEN, 1, 1, PLAIN)],
        reason: BY_VALUE,
        ..row(
            "B108",
            Planted,
            "encoded parameter name",
            "?api%5Fkey=tok_FAKE_9f3A",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, PLAIN)],
        reason: BY_VALUE,
        ..row(
            "B108",
            Planted,
            "encoded letter in a parameter name",
            "?%41piKey=tok_FAKE_9f3A",
        )
    },
    Row {
        finds: &[(USER_INFO, 1, 1, PLAIN)],
        reason: "an @ in user information that was not encoded",
        ..row("B108", Planted, "raw at sign", "wss://u:tok_FAKE@9f3A@h/")
    },
    place(
        "in the query",
        "GET /v1?key=tok_FAKE_9f3A HTTP/1.1\r\n",
        &[(TOKEN, 1, 1, PLAIN)],
    ),
    place(
        "in the fragment",
        "GET /v1#tok_FAKE_9f3A HTTP/1.1\r\n",
        &[(TOKEN, 1, 1, PLAIN)],
    ),
    place(
        "in a header",
        "GET /v1 HTTP/1.1\r\nx-key: tok_FAKE_9f3A\r\n",
        &[(TOKEN, 1, 2, PLAIN)],
    ),
    place(
        "in a location",
        "HTTP/1.1 302 Found\r\nlocation: https://h.example.test/?t=tok_FAKE_9f3A\r\n",
        &[(TOKEN, 1, 2, PLAIN)],
    ),
    place(
        "in a body",
        "HTTP/1.1 200 OK\r\n\r\n{\"t\":\"tok_FAKE_9f3A\"}",
        &[(TOKEN, 1, 3, PLAIN)],
    ),
    place(
        "in an error source",
        "Error: request failed\n\nCaused by:\n    0: bad header tok_FAKE_9f3A\n",
        &[(TOKEN, 1, 4, PLAIN)],
    ),
    place(
        "in a trace field",
        "TRACE send{url=\"https://h.example.test\"}: key=tok_FAKE_9f3A",
        &[(TOKEN, 1, 1, PLAIN)],
    ),
];

const PRINTED: &[Row] = &[
    Row {
        finds: &[(BEARER, 1, 1, PLAIN), (TOKEN, 1, 1, PLAIN)],
        reason: "Debug of a request whose headers lost their sensitive mark",
        ..row(
            "B111",
            Planted,
            "debug of headers",
            "Request { method: GET, headers: {\"authorization\": \"Bearer tok_FAKE_b34r3r_1\", \"x-api-key\": \"tok_FAKE_9f3A\"} }",
        )
    },
    Row {
        absent: &[BEARER, TOKEN],
        reason: "the mark kept: nothing is shown",
        ..row(
            "B111",
            NearMiss,
            "debug of sensitive headers",
            "Request { method: GET, headers: {\"authorization\": Sensitive, \"x-api-key\": Sensitive} }",
        )
    },
    Row {
        finds: &[(TOKEN, 1, 1, PLAIN)],
        reason: "a refusal prints the whole configuration",
        ..row(
            "B112",
            Planted,
            "config in a refusal",
            "denied: not allowed by Config { host: \"h\", token: \"tok_FAKE_9f3A\" }",
        )
    },
    Row {
        absent: &[TOKEN],
        reason: "a refusal names only the parts of the configuration",
        ..row(
            "B112",
            NearMiss,
            "names in a refusal",
            "denied: not allowed by Config (host, token)",
        )
    },
];

const TOO_SHORT: &str = "too short to look for: neither silence nor half the text";

const CONTROLS: &[Row] = &[
    Row {
        absent: &[fake("short one", "{")],
        reason: TOO_SHORT,
        ..row("B114", Weak, "a brace", "{\"a\":{\"b\":1}}")
    },
    Row {
        absent: &[fake("short one", "a")],
        reason: TOO_SHORT,
        ..row("B114", Weak, "a letter", "an apple a day")
    },
    Row {
        finds: &[(PIN, 1, 1, PLAIN)],
        reason: "too short to look for, or found where it stands",
        ..row("B114", Weak, "four digits", "pin=1234")
    },
    Row {
        finds: &[(LOGIN, 1, 1, PLAIN)],
        reason: "one finding, not one for each decoder that sees it",
        ..row(
            "B115",
            Planted,
            "one finding",
            "http://admin:admin@127.0.0.1",
        )
    },
];
