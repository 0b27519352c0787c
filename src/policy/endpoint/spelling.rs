//! Which spellings of an authority and a path have one meaning, and what is wrong with the others.

use percent_encoding::percent_decode_str;
use thiserror::Error;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

/// Why a request target was not read: two parsers could take its spelling for two places.
///
/// Every message is a fixed sentence that holds nothing of the target.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TargetFault {
    /// More than 65,536 bytes before the query: no server takes it, and none has to be waited for.
    #[error("the target is too long")]
    TooLong,
    /// It is not `http://` or `https://` followed by an authority.
    #[error("the target is not an absolute http or https URL")]
    NotAbsolute,
    /// A control character, which some parsers drop.
    #[error("the target holds a control character")]
    Control,
    /// A `#`, behind which nothing is sent.
    #[error("the target holds a fragment")]
    Fragment,
    /// A user name or password before the host.
    #[error("the target holds user information")]
    UserInfo,
    /// A host that is empty, not ASCII, or ends in a dot.
    #[error("the target's host is not plainly written")]
    Host,
    /// A port that is not a number from 0 to 65535.
    #[error("the target's port is not plainly written")]
    Port,
    /// A `\`, which some parsers read as `/`.
    #[error("the target holds a backslash")]
    Backslash,
    /// A `.` or `..` segment, or one made of dots alone.
    #[error("the target's path holds a dot segment")]
    DotSegment,
    /// An empty segment before the last.
    #[error("the target's path holds a doubled slash")]
    EmptySegment,
    /// A `;`, behind which some servers ignore the rest of the segment.
    #[error("the target's path holds a semicolon")]
    Parameter,
    /// A `%` without two hexadecimal digits, or bytes that are not UTF-8.
    #[error("the target's path holds a malformed escape")]
    MalformedEscape,
    /// An escape of a character that needs none, or that one more decoding would give a meaning:
    /// an unreserved one, `/`, `\`, `%`, `;`, `?`, `#` or a control character.
    #[error("the target's path holds an escape that hides its meaning")]
    HidingEscape,
    /// A character that no URL path holds, or a non-ASCII one that may be folded into ASCII.
    #[error("the target's path holds a character that is not plainly written")]
    Character,
}

/// How a part without fault is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Exactly as the WHATWG parser would write it.
    Canonical,
    /// In a way that the WHATWG parser has to rewrite.
    Loose,
}

impl Spelling {
    fn loose_if(loose: bool) -> Self {
        if loose { Self::Loose } else { Self::Canonical }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self::loose_if(self == Self::Loose || other == Self::Loose)
    }
}

/// Judges `host[:port]` as written behind a scheme whose default port is given.
pub(super) fn authority(text: &str, default_port: &str) -> Result<Spelling, TargetFault> {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' | b'[' | b']' => {}
            b'@' => return Err(TargetFault::UserInfo),
            b'\\' => return Err(TargetFault::Backslash),
            _ => return Err(TargetFault::Host),
        }
    }
    if text.starts_with('[') {
        let (_, after) = text.split_once(']').ok_or(TargetFault::Host)?;
        if let Some(digits) = after.strip_prefix(':') {
            port(digits, default_port)?;
        }
        return Ok(Spelling::Loose);
    }
    let (name, port_spelling) = match text.split_once(':') {
        Some((name, digits)) => (name, port(digits, default_port)?),
        None => (text, Spelling::Canonical),
    };
    if name.split('.').any(str::is_empty) || name.contains(['[', ']']) {
        return Err(TargetFault::Host);
    }
    Ok(host(name).and(port_spelling))
}

/// A host whose last label starts with a digit may be an IPv4 address in one of many forms, and
/// punycode may be invalid: both are for the parser to settle.
fn host(name: &str) -> Spelling {
    let name = name.as_bytes();
    let last = name
        .iter()
        .rposition(|&byte| byte == b'.')
        .map_or(0, |dot| dot + 1);
    let numeric = name.get(last).is_some_and(u8::is_ascii_digit);
    let upper = name.iter().any(u8::is_ascii_uppercase);
    let punycode = name.windows(4).any(|four| four == b"xn--");
    Spelling::loose_if(numeric || upper || punycode)
}

fn port(digits: &str, default: &str) -> Result<Spelling, TargetFault> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || digits.parse::<u16>().is_err() {
        return Err(TargetFault::Port);
    }
    let padded = digits.len() > 1 && digits.starts_with('0');
    Ok(Spelling::loose_if(padded || digits == default))
}

/// Judges a path that is empty or starts with `/`.
pub(super) fn path(text: &str) -> Result<Spelling, TargetFault> {
    let Some(segments) = text.strip_prefix('/') else {
        return Ok(Spelling::Loose);
    };
    let mut spelling = Spelling::Canonical;
    let mut rest = segments;
    while let Some((one, after)) = rest.split_once('/') {
        if one.is_empty() {
            return Err(TargetFault::EmptySegment);
        }
        spelling = spelling.and(segment(one)?);
        rest = after;
    }
    Ok(spelling.and(segment(rest)?))
}

fn segment(text: &str) -> Result<Spelling, TargetFault> {
    let bytes = text.as_bytes();
    let (mut loose, mut foreign, mut at) = (false, false, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'%' => {
                foreign |= !escape(bytes.get(at + 1..at + 3))?.is_ascii();
                at += 2;
            }
            b' ' => loose = true,
            b'\\' => return Err(TargetFault::Backslash),
            b';' => return Err(TargetFault::Parameter),
            _ if !byte.is_ascii() => (loose, foreign) = (true, true),
            _ if plain(byte) => {}
            _ => return Err(TargetFault::Character),
        }
        at += 1;
    }
    if !bytes.is_empty() && bytes.iter().all(|&byte| byte == b'.') {
        return Err(TargetFault::DotSegment);
    }
    // Some readers trim spaces at the ends of a segment or of the whole.
    if [" ", "%20"]
        .iter()
        .any(|space| text.starts_with(space) || text.ends_with(space))
    {
        return Err(TargetFault::Character);
    }
    if foreign {
        let decoded = percent_decode_str(text).decode_utf8();
        let decoded = decoded.map_err(|_| TargetFault::MalformedEscape)?;
        if !decoded.chars().all(keeps_its_meaning) {
            return Err(TargetFault::Character);
        }
    }
    Ok(Spelling::loose_if(loose))
}

/// The byte that an escape stands for, unless a reader must not be shown it in that form.
fn escape(digits: Option<&[u8]>) -> Result<u8, TargetFault> {
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    let byte = match digits {
        Some(&[high, low]) => nibble(high).zip(nibble(low)),
        _ => None,
    };
    let byte = byte.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
    match byte.ok_or(TargetFault::MalformedEscape)? {
        b'/' | b'\\' | b'%' | b';' | b'?' | b'#' => Err(TargetFault::HidingEscape),
        byte if byte.is_ascii_control() || unreserved(byte) => Err(TargetFault::HidingEscape),
        byte => Ok(byte),
    }
}

fn unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// What a path segment holds unescaped (RFC 3986 `pchar`), without `;`.
fn plain(byte: u8) -> bool {
    unreserved(byte)
        || matches!(
            byte,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b'=' | b':' | b'@'
        )
}

/// Letters, digits and marks whose compatibility form holds no ASCII: no server folds one into
/// a dot, a slash or a letter of another path.
fn keeps_its_meaning(c: char) -> bool {
    let own_form = || is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes;
    let folds = || std::iter::once(c).nfkc().any(|folded| folded.is_ascii());
    c.is_ascii() || ((c.is_alphanumeric() || is_combining_mark(c)) && (own_form() || !folds()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("api.example.test", Ok(Spelling::Canonical))]
    #[case::port("api.example.test:8443", Ok(Spelling::Canonical))]
    #[case::default_port("api.example.test:443", Ok(Spelling::Loose))]
    #[case::padded_port("api.example.test:0443", Ok(Spelling::Loose))]
    #[case::empty_port("api.example.test:", Err(TargetFault::Port))]
    #[case::word_port("api.example.test:https", Err(TargetFault::Port))]
    #[case::huge_port("api.example.test:65536", Err(TargetFault::Port))]
    #[case::upper("API.example.test", Ok(Spelling::Loose))]
    #[case::ipv4("127.0.0.1", Ok(Spelling::Loose))]
    #[case::ipv6("[::1]:80", Ok(Spelling::Loose))]
    #[case::punycode("xn--bcher-kva.test", Ok(Spelling::Loose))]
    #[case::user("u@api.example.test", Err(TargetFault::UserInfo))]
    #[case::backslash("api.example.test\\@evil.test", Err(TargetFault::Backslash))]
    #[case::dot("api.example.test.", Err(TargetFault::Host))]
    #[case::full_width_dot("api\u{3002}example.test", Err(TargetFault::Host))]
    #[case::escape("api%2eexample.test", Err(TargetFault::Host))]
    #[case::empty("", Err(TargetFault::Host))]
    #[case::bracket("a[b]", Err(TargetFault::Host))]
    #[case::port_alone(":80", Err(TargetFault::Host))]
    fn an_authority_is_plain_or_refused(
        #[case] text: &str,
        #[case] expected: Result<Spelling, TargetFault>,
    ) {
        assert_eq!(authority(text, "443"), expected);
    }

    #[rstest]
    #[case("/v1/items:batch/a@b/(c)", Ok(Spelling::Canonical))]
    #[case("/v1/", Ok(Spelling::Canonical))]
    #[case("/v1/John%20Smith", Ok(Spelling::Canonical))]
    #[case("/v1/John Smith", Ok(Spelling::Loose))]
    #[case("/v1/caf\u{e9}", Ok(Spelling::Loose))]
    #[case("/v1/caf%c3%a9", Ok(Spelling::Canonical))]
    #[case("", Ok(Spelling::Loose))]
    #[case("/v1/../x", Err(TargetFault::DotSegment))]
    #[case("/v1/.", Err(TargetFault::DotSegment))]
    #[case("/v1/...", Err(TargetFault::DotSegment))]
    #[case("/v1/.%2e/x", Err(TargetFault::HidingEscape))]
    #[case("/v1/%2E%2E/x", Err(TargetFault::HidingEscape))]
    #[case("/v1//x", Err(TargetFault::EmptySegment))]
    #[case("//v1", Err(TargetFault::EmptySegment))]
    #[case("/v1;a=b/x", Err(TargetFault::Parameter))]
    #[case("/v1%3bx", Err(TargetFault::HidingEscape))]
    #[case("/v1\\x", Err(TargetFault::Backslash))]
    #[case("/v1%5Cx", Err(TargetFault::HidingEscape))]
    #[case("/v1%2fx", Err(TargetFault::HidingEscape))]
    #[case("/v1%252fx", Err(TargetFault::HidingEscape))]
    #[case("/%761", Err(TargetFault::HidingEscape))]
    #[case("/v1%3fx", Err(TargetFault::HidingEscape))]
    #[case("/v1%00", Err(TargetFault::HidingEscape))]
    #[case("/v1%", Err(TargetFault::MalformedEscape))]
    #[case("/v1%4", Err(TargetFault::MalformedEscape))]
    #[case("/v1%+1", Err(TargetFault::MalformedEscape))]
    #[case("/v1%c0%ae", Err(TargetFault::MalformedEscape))]
    #[case("/v1%e9", Err(TargetFault::MalformedEscape))]
    #[case("/v1/\u{ff0e}\u{ff0e}", Err(TargetFault::Character))]
    #[case("/v1%ef%bc%8fx", Err(TargetFault::Character))]
    #[case("/\u{ff41}dmin", Err(TargetFault::Character))]
    #[case("/v1/{id}", Err(TargetFault::Character))]
    #[case("/v1/a ", Err(TargetFault::Character))]
    #[case("/v1/a%20", Err(TargetFault::Character))]
    #[case("/v1/ a", Err(TargetFault::Character))]
    fn a_path_is_plain_or_refused(
        #[case] text: &str,
        #[case] expected: Result<Spelling, TargetFault>,
    ) {
        assert_eq!(path(text), expected);
    }

    #[test]
    fn no_admitted_character_is_folded_into_ascii() {
        let admitted = ('\u{80}'..=char::MAX).filter(|&c| keeps_its_meaning(c));

        let folded = admitted.filter(|c| c.to_string().nfkc().any(|c| c.is_ascii()));

        assert_eq!(folded.collect::<Vec<_>>(), Vec::<char>::new());
        assert!(keeps_its_meaning('é') && keeps_its_meaning('日') && keeps_its_meaning('я'));
    }
}
