//! Resolvers that are mistaken about what template and values make together.

use proofmark::path::PlaceholderRules;
use proofmark_conformance::subject::{Refused, ResolveCase, Resolved};
use serde_json::Value;

use super::clerk::{
    Clerk, Half, Piece, clerk, floor, no_brace, one_part_of_a_pair, pieces, rendered, whole,
};
use super::path;
use crate::Specimen;

/// Every specimen about whole templates.
pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = about_the_whole();
    specimens.extend(about_layers());
    specimens.extend(about_queries());
    specimens
}

fn about_the_whole() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(10),
            "measures values and no segments",
            clerk("measures_no_segments", MeasuresNoSegments),
        ),
        Specimen::new(
            path(11),
            "leaves a second question mark to the server",
            clerk("admits_two_question_marks", AdmitsTwoQuestionMarks),
        ),
        Specimen::new(
            path(11),
            "takes the `+` of `{+name}` for leave to bring a question mark along",
            clerk("reads_operators", ReadsOperators),
        ),
        Specimen::new(
            path(13),
            "sends what it has when a later value is refused",
            clerk("sends_what_it_has", SendsWhatItHas),
        )
        .also(
            path(10),
            "what three values make together is sent, though it is refused for its length",
        ),
        Specimen::new(
            path(13),
            "has taken the keys out of the caller's body when it refuses",
            clerk("takes_keys_first", TakesKeysFirst),
        ),
        Specimen::new(
            path(19),
            "a target need not begin with a slash",
            clerk("asks_for_no_slash", AsksForNoSlash),
        ),
    ]
}

fn about_layers() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(12),
            "replaces one placeholder after the other in what the last replacement made",
            clerk("replaces_in_turn", ReplacesInTurn),
        ),
        Specimen::new(
            path(20),
            "what is interpolated into a query is not looked at",
            clerk("trusts_variables_of_queries", TrustsVariablesOfQueries),
        ),
        Specimen::new(
            path(20),
            "what is interpolated may bring slashes along",
            clerk("trusts_variables", TrustsVariables),
        ),
        Specimen::new(
            path(24),
            "reads the template anew once its variables are in it",
            clerk("reads_variables_as_template", ReadsVariablesAsTemplate),
        ),
    ]
}

fn about_queries() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(21),
            "a value may hold what parts pairs",
            clerk("admits_ampersands", AdmitsAmpersands),
        ),
        Specimen::new(
            path(21),
            "a value in the place of a key may hold what ends it",
            clerk("admits_equals_signs", AdmitsEqualsSigns),
        ),
        Specimen::new(
            path(27),
            "a plus sign of a value is sent as it is, and is a space to whoever decodes it",
            clerk("sends_plus_signs", SendsPlusSigns),
        )
        .also(
            path(21),
            "where the value is a key, the pair has another key than the value",
        ),
        Specimen::new(
            path(27),
            "writes the author's plus signs as escaped spaces",
            clerk("escapes_plus_signs", EscapesPlusSigns),
        ),
    ]
}

#[derive(Clone, Copy)]
struct MeasuresNoSegments;

impl Clerk for MeasuresNoSegments {
    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        let segments = target.split('/');
        let short = segments.map(|segment| segment.chars().take(200).collect::<String>());
        whole(&short.collect::<Vec<_>>().join("/"))
    }
}

#[derive(Clone, Copy)]
struct AdmitsTwoQuestionMarks;

impl Clerk for AdmitsTwoQuestionMarks {
    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        match target.split_once('?') {
            Some((path, query)) => whole(&format!("{path}?{}", query.replace('?', "x"))),
            None => whole(target),
        }
    }
}

#[derive(Clone, Copy)]
struct ReadsOperators;

impl Clerk for ReadsOperators {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut target = String::new();
        if !asked.template.contains("{+") {
            return self.fill(asked, &mut target);
        }
        let plain = asked.template.replace("{+", "{");
        AdmitsQuestionMarks.fill(&asked.clone().template(&plain), &mut target)
    }
}

/// How it reads the values of templates that have an operator.
struct AdmitsQuestionMarks;

impl Clerk for AdmitsQuestionMarks {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &value.replace('?', "x"), rules)
    }
}

#[derive(Clone, Copy)]
struct SendsWhatItHas;

impl Clerk for SendsWhatItHas {
    fn refusal(&self, refused: Refused, asked: &ResolveCase, so_far: &str) -> Refused {
        let values = pieces(&asked.template).map_or(0, |pieces| {
            let keys = pieces.iter().filter(|piece| matches!(piece, Piece::Key(_)));
            keys.count()
        });
        if values > 2 && so_far.len() > 1 {
            return refused.having_sent(Resolved::new(so_far, asked.body.clone()));
        }
        refused
    }
}

#[derive(Clone, Copy)]
struct TakesKeysFirst;

impl Clerk for TakesKeysFirst {
    fn refusal(&self, refused: Refused, asked: &ResolveCase, _so_far: &str) -> Refused {
        let mut body = asked.body.clone();
        if let Some(Value::Object(members)) = &mut body {
            for piece in pieces(&asked.template).unwrap_or_default() {
                if let Piece::Key(name) = piece {
                    members.remove(name);
                }
            }
        }
        refused.leaving(body)
    }
}

#[derive(Clone, Copy)]
struct AsksForNoSlash;

impl Clerk for AsksForNoSlash {
    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        if target.starts_with('/') {
            return whole(target);
        }
        whole(&format!("/{target}"))
    }
}

#[derive(Clone, Copy)]
struct ReplacesInTurn;

impl Clerk for ReplacesInTurn {
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, &value.replace(['{', '}'], "x"), rules)
    }

    fn admits_whole(&self, asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(&filled(asked, target))
    }

    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut target = String::new();
        let mut resolved = self.fill(asked, &mut target)?;
        resolved.target = filled(asked, &target);
        Ok(resolved)
    }
}

/// What each argument's braces stand for, put in one after the other.
fn filled(asked: &ResolveCase, target: &str) -> String {
    let names: Vec<&str> = match &asked.body {
        Some(Value::Object(members)) => members.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    names.iter().fold(target.to_owned(), |target, name| {
        let value = rendered(name, asked.argument_of(name)).unwrap_or_default();
        target.replace(&format!("{{{name}}}"), &value)
    })
}

#[derive(Clone, Copy)]
struct TrustsVariablesOfQueries;

impl Clerk for TrustsVariablesOfQueries {
    fn admits_variable(&self, name: &str, value: &str, half: Half) -> Result<(), Refused> {
        match half {
            Half::Path => floor(name, value, &PlaceholderRules::default()),
            Half::Query => {
                no_brace(name, value)?;
                one_part_of_a_pair(name, value)
            }
        }
    }
}

#[derive(Clone, Copy)]
struct TrustsVariables;

impl Clerk for TrustsVariables {
    fn admits_variable(&self, name: &str, value: &str, half: Half) -> Result<(), Refused> {
        floor(
            name,
            value,
            &PlaceholderRules::default().allowing_slash(true),
        )?;
        match half {
            Half::Path => Ok(()),
            Half::Query => one_part_of_a_pair(name, value),
        }
    }
}

#[derive(Clone, Copy)]
struct ReadsVariablesAsTemplate;

impl Clerk for ReadsVariablesAsTemplate {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut between = String::new();
        for piece in pieces(&asked.template)? {
            match piece {
                Piece::Text(text) => between.push_str(text),
                Piece::Key(name) => between.push_str(&format!("{{{name}}}")),
                Piece::Variable(name) => {
                    let value = rendered(name, asked.variables.get(name))?;
                    let half = if between.contains('?') {
                        Half::Query
                    } else {
                        Half::Path
                    };
                    self.admits_variable(name, &value.replace(['{', '}'], "x"), half)?;
                    between.push_str(&value);
                }
            }
        }
        let anew = asked.clone().template(&between);
        let mut target = String::new();
        self.fill(&anew, &mut target)
    }
}

#[derive(Clone, Copy)]
struct AdmitsAmpersands;

impl Clerk for AdmitsAmpersands {
    fn admits_in_query(&self, name: &str, value: &str) -> Result<(), Refused> {
        one_part_of_a_pair(name, &value.replace('&', "x"))
    }
}

#[derive(Clone, Copy)]
struct AdmitsEqualsSigns;

impl Clerk for AdmitsEqualsSigns {
    fn admits_in_query(&self, name: &str, value: &str) -> Result<(), Refused> {
        one_part_of_a_pair(name, &value.replace('=', "x"))
    }
}

#[derive(Clone, Copy)]
struct SendsPlusSigns;

impl Clerk for SendsPlusSigns {
    fn admits_in_query(&self, name: &str, value: &str) -> Result<(), Refused> {
        one_part_of_a_pair(name, &value.replace('+', "x"))
    }
}

#[derive(Clone, Copy)]
struct EscapesPlusSigns;

impl Clerk for EscapesPlusSigns {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut target = String::new();
        let mut resolved = self.fill(asked, &mut target)?;
        if let Some((path, query)) = target.split_once('?') {
            resolved.target = format!("{path}?{}", query.replace('+', "%20"));
        }
        Ok(resolved)
    }
}
