//! The declared patterns of the vectors, each with its meaning written by hand.

/// A pattern and what it admits.
#[derive(Clone, Copy)]
pub struct Pattern {
    pub text: &'static str,
    pub meaning: Meaning,
}

#[derive(Clone, Copy)]
pub enum Meaning {
    Admits(fn(&str) -> bool),
    /// It is no pattern, or no engine gets through with it: nothing is admitted.
    Nothing,
}

impl Pattern {
    pub fn admits(&self, value: &str) -> bool {
        match self.meaning {
            Meaning::Admits(admits) => admits(value),
            Meaning::Nothing => false,
        }
    }
}

const fn admits(text: &'static str, admits: fn(&str) -> bool) -> Pattern {
    Pattern {
        text,
        meaning: Meaning::Admits(admits),
    }
}

const fn nothing(text: &'static str) -> Pattern {
    Pattern {
        text,
        meaning: Meaning::Nothing,
    }
}

fn anything(_: &str) -> bool {
    true
}

fn digits(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Those that admit whatever a value may be.
pub const EVERYTHING: [Pattern; 4] = [
    // No line break can be in a value, so the dot means every character.
    admits("^.*$", anything),
    admits(r"[\s\S]*", anything),
    admits(r"^[\s\S]*$", anything),
    admits("", anything),
];

pub const CODE: Pattern = admits("^C[0-9]+$", |value| {
    value.strip_prefix('C').is_some_and(digits)
});
pub const DIGITS: Pattern = admits("^[0-9]+$", digits);
pub const SOME_DIGIT: Pattern = admits("[0-9]", |value| {
    value.bytes().any(|byte| byte.is_ascii_digit())
});
pub const CLASS_DIGITS: Pattern = admits(r"^\d+$", digits);
pub const LETTERS: Pattern = admits(r"^\p{L}+$", |value| {
    !value.is_empty() && value.chars().all(char::is_alphabetic)
});
pub const LOWER: Pattern = admits("^[a-z]{2,5}$", |value| {
    (2..=5).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_lowercase())
});
pub const NO_X: Pattern = admits("^(?!x).*$", |value| !value.starts_with('x'));
pub const COLOUR: Pattern = admits("^(red|green)$", |value| ["red", "green"].contains(&value));
pub const ONE_CHARACTER: Pattern = admits("^.$", |value| value.chars().count() == 1);
pub const WORD: Pattern = admits(r"^\w+$", |value| {
    !value.is_empty()
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
});
pub const WITH_SLASH: Pattern = admits("^[a-z]+/[a-z]+$", |value| {
    let lower = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    value
        .split_once('/')
        .is_some_and(|(left, right)| lower(left) && lower(right))
});
pub const NO_SLASH: Pattern = admits("^[^/]+$", |value| !value.is_empty() && !value.contains('/'));

/// Those that spell one refused value out.
pub const SPELLED: [(Pattern, &str); 8] = [
    (admits(r"^a\/b$", |value| value == "a/b"), "a/b"),
    (admits(r"^\.\.$", |value| value == ".."), ".."),
    (admits(r"^\.$", |value| value == "."), "."),
    (admits(r"^a\?b$", |value| value == "a?b"), "a?b"),
    (admits("^a#b$", |value| value == "a#b"), "a#b"),
    (admits(r"^a\\b$", |value| value == "a\\b"), "a\\b"),
    (admits("^%2e%2e$", |value| value == "%2e%2e"), "%2e%2e"),
    (admits("^a%2Fb$", |value| value == "a%2Fb"), "a%2Fb"),
];

/// Those that are no patterns.
pub const BROKEN: [Pattern; 10] = [
    nothing("("),
    nothing(")"),
    nothing("[z-a]"),
    nothing("a{2,1}"),
    nothing("*"),
    nothing("a**"),
    nothing("^[A-Z"),
    nothing("(?<=a"),
    nothing("(?:a"),
    nothing("\\"),
];

/// Those that some engine cannot hold, or cannot finish, and that admit none of their values anyway.
pub const BOMBS: [Pattern; 3] = [
    nothing("^(a+)+$"),
    nothing("^(a|a)*$"),
    nothing("(a{1000}){1000}"),
];
