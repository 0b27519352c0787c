//! Canaries: random texts whose appearance elsewhere is proof, and the search for them.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use proptest::prelude::Rng as _;
use proptest::test_runner::TestRng;

/// A canary's length, and how much of it a message may not hold.
const CANARY: usize = 16;
const WINDOW: usize = 6;

/// A random run of 16 characters `[a-z0-9]`.
pub(in crate::check) fn canary(rng: &mut TestRng) -> String {
    const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let count = u32::try_from(ALPHABET.len()).unwrap_or(1);
    (0..CANARY)
        .map(|_| char::from(ALPHABET[(rng.next_u32() % count) as usize]))
        .collect()
}

/// The part of `canary` that `message` holds, and in which form: six of its characters are enough.
pub(in crate::check) fn leak(message: &str, canary: &str) -> Option<(&'static str, String)> {
    let percent = percent_decode_str(message).decode_utf8_lossy().into_owned();
    let views = [
        ("", vec![message.to_owned()]),
        (" percent-encoded", vec![percent]),
        (
            " in hex",
            decoded_runs(message, |b| b.is_ascii_hexdigit(), from_hex),
        ),
        (
            " in base64",
            decoded_runs(
                message,
                |b| b.is_ascii_alphanumeric() || b"+/-_".contains(&b),
                from_base64,
            ),
        ),
    ];
    views.into_iter().find_map(|(form, texts)| {
        let windows = canary.as_bytes().windows(WINDOW);
        let mut windows = windows.map(|window| String::from_utf8_lossy(window).into_owned());
        let part = windows.find(|window| texts.iter().any(|text| text.contains(window)))?;
        Some((form, part))
    })
}

/// Every run of such bytes, decoded from each of its first offsets.
fn decoded_runs(
    message: &str,
    belongs: impl Fn(u8) -> bool,
    decode: impl Fn(&str) -> Vec<u8>,
) -> Vec<String> {
    message
        .split(|c: char| !c.is_ascii() || !belongs(u8::try_from(c).unwrap_or_default()))
        .filter(|run| run.len() >= WINDOW)
        .flat_map(|run| (0..4).filter_map(|offset| run.get(offset..)))
        .map(|run| String::from_utf8_lossy(&decode(run)).into_owned())
        .collect()
}

fn from_hex(run: &str) -> Vec<u8> {
    run.as_bytes()
        .chunks_exact(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

fn from_base64(run: &str) -> Vec<u8> {
    let whole = run.get(..run.len() - run.len() % 4).unwrap_or_default();
    [run, whole]
        .iter()
        .find_map(|run| {
            STANDARD_NO_PAD
                .decode(run)
                .or_else(|_| URL_SAFE_NO_PAD.decode(run))
                .ok()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const SAMPLE: &str = "k3v9q0zplm2x7abc";

    #[rstest]
    #[case::raw("cannot send k3v9q0", "")]
    #[case::percent("no %6b%33%76%39%71%30", " percent-encoded")]
    #[case::hex("no 6b3376397130", " in hex")]
    #[case::base64("no azN2OXEwenBsbTJ4N2FiYw==", " in base64")]
    #[case::base64_shifted("no eHgtazN2OXEwenA", " in base64")]
    fn six_characters_of_a_canary_are_found_in_every_form(
        #[case] message: &str,
        #[case] form: &str,
    ) {
        assert_eq!(leak(message, SAMPLE).map(|(form, _)| form), Some(form));
    }

    #[rstest]
    #[case("cannot send k3v9q")]
    #[case("the endpoint is not on the allowlist")]
    fn less_is_not_a_leak(#[case] message: &str) {
        assert_eq!(leak(message, SAMPLE), None);
    }
}
