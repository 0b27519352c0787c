//! Translates an ECMA-262 pattern (with the `u` flag) into the syntax of the `regex` family.
//!
//! Both read most patterns alike and some differently, so nothing is copied through: each construct
//! is recognised and written anew, and one that is not recognised makes the pattern unusable.

use std::fmt::Write as _;
use std::str::Chars;

const DIGIT: &str = "0-9";
const NOT_DIGIT: &str = r"\x{0}-\x{2F}\x{3A}-\x{10FFFF}";
const WORD: &str = "0-9A-Z_a-z";
const NOT_WORD: &str = r"\x{0}-\x{2F}\x{3A}-\x{40}\x{5B}-\x{5E}\x{60}\x{7B}-\x{10FFFF}";
const SPACE: &str = r"\x{9}-\x{D}\x{20}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const NOT_SPACE: &str = r"\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}";
const NOT_LINE_END: &str = r"[^\x{A}\x{D}\x{2028}\x{2029}]";
const ANYTHING: &str = r"[\x{0}-\x{10FFFF}]";
const NOTHING: &str = r"[^\x{0}-\x{10FFFF}]";

/// Word boundaries of ASCII words, for the engine that looks around.
const BOUNDARY: &str = "(?:(?<=[0-9A-Z_a-z])(?![0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?=[0-9A-Z_a-z]))";
const NOT_BOUNDARY: &str =
    "(?:(?<=[0-9A-Z_a-z])(?=[0-9A-Z_a-z])|(?<![0-9A-Z_a-z])(?![0-9A-Z_a-z]))";

/// A pattern in the syntax of the `regex` family.
pub(super) struct Translation {
    pub(super) text: String,
    /// Whether it needs the engine that looks around.
    pub(super) looks_around: bool,
}

/// The translation, or nothing when the pattern is not one that can be honoured.
pub(super) fn translate(source: &str) -> Option<Translation> {
    let plain = Translator::new(source, false).run()?;
    if plain.looks_around {
        Translator::new(source, true).run()
    } else {
        Some(plain)
    }
}

struct Translator<'p> {
    rest: Chars<'p>,
    out: String,
    /// Whether the text is for the engine that looks around.
    backtracking: bool,
    looks_around: bool,
    /// For each open group, whether it may be repeated once closed.
    open: Vec<bool>,
    /// Whether what was just written may be repeated.
    repeatable: bool,
}

/// One member of a character class.
enum Member {
    Char(char),
    Set(String),
}

impl<'p> Translator<'p> {
    fn new(source: &'p str, backtracking: bool) -> Self {
        Self {
            rest: source.chars(),
            out: String::with_capacity(source.len() * 2),
            backtracking,
            looks_around: backtracking,
            open: Vec::new(),
            repeatable: false,
        }
    }

    fn run(mut self) -> Option<Translation> {
        while let Some(character) = self.rest.next() {
            self.repeatable = match character {
                '^' => self.write("^", false),
                '$' => self.write(r"\z", false),
                '.' => self.write(NOT_LINE_END, true),
                '|' => self.write("|", false),
                '(' => self.open_group()?,
                ')' => {
                    self.out.push(')');
                    self.open.pop()?
                }
                '*' | '+' | '?' => self.repeat(character)?,
                '{' => self.repeat_counted()?,
                '[' => self.class()?,
                '\\' => self.escape()?,
                other => self.write_char(other),
            };
        }
        self.open.is_empty().then_some(Translation {
            text: self.out,
            looks_around: self.looks_around,
        })
    }

    fn write(&mut self, text: &str, repeatable: bool) -> bool {
        self.out.push_str(text);
        repeatable
    }

    fn write_char(&mut self, character: char) -> bool {
        if character.is_ascii_alphanumeric() {
            self.out.push(character);
        } else {
            push_code(&mut self.out, character);
        }
        true
    }

    /// Consumes `text` if it comes next.
    fn take(&mut self, text: &str) -> bool {
        match self.rest.as_str().strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.chars();
                true
            }
            None => false,
        }
    }

    /// Nothing refers back to a group, so none needs to capture. The engine that looks around repeats
    /// nothing but a look-around only if that is captured.
    fn open_group(&mut self) -> Option<bool> {
        for look in ["?=", "?!", "?<=", "?<!"] {
            if self.take(look) {
                self.looks_around = true;
                self.out.push('(');
                self.out.push_str(look);
                self.open.push(false);
                return Some(false);
            }
        }
        if self.take("?<") {
            self.group_name()?;
        } else if !self.take("?:") && self.rest.as_str().starts_with('?') {
            return None;
        }
        self.out
            .push_str(if self.backtracking { "(" } else { "(?:" });
        self.open.push(true);
        Some(false)
    }

    fn group_name(&mut self) -> Option<()> {
        let (name, _) = self.rest.as_str().split_once('>')?;
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let starts_well = !name.starts_with(|c: char| c.is_ascii_digit());
        (!name.is_empty() && starts_well && name.chars().all(is_part)).then_some(())?;
        self.rest = self.rest.as_str()[name.len() + 1..].chars();
        Some(())
    }

    fn repeat(&mut self, sign: char) -> Option<bool> {
        self.repeatable.then_some(())?;
        self.out.push(sign);
        self.finish_repeat()
    }

    /// Whether a repetition is lazy decides what it captures, not whether it matches.
    fn finish_repeat(&mut self) -> Option<bool> {
        self.take("?");
        Some(false)
    }

    fn repeat_counted(&mut self) -> Option<bool> {
        self.repeatable.then_some(())?;
        let (counts, _) = self.rest.as_str().split_once('}')?;
        let (least, most) = counts.split_once(',').unwrap_or((counts, counts));
        let least = count(least)?;
        match most {
            "" => write!(self.out, "{{{least},}}"),
            most => {
                let most = count(most).filter(|&most| least <= most)?;
                write!(self.out, "{{{least},{most}}}")
            }
        }
        .ok()?;
        self.rest = self.rest.as_str()[counts.len() + 1..].chars();
        self.finish_repeat()
    }

    fn class(&mut self) -> Option<bool> {
        let negated = self.take("^");
        let mut members = String::new();
        while !self.take("]") {
            match self.member()? {
                Member::Set(set) => {
                    // A set cannot begin a range.
                    let begins_range = self.rest.as_str().starts_with('-')
                        && !self.rest.as_str().starts_with("-]");
                    (!begins_range).then_some(())?;
                    members.push_str(&set);
                }
                Member::Char(first) => {
                    push_code(&mut members, first);
                    if !self.rest.as_str().starts_with("-]") && self.take("-") {
                        let Member::Char(last) = self.member()? else {
                            return None;
                        };
                        (first <= last).then_some(())?;
                        members.push('-');
                        push_code(&mut members, last);
                    }
                }
            }
        }
        match (members.is_empty(), negated) {
            (true, true) => self.out.push_str(ANYTHING),
            (true, false) => self.out.push_str(NOTHING),
            (false, _) => {
                let sign = if negated { "^" } else { "" };
                write!(self.out, "[{sign}{members}]").ok()?;
            }
        }
        Some(true)
    }

    fn member(&mut self) -> Option<Member> {
        match self.rest.next()? {
            '\\' => match self.rest.next()? {
                'b' => Some(Member::Char('\u{8}')),
                letter @ ('p' | 'P') => self.property(letter).map(Member::Set),
                letter => match set_of(letter) {
                    Some(set) => Some(Member::Set(set.to_owned())),
                    None => self.escaped_char(letter).map(Member::Char),
                },
            },
            plain => Some(Member::Char(plain)),
        }
    }

    fn escape(&mut self) -> Option<bool> {
        match self.rest.next()? {
            'b' => Some(self.boundary(r"(?-u:\b)", BOUNDARY)),
            'B' => Some(self.boundary(r"(?-u:\B)", NOT_BOUNDARY)),
            letter @ ('p' | 'P') => {
                let property = self.property(letter)?;
                Some(self.write(&property, true))
            }
            letter => match set_of(letter) {
                Some(set) => {
                    write!(self.out, "[{set}]").ok()?;
                    Some(true)
                }
                None => {
                    let character = self.escaped_char(letter)?;
                    Some(self.write_char(character))
                }
            },
        }
    }

    fn boundary(&mut self, linear: &str, looking_around: &str) -> bool {
        let text = if self.backtracking {
            looking_around
        } else {
            linear
        };
        self.write(text, false)
    }

    fn property(&mut self, letter: char) -> Option<String> {
        let (name, rest) = self.rest.as_str().strip_prefix('{')?.split_once('}')?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '=');
        (!name.is_empty() && name.chars().all(is_part)).then_some(())?;
        self.rest = rest.chars();
        Some(format!("\\{letter}{{{name}}}"))
    }

    /// The character that an escape other than a set stands for.
    fn escaped_char(&mut self, letter: char) -> Option<char> {
        match letter {
            't' => Some('\t'),
            'n' => Some('\n'),
            'v' => Some('\u{B}'),
            'f' => Some('\u{C}'),
            'r' => Some('\r'),
            '0' if !self.rest.as_str().starts_with(|c: char| c.is_ascii_digit()) => Some('\0'),
            'c' => {
                let control = self.rest.next().filter(char::is_ascii_alphabetic)?;
                char::from_u32(u32::from(control) % 32)
            }
            'x' => char::from_u32(self.hex(2)?),
            'u' => self.unicode_escape(),
            other if !other.is_ascii_alphanumeric() => Some(other),
            _ => None,
        }
    }

    fn unicode_escape(&mut self) -> Option<char> {
        if self.take("{") {
            let (digits, rest) = self.rest.as_str().split_once('}')?;
            let is_hex = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
            is_hex.then_some(())?;
            self.rest = rest.chars();
            return char::from_u32(u32::from_str_radix(digits, 16).ok()?);
        }
        let first = self.hex(4)?;
        if (0xD800..0xDC00).contains(&first) && self.take(r"\u") {
            let second = self
                .hex(4)?
                .checked_sub(0xDC00)
                .filter(|&low| low < 0x400)?;
            return char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + second);
        }
        // A lone surrogate occurs in no value, and is nothing that a `char` can hold.
        char::from_u32(first)
    }

    fn hex(&mut self, length: usize) -> Option<u32> {
        let digits = self.rest.as_str().get(..length)?;
        digits
            .chars()
            .all(|c| c.is_ascii_hexdigit())
            .then_some(())?;
        self.rest = self.rest.as_str()[length..].chars();
        u32::from_str_radix(digits, 16).ok()
    }
}

/// The members of `\d` and its like.
fn set_of(letter: char) -> Option<&'static str> {
    match letter {
        'd' => Some(DIGIT),
        'D' => Some(NOT_DIGIT),
        'w' => Some(WORD),
        'W' => Some(NOT_WORD),
        's' => Some(SPACE),
        'S' => Some(NOT_SPACE),
        _ => None,
    }
}

/// A count of a repetition; more digits than these compile to nothing usable anyway.
fn count(digits: &str) -> Option<u32> {
    let is_count = !digits.is_empty() && digits.len() <= 9;
    (is_count && digits.bytes().all(|b| b.is_ascii_digit())).then_some(())?;
    digits.parse().ok()
}

fn push_code(out: &mut String, character: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\x{{{:X}}}", u32::from(character));
}
