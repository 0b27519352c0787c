//! Scripts drawn from a fuzzer's bytes: one byte a decision, so that a changed byte is another
//! template, value or rule, and no byte at all is the harmless first of each list.

use arbitrary::{Arbitrary, Result as Drawn, Unstructured};
use serde_json::{Value, json};

use super::oracle::CANARY;
use super::reference::BASE_COUNT;
use super::script::{FURTHER, KEYS, PATTERNS, Part, Rules, Script, Slot, VARIABLES};
use crate::profile::ResolverProfile;

/// What values are made of most often.
const LIKELY: [&str; 16] = [
    "/", "x", "..", "%2f", ".", "%2F", "\\", "?", "&", "=", "{b}", "%", "+", "%2e", "\u{7f}", "%25",
];
/// What values are made of else.
const TOKENS: [&str; 92] = [
    "7",
    "a",
    "x",
    "C0018787",
    "items",
    ".",
    "..",
    "/",
    "%2e",
    "%2E",
    "%2f",
    "%2F",
    "?",
    "#",
    "\\",
    "%3f",
    "%3F",
    "%23",
    "%5c",
    "%5C",
    "%25",
    "%",
    "%2",
    "%zz",
    "%41",
    "%7e",
    "\t",
    "\n",
    "\r",
    "\0",
    "\u{1b}",
    "\u{1f}",
    "\u{7f}",
    "%00",
    "%09",
    "%0a",
    "%0D",
    "%1f",
    "%7f",
    "%7F",
    "{a}",
    "{b}",
    "{c}",
    "{",
    "}",
    "${v}",
    "%7Bb%7D",
    "&",
    "=",
    "+",
    ";",
    "%26",
    "%3D",
    "%2B",
    "%3B",
    "&role=admin",
    "x=y",
    " ",
    ":",
    "@",
    ",",
    "-",
    "_",
    "~",
    "'",
    "\"",
    "<",
    "é",
    "字",
    "😀",
    "\u{FF0E}",
    "\u{FF0F}",
    "\u{FF3C}",
    "\u{2024}",
    "\u{2025}",
    "\u{FF1F}",
    "\u{FF03}",
    "%c0%ae",
    "%C0%AF",
    "%e0%80%ae",
    "%ef%bc%8e",
    "%EF%BC%8F",
    "%e2%80%a5",
    "//evil.test",
    "https:",
    "../admin",
    CANARY,
    "%252e",
    ".%2e",
    "%2E.",
    "%2e%2E",
    "..;",
];

/// Values and author's text that nobody minds.
const PLAIN: [&str; 6] = ["7", "x", "C0018787", "items", "name", "0"];
const WORDS: [&str; 10] = [
    "items",
    "v1",
    "x",
    ".json",
    "-",
    "v",
    "~",
    "batch:get",
    "p@q",
    "%41",
];
/// Text that makes a dot segment with a value.
const DOTS: [&str; 2] = [".", "%2e"];
/// Text that no template may have.
const STRAYS: [&str; 8] = ["{", "}", "{x", "x}", "\\", "#", "\t", "\u{7f}"];
/// Text where a path should begin.
const BEGINNINGS: [&str; 8] = [
    "x",
    "//evil.test",
    "/\\evil.test",
    "https://evil.test",
    "http:evil.test",
    "@evil.test",
    ":8080",
    "/\t/evil.test",
];
const QUERY_WORDS: [&str; 10] = [
    "q", "k", "page", "1", "x+y", "1;b", "%2B", "n%20m", ";", "+",
];
const LENGTHS: [usize; 8] = [100, 180, 200, 255, 256, 257, 300, 700];
const LETTERS: [char; 4] = ['a', 'é', '字', '😀'];
const METHODS: [&str; 4] = ["GET", "POST", "DELETE", "PATCH"];

/// Draws scripts for a subject of this profile.
pub(super) struct Drawing<'a, 'd> {
    pub(super) profile: &'a ResolverProfile,
    pub(super) data: &'a mut Unstructured<'d>,
}

impl Drawing<'_, '_> {
    /// Hostile values at the places of a path, with what is declared for them.
    pub(super) fn placeholder(&mut self) -> Drawn<Script> {
        let mut script = Script::new();
        self.path(&mut script, 3)?;
        if self.profile.composes_query && self.one_in(8)? {
            self.query(&mut script, 2)?;
        }
        self.values(&mut script)?;
        self.rules(&mut script)?;
        Ok(script)
    }

    /// Values in the pairs of a query. `None` where the subject composes no query.
    pub(super) fn query_separator(&mut self) -> Drawn<Option<Script>> {
        if !self.profile.composes_query {
            return Ok(None);
        }
        let mut script = Script::new();
        script.parts.extend([Part::Slash, Part::Text("p")]);
        if self.one_in(4)? {
            script.parts.push(Part::Slash);
            self.piece(&mut script, &WORDS)?;
        }
        self.query(&mut script, 4)?;
        if self.one_in(16)? {
            script.parts.push(Part::Question);
        }
        self.values(&mut script)?;
        Ok(Some(script))
    }

    /// Whole targets behind some base, odd templates among them.
    pub(super) fn composed_target(&mut self) -> Drawn<Script> {
        let mut script = Script::new();
        script.base = self.below(BASE_COUNT)?;
        script.method = self.of(&METHODS)?;
        if self.one_in(8)? && self.profile.resolves {
            if self.data.arbitrary()? {
                script.parts.push(Part::Text(self.of(&BEGINNINGS)?));
            } else {
                self.piece(&mut script, &WORDS)?;
            }
        }
        self.path(&mut script, 4)?;
        if self.one_in(16)? && self.profile.resolves {
            let at = 1 + self.below(script.parts.len())?;
            let stray = Part::Text(self.of(&STRAYS)?);
            script.parts.insert(at, stray);
        }
        if self.profile.composes_query && self.one_in(3)? {
            self.query(&mut script, 2)?;
        }
        self.values(&mut script)?;
        self.further(&mut script)?;
        self.rules(&mut script)?;
        Ok(script)
    }

    /// Up to so many segments.
    fn path(&mut self, script: &mut Script, most: usize) -> Drawn<()> {
        for _ in 0..=self.below(most)? {
            script.parts.push(Part::Slash);
            let shape = self.below(8)?;
            match shape {
                0 => script.parts.push(Part::Key(0)),
                1 => script.parts.push(Part::Text(self.of(&WORDS)?)),
                2 => {
                    script.parts.push(Part::Text(self.of(&DOTS)?));
                    self.piece(script, &WORDS)?;
                }
                3 => {
                    self.piece(script, &WORDS)?;
                    script.parts.push(Part::Text(self.of(&DOTS)?));
                }
                _ => {
                    for _ in 4..shape {
                        self.piece(script, &WORDS)?;
                    }
                    let key = Part::Key(self.below(KEYS.len())?);
                    script.parts.push(key);
                }
            }
        }
        Ok(())
    }

    fn query(&mut self, script: &mut Script, most: usize) -> Drawn<()> {
        for pair in 0..=self.below(most)? {
            script
                .parts
                .push(if pair == 0 { Part::Question } else { Part::And });
            let shape = self.below(6)?;
            match shape {
                // A value in the place of a key.
                1 => self.piece(script, &QUERY_WORDS)?,
                _ => script.parts.push(Part::Text(self.of(&QUERY_WORDS)?)),
            }
            if shape == 2 {
                continue;
            }
            script.parts.push(Part::Equals);
            if shape == 3 {
                self.piece(script, &QUERY_WORDS)?;
            }
            let key = Part::Key(self.below(KEYS.len())?);
            match shape {
                1 | 4 => script.parts.push(Part::Text(self.of(&QUERY_WORDS)?)),
                _ => script.parts.push(key),
            }
        }
        Ok(())
    }

    /// One part of a segment or a pair: text, a placeholder or a variable.
    fn piece(&mut self, script: &mut Script, words: &[&'static str]) -> Drawn<()> {
        let part = match self.below(4)? {
            0 => Part::Text(self.of(words)?),
            1 if self.profile.interpolates => Part::Variable(self.below(VARIABLES.len())?),
            _ => Part::Key(self.below(KEYS.len())?),
        };
        script.parts.push(part);
        Ok(())
    }

    fn values(&mut self, script: &mut Script) -> Drawn<()> {
        for index in 0..VARIABLES.len() {
            if script.asks_for(Slot::Variable(index)) {
                script.variables[index] = Some(Value::from(self.text()?));
            }
        }
        for index in 0..KEYS.len() {
            let asked = script.asks_for(Slot::Key(index));
            // An argument that nothing asks for stays in the body; one that is missing is refused.
            let there = if asked {
                !self.one_in(24)?
            } else {
                self.one_in(4)?
            };
            if there || !self.profile.resolves {
                script.arguments[index] = Some(self.value()?);
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Drawn<Value> {
        if !self.profile.resolves || !self.one_in(8)? {
            return Ok(Value::from(self.text()?));
        }
        Ok(match self.below(8)? {
            0 => Value::Null,
            1 => json!(-1.5),
            2 => json!(u64::MAX),
            3 => json!(i64::arbitrary(self.data)?),
            4 => json!(true),
            5 => json!(7),
            6 => json!(["a", 7]),
            _ => json!({"a": "b"}),
        })
    }

    fn text(&mut self) -> Drawn<String> {
        Ok(match self.below(16)? {
            0..=1 => self.of(&PLAIN)?.to_owned(),
            2..=5 => self.of(&LIKELY)?.to_owned(),
            12..=13 => {
                let letter = self.of(&LETTERS)?;
                let length = self.of(&LENGTHS)?;
                std::iter::repeat_n(letter, length).collect()
            }
            14 => String::arbitrary(self.data)?.chars().take(40).collect(),
            tokens => {
                let mut text = String::with_capacity(32);
                for _ in 0..1 + tokens % 4 {
                    let likely = self.data.arbitrary()?;
                    text.push_str(if likely {
                        self.of(&LIKELY)?
                    } else {
                        self.of(&TOKENS)?
                    });
                }
                text
            }
        })
    }

    /// Members of the body that no template asks for.
    fn further(&mut self, script: &mut Script) -> Drawn<()> {
        let chosen = u8::arbitrary(self.data)?;
        for (index, name) in FURTHER.into_iter().enumerate() {
            if chosen & (1 << index) == 0 {
                continue;
            }
            let value = match name {
                "nested" => json!({"a": "7", "b": [1], "c": null}),
                "off" => json!(false),
                "none" => Value::Null,
                "number" => json!(12_345_678_901_u64),
                _ => json!("7"),
            };
            script.further.push((index, value));
        }
        Ok(())
    }

    /// What is declared for one placeholder of the template.
    fn rules(&mut self, script: &mut Script) -> Drawn<()> {
        let profile = self.profile;
        let chosen = u8::arbitrary(self.data)?;
        if chosen & 1 == 0 {
            // Often nothing is.
            return Ok(());
        }
        let first = self.below(KEYS.len())?;
        let mut keys = (first..KEYS.len()).chain(0..first);
        let Some(key) = keys.find(|key| script.asks_for(Slot::Key(*key))) else {
            return Ok(());
        };
        let rules = &mut script.rules;
        *rules = Rules {
            key,
            ..Rules::default()
        };
        if profile.patterns && chosen & 0b110 == 0b110 {
            rules.pattern = Some(&PATTERNS[self.below(PATTERNS.len())?]);
        }
        if profile.max_lengths && chosen & 0b1000 != 0 {
            rules.max_length = Some(self.of(&[1, 4, 0, 255, 256, 300, 512, usize::MAX])?);
        }
        rules.slash = profile.allow_slash && chosen & 0b1_0000 != 0;
        rules.reserved = profile.allow_slash && chosen & 0b11_0000 == 0b10_0000;
        rules.other = profile.placeholder_rules && chosen & 0b100_0000 != 0;
        Ok(())
    }

    fn below(&mut self, count: usize) -> Drawn<usize> {
        self.data.choose_index(count)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> Drawn<T> {
        Ok(choices[self.below(choices.len())?])
    }

    /// `false` where no data is left.
    fn one_in(&mut self, count: u8) -> Drawn<bool> {
        Ok(u8::arbitrary(self.data)? % count == 1)
    }
}
