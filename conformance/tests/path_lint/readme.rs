//! The digests that the folder's README prints are those of the files.

use std::path::Path;

use proofmark_conformance::vectors::{FILES, digest_of_all, file};

/// The README with the digests of the files as they are on disk.
fn with_digests(readme: &str) -> String {
    let line = |line: &str| match line.split_once("  ").and_then(|(_, name)| file(name)) {
        Some(file) => format!("{}  {}\n", file.digest(), file.name),
        None => format!("{line}\n"),
    };
    readme.lines().map(line).collect()
}

#[test]
fn the_readme_prints_the_digest_of_each_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let right = with_digests(&readme);
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        std::fs::write(path, right).unwrap();
        return;
    }
    for file in FILES {
        let line = format!("\n{}  {}\n", file.digest(), file.name);
        assert!(
            readme.contains(&line),
            "vectors/README.md prints another digest of {}: run this test with PROOFMARK_BLESS=1",
            file.name
        );
    }
    assert_eq!(readme, right);
}

#[test]
fn the_digest_of_all_is_that_of_the_lines_that_the_readme_prints() {
    let lines: String = FILES
        .iter()
        .map(|file| format!("{}  {}\n", file.digest(), file.name))
        .collect();
    let all = sha2::Sha256::digest(lines);
    let hex: String = all.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest_of_all(), hex);
}

use sha2::Digest as _;
