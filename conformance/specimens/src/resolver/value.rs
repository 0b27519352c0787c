//! Resolvers that are mistaken about what one value may hold.

use proofmark::path::{DeclaredPattern, PLACEHOLDER_MAX_LENGTH, PlaceholderRules};
use proofmark_conformance::subject::{Refused, ResolveCase};

use super::clerk::{Clerk, clerk, floor, whole};
use super::path;
use crate::Specimen;

/// Every specimen about single values.
pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = about_single_escapes();
    specimens.extend(about_dots_and_controls());
    specimens.extend(about_declarations());
    specimens
}

fn about_single_escapes() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(1),
            "an empty value passes; only an empty segment of the whole is refused",
            clerk("admits_empty_values", AdmitsEmptyValues),
        ),
        Specimen::new(
            path(2),
            "a slash of a value is no separator to it",
            clerk("admits_slashes", AdmitsSlashes),
        )
        .also(path(3), "the escape of a slash passes with it"),
        Specimen::new(
            path(2),
            "stops looking for control characters at 1F",
            clerk("overlooks_delete", OverlooksDelete),
        )
        .also(
            path(11),
            "DEL passes in the query half as well, where control characters are refused alike",
        ),
        Specimen::new(
            path(3),
            "knows the escape of a slash in lower case only",
            clerk("reads_lower_case_escapes", ReadsLowerCaseEscapes),
        ),
        Specimen::new(
            path(3),
            "an escaped percent sign passes, and with it what two decodings make of it",
            clerk("admits_double_escapes", AdmitsDoubleEscapes),
        ),
    ]
}

fn about_dots_and_controls() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(4),
            "two dots in two spellings are no parent step to it",
            clerk("compares_dots_as_text", ComparesDotsAsText),
        ),
        Specimen::new(
            path(4),
            "a single dot passes wherever it is not a whole segment",
            clerk("admits_a_single_dot", AdmitsASingleDot),
        ),
        Specimen::new(
            path(5),
            "counts bytes",
            clerk("counts_bytes_of_values", CountsBytesOfValues),
        ),
        Specimen::new(
            path(5),
            "counts UTF-16 units",
            clerk("counts_utf16_units", CountsUtf16Units),
        ),
        Specimen::new(
            path(5),
            "counts in 16 bits",
            clerk("counts_in_sixteen_bits", CountsInSixteenBits),
        ),
        Specimen::new(
            path(15),
            "quotes the value in its refusal",
            clerk("quotes_the_value", QuotesTheValue),
        ),
        Specimen::new(
            path(15),
            "says at which place the offending character stands",
            clerk("tells_the_place", TellsThePlace),
        ),
        Specimen::new(
            path(22),
            "knows neither overlong UTF-8 nor full-width forms",
            clerk("knows_no_folds", KnowsNoFolds),
        ),
    ]
}

fn about_declarations() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(6),
            "a declared pattern is asked instead of the floor",
            clerk("asks_the_pattern_alone", AsksThePatternAlone),
        ),
        Specimen::new(
            path(7),
            "a declared length takes the place of the cap",
            clerk("widens_the_cap", WidensTheCap),
        )
        .also(
            path(10),
            "the whole is held to no cap either, so that shorter values make a longer segment",
        ),
        Specimen::new(
            path(7),
            "does not look at a declared length",
            clerk("ignores_declared_lengths", IgnoresDeclaredLengths),
        ),
        Specimen::new(
            path(8),
            "a pattern that does not compile counts as none",
            clerk("drops_broken_patterns", DropsBrokenPatterns),
        ),
        Specimen::new(
            path(9),
            "where a slash is allowed so is a backslash",
            clerk("allows_backslashes_too", AllowsBackslashesToo),
        )
        .also(
            path(19),
            "a backslash behind the first slash leads to another host",
        ),
        Specimen::new(
            path(9),
            "takes `allowReserved` of the description for leave to hold slashes",
            clerk("trusts_allow_reserved", TrustsAllowReserved),
        ),
    ]
}

#[derive(Clone, Copy)]
struct AdmitsEmptyValues;

impl Clerk for AdmitsEmptyValues {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        if value.is_empty() {
            return Ok(());
        }
        floor(name, value, rules)
    }
}

#[derive(Clone, Copy)]
struct AdmitsSlashes;

impl Clerk for AdmitsSlashes {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, &rules.clone().allowing_slash(true))
    }
}

#[derive(Clone, Copy)]
struct OverlooksDelete;

impl Clerk for OverlooksDelete {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &value.replace('\x7f', "x"), rules)
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&target.replace('\x7f', "x"))
    }
}

#[derive(Clone, Copy)]
struct ReadsLowerCaseEscapes;

impl ReadsLowerCaseEscapes {
    fn read(text: &str) -> String {
        text.replace("%2F", "xxx")
    }
}

impl Clerk for ReadsLowerCaseEscapes {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &Self::read(value), rules)
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&Self::read(target))
    }
}

#[derive(Clone, Copy)]
struct AdmitsDoubleEscapes;

impl Clerk for AdmitsDoubleEscapes {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &value.replace("%25", "xxx"), rules)
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&target.replace("%25", "xxx"))
    }
}

#[derive(Clone, Copy)]
struct ComparesDotsAsText;

impl ComparesDotsAsText {
    fn read(text: &str) -> String {
        [".%2e", "%2e.", ".%2E", "%2E."]
            .iter()
            .fold(text.to_owned(), |text, dots| text.replace(dots, "xxxx"))
    }
}

impl Clerk for ComparesDotsAsText {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &Self::read(value), rules)
    }
}

#[derive(Clone, Copy)]
struct AdmitsASingleDot;

impl Clerk for AdmitsASingleDot {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let value = if value == "." { "x" } else { value };
        floor(name, value, rules)
    }
}

fn at_most(name: &str, length: usize) -> Result<(), Refused> {
    if length > PLACEHOLDER_MAX_LENGTH {
        return Err(Refused::new(format!("`{name}` is too long")));
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct CountsBytesOfValues;

impl Clerk for CountsBytesOfValues {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        at_most(name, value.len())?;
        floor(name, value, rules)
    }
}

#[derive(Clone, Copy)]
struct CountsUtf16Units;

impl Clerk for CountsUtf16Units {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        at_most(name, value.encode_utf16().count())?;
        floor(name, value, rules)
    }
}

#[derive(Clone, Copy)]
struct CountsInSixteenBits;

impl Clerk for CountsInSixteenBits {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let counted = value.chars().count() % (1 << 16);
        at_most(name, counted)?;
        let begin: String = value.chars().take(counted).collect();
        floor(name, &begin, rules)
    }
}

#[derive(Clone, Copy)]
struct QuotesTheValue;

impl Clerk for QuotesTheValue {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, rules)
            .map_err(|_| Refused::new(format!("`{name}` must not be {value:?}")))
    }
}

#[derive(Clone, Copy)]
struct TellsThePlace;

impl Clerk for TellsThePlace {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, rules).map_err(|refused| {
            let place = value.find(|c: char| c.is_control() || "/\\?#%".contains(c));
            match place {
                Some(place) => Refused::new(format!("`{name}`: offence at {place}")),
                None => refused,
            }
        })
    }
}

#[derive(Clone, Copy)]
struct KnowsNoFolds;

impl KnowsNoFolds {
    /// The text as it looks to somebody who sees neither an invalid sequence nor a wide form.
    fn read(text: &str) -> String {
        let escaped = [
            "%c0%ae",
            "%C0%AE",
            "%c0%af",
            "%C0%AF",
            "%c1%9c",
            "%C1%9C",
            "%e0%80%ae",
            "%E0%80%AE",
            "%ef%bc%8e",
            "%EF%BC%8E",
            "%ef%bc%8f",
            "%EF%BC%8F",
            "%e2%80%a4",
            "%E2%80%A4",
            "%e2%80%a5",
            "%E2%80%A5",
        ];
        let text = escaped
            .iter()
            .fold(text.to_owned(), |text, form| text.replace(form, "x"));
        text.replace(
            [
                '\u{ff0e}', '\u{ff0f}', '\u{ff3c}', '\u{ff1f}', '\u{ff03}', '\u{2024}', '\u{2025}',
            ],
            "x",
        )
    }
}

impl Clerk for KnowsNoFolds {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &Self::read(value), rules)
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&Self::read(target))
    }
}

#[derive(Clone, Copy)]
struct AsksThePatternAlone;

impl Clerk for AsksThePatternAlone {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let refused = floor(name, value, rules);
        let Some(pattern) = rules.declared_pattern else {
            return refused;
        };
        // A value of the same length that no floor minds, under the same pattern.
        let matches = floor(
            name,
            "x",
            &PlaceholderRules::default().with_pattern(Some(pattern)),
        );
        let admits_anything = matches!(pattern, "^.*$" | r"[\s\S]*" | r"^[\s\S]*$");
        if admits_anything && matches.is_ok() {
            return Ok(());
        }
        refused
    }
}

#[derive(Clone, Copy)]
struct WidensTheCap;

impl Clerk for WidensTheCap {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let Some(length) = rules.declared_max_length else {
            return floor(name, value, rules);
        };
        if value.chars().count() > length {
            return Err(Refused::new(format!("`{name}` is too long")));
        }
        let begin: String = value.chars().take(PLACEHOLDER_MAX_LENGTH).collect();
        floor(name, &begin, rules)
    }

    /// Its cap on segments grew with the one on values.
    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        let segments = target.split('/');
        let cut = segments.map(|segment| segment.chars().take(PLACEHOLDER_MAX_LENGTH));
        let cut: Vec<String> = cut.map(Iterator::collect).collect();
        whole(&cut.join("/"))
    }
}

#[derive(Clone, Copy)]
struct IgnoresDeclaredLengths;

impl Clerk for IgnoresDeclaredLengths {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, &rules.clone().with_max_length(None))
    }
}

#[derive(Clone, Copy)]
struct DropsBrokenPatterns;

impl Clerk for DropsBrokenPatterns {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        let Some(pattern) = rules.declared_pattern else {
            return floor(name, value, rules);
        };
        if DeclaredPattern::new(pattern).is_usable() {
            floor(name, value, rules)
        } else {
            floor(name, value, &rules.clone().with_pattern(None))
        }
    }
}

#[derive(Clone, Copy)]
struct AllowsBackslashesToo;

impl Clerk for AllowsBackslashesToo {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        if rules.allow_slash {
            return floor(name, &value.replace('\\', "x"), rules);
        }
        floor(name, value, rules)
    }

    fn admits_whole(&self, asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        if asked.slash_allowed.is_empty() {
            return whole(target);
        }
        whole(&target.replace('\\', "x"))
    }
}

#[derive(Clone, Copy)]
struct TrustsAllowReserved;

impl Clerk for TrustsAllowReserved {
    fn rules<'a>(
        &self,
        asked: &'a ResolveCase,
        _written: &str,
        between: &str,
        name: &str,
    ) -> PlaceholderRules<'a> {
        let rules = asked.placeholder_rules(&asked.method, between, name);
        let described = asked.declared.iter().any(|declared| {
            declared.param == name && declared.further.get("allowReserved") == Some(&true.into())
        });
        let allowed = rules.allow_slash || described;
        rules.allowing_slash(allowed)
    }
}
