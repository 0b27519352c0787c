//! The laws of the lattice, on both sides.

use proptest::prelude::*;

use crate::generated::caveats;
use crate::sides;

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_of_the_lattice_hold_on_both_sides(
        three in [caveats(), caveats(), caveats()],
    ) {
        prop_assert_eq!(sides::ours::laws(&three), Ok(()), "ours");
        prop_assert_eq!(sides::peer::laws(&three), Ok(()), "the peer's");
    }
}
