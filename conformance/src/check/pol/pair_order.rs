//! POL-13: pairs and members with different keys may stand in any order.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

use super::phases::settled;
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// Pairs that mean nothing to anybody.
const HARMLESS: [(&str, &str); 2] = [("limit", "10"), ("q", "two words")];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let mut cases = 0;
    for request in with_several_pairs(trial) {
        for other in rotations(&request) {
            if trial.is_long() {
                break;
            }
            cases += 1;
            if let Some(counterexample) = differs(trial, &request, &other)? {
                return Ok(Finding::broken(counterexample));
            }
        }
    }
    let generated = generated(trial);
    let found = trial.for_all(trial.cases()?, &generated, |(request, order)| {
        let other = reordered(&request, |count| shuffled(count, &order));
        if other == request {
            return Ok(None);
        }
        differs(trial, &request, &other)
    })?;
    Ok(match found {
        Finding::Held { cases: more } => Finding::Held {
            cases: more + cases,
        },
        found => found,
    })
}

fn differs(
    trial: &Trial<'_>,
    request: &RequestCase,
    other: &RequestCase,
) -> Result<Option<Counterexample>, Stop> {
    let before = settled(trial, request)?;
    let after = settled(trial, other)?;
    if before.word() == after.word() {
        return Ok(None);
    }
    Ok(Some(
        Counterexample::new(format!(
            "{before} in one order of its pairs, {after} in another"
        ))
        .step(request, &before)
        .step(other, &after)
        .expected("one verdict for both: the order of different keys means nothing")
        .seen(format!("{before}, and {after} in the other order"))
        .twin(format!(
            "asked on two fresh subjects each, the first order was {before} twice and the other {after} twice"
        )),
    ))
}

/// Requests with several keys, built from what the profile declares: fewest pairs first, in the
/// query list and written into the path.
fn with_several_pairs(trial: &Trial<'_>) -> Vec<RequestCase> {
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let harmless = HARMLESS.map(owned);
    let refused = trial.profile().refuse_pairs.iter();
    let refused = refused.flat_map(|pair| {
        let with = |harmless: &[(String, String)]| [std::slice::from_ref(pair), harmless].concat();
        [with(&harmless[..1]), with(&harmless)]
    });
    let lists: Vec<Vec<(String, String)>> = refused.chain([harmless.to_vec()]).collect();
    let mut requests = Vec::new();
    for base in trial.candidates() {
        for pairs in &lists {
            let mut listed = base.clone();
            listed.query.extend(pairs.iter().cloned());
            requests.push(listed);
            requests.push(base.clone().with_path(&written(&base.path, pairs)));
        }
    }
    requests.extend(trial.declared_requests());
    requests
}

/// The path with the pairs behind its `?`, as an author writes them.
fn written(path: &str, pairs: &[(String, String)]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    match (query.is_empty(), path.contains('?')) {
        (true, _) => path.to_owned(),
        (false, true) => format!("{path}&{query}"),
        (false, false) => format!("{path}?{query}"),
    }
}

/// The request with its pairs moved round by one, by two, and turned about.
fn rotations(request: &RequestCase) -> Vec<RequestCase> {
    let orders: [fn(usize) -> Vec<usize>; 3] = [
        |count| (0..count).map(|at| (at + 1) % count).collect(),
        |count| (0..count).map(|at| (at + 2) % count).collect(),
        |count| (0..count).rev().collect(),
    ];
    let mut found: Vec<RequestCase> = Vec::new();
    for order in orders {
        let other = reordered(request, order);
        if other != *request && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

/// Requests of several keys in every place, with what their order is drawn from.
fn generated(trial: &Trial<'_>) -> impl Strategy<Value = (RequestCase, Vec<u32>)> + use<> {
    let mut known: Vec<(String, String)> = HARMLESS
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec();
    known.push(("limit".to_owned(), "20".to_owned()));
    known.extend(trial.profile().refuse_pairs.iter().cloned());
    let author = vec(select(known), 0..4);
    (trial.requests(), author, vec(any::<u32>(), 8)).prop_map(|(mut request, author, order)| {
        request.path = written(&request.path, &author);
        (request, order)
    })
}

/// The places in an order that is drawn from `order`.
fn shuffled(count: usize, order: &[u32]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by_key(|place| order.get(place % order.len().max(1)));
    places
}

/// The request with the pairs of each place, and the members of its body, in another order.
fn reordered(request: &RequestCase, order: impl Fn(usize) -> Vec<usize>) -> RequestCase {
    let mut other = request.clone();
    other.query = in_order(&request.query, &order, |(key, _)| key.clone());
    if let Some((path, query)) = request.path.split_once('?') {
        let pieces: Vec<&str> = query.split('&').collect();
        let pieces = in_order(&pieces, &order, |piece| decoded_key(piece));
        other.path = format!("{path}?{}", pieces.join("&"));
    }
    // Only a build of `serde_json` that keeps the order of members shows this one to a policy.
    if let Some(Value::Object(members)) = &request.body {
        let members: Vec<(String, Value)> = members.clone().into_iter().collect();
        let members = in_order(&members, &order, |(key, _)| key.clone());
        other.body = Some(Value::Object(Map::from_iter(members)));
    }
    other
}

fn decoded_key(piece: &str) -> String {
    let pair = url::form_urlencoded::parse(piece.as_bytes()).next();
    pair.map(|(key, _)| key.into_owned()).unwrap_or_default()
}

/// The items in that order, in which those of one key keep their sequence.
fn in_order<T: Clone>(
    items: &[T],
    order: impl Fn(usize) -> Vec<usize>,
    key: impl Fn(&T) -> String,
) -> Vec<T> {
    if items.len() < 2 {
        return items.to_vec();
    }
    let mut of_key: HashMap<String, Vec<&T>> = HashMap::new();
    for item in items.iter().rev() {
        of_key.entry(key(item)).or_default().push(item);
    }
    let keys = order(items.len())
        .into_iter()
        .map(|place| key(&items[place]));
    keys.filter_map(|key| of_key.get_mut(&key)?.pop().cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reordering_moves_different_keys_and_keeps_the_sequence_of_equal_ones() {
        let request = RequestCase::get("https://a.test/x?a=1&b=2&%61=3")
            .with_pair("k", "1")
            .with_pair("m", "2")
            .with_pair("k", "3");

        let other = reordered(&request, |count| (0..count).rev().collect());
        let rotated = reordered(&request, |count| {
            (0..count).map(|at| (at + 1) % count).collect()
        });

        assert_eq!(other, request);
        assert_eq!(rotated.path, "https://a.test/x?b=2&a=1&%61=3");
        let pairs: Vec<_> = rotated
            .query
            .iter()
            .map(|(k, v)| format!("{k}{v}"))
            .collect();
        assert_eq!(pairs, ["m2", "k1", "k3"]);
    }

    #[test]
    fn two_pairs_have_one_other_order() {
        let request = RequestCase::get("https://a.test/x")
            .with_pair("a", "1")
            .with_pair("b", "2");
        let others = rotations(&request);
        assert_eq!(others.len(), 1);
        assert_eq!(others[0].query[0].0, "b");
    }
}
