//! POL-16: what is refused is found however much stands around it, and however deep it lies.

use serde_json::{Map, Value, json};

use super::headline::line;
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// How many harmless parts stand around the refused one: fewest first.
const SIZES: &[usize] = &[1, 16, 100, 256, 512, 1_000, 1_001, 1_024, 2_000];

/// Where analysis that stops after a round number of parts would stop.
const PLACES: &[usize] = &[500, 1_000, 1_001];

/// How deep a refused body key lies: shallowest first.
const DEPTHS: &[usize] = &[2, 3, 4, 8, 16, 17, 32, 33, 63, 64];

/// The filler alone is asked at this size.
const SMALL: usize = 2;

/// Makes a request of so many harmless parts, or so deep, with the refused part at a place among
/// them, or without it.
type Make = Box<dyn Fn(usize, Option<usize>) -> RequestCase>;

/// One way to hide one refused part.
struct Hiding {
    part: String,
    /// What it hides among, one of them and many.
    among: [&'static str; 2],
    alone: RequestCase,
    make: Make,
    /// Whether it lies deep, rather than among others.
    deep: bool,
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let mut base = trial.admitted()?;
    base.query.clear();
    if let Some((path, _)) = base.path.split_once('?') {
        base.path = path.to_owned();
    }
    let mut cases = 0;
    for hidings in hidings(trial, &base)? {
        let mut tried = 0;
        let mut unmet = None;
        for hiding in &hidings {
            match judge(trial, hiding)? {
                Finding::Held { cases } => tried += cases,
                Finding::Undecided(reason) => unmet = unmet.or(Some(reason)),
                found => return Ok(found),
            }
        }
        if let (0, Some(reason)) = (tried, unmet) {
            return Ok(Finding::Undecided(reason));
        }
        cases += tried;
    }
    Ok(Finding::Held { cases })
}

fn judge(trial: &Trial<'_>, hiding: &Hiding) -> Judged {
    let admitted =
        |request: &RequestCase| -> Result<bool, Stop> { Ok(trial.fresh()?.ask(request)?.allows()) };
    let filler = (hiding.make)(SMALL, None);
    for (request, wanted) in [(&hiding.alone, false), (&filler, true)] {
        if admitted(request)? != wanted {
            let (seen, wanted) = if wanted {
                (
                    "refused",
                    "the harmless parts alone are not allowed; declare a request under `allow` that may carry them",
                )
            } else {
                ("allowed", "the declared part alone is not refused")
            };
            return Ok(Finding::Undecided(format!(
                "the control failed: `{request}` was {seen}: {wanted}"
            )));
        }
    }
    let mut cases = 0;
    let mut refused_up_to = 0;
    for &size in hiding.sizes() {
        for at in hiding.places(size) {
            cases += 1;
            if admitted(&(hiding.make)(size, Some(at)))? {
                let (size, at) = smallest(hiding, refused_up_to, (size, at), admitted)?;
                return Ok(Finding::broken(passed(hiding, &filler, size, at)));
            }
        }
        refused_up_to = size;
    }
    Ok(Finding::Held { cases })
}

/// The smallest size between `low`, at which the part is refused, and the one at which it is not.
fn smallest(
    hiding: &Hiding,
    mut low: usize,
    (mut high, mut at): (usize, usize),
    admitted: impl Fn(&RequestCase) -> Result<bool, Stop>,
) -> Result<(usize, usize), Stop> {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let place = at.min(middle);
        if admitted(&(hiding.make)(middle, Some(place)))? {
            (high, at) = (middle, place);
        } else {
            low = middle;
        }
    }
    Ok((high, at))
}

fn passed(hiding: &Hiding, filler: &RequestCase, size: usize, at: usize) -> Counterexample {
    let [one, many] = hiding.among;
    let (place, behind) = match (hiding.deep, size) {
        (true, depth) => (format!("{depth} {many} deep"), String::new()),
        (false, 1) => (format!("beside another {one}"), format!(", at place {at}")),
        (false, size) => (format!("among {size} {many}"), format!(", at place {at}")),
    };
    Counterexample::new(line("the refused ", &hiding.part, " passes ", &place, ""))
        .step(&(hiding.make)(size, Some(at)), "allowed")
        .expected(
            "refused: neither size nor depth hides a refused part; too large is a refusal too",
        )
        .seen(format!("allowed {place}{behind}"))
        .twin(format!(
            "`{}` was refused, `{filler}` was allowed",
            hiding.alone
        ))
}

impl Hiding {
    fn sizes(&self) -> &'static [usize] {
        if self.deep { DEPTHS } else { SIZES }
    }

    fn places(&self, size: usize) -> Vec<usize> {
        if self.deep {
            return vec![0];
        }
        let mut places = vec![size, 0, size / 2];
        places.extend(PLACES.iter().filter(|&&place| place < size));
        places
    }
}

/// For each declared part, the ways to hide it.
fn hidings(trial: &Trial<'_>, base: &RequestCase) -> Result<Vec<Vec<Hiding>>, Stop> {
    let profile = trial.profile();
    let pairs = profile.refuse_pairs.iter();
    let mut hidings: Vec<Vec<Hiding>> = pairs
        .map(|(key, value)| hidden_pair(base, key, value))
        .collect();
    let segments = profile.refuse_segments.iter();
    hidings.extend(segments.map(|segment| vec![hidden_segment(base, segment)]));
    if !profile.refuse_keys.is_empty() {
        let carrier = carrier(trial, base)?;
        let keys = profile.refuse_keys.iter();
        hidings.extend(keys.map(|key| hidden_key(&carrier, key)));
    }
    Ok(hidings)
}

fn hidden_pair(base: &RequestCase, key: &str, value: &str) -> Vec<Hiding> {
    let part = format!("pair {key}={value}");
    let pair = (key.to_owned(), value.to_owned());
    let pairs = move |size, at| around(size, at, |n| (format!("p{n}"), "1".to_owned()), &pair);
    let listed = {
        let (base, pairs) = (base.clone(), pairs.clone());
        Box::new(move |size, at| {
            let mut request = base.clone();
            request.query = pairs(size, at);
            request
        })
    };
    let written = {
        let base = base.clone();
        Box::new(move |size, at| {
            let query = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs(size, at))
                .finish();
            base.clone().with_path(&format!("{}?{query}", base.path))
        })
    };
    let hiding = |make: Make, among| Hiding {
        part: part.clone(),
        among,
        alone: make(0, Some(0)),
        make,
        deep: false,
    };
    vec![
        hiding(listed, ["pair", "pairs"]),
        hiding(written, ["pair in the path", "pairs in the path"]),
    ]
}

fn hidden_segment(base: &RequestCase, segment: &str) -> Hiding {
    let path = base.path.trim_end_matches('/').to_owned();
    let (base, named) = (base.clone(), segment.to_owned());
    let make: Make = Box::new(move |size, at| {
        let segments = around(size, at, |_| "s".to_owned(), &named);
        base.clone()
            .with_path(&format!("{path}/{}", segments.join("/")))
    });
    Hiding {
        part: format!("segment {segment}"),
        among: ["segment", "segments"],
        alone: make(0, Some(0)),
        make,
        deep: false,
    }
}

/// So many harmless items, and the refused one at its place among them.
fn around<T: Clone>(
    size: usize,
    at: Option<usize>,
    harmless: impl Fn(usize) -> T,
    refused: &T,
) -> Vec<T> {
    let mut items: Vec<T> = (0..size).map(harmless).collect();
    if let Some(at) = at {
        items.insert(at.min(size), refused.clone());
    }
    items
}

/// The admitted request with a method under which it may carry a body.
fn carrier(trial: &Trial<'_>, base: &RequestCase) -> Result<RequestCase, Stop> {
    for method in ["POST", base.method.as_str(), "PUT", "PATCH"] {
        let carrier = base.clone().with_method(method);
        let filled = carrier.clone().with_body(json!({"name": "a"}));
        if trial.fresh()?.ask(&filled)?.allows() {
            return Ok(carrier);
        }
    }
    Err(Stop::Undecided(format!(
        "the control failed: `{base}` is refused with a harmless body, whatever its method; declare a request under `allow` that may carry one"
    )))
}

fn hidden_key(carrier: &RequestCase, key: &str) -> Vec<Hiding> {
    let hiding = |among, deep, body: fn(&str, usize, Option<usize>) -> Value| {
        let (carrier, named) = (carrier.clone(), key.to_owned());
        Hiding {
            part: format!("body key {key}"),
            among,
            alone: carrier.clone().with_body(json!({key: 1})),
            make: Box::new(move |size, at| carrier.clone().with_body(body(&named, size, at))),
            deep,
        }
    };
    vec![
        hiding(["member", "members"], false, |key, size, at| {
            members(key, size, at)
        }),
        hiding(
            ["item of a list", "items of a list"],
            false,
            |key, size, at| json!({"items": around(size, at, |n| json!({"n": n}), &json!({key: 1}))}),
        ),
        hiding(["object", "objects"], true, |key, depth, at| {
            nested(key, depth, at, |_| true)
        }),
        hiding(["list", "lists"], true, |key, depth, at| {
            nested(key, depth, at, |_| false)
        }),
        hiding(
            ["object or list", "objects and lists"],
            true,
            |key, depth, at| nested(key, depth, at, |level| level % 2 == 0),
        ),
    ]
}

/// An object of so many harmless members. Objects sort their members, so the names of those before
/// and behind the refused key are chosen to.
fn members(key: &str, size: usize, at: Option<usize>) -> Value {
    let name = |prefix: &str, number: usize| format!("{prefix}{number:04}");
    let sorts_before = |prefix: &&&str| name(prefix, 9_999).as_str() < key;
    let before = ["a_", "A_", "0_", "!_"].iter().find(sorts_before);
    let sorts_behind = |prefix: &&&str| name(prefix, 0).as_str() > key;
    let behind = ["z_", "~_", "\u{e9}_"].iter().find(sorts_behind);
    let first = at.unwrap_or_default();
    let mut members = Map::new();
    for number in 0..size {
        let prefix = if number < first {
            before.or(behind)
        } else {
            behind.or(before)
        };
        members.insert(name(prefix.unwrap_or(&"m_"), number), json!(1));
    }
    if at.is_some() {
        members.insert(key.to_owned(), json!(1));
    }
    Value::Object(members)
}

/// The key, or a harmless one in its stead, in the innermost of so many containers.
fn nested(key: &str, depth: usize, at: Option<usize>, is_object: fn(usize) -> bool) -> Value {
    let key = if at.is_some() { key } else { "name" };
    (1..depth).fold(json!({key: 1}), |inner, level| {
        if is_object(level) {
            json!({"inner": inner})
        } else {
            json!([inner])
        }
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("password", 0)]
    #[case("password", 7)]
    #[case("Admin", 3)]
    #[case("_secret", 10)]
    fn a_member_stands_at_its_place(#[case] key: &str, #[case] at: usize) {
        let body = members(key, 10, Some(at));
        let found = body
            .as_object()
            .unwrap()
            .keys()
            .position(|name| name == key);
        assert_eq!(found, Some(at));
    }

    #[test]
    fn the_key_lies_as_deep_as_is_said() {
        assert_eq!(nested("k", 1, Some(0), |_| true), json!({"k": 1}));
        assert_eq!(
            nested("k", 3, Some(0), |level| level % 2 == 0),
            json!({"inner": [{"k": 1}]})
        );
    }

    #[test]
    fn the_refused_item_stands_at_its_place() {
        assert_eq!(around(3, Some(1), |n| n, &9), [0, 9, 1, 2]);
        assert_eq!(around(2, None, |n| n, &9), [0, 1]);
    }
}
