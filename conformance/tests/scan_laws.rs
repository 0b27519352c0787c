//! Laws of the credential scanner, over any secret, spelling and text.
#![allow(clippy::unwrap_used, reason = "tests")]

mod spellings;

use proofmark_conformance::scan::{Scanner, Secret};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use spellings::{Choices, SPELLINGS, Spelling, reversed};

fn scanner(secret: &[u8]) -> Scanner {
    let secret = Secret::new("s", secret);
    Scanner::builder().secret(secret).build().unwrap()
}

/// Secrets that no scanner could call too plain, a few of them not ASCII.
fn a_secret() -> impl Strategy<Value = Vec<u8>> {
    let ascii = "tok_[!-~]{5,40}".prop_map(String::into_bytes);
    let spaced = "tok_[ -~]{5,20}K".prop_map(String::into_bytes);
    let text = "tök_[!-~é€😀]{5,20}".prop_map(String::into_bytes);
    prop_oneof![4 => ascii, 1 => spaced, 1 => text]
}

fn a_spelling() -> impl Strategy<Value = Spelling> {
    select(SPELLINGS)
}

/// Text that could be taken for any spelling, but holds no secret.
fn filler() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[ -~]{0,20}",
        "[A-Za-z0-9+/]{0,40}",
        "(\\\\u00[0-9a-f]{2}|%[2-7][0-9a-f]|&#[0-9]{2};|[0-9]{1,3}, |\n|\\\\\\\\|\u{0}a){0,12}",
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat().into_bytes())
}

/// Whether the scanner promises to look behind `outer` for what is written in `inner`: behind
/// UTF-16 it looks for ASCII only.
fn may_wrap(outer: Spelling, inner: &[u8]) -> bool {
    match outer.encoding {
        "utf-16" => inner.is_ascii(),
        _ => !outer.text_only || std::str::from_utf8(inner).is_ok(),
    }
}

proptest! {
    #[test]
    fn every_spelling_of_every_spelling_is_found(
        secret in a_secret(), outer in a_spelling(), inner in a_spelling(), seed: u64,
    ) {
        let mut choices = Choices::new(seed);
        let once = (inner.spell)(&secret, &mut choices);
        prop_assume!(may_wrap(outer, &once));
        let twice = (outer.spell)(&once, &mut choices);
        let text = [b"log: '", &twice[..], b"' end"].concat();

        for (text, name) in [(&once, inner.name), (&text, outer.name)] {
            let scan = scanner(&secret).scan(text);
            prop_assert!(!scan.findings.is_empty(), "{} of {}: {}", outer.name, inner.name, text.escape_ascii());
            prop_assert_eq!(scan.findings.len(), 1, "{}: {:?}", name, scan.findings);
        }
    }

    #[test]
    fn every_spelling_of_the_reversed_secret_is_found(secret in a_secret(), outer in a_spelling(), seed: u64) {
        prop_assume!(may_wrap(outer, &reversed(&secret)));
        let text = (outer.spell)(&reversed(&secret), &mut Choices::new(seed));
        prop_assert_eq!(scanner(&secret).scan(&text).findings.len(), 1);
    }

    #[test]
    fn a_planted_secret_is_found_amid_anything(
        secret in a_secret(), spelling in a_spelling(), seed: u64, before in filler(), after in filler(),
    ) {
        let spelled = (spelling.spell)(&secret, &mut Choices::new(seed));
        // What stands beside a spelling may run into it, but not across a space and a quote.
        let text = [&before[..], b" '", &spelled, b"' ", &after].concat();
        let scan = scanner(&secret).scan(&text);

        let at = before.len() as u64 + 2;
        let end = at + spelled.len() as u64;
        let hits = scan.findings.iter().filter(|f| f.span.start >= at && f.span.end <= end).count();
        prop_assert_eq!(hits, 1, "{}: {}", spelling.name, text.escape_ascii());
        let line = text[..scan.findings[0].span.start as usize].iter().filter(|b| **b == b'\n').count();
        prop_assert_eq!(scan.findings[0].line, line as u64 + 1);
    }

    #[test]
    fn nothing_is_found_in_another_secrets_spelling(
        secret in a_secret(), spelling in a_spelling(), at: Index, bit in 0..7_u8, seed: u64,
    ) {
        let mut other = secret.clone();
        other[at.index(secret.len())] ^= 1 << bit;
        prop_assume!(!spelling.text_only || std::str::from_utf8(&other).is_ok());
        let text = (spelling.spell)(&other, &mut Choices::new(seed));
        prop_assert_eq!(scanner(&secret).scan(&text).findings, []);
    }

    #[test]
    fn nothing_is_left_after_redaction(
        secret in a_secret(), spelling in a_spelling(), seed: u64, before in filler(), after in filler(),
    ) {
        let spelled = (spelling.spell)(&secret, &mut Choices::new(seed));
        let text = [&before[..], b" '", &spelled, b"' ", &after].concat();
        prop_assume!(std::str::from_utf8(&text).is_ok());
        let scanner = scanner(&secret);

        let redacted = scanner.redact(spellings::text(&text));

        prop_assert_eq!(scanner.scan(redacted.as_bytes()).findings, []);
        prop_assert!(redacted.contains(Scanner::MASK));
    }
}

/// Short secrets, so that a text of some tens of KiB is many times longer than the margin of a
/// window.
fn a_short_secret() -> impl Strategy<Value = Vec<u8>> {
    "k[!-~]{6}K".prop_map(String::into_bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..Default::default() })]

    #[test]
    fn pieces_and_blocks_of_any_size_change_nothing(
        secrets in proptest::collection::vec(a_short_secret(), 1..3),
        parts in proptest::collection::vec(
            (filler(), 0..40_usize, any::<Index>(), (a_spelling(), a_spelling()), any::<u64>()),
            8..48,
        ),
        cuts in proptest::collection::vec(any::<Index>(), 0..12),
        block in 400..9000_usize,
    ) {
        let mut text = Vec::new();
        for (filler, times, which, (inner, outer), seed) in &parts {
            text.extend(filler.repeat(*times));
            let mut choices = Choices::new(*seed);
            let once = (inner.spell)(&secrets[which.index(secrets.len())], &mut choices);
            let nested = seed % 2 == 0 && may_wrap(*outer, &once);
            text.extend(if nested { (outer.spell)(&once, &mut choices) } else { once });
        }
        let named = || secrets.iter().enumerate().map(|(at, value)| Secret::new(format!("#{at}"), value.clone()));
        let whole = Scanner::builder().secrets(named()).block(1 << 30).build().unwrap();
        let cut = Scanner::builder().secrets(named()).block(block).build().unwrap();
        let expected = whole.scan(&text);

        prop_assert_eq!(&cut.scan(&text), &expected);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut stream = cut.stream();
        for piece in cuts.windows(2) {
            stream.push(&text[piece[0]..piece[1]]);
        }
        prop_assert_eq!(&stream.finish(), &expected);
        prop_assert_eq!(&cut.scan_reader(&text[..]).unwrap(), &expected);
    }
}
