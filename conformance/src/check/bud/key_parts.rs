//! BUD-13: tool and call are two names, and never run together into one.

use crate::outcome::Counterexample;
use crate::subject::RequestCase;
use crate::trial::{Finding, Judged, Trial};

/// What names are likely to be joined with.
const SEPARATORS: &[&str] = &[
    ":", "/", "|", "-", "_", ".", ",", ";", "#", "@", "+", "=", "::", "--", "__", "##", "->", " ",
    "\t", "\n", "\0", "\u{1f}", "",
];

/// Names so long are likely to be cut off.
const CUTS: &[usize] = &[80, 128, 256, 1_024];

/// A tool, a call, and another tool and call that a careless key takes for them.
type Pairs = [(String, String); 2];

pub(super) fn check(trial: &Trial<'_>) -> Judged {
    let tools = &trial.profile().tools;
    let pairs = if tools.is_empty() {
        any_pairs()
    } else {
        listed_pairs(tools)
    };
    if pairs.is_empty() {
        return Ok(Finding::NotApplicable(
            "no listed tool's name begins with another's, so no two keys can run together"
                .to_owned(),
        ));
    }
    let (load, _) = trial.spent_load()?;
    let named = |request: RequestCase, pair: &(String, String)| {
        request.with_tool(&pair.0).with_call(&pair.1)
    };
    let mut cases = 0;
    for [used, other] in &pairs {
        let asked = named(load.request(0), other);
        if !trial.fresh()?.ask(&asked)?.allows() {
            continue;
        }
        let instance = trial.fresh()?;
        let spent = load.spend(&instance, |request| named(request, used))?;
        if !spent.refused || spent.admitted == 0 {
            continue;
        }
        cases += 1;
        if !instance.ask(&asked)?.allows() {
            return Ok(Finding::broken(
                Counterexample::new(format!(
                    "tool {:?} with call {:?} is charged for {:?} with {:?}",
                    shown(&other.0),
                    shown(&other.1),
                    shown(&used.0),
                    shown(&used.1),
                ))
                .steps(
                    spent.admitted + 1,
                    &named(load.request(0), used),
                    "refused at the last",
                )
                .step(&asked, "refused")
                .expected("allowed: another tool or another call has a budget of its own")
                .seen("refused")
                .twin("a fresh subject allows it"),
            ));
        }
    }
    if cases == 0 {
        return Ok(Finding::Undecided(
            "the control failed: a fresh subject refuses every tool that is not listed; declare them under `tools`".to_owned(),
        ));
    }
    Ok(Finding::held(cases))
}

fn shown(name: &str) -> String {
    name.chars().take(12).collect()
}

fn pair(tool: &str, call: &str) -> (String, String) {
    (tool.to_owned(), call.to_owned())
}

fn any_pairs() -> Vec<Pairs> {
    let mut pairs = vec![
        // Two names whose order is lost, or whose case is folded.
        [pair("alpha", "beta"), pair("beta", "alpha")],
        [pair("alpha", "alpha"), pair("beta", "beta")],
        [pair("aB", "c"), pair("Ab", "c")],
        [pair("alpha", "one"), pair("gamma", "one")],
        [pair("alpha", "one"), pair("alpha", "two")],
    ];
    for cut in CUTS {
        let long = "t".repeat(*cut);
        let (one, two) = (format!("{long}1"), format!("{long}2"));
        pairs.push([pair(&one, "c"), pair(&two, "c")]);
        pairs.push([pair("c", &one), pair("c", &two)]);
    }
    for separator in SEPARATORS {
        let (front, back) = (format!("a{separator}b"), format!("b{separator}c"));
        // Joined as they stand, and with the call in front.
        pairs.push([pair(&front, "c"), pair("a", &back)]);
        pairs.push([pair("a", &back), pair(&front, "c")]);
        pairs.push([pair("c", &front), pair(&back, "a")]);
    }
    pairs
}

/// Where only some tools are allowed, one whose name begins with another's leaves a choice.
fn listed_pairs(tools: &[String]) -> Vec<Pairs> {
    let mut pairs = Vec::new();
    for long in tools {
        for short in tools {
            let Some(rest) = long.strip_prefix(short).filter(|rest| !rest.is_empty()) else {
                continue;
            };
            pairs.push([pair(long, "c"), pair(short, &format!("{rest}c"))]);
            if let Some(separator) = rest.chars().next() {
                let name = &rest[separator.len_utf8()..];
                pairs.push([pair(long, "c"), pair(short, &format!("{name}{separator}c"))]);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_tools_give_the_pairs_that_join_to_one_text() {
        let tools = ["search", "search_items", "fetch"].map(str::to_owned);
        let pairs = listed_pairs(&tools);
        assert_eq!(
            pairs,
            [
                [pair("search_items", "c"), pair("search", "_itemsc")],
                [pair("search_items", "c"), pair("search", "items_c")],
            ]
        );
    }
}
