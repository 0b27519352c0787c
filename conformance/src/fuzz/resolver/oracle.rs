//! What an answer breaks, by what template, values and rules promised.

use serde_json::{Map, Value};

use super::reference::{Base, Reference};
use super::script::{KEYS, Meaning, Part, Script, Slot, VARIABLES};
use super::shape::{Shape, holds, is_raw, path_half, query_half};
use super::spelling::{Difference, Promise};
use super::value::{Standing, offence};
use crate::profile::ResolverProfile;
use crate::subject::{Refused, ResolveCase, Resolved};

/// What a resolver answers.
pub(super) type Answer = Result<Resolved, Refused>;

/// A text that no refusal holds unless it quotes a value.
pub(super) const CANARY: &str = "zq7canary3kx9";

/// So many characters of it are proof.
const PROOF: usize = 6;

/// A broken promise.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) row: Row,
    /// The value it is about, where it is about one.
    pub(super) slot: Option<Slot>,
    pub(super) seen: String,
}

/// Which row a fault is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// This one of PATH.
    Known(u8),
    /// The target says something else, and it is not known yet why.
    Elsewhere { in_keys: bool },
}

/// What a subject is held to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Oracle<'p> {
    pub(super) profile: &'p ResolverProfile,
    /// What only a SHOULD asks for counts.
    pub(super) strict: bool,
}

fn fault(row: u8, slot: Option<Slot>, seen: impl Into<String>) -> Fault {
    Fault {
        row: Row::Known(row),
        slot,
        seen: seen.into(),
    }
}

impl Oracle<'_> {
    /// What the answer breaks, if anything.
    pub(super) fn judge(
        &self,
        script: &Script,
        case: &ResolveCase,
        answer: &Answer,
    ) -> Option<Fault> {
        match answer {
            Ok(resolved) => self.judge_resolved(script, case, resolved),
            Err(refused) => self.judge_refused(script, case, refused),
        }
    }

    fn judge_refused(
        &self,
        script: &Script,
        case: &ResolveCase,
        refused: &Refused,
    ) -> Option<Fault> {
        if let Some(sent) = refused.sent().first() {
            return Some(fault(
                13,
                None,
                format!("refused, and `{sent}` is sent all the same"),
            ));
        }
        if refused.body().is_some_and(|body| *body != case.body) {
            return Some(fault(13, None, "refused, and the caller's body is changed"));
        }
        let mut slots = script.parts.iter().filter_map(|part| part.slot());
        let quoted = slots.find(|slot| holds_canary(script.value(*slot)))?;
        let mut texts = refused.texts();
        let text = texts.find(|text| {
            let mut parts = CANARY.as_bytes().windows(PROOF);
            parts.any(|part| text.as_bytes().windows(PROOF).any(|window| window == part))
        })?;
        Some(fault(
            15,
            Some(quoted),
            format!("the refusal quotes the value: {text}"),
        ))
    }

    fn judge_resolved(
        &self,
        script: &Script,
        case: &ResolveCase,
        resolved: &Resolved,
    ) -> Option<Fault> {
        let whole = self.profile.resolves;
        if let (true, Some(fault)) = (whole, unfilled(script)) {
            return Some(fault);
        }
        if let Some(fault) = self.value_faults(script) {
            return Some(fault);
        }
        if !whole {
            // What the judge put together is not the subject's.
            return None;
        }
        let shape = Shape::of(script);
        let target = resolved.target.as_str();
        self.template_fault(shape, target)
            .or_else(|| origin_fault(script, target))
            .or_else(|| {
                let promised = shape.rooted && !shape.raw && !shape.brace;
                promised
                    .then(|| self.target_fault(script, shape, target))
                    .flatten()
            })
            .or_else(|| body_fault(script, case, resolved))
            .or_else(|| self.lookup_fault(script, case))
    }

    /// A value that must be refused wherever it stands.
    fn value_faults(&self, script: &Script) -> Option<Fault> {
        let keys = (0..KEYS.len()).map(Slot::Key);
        let variables = (0..VARIABLES.len()).map(Slot::Variable);
        let mut slots = keys.chain(variables).filter(|slot| script.asks_for(*slot));
        slots.find_map(|slot| self.value_fault(script, slot))
    }

    fn value_fault(&self, script: &Script, slot: Slot) -> Option<Fault> {
        let text = script.text(slot)?;
        let ruled = slot == Slot::Key(script.rules.key);
        let standing = Standing {
            encodes: self.profile.encodes_reserved(),
            slash: ruled && script.rules.slash,
            in_path: holds(path_half(&script.parts), slot),
            whole: self.profile.resolves,
            strict: self.strict,
        };
        if let Some((row, why)) = offence(&text, standing) {
            return Some(fault(row, Some(slot), why));
        }
        if !ruled || !script.finds_rules(self.profile) {
            return None;
        }
        let declared = script.rules.max_length;
        if declared.is_some_and(|length| text.chars().count() > length) {
            return Some(fault(7, Some(slot), "the value is longer than declared"));
        }
        let refuses = match script.rules.pattern?.meaning {
            Meaning::Anything => return None,
            Meaning::Nothing => {
                return Some(fault(
                    8,
                    Some(slot),
                    "the pattern is none, so no value passes",
                ));
            }
            // Whether a pattern is asked before or after decoding is not said.
            Meaning::Only(admits) => !text.contains('%') && !text.bytes().all(admits),
        };
        refuses.then(|| fault(6, Some(slot), "the value does not match the pattern"))
    }

    /// A template that must be refused whatever its values are.
    fn template_fault(&self, shape: Shape, target: &str) -> Option<Fault> {
        let encodes = self.profile.encodes_reserved();
        if shape.ill_queried {
            return Some(fault(
                11,
                None,
                "a second `?`, or one with nothing behind it",
            ));
        }
        if shape.raw && (!encodes || target.contains(is_raw)) {
            return Some(fault(
                11,
                None,
                "the template holds a raw character of the floor",
            ));
        }
        let braces = ['{', '}'];
        if shape.brace && (!encodes || target.contains(braces)) {
            return Some(fault(10, None, "a brace of the template is left over"));
        }
        None
    }

    /// In what the target is not what template and values spell.
    fn target_fault(&self, script: &Script, shape: Shape, target: &str) -> Option<Fault> {
        if target.contains(['{', '}']) {
            let row = if braced_variable(script) { 24 } else { 12 };
            return Some(fault(row, None, "a brace of a value is sent as it is"));
        }
        let promise = Promise::of(script);
        if !shape.unclear
            && let Some(why) = promise.composes_badly(self.profile.encodes_reserved())
        {
            return Some(fault(10, None, why));
        }
        if target.contains(is_raw) {
            return Some(elsewhere(&Difference::Segments(
                "the target holds a raw character of the floor".to_owned(),
            )));
        }
        if shape.unclear {
            return None;
        }
        let reference = Reference::split(target);
        let by_text = promise.differs(reference.path, reference.query);
        let difference = by_text.or_else(|| parsed_differs(script, &promise, target));
        match difference {
            Some(Difference::PairValue(_)) if !self.strict && plus_in_query(script) => None,
            Some(difference) => Some(elsewhere(&difference)),
            None if self.strict => rewritten(script, reference.query),
            None => None,
        }
    }

    /// Rules that were looked up under another text than the one between the layers.
    fn lookup_fault(&self, script: &Script, case: &ResolveCase) -> Option<Fault> {
        let interpolated = script.variables.iter().any(Option::is_some);
        if !interpolated || !self.profile.placeholder_rules || !self.profile.interpolates {
            return None;
        }
        let lookups = case.lookups();
        let unasked = lookups.iter().find(|lookup| {
            let mut asked = script.parts.iter().filter_map(|part| match part {
                Part::Key(index) => Some(KEYS[*index]),
                _ => None,
            });
            asked.all(|key| key != lookup.param)
        });
        if let Some(lookup) = unasked {
            return Some(fault(24, None, format!("a lookup of {lookup}")));
        }
        // What a variable brings along is no variable, nor is what it makes with a placeholder.
        let mut written = lookups.iter().filter(|_| !brings_marks(script));
        let written = written.find(|lookup| lookup.template.contains("${"))?;
        Some(fault(17, None, format!("a lookup of {written}")))
    }
}

/// A placeholder that has nothing to fill it.
fn unfilled(script: &Script) -> Option<Fault> {
    script.parts.iter().find_map(|part| {
        let Part::Key(index) = part else {
            return None;
        };
        let slot = Some(Slot::Key(*index));
        match &script.arguments[*index] {
            None => Some(fault(25, slot, "a placeholder has no argument")),
            Some(Value::Array(_) | Value::Object(_)) => {
                Some(fault(14, slot, "an array or an object fills a placeholder"))
            }
            Some(_) => None,
        }
    })
}

fn origin_fault(script: &Script, target: &str) -> Option<Fault> {
    let bytes = target.as_bytes();
    let plain =
        bytes.first() == Some(&b'/') && !matches!(bytes.get(1), Some(b'/' | b'\\' | 0..=0x20));
    if plain {
        return None;
    }
    let left = Base::number(script.base)?.left_by(target)?;
    Some(fault(19, None, left))
}

/// A parser that folds dots or drops characters may see another target than is written.
fn parsed_differs(script: &Script, promise: &Promise, target: &str) -> Option<Difference> {
    let base = Base::number(script.base)?;
    let whole = |what: &str| Some(Difference::Segments(what.to_owned()));
    let Some(url) = base.behind(target) else {
        return whole("a WHATWG parser cannot read it");
    };
    let (true, Some(path)) = (base.has_origin_of(&url), base.path_behind(&url)) else {
        return whole("a WHATWG parser sees another origin or base path");
    };
    let difference = promise.differs(path, url.query())?;
    let seen = format!("as a WHATWG parser reads it, {}", difference.text());
    Some(match difference {
        Difference::Segments(_) => Difference::Segments(seen),
        Difference::Pairs(_) => Difference::Pairs(seen),
        Difference::PairValue(_) => Difference::PairValue(seen),
    })
}

/// Pairs of the author's with `;` or `+` in them come out byte by byte.
fn rewritten(script: &Script, query: Option<&str>) -> Option<Fault> {
    let parts = query_half(&script.parts);
    let marks = [';', '+'];
    let marked = |part: &Part| matches!(part, Part::Text(text) if text.contains(marks));
    if !parts.iter().any(marked) {
        return None;
    }
    let written = parts.get(1..)?.split(|part| *part == Part::And);
    let mut both = written.zip(query?.split('&'));
    let (_, pair) = both.find(|(parts, pair)| {
        let authored = parts.iter().all(|part| part.slot().is_none());
        authored && parts.iter().any(marked) && !is_written(parts, pair)
    })?;
    Some(fault(
        27,
        None,
        format!("a pair of the author's is rewritten as `{pair}`"),
    ))
}

fn is_written(parts: &[Part], pair: &str) -> bool {
    let rest = parts.iter().try_fold(pair, |rest, part| {
        rest.strip_prefix(match part {
            Part::Text(text) => text,
            Part::Equals => "=",
            Part::Slash => "/",
            _ => "?",
        })
    });
    rest == Some("")
}

/// What is wrong with the rest of the body. No body and an empty one are the same.
fn body_fault(script: &Script, case: &ResolveCase, resolved: &Resolved) -> Option<Fault> {
    let none = Map::new();
    let given = case
        .body
        .as_ref()
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let row = if braced_variable(script) { 24 } else { 18 };
    let left = match &resolved.body {
        None | Some(Value::Null) => &none,
        Some(Value::Object(left)) => left,
        Some(_) => return Some(fault(18, None, "the body is no object any more")),
    };
    let used = |key: &str| {
        let index = KEYS.iter().position(|name| *name == key);
        index.is_some_and(|index| script.asks_for(Slot::Key(index)))
    };
    for (key, value) in given {
        let what = match (used(key), left.get(key)) {
            (true, Some(_)) => "is still in the body",
            (false, None) => "is gone from the body",
            (false, Some(left)) if left != value => "is another value in the body",
            _ => continue,
        };
        return Some(fault(row, None, format!("`{key}` {what}")));
    }
    let added = left.keys().find(|key| !given.contains_key(*key))?;
    Some(fault(18, None, format!("`{added}` was not in the body")))
}

fn elsewhere(difference: &Difference) -> Fault {
    Fault {
        row: Row::Elsewhere {
            in_keys: matches!(difference, Difference::Pairs(_)),
        },
        slot: None,
        seen: difference.text().to_owned(),
    }
}

fn holds_canary(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::String(text)) if text.contains(CANARY))
}

fn braced_variable(script: &Script) -> bool {
    any_variable_holds(script, &['{', '}'])
}

fn brings_marks(script: &Script) -> bool {
    any_variable_holds(script, &['$', '{', '}'])
}

fn any_variable_holds(script: &Script, marks: &[char]) -> bool {
    let mut variables = (0..VARIABLES.len()).map(Slot::Variable);
    variables.any(|slot| {
        script.asks_for(slot) && script.text(slot).is_some_and(|text| text.contains(marks))
    })
}

fn plus_in_query(script: &Script) -> bool {
    let mut slots = query_half(&script.parts)
        .iter()
        .filter_map(|part| part.slot());
    slots.any(|slot| script.text(slot).is_some_and(|text| text.contains('+')))
}
