//! Resolvers that take more for a value, a name or a rule than is one, or tell more than they may.

use proofmark::path::{PLACEHOLDER_MAX_LENGTH, PlaceholderRules};
use proofmark_conformance::subject::{Declared, Refused, ResolveCase, Resolved};
use serde_json::Value;

use super::clerk::{Clerk, Piece, clerk, floor, no_brace, pieces, rendered, whole};
use super::path;
use crate::Specimen;

/// Every specimen about what is taken for something else.
pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = about_values();
    specimens.extend(about_names());
    specimens.extend(about_refusals());
    specimens
}

fn about_values() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(14),
            "drops characters that have no width",
            clerk(
                "drops_characters_without_width",
                DropsCharactersWithoutWidth,
            ),
        ),
        Specimen::new(
            path(14),
            "takes the `id` or `value` of an object for the object",
            clerk("unwraps_objects", UnwrapsObjects),
        ),
        Specimen::new(
            path(5),
            "counts a letter and its accent as one",
            clerk("counts_accented_letters_once", CountsAccentedLettersOnce),
        ),
        Specimen::new(
            path(6),
            "asks a pattern without regard to letter case",
            clerk("asks_patterns_in_lower_case", AsksPatternsInLowerCase),
        ),
        Specimen::new(
            path(9),
            "a slash that one parameter may hold, all may hold",
            clerk("allows_slashes_everywhere", AllowsSlashesEverywhere),
        ),
        Specimen::new(
            path(10),
            "an escape that the template's author began is the author's",
            clerk("trusts_begun_escapes", TrustsBegunEscapes),
        ),
        Specimen::new(
            path(22),
            "knows the full-width forms, and not the others that fold",
            clerk("knows_full_width_folds_only", KnowsFullWidthFoldsOnly),
        ),
    ]
}

fn about_names() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(16),
            "where an operation declares nothing, the rules of any that has such a parameter count",
            clerk("finds_rules_elsewhere", FindsRulesElsewhere),
        ),
        Specimen::new(
            path(18),
            "reads `:name` as a placeholder, too",
            clerk("reads_colons_as_placeholders", ReadsColonsAsPlaceholders),
        ),
        Specimen::new(
            path(21),
            "keeps one pair of each key",
            clerk("keeps_one_pair_of_each_key", KeepsOnePairOfEachKey),
        ),
        Specimen::new(
            path(25),
            "follows the dots of a name into nested objects",
            clerk("follows_dotted_names", FollowsDottedNames),
        ),
        Specimen::new(
            path(25),
            "takes a variable for an argument of its name",
            clerk("takes_variables_for_arguments", TakesVariablesForArguments),
        ),
    ]
}

fn about_refusals() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(13),
            "has taken the keys out of the caller's body when the whole is refused",
            clerk("takes_keys_before_the_whole", TakesKeysBeforeTheWhole),
        ),
        Specimen::new(
            path(15),
            "quotes an object that it refuses",
            clerk("quotes_objects", QuotesObjects),
        ),
        Specimen::new(
            path(15),
            "quotes the target as far as it has come",
            clerk("quotes_the_target", QuotesTheTarget),
        ),
    ]
}

#[derive(Clone, Copy)]
struct DropsCharactersWithoutWidth;

impl Clerk for DropsCharactersWithoutWidth {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        let text = rendered(name, value)?;
        Ok(text.replace(['\u{200b}', '\u{feff}', '\u{ad}'], ""))
    }
}

#[derive(Clone, Copy)]
struct UnwrapsObjects;

impl Clerk for UnwrapsObjects {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        let members = value.and_then(Value::as_object);
        let inner = members.and_then(|members| members.get("id").or(members.get("value")));
        rendered(name, inner.or(value))
    }
}

#[derive(Clone, Copy)]
struct CountsAccentedLettersOnce;

impl CountsAccentedLettersOnce {
    fn read(text: &str) -> String {
        let accent = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
        text.chars().filter(|c| !accent(c)).collect()
    }
}

impl Clerk for CountsAccentedLettersOnce {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        if value.chars().count() > PLACEHOLDER_MAX_LENGTH {
            return floor(name, &Self::read(value), rules);
        }
        floor(name, value, rules)
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&Self::read(target))
    }
}

#[derive(Clone, Copy)]
struct AsksPatternsInLowerCase;

impl Clerk for AsksPatternsInLowerCase {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, &rules.clone().with_pattern(None))?;
        floor(name, &value.to_lowercase(), rules)
    }
}

#[derive(Clone, Copy)]
struct AllowsSlashesEverywhere;

impl Clerk for AllowsSlashesEverywhere {
    fn rules<'a>(
        &self,
        asked: &'a ResolveCase,
        _written: &str,
        between: &str,
        name: &str,
    ) -> PlaceholderRules<'a> {
        let rules = asked.placeholder_rules(&asked.method, between, name);
        rules.allowing_slash(!asked.slash_allowed.is_empty())
    }
}

#[derive(Clone, Copy)]
struct TrustsBegunEscapes;

impl Clerk for TrustsBegunEscapes {
    fn admits_whole(&self, asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        let begun = ["%{", "%2{"];
        if begun.iter().any(|begun| asked.template.contains(begun)) {
            return whole(&target.replace('%', "x"));
        }
        whole(target)
    }
}

#[derive(Clone, Copy)]
struct KnowsFullWidthFoldsOnly;

impl KnowsFullWidthFoldsOnly {
    fn read(text: &str) -> String {
        let escaped = ["%e2%84%80", "%E2%84%80", "%ef%b9%96", "%EF%B9%96"];
        let text = escaped
            .iter()
            .fold(text.to_owned(), |text, form| text.replace(form, "x"));
        text.replace(['\u{2100}', '\u{fe56}'], "x")
    }
}

impl Clerk for KnowsFullWidthFoldsOnly {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &Self::read(value), rules)
    }

    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&Self::read(target))
    }
}

#[derive(Clone, Copy)]
struct FindsRulesElsewhere;

impl Clerk for FindsRulesElsewhere {
    fn rules<'a>(
        &self,
        asked: &'a ResolveCase,
        _written: &str,
        between: &str,
        name: &str,
    ) -> PlaceholderRules<'a> {
        let own = asked.placeholder_rules(&asked.method, between, name);
        let described = |declared: &&Declared| declared.template == between;
        if asked.declared.iter().any(|declared| described(&declared)) {
            return own;
        }
        let mut others = asked.declared.iter();
        let other = others.find(|declared| declared.param == name);
        own.with_pattern(other.and_then(|other| other.pattern.as_deref()))
            .with_max_length(other.and_then(|other| other.max_length))
    }
}

#[derive(Clone, Copy)]
struct ReadsColonsAsPlaceholders;

impl Clerk for ReadsColonsAsPlaceholders {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let template = asked.template.replace("/:id", "/{id}");
        self.fill(&asked.clone().template(&template), &mut String::new())
    }
}

#[derive(Clone, Copy)]
struct KeepsOnePairOfEachKey;

impl Clerk for KeepsOnePairOfEachKey {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut resolved = self.fill(asked, &mut String::new())?;
        if let Some((path, query)) = resolved.target.split_once('?') {
            let mut kept: Vec<&str> = Vec::new();
            for pair in query.split('&') {
                let key = |pair: &str| pair.split('=').next().map(str::to_owned);
                if kept.iter().all(|other| key(other) != key(pair)) {
                    kept.push(pair);
                }
            }
            resolved.target = format!("{path}?{}", kept.join("&"));
        }
        Ok(resolved)
    }
}

#[derive(Clone, Copy)]
struct FollowsDottedNames;

impl Clerk for FollowsDottedNames {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut found = asked.clone();
        for piece in pieces(&asked.template)? {
            let Piece::Key(name) = piece else {
                continue;
            };
            let pointer = format!("/{}", name.replace('.', "/"));
            let nested = asked.body.as_ref().and_then(|body| body.pointer(&pointer));
            if let (None, true, Some(value)) = (asked.argument_of(name), name.contains('.'), nested)
            {
                found = found.argument(name, value.clone());
            }
        }
        self.fill(&found, &mut String::new())
    }
}

#[derive(Clone, Copy)]
struct TakesVariablesForArguments;

impl Clerk for TakesVariablesForArguments {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut found = asked.clone();
        for (name, value) in &asked.variables {
            if asked.argument_of(name).is_none() && asked.template.contains(&format!("/{{{name}}}"))
            {
                found = found.argument(name, value.clone());
            }
        }
        self.fill(&found, &mut String::new())
    }
}

/// Whether each value of the template may fill it, so that only the whole can be refused.
fn each_value_fits(asked: &ResolveCase) -> bool {
    let pieces = pieces(&asked.template).unwrap_or_default();
    let fits = |piece: &Piece<'_>| match piece {
        Piece::Key(name) => asked
            .argument_text(name)
            .is_some_and(|value| floor(name, &value, &PlaceholderRules::default()).is_ok()),
        Piece::Text(_) | Piece::Variable(_) => true,
    };
    pieces.iter().any(|piece| matches!(piece, Piece::Key(_))) && pieces.iter().all(fits)
}

#[derive(Clone, Copy)]
struct TakesKeysBeforeTheWhole;

impl Clerk for TakesKeysBeforeTheWhole {
    fn refusal(&self, refused: Refused, asked: &ResolveCase, _so_far: &str) -> Refused {
        if each_value_fits(asked) {
            return refused.leaving(None);
        }
        refused
    }
}

#[derive(Clone, Copy)]
struct QuotesObjects;

impl Clerk for QuotesObjects {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        match value {
            Some(value @ Value::Object(_)) => Err(Refused::new(format!(
                "`{name}` must be a scalar, not {value}"
            ))),
            value => rendered(name, value),
        }
    }
}

#[derive(Clone, Copy)]
struct QuotesTheTarget;

impl Clerk for QuotesTheTarget {
    fn refusal(&self, refused: Refused, asked: &ResolveCase, so_far: &str) -> Refused {
        if each_value_fits(asked) && no_brace("target", so_far).is_ok() {
            return Refused::new(format!("{}: {so_far}", refused.message()));
        }
        refused
    }
}
