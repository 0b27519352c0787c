//! The recorder keeps byte for byte what raw clients send, and answers as it is told.

#![allow(clippy::unwrap_used, reason = "what cannot be had is to fail the test")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use proofmark_conformance::recorder::{
    Recorded, Recorder, Reply, Respond, Script, echo, redirect, token,
};
use proptest::collection::vec;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn backend() -> Recorder {
    Recorder::start(Reply::text(200, "ok")).unwrap()
}

/// Sends the pieces, each in a packet of its own as far as the system allows, and reads answers
/// until the backend closes.
fn send(backend: &Recorder, pieces: &[&[u8]]) -> Vec<u8> {
    let mut client = TcpStream::connect(backend.address()).unwrap();
    client.set_nodelay(true).unwrap();
    for piece in pieces {
        client.write_all(piece).unwrap();
    }
    client.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).unwrap();
    answer
}

fn only(backend: &Recorder) -> Recorded {
    let [request] = backend.requests().try_into().unwrap();
    request
}

#[rstest]
#[case::fragment(b"GET /a#frag HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"/a#frag")]
#[case::dot_segments(b"GET /a/../b/./c HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"/a/../b/./c")]
#[case::encoded_dots(b"GET /%2e%2E/a HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"/%2e%2E/a")]
#[case::doubled_slash(b"GET //evil//x HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"//evil//x")]
#[case::absolute_form(
    b"GET http://evil/x HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET",
    b"http://evil/x"
)]
#[case::authority_form(
    b"CONNECT evil:443 HTTP/1.1\r\nhost: x\r\n\r\n",
    b"CONNECT",
    b"evil:443"
)]
#[case::lower_case_method(b"get / HTTP/1.1\r\nhost: x\r\n\r\n", b"get", b"/")]
#[case::odd_method(b"po\xc5\xbft / HTTP/1.1\r\nhost: x\r\n\r\n", b"po\xc5\xbft", b"/")]
#[case::raw_space(b"GET /a b HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"/a b")]
#[case::raw_bytes(
    b"GET /\xff\x01\x7f HTTP/1.1\r\nhost: x\r\n\r\n",
    b"GET",
    b"/\xff\x01\x7f"
)]
#[case::two_marks(b"GET /a?b=1?c=2 HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"/a?b=1?c=2")]
#[case::no_target(b"GET\r\nhost: x\r\n\r\n", b"GET", b"")]
#[case::bare_line_feeds(b"GET / HTTP/1.0\nhost: x\n\n", b"GET", b"/")]
#[case::no_header(b"GET / HTTP/1.1\r\n\r\n", b"GET", b"/")]
#[case::no_header_name(b"GET / HTTP/1.1\r\nx-evil\r\n folded\r\n: y\r\n\r\n", b"GET", b"/")]
#[case::leading_line_end(b"\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n", b"GET", b"/")]
fn a_head_is_kept_as_it_came(#[case] sent: &[u8], #[case] method: &[u8], #[case] target: &[u8]) {
    let backend = backend();

    let answer = send(&backend, &[sent]);

    let request = only(&backend);
    assert_eq!(request.bytes(), sent);
    assert_eq!(request.head(), sent);
    assert_eq!((request.method(), request.target()), (method, target));
    assert!(request.is_complete());
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert_eq!(backend.heard(), [sent]);
}

#[rstest]
#[case::by_length(b"content-length: 5\r\n\r\nhello", b"hello")]
#[case::chunked(
    b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
    b"hello"
)]
#[case::trailer(
    b"transfer-encoding: gzip, Chunked\r\n\r\n5\r\nhello\r\n0\r\nx: y\r\n\r\n",
    b"hello"
)]
#[case::empty_chunked(b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n", b"")]
#[case::length_and_chunks(
    b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"hello"
)]
#[case::line_ends_within(b"content-length: 4\r\n\r\n\r\n\r\n", b"\r\n\r\n")]
#[case::none(b"\r\n", b"")]
fn a_body_is_read_by_length_and_by_chunks(#[case] rest: &[u8], #[case] body: &[u8]) {
    for size in 1..=rest.len() {
        let backend = backend();
        let sent = [b"POST /x HTTP/1.1\r\nhost: x\r\n", rest].concat();
        let pieces: Vec<&[u8]> = sent.chunks(size).collect();

        send(&backend, &pieces);

        let request = only(&backend);
        assert_eq!(request.body(), body);
        assert_eq!(request.bytes(), sent);
        assert!(request.is_complete());
    }
}

#[test]
fn pipelined_requests_are_told_apart_and_answered_in_order() {
    let backend = Recorder::start(echo()).unwrap();
    let first = b"POST /1 HTTP/1.1\r\ncontent-length: 2\r\n\r\nab".as_slice();
    let second = b"GET /2 HTTP/1.1\r\nhost: x\r\n\r\n".as_slice();
    let third =
        b"PUT /3 HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nc\r\n0\r\n\r\n".as_slice();

    let answer = send(&backend, &[&[first, second, third].concat()]);

    let requests = backend.requests();
    let bytes: Vec<&[u8]> = requests.iter().map(Recorded::bytes).collect();
    assert_eq!(bytes, [first, second, third]);
    assert!(requests.iter().all(|request| request.connection() == 0));
    let answer = String::from_utf8(answer).unwrap();
    let places = ["/1", "/2", "/3"].map(|target| answer.find(target).unwrap());
    assert!(places.is_sorted());
}

#[test]
fn what_is_sent_while_an_answer_waits_is_heard_at_once() {
    let backend = Recorder::start(Script::new().wait(Duration::from_secs(3600))).unwrap();
    let mut client = TcpStream::connect(backend.address()).unwrap();

    client.write_all(b"GET /1 HTTP/1.1\r\n\r\n").unwrap();
    client.write_all(b"GET /2 HTTP/1.1\r\n\r\n").unwrap();

    assert_eq!(backend.requests().len(), 2);
}

#[test]
fn a_request_that_is_broken_off_is_no_whole_one() {
    let backend = backend();

    send(
        &backend,
        &[b"POST /x HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf"],
    );

    let request = only(&backend);
    assert!(!request.is_complete());
    assert_eq!(request.body(), b"half");
}

#[test]
fn bytes_that_are_no_request_are_heard() {
    let backend = backend();
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    let mut client = TcpStream::connect(backend.address()).unwrap();

    client.write_all(hello).unwrap();

    assert_eq!(backend.heard(), [hello]);
    assert!(backend.requests().is_empty() && !backend.is_silent());
}

#[test]
fn a_connection_alone_is_silence() {
    let backend = backend();
    let _client = TcpStream::connect(backend.address()).unwrap();
    assert!(backend.is_silent());
    assert_eq!(backend.connections(), 1);
}

#[test]
fn everything_sent_before_is_recorded_without_waiting() {
    let backend = Recorder::tripwire().unwrap();
    for count in 1..=300 {
        let mut client = TcpStream::connect(backend.address()).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!(backend.requests().len(), count);
    }
}

#[test]
fn a_client_that_awaits_leave_to_send_its_body_gets_it() {
    let backend = backend();
    let mut client = TcpStream::connect(backend.address()).unwrap();
    client
        .write_all(b"POST / HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
        .unwrap();
    let mut leave = [0; 25];
    client.read_exact(&mut leave).unwrap();
    assert_eq!(&leave, b"HTTP/1.1 100 Continue\r\n\r\n");

    client.write_all(b"ok").unwrap();

    assert_eq!(only(&backend).body(), b"ok");
}

#[test]
fn a_script_is_played_step_by_step() {
    let script = Script::new()
        .raw("HTTP/1.1 200 OK\r\n")
        .drip("x: y\r\n", Duration::from_millis(1))
        .wait(Duration::from_millis(20))
        .raw("\r\nabc")
        .close();
    let backend = Recorder::start(script).unwrap();
    let started = Instant::now();

    let answer = send(&backend, &[b"GET / HTTP/1.1\r\n\r\n"]);

    assert_eq!(answer, b"HTTP/1.1 200 OK\r\nx: y\r\n\r\nabc");
    assert!(started.elapsed() >= Duration::from_millis(26));
}

#[test]
fn a_reset_is_seen_as_one() {
    let backend = Recorder::start(Script::new().raw("HTTP/1.1 200 OK\r\n").reset()).unwrap();
    let mut client = TcpStream::connect(backend.address()).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let error = client.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(backend.requests().len(), 1);
}

#[test]
fn an_endless_answer_ends_with_its_client() {
    let endless = Script::new()
        .raw("HTTP/1.1 200 OK\r\n\r\n")
        .endless("abc", Duration::ZERO);
    let backend = Recorder::start(endless).unwrap();
    let mut client = TcpStream::connect(backend.address()).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut read = vec![0; 1 << 20];
    client.read_exact(&mut read).unwrap();
    assert!(read.ends_with(b"abcab") || read.ends_with(b"bcabc") || read.ends_with(b"cabca"));
}

/// Resets its first connection before it reads from it.
struct ResetsFirst;

impl Respond for ResetsFirst {
    fn respond(&self, _: &Recorded) -> Script {
        Reply::text(200, "ok").into()
    }

    fn greet(&self, connection: usize) -> Script {
        match connection {
            0 => Script::new().reset(),
            _ => Script::new(),
        }
    }
}

#[test]
fn a_connection_can_be_reset_before_it_is_read() {
    let backend = Recorder::start(ResetsFirst).unwrap();
    let mut first = TcpStream::connect(backend.address()).unwrap();
    assert!(first.read(&mut [0]).is_err());

    let answer = send(&backend, &[b"GET / HTTP/1.1\r\n\r\n"]);

    assert!(answer.ends_with(b"ok"));
    assert_eq!(only(&backend).connection(), 1);
}

#[rstest]
#[case::head(
    "HEAD",
    Reply::text(200, "abc"),
    "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n\r\n"
)]
#[case::no_content("GET", Reply::new(204), "HTTP/1.1 204 No Content\r\n\r\n")]
#[case::false_length("GET", Reply::new(200).header("Content-Length", "9").body("abc"), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]
#[case::json("GET", Reply::json(404, &json!({"a": 1})), "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{\"a\":1}")]
fn a_reply_is_what_it_says(#[case] method: &str, #[case] reply: Reply, #[case] expected: &str) {
    let backend = Recorder::start(reply).unwrap();
    let request = format!("{method} / HTTP/1.1\r\nconnection: close\r\n\r\n");
    let answer = send(&backend, &[request.as_bytes()]);
    assert_eq!(String::from_utf8(answer).unwrap(), expected);
}

#[test]
fn an_echo_a_token_and_a_redirect_say_what_they_are_for() {
    let backend = Recorder::start(echo()).unwrap();
    let ask = || {
        let answer = send(&backend, &[b"GET /a?b HTTP/1.1\r\nx-y: z\r\n\r\n"]);
        String::from_utf8(answer).unwrap()
    };
    let echoed = ask();
    assert!(echoed.contains(r#""target":"/a?b""#) && echoed.contains(r#"["x-y","z"]"#));

    backend.answer_with(token("tok_FAKE"));
    assert!(ask().contains(r#""access_token":"tok_FAKE""#));

    backend.answer_with(redirect(307, "http://127.0.0.1:1/x"));
    let redirected = ask();
    assert!(redirected.starts_with("HTTP/1.1 307 "));
    assert!(redirected.contains("location: http://127.0.0.1:1/x\r\n"));
}

#[test]
fn a_responder_that_panics_ends_the_connection_alone() {
    let backend = Recorder::start(|request: &Recorded| {
        assert!(request.target() != b"/panic", "on purpose");
        Reply::text(200, "ok")
    })
    .unwrap();
    assert_eq!(send(&backend, &[b"GET /panic HTTP/1.1\r\n\r\n"]), b"");
    assert!(send(&backend, &[b"GET / HTTP/1.1\r\n\r\n"]).ends_with(b"ok"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_requests_in_any_pieces_are_recorded_byte_for_byte(
        requests in vec(
            ("[A-Za-z]{1,8}", "[!-~]{0,20}", vec("[a-z-]{1,8}: [ -~]{0,12}", 0..4), vec(any::<u8>(), 0..40)),
            1..4,
        ),
        cuts in vec(1_usize..60, 1..12),
    ) {
        let wires: Vec<Vec<u8>> = requests
            .iter()
            .map(|(method, target, headers, body)| {
                let headers: String = headers.iter().map(|line| format!("x{line}\r\n")).collect();
                let length = body.len();
                let head = format!("{method} {target} HTTP/1.1\r\n{headers}content-length: {length}\r\n\r\n");
                [head.as_bytes(), body].concat()
            })
            .collect();
        let whole = wires.concat();
        let mut pieces = Vec::new();
        let mut rest = whole.as_slice();
        for cut in cuts.iter().cycle() {
            let (piece, left) = rest.split_at((*cut).min(rest.len()));
            pieces.push(piece);
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        let backend = backend();

        send(&backend, &pieces);

        let recorded = backend.requests();
        prop_assert_eq!(recorded.len(), wires.len());
        for ((request, wire), (_, _, _, body)) in recorded.iter().zip(&wires).zip(&requests) {
            prop_assert_eq!(request.bytes(), wire);
            prop_assert_eq!(request.body(), body);
        }
        prop_assert_eq!(backend.heard(), vec![whole]);
    }
}
