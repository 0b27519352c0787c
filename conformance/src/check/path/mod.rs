//! PATH: what resolving placeholders into a request target does.

mod all_or_nothing;
mod beside;
mod body;
mod composition;
mod default_rules;
mod floor;
mod fold;
mod form_text;
mod hostile;
mod length;
mod lookup;
mod message;
mod missing;
mod operation;
mod ordeal;
mod origin;
mod outline;
mod pairs;
mod pattern;
mod place;
mod query_mark;
mod rendering;
mod rescan;
mod slash;
#[cfg(test)]
mod switched;
mod url_value;
mod variable;

use super::Check;
use crate::catalogue::{Family, RequirementId};

const fn path(number: u8) -> RequirementId {
    RequirementId::new(Family::Path, number)
}

pub(super) const CHECKS: &[Check] = &[
    Check::of_resolver(path(1), floor::empty),
    Check::of_resolver(path(2), floor::separators),
    Check::of_resolver(path(3), floor::escapes),
    Check::of_resolver(path(4), floor::dots),
    Check::of_resolver(path(5), length::cap),
    Check::of_resolver(path(6), pattern::narrows),
    Check::of_resolver(path(7), length::declared),
    Check::of_resolver(path(8), pattern::broken),
    Check::of_resolver(path(9), slash::check),
    Check::of_resolver(path(10), composition::check),
    Check::of_resolver(path(11), query_mark::check),
    Check::of_resolver(path(12), rescan::check),
    Check::of_resolver(path(13), all_or_nothing::check),
    Check::of_resolver(path(14), rendering::check),
    Check::of_resolver(path(15), message::check),
    Check::of_resolver(path(16), operation::check),
    Check::of_resolver(path(17), lookup::check),
    Check::of_resolver(path(18), body::check),
    Check::of_resolver(path(19), origin::check),
    Check::of_resolver(path(20), variable::floor),
    Check::of_resolver(path(21), pairs::check),
    Check::of_resolver(path(22), fold::check),
    Check::of_resolver(path(23), url_value::check),
    Check::of_resolver(path(24), variable::braces),
    Check::of_resolver(path(25), missing::check),
    Check::of_resolver(path(26), default_rules::check),
    Check::of_resolver(path(27), form_text::check),
];
