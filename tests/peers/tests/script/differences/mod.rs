//! Every difference between the plan executors: the smallest script, what each side makes of it, and
//! why. A difference that is not stated here is a fault.

mod calls;
mod language;

use std::sync::LazyLock;

use tokio::runtime::Builder;

use crate::program::{Program, Seen, Step, any_step};
use crate::{ours, peer};

/// One way in which the sides differ on purpose.
pub struct StatedDifference {
    name: &'static str,
    /// The requirement it follows from, or the rule of the language.
    reason: &'static str,
    smallest: Program,
    ours: &'static str,
    peer: &'static str,
    /// Whether it is the reason for what was seen of a script.
    explains: fn(&Program, &Seen, &Seen) -> bool,
}

/// The stated difference that a difference is an instance of.
pub fn explanation(program: &Program, ours: &Seen, peer: &Seen) -> Option<&'static str> {
    STATED
        .iter()
        .find(|stated| (stated.explains)(program, ours, peer))
        .map(|stated| stated.name)
}

#[test]
fn every_stated_difference_is_there_and_is_explained_by_itself() {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    for stated in STATED.iter() {
        let ours = runtime.block_on(ours::run(&stated.smallest));
        let peer = runtime.block_on(peer::run(&stated.smallest));
        assert_eq!(ours.to_string(), stated.ours, "{}", stated.name);
        assert_eq!(peer.to_string(), stated.peer, "{}", stated.name);
        assert!(
            (stated.explains)(&stated.smallest, &ours, &peer),
            "{}",
            stated.name
        );
        assert!(!stated.reason.is_empty());
    }
}

static STATED: LazyLock<Vec<StatedDifference>> = LazyLock::new(|| {
    let mut stated = language::stated();
    stated.extend(calls::stated());
    stated
});

/// The toolkit ends the script, or what a handler guards of it, and the peer goes on from there.
fn we_stop(program: &Program, ours: &Seen, peer: &Seen) -> bool {
    guards(program) || (ours.value.is_none() && peer.sent.starts_with(&ours.sent))
}

/// The peer ends the script, or what a handler guards of it, and the toolkit goes on from there.
fn they_stop(program: &Program, ours: &Seen, peer: &Seen) -> bool {
    guards(program) || (peer.value.is_none() && ours.sent.starts_with(&peer.sent))
}

/// Whether there is a handler, behind which each side may go its own way.
fn guards(program: &Program) -> bool {
    any_step(program, &mut |step| matches!(step, Step::Try { .. }))
}
