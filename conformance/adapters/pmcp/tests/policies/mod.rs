//! Five policies as users of `pmcp-server-toolkit` write them, each with the profile that its
//! author would declare.

mod charged_previews;
mod echoed_path;
mod prefix_text;
mod sound;
mod text_anywhere;

use proofmark_conformance::subject::PolicySubject;

pub use sound::gateway;

/// Every policy, by name.
pub fn subjects() -> Vec<PolicySubject> {
    vec![
        prefix_text::subject(),
        text_anywhere::subject(),
        charged_previews::subject(),
        echoed_path::subject(),
        sound::subject(),
    ]
}
