//! BUD-06: a text that is longer than the limit is refused wherever it stands.

use serde_json::json;

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Trial};

type Place = fn(&RequestCase, &str) -> RequestCase;

const PLACES: &[(&str, Place)] = &[
    ("query value", |r, text| r.clone().with_pair("q", text)),
    ("query key", |r, text| r.clone().with_pair(text, "v")),
    ("author-written query", |r, text| {
        r.clone().with_path(&format!("{}?q={text}", r.path))
    }),
    ("author-written query key", |r, text| {
        r.clone().with_path(&format!("{}?{text}=1", r.path))
    }),
    ("author-written query without a value", |r, text| {
        r.clone().with_path(&format!("{}?{text}", r.path))
    }),
    ("path", |r, text| {
        r.clone().with_path(&format!("{}/{text}", r.path))
    }),
    ("body value", |r, text| {
        r.clone().with_method("POST").with_body(json!({"k": text}))
    }),
    ("body key", |r, text| {
        r.clone().with_method("POST").with_body(json!({text: 1}))
    }),
    ("nested body value", |r, text| {
        r.clone()
            .with_method("POST")
            .with_body(json!({"a": [{"b": ["", text]}]}))
    }),
    ("nested body key", |r, text| {
        r.clone()
            .with_method("POST")
            .with_body(json!({"a": [{text: null}]}))
    }),
    ("deeply nested body value", |r, text| {
        let body = (0..DEEP).fold(json!(text), |inner, level| match level % 2 {
            0 => json!([inner]),
            _ => json!({"a": inner}),
        });
        r.clone().with_method("POST").with_body(body)
    }),
    ("body that is only a text", |r, text| {
        r.clone().with_method("POST").with_body(json!(text))
    }),
    ("body of many short texts", |r, text| {
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        r.clone().with_method("POST").with_body(json!(pieces))
    }),
];

/// How deep a value lies that is nested deeply; `serde_json` reads no more than twice as deep.
const DEEP: usize = 64;

/// A text that is a little longer than 16 bits count.
const PAST_16_BITS: usize = (1 << 16) + 1;

/// Characters of one to four bytes: counting characters takes the last for a quarter of its size.
const LETTERS: &[char] = &['t', '\u{e9}', '\u{5b57}', '\u{1f980}'];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let Some(limit) = trial.profile().bytes else {
        return Ok(Finding::NotApplicable(
            "the profile declares no byte budget".to_owned(),
        ));
    };
    let base = trial.base();
    let mut cases = 0;
    let mut open = None;
    for (name, place) in PLACES {
        let small = place(&base, "t");
        let fits = 3 * size(&small) <= limit;
        let small_answer = trial.fresh()?.ask(&small)?;
        if fits && !small_answer.allows() {
            open = Some(format!(
                "the control failed: `{small}` was refused, though three times all its bytes fit into {limit}"
            ));
            continue;
        }
        let over = |letter: &char| {
            let count = usize::try_from(limit).unwrap_or(usize::MAX) / letter.len_utf8() + 1;
            (*letter, count)
        };
        let texts = LETTERS.iter().map(over);
        let texts = texts.chain((limit < PAST_16_BITS as u64).then_some(('t', PAST_16_BITS)));
        for (letter, count) in texts {
            let text: String = std::iter::repeat_n(letter, count).collect();
            let request = place(&base, &text);
            cases += 1;
            let answer = trial.fresh()?.ask(&request)?;
            if answer.allows() {
                let twin = if small_answer.allows() {
                    format!("`{small}` was allowed, as it should be")
                } else {
                    format!("`{small}`, which hardly fits, was {small_answer}")
                };
                return Ok(Finding::broken(
                    Counterexample::new(format!(
                        "{} bytes in the {name} pass a limit of {limit}",
                        text.len()
                    ))
                    .step(&request, &answer)
                    .expected(format!(
                        "refused: {count} characters `{letter}` are {} bytes of UTF-8",
                        text.len()
                    ))
                    .seen("allowed")
                    .twin(twin),
                ));
            }
        }
    }
    match open {
        Some(reason) => Ok(Finding::Undecided(reason)),
        None => Ok(Finding::held(cases)),
    }
}

/// All bytes of a request: what any formula may count.
fn size(request: &RequestCase) -> u64 {
    let mut bytes = 0;
    request
        .view()
        .visit(&mut |_: &proofmark::request::FieldPath, text: &str| {
            bytes += text.len() + 8;
        });
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
