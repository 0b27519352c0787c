//! POL-01: `check` answers whatever it is shown.

use serde_json::{Value, json};

use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// The stack a check must do with.
const STACK: usize = 2 << 20;

/// The longest text shown.
const LONG: usize = 1 << 20;

/// The deepest body shown; deeper ones overflow `serde_json` itself.
const DEEP: usize = 128;

/// A budget is driven to its end only up to this many requests.
const MOST_SPENT: u64 = 2_000;

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let instance = trial.fresh()?;
    let base = trial.base();
    let mut shown = 0;
    let mut show = |request: &RequestCase| -> Result<(), Stop> {
        shown += 1;
        trial.announce(request);
        instance.ask_on_thread(request, STACK).map(drop)
    };
    show(&base)?;
    show(&base.clone().previewed())?;
    for declared in trial.declared_requests() {
        show(&declared)?;
    }
    for text in short_texts() {
        for placed in places(&base, &text) {
            show(&placed)?;
        }
    }
    for body in bodies() {
        show(&base.clone().with_method("POST").with_body(body))?;
    }
    for text in long_texts() {
        for placed in places(&base, &text) {
            show(&placed)?;
        }
    }
    let mut crowded = base.clone();
    crowded.query = vec![("k".to_owned(), "v".to_owned()); 10_000];
    show(&crowded)?;
    spend_out(trial, &base)?;
    Ok(Finding::held(shown))
}

/// A budget that is used up is a state of its own.
fn spend_out(trial: &Trial<'_>, base: &RequestCase) -> Result<(), Stop> {
    let profile = trial.profile();
    let limit = profile.requests.unwrap_or(8);
    let instance = trial.fresh()?;
    trial.announce(base);
    for _ in 0..limit.min(MOST_SPENT) + 2 {
        instance.ask(base)?;
    }
    instance.ask(&base.clone().previewed())?;
    instance.ask(&base.clone().with_call("call-other"))?;
    Ok(())
}

/// The text in each part of the request in turn.
fn places(base: &RequestCase, text: &str) -> Vec<RequestCase> {
    let joined = format!("{}/{text}", base.path);
    let mut tool = base.clone();
    tool.tool = Some(text.to_owned());
    vec![
        base.clone().with_path(text),
        base.clone().with_path(&joined),
        base.clone().with_path(&format!("{}?{text}", base.path)),
        base.clone().with_pair(text, "v"),
        base.clone().with_pair("limit", text),
        base.clone().with_method(text),
        base.clone().with_call(text),
        base.clone()
            .with_method("POST")
            .with_body(json!({text: text})),
        tool,
    ]
}

/// Short texts that trip what indexes, splits, parses or decodes without looking.
fn short_texts() -> Vec<String> {
    let literal = [
        "",
        " ",
        "/",
        "//",
        "?",
        "??",
        "#",
        ":",
        "=",
        "&",
        "&&",
        "%",
        "%2",
        "%zz",
        "%ff%fe",
        "%00",
        "\0",
        "\r\n",
        "\t",
        "\\",
        "..",
        "{",
        "{}",
        "[",
        "[::1",
        "http://",
        "https://",
        "https://[::1",
        "https://a.test:99999/",
        "https://%/",
        "not a url",
        "-1",
        "0",
        "NaN",
        "1e999",
        "99999999999999999999999",
        "get",
        "é",
        "aé",
        "ab\u{20ac}",
        "\u{1f980}",
        "\u{feff}",
        "\u{202e}x",
        "\u{fffd}",
        "İ",
        "ß",
        "a\u{301}",
        "null",
        "true",
        "*",
        "(",
        "a.b.c",
        "=v",
        "k=",
        "k=v=w",
    ];
    literal.map(str::to_owned).to_vec()
}

/// Long texts, among them two whose characters straddle every byte offset between them.
fn long_texts() -> Vec<String> {
    ["a", "%41", "/a", "\u{e9}", "\u{1f980}", "{", "&k=v"]
        .map(|unit| unit.repeat(LONG / unit.len()))
        .into_iter()
        .chain([format!("a{}", "\u{e9}".repeat(LONG / 2 - 1))])
        .collect()
}

fn bodies() -> Vec<Value> {
    let nested_list = (0..DEEP - 1).fold(json!([]), |inner, _| json!([inner]));
    let nested_object = (0..DEEP - 1).fold(json!({}), |inner, _| json!({"k": inner}));
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e308),
        json!(""),
        json!([]),
        json!({}),
        json!([null, [], {}]),
        json!({"": ""}),
        nested_list,
        nested_object,
        json!({"text": "a".repeat(LONG)}),
        json!(vec![0; 10_000]),
    ]
}
