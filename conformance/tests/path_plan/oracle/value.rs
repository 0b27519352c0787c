//! What the requirements say of a single value: PATH-01 to 09, 12 and 22.

use proofmark_conformance::vectors::path::{Answer, EncodedValue, RefusalRule, ValueRules};

use super::patterns::Pattern;
use super::spelling::{
    Fold, decoded, decoded_text, escapes_are_whole, fold_of_bytes, fold_of_characters,
    has_two_dots_together, is_hard_to_see, is_mark_or_control,
};

/// The cap of PATH-05.
pub const CAP: usize = 256;

/// What is declared for a value.
#[derive(Clone, Copy, Default)]
pub struct Declared {
    pub pattern: Option<Pattern>,
    pub max_length: Option<u32>,
    pub allow_slash: bool,
}

impl Declared {
    pub fn pattern(pattern: Pattern) -> Self {
        Self {
            pattern: Some(pattern),
            ..Self::default()
        }
    }

    pub fn max_length(max_length: u32) -> Self {
        Self {
            max_length: Some(max_length),
            ..Self::default()
        }
    }

    pub fn slash() -> Self {
        Self {
            allow_slash: true,
            ..Self::default()
        }
    }

    pub fn rules(&self) -> ValueRules {
        ValueRules {
            pattern: self.pattern.map(|pattern| pattern.text.to_owned()),
            max_length: self.max_length,
            allow_slash: self.allow_slash,
        }
    }
}

/// What is right for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub result: Answer,
    pub rule: Option<RefusalRule>,
    pub encode: EncodedValue,
}

/// Which half of a target a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Path,
    Query,
}

pub fn judge(value: &str, declared: &Declared, half: Half) -> Told {
    if let Some(rule) = floor(value, declared.allow_slash, half) {
        return Told {
            result: Answer::Refuse,
            rule: Some(rule),
            encode: encoded(value, declared, half),
        };
    }
    if let Some(rule) = narrowed_by(value, declared) {
        return Told {
            result: Answer::Refuse,
            rule: Some(rule),
            encode: EncodedValue::Refuse,
        };
    }
    let (result, encode) = match is_nobodys_business(value, declared.allow_slash) {
        true => (Answer::Either, EncodedValue::Either),
        false => (Answer::Accept, EncodedValue::Accept),
    };
    Told {
        result,
        rule: None,
        encode,
    }
}

/// PATH-01 to 04, PATH-09 and PATH-22.
fn floor(value: &str, allow_slash: bool, half: Half) -> Option<RefusalRule> {
    if value.is_empty() {
        return Some(RefusalRule::NonEmpty);
    }
    if !escapes_are_whole(value) {
        return Some(RefusalRule::PercentEncoding);
    }
    let bytes = decoded(value);
    let refused = |byte: &u8| is_mark_or_control(*byte) && !(allow_slash && *byte == b'/');
    let dots = has_two_dots_together(&bytes) || bytes == b".";
    let folds = half == Half::Path
        && (fold_of_characters(&decoded_text(value)) == Fold::Surely
            || fold_of_bytes(&bytes) == Fold::Surely);
    (bytes.iter().any(refused) || dots || folds).then_some(RefusalRule::CharacterFloor)
}

/// PATH-05 to 08: the cap, and what is declared.
fn narrowed_by(value: &str, declared: &Declared) -> Option<RefusalRule> {
    let length = value.chars().count();
    if length > CAP {
        return Some(RefusalRule::MaxLength);
    }
    if declared
        .pattern
        .is_some_and(|pattern| !pattern.admits(value))
    {
        return Some(RefusalRule::Pattern);
    }
    let limit = declared.max_length.map(|limit| limit as usize);
    limit
        .is_some_and(|limit| length > limit)
        .then_some(RefusalRule::MaxLength)
}

/// What an encoding resolver may do with a value that is below the floor.
fn encoded(value: &str, declared: &Declared, half: Half) -> EncodedValue {
    let mut parts = value.split('/');
    let is_a_step = match declared.allow_slash {
        true => parts.any(|part| part == "." || part == ".."),
        false => value == "." || value == "..",
    };
    let look_alike = half == Half::Path && fold_of_characters(value) == Fold::Surely;
    if value.is_empty() || is_a_step || look_alike || narrowed_by(value, declared).is_some() {
        EncodedValue::Refuse
    } else if declared.allow_slash && value.contains('/') {
        EncodedValue::Either
    } else {
        EncodedValue::OneSegment
    }
}

/// What the requirements leave to the resolver.
fn is_nobodys_business(value: &str, allow_slash: bool) -> bool {
    let text = decoded_text(value);
    // PATH-12: refused, or sent with its braces encoded; at which step is open.
    let braces = text.contains(['{', '}']);
    // PATH-22 is about the path half; a resolver may be as strict in the other.
    let folds = fold_of_characters(&text).max(fold_of_bytes(&decoded(value))) != Fold::No;
    // PATH-10 refuses these once they are composed; a value's own check may leave them to that.
    let steps = allow_slash
        && text.contains('/')
        && text.split('/').any(|part| part.is_empty() || part == ".");
    braces || folds || steps || is_hard_to_see(&text)
}
