//! What the requirements say of a finished target: PATH-10, 11, 19, 21, 23 and 27.

use proofmark_conformance::vectors::path::{Answer, RefusalRule};
use url::Url;

use super::spelling::{
    Fold, decoded, decoded_text, escapes_are_whole, fold_of_bytes, fold_of_characters,
    is_hard_to_see,
};
use super::value::CAP;

/// What is right for a finished text, or for a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    pub result: Answer,
    pub rule: Option<RefusalRule>,
    /// The answer of an encoding resolver, whose own targets hold escapes of refused characters.
    pub encode: Answer,
}

const ACCEPTED: Judgement = Judgement {
    result: Answer::Accept,
    rule: None,
    encode: Answer::Accept,
};

const OPEN: Judgement = Judgement {
    result: Answer::Either,
    rule: None,
    encode: Answer::Either,
};

/// No resolver sends this.
const fn never(rule: RefusalRule) -> Judgement {
    Judgement {
        result: Answer::Refuse,
        rule: Some(rule),
        encode: Answer::Refuse,
    }
}

/// No resolver that refuses reserved characters sends this.
const fn only_encoded(rule: RefusalRule) -> Judgement {
    Judgement {
        encode: Answer::Either,
        ..never(rule)
    }
}

/// A target: a path, and a query behind the one `?` that may stand.
pub fn of_target(text: &str) -> Judgement {
    let judgement = match text.split_once('?') {
        None => of_path(text),
        Some((path, query)) => both(of_path(path), of_query(query)),
    };
    if judgement.result == Answer::Accept {
        assert_keeps_its_origin(text);
    }
    judgement
}

/// The stricter of two.
fn both(first: Judgement, second: Judgement) -> Judgement {
    let strictness = |answer| match answer {
        Answer::Accept => 0,
        Answer::Either => 1,
        Answer::Refuse => 2,
    };
    let stricter = |a, b| match strictness(a) >= strictness(b) {
        true => a,
        false => b,
    };
    Judgement {
        result: stricter(first.result, second.result),
        rule: first.rule.or(second.rule),
        encode: stricter(first.encode, second.encode),
    }
}

/// A path that no query follows.
pub fn of_path(path: &str) -> Judgement {
    let Some(rest) = path.strip_prefix('/') else {
        return never(RefusalRule::Origin);
    };
    if rest.starts_with(['/', '\\']) {
        return never(RefusalRule::Origin);
    }
    if rest.contains('?') {
        return never(RefusalRule::Query);
    }
    if let Some(judgement) = of_bytes(path) {
        return judgement;
    }
    rest.split('/')
        .enumerate()
        .map(|(number, segment)| match segment {
            // The path `/` alone; any other empty segment may be the author's own.
            "" if number == 0 => ACCEPTED,
            "" => OPEN,
            segment => of_segment(segment),
        })
        .fold(ACCEPTED, both)
}

fn of_query(query: &str) -> Judgement {
    if query.is_empty() || query.contains('?') {
        return never(RefusalRule::Query);
    }
    if let Some(judgement) = of_bytes(query) {
        return judgement;
    }
    let said = decoded_text(query);
    let named = query
        .split('&')
        .all(|pair| !pair.is_empty() && !pair.starts_with('='));
    // What an author may write there besides pairs of words is observed only: PATH-23.
    let plain = named && !said.contains('/') && !said.contains("..") && !is_hard_to_see(&said);
    match plain && holds_only(query, "/") && fold_of_bytes(&decoded(query)) == Fold::No {
        true => ACCEPTED,
        false => OPEN,
    }
}

/// PATH-11: both halves face the byte floor; and PATH-12 and 25: no brace is left in either.
fn of_bytes(half: &str) -> Option<Judgement> {
    let is_bad = |c: char| c == '#' || c == '\\' || c.is_ascii_control();
    if half.contains(is_bad) {
        return Some(never(RefusalRule::CharacterFloor));
    }
    if half.contains(['{', '}']) {
        return Some(never(RefusalRule::Brace));
    }
    if !escapes_are_whole(&half.replace("%25", "")) {
        return Some(never(RefusalRule::PercentEncoding));
    }
    if !escapes_are_whole(half) {
        return Some(only_encoded(RefusalRule::PercentEncoding));
    }
    let text = decoded_text(half);
    if text.contains(|c| is_bad(c) || c == '?') {
        return Some(only_encoded(RefusalRule::CharacterFloor));
    }
    text.contains(['{', '}']).then_some(OPEN)
}

fn of_segment(segment: &str) -> Judgement {
    let text = decoded_text(segment);
    if text == "." || text == ".." {
        return never(RefusalRule::PathSegment);
    }
    if text.split('/').any(|part| part == "." || part == "..") {
        return only_encoded(RefusalRule::PathSegment);
    }
    match (segment.chars().count() > CAP, text.chars().count() > CAP) {
        (true, true) => return never(RefusalRule::SegmentMaxLength),
        (false, false) => {}
        // Whether an escape counts once or thrice here is not said.
        _ => return OPEN,
    }
    let folds = fold_of_characters(&text).max(fold_of_bytes(&decoded(segment)));
    let step = text.split(';').next() == Some(".") || text.contains("..");
    let open = step || text.contains('/') || is_hard_to_see(&text) || folds != Fold::No;
    match open || !holds_only(segment, "") {
        true => OPEN,
        false => ACCEPTED,
    }
}

/// Whether there are only characters of RFC 3986, section 3.3, and these.
fn holds_only(text: &str, more: &str) -> bool {
    let unreserved = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    text.chars()
        .all(|c| unreserved(c) || "!$&'()*+,;=:@%".contains(c) || more.contains(c))
}

/// PATH-19 by another's judgement: a WHATWG parser leaves an accepted target as it is.
fn assert_keeps_its_origin(target: &str) {
    let base = Url::parse("https://api.example.test/v1/").unwrap();
    let joined = base.join(target).unwrap();
    assert_eq!(joined.origin(), base.origin(), "{target}");
    let seen = match joined.query() {
        Some(query) => format!("{}?{query}", joined.path()),
        None => joined.path().to_owned(),
    };
    // A quote is the one character that it encodes in a query of its own accord.
    assert_eq!(seen.replace("%27", "'"), target);
}
