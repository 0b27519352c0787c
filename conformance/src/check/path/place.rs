//! The places of a template that a value can fill.

use serde_json::Value;

use crate::profile::ResolverProfile;
use crate::subject::ResolveCase;

/// The parameter and the variable that are filled.
pub(super) const PARAM: &str = "id";
pub(super) const VARIABLE: &str = "v";

/// One place: a template in which one value is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    template: &'static str,
    fills: Fills,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fills {
    Placeholder,
    Variable,
}

const IN_PATH: [&str; 4] = [
    "/items/{id}",
    "/items/{id}/parts",
    "/{id}/parts",
    "/items/v{id}.json",
];

const IN_QUERY: [&str; 3] = ["/items?q={id}", "/items?a=1&q=x{id}y&b=2", "/items?{id}=1"];

const VARIABLE_IN_PATH: [&str; 7] = [
    "/items/${v}",
    "/${v}/items",
    "/items/a-${v}-b",
    "/items/${v}/{id}",
    "/items/${v}{id}",
    "${v}",
    "${v}/items",
];

const VARIABLE_IN_QUERY: [&str; 3] = ["/items?q=${v}", "/items?${v}=1", "/items?q=${v}{id}"];

impl Place {
    /// Every place of a `{key}` in the path half.
    pub(super) fn in_path() -> Vec<Self> {
        placeholders(&IN_PATH)
    }

    /// Every place of a `{key}`, in the query half too where the subject composes one.
    pub(super) fn all(profile: &ResolverProfile) -> Vec<Self> {
        let mut places = Self::in_path();
        if profile.composes_query {
            places.extend(placeholders(&IN_QUERY));
        }
        places
    }

    /// Places at which a value is all of its segment or pair.
    pub(super) fn alone(profile: &ResolverProfile) -> Vec<Self> {
        let mut places = placeholders(&IN_PATH[..3]);
        if profile.composes_query {
            places.extend(placeholders(&IN_QUERY[..1]));
        }
        places
    }

    /// Every place of a `${var}`.
    pub(super) fn of_variable(profile: &ResolverProfile) -> Vec<Self> {
        let mut templates = VARIABLE_IN_PATH.to_vec();
        if profile.composes_query {
            templates.extend(VARIABLE_IN_QUERY);
        }
        let fills = Fills::Variable;
        templates
            .into_iter()
            .map(|template| Self { template, fills })
            .collect()
    }

    /// What fills the place, as a template's author writes it.
    pub(super) fn name(self) -> &'static str {
        match self.fills {
            Fills::Placeholder => "{id}",
            Fills::Variable => "${v}",
        }
    }

    /// Whether the place is in the query half.
    pub(super) fn is_in_query(self) -> bool {
        let open = self.template.find(self.name());
        open.is_some_and(|open| self.template[..open].contains('?'))
    }

    /// The template.
    pub(super) fn template(self) -> &'static str {
        self.template
    }

    /// The template with this value in its place.
    pub(super) fn case(self, value: impl Into<Value>) -> ResolveCase {
        let case = ResolveCase::new(self.template);
        match self.fills {
            Fills::Placeholder => case.argument(PARAM, value),
            Fills::Variable if self.template.contains("{id}") => {
                case.variable(VARIABLE, value).argument(PARAM, "7")
            }
            Fills::Variable => case.variable(VARIABLE, value),
        }
    }
}

fn placeholders(templates: &[&'static str]) -> Vec<Place> {
    let fills = Fills::Placeholder;
    templates
        .iter()
        .map(|template| Place { template, fills })
        .collect()
}
