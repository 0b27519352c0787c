//! Judging by compiling: what shows that a leash's context comes from its gate and from nowhere
//! else.
//!
//! A leash cannot be asked at run time whether somebody could make a context without it. These
//! macros ask the compiler, and belong into the tests of whoever writes a leash:
//! [`assert_minted_only!`](crate::assert_minted_only) into an integration test, where only what is
//! public can be seen, and [`minted_only_doctests!`](crate::minted_only_doctests) into the library.
//!
//! Source: seed 003.

#[doc(hidden)]
pub use serde::de::DeserializeOwned;

/// Does not compile where the type can be made without a gate: by `Default`, by deserialising it,
/// by converting one of the listed types or text into it, or by a public function of a usual
/// name; nor where it has a method of a usual name that changes it.
///
/// It must stand outside the type's own crate, in an integration test say, for inside even private
/// functions can be called. Conversions are looked for from texts, numbers and the types listed
/// after `from`: list what authority is described by. Public fields are for
/// [`minted_only_doctests!`](crate::minted_only_doctests) to find.
///
/// ```
/// use proofmark_conformance::assert_minted_only;
/// use proofmark_conformance::toolkit::leash::{Caveats, ToolContext};
///
/// assert_minted_only!(ToolContext, from = [Caveats]);
/// ```
///
/// ```compile_fail
/// use proofmark_conformance::assert_minted_only;
///
/// #[derive(Default)]
/// struct Context;
/// assert_minted_only!(Context);
/// ```
#[macro_export]
macro_rules! assert_minted_only {
    ($context:ty $(, from = [$($source:ty),* $(,)?])? $(,)?) => {
        $crate::__proofmark_lacks! { $context, NoDefaultMakesAContext, ::core::default::Default }
        $crate::__proofmark_lacks! { $context, NoTextBecomesAContext, ::core::str::FromStr }
        $crate::__proofmark_lacks! {
            $context, NothingDeserialisesToAContext, $crate::compile::DeserializeOwned
        }
        $crate::__proofmark_lacks! {
            $context, NothingConvertsIntoAContext,
            ::core::convert::TryFrom<()>, ::core::convert::TryFrom<bool>,
            ::core::convert::TryFrom<u64>, ::core::convert::TryFrom<&'static str>,
            ::core::convert::TryFrom<::std::string::String>,
            ::core::convert::TryFrom<::std::vec::Vec<u8>>
            $($(, ::core::convert::TryFrom<$source>)*)?
        }
        $crate::__proofmark_without! {
            $context, NoFunctionMakesAContext,
            new new_unchecked unchecked mint forge create make build builder default_context
            from_parts from_raw from_caveats from_grant from_json from_authority with_caveats
            with_authority unrestricted unlimited unconfined top root admin
            for_test for_tests for_testing dummy mock fake
        }
        $crate::__proofmark_without! {
            $context, NoMethodChangesAContext,
            caveats_mut set_caveats set_authority set_floor set_strength_floor with_floor
            with_strength_floor set_sandbox set_sandbox_kind with_sandbox widen
        }
    };
}

/// Does not compile where the type implements one of the traits: two implementations of the
/// helper trait would fit then.
#[doc(hidden)]
#[macro_export]
macro_rules! __proofmark_lacks {
    ($context:ty, $name:ident $(, $implemented:path)+ $(,)?) => {
        const _: fn() = || {
            trait $name<Witness> {
                fn lacks() {}
            }
            impl<T: ?Sized> $name<()> for T {}
            $(
                const _: () = {
                    struct Implemented;
                    impl<T: ?Sized + $implemented> $name<Implemented> for T {}
                };
            )+
            let _ = <$context as $name<_>>::lacks;
        };
    };
}

/// Does not compile where the type has a visible function of one of the names: it would be found
/// before the helper trait's, and has another type.
#[doc(hidden)]
#[macro_export]
macro_rules! __proofmark_without {
    ($context:ty, $name:ident, $($function:ident)+) => {
        const _: fn() = || {
            struct Absent;
            trait $name {
                $(fn $function() -> Absent {
                    Absent
                })+
            }
            impl<T: ?Sized> $name for T {}
            $(let _: fn() -> Absent = <$context>::$function;)+
        };
    };
}

/// Makes doc tests of the type at this path: it can be passed on, and cannot be made from its
/// fields, for they are private.
///
/// It stands in the library whose type it is, and `cargo test --doc` runs the tests:
///
/// ```text
/// #[cfg(doctest)]
/// proofmark_conformance::minted_only_doctests!(my_leash::Context);
/// ```
#[macro_export]
macro_rules! minted_only_doctests {
    ($($segment:ident)::+) => {
        #[doc = ::core::concat!(
            "A context can be passed on,\n```\nfn pass(context: ", ::core::stringify!($($segment)::+),
            ") -> ", ::core::stringify!($($segment)::+), " { context }\n```\n",
            "and not be made from its fields.\n```compile_fail,E0451\nfn forge(context: ",
            ::core::stringify!($($segment)::+), ") -> ", ::core::stringify!($($segment)::+), " { ",
            ::core::stringify!($($segment)::+), " { ..context } }\n```"
        )]
        pub mod __proofmark_minted_only {}
    };
}

#[cfg(doctest)]
minted_only_doctests!(proofmark_conformance::toolkit::leash::ToolContext);
