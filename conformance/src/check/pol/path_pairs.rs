//! POL-04: a refused pair is refused where its author wrote it into the path, too.

use std::fmt::Write as _;

use super::headline::line;
use super::phases::confirmed;
use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Answer, Finding, Judged, Stop, Trial};

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let base = bare(trial)?;
    require(trial, &base, true, "without the pair")?;
    let mut cases = 0;
    for (key, value) in &trial.profile().refuse_pairs {
        let in_query = base.clone().with_pair(key, value);
        require(trial, &in_query, false, "with the pair in `query`")?;
        for written in spellings(key, value) {
            let request = base.clone().with_path(&behind(&base.path, &written));
            if declared_allowed(trial, &request) {
                continue;
            }
            cases += 1;
            let answer = trial.fresh()?.ask(&request)?;
            if answer.allows() {
                let refused = Answer::Refused(String::new());
                confirmed(trial, &[(&in_query, &refused), (&request, &answer)])?;
                return Ok(Finding::broken(
                    Counterexample::new(line(
                        "the refused pair ",
                        &format!("{key}={value}"),
                        " passes as ",
                        &format!("?{written}"),
                        " in the path",
                    ))
                    .step(&request, &answer)
                    .expected("refused: a `?` written into the path carries pairs as `query` does")
                    .seen("allowed")
                    .twin(format!("`{in_query}` was refused, `{base}` was allowed")),
                ));
            }
        }
    }
    Ok(Finding::held(cases))
}

/// A request that is admitted, with as few pairs as the subject wants it to have.
pub(super) fn bare(trial: &Trial<'_>) -> Result<RequestCase, Stop> {
    let admitted = trial.admitted()?;
    let mut unlisted = admitted.clone();
    unlisted.query.clear();
    let without_query = |request: &RequestCase| {
        let path = request.path.split('?').next().unwrap_or_default();
        request.clone().with_path(path)
    };
    for request in [without_query(&unlisted), without_query(&admitted), unlisted] {
        if trial.fresh()?.ask(&request)?.allows() {
            return Ok(request);
        }
    }
    Ok(admitted)
}

/// The path with more pairs in its query.
pub(super) fn behind(path: &str, written: &str) -> String {
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{path}{joint}{written}")
}

/// Stops where a control does not behave.
fn require(
    trial: &Trial<'_>,
    request: &RequestCase,
    allowed: bool,
    what: &str,
) -> Result<(), Stop> {
    let answer = trial.fresh()?.ask(request)?;
    if answer.allows() == allowed {
        return Ok(());
    }
    let wanted = if allowed { "allowed" } else { "refused" };
    Err(Stop::Undecided(format!(
        "the control failed: {what}, `{request}` was {answer}, not {wanted}"
    )))
}

fn declared_allowed(trial: &Trial<'_>, request: &RequestCase) -> bool {
    let mut allow = trial.profile().allow.iter();
    allow.any(|sample| sample.request().path == request.path)
}

/// Ways to write one pair so that form-decoding yields it.
fn spellings(key: &str, value: &str) -> Vec<String> {
    let (plain_key, plain_value) = (escape_reserved(key), escape_reserved(value));
    let plain = format!("{plain_key}={plain_value}");
    let mut written = vec![
        plain.clone(),
        format!("x=1&{plain}"),
        format!("{plain}&x=1"),
        format!("&{plain}"),
        format!("{plain_key}=other&{plain}"),
        format!("{plain}&{plain_key}=other"),
        format!("{plain}&{plain}"),
        format!("{}={plain_value}", escape_first(key)),
        format!("{plain_key}={}", escape_first(value)),
        format!("{}={}", escape_all(key, false), escape_all(value, false)),
        format!("{}={}", escape_all(key, true), escape_all(value, true)),
        format!("x=1&{}={}&y=2", escape_all(key, true), plain_value),
    ];
    if value.contains(' ') {
        written.push(format!("{plain_key}={}", plain_value.replace("%20", "+")));
    }
    if value.is_empty() {
        written.push(plain_key);
    }
    written
}

fn escape_reserved(text: &str) -> String {
    escape(text, false, |byte| {
        !byte.is_ascii_alphanumeric() && !b"-._~".contains(&byte)
    })
}

fn escape_all(text: &str, upper: bool) -> String {
    escape(text, upper, |_| true)
}

fn escape_first(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().collect();
    format!(
        "{}{}",
        escape_all(&first, false),
        escape_reserved(characters.as_str())
    )
}

fn escape(text: &str, upper: bool, chosen: impl Fn(u8) -> bool) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        // Writing to a `String` cannot fail.
        let _ = match (chosen(byte), upper) {
            (false, _) => write!(escaped, "{}", char::from(byte)),
            (true, true) => write!(escaped, "%{byte:02X}"),
            (true, false) => write!(escaped, "%{byte:02x}"),
        };
    }
    escaped
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("admin", "1")]
    #[case("x y", "a&b=c")]
    #[case("flag", "")]
    #[case("clé", "é +%")]
    fn every_spelling_form_decodes_to_the_pair(#[case] key: &str, #[case] value: &str) {
        for written in spellings(key, value) {
            let pairs = url::form_urlencoded::parse(written.as_bytes());
            let found = pairs.into_iter().any(|(k, v)| k == key && v == value);
            assert!(found, "{written}");
        }
    }
}
