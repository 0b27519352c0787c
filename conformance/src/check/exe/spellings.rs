//! EXE-08: methods go out in upper case, and only real ones go out.

use super::stage::{Stage, supports};
use crate::outcome::Counterexample;
use crate::subject::ExecutorSubject;
use crate::trial::{Call, Finding, Judged, Trial};

/// Methods in other letter case, and as they are sent.
const CASES: &[(&str, &str)] = &[
    ("get", "GET"),
    ("Get", "GET"),
    ("gEt", "GET"),
    ("post", "POST"),
    ("Post", "POST"),
    ("pUT", "PUT"),
    ("patch", "PATCH"),
    ("delete", "DELETE"),
    ("head", "HEAD"),
    ("Options", "OPTIONS"),
];

/// Texts that are no method, or none that anybody knows.
const NO_METHOD: &[&str] = &[
    "",
    " ",
    "GET ",
    " GET",
    "GET /x",
    "GET\r\n",
    "GET\n",
    "GET\r\nX-Evil: 1",
    "GET / HTTP/1.1\r\n\r\nGET",
    "GET\t",
    "G\0ET",
    "GET\0",
    "po\u{17f}t",
    "\u{ff27}\u{ff25}\u{ff34}",
    "G\u{c9}T",
    "delet\u{212f}",
    "GET,POST",
    "GET:",
    "PROOFMARK",
    "GETGET",
    "POST ",
    "POST\r\n",
    "POSTS",
    "PATCH\n",
    "DELETE\0",
    "GET\u{a0}",
    "GET\u{200b}",
    "\u{feff}GET",
    "GET\u{b}",
    // Letters that upper-case to ASCII.
    "po\u{fb06}",
    "po\u{fb05}",
    "opt\u{131}ons",
];

pub(super) fn judge(trial: &Trial<'_, ExecutorSubject>) -> Judged {
    let stage = Stage::new(trial)?;
    let executor = trial.executor(&stage.env())?;
    stage.control(&executor)?;
    let mut cases = 0;
    let expected = "a supported method goes out in upper case; any other text is an error, and nothing is sent";
    for (method, upper) in CASES.iter().filter(|(_, upper)| supports(trial, upper)) {
        let call = Call::new(method, "/items/7")?;
        let observed = stage.observe(&executor, &call)?;
        cases += 1;
        let wrong = observed
            .requests
            .iter()
            .find(|request| request.method() != upper.as_bytes());
        if let Some(request) = wrong {
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "`{method}` went out as `{}`",
                    request.method().escape_ascii()
                ))
                .step(call.to_string(), observed.told())
                .expected(expected)
                .seen(format!("sent: {request}"))
                .twin("`GET` went out as it is"),
            ));
        }
    }
    for method in NO_METHOD {
        let call = Call::new(method, "/items/7")?;
        let observed = stage.observe(&executor, &call)?;
        cases += 1;
        if observed.silent && !observed.ending.is_value() {
            continue;
        }
        let what = if observed.silent {
            "answered as a success"
        } else {
            "sent"
        };
        return Ok(Finding::broken(
            Counterexample::new(format!("the method `{}` was {what}", method.escape_debug()))
                .step(call.to_string(), observed.told())
                .expected(expected)
                .seen(observed.told())
                .twin("`GET` was sent"),
        ));
    }
    Ok(Finding::held(cases))
}
