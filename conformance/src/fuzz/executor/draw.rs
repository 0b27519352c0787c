//! Draws a script from the fuzzer's bytes.

use arbitrary::{Result as Drawn, Unstructured};
use proofmark::path::ResolvedPath;
use serde_json::{Map, Value, json};

use super::script::{
    Act, MOST_CALLS, Onward, Place, Script, Spoilt, Step, TokenAct, Verdict, field_mark, path_mark,
};
use crate::profile::{AuthScheme, ExecutorProfile};

const SUFFIXES: &[&str] = &["", "/", "/v1", "/v1/", "/v1/tenants/a"];

const SPOILING: &[&str] = &["\n", "\r", "\r\n", "\0", "\r\nx-evil: 1"];

/// Some more often than others.
const METHODS: &[&str] = &[
    "GET",
    "GET",
    "GET",
    "GET",
    "GET",
    "GET",
    "POST",
    "POST",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "get",
    "Get",
    "post",
    "pAtch",
    "GET ",
    "GET\r\n",
    "GET /x",
    "po\u{17f}t",
    "PROOFMARK",
    "",
    "G\0ET",
    "delet\u{212f}",
];

const STARTS: &[&str] = &["/items/", "/v1/items/", "/"];

const PIECES: &[&str] = &[
    "x",
    "/x",
    "%41",
    "%2F",
    "%e9",
    "%2e.",
    "a..b",
    "/...",
    "/.x",
    "/:id",
    "/$id",
    "/<id>",
    "/(id)",
    "/:q",
    "/@127.0.0.1:1",
    "/http:x",
    "é",
    " ",
    "a+b",
    ";b=c",
    "~",
    "'",
    "*",
    ",",
    "!",
    "|",
    "^",
    "\"",
    "[x]",
    "%7E",
    "%2d",
    "%25",
    "/%3A",
    "%26",
];

const QUERIES: &[&str] = &[
    "a=1",
    "b=2",
    "flag",
    "q=a+b",
    "q=%26",
    "q=a%20b",
    "q=%41",
    "next=http://x.test/y",
    "sort=:id",
    "a=b=c",
    "q=é",
    "q='x'",
    "",
];

const KEYS: &[&str] = &[
    "id", "id", "q", "limit", "filter", "a b", "x&y", "k=v", "é", "+", "#", "%41", "a[]",
];

const TEXTS: &[&str] = &[
    "7",
    "plain",
    "a&b",
    "x&role=admin",
    "a=b",
    "1#x",
    "a+b",
    "100%",
    "%41",
    "two words",
    "",
    "?",
    "/",
    "..",
    "é日",
    "\u{1d11e}",
    "'\"<>",
    "a;b",
    "a\tb",
    "a\r\nb",
];

/// Draws for one profile.
pub(super) struct Drawing<'d, 'b> {
    pub(super) profile: &'d ExecutorProfile,
    pub(super) data: &'d mut Unstructured<'b>,
}

impl Drawing<'_, '_> {
    pub(super) fn script(&mut self) -> Drawn<Script> {
        let schemes = &self.profile.schemes;
        let scheme = match schemes.is_empty() {
            true => None,
            false => Some(self.data.choose(schemes)?.clone()),
        };
        let suffix = self.data.choose(SUFFIXES)?;
        let at_once = self.data.ratio(1_u8, 8_u8)?;
        let has_user_info = self.data.ratio(1_u8, 16_u8)?;
        let mut script = Script {
            spoilt: self.spoilt(scheme.as_ref())?,
            token: self.token(scheme.as_ref())?,
            scheme,
            suffix,
            has_user_info,
            at_once,
            steps: Vec::new(),
        };
        let count = self.data.int_in_range(1..=MOST_CALLS)?;
        for number in 0..count {
            // Data that ends within a call asks for the calls before it.
            let Ok(step) = self.step(number, &script) else {
                break;
            };
            script.steps.push(step);
        }
        Ok(script)
    }

    fn spoilt(&mut self, scheme: Option<&AuthScheme>) -> Drawn<Option<Spoilt>> {
        let spoils = matches!(
            scheme,
            Some(AuthScheme::Bearer | AuthScheme::HeaderKey(_) | AuthScheme::Forwarded)
        );
        if !spoils || !self.data.ratio(1_u8, 16_u8)? {
            return Ok(None);
        }
        Ok(Some(Spoilt {
            bytes: self.data.choose(SPOILING)?,
            place: *self
                .data
                .choose(&[Place::First, Place::Middle, Place::Last])?,
        }))
    }

    fn token(&mut self, scheme: Option<&AuthScheme>) -> Drawn<TokenAct> {
        if scheme != Some(&AuthScheme::TokenEndpoint) {
            return Ok(TokenAct::Sound);
        }
        Ok(match self.data.int_in_range(0..=7)? {
            0 => TokenAct::Redirects(self.redirect()?),
            1 => TokenAct::RepeatsTheSecret,
            _ => TokenAct::Sound,
        })
    }

    fn step(&mut self, number: usize, script: &Script) -> Drawn<Step> {
        let mut step = Step {
            number,
            method: (*self.data.choose(METHODS)?).to_owned(),
            target: self.target(number, script.key_pair())?,
            body: self.body(number, script.key_pair())?,
            verdict: self.verdict()?,
            act: self.act()?,
        };
        // Views and requests of calls that are made at once cannot be told apart.
        if script.at_once {
            step.verdict = Verdict::Allows;
            step.act = Act::Sound;
            "GET".clone_into(&mut step.method);
        }
        Ok(step)
    }

    fn target(&mut self, number: usize, key: Option<&str>) -> Drawn<String> {
        let mut target = format!("{}{}", self.data.choose(STARTS)?, path_mark(number));
        for _ in 0..self.data.int_in_range(0..=3)? {
            target.push_str(self.data.choose(PIECES)?);
        }
        if self.data.ratio(1_u8, 3_u8)? {
            let mut mark = '?';
            for _ in 0..self.data.int_in_range(1..=3)? {
                target.push(mark);
                target.push_str(&self.query(key)?);
                mark = '&';
            }
        }
        // Nothing else can be handed over.
        Ok(match ResolvedPath::from_checked(&target) {
            Ok(_) => target,
            Err(_) => format!("/items/{}", path_mark(number)),
        })
    }

    fn query(&mut self, key: Option<&str>) -> Drawn<String> {
        match key {
            Some(key) if self.data.ratio(1_u8, 8_u8)? => {
                let first = key.bytes().next().unwrap_or_default();
                let encoded = format!("%{first:02x}{}", key.get(1..).unwrap_or_default());
                let key = if self.data.arbitrary()? {
                    key
                } else {
                    &encoded
                };
                Ok(format!("{key}=own"))
            }
            _ => Ok((*self.data.choose(QUERIES)?).to_owned()),
        }
    }

    fn body(&mut self, number: usize, key: Option<&str>) -> Drawn<Option<Value>> {
        Ok(match self.data.int_in_range(0..=9)? {
            0 | 1 => None,
            2 => Some(
                self.data
                    .choose(&[json!([1, 2]), json!("x"), json!(7), json!(true)])?
                    .clone(),
            ),
            3 => Some(Value::Null),
            _ => Some(self.object(number, key)?),
        })
    }

    fn object(&mut self, number: usize, key: Option<&str>) -> Drawn<Value> {
        let mut fields = Map::new();
        if self.data.ratio(3_u8, 4_u8)? {
            fields.insert("note".to_owned(), Value::from(field_mark(number)));
        }
        for _ in 0..self.data.int_in_range(0..=3)? {
            let name = match key {
                Some(key) if self.data.ratio(1_u8, 12_u8)? => key,
                _ => self.data.choose(KEYS)?,
            };
            let value = self.value()?;
            fields.insert(name.to_owned(), value);
        }
        Ok(Value::Object(fields))
    }

    fn value(&mut self) -> Drawn<Value> {
        Ok(match self.data.int_in_range(0..=15)? {
            0 => json!({"eq": 1}),
            1 => json!([[1]]),
            2 => json!([{"id": 1}]),
            3 => json!(["b", "a"]),
            4 => json!([1, "x", true]),
            5 => Value::Null,
            6 => json!(self.data.arbitrary::<i64>()?),
            7 => json!(self.data.arbitrary::<bool>()?),
            8 => {
                let text: String = self.data.arbitrary()?;
                Value::from(text.chars().take(12).collect::<String>())
            }
            _ => Value::from(*self.data.choose(TEXTS)?),
        })
    }

    fn verdict(&mut self) -> Drawn<Verdict> {
        // What waits takes time: it is drawn rarely.
        Ok(match self.data.int_in_range(0..=63_u8)? {
            0 => Verdict::NeverAnswers,
            1..=9 => Verdict::Refuses,
            _ => Verdict::Allows,
        })
    }

    fn redirect(&mut self) -> Drawn<u16> {
        Ok(*self.data.choose(&[301, 302, 303, 307, 308])?)
    }

    fn act(&mut self) -> Drawn<Act> {
        Ok(match self.data.int_in_range(0..=63_u8)? {
            0..=4 => Act::Status(*self.data.choose(&[400, 401, 404, 429, 500, 599])?),
            5..=8 => {
                let onward = *self.data.choose(&[Onward::Itself, Onward::Tripwire])?;
                Act::Redirects(self.redirect()?, onward)
            }
            9 | 10 => Act::NoJson,
            11 | 12 => Act::NoText,
            13 => Act::Cut,
            14 | 15 => Act::Resets,
            16 => Act::Closes,
            17 => Act::Nonsense,
            18..=21 => Act::EchoesTheCredential,
            22 => Act::Silent,
            23 => Act::Drips,
            24..=26 => Act::FailsOnce(*self.data.choose(&[502, 503, 504])?),
            _ => Act::Sound,
        })
    }
}
