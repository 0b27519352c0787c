//! What fuzz bodies are fed with on a stable compiler: drawn bytes, and the corpora that were made of
//! them.

use std::fs;
use std::path::Path;

/// A small generator, so that the corpora depend on nothing that may change.
pub fn bytes(mut state: u64, count: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count);
    for _ in 0..count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        bytes.push(state.to_be_bytes()[0]);
    }
    bytes
}

/// The committed corpus of a target, which must be these many seeds, the first of `shortest` bytes
/// and each of `longer` more than the one before it. `PROOFMARK_BLESS=1` writes it.
pub fn committed(target: &str, count: u64, shortest: usize, longer: usize) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let folder = folder.join(target);
    (0..count)
        .map(|index| {
            let seed = bytes(index, shortest + longer * usize::try_from(index).unwrap());
            let path = folder.join(format!("seed-{index:02}"));
            if std::env::var_os("PROOFMARK_BLESS").is_some() {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&path, &seed).unwrap();
            }
            let committed = fs::read(path).unwrap();
            assert!(
                committed == seed,
                "PROOFMARK_BLESS=1 writes the corpus anew"
            );
            committed
        })
        .collect()
}
