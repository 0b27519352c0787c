//! The assertions that a value, in every view it offers, holds no credential.

/// Fails the test when a value shows a credential in any view that it offers, in any encoding.
///
/// The views are all of these that the type has: [`TextSource`](crate::scan::TextSource) (an
/// `OutboundRequest`, a [`TraceCapture`](crate::scan::TraceCapture)), `Serialize`,
/// `AsRef<[u8]>`, `Debug`, `Display`, and the `source` chain of an `Error`, boxed or not. A value
/// with none fails: nothing was proven. So does a value of a type parameter without bounds, and a
/// credential too weak to look for.
///
/// The credential may be a string, a [`Secret`](crate::scan::Secret), several of them, or a
/// [`Scanner`](crate::scan::Scanner). The message names fields and encodings; it never shows the
/// credential, nor the expressions given, which may hold it.
///
/// ```
/// use proofmark_conformance::assert_no_credential;
/// use proofmark_conformance::toolkit::request::OutboundRequest;
///
/// let query = [("page".to_owned(), "2".to_owned())];
/// let request = OutboundRequest::new("list", "GET", "https://api.example.test/v1", &query, None);
/// assert_no_credential!("tok_FAKE_9f3A", request);
/// ```
///
/// # Panics
///
/// When the credential is found, or its absence is not proven.
#[macro_export]
macro_rules! assert_no_credential {
    ($credential:expr, $value:expr $(,)?) => {
        if let ::core::result::Result::Err(error) =
            $crate::check_no_credential!($credential, $value)
        {
            ::core::panic!("{error}");
        }
    };
}

/// As [`assert_no_credential!`](crate::assert_no_credential), but gives a
/// `Result<(), ViewError>`.
///
/// ```
/// use proofmark_conformance::check_no_credential;
///
/// let error = check_no_credential!("tok_FAKE_9f3A", ["page", "746f6b5f46414b455f39663341"]);
/// assert_eq!(
///     error.unwrap_err().to_string().split(';').next(),
///     Some("credential found: `credential` in [1] as serialised (hex)"),
/// );
/// ```
#[macro_export]
macro_rules! check_no_credential {
    ($credential:expr, $value:expr $(,)?) => {
        match (&$credential, &$value) {
            (credential, value) => $crate::scan::probe::check(credential, |views| {
                #[allow(unused_imports)]
                use $crate::scan::probe::*;
                let probe = Probe(value);
                (&probe).probe_source(views);
                (&probe).probe_serialize(views);
                (&probe).probe_bytes(views);
                (&probe).probe_error(views);
                (&probe).probe_boxed_error(views);
                (&probe).probe_shared_error(views);
                (&probe).probe_debug(views);
                (&probe).probe_display(views);
            }),
        }
    };
}

pub use {assert_no_credential, check_no_credential};
