//! The rules of a composed request target, which no single value can break alone.

use super::PlaceholderRefusal;
use super::bytes::{
    BRACE, DENIED, Decoded, FOLD, PERCENT, are_plain, class, classes, escapes_are_plain,
    escapes_are_sound,
};
use super::floor::ESCAPE_EXPECTATION;
use super::segments::{COMPOSED_PATH, SegmentScan, Writer, are_plainly_fine, refusal_of_unrooted};

/// The name that a refusal of a composed query carries.
const COMPOSED_QUERY: &str = "query";

pub(super) const BYTES_EXPECTATION: &str = "must hold no query or fragment mark, no backslash, no control \
    character and no brace of an unfilled placeholder, whether written out or percent-encoded";

/// Checks a composed path that has no query.
///
/// It begins with a single `/`, so that no base URL can read a scheme, an authority or a port in
/// it. After one decode it holds no `?` `#` `\`, control character or brace, no overlong UTF-8 and
/// no look-alike of a refused character; and no segment is empty, `.`, `..` or longer than
/// [`PLACEHOLDER_MAX_LENGTH`](super::PLACEHOLDER_MAX_LENGTH). `/` alone is accepted; so `//` and a
/// trailing `/` are refused here, where it cannot be known who wrote them.
///
/// Accepting a path allocates nothing.
///
/// # Errors
///
/// A [`PlaceholderRefusal`] of `path segment`, with rule `percentEncoding`, `pathSegment` or
/// `segmentMaxLength`.
///
/// ```
/// use proofmark::path::validate_resolved_path;
///
/// assert!(validate_resolved_path("/v1/items/7").is_ok());
/// assert!(validate_resolved_path("/v1/items/%2e%2e/admin").is_err());
/// assert!(validate_resolved_path("http:evil.example.test/x").is_err());
/// ```
///
/// Source: seed 001.
pub fn validate_resolved_path(path: &str) -> Result<(), PlaceholderRefusal> {
    let bytes = path.as_bytes();
    if is_plain_path(bytes) {
        return Ok(());
    }
    check_bytes(COMPOSED_PATH, bytes)?;
    if bytes.first() != Some(&b'/') {
        return Err(refusal_of_unrooted());
    }
    let mut scan = SegmentScan::new();
    scan.feed(path, Writer::Unknown)?;
    scan.finish()
}

/// Checks a composed target: a path, and a query if there is a `?`.
///
/// The path half is held to [`validate_resolved_path`]. The query half is not empty, and after one
/// decode holds no second `?`, no `#` `\`, control character or brace; what it says in the way of
/// slashes and dots is its own affair, so a query value may be a URL.
///
/// Accepting a target allocates nothing.
///
/// # Errors
///
/// A [`PlaceholderRefusal`] of `path segment` or `query`.
///
/// ```
/// use proofmark::path::validate_resolved_target;
///
/// assert!(validate_resolved_target("/search?next=https://example.test/a/").is_ok());
/// assert!(validate_resolved_target("/search?a=1?b=2").is_err());
/// assert!(validate_resolved_target("/search?").is_err());
/// ```
///
/// Source: seed 000.
pub fn validate_resolved_target(path: &str) -> Result<(), PlaceholderRefusal> {
    // A path that is fine at a glance has no `?`.
    if is_plain_path(path.as_bytes()) {
        return Ok(());
    }
    match path.split_once('?') {
        None => validate_resolved_path(path),
        Some((path, query)) => validate_resolved_path(path).and_then(|()| check_query(query)),
    }
}

/// Whether a path without a query is fine at a glance.
fn is_plain_path(path: &[u8]) -> bool {
    path.first() == Some(&b'/') && shows_all(path) && are_plainly_fine(path)
}

/// Checks a composed query, without its `?`.
fn check_query(query: &str) -> Result<(), PlaceholderRefusal> {
    if query.is_empty() {
        return Err(PlaceholderRefusal::new(
            COMPOSED_QUERY,
            "pathSegment",
            "must not be empty",
        ));
    }
    check_bytes(COMPOSED_QUERY, query.as_bytes())
}

/// Whether the bytes as they stand show all that one decode and one fold would, and none of them is
/// refused anywhere.
pub(super) fn shows_all(bytes: &[u8]) -> bool {
    let seen = classes(bytes);
    seen & (DENIED | BRACE | FOLD) == 0 && (seen & PERCENT == 0 || escapes_are_plain(bytes))
}

/// The rules that hold for every byte of a target, in either half.
fn check_bytes(half: &str, bytes: &[u8]) -> Result<(), PlaceholderRefusal> {
    if are_plain(bytes) {
        return Ok(());
    }
    if !escapes_are_sound(bytes) {
        return Err(PlaceholderRefusal::new(
            half,
            "percentEncoding",
            ESCAPE_EXPECTATION,
        ));
    }
    if Decoded::new(bytes).any(|byte| byte.is_ok_and(|byte| class(byte) & (DENIED | BRACE) != 0)) {
        return Err(PlaceholderRefusal::new(
            half,
            "pathSegment",
            BYTES_EXPECTATION,
        ));
    }
    Ok(())
}
