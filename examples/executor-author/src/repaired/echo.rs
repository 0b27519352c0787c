//! Finds the credential in an answer that repeats it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

/// Whether the credential stands in the answer, as it is or in base64 among whatever else.
pub fn holds(answer: &Value, credential: &str) -> bool {
    // One alphabet for base64 and base64url; the credential itself is changed alike.
    let one_alphabet = |text: &str| text.replace('-', "+").replace('_', "/");
    let answer = one_alphabet(&answer.to_string());
    let encoded = [0, 2, 3].into_iter().enumerate().map(|(shift, first)| {
        // What stands before and behind changes the characters at the edges.
        let shifted = [&[0; 2][..shift], credential.as_bytes()].concat();
        STANDARD_NO_PAD.encode(&shifted)[first..shifted.len() * 8 / 6].to_owned()
    });
    !credential.is_empty()
        && encoded
            .chain([one_alphabet(credential)])
            .any(|form| answer.contains(&form))
}
