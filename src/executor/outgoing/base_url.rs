//! The base URL: where requests go, joined so that no path can change it.

use std::fmt;

use url::{Host, Url};

use crate::executor::RequestRefusal;
use crate::path::ResolvedPath;

/// An `http` or `https` URL without userinfo, query and fragment, which targets are joined to.
///
/// Joining keeps the base's path as a prefix and resolves nothing: a target is appended as text, and
/// the result is compared byte by byte with what was handed over.
///
/// ```
/// use proofmark::executor::BaseUrl;
/// use proofmark::path::ResolvedPath;
///
/// let base = BaseUrl::parse("https://api.example.test/v1/")?;
/// let joined = base.join(ResolvedPath::from_checked("/items:batchGet?x=1")?)?;
/// assert_eq!(joined.as_str(), "https://api.example.test/v1/items:batchGet?x=1");
///
/// assert!(BaseUrl::parse("https://user:secret@api.example.test/").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: seed 000.
#[derive(Clone, PartialEq, Eq)]
pub struct BaseUrl {
    url: Url,
    /// The serialised base without a `/` at its end.
    root: String,
}

/// Why a text is no base URL. No message quotes the text.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It is not an absolute URL with a host.
    #[error(
        "the base URL must be an absolute URL with a host, and hold no space, backslash or \
             control character"
    )]
    Malformed,
    /// It is neither `http` nor `https`.
    #[error("the base URL must begin with http:// or https://")]
    Scheme,
    /// It holds a user or a password.
    #[error(
        "the base URL must hold no user and no password: give the credential to an auth provider"
    )]
    Userinfo,
    /// It holds a query or a fragment.
    #[error("the base URL must hold no query and no fragment")]
    QueryOrFragment,
}

impl BaseUrl {
    /// Reads a base URL.
    ///
    /// # Errors
    ///
    /// A [`BaseUrlError`], which does not quote the text.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        // A URL parser drops some of these and turns others into slashes.
        let silent = |c: char| c.is_ascii_control() || c == ' ' || c == '\\';
        if text.contains(silent) {
            return Err(BaseUrlError::Malformed);
        }
        let after_scheme = ["http://", "https://"]
            .iter()
            .find_map(|scheme| {
                text.get(..scheme.len())
                    .filter(|start| start.eq_ignore_ascii_case(scheme))
                    .map(|_| &text[scheme.len()..])
            })
            .ok_or(BaseUrlError::Scheme)?;
        let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or("");
        if authority.is_empty() {
            return Err(BaseUrlError::Malformed);
        }
        if authority.contains('@') {
            return Err(BaseUrlError::Userinfo);
        }
        if text.contains(['?', '#']) {
            return Err(BaseUrlError::QueryOrFragment);
        }
        let url = Url::parse(text).map_err(|_| BaseUrlError::Malformed)?;
        let root = url.as_str().trim_end_matches('/').to_owned();
        Ok(Self { url, root })
    }

    /// Appends a target to the base.
    ///
    /// # Errors
    ///
    /// [`RequestRefusal::Target`] if the URL would differ from base and target by more than the
    /// percent-encoding of characters that a URL cannot hold.
    pub fn join(&self, path: ResolvedPath<'_>) -> Result<Url, RequestRefusal> {
        let mut text = String::with_capacity(self.root.len() + path.as_str().len());
        text.push_str(&self.root);
        text.push_str(path.as_str());
        let url = Url::parse(&text).map_err(|_| RequestRefusal::Target)?;
        let kept = url
            .as_str()
            .strip_prefix(&self.root)
            .is_some_and(|sent| is_aligned(path.as_str().as_bytes(), sent.as_bytes()));
        if kept {
            Ok(url)
        } else {
            Err(RequestRefusal::Target)
        }
    }

    /// The base itself.
    #[cfg(feature = "http")]
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Whether what is sent here is encrypted.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether the host is this machine: an address of the loopback range, or `localhost`.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.url)
    }

    /// Whether a credential may travel here.
    #[must_use]
    pub fn may_carry_credential(&self) -> bool {
        self.is_https() || self.is_loopback()
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Whether each byte handed over appears as itself, or as its own escape if it may be escaped.
fn is_aligned(handed: &[u8], sent: &[u8]) -> bool {
    let mut sent = sent;
    for &byte in handed {
        let Some((&first, rest)) = sent.split_first() else {
            return false;
        };
        if first == byte {
            sent = rest;
            continue;
        }
        let fixed = byte.is_ascii_alphanumeric() || b"-._~%/?".contains(&byte);
        match sent {
            [b'%', high, low, rest @ ..] if !fixed && is_escape_of(byte, *high, *low) => {
                sent = rest;
            }
            _ => return false,
        }
    }
    sent.is_empty()
}

fn is_escape_of(byte: u8, high: u8, low: u8) -> bool {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    high.to_ascii_uppercase() == DIGITS[usize::from(byte >> 4)]
        && low.to_ascii_uppercase() == DIGITS[usize::from(byte & 15)]
}

/// Shows where requests go, and not the path, which may name a tenant.
impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BaseUrl")
            .field(&self.url.origin().ascii_serialization())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::plain("/a:b/7", "/a:b/7", true)]
    #[case::encoded("/a b\u{e9}", "/a%20b%c3%A9", true)]
    #[case::folded("/a/../b", "/b", false)]
    #[case::decoded("/%41", "/A", false)]
    #[case::percent_encoded_again("/%41", "/%2541", false)]
    #[case::unreserved_encoded("/a", "/%61", false)]
    #[case::slash_encoded("/a/b", "/a%2Fb", false)]
    #[case::shorter("/ab", "/a", false)]
    #[case::longer("/a", "/ab", false)]
    #[case::cut_escape("/ ", "/%2", false)]
    fn a_target_is_aligned_byte_by_byte(
        #[case] handed: &str,
        #[case] sent: &str,
        #[case] aligned: bool,
    ) {
        assert_eq!(is_aligned(handed.as_bytes(), sent.as_bytes()), aligned);
    }

    #[test]
    fn debug_shows_the_origin_alone() {
        let base = BaseUrl::parse("https://api.example.test/canary0123456789/").unwrap();
        assert_eq!(format!("{base:?}"), "BaseUrl(\"https://api.example.test\")");
    }
}
