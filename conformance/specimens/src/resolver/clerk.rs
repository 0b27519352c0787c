//! A sound resolver that puts targets together in steps, each of which a broken one overrides.

use std::collections::BTreeSet;

use proofmark::path::{PlaceholderRules, validate_path_placeholder, validate_resolved_target};
use proofmark_conformance::profile::ResolverProfile;
use proofmark_conformance::subject::{
    Refused, ResolveCase, Resolved, ResolverSubject, resolver_fn,
};
use serde_json::{Map, Value};

/// The part of the target that a value stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Path,
    Query,
}

/// A piece of a template as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    Variable(&'t str),
    Key(&'t str),
}

/// What stands between the two layers.
pub(super) enum Part {
    Text(String),
    Key(String, Half),
}

/// The steps of resolving. All of them are sound as they stand.
pub(super) trait Clerk: Send + Sync + 'static {
    /// The template's pieces.
    fn read<'t>(&self, template: &'t str) -> Result<Vec<Piece<'t>>, Refused> {
        pieces(template)
    }

    /// The text of one value, or a refusal.
    fn rendered(&self, name: &str, value: Option<&Value>) -> Result<String, Refused> {
        rendered(name, value)
    }

    /// The rules of one parameter. `written` is the template, `between` what interpolation made
    /// of it.
    fn rules<'a>(
        &self,
        asked: &'a ResolveCase,
        _written: &str,
        between: &str,
        name: &str,
    ) -> PlaceholderRules<'a> {
        asked.placeholder_rules(&asked.method, between, name)
    }

    /// Whether the value may fill `{name}`.
    fn admits(&self, name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
        floor(name, value, rules)
    }

    /// Whether the value may stand in a query.
    fn admits_in_query(&self, name: &str, value: &str) -> Result<(), Refused> {
        one_part_of_a_pair(name, value)
    }

    /// Whether the value may be interpolated for `${name}`.
    fn admits_variable(&self, name: &str, value: &str, half: Half) -> Result<(), Refused> {
        floor(name, value, &PlaceholderRules::default())?;
        match half {
            Half::Path => Ok(()),
            Half::Query => one_part_of_a_pair(name, value),
        }
    }

    /// How the value is written into the target.
    fn written(&self, value: &str, _half: Half) -> String {
        value.to_owned()
    }

    /// Whether the target may be sent.
    fn admits_whole(&self, _asked: &ResolveCase, target: &str) -> Result<(), Refused> {
        whole(target)
    }

    /// What is left of the body.
    fn left(&self, body: Option<&Value>, used: &BTreeSet<String>) -> Option<Value> {
        left(body, used)
    }

    /// The refusal as the caller gets it. `so_far` is the target as far as it had come.
    fn refusal(&self, refused: Refused, _asked: &ResolveCase, _so_far: &str) -> Refused {
        refused
    }

    /// All of it.
    fn resolve(&self, asked: &ResolveCase) -> Result<Resolved, Refused> {
        let mut target = String::new();
        self.fill(asked, &mut target)
            .map_err(|refused| self.refusal(refused, asked, &target))
    }

    fn fill(&self, asked: &ResolveCase, target: &mut String) -> Result<Resolved, Refused> {
        let (between, parts) = self.interpolated(asked)?;
        let mut used = BTreeSet::new();
        for part in parts {
            match part {
                Part::Text(text) => target.push_str(&text),
                Part::Key(name, half) => {
                    let value = asked.argument_of(&name);
                    let value = self.rendered(&name, value)?;
                    let rules = self.rules(asked, &asked.template, &between, &name);
                    self.admits(&name, &value, &rules)?;
                    if half == Half::Query {
                        self.admits_in_query(&name, &value)?;
                    }
                    target.push_str(&self.written(&value, half));
                    used.insert(name);
                }
            }
        }
        self.admits_whole(asked, target)?;
        let body = self.left(asked.body.as_ref(), &used);
        Ok(Resolved::new(target.as_str(), body))
    }

    /// The text between the layers, and its parts.
    fn interpolated(&self, asked: &ResolveCase) -> Result<(String, Vec<Part>), Refused> {
        let (mut between, mut parts) = (String::new(), Vec::new());
        let mut half = Half::Path;
        for piece in self.read(&asked.template)? {
            match piece {
                Piece::Text(text) => {
                    if text.contains('?') {
                        half = Half::Query;
                    }
                    between.push_str(text);
                    parts.push(Part::Text(text.to_owned()));
                }
                Piece::Variable(name) => {
                    let value = self.rendered(name, asked.variables.get(name))?;
                    self.admits_variable(name, &value, half)?;
                    let value = self.written(&value, half);
                    between.push_str(&value);
                    parts.push(Part::Text(value));
                }
                Piece::Key(name) => {
                    between.push_str(&format!("{{{name}}}"));
                    parts.push(Part::Key(name.to_owned(), half));
                }
            }
        }
        Ok((between, parts))
    }
}

/// A subject of this clerk.
pub(super) fn clerk<C: Clerk + Copy>(name: &str, clerk: C) -> ResolverSubject {
    held(name, profile(), clerk)
}

/// A subject of this clerk, held to this profile.
pub(super) fn held<C: Clerk + Copy>(
    name: &str,
    profile: ResolverProfile,
    clerk: C,
) -> ResolverSubject {
    ResolverSubject::new(name, profile, move || {
        resolver_fn(move |asked| clerk.resolve(asked))
    })
}

/// Everything a resolver can promise.
pub(super) fn profile() -> ResolverProfile {
    ResolverProfile::new()
        .resolves()
        .placeholder_rules()
        .composes_query()
        .interpolates()
        .patterns()
        .max_lengths()
        .allow_slash()
}

/// The template cut at `${name}` and `{name}`.
pub(super) fn pieces(template: &str) -> Result<Vec<Piece<'_>>, Refused> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        let (name, after) = from
            .strip_prefix('{')
            .and_then(|from| from.split_once('}'))
            .ok_or_else(|| Refused::new("a brace of the template has no partner"))?;
        if name.is_empty() || name.contains('{') {
            return Err(Refused::new("a placeholder of the template has no name"));
        }
        let (text, piece) = match before.strip_suffix('$') {
            Some(before) => (before, Piece::Variable(name)),
            None => (before, Piece::Key(name)),
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces.push(piece);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// A scalar as its JSON text, a string as itself.
pub(super) fn rendered(name: &str, value: Option<&Value>) -> Result<String, Refused> {
    match value {
        None => Err(Refused::new(format!("`{name}` is missing"))),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(_) | Value::Object(_)) => {
            Err(Refused::new(format!("`{name}` must be a scalar")))
        }
        Some(scalar) => Ok(scalar.to_string()),
    }
}

/// The floor, with braces refused as well.
pub(super) fn floor(name: &str, value: &str, rules: &PlaceholderRules<'_>) -> Result<(), Refused> {
    validate_path_placeholder(name, value, rules)?;
    no_brace(name, value)
}

pub(super) fn no_brace(name: &str, value: &str) -> Result<(), Refused> {
    if value.contains(['{', '}']) {
        return Err(Refused::new(format!("`{name}` must not hold a brace")));
    }
    Ok(())
}

/// A value of a query ends no pair, begins none, and means what it says.
pub(super) fn one_part_of_a_pair(name: &str, value: &str) -> Result<(), Refused> {
    if value.contains(['&', '=', ';', '+']) {
        return Err(Refused::new(format!("`{name}` must be one part of a pair")));
    }
    Ok(())
}

/// A target begins with one slash and passes as a whole.
pub(super) fn whole(target: &str) -> Result<(), Refused> {
    if !target.starts_with('/') {
        return Err(Refused::new("the target does not begin with a slash"));
    }
    Ok(validate_resolved_target(target)?)
}

/// The body without the members that were used; nothing where none is left.
pub(super) fn left(body: Option<&Value>, used: &BTreeSet<String>) -> Option<Value> {
    match body? {
        Value::Object(members) => {
            let left: Map<String, Value> = members
                .iter()
                .filter(|(name, _)| !used.contains(*name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            (!left.is_empty()).then_some(Value::Object(left))
        }
        other => Some(other.clone()),
    }
}
