//! How a budget is used up: a row of requests, each of which spends from it.

use std::collections::HashSet;

use super::case::Trial;
use super::finding::Stop;
use super::instance::Instance;
use crate::profile::PolicyProfile;
use crate::subject::RequestCase;

/// So many endpoints more than the limit are named, for those who ask for several at once.
const SPARE_ENDPOINTS: u64 = 96;

/// What each request of a load spends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spends {
    /// One request.
    Request,
    /// So many bytes of text.
    Text(usize),
    /// One more endpoint.
    Endpoint,
}

/// A row of requests that uses up the declared budget.
#[derive(Debug, Clone)]
pub struct Load {
    base: RequestCase,
    endpoints: Vec<String>,
    spends: Spends,
    limit: u64,
}

/// How a load was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// How many of its requests were admitted before the first that was refused.
    pub admitted: u64,
    /// Whether one was refused at all.
    pub refused: bool,
}

impl Load {
    /// The request at this place of the row.
    #[must_use]
    pub fn request(&self, index: u64) -> RequestCase {
        match self.spends {
            Spends::Request => self.base.clone(),
            Spends::Text(bytes) => with_text(&self.base, &"t".repeat(bytes)),
            Spends::Endpoint => {
                let index = usize::try_from(index).unwrap_or(usize::MAX);
                let endpoint = self.endpoints.get(index).or(self.endpoints.last());
                let path = endpoint.map_or(self.base.path.as_str(), String::as_str);
                self.base.clone().with_path(path)
            }
        }
    }

    /// Whether the request at this place spends something that no other of the row does. Only
    /// endpoints can run short, where the profile declares all there are.
    #[must_use]
    pub fn spends_at(&self, index: u64) -> bool {
        self.spends != Spends::Endpoint || index < self.endpoints.len() as u64
    }

    /// The request that every one of the row resembles.
    #[must_use]
    pub fn base(&self) -> &RequestCase {
        &self.base
    }

    /// After so many requests the budget is used up, whatever the policy counts besides.
    #[must_use]
    pub fn most_steps(&self) -> u64 {
        match self.spends {
            Spends::Request | Spends::Endpoint => self.limit + 1,
            Spends::Text(bytes) => self.limit / u64::try_from(bytes.max(1)).unwrap_or(1) + 2,
        }
    }

    /// Spends the row, as `shape` changes its requests, until one is refused.
    ///
    /// # Errors
    ///
    /// As [`Instance::ask`].
    pub fn spend(
        &self,
        instance: &Instance<'_>,
        shape: impl Fn(RequestCase) -> RequestCase,
    ) -> Result<Spent, Stop> {
        let mut admitted = 0;
        for index in 0..self.most_steps() {
            if !instance.ask(&shape(self.request(index)))?.allows() {
                return Ok(Spent {
                    admitted,
                    refused: true,
                });
            }
            admitted += 1;
        }
        Ok(Spent {
            admitted,
            refused: false,
        })
    }
}

impl Trial<'_> {
    /// The row of requests that uses up the declared budget, if one is declared.
    #[must_use]
    pub fn load(&self) -> Option<Load> {
        let profile = self.profile();
        let base = self.base();
        let (spends, limit) = spending(profile)?;
        let endpoints = match spends {
            Spends::Endpoint => self.distinct_endpoints(limit + 1 + SPARE_ENDPOINTS),
            _ => Vec::new(),
        };
        Some(Load {
            base,
            endpoints,
            spends,
            limit,
        })
    }

    /// The load, and how far a fresh subject admits it: the control of the budget checks.
    ///
    /// # Errors
    ///
    /// [`Stop::Undecided`] where it is refused at once or never; as [`Instance::ask`] besides.
    pub fn spent_load(&self) -> Result<(Load, u64), Stop> {
        let load = self
            .load()
            .ok_or_else(|| Stop::Undecided("the profile declares no limit".to_owned()))?;
        if !load.spends_at(load.limit) {
            return Err(Stop::Undecided(format!(
                "the profile declares {} endpoints, too few to use up a budget of {}: declare one with a `{{name}}` segment",
                load.endpoints.len(),
                load.limit
            )));
        }
        let spent = load.spend(&self.fresh()?, |request| request)?;
        let first = load.request(0);
        match spent {
            Spent {
                refused: false,
                admitted,
            } => Err(Stop::Undecided(format!(
                "the control failed: the budget never ran out, `{first}` was still allowed after {admitted} like it"
            ))),
            Spent { admitted: 0, .. } => Err(Stop::Undecided(format!(
                "the control failed: a fresh subject refuses `{first}`, so nothing can be spent; declare a request under `allow` that it admits"
            ))),
            Spent { admitted, .. } => Ok((load, admitted)),
        }
    }

    /// So many URLs of different endpoints, those the profile allows first; fewer where it declares
    /// no more.
    fn distinct_endpoints(&self, count: u64) -> Vec<String> {
        let profile = self.profile();
        let base = self.base();
        let without_query = |path: &str| path.split('?').next().unwrap_or_default().to_owned();
        let samples = profile.allow.iter();
        let samples = samples.map(|sample| without_query(&sample.request().path));
        let declared = profile
            .declared_endpoints()
            .filter_map(|endpoint| endpoint.instance());
        let mut patterns: Vec<String> = profile
            .declared_endpoints()
            .filter_map(|endpoint| endpoint.numbered())
            .collect();
        if profile.declared_endpoints().next().is_none() {
            patterns.push(format!("{}-{{}}", without_query(&base.path)));
        }
        let numbered = (0..count).flat_map(|number| {
            let number = number.to_string();
            let urls = patterns.iter().map(|url| url.replace("{}", &number));
            urls.collect::<Vec<_>>()
        });
        let mut known = HashSet::new();
        samples
            .chain(declared)
            .chain(numbered)
            .filter(|url| known.insert(url.clone()))
            .take(usize::try_from(count).unwrap_or(usize::MAX))
            .collect()
    }
}

fn spending(profile: &PolicyProfile) -> Option<(Spends, u64)> {
    if let Some(limit) = profile.at_once() {
        return Some((Spends::Request, limit));
    }
    if let Some(limit) = profile.distinct_endpoints {
        return Some((Spends::Endpoint, limit));
    }
    let limit = profile.bytes?;
    // A quarter of the limit each: whatever a policy counts besides, five do not fit.
    let text = usize::try_from(limit / 4).unwrap_or(usize::MAX).max(1);
    Some((Spends::Text(text), limit))
}

/// The request with so much more text, where its method carries it.
fn with_text(request: &RequestCase, text: &str) -> RequestCase {
    if matches!(
        request.method.as_str(),
        "GET" | "HEAD" | "DELETE" | "OPTIONS"
    ) {
        request.clone().with_pair("text", text)
    } else {
        let mut body = request
            .body
            .clone()
            .unwrap_or_else(|| serde_json::json!({}));
        match body.as_object_mut() {
            Some(members) => {
                members.insert("text".to_owned(), text.into());
            }
            None => body = serde_json::json!({ "text": text }),
        }
        request.clone().with_body(body)
    }
}
