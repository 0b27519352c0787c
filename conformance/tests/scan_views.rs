//! Every view of a value is searched, and no message shows the secret.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proofmark_conformance::scan::{
    CredentialFound, Floor, Scanner, Secret, TextKind, TextSource, TraceCapture, Unproven,
    ViewError, assert_no_credential, check_no_credential,
};
use proofmark_conformance::toolkit::request::{OutboundRequest, RequestPhase};
use rstest::rstest;
use serde::{Serialize, Serializer};
use tracing_subscriber::layer::SubscriberExt as _;

const TOKEN: &str = "tok_FAKE_9f3A";

fn found(checked: Result<(), ViewError>) -> CredentialFound {
    match checked {
        Err(ViewError::Found(found)) => {
            let shown = format!("{found} {found:?}");
            let scanner = Scanner::builder()
                .secret(Secret::new("s", TOKEN))
                .build()
                .unwrap();
            assert!(
                scanner.scan(shown.as_bytes()).findings.is_empty(),
                "the message tells"
            );
            assert!(
                !shown.contains("tok_FA") && !shown.contains("E_9f3A"),
                "{shown}"
            );
            found
        }
        other => panic!("expected a finding, got {other:?}"),
    }
}

fn fields(checked: Result<(), ViewError>) -> Vec<String> {
    let found = found(checked);
    let places = found.places().iter();
    places
        .map(|place| format!("{} {}", place.field, place.view))
        .collect()
}

#[derive(Default)]
struct Parts {
    tool: String,
    method: String,
    path: String,
    query: Vec<(String, String)>,
    body: serde_json::Value,
    call_id: String,
}

impl Parts {
    fn check(&self) -> Result<(), ViewError> {
        let Self {
            tool,
            method,
            path,
            query,
            body,
            call_id,
        } = self;
        let request = OutboundRequest::new(tool, method, path, query, Some(body))
            .with_call_id(call_id)
            .with_phase(RequestPhase::Validate);
        check_no_credential!(TOKEN, request)
    }
}

#[rstest]
#[case("tool", Parts { tool: TOKEN.into(), ..Parts::default() })]
#[case("method", Parts { method: TOKEN.into(), ..Parts::default() })]
#[case("path", Parts { path: format!("https://api.example.test/?k={TOKEN}"), ..Parts::default() })]
#[case("query[0].key", Parts { query: vec![(TOKEN.into(), "v".into())], ..Parts::default() })]
#[case("query[1].value", Parts { query: vec![("a".into(), "b".into()), ("k".into(), TOKEN.into())], ..Parts::default() })]
#[case("body.a[1].b", Parts { body: serde_json::json!({"a": [0, {"b": TOKEN}]}), ..Parts::default() })]
#[case("body.(key)", Parts { body: serde_json::json!({TOKEN: 1}), ..Parts::default() })]
#[case("call_id", Parts { call_id: TOKEN.into(), ..Parts::default() })]
fn a_credential_is_found_in_every_field_of_a_request(#[case] field: &str, #[case] parts: Parts) {
    assert_eq!(fields(parts.check())[0], format!("{field} as visited"));
}

#[rstest]
#[case("path + query[0].value", Parts { path: "/x?tok_FAKE".into(), query: vec![("k".into(), "_9f3A&".into())], ..Parts::default() })]
#[case("query[0].key + query[0].value", Parts { query: vec![("tok_FAKE".into(), "_9f3A".into())], ..Parts::default() })]
#[case("query[0].value + query[1].value", Parts { query: vec![("a".into(), "tok_FAKE".into()), ("b".into(), "_9f3A".into())], ..Parts::default() })]
#[case("query[0].key + query[1].key", Parts { query: vec![("tok_FAKE".into(), "v".into()), ("_9f3A".into(), "v".into())], ..Parts::default() })]
#[case("body.a + body.b", Parts { body: serde_json::json!({"a": "tok_FAKE", "b": "_9f3A"}), ..Parts::default() })]
#[case("body[0] … body[2]", Parts { body: serde_json::json!(["dG9rX0ZB", "S0VfO", "WYzQQ=="]), ..Parts::default() })]
fn a_credential_that_is_split_over_neighbours_is_found(#[case] field: &str, #[case] parts: Parts) {
    let expected = format!("{field} as visited");
    let fields = fields(parts.check());
    assert!(fields.contains(&expected), "{fields:?}");
}

#[derive(Serialize)]
struct Headers {
    map: BTreeMap<String, String>,
    raw: Vec<u8>,
    #[serde(skip)]
    _skipped: &'static str,
}

fn headers() -> Headers {
    Headers {
        map: BTreeMap::new(),
        raw: vec![1, 2],
        _skipped: "",
    }
}

#[test]
fn a_serialised_value_is_searched_by_path_and_its_byte_lists_are_joined() {
    let mut value = headers();
    value.map.insert("x-key".into(), STANDARD.encode(TOKEN));
    value.raw = TOKEN.bytes().collect();

    assert_eq!(
        fields(check_no_credential!(TOKEN, value)),
        [".map.x-key as serialised", ".raw[0..13] as serialised"]
    );
}

#[test]
fn a_key_that_tells_a_part_of_the_secret_is_not_printed() {
    let mut value = headers();
    value.map.insert("tok_FAKE".into(), "_9f3A".into());
    value.map.insert(TOKEN.into(), TOKEN.into());

    assert_eq!(
        fields(check_no_credential!(TOKEN, value)),
        [
            ".map.(key 1) as serialised",
            ".map.(value 1) as serialised",
            ".map.(key 0) + .map.(value 0) as serialised",
        ]
    );
}

#[derive(Debug, Serialize)]
struct Skips {
    id: u32,
    #[serde(skip)]
    #[expect(dead_code, reason = "only Debug reads it")]
    token: Vec<u8>,
}

#[test]
fn what_serialisation_skips_is_found_in_debug_as_decimals() {
    let value = Skips {
        id: 1,
        token: TOKEN.bytes().collect(),
    };
    let found = found(check_no_credential!(TOKEN, value));
    assert_eq!(
        found.to_string(),
        "credential found: `credential` in Debug as printed (decimal)"
    );
}

#[derive(Debug)]
#[expect(dead_code, reason = "only Debug reads them")]
struct Halves(&'static str, Vec<char>);

#[test]
fn strings_and_characters_that_debug_prints_are_joined() {
    let value = Halves("tok_FAKE", "_9f3A".chars().collect());
    assert_eq!(
        fields(check_no_credential!(TOKEN, value)),
        ["string 1 … string 6 of Debug"]
    );
}

#[derive(Debug)]
struct Refused(Option<std::io::Error>);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl Error for Refused {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.as_ref().map(|error| error as &(dyn Error + 'static))
    }
}

#[test]
fn the_sources_of_an_error_are_searched_boxed_or_not() {
    let refused = || Refused(Some(std::io::Error::other(format!("bad header {TOKEN}"))));
    let expected = "source 1 of the error as displayed".to_owned();
    let boxed: Box<dyn Error> = Box::new(refused());
    let shared: Box<dyn Error + Send + Sync> = Box::new(refused());
    let borrowed: &dyn Error = &refused();

    assert!(fields(check_no_credential!(TOKEN, refused())).contains(&expected));
    assert!(fields(check_no_credential!(TOKEN, boxed)).contains(&expected));
    assert!(fields(check_no_credential!(TOKEN, shared)).contains(&expected));
    assert!(fields(check_no_credential!(TOKEN, borrowed)).contains(&expected));
    assert_no_credential!(TOKEN, Refused(None));
}

#[test]
fn a_recorded_log_is_searched_with_line_and_column() {
    let log = format!("one\ntwo {TOKEN}\n");
    let found = found(check_no_credential!(TOKEN, log.as_bytes()));
    assert!(
        found
            .places()
            .iter()
            .any(|place| place.position == Some((2, 5)))
    );
}

#[test]
fn everything_traced_is_searched_at_every_level() {
    let capture = TraceCapture::new();
    let subscriber = tracing_subscriber::registry().with(capture.clone());
    let error = Refused(Some(std::io::Error::other(TOKEN)));
    tracing::subscriber::with_default(subscriber, || {
        let span = tracing::trace_span!("request", later = tracing::field::Empty, url = TOKEN);
        span.record("later", TOKEN);
        let _entered = span.enter();
        tracing::trace!(target: "far", headers = ?[TOKEN], "sent");
        tracing::error!(error = &error as &dyn Error, "failed");
        tracing::info!("{TOKEN}");
        tracing::debug!(half = "tok_FAKE", other = "_9f3A");
    });

    assert_eq!(capture.events(), 4);
    let fields = fields(check_no_credential!(TOKEN, capture));
    for expected in [
        "field `url` of span 1 (TRACE)",
        "field `later` of a span, recorded later",
        "field `headers` of event 1 (TRACE)",
        "field `error` of event 2 (ERROR)",
        "field `message` of event 3 (INFO)",
        "field `half` of event 4 (DEBUG) + field `other` of event 4 (DEBUG)",
    ] {
        assert!(
            fields.contains(&format!("{expected} as visited")),
            "{fields:?}"
        );
    }
}

#[test]
fn a_value_that_logs_while_it_is_logged_does_not_hang_the_capture() {
    struct Chatty;
    impl fmt::Debug for Chatty {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            tracing::info!("printing");
            f.write_str("Chatty")
        }
    }
    let capture = TraceCapture::new();
    let subscriber = tracing_subscriber::registry().with(capture.clone());
    tracing::subscriber::with_default(subscriber, || tracing::info!(value = ?Chatty));
    // The event inside an event is not delivered by `tracing`, or it is: either way it ends.
    assert!(capture.events() >= 1);
}

struct Opaque;

fn generic<T>(value: T) -> Result<(), ViewError> {
    check_no_credential!(TOKEN, value)
}

fn generic_debug<T: fmt::Debug>(value: T) -> Result<(), ViewError> {
    check_no_credential!(TOKEN, value)
}

#[test]
fn nothing_to_scan_is_an_error_and_no_pass() {
    let nothing = |checked| matches!(checked, Err(ViewError::NotProven(Unproven::NothingToScan)));
    assert!(nothing(check_no_credential!(TOKEN, Opaque)));
    assert!(nothing(generic(TOKEN)));
    assert!(!nothing(generic_debug(TOKEN)));
    assert!(generic_debug(TOKEN).is_err());
}

struct Broken;

impl Serialize for Broken {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(TOKEN))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

#[test]
fn a_view_that_breaks_off_is_an_error_and_no_pass() {
    let error = check_no_credential!(TOKEN, Broken).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the value could not be serialised to its end"
    );
}

#[test]
fn a_weak_credential_is_an_error_and_no_pass() {
    let error = check_no_credential!("1234", "nothing").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the absence of `credential` proves nothing: it is too short to look for"
    );
    let secret = Secret::new("pin", "1234");
    let scanner = Scanner::builder()
        .secret(secret)
        .floor(Floor::new(4, 2))
        .build()
        .unwrap();
    assert_no_credential!(scanner, "nothing");
    assert!(check_no_credential!(scanner, "MTIzNAo=").is_err());
}

#[test]
fn a_source_of_its_own_is_searched_and_its_places_are_masked() {
    struct Session(Vec<String>);
    impl TextSource for Session {
        fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8])) {
            for text in &self.0 {
                show(
                    &format!("session.{text}"),
                    TextKind::String,
                    text.as_bytes(),
                );
            }
        }
    }
    assert_eq!(
        fields(check_no_credential!(TOKEN, Session(vec![TOKEN.into()]))),
        ["session.[masked] as visited"]
    );
}

#[test]
fn the_assertion_fails_without_telling() {
    let panic = std::panic::catch_unwind(|| {
        assert_no_credential!("tok_FAKE_9f3A", ["x", "tok%5FFAKE_9f3A"]);
    });
    let message = *panic.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        message,
        "credential found: `credential` in [1] as serialised (percent); `credential` in Debug as printed (percent)"
    );
}
