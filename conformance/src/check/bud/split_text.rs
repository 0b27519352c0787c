//! BUD-04: one call's bytes are charged together, however they are split over requests.

use serde_json::json;

use crate::outcome::Counterexample;
use crate::profile::Scope;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Stop, Trial};

/// So many pieces together are half as long again as the limit.
const PIECES: u64 = 6;

/// So many pieces are sent at most.
const MOST_PIECES: u64 = 50_000;

/// Makes one piece: its number, and its text.
type Split = fn(&RequestCase, u64, &str) -> RequestCase;

const SPLITS: &[(&str, Split)] = &[
    ("the same request", |r, _, text| {
        r.clone().with_pair("q", text)
    }),
    ("another query key each time", |r, n, text| {
        r.clone().with_pair(&format!("q{n}"), text)
    }),
    ("another path each time", |r, n, text| {
        r.clone()
            .with_path(&format!("{}-{n}", r.path))
            .with_pair("q", text)
    }),
    ("the author-written query", |r, _, text| {
        r.clone().with_path(&format!("{}?q={text}", r.path))
    }),
    ("bodies", |r, _, text| {
        r.clone()
            .with_method("POST")
            .with_body(json!({"text": text}))
    }),
    ("another body key each time", |r, n, text| {
        r.clone()
            .with_method("POST")
            .with_body(json!({format!("k{n}"): text}))
    }),
    ("queries and bodies in turn", |r, n, text| {
        if n % 2 == 0 {
            r.clone().with_pair("q", text)
        } else {
            r.clone()
                .with_method("POST")
                .with_body(json!({"text": text}))
        }
    }),
];

/// The ways in which pieces are made ever smaller.
const SMALL_SPLITS: &[(&str, Split)] = &[
    ("the same query key", |r, _, text| {
        r.clone().with_pair("q", text)
    }),
    ("bodies", |r, _, text| {
        r.clone()
            .with_method("POST")
            .with_body(json!({"text": text}))
    }),
];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let Some(limit) = trial.profile().bytes else {
        return Ok(Finding::NotApplicable(
            "the profile declares no byte budget".to_owned(),
        ));
    };
    let text = "t".repeat(
        usize::try_from(limit.div_ceil(PIECES - 2))
            .unwrap_or(usize::MAX)
            .max(1),
    );
    let base = trial.base();
    let by_tool = trial.profile().scope_in_force().is_some_and(Scope::by_tool);
    let mut judged = 0;
    for (name, split) in SPLITS {
        for other_tools in [false, true] {
            if other_tools && (by_tool || !trial.profile().tools.is_empty()) {
                continue;
            }
            let pieces: Vec<RequestCase> = (0..PIECES)
                .map(|number| {
                    let piece = split(&base, number, &text);
                    if other_tools {
                        piece.with_tool(&format!("tool_{number}"))
                    } else {
                        piece
                    }
                })
                .collect();
            if !each_fits(trial, &pieces)? {
                continue;
            }
            judged += 1;
            let instance = trial.fresh()?;
            let mut admitted = 0;
            for piece in &pieces {
                admitted += instance.admits(1, piece)?;
            }
            if admitted == PIECES {
                return Ok(Finding::broken(escaped(
                    &pieces[0],
                    name,
                    limit,
                    text.len(),
                )));
            }
        }
    }
    if let Some(found) = small_pieces(trial, &base, limit)? {
        return Ok(Finding::broken(found));
    }
    if judged == 0 {
        return Ok(Finding::Undecided(format!(
            "the control failed: no request with {} bytes of text was allowed alone, a quarter of the limit",
            text.len()
        )));
    }
    Ok(Finding::held(judged))
}

/// Pieces that are ever smaller, down to one byte: together they hold three times the limit. Whoever
/// rounds sizes down, or leaves small requests out, charges none of them.
fn small_pieces(
    trial: &Trial<'_>,
    base: &RequestCase,
    limit: u64,
) -> Result<Option<Counterexample>, Stop> {
    let affordable = trial.affordable(MOST_PIECES)?;
    for (name, split) in SMALL_SPLITS {
        let mut bytes = limit / 4;
        while bytes > 0 {
            let pieces = (3 * limit).div_ceil(bytes);
            if pieces > affordable {
                break;
            }
            let text = "t".repeat(usize::try_from(bytes).unwrap_or(usize::MAX));
            let piece = split(base, 0, &text);
            if trial.fresh()?.admits_until_refused(pieces, &piece)? == pieces {
                return Ok(Some(
                    Counterexample::new(format!(
                        "text in pieces of {bytes} bytes escapes the budget of {limit} bytes"
                    ))
                    .steps(pieces, &piece, "allowed")
                    .expected(format!(
                        "a refusal: {pieces} times {bytes} bytes are more than {limit}"
                    ))
                    .seen(format!("all {pieces} were allowed, split over {name}"))
                    .twin(format!("each alone is allowed, and {bytes} bytes fit")),
                ));
            }
            bytes = match bytes {
                1 => 0,
                more => (more / 4).max(1),
            };
        }
    }
    Ok(None)
}

fn escaped(piece: &RequestCase, name: &str, limit: u64, bytes: usize) -> Counterexample {
    Counterexample::new(format!(
        "text split over {PIECES} requests escapes the budget of {limit} bytes"
    ))
    .steps(PIECES, piece, "allowed")
    .expected(format!(
        "a refusal: {PIECES} times {bytes} bytes are more than {limit}"
    ))
    .seen(format!("all {PIECES} were allowed, split over {name}"))
    .twin(format!(
        "each of them alone was allowed, and {bytes} bytes fit"
    ))
}

fn each_fits(trial: &Trial<'_>, pieces: &[RequestCase]) -> Result<bool, Stop> {
    for piece in pieces {
        if !trial.fresh()?.ask(piece)?.allows() {
            return Ok(false);
        }
    }
    Ok(true)
}
