//! POL-16: what is refused is found however much stands around it, and however deep it lies.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::headline::line;
use super::path_pairs::{bare, behind};
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// How many harmless parts stand around the refused one: fewest first.
const SIZES: &[usize] = &[1, 16, 100, 256, 512, 1_000, 1_001, 1_024, 2_000];

/// Where analysis that stops after a round number of parts would stop.
const PLACES: &[usize] = &[500, 1_000, 1_001];

/// How many long harmless parts stand around it, and how long each is: analysis that stops at a size
/// in bytes, however many parts there are, stops within two megabytes.
const LONG_SIZES: &[usize] = &[16, 128, 2_000];
const LONG: usize = 1_024;

/// How deep a refused body key lies: shallowest first.
const DEPTHS: &[usize] = &[2, 3, 4, 8, 16, 17, 32, 33, 63, 64];

/// The filler alone is asked at this size.
const SMALL: usize = 2;

/// Makes a request of so many harmless parts, or so deep, with the refused part at a place among
/// them, or without it.
type Make = Box<dyn Fn(usize, Option<usize>) -> RequestCase>;

/// What grows around the refused part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The number of harmless parts.
    Many,
    /// Their number, and each of them is long.
    Long,
    /// The depth it lies at.
    Deep,
}

/// One way to hide one refused part.
struct Hiding {
    part: String,
    /// What it hides among, one of them and many.
    among: [&'static str; 2],
    alone: RequestCase,
    make: Make,
    extent: Extent,
}

/// What came of one way to hide a part.
enum Hidden {
    /// It was refused in so many cases.
    Refused(u64),
    /// It was admitted.
    Passed(Counterexample),
    /// The declared part alone is not refused.
    NotRefused(String),
    /// What it is to hide among is refused itself.
    NoCover(String),
}

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let base = bare(trial)?;
    let mut cases = 0;
    let mut bare = None;
    for hidings in hidings(trial, &base)? {
        let mut tried = 0;
        for hiding in &hidings {
            match judge(trial, hiding)? {
                Hidden::Refused(cases) => tried += cases,
                Hidden::Passed(found) => return Ok(Finding::broken(found)),
                Hidden::NotRefused(reason) => return Ok(Finding::Undecided(reason)),
                Hidden::NoCover(reason) => bare = bare.or(Some(reason)),
            }
        }
        cases += tried;
    }
    match bare {
        // Whoever refuses all that could stand around a refused part has nothing for it to hide in.
        Some(reason) if cases == 0 => Ok(Finding::NotApplicable(reason)),
        _ => Ok(Finding::Held { cases }),
    }
}

fn judge(trial: &Trial<'_>, hiding: &Hiding) -> Result<Hidden, Stop> {
    let admitted =
        |request: &RequestCase| -> Result<bool, Stop> { Ok(trial.fresh()?.ask(request)?.allows()) };
    let alone = &hiding.alone;
    if admitted(alone)? {
        return Ok(Hidden::NotRefused(format!(
            "the control failed: `{alone}` was allowed: the declared part alone is not refused"
        )));
    }
    let filler = (hiding.make)(SMALL, None);
    if !admitted(&filler)? {
        return Ok(Hidden::NoCover(format!(
            "the policy refuses `{filler}`, in which nothing is declared refused, so there is nothing that a refused part could hide in; if it allows other parts, declare a request under `allow` that carries them"
        )));
    }
    let mut cases = 0;
    let mut refused_up_to = 0;
    for &size in hiding.sizes() {
        for at in hiding.places(size) {
            cases += 1;
            if admitted(&(hiding.make)(size, Some(at)))? {
                let (size, at) = smallest(hiding, refused_up_to, (size, at), admitted)?;
                return Ok(Hidden::Passed(passed(hiding, &filler, size, at)));
            }
        }
        refused_up_to = size;
    }
    Ok(Hidden::Refused(cases))
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
    let (place, behind) = match (hiding.extent == Extent::Deep, size) {
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
        match self.extent {
            Extent::Many => SIZES,
            Extent::Long => LONG_SIZES,
            Extent::Deep => DEPTHS,
        }
    }

    fn places(&self, size: usize) -> Vec<usize> {
        match self.extent {
            Extent::Deep => return vec![0],
            Extent::Long => return vec![size, 0],
            Extent::Many => {}
        }
        let mut places = vec![size, 0, size / 2];
        places.extend(PLACES.iter().filter(|&&place| place < size));
        places
    }
}

/// For each declared part, the ways to hide it.
fn hidings(trial: &Trial<'_>, base: &RequestCase) -> Result<Vec<Vec<Hiding>>, Stop> {
    let profile = trial.profile();
    let mut hidings: Vec<Vec<Hiding>> = Vec::new();
    for pair in &profile.refuse_pairs {
        hidings.push(hidden_pair(trial, base, pair)?);
    }
    for segment in &profile.refuse_segments {
        hidings.push(hidden_segment(trial, base, segment)?);
    }
    if !profile.refuse_keys.is_empty() {
        let carrier = carrier(trial, base)?;
        let keys = profile.refuse_keys.iter();
        hidings.extend(keys.map(|key| hidden_key(&carrier, key)));
    }
    Ok(hidings)
}

type Pair = (String, String);

/// Makes the harmless pair of this number, whose value is so long.
type Filler = Rc<dyn Fn(usize, usize) -> Pair>;

/// Pairs that may be harmless: any, those that the profile's samples have, and those that many an
/// interface knows.
fn fillers(trial: &Trial<'_>) -> Vec<Filler> {
    let long = |value: &str, length: usize| match length {
        0 => value.to_owned(),
        length => "a".repeat(length),
    };
    let mut fillers: Vec<Filler> = vec![Rc::new(move |number, length| {
        (format!("p{number}"), long("1", length))
    })];
    let samples = trial.profile().allow.iter();
    let known = samples.flat_map(|sample| {
        let request = sample.request();
        let written = request.path.split_once('?').map_or("", |(_, query)| query);
        let written = url::form_urlencoded::parse(written.as_bytes()).into_owned();
        request.query.iter().cloned().chain(written)
    });
    let usual = [("limit", "10"), ("q", "a"), ("page", "2"), ("id", "7")];
    let usual = usual.map(|(key, value)| (key.to_owned(), value.to_owned()));
    fillers.extend(known.chain(usual).map(|(key, value)| -> Filler {
        Rc::new(move |_, length| (key.clone(), long(&value, length)))
    }));
    fillers
}

/// Puts pairs into a request.
type Put = fn(&RequestCase, &[Pair]) -> RequestCase;

fn listed(base: &RequestCase, pairs: &[Pair]) -> RequestCase {
    let mut request = base.clone();
    request.query.extend_from_slice(pairs);
    request
}

fn written(base: &RequestCase, pairs: &[Pair]) -> RequestCase {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish();
    base.clone().with_path(&behind(&base.path, &query))
}

fn hidden_pair(trial: &Trial<'_>, base: &RequestCase, pair: &Pair) -> Result<Vec<Hiding>, Stop> {
    let among = [["pair", "pairs"], ["pair in the path", "pairs in the path"]];
    let mut hidings = Vec::new();
    for (put, among) in [listed as Put, written].into_iter().zip(among) {
        let harmless = admitted_filler(trial, |filler: &Filler| {
            put(base, &[filler(0, 0), filler(1, 0)])
        })?;
        let key = pair.0.clone();
        let same_key: Filler = Rc::new(move |number, _| (key.clone(), format!("other{number}")));
        for (filler, extent, length) in [
            (Rc::clone(&harmless), Extent::Many, 0),
            (same_key, Extent::Many, 0),
            (harmless, Extent::Long, LONG),
        ] {
            let (base, pair) = (base.clone(), pair.clone());
            let part = format!("pair {}={}", pair.0, pair.1);
            let make: Make = Box::new(move |size, at| {
                put(&base, &around(size, at, |n| filler(n, length), &pair))
            });
            hidings.push(Hiding {
                part,
                among,
                alone: make(0, Some(0)),
                make,
                extent,
            });
        }
    }
    Ok(hidings)
}

/// The first filler of which a small request is admitted; the first of all where none is.
fn admitted_filler(
    trial: &Trial<'_>,
    small: impl Fn(&Filler) -> RequestCase,
) -> Result<Filler, Stop> {
    let fillers = fillers(trial);
    for filler in &fillers {
        if trial.fresh()?.ask(&small(filler))?.allows() {
            return Ok(Rc::clone(filler));
        }
    }
    Ok(Rc::clone(&fillers[0]))
}

fn hidden_segment(
    trial: &Trial<'_>,
    base: &RequestCase,
    segment: &str,
) -> Result<Vec<Hiding>, Stop> {
    let path = base.path.split('?').next().unwrap_or_default();
    let path = path.trim_end_matches('/').to_owned();
    let with = move |base: &RequestCase, segments: &[String]| {
        base.clone()
            .with_path(&format!("{path}/{}", segments.join("/")))
    };
    let mut harmless = "s".to_owned();
    for usual in ["s", "7", "items"].map(str::to_owned) {
        let small = with(base, &[usual.clone(), usual.clone()]);
        if trial.fresh()?.ask(&small)?.allows() {
            harmless = usual;
            break;
        }
    }
    let hidings = [(Extent::Many, harmless), (Extent::Long, "s".repeat(LONG))];
    let hidings = hidings.map(|(extent, harmless)| {
        let (base, named, with) = (base.clone(), segment.to_owned(), with.clone());
        let make: Make =
            Box::new(move |size, at| with(&base, &around(size, at, |_| harmless.clone(), &named)));
        Hiding {
            part: format!("segment {segment}"),
            among: ["segment", "segments"],
            alone: make(0, Some(0)),
            make,
            extent,
        }
    });
    Ok(hidings.into())
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
    let hiding = |among, extent, body: fn(&str, usize, Option<usize>) -> Value| {
        let (carrier, named) = (carrier.clone(), key.to_owned());
        Hiding {
            part: format!("body key {key}"),
            among,
            alone: carrier.clone().with_body(json!({key: 1})),
            make: Box::new(move |size, at| carrier.clone().with_body(body(&named, size, at))),
            extent,
        }
    };
    vec![
        hiding(["member", "members"], Extent::Many, |key, size, at| {
            members(key, size, at, &json!(1))
        }),
        hiding(["member", "members"], Extent::Long, |key, size, at| {
            members(key, size, at, &json!("a".repeat(LONG)))
        }),
        hiding(
            ["item of a list", "items of a list"],
            Extent::Many,
            |key, size, at| json!({"items": around(size, at, |n| json!({"n": n}), &json!({key: 1}))}),
        ),
        hiding(["object", "objects"], Extent::Deep, |key, depth, at| {
            nested(key, depth, at, |_| true)
        }),
        hiding(["list", "lists"], Extent::Deep, |key, depth, at| {
            nested(key, depth, at, |_| false)
        }),
        hiding(
            ["object or list", "objects and lists"],
            Extent::Deep,
            |key, depth, at| nested(key, depth, at, |level| level % 2 == 0),
        ),
    ]
}

/// An object of so many harmless members. Objects sort their members, so the names of those before
/// and behind the refused key are chosen to.
fn members(key: &str, size: usize, at: Option<usize>, value: &Value) -> Value {
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
        members.insert(name(prefix.unwrap_or(&"m_"), number), value.clone());
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
        let body = members(key, 10, Some(at), &json!(1));
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
