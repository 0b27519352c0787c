//! A counterexample as something to paste, so that the fault it shows stays away.

use super::Counterexample;
use crate::profile::Sample;
use crate::subject::RequestCase;

/// So many requests can be pasted; longer runs are told by their seed.
const MOST_STEPS: usize = 6;

/// A word for the subject's entry that declares the request, where a single plain one says it all.
pub(super) fn as_sample(found: &Counterexample) -> Option<String> {
    let [step] = found.steps.as_slice() else {
        return None;
    };
    let word = match step.verdict.as_str() {
        "allowed" => "refuse",
        "refused" => "allow",
        _ => return None,
    };
    let request = step.asked.request()?;
    let text = match request.method.as_str() {
        "GET" => request.path.clone(),
        method => format!("{method} {}", request.path),
    };
    let plain = step.times == 1 && request.query.is_empty() && request.body.is_none();
    let short = text.len() <= 300 && Sample::new(&text).fault().is_none();
    (plain && short).then(|| format!("`{word} = [{text:?}]`"))
}

/// A test, where the counterexample is a run of requests that ends in a wrong verdict.
pub(super) fn as_test(found: &Counterexample) -> Option<String> {
    let last = found.steps.last()?;
    let wanted = match last.verdict.as_str() {
        "allowed" => "is_err",
        "refused" => "is_ok",
        _ => return None,
    };
    let steps: Option<Vec<(u64, &RequestCase)>> = found
        .steps
        .iter()
        .map(|step| Some((step.times, step.asked.request()?)))
        .collect();
    let steps = steps?;
    if steps.len() > MOST_STEPS || steps.iter().any(|(_, request)| too_long(request)) {
        return None;
    }
    let previews = steps.iter().any(|(_, request)| request.preview);
    let request = if previews {
        "request::{OutboundRequest, RequestPhase}"
    } else {
        "request::OutboundRequest"
    };
    let mut lines = vec![
        "#[tokio::test] // of tokio with `macros` and `rt`".to_owned(),
        "async fn regression() {".to_owned(),
        "    use proofmark_conformance::toolkit::policy::RequestPolicy;".to_owned(),
        format!("    use proofmark_conformance::toolkit::{request};"),
        String::new(),
        "    let policy = fresh(); // what the factory of the `conformance!` entry makes"
            .to_owned(),
    ];
    for (index, (times, request)) in steps.iter().enumerate() {
        let last = index + 1 == steps.len();
        lines.extend(step_code(*times, request, last.then_some(wanted)));
    }
    lines.push("}".to_owned());
    let lines = lines.iter().map(|line| format!("    {line}"));
    Some(
        lines
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect(),
    )
}

fn too_long(request: &RequestCase) -> bool {
    let body = request.body.as_ref();
    request.path.len() > 300
        || request.query.len() > 8
        || request.query.iter().any(|(k, v)| k.len() + v.len() > 300)
        || body.is_some_and(|body| body.to_string().len() > 300)
}

fn step_code(times: u64, request: &RequestCase, wanted: Option<&str>) -> Vec<String> {
    let mut lines = request_code(request);
    let before = times.saturating_sub(u64::from(wanted.is_some()));
    match before {
        0 => {}
        1 => lines.push("    let _ = policy.check(&request).await;".to_owned()),
        times => lines.extend([
            format!("    for _ in 0..{times} {{"),
            "        let _ = policy.check(&request).await;".to_owned(),
            "    }".to_owned(),
        ]),
    }
    lines.extend(
        wanted.map(|wanted| format!("    assert!(policy.check(&request).await.{wanted}());")),
    );
    lines
}

fn request_code(request: &RequestCase) -> Vec<String> {
    let mut lines = Vec::new();
    let mut query = "&[]";
    if !request.query.is_empty() {
        let pairs = request
            .query
            .iter()
            .map(|(key, value)| format!("({key:?}.into(), {value:?}.into())"));
        let pairs = pairs.collect::<Vec<_>>().join(", ");
        lines.push(format!("    let query = [{pairs}];"));
        query = "&query";
    }
    let mut body = "None";
    if let Some(value) = &request.body {
        lines.push(format!("    let body = serde_json::json!({value});"));
        body = "Some(&body)";
    }
    let tool = request.tool.as_deref().unwrap_or_default();
    lines.push(format!("    let path = {:?};", request.path));
    lines.push(format!(
        "    let request = OutboundRequest::new({tool:?}, {:?}, path, {query}, {body})",
        request.method
    ));
    let call = format!("        .with_call_id({:?})", request.call_id);
    if request.preview {
        lines.push(call);
        lines.push("        .with_phase(RequestPhase::Validate);".to_owned());
    } else {
        lines.push(call + ";");
    }
    lines
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn plain() -> RequestCase {
        RequestCase::get("https://a.test/x")
            .with_tool("t")
            .with_call("c")
    }

    #[rstest]
    #[case::to_refuse(plain(), "allowed", Some("`refuse = [\"https://a.test/x\"]`"))]
    #[case::to_allow(plain().with_method("PUT"), "refused", Some("`allow = [\"PUT https://a.test/x\"]`"))]
    #[case::no_verdict(plain(), "panicked", None)]
    #[case::no_url(plain().with_path("x"), "allowed", None)]
    #[case::more_than_a_url(plain().with_pair("k", "v"), "allowed", None)]
    fn a_single_plain_request_is_a_sample(
        #[case] request: RequestCase,
        #[case] verdict: &str,
        #[case] expected: Option<&str>,
    ) {
        let found = Counterexample::new("found").step(&request, verdict);
        assert_eq!(as_sample(&found).as_deref(), expected);
    }

    #[test]
    fn every_part_of_a_request_is_in_the_test() {
        let preview = plain().with_pair("k", "\"v\"").previewed();
        let body = plain()
            .with_method("POST")
            .with_body(json!({"b": [1, null]}));
        let found = Counterexample::new("found")
            .step(&preview, "allowed")
            .steps(4, &plain(), "refused at the last")
            .steps(2, &body, "refused");

        insta::assert_snapshot!(as_test(&found).unwrap(), @r#"
        #[tokio::test] // of tokio with `macros` and `rt`
        async fn regression() {
            use proofmark_conformance::toolkit::policy::RequestPolicy;
            use proofmark_conformance::toolkit::request::{OutboundRequest, RequestPhase};

            let policy = fresh(); // what the factory of the `conformance!` entry makes
            let query = [("k".into(), "\"v\"".into())];
            let path = "https://a.test/x";
            let request = OutboundRequest::new("t", "GET", path, &query, None)
                .with_call_id("c")
                .with_phase(RequestPhase::Validate);
            let _ = policy.check(&request).await;
            let path = "https://a.test/x";
            let request = OutboundRequest::new("t", "GET", path, &[], None)
                .with_call_id("c");
            for _ in 0..4 {
                let _ = policy.check(&request).await;
            }
            let body = serde_json::json!({"b":[1,null]});
            let path = "https://a.test/x";
            let request = OutboundRequest::new("t", "POST", path, &[], Some(&body))
                .with_call_id("c");
            let _ = policy.check(&request).await;
            assert!(policy.check(&request).await.is_ok());
        }
        "#);
    }

    #[test]
    fn a_run_that_ends_in_no_verdict_is_no_test() {
        let found = Counterexample::new("found").step(&plain(), "panicked");
        assert_eq!(as_test(&found), None);
    }
}
