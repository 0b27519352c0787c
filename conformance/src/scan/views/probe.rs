//! Asks a value, at compile time, which views it offers. For the macros of this crate alone.
//!
//! A method called on `&Probe` resolves to the trait that looks when the wrapped type has what it
//! takes, and otherwise, one reference further, to the trait of the same method that does nothing.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::ops::Deref;

use serde::Serialize;

use super::{CredentialSource, TextSource, ViewError, Views};

/// Wraps a value to be asked.
pub struct Probe<'v, T: ?Sized>(pub &'v T);

macro_rules! probes {
    ($($has:ident, $lacks:ident, $method:ident: ($($bound:tt)+), |$value:ident, $views:ident| $look:expr;)*) => {$(
        /// Looks at a view that the type offers.
        pub trait $has {
            /// Adds the view.
            fn $method(&self, views: &mut Views<'_>);
        }

        impl<T: $($bound)+> $has for Probe<'_, T> {
            fn $method(&self, $views: &mut Views<'_>) {
                let $value = self.0;
                $look;
            }
        }

        /// Passes over a view that the type does not offer.
        pub trait $lacks {
            /// Adds nothing.
            fn $method(&self, _: &mut Views<'_>) {}
        }

        impl<T: ?Sized> $lacks for &Probe<'_, T> {}
    )*};
}

probes! {
    HasSource, LacksSource, probe_source: (TextSource + ?Sized), |value, views| views.source(value);
    HasSerialize, LacksSerialize, probe_serialize: (Serialize + ?Sized), |value, views| views.serialize(value);
    HasBytes, LacksBytes, probe_bytes: (AsRef<[u8]> + ?Sized), |value, views| views.bytes(value.as_ref());
    HasDebug, LacksDebug, probe_debug: (Debug + ?Sized), |value, views| views.debug(value);
    HasDisplay, LacksDisplay, probe_display: (Display + ?Sized), |value, views| views.display(value);
    HasError, LacksError, probe_error: (Error), |value, views| views.error(value);
    HasBoxedError, LacksBoxedError, probe_boxed_error: (Deref<Target = dyn Error> + ?Sized), |value, views| views.error(&**value);
    HasSharedError, LacksSharedError, probe_shared_error: (Deref<Target = dyn Error + Send + Sync> + ?Sized), |value, views| views.error(&**value);
}

/// Looks through the views that `look` adds.
///
/// # Errors
///
/// As [`Views::finish`], and when there is no scanner for the secrets.
pub fn check<S: CredentialSource + ?Sized>(
    secrets: &S,
    look: impl FnOnce(&mut Views<'_>),
) -> Result<(), ViewError> {
    secrets.with_scanner(|scanner| {
        let mut views = Views::new(scanner);
        look(&mut views);
        views.finish()
    })?
}
