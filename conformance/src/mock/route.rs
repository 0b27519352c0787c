//! Which calls are meant, by method and path.

use std::fmt;
use std::str::FromStr;

/// A method and a path with wildcards: `GET /items/*`.
///
/// `*` stands for any method, or for any one segment of the path; `**` as the last segment stands
/// for whatever is left, nothing included. A query belongs to the path only if the route has one.
///
/// ```
/// use proofmark_conformance::mock::Route;
///
/// let route: Route = "GET /items/*".parse()?;
/// assert!(route.matches("GET", "/items/7?full=true"));
/// assert!(!route.matches("GET", "/items/7/parts"));
/// # Ok::<(), proofmark_conformance::mock::RouteError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    method: String,
    path: String,
}

/// Why a text is no route.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// It is not a method, one space, and a path.
    #[error("a route is a method or `*`, a space, and a path that begins with `/`")]
    Shape,
    /// `**` is not the last segment.
    #[error("`**` must be the last segment of a route")]
    Rest,
}

impl Route {
    /// Whether a call is meant; the method is compared without letter case.
    #[must_use]
    pub fn matches(&self, method: &str, path: &str) -> bool {
        let path = match path.split_once('?') {
            Some((path, _)) if !self.path.contains('?') => path,
            _ => path,
        };
        (self.method == "*" || self.method.eq_ignore_ascii_case(method)) && self.matches_path(path)
    }

    fn matches_path(&self, path: &str) -> bool {
        let mut segments = path.split('/');
        for wanted in self.path.split('/') {
            if wanted == "**" {
                return true;
            }
            match segments.next() {
                Some(segment) if wanted == segment || (wanted == "*" && !segment.is_empty()) => {}
                _ => return false,
            }
        }
        segments.next().is_none()
    }
}

impl FromStr for Route {
    type Err = RouteError;

    fn from_str(text: &str) -> Result<Self, RouteError> {
        let (method, path) = text.split_once(' ').ok_or(RouteError::Shape)?;
        if method.is_empty() || !path.starts_with('/') || path.contains(' ') {
            return Err(RouteError::Shape);
        }
        let mut segments = path.split('/').rev();
        segments.next();
        if segments.any(|segment| segment == "**") {
            return Err(RouteError::Rest);
        }
        Ok(Self {
            method: method.to_owned(),
            path: path.to_owned(),
        })
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("GET /items", "get", "/items", true)]
    #[case("GET /items", "POST", "/items", false)]
    #[case("* /items", "POST", "/items", true)]
    #[case("GET /items", "GET", "/items/", false)]
    #[case("GET /items/*", "GET", "/items/", false)]
    #[case("GET /items/*/parts", "GET", "/items/7/parts", true)]
    #[case("GET /items/**", "GET", "/items/7/parts", true)]
    #[case("GET /items/**", "GET", "/items", true)]
    #[case("GET /items/**", "GET", "/itemsx", false)]
    #[case("GET /**", "GET", "/", true)]
    #[case("GET /items", "GET", "/items?a=1", true)]
    #[case("GET /items?a=1", "GET", "/items?a=1", true)]
    #[case("GET /items?a=1", "GET", "/items?a=2", false)]
    fn a_route_means_what_it_says(
        #[case] route: Route,
        #[case] method: &str,
        #[case] path: &str,
        #[case] meant: bool,
    ) {
        assert_eq!(route.matches(method, path), meant);
    }

    #[rstest]
    #[case("/items", RouteError::Shape)]
    #[case("GET items", RouteError::Shape)]
    #[case("GET  /items", RouteError::Shape)]
    #[case("GET /a b", RouteError::Shape)]
    #[case("GET /**/items", RouteError::Rest)]
    fn a_text_that_is_no_route_is_refused(#[case] text: &str, #[case] expected: RouteError) {
        assert_eq!(text.parse::<Route>(), Err(expected));
    }
}
