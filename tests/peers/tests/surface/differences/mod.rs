//! Every difference between the surfaces: the smallest call, what each side makes of it, and why. A
//! difference that is not stated here is a fault.

mod differently;
mod refused;

use std::sync::LazyLock;

use crate::case::Case;
use crate::desk;
use crate::seen::Seen;

/// One way in which the sides differ on purpose.
pub struct StatedDifference {
    name: &'static str,
    /// The requirement it follows from, and in what way.
    reason: &'static str,
    smallest: Case,
    ours: &'static str,
    peer: &'static str,
    kind: Kind,
}

/// What differs, and when.
#[derive(Clone, Copy)]
pub enum Kind {
    /// The toolkit refuses such a call, and the peer sends it.
    WeRefuse(fn(&Case) -> bool),
    /// The peer refuses such a call, and the toolkit sends it.
    TheyRefuse(fn(&Case) -> bool),
    /// Both refuse such a call, the peer after it has asked the policy.
    TheyAsk(fn(&Case) -> bool),
    /// Both send it; this turns what the peer made of it into what the toolkit makes of it.
    Differently(fn(&Case, &mut Seen)),
}

impl StatedDifference {
    fn explains(&self, case: &Case, ours: &Seen, peer: &Seen) -> bool {
        match (self.kind, ours.is_refusal(), peer.is_refusal()) {
            (Kind::WeRefuse(such), true, false) | (Kind::TheyRefuse(such), false, true) => {
                such(case)
            }
            (Kind::TheyAsk(such), true, true) => such(case),
            (Kind::Differently(turn), false, false) => {
                let mut turned = peer.clone();
                turn(case, &mut turned);
                turned == *ours
            }
            _ => false,
        }
    }
}

/// Whether the sides agree but for what is stated.
pub fn agree(case: &Case, ours: &Seen, peer: &Seen) -> bool {
    if ours == peer {
        return true;
    }
    if !ours.is_refusal() && !peer.is_refusal() {
        let mut turned = peer.clone();
        for stated in STATED.iter() {
            if let Kind::Differently(turn) = stated.kind {
                turn(case, &mut turned);
            }
        }
        return turned == *ours;
    }
    STATED
        .iter()
        .any(|stated| stated.explains(case, ours, peer))
}

#[test]
fn every_stated_difference_is_there_and_is_explained_by_itself() {
    for stated in STATED.iter() {
        let (ours, peer) = (desk::ours(&stated.smallest), desk::peer(&stated.smallest));
        assert_eq!(ours.to_string(), stated.ours, "{}", stated.name);
        assert_eq!(peer.to_string(), stated.peer, "{}", stated.name);
        assert!(
            stated.explains(&stated.smallest, &ours, &peer),
            "{}",
            stated.name
        );
        assert!(!stated.reason.is_empty());
    }
}

static STATED: LazyLock<Vec<StatedDifference>> = LazyLock::new(|| {
    let mut stated = refused::by_us();
    stated.extend(refused::by_them());
    stated.extend(differently::stated());
    stated
});
