//! Which row a fault is for, found by asking once more without the one thing.

use serde_json::Value;

use super::ResolverFuzzer;
use super::oracle::{Fault, Row};
use super::script::{Meaning, Part, Script, Slot};
use super::shape::{holds, query_half};

/// A value that nobody refuses.
pub(super) const PLAIN: &str = "7";

impl ResolverFuzzer {
    /// The row that a fault is for.
    pub(super) fn blame(&self, script: &Script, fault: &Fault) -> u8 {
        match (fault.row, fault.slot) {
            (Row::Known(row), Some(slot)) => self.blame_value(script, row, slot),
            (Row::Known(row), None) => row,
            (Row::Elsewhere { in_keys }, _) => self.blame_target(script, in_keys),
        }
    }

    /// A value came through: because of what is declared, or of where it stands?
    fn blame_value(&self, script: &Script, row: u8, slot: Slot) -> u8 {
        if !matches!(row, 1..=7) {
            return row;
        }
        if let Slot::Variable(index) = slot {
            let as_argument = self.without(script, |twin| {
                for part in &mut twin.parts {
                    if *part == Part::Variable(index) {
                        *part = Part::Key(2);
                    }
                }
                twin.arguments[2] = twin.variables[index].take();
            });
            return if as_argument { 20 } else { row };
        }
        let rules = script.rules;
        if slot != Slot::Key(rules.key) {
            return row;
        }
        if matches!(row, 6 | 7) {
            return self.blame_lookup(script, row);
        }
        let no_slash = || rules.slash && self.without(script, |twin| twin.rules.slash = false);
        let no_leave =
            || rules.reserved && self.without(script, |twin| twin.rules.reserved = false);
        if no_slash() || no_leave() {
            return 9;
        }
        if rules.pattern.is_some() && self.without(script, |twin| twin.rules.pattern = None) {
            return 6;
        }
        if rules.max_length.is_some() && self.without(script, |twin| twin.rules.max_length = None) {
            return if row == 5 { 7 } else { row };
        }
        let describes = self.subject.profile().placeholder_rules && rules.max_length.is_none();
        if describes && self.without(script, |twin| twin.rules.max_length = Some(256)) {
            return 26;
        }
        row
    }

    /// A rule had no effect: because another method's was found, or none was?
    fn blame_lookup(&self, script: &Script, row: u8) -> u8 {
        if script.rules.other && self.without(script, |twin| twin.rules.other = false) {
            return 16;
        }
        let interpolated = script
            .parts
            .iter()
            .any(|part| matches!(part, Part::Variable(_)));
        let plain = |twin: &mut Script| {
            for part in &mut twin.parts {
                if matches!(part, Part::Variable(_)) {
                    *part = Part::Text(PLAIN);
                }
            }
        };
        if interpolated && self.without(script, plain) {
            return 17;
        }
        row
    }

    /// The target says something else: because of which value?
    fn blame_target(&self, script: &Script, in_keys: bool) -> u8 {
        let mut slots = script.parts.iter().filter_map(|part| part.slot());
        let culprit = slots.find(|slot| {
            let mut twin = script.clone();
            *twin.value_mut(*slot) = Some(Value::from(PLAIN));
            twin.rules.pattern = twin
                .rules
                .pattern
                .filter(|p| matches!(p.meaning, Meaning::Anything));
            let (_, answer, fault) = self.ask(&twin);
            answer.is_ok() && fault.is_none()
        });
        let Some(slot) = culprit else {
            return 10;
        };
        let in_query = holds(query_half(&script.parts), slot);
        let Some(Value::String(text)) = script.value(slot) else {
            return 14;
        };
        match slot {
            Slot::Variable(_) if text.contains(['{', '}']) => 24,
            Slot::Key(_) if text.contains(['{', '}']) => 12,
            _ if in_query && in_keys => 21,
            _ if in_query && text.contains(['+', ';']) => 27,
            Slot::Variable(_) => 20,
            Slot::Key(_) if text.contains('%') => 3,
            Slot::Key(_) if text.contains("..") => 4,
            Slot::Key(_)
                if text.contains(|c: char| c.is_ascii_control() || "/\\?#".contains(c)) =>
            {
                2
            }
            Slot::Key(_) => 14,
        }
    }

    /// Whether the script is refused once it is changed so.
    fn without(&self, script: &Script, change: impl FnOnce(&mut Script)) -> bool {
        let mut twin = script.clone();
        change(&mut twin);
        self.ask(&twin).1.is_err()
    }
}
