//! SUR-02: what the policy saw is what was sent.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

use super::scene::{Scene, Sight};
use super::wanted::{Form, Wanted, forms, is_get_like, methods};
use crate::check::exe::alignment::is_aligned;
use crate::check::exe::retries::FailsFirst;
use crate::check::exe::spy::{by_key, pairs_of};
use crate::outcome::Counterexample;
use crate::recorder::{Recorded, Reply};
use crate::subject::{RequestCase, SurfaceSubject, ToolCall};
use crate::trial::{Finding, Judged, Stop, Trial};

/// The values of one generated call.
#[derive(Debug, Clone)]
struct Values {
    id: String,
    part: String,
    note: Option<String>,
    tags: Option<Vec<String>>,
    count: Option<i64>,
    flag: Option<bool>,
    /// Whether the path has a query of its author's.
    owned: bool,
}

/// Values that clients like to change once a target is a URL, simplest first.
const EDGES: &[(&str, &str)] = &[
    ("a", " "),
    ("a", "b "),
    (" ", "b"),
    ("a", "b;c=d"),
    ("a", "b+c"),
    ("a", "b'c"),
    ("a", "b:c@d"),
    ("a", "..."),
];

impl Values {
    /// Of the path alone: a declared type may keep the others from any request.
    fn of_path(id: &str, part: &str) -> Self {
        Self {
            id: id.to_owned(),
            part: part.to_owned(),
            note: None,
            tags: None,
            count: None,
            flag: None,
            owned: false,
        }
    }

    /// A value for each parameter, of which those of the list are in no order.
    fn of_everything(owned: bool) -> Self {
        Self {
            id: "7".to_owned(),
            part: "a b".to_owned(),
            note: Some("x&y".to_owned()),
            tags: Some(vec!["b".to_owned(), "a".to_owned()]),
            count: Some(7),
            flag: Some(true),
            owned,
        }
    }
}

pub(super) fn judge(trial: &Trial<'_, SurfaceSubject>) -> Judged {
    let methods = methods(trial);
    let forms = forms(trial);
    let bare = |method: &str| Wanted::new(method, "/items");
    let tools = methods.iter().flat_map(|method| {
        let tools = [false, true].map(|owned| full(method, owned).tool(&name(method, owned)));
        tools
            .into_iter()
            .chain([bare(method).tool(&format!("{method}_items"))])
    });
    let scene = Scene::new(trial, tools)?;
    for form in &forms {
        for method in &methods {
            let call = bare(method).call(*form, &format!("{method}_items"));
            let sight = scene.control(&call)?;
            if let Some(seen) = difference(&scene, &sight) {
                return Ok(Finding::Undecided(format!(
                    "the control failed: `{call}`, without any arguments, is not sent as it is shown: {seen}"
                )));
            }
        }
    }
    let mut edges = 0;
    for form in &forms {
        let of_path = EDGES.iter().map(|(id, part)| Values::of_path(id, part));
        for values in of_path.chain([false, true].map(Values::of_everything)) {
            for method in &methods {
                let call = wanted(method, &values).call(*form, &name(method, values.owned));
                edges += 1;
                if let Some(found) = case(&scene, *form, &call)? {
                    return Ok(Finding::broken(found));
                }
            }
        }
    }
    let strategy = (0..methods.len(), 0..forms.len(), values());
    // Each case is an exchange over a connection.
    let cases = trial.settings().cases.min(128);
    let generated = trial.for_all(cases, &strategy, |(method, form, values)| {
        let wanted = wanted(&methods[method], &values);
        let call = wanted.call(forms[form], &name(&wanted.method, values.owned));
        case(&scene, forms[form], &call)
    })?;
    if let Finding::Held { .. } = generated
        && trial.profile().retries
        && let Some(found) = repeated(&scene, &forms, &methods)?
    {
        return Ok(Finding::broken(found));
    }
    Ok(match generated {
        Finding::Held { cases } => Finding::Held {
            cases: edges + cases,
        },
        other => other,
    })
}

fn name(method: &str, owned: bool) -> String {
    let what = if owned { "owned_item" } else { "item" };
    format!("{method}_{what}")
}

/// Calls whose first attempt fails: what is sent again was shown as well.
fn repeated(
    scene: &Scene<'_>,
    forms: &[Form],
    methods: &[String],
) -> Result<Option<Counterexample>, Stop> {
    let values = Values::of_everything(true);
    for form in forms {
        for method in methods {
            let failing = FailsFirst::new(1, Reply::new(503));
            scene.stage.backend.answer_with(failing);
            let call = wanted(method, &values).call(*form, &name(method, true));
            let found = case(scene, *form, &call)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

fn values() -> impl Strategy<Value = Values> {
    let segment = "[A-Za-z0-9._~!$&'()*+,;=:@ -]{1,12}";
    let text = "[A-Za-z0-9 &=+%#?;,/<>\"'é日-]{0,12}";
    let tags = vec(text, 1..4);
    let values = (segment, segment, option::of(text), option::of(tags));
    let others = (
        option::of(any::<i64>()),
        option::of(any::<bool>()),
        any::<bool>(),
    );
    (values, others).prop_map(|((id, part, note, tags), (count, flag, owned))| Values {
        owned,
        id,
        part,
        note,
        tags,
        count,
        flag,
    })
}

/// A request with a field of each kind, to declare a tool by.
fn full(method: &str, owned: bool) -> Wanted {
    let wanted = Wanted::new(method, path(owned));
    let wanted = match is_get_like(method) {
        true => wanted,
        false => wanted.with("deep", json!({})),
    };
    wanted
        .with("id", "")
        .with("part", "")
        .with("note", "")
        .with("tags", json!([]))
        .with("count", 0)
        .with("flag", false)
}

fn path(owned: bool) -> &'static str {
    match owned {
        true => "/items/{id}/{part}?own=1&own=",
        false => "/items/{id}/{part}",
    }
}

/// A member of a body as no pair can hold it.
fn deep() -> serde_json::Value {
    json!({"list": [1, {"none": null}, [], ""], "odd": 9_007_199_254_740_993_u64, "text": "é\"\n"})
}

fn wanted(method: &str, values: &Values) -> Wanted {
    let deep = values.flag.filter(|_| !is_get_like(method)).map(|_| deep());
    let wanted = Wanted::new(method, path(values.owned))
        .with("id", values.id.as_str())
        .with("part", values.part.as_str());
    let fields = [
        ("note", values.note.as_ref().map(|note| json!(note))),
        ("tags", values.tags.as_ref().map(|tags| json!(tags))),
        ("count", values.count.map(|count| json!(count))),
        ("flag", values.flag.map(|flag| json!(flag))),
        ("deep", deep),
    ];
    let fields = fields.into_iter();
    fields
        .filter_map(|(key, value)| Some((key, value?)))
        .fold(wanted, |wanted, (key, value)| wanted.with(key, value))
}

fn case(scene: &Scene<'_>, form: Form, call: &ToolCall) -> Result<Option<Counterexample>, Stop> {
    let sight = scene.see(call)?;
    Ok(difference(scene, &sight).map(|seen| {
        let form = match form {
            Form::Curated => "a tool",
            Form::Scripted => "a script",
        };
        Counterexample::new(format!("what {form} sends is not what the policy was shown"))
            .step(call.to_string(), &sight.called)
            .expected("method, path, pairs and body on the wire equal the policy's view, but for what authentication adds")
            .seen(seen)
            .twin("a call without any arguments was sent as it was shown")
    }))
}

/// How the requests of a call differ from what the policy was shown.
fn difference(scene: &Scene<'_>, sight: &Sight) -> Option<String> {
    let views: Vec<&RequestCase> = sight.views.iter().filter(|view| !view.preview).collect();
    for request in &sight.requests {
        let parts: Vec<Option<&str>> = views
            .iter()
            .map(|view| differing_part(scene, view, request))
            .collect();
        if parts.is_empty() {
            return Some(format!(
                "`{request}` was sent, and the policy was shown nothing"
            ));
        }
        if parts.iter().all(Option::is_some) {
            let part = parts.into_iter().flatten().next().unwrap_or_default();
            return Some(format!(
                "in {part}: the policy was shown {}, sent was `{request}`",
                views[0]
            ));
        }
    }
    let unsent = views.iter().find(|view| {
        let is_sent = |request| differing_part(scene, view, request).is_none();
        !sight.requests.iter().any(is_sent)
    });
    unsent.map(|view| format!("the policy allowed {view}, and that was not sent"))
}

/// The first part in which a request is not what a policy was shown.
fn differing_part(
    scene: &Scene<'_>,
    view: &RequestCase,
    request: &Recorded,
) -> Option<&'static str> {
    let base = scene.stage.backend.base_url();
    let shown = view.path.strip_prefix(&base);
    let shown = shown.and_then(|target| target.split('?').next());
    let path = shown.is_some_and(|shown| is_aligned(shown.as_bytes(), request.path()));
    let body = match &view.body {
        None => request.body().is_empty(),
        Some(body) => request.json().as_ref() == Some(body),
    };
    let parts = [
        ("the method", view.method.as_bytes() == request.method()),
        ("the path", path),
        (
            "the pairs",
            by_key(pairs_of(view)) == by_key(scene.stage.pairs(request)),
        ),
        ("the body", body),
    ];
    parts
        .into_iter()
        .find_map(|(part, agrees)| (!agrees).then_some(part))
}
