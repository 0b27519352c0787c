//! CRED-06: a field that is added to the request type, and not shown to the scanner, does not
//! compile. Shown on copies of the toolkit's own source.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

use proofmark_conformance::check;

const OUTBOUND: &str = include_str!("../../src/request/outbound.rs");
const VISIT: &str = include_str!("../../src/request/visit.rs");

/// As much of `serde_json` as the two files use.
const JSON: &str = "
pub enum Value { Null, String(String), Array(Vec<Value>), Object(Map) }
pub type Map = std::collections::BTreeMap<String, Value>;
impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(\"json\") }
}
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(\"json\") }
}
";

/// Compiles a crate of the request type and its visitor.
fn compile(outbound: &str, visit: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "outbound.rs",
        &outbound.replace("use serde_json", "use crate::serde_json"),
    );
    write(
        "visit.rs",
        &visit.replace("use serde_json", "use crate::serde_json"),
    );
    write("serde_json.rs", JSON);
    let modules = "mod serde_json; mod outbound; mod visit; pub use outbound::*; pub use visit::*;";
    write("lib.rs", modules);
    run_rustc(folder.path())
}

fn run_rustc(folder: &Path) -> Output {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Command::new(rustc)
        .args([
            "--edition=2024",
            "--crate-type=lib",
            "--emit=metadata",
            "lib.rs",
        ])
        .current_dir(folder)
        .output()
        .unwrap()
}

fn with_a_new_field() -> String {
    let field = "pub phase: RequestPhase,\n";
    let value = "phase: RequestPhase::Execute,\n";
    assert!(OUTBOUND.contains(field) && OUTBOUND.contains(value));
    OUTBOUND
        .replacen(
            field,
            "pub phase: RequestPhase,\n    /// New.\n    pub header: &'a str,\n",
            1,
        )
        .replacen(
            value,
            "phase: RequestPhase::Execute,\n            header: \"\",\n",
            1,
        )
}

#[test]
fn every_compiled_requirement_has_its_fixtures() {
    // Those of the second are in `minted_only.rs`.
    let compiled: Vec<String> = check::COMPILED.iter().map(ToString::to_string).collect();
    assert_eq!(compiled, ["CRED-06", "LSH-01"]);
}

#[test]
fn a_request_field_that_the_scanner_does_not_visit_does_not_compile() {
    let unchanged = compile(OUTBOUND, VISIT);
    assert!(
        unchanged.status.success(),
        "{}",
        String::from_utf8_lossy(&unchanged.stderr)
    );

    let refused = compile(&with_a_new_field(), VISIT);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success());
    assert!(
        message.contains("E0027") && message.contains("`header`"),
        "{message}"
    );

    // The one thing that may be wrong with it is the missing visit.
    let visited = VISIT.replacen("phase,\n        } = self;", "phase,\n            header,\n        } = self;\n        visitor.text(&FieldPath::root(\"header\"), header);", 1);
    let accepted = compile(&with_a_new_field(), &visited);
    assert!(
        accepted.status.success(),
        "{}",
        String::from_utf8_lossy(&accepted.stderr)
    );
}
