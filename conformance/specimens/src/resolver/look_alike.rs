//! Conforming resolvers that a careless judge would convict.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use percent_encoding::percent_decode_str;
use proofmark::path::{
    DeclaredPattern, PLACEHOLDER_MAX_LENGTH, PlaceholderRules, validate_path_placeholder,
};
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::{
    Declared, Refused, ResolveCase, Resolved, ResolverSubject, by_value, resolver_fn,
};
use serde_json::{Map, Value};

use super::clerk::{Clerk, Half, clerk, floor, held, left, profile, rendered};
use crate::LookAlike;

/// Every conforming resolver that looks suspicious.
pub(crate) fn look_alikes() -> Vec<LookAlike> {
    let mut look_alikes = strict();
    look_alikes.extend(unusual());
    look_alikes
}

fn strict() -> Vec<LookAlike> {
    vec![
        LookAlike::new(
            "refuses everything that is not ASCII, which no row forbids",
            clerk("refuses_other_scripts", RefusesOtherScripts),
        ),
        LookAlike::new(
            "refuses `null`, which may render or be refused",
            clerk("refuses_null", RefusesNull),
        ),
        LookAlike::new(
            "refuses every percent sign, harmless escapes too",
            clerk("refuses_percent_signs", RefusesPercentSigns),
        ),
        LookAlike::new(
            "refuses every dot, so that no two of them come out",
            clerk("refuses_dots", RefusesDots),
        ),
        LookAlike::new(
            "admits letters, digits and a few marks only, so spaces and quotes are refused",
            clerk("admits_plain_characters", AdmitsPlainCharacters),
        ),
        LookAlike::new(
            "refuses two placeholders that nothing parts, since no value could be told from the other",
            held(
                "refuses_adjacent_placeholders",
                profile(),
                RefusesAdjacentPlaceholders,
            ),
        ),
        LookAlike::new(
            "looks the rules of an operation up once, and keeps them",
            keeps_rules(),
        ),
        LookAlike::new(
            "says the same of every value of a parameter, whichever rule it breaks",
            held("says_one_sentence", profile(), SaysOneSentence),
        ),
    ]
}

fn unusual() -> Vec<LookAlike> {
    vec![
        LookAlike::new(
            "encodes what is reserved instead of refusing it, so that one decoding gives the value",
            held("encodes_what_is_reserved", profile().encodes(), Encodes),
        ),
        LookAlike::new(
            "hands an empty object on where the path used every key",
            clerk("hands_an_empty_body_on", HandsAnEmptyBodyOn),
        ),
        LookAlike::new(
            "validates single values and puts nothing together",
            ResolverSubject::new(
                "validates_values_only",
                ResolverProfile::new().validates().patterns().max_lengths(),
                || by_value(validate_path_placeholder),
            ),
        ),
        LookAlike::new(
            "composes no query, so that a template with `?` is refused",
            held(
                "composes_paths_only",
                ResolverProfile::new().resolves().interpolates(),
                ComposesPathsOnly,
            ),
        ),
        LookAlike::new(
            "knows no declarations, so that none is looked up",
            held(
                "knows_no_declarations",
                ResolverProfile::new().resolves().composes_query(),
                KnowsNoDeclarations,
            ),
        ),
    ]
}

#[derive(Clone, Copy)]
struct RefusesAdjacentPlaceholders;

impl Clerk for RefusesAdjacentPlaceholders {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        if asked.template.contains("}{") || asked.template.contains("}${") {
            return Err(Refused::new("two placeholders of the template touch"));
        }
        self.fill(asked, &mut String::new())
    }
}

/// What an API description declares does not change while a server runs.
fn keeps_rules() -> ResolverSubject {
    ResolverSubject::new("keeps_rules_of_operations", profile(), || {
        let kept: Mutex<BTreeMap<String, Declared>> = Mutex::default();
        resolver_fn(move |asked| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let mut known = asked.clone();
            for declared in &mut known.declared {
                let (method, template) = (&declared.method, &declared.template);
                let operation = format!("{method} {template} {}", declared.param);
                let first = kept.entry(operation).or_insert_with(|| declared.clone());
                *declared = first.clone();
            }
            KnowsAll.fill(&known, &mut String::new())
        })
    })
}

#[derive(Clone, Copy)]
struct KnowsAll;

impl Clerk for KnowsAll {}

#[derive(Clone, Copy)]
struct RefusesOtherScripts;

impl Clerk for RefusesOtherScripts {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        let text = rendered(name, value)?;
        if text.is_ascii() {
            return Ok(text);
        }
        Err(Refused::new(format!("`{name}` must be ASCII")))
    }
}

#[derive(Clone, Copy)]
struct RefusesNull;

impl Clerk for RefusesNull {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        match value {
            Some(Value::Null) => Err(Refused::new(format!("`{name}` must not be null"))),
            value => rendered(name, value),
        }
    }
}

#[derive(Clone, Copy)]
struct RefusesPercentSigns;

impl Clerk for RefusesPercentSigns {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        let text = rendered(name, value)?;
        if text.contains('%') {
            return Err(Refused::new(format!("`{name}` must not be encoded")));
        }
        Ok(text)
    }
}

#[derive(Clone, Copy)]
struct RefusesDots;

impl Clerk for RefusesDots {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        let text = rendered(name, value)?;
        if text.contains('.') {
            return Err(Refused::new(format!("`{name}` must hold no dot")));
        }
        Ok(text)
    }
}

#[derive(Clone, Copy)]
struct AdmitsPlainCharacters;

impl Clerk for AdmitsPlainCharacters {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let plain = |c: char| {
            c.is_alphanumeric() || "-_.~:@,%".contains(c) || (c == '/' && rules.allow_slash)
        };
        if value.chars().all(plain) {
            return floor(name, value, rules);
        }
        Err(Refused::new(format!(
            "`{name}` must be of plain characters"
        )))
    }
}

#[derive(Clone, Copy)]
struct SaysOneSentence;

impl Clerk for SaysOneSentence {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        rendered(name, value).map_err(|_| unfit(name))
    }

    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, rules).map_err(|_| unfit(name))
    }
}

fn unfit(name: &str) -> Refused {
    Refused::new(format!("the value of `{name}` does not fit"))
}

/// Everything but unreserved characters is written as an escape.
#[derive(Clone, Copy)]
struct Encodes;

impl Encodes {
    fn fits(name: &str, value: &str, limit: usize) -> Result<(), Refused> {
        // Whole-dot values in any width: a backend may fold what it has decoded.
        let dots = ".\u{ff0e}\u{fe52}\u{2024}\u{2025}\u{2026}";
        if value.chars().all(|c| dots.contains(c)) {
            return Err(Refused::new(format!("`{name}` must be more than dots")));
        }
        if value.chars().nth(limit).is_some() {
            return Err(Refused::new(format!("`{name}` must be shorter")));
        }
        Ok(())
    }
}

impl Clerk for Encodes {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let declared = rules.declared_max_length.unwrap_or(usize::MAX);
        Self::fits(name, value, declared.min(PLACEHOLDER_MAX_LENGTH))?;
        let Some(pattern) = rules.declared_pattern else {
            return Ok(());
        };
        if DeclaredPattern::new(pattern).matches(value) {
            return Ok(());
        }
        Err(Refused::new(format!("`{name}` must match its pattern")))
    }

    fn admits_in_query(&self, _name: &str, _value: &str) -> Result<(), Refused> {
        Ok(())
    }

    fn admits_variable(&self, name: &str, value: &str, _half: Half) -> Result<(), Refused> {
        Self::fits(name, value, PLACEHOLDER_MAX_LENGTH)
    }

    fn written(&self, value: &str, _half: Half) -> String {
        let mut written = String::new();
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
                written.push(char::from(byte));
            } else {
                written.push_str(&format!("%{byte:02X}"));
            }
        }
        written
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        let refused = |what: &str| Err(Refused::new(format!("the target {what}")));
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let plain = |c: char| !c.is_control() && !"\\#{}".contains(c);
        if !path.starts_with('/') || path.starts_with("//") || !target.chars().all(plain) {
            return refused("is no path");
        }
        if query.is_some_and(|query| query.is_empty() || query.contains('?')) {
            return refused("has a question mark too many");
        }
        for segment in path.split('/').skip(1) {
            let decoded = segment.replace("%2e", ".").replace("%2E", ".");
            if decoded == "." || decoded == ".." {
                return refused("has a dot segment");
            }
            let text = percent_decode_str(segment).decode_utf8_lossy();
            if text.chars().nth(PLACEHOLDER_MAX_LENGTH).is_some() {
                return refused("has a segment that is too long");
            }
        }
        let emptied = path.len() > 1 && path.split('/').skip(1).any(str::is_empty);
        if emptied {
            return refused("has an empty segment");
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct HandsAnEmptyBodyOn;

impl Clerk for HandsAnEmptyBodyOn {
    fn left(&self, body: Option<&Value>, used: &BTreeSet<String>) -> Option<Value> {
        match body {
            Some(Value::Object(_)) => {
                Some(left(body, used).unwrap_or_else(|| Value::Object(Map::new())))
            }
            body => body.cloned(),
        }
    }
}

#[derive(Clone, Copy)]
struct ComposesPathsOnly;

impl Clerk for ComposesPathsOnly {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        if asked.template.contains('?') {
            return Err(Refused::new("a template has no query here"));
        }
        self.fill(asked, &mut String::new())
    }
}

#[derive(Clone, Copy)]
struct KnowsNoDeclarations;

impl Clerk for KnowsNoDeclarations {
    fn rules<'a>(
        &self,
        _asked: &'a ResolveCase,
        _written: &str,
        _between: &str,
        _name: &str,
    ) -> PlaceholderRules<'a> {
        PlaceholderRules::default()
    }
}
