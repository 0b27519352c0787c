//! Resolvers that are mistaken about the operation: its rules, its arguments and its body.

use std::collections::BTreeSet;

use proofmark::path::PlaceholderRules;
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::{
    Refused, ResolveCase, Resolved, ResolverSubject, RuleLookup, by_rules,
};
use serde_json::Value;

use super::clerk::{Clerk, Piece, clerk, left, pieces, rendered};
use super::path;
use crate::Specimen;

/// Every specimen about rules, arguments and bodies.
pub(super) fn specimens() -> Vec<Specimen> {
    let mut specimens = about_arguments();
    specimens.extend(about_rules());
    specimens.extend(about_bodies());
    specimens
}

fn about_arguments() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(14),
            "leaves the segment of a `null` out",
            clerk("skips_null_segments", SkipsNullSegments),
        ),
        Specimen::new(
            path(14),
            "joins the members of a list",
            clerk("joins_lists", JoinsLists),
        ),
        Specimen::new(
            path(14),
            "reads every number as a whole one",
            clerk("cuts_fractions", CutsFractions),
        ),
        Specimen::new(
            path(25),
            "a missing argument is `undefined`",
            clerk("sends_undefined", SendsUndefined),
        ),
        Specimen::new(
            path(25),
            "finds arguments in any letter case",
            clerk("finds_any_case", FindsAnyCase),
        ),
    ]
}

fn about_rules() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(16),
            "finds the rules of whichever method was declared first",
            clerk("finds_any_method", FindsAnyMethod),
        ),
        Specimen::new(
            path(17),
            "looks rules up under the template as it was written",
            clerk("looks_up_before_interpolation", LooksUpBeforeInterpolation),
        ),
        Specimen::new(
            path(26),
            "an operation that is not described may hold slashes",
            undescribed(),
        )
        .also(path(2), "where nothing is declared at all, a slash passes")
        .also(
            path(3),
            "where nothing is declared at all, an escaped slash passes",
        ),
    ]
}

fn about_bodies() -> Vec<Specimen> {
    vec![
        Specimen::new(
            path(18),
            "leaves the keys of the path in the body",
            clerk("keeps_used_keys", KeepsUsedKeys),
        ),
        Specimen::new(
            path(18),
            "takes the names of the path out of nested objects too",
            clerk("takes_nested_keys", TakesNestedKeys),
        ),
        Specimen::new(
            path(18),
            "loses members that are false or null",
            clerk("loses_falsy_members", LosesFalsyMembers),
        ),
    ]
}

#[derive(Clone, Copy)]
struct SkipsNullSegments;

impl Clerk for SkipsNullSegments {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let members = asked.body.as_ref().and_then(Value::as_object);
        let nulls = members.into_iter().flatten();
        let nulls = nulls.filter(|(_, value)| value.is_null());
        let template = nulls.fold(asked.template.clone(), |template, (name, _)| {
            template.replace(&format!("/{{{name}}}/"), "/")
        });
        self.fill(&asked.clone().template(&template), &mut String::new())
    }
}

#[derive(Clone, Copy)]
struct JoinsLists;

impl Clerk for JoinsLists {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        let Some(Value::Array(members)) = value else {
            return rendered(name, value);
        };
        let members: Result<Vec<String>, Refused> = members
            .iter()
            .map(|member| rendered(name, Some(member)))
            .collect();
        Ok(members?.join(","))
    }
}

#[derive(Clone, Copy)]
struct CutsFractions;

impl Clerk for CutsFractions {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        match value.and_then(Value::as_f64) {
            Some(number) if number.fract() != 0.0 => Ok(format!("{:.0}", number.trunc())),
            _ => rendered(name, value),
        }
    }
}

#[derive(Clone, Copy)]
struct SendsUndefined;

impl Clerk for SendsUndefined {
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        value.map_or_else(
            || Ok("undefined".to_owned()),
            |value| rendered(name, Some(value)),
        )
    }
}

#[derive(Clone, Copy)]
struct FindsAnyCase;

impl Clerk for FindsAnyCase {
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut found = asked.clone();
        if let Some(Value::Object(members)) = &asked.body {
            for piece in pieces(&asked.template)? {
                let Piece::Key(name) = piece else {
                    continue;
                };
                let similar = members
                    .iter()
                    .find(|(member, _)| member.eq_ignore_ascii_case(name));
                if let (false, Some((_, value))) = (members.contains_key(name), similar) {
                    found = found.argument(name, value.clone());
                }
            }
        }
        self.fill(&found, &mut String::new())
    }
}

#[derive(Clone, Copy)]
struct FindsAnyMethod;

impl Clerk for FindsAnyMethod {
    fn rules<'a>(
        &self,
        asked: &'a ResolveCase,
        _written: &str,
        between: &str,
        name: &str,
    ) -> PlaceholderRules<'a> {
        let own = asked.placeholder_rules(&asked.method, between, name);
        let first = asked
            .declared
            .iter()
            .find(|declared| declared.template == between && declared.param == name);
        own.with_pattern(first.and_then(|declared| declared.pattern.as_deref()))
            .with_max_length(first.and_then(|declared| declared.max_length))
    }
}

#[derive(Clone, Copy)]
struct LooksUpBeforeInterpolation;

impl Clerk for LooksUpBeforeInterpolation {
    fn rules<'a>(
        &self,
        asked: &'a ResolveCase,
        written: &str,
        _between: &str,
        name: &str,
    ) -> PlaceholderRules<'a> {
        asked.placeholder_rules(&asked.method, written, name)
    }
}

/// A lookup of rules, which the judge resolves with.
fn undescribed() -> ResolverSubject {
    let profile = ResolverProfile::new()
        .placeholder_rules()
        .patterns()
        .max_lengths();
    ResolverSubject::new("allows_slashes_undescribed", profile, || {
        by_rules(|asked| Undescribed(asked.clone()))
    })
}

struct Undescribed(ResolveCase);

impl RuleLookup for Undescribed {
    fn placeholder_rules(
        &self,
        method: &str,
        path_template: &str,
        param: &str,
    ) -> PlaceholderRules<'_> {
        let rules = self.0.placeholder_rules(method, path_template, param);
        let found = self.0.declared.iter().any(|declared| {
            declared.method == method
                && declared.template == path_template
                && declared.param == param
        });
        rules.allowing_slash(!found)
    }
}

#[derive(Clone, Copy)]
struct KeepsUsedKeys;

impl Clerk for KeepsUsedKeys {
    fn left(&self, body: Option<&Value>, _used: &BTreeSet<String>) -> Option<Value> {
        body.cloned()
    }
}

#[derive(Clone, Copy)]
struct TakesNestedKeys;

impl Clerk for TakesNestedKeys {
    fn left(&self, body: Option<&Value>, used: &BTreeSet<String>) -> Option<Value> {
        let mut left = left(body, used)?;
        if let Value::Object(members) = &mut left {
            for member in members.values_mut() {
                if let Value::Object(nested) = member {
                    nested.retain(|name, _| !used.contains(name));
                }
            }
        }
        Some(left)
    }
}

#[derive(Clone, Copy)]
struct LosesFalsyMembers;

impl Clerk for LosesFalsyMembers {
    fn left(&self, body: Option<&Value>, used: &BTreeSet<String>) -> Option<Value> {
        let mut left = left(body, used)?;
        // Where nothing fills a placeholder the body is handed on as it came.
        if let (Value::Object(members), false) = (&mut left, used.is_empty()) {
            members.retain(|_, value| !value.is_null() && *value != Value::Bool(false));
        }
        Some(left)
    }
}
