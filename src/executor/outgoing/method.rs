//! The methods that are sent, and how each carries its fields.

use std::fmt;

use crate::executor::RequestRefusal;

/// A method that is sent, always in upper case.
///
/// ```
/// use proofmark::executor::Method;
///
/// assert_eq!(Method::parse("get")?, Method::Get);
/// assert!(Method::parse("poſt").is_err());
/// # Ok::<(), proofmark::executor::RequestRefusal>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `GET`.
    Get,
    /// `HEAD`.
    Head,
    /// `OPTIONS`.
    Options,
    /// `POST`.
    Post,
    /// `PUT`.
    Put,
    /// `PATCH`.
    Patch,
    /// `DELETE`.
    Delete,
}

impl Method {
    /// Every method that is sent.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Options,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
    ];

    /// Reads a method, in whatever ASCII case.
    ///
    /// # Errors
    ///
    /// [`RequestRefusal::Method`] for any other text. Only ASCII letters are folded: what Unicode
    /// upper-cases to a known method is not one.
    pub fn parse(text: &str) -> Result<Self, RequestRefusal> {
        Self::ALL
            .into_iter()
            .find(|method| method.as_str().eq_ignore_ascii_case(text))
            .ok_or(RequestRefusal::Method)
    }

    /// The method as it is sent.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether its fields travel as query pairs and it has no body.
    #[must_use]
    pub fn is_get_like(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options)
    }

    /// Whether sending it twice is as good as once.
    #[must_use]
    pub fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("GET", Some(Method::Get))]
    #[case("pAtCh", Some(Method::Patch))]
    #[case("delete", Some(Method::Delete))]
    #[case("", None)]
    #[case("GET ", None)]
    #[case(" GET", None)]
    #[case("GET\r\n", None)]
    #[case("GET /x", None)]
    #[case("G\0ET", None)]
    #[case("poſt", None)]
    #[case("TRACE", None)]
    #[case("CONNECT", None)]
    fn only_known_methods_are_read(#[case] text: &str, #[case] expected: Option<Method>) {
        assert_eq!(Method::parse(text).ok(), expected);
    }
}
