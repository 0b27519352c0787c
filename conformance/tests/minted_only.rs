//! LSH-01: a context comes from the gate and from nowhere else. Shown on the toolkit's own, and on
//! small leashes that each leave one way open.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

use proofmark_conformance::assert_minted_only;
use proofmark_conformance::catalogue::{Family, RequirementId};
use proofmark_conformance::check;
use proofmark_conformance::toolkit::leash::{
    AxisEnforcement, Caveats, Gate, SandboxKind, ToolContext,
};
use rstest::rstest;

assert_minted_only!(
    ToolContext,
    from = [Caveats, &'static Caveats, Gate, (Caveats, SandboxKind, AxisEnforcement)]
);

/// A leash whose context is sound.
const SOUND: &str = "
pub trait DeserializeOwned {}
pub struct Context { authority: u8 }
impl Context {
    pub(crate) fn mint(authority: u8) -> Self { Self { authority } }
    pub fn authority(&self) -> u8 { self.authority }
}
pub fn gate() -> Context { Context::mint(3) }
";

/// The macros, on a stand-in for `serde`.
fn user(body: &str) -> String {
    let macros = include_str!("../src/compile.rs");
    let macros = macros.replace("pub use serde::de::DeserializeOwned;", "");
    let start = macros.find("#[doc(hidden)]").unwrap();
    let end = macros.find("#[cfg(doctest)]\nminted_only").unwrap();
    format!(
        "{}\npub mod compile {{ pub use leash::DeserializeOwned; }}\n{body}",
        &macros[start..end]
    )
}

const ASSERTED: &str = "assert_minted_only!(leash::Context, from = [u8]);";

const FORGED: &str =
    "pub fn forge(context: leash::Context) -> leash::Context { leash::Context { ..context } }";

fn compile(leash: &str, body: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("leash.rs"), leash).unwrap();
    std::fs::write(folder.path().join("user.rs"), user(body)).unwrap();
    let built = rustc(folder.path(), &["--crate-name=leash", "leash.rs"]);
    assert!(built.status.success(), "{}", said(&built));
    rustc(
        folder.path(),
        &[
            "--crate-name=user",
            "--extern=leash=libleash.rmeta",
            "user.rs",
        ],
    )
}

fn rustc(folder: &Path, args: &[&str]) -> Output {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_row_is_judged_by_compiling() {
    assert!(check::judges(RequirementId::new(Family::Lsh, 1)));
}

#[test]
fn a_context_that_only_the_gate_makes_compiles() {
    let built = compile(
        SOUND,
        &format!("{ASSERTED}\npub fn of_a_gate() -> leash::Context {{ leash::gate() }}"),
    );
    assert!(built.status.success(), "{}", said(&built));
}

#[rstest]
#[case::default(
    "impl Default for Context { fn default() -> Self { gate() } }",
    "NoDefaultMakesAContext"
)]
#[case::from(
    "impl From<u8> for Context { fn from(a: u8) -> Self { Self::mint(a) } }",
    "NothingConvertsIntoAContext"
)]
#[case::try_from(
    "impl TryFrom<&'static str> for Context { type Error = (); fn try_from(_: &str) -> Result<Self, ()> { Ok(gate()) } }",
    "NothingConvertsIntoAContext"
)]
#[case::from_text(
    "impl std::str::FromStr for Context { type Err = (); fn from_str(_: &str) -> Result<Self, ()> { Ok(gate()) } }",
    "NoTextBecomesAContext"
)]
#[case::deserialised(
    "impl DeserializeOwned for Context {}",
    "NothingDeserialisesToAContext"
)]
#[case::constructor(
    "impl Context { pub fn new(a: u8) -> Self { Self::mint(a) } }",
    "Absent"
)]
#[case::test_helper("impl Context { pub fn for_tests() -> Self { gate() } }", "Absent")]
#[case::setter(
    "impl Context { pub fn set_caveats(&mut self, a: u8) { self.authority = a } }",
    "Absent"
)]
fn a_context_that_can_be_made_or_changed_otherwise_does_not_compile(
    #[case] leak: &str,
    #[case] reason: &str,
) {
    let refused = compile(&format!("{SOUND}{leak}"), ASSERTED);
    assert!(!refused.status.success(), "{leak}");
    assert!(said(&refused).contains(reason), "{}", said(&refused));
}

#[test]
fn a_context_is_forged_from_public_fields_only() {
    let refused = compile(SOUND, FORGED);
    assert!(!refused.status.success());
    assert!(said(&refused).contains("E0451"), "{}", said(&refused));

    let open = SOUND.replace("{ authority: u8 }", "{ pub authority: u8 }");
    let forged = compile(&open, FORGED);
    assert!(forged.status.success(), "{}", said(&forged));
}
