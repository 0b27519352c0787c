//! Generates `rows.rs` from the catalogue and holds the committed file equal to it.

use std::fmt::Write as _;
use std::path::Path;

use crate::catalogue::{Catalogue, Requirement, SubjectKind};
use crate::check;
use crate::profile::Capability;

/// What each word of an entry lets the judge look at; the profile says the same at run time, and a
/// test below holds the two equal.
const WORDS: &[(&str, &[Capability])] = {
    use Capability as C;
    &[
        ("stateless", &[C::Stateless, C::IndependentCalls]),
        ("budget", &[C::Budget, C::FixedBudget, C::Refusal]),
        ("rate", &[C::Budget, C::Rate, C::Refusal]),
        ("requests", &[C::Requests]),
        ("bytes", &[C::Bytes]),
        ("distinct_endpoints", &[C::DistinctEndpoints]),
        ("per_call", &[C::PerCall, C::CallScope, C::IndependentCalls]),
        (
            "per_tool_and_call",
            &[C::ToolAndCall, C::CallScope, C::IndependentCalls],
        ),
        ("allow", &[C::Samples]),
        (
            "refuse",
            &[C::Samples, C::Refusal, C::RefusedEndpoints, C::AnyEndpoints],
        ),
        ("endpoints", &[C::Endpoints, C::AnyEndpoints, C::Refusal]),
        (
            "prefixes",
            &[C::Prefixes, C::Endpoints, C::AnyEndpoints, C::Refusal],
        ),
        (
            "refuse_pairs",
            &[C::RefusePairs, C::RefusedParts, C::Refusal],
        ),
        ("refuse_segments", &[C::RefusedParts, C::Refusal]),
        ("refuse_keys", &[C::RefusedParts, C::Refusal]),
        ("refuse_methods", &[C::RefuseMethods, C::Refusal]),
        ("tools", &[C::Tools, C::Refusal]),
        ("max_calls", &[C::Bounded]),
        ("idle_ms", &[C::Bounded]),
        ("pends", &[C::Pends]),
        ("combinator", &[C::Combinator]),
        ("bearer", &[C::Credential, C::HeaderCredential]),
        (
            "basic",
            &[C::Credential, C::AuthSchemes, C::HeaderCredential],
        ),
        (
            "header_key",
            &[
                C::Credential,
                C::AuthSchemes,
                C::HeaderCredential,
                C::NamedCredential,
            ],
        ),
        (
            "query_key",
            &[C::Credential, C::AuthSchemes, C::NamedCredential],
        ),
        (
            "forwarded",
            &[C::Credential, C::AuthSchemes, C::HeaderCredential],
        ),
        ("token_endpoint", &[C::Credential, C::TokenEndpoint]),
        ("policy", &[C::AsksPolicy]),
        ("retries", &[C::Retries]),
        ("validates_scripts", &[C::Scripts]),
        ("argument_validator", &[C::ArgumentValidator]),
        ("calls_per_script", &[C::Limits]),
        ("loop_iterations", &[C::Limits]),
        ("response_bytes", &[C::Limits]),
        ("script_ms", &[C::Limits]),
        ("check_exec", &[C::CheckExec]),
        ("check_net", &[C::CheckNet]),
        ("check_path", &[C::CheckPath]),
        ("mediated_opens", &[C::MediatedOpens]),
        ("spawn", &[C::Spawn]),
        ("generation", &[C::Generation]),
        ("call_budget", &[C::CallBudget]),
        ("meet", &[C::Meet]),
        ("leq", &[C::Leq]),
        ("fence_strength", &[C::FenceStrength]),
        ("serialised", &[C::Serialised]),
        ("resolves", &[C::Resolve]),
        ("placeholder_rules", &[C::PlaceholderRules]),
        ("composes_query", &[C::Query]),
        ("interpolates", &[C::Interpolation]),
        ("patterns", &[C::Pattern]),
        ("max_lengths", &[C::MaxLength]),
        ("allow_slash", &[C::AllowSlash]),
    ]
};

/// The kinds of subject that have entries.
const KINDS: &[SubjectKind] = &[
    SubjectKind::Policy,
    SubjectKind::Executor,
    SubjectKind::Resolver,
    SubjectKind::Leash,
    SubjectKind::Surface,
];

fn judged_rows(catalogue: &Catalogue, kind: SubjectKind) -> impl Iterator<Item = &Requirement> {
    catalogue
        .iter()
        .filter(move |row| row.subjects.contains(&kind) && check::find(row.id).is_some())
}

fn generated() -> String {
    let catalogue = Catalogue::shared().unwrap();
    let mut text = HEAD.to_owned();
    for (word, capabilities) in WORDS {
        let words: Vec<&str> = capabilities.iter().map(|c| c.word()).collect();
        let is_kind = matches!(*word, "stateless" | "budget" | "rate");
        let kind = if is_kind { word } else { "$kind" };
        let _ = writeln!(
            text,
            "    ($then:ident [$kind:ident] [$($caps:ident)*] {word} $($word:ident)*) => {{\n        $crate::__proofmark_caps! {{ $then [{kind}] [{} $($caps)*] $($word)* }}\n    }};",
            words.join(" ")
        );
    }
    text.push_str(MIDDLE);
    for kind in KINDS {
        let article = if *kind == SubjectKind::Executor {
            "an"
        } else {
            "a"
        };
        let _ = write!(
            text,
            "\n/// One test for each row about {article} {kind} that has a check.\n#[doc(hidden)]\n#[macro_export]\n#[rustfmt::skip]\nmacro_rules! __proofmark_{kind}_rows {{\n    ($caps:tt) => {{\n"
        );
        for row in judged_rows(catalogue, *kind) {
            let test = row.id.to_string().to_lowercase().replace('-', "_");
            let _ = writeln!(
                text,
                "        $crate::__proofmark_row! {{ {test} \"{}\" [{}] $caps }}",
                row.id,
                row.needs.join(" ")
            );
        }
        text.push_str("    };\n}\n");
    }
    text.push_str(ROW_HEAD);
    for capability in Capability::ALL {
        let (word, absence) = (capability.word(), capability.absence());
        let _ = writeln!(
            text,
            "    (@find {word} $test:ident $id:literal $needs:tt $all:tt [{word} $($rest:ident)*]) => {{\n        $crate::__proofmark_row! {{ $test $id $needs $all }}\n    }};\n    (@find {word} $test:ident $id:literal $needs:tt $all:tt []) => {{\n        $crate::__proofmark_row! {{ @ignored $test $id \"not applicable: {absence}\" }}\n    }};"
        );
    }
    text.push_str(ROW_TAIL);
    text
}

const HEAD: &str = r"//! The row table of `conformance!`, generated from the catalogue by
//! `PROOFMARK_BLESS=1 cargo test -p proofmark-conformance row_table`; not to be edited.

/// Turns an entry's words into what they let the judge look at, and hands that on.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_caps {
    ($then:ident [$kind:ident] [$($caps:ident)*]) => {
        $crate::$then! { [$($caps)*] }
    };
    // A rate's `requests` say how many come back, not how many there are in all.
    ($then:ident [rate] [$($caps:ident)*] requests $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [rate] [$($caps)*] $($word)* }
    };
";

const MIDDLE: &str = r"    // A word that lets the judge look at nothing more, or none at all: the profile has no such
    // method then, and the compiler says so.
    ($then:ident [$kind:ident] [$($caps:ident)*] $other:ident $($word:ident)*) => {
        $crate::__proofmark_caps! { $then [$kind] [$($caps)*] $($word)* }
    };
}
";

const ROW_HEAD: &str = r#"
/// One row: a test where every need is met, else an ignored one that says which is not.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! __proofmark_row {
    ($test:ident $id:literal [] $all:tt) => {
        #[test]
        fn $test() -> ::core::result::Result<(), $crate::outcome::Failure> {
            $crate::testing::row($id, ::core::module_path!(), ::core::stringify!($test), __proofmark_subject)
        }
    };
    (@ignored $test:ident $id:literal $reason:literal) => {
        #[test]
        #[ignore = $reason]
        fn $test() -> ::core::result::Result<(), $crate::outcome::Failure> {
            $crate::testing::row($id, ::core::module_path!(), ::core::stringify!($test), __proofmark_subject)
        }
    };
    ($test:ident $id:literal [$need:ident $($needs:ident)*] [$($all:ident)*]) => {
        $crate::__proofmark_row! { @find $need $test $id [$($needs)*] [$($all)*] [$($all)*] }
    };
"#;

const ROW_TAIL: &str = r"    (@find $need:ident $test:ident $id:literal $needs:tt $all:tt [$skip:ident $($rest:ident)*]) => {
        $crate::__proofmark_row! { @find $need $test $id $needs $all [$($rest)*] }
    };
}
";

#[test]
fn the_row_table_is_the_catalogues() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/testing/rows.rs");
    let wanted = generated();
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == wanted,
        "{} is out of date: run PROOFMARK_BLESS=1 cargo test -p proofmark-conformance row_table",
        path.display()
    );
}
