//! How fast the credential scanner reads, beside the naive search for each spelling:
//! `cargo run --release -p proofmark-conformance --example scan_throughput`.
use std::fmt::Write as _;
use std::hint::black_box;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use proofmark_conformance::scan::{Scanner, Secret};

const SIZE: usize = 32 * 1024 * 1024;
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let log = log_text();
    let texts = [
        ("log lines", log.clone()),
        (
            "log lines without any escape",
            log.replace(['%', '\\', '&'], "-"),
        ),
        (
            "all JSON escapes",
            repeat(|out, c| write!(out, "\\u{c:04x}")),
        ),
        (
            "all percent escapes",
            repeat(|out, c| write!(out, "%{c:02X}")),
        ),
        (
            "all HTML references",
            repeat(|out, c| write!(out, "&#{c};")),
        ),
        ("base64 of log lines", STANDARD_NO_PAD.encode(&log)),
        ("hex of log lines", repeat(|out, c| write!(out, "{c:02x}"))),
        ("decimal lists", repeat(|out, c| write!(out, "{c}, "))),
    ];
    println!(
        "GB/s of processor time, median of {ROUNDS}; {} MiB of each text",
        SIZE >> 20
    );
    println!("text                             secrets     scan   stream    naive    ratio");
    for (name, text) in &texts {
        let text = &text.as_bytes()[..SIZE.min(text.len())];
        for count in [1, 8] {
            let [scan, stream, naive] = compare(text, count)?;
            let ratio = scan / naive;
            println!("{name:32} {count:7} {scan:8.3} {stream:8.3} {naive:8.3} {ratio:8.1}");
        }
    }
    Ok(())
}

/// The rates of a scan, a streamed scan and the naive search.
fn compare(text: &[u8], secrets: usize) -> Result<[f64; 3], Box<dyn std::error::Error>> {
    let secrets: Vec<String> = (0..secrets).map(secret).collect();
    let named = secrets
        .iter()
        .map(|value| Secret::new("key", value.as_str()));
    let scanner = Scanner::builder().secrets(named).build()?;
    let spelled: Vec<_> = secrets.iter().flat_map(|value| spellings(value)).collect();
    let scan = rate(text, || scanner.scan(black_box(text)).findings.len());
    let stream = rate(text, || {
        let scan = scanner.scan_reader(black_box(text));
        scan.map_or(0, |scan| scan.findings.len())
    });
    let naive = rate(text, || {
        let text = std::str::from_utf8(black_box(text)).unwrap_or_default();
        let present = spelled.iter().filter(|spelling| text.contains(*spelling));
        present.count()
    });
    Ok([scan, stream, naive])
}

/// The median of several rounds, in GB/s of processor time.
fn rate(text: &[u8], mut search: impl FnMut() -> usize) -> f64 {
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = now();
            black_box(search());
            text.len() as f64 / (now() - start) / 1e9
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates[ROUNDS / 2]
}

/// Seconds of processor time: a busy machine takes it away from neither side.
#[cfg(unix)]
fn now() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Seconds of wall time, where processor time is not to be had.
#[cfg(not(unix))]
fn now() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64()
}

/// A stream of numbers that is the same every time.
fn numbers(mut state: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    })
}

/// Forty characters, as an API key has.
fn secret(index: usize) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let tail =
        numbers(index as u64 + 99).map(|number| alphabet[number as usize % alphabet.len()] as char);
    "sk_FAKE_".chars().chain(tail.take(32)).collect()
}

/// The literal encodings: plain, reversed, hex in both cases, whole percent-encoding in both
/// cases, base64 at three alignments in two alphabets.
fn spellings(secret: &str) -> Vec<String> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let mut all = vec![
        secret.to_owned(),
        secret.chars().rev().collect(),
        hex.to_uppercase(),
        hex,
        percent.to_uppercase(),
        percent,
    ];
    for (skipped, first) in [(0, 0), (1, 2), (2, 3)] {
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = engine.encode([&[0; 2][..skipped], secret.as_bytes()].concat());
            all.push(encoded[first..encoded.len() - 1].to_owned());
        }
    }
    all
}

/// Lines as servers write them: request lines with queries, JSON events, paths, ids, prose.
fn log_text() -> String {
    let words = [
        "connected",
        "retrying",
        "item",
        "cache miss",
        "policy allowed",
        "shard",
        "listening on",
    ];
    let mut numbers = numbers(1);
    let mut next = move |bound: u64| numbers.next().unwrap_or(0) % bound;
    let mut text = String::with_capacity(SIZE + 1024);
    while text.len() < SIZE {
        let (hour, minute, milli) = (next(24), next(60), next(1000));
        let word = words[next(words.len() as u64) as usize];
        let id = next(1 << 31) << 31 | next(1 << 31);
        let _ = match next(40) {
            0 => writeln!(
                text,
                "{{\"level\":\"info\",\"msg\":\"{word} \\\"{id:x}\\\"\",\"trace_id\":\"{id:016x}{id:016x}\"}}"
            ),
            1 => writeln!(
                text,
                "GET /v1/search?q=blue%20{word}&page={milli}&sort=name HTTP/1.1 200 {milli}us"
            ),
            2..10 => writeln!(
                text,
                "10.0.{hour}.{minute} - - [01/Jun/2024:{hour:02}:{minute:02}:11 +0000] \"GET /api/v1/tenants/acme/items/{id}?expand=true&limit={milli} HTTP/1.1\" 200 {milli} \"-\" \"curl/8.5.0\""
            ),
            10..16 => writeln!(
                text,
                "{{\"ts\":\"2024-06-01T{hour:02}:{minute:02}:11.{milli:03}Z\",\"level\":\"info\",\"target\":\"server::http\",\"trace_id\":\"{id:016x}{id:016x}\",\"elapsed_ms\":{milli}}}"
            ),
            _ => writeln!(
                text,
                "2024-06-01T{hour:02}:{minute:02}:11.{milli:03}Z  INFO server::worker: {word} worker={minute} attempt={hour} took={milli}ms queue=/var/lib/queue/{id:x}"
            ),
        };
    }
    text
}

/// Prose whose every character is written by `write`.
fn repeat(mut write: impl FnMut(&mut String, u32) -> std::fmt::Result) -> String {
    let prose = "The quick brown fox jumps over the lazy dog, and then some more of it follows. ";
    let mut text = String::with_capacity(SIZE + 1024);
    for byte in prose.bytes().cycle() {
        if text.len() >= SIZE {
            break;
        }
        let _ = write(&mut text, u32::from(byte));
    }
    text
}
