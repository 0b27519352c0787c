//! Sound resolvers with one switch, for the tests of the checks.

use std::borrow::Cow;
use std::sync::Arc;

use proofmark::path::PathTemplate;
use rstest::rstest;
use serde_json::{Value, json};

use crate::catalogue::{Catalogue, Family, RequirementId};
use crate::judge::judge_row;
use crate::outcome::{Outcome, RowOutcome};
use crate::profile::ResolverProfile;
use crate::seed::Seed;
use crate::subject::{Refused, ResolveCase, Resolved, ResolverSubject};
use crate::trial::{Settings, Watch};

type Answer = Result<Resolved, Refused>;
type Resolve = fn(&ResolveCase) -> Answer;

fn profile() -> ResolverProfile {
    ResolverProfile::new()
        .resolves()
        .placeholder_rules()
        .composes_query()
        .interpolates()
        .patterns()
        .max_lengths()
        .allow_slash()
}

fn judged(number: u8, profile: ResolverProfile, resolve: Resolve) -> RowOutcome {
    let subject = ResolverSubject::new("switched", profile, move || resolve);
    let id = RequirementId::new(Family::Path, number);
    let row = Catalogue::shared().unwrap().get(id).unwrap();
    let mut settings = Settings::with_seed(Seed::new(7));
    settings.cases = 64;
    judge_row(row, &subject, settings, &Arc::new(Watch::default())).unwrap()
}

fn sound(asked: &ResolveCase) -> Answer {
    let template = PathTemplate::parse(&asked.template)?;
    let resolution = template.resolve(
        &asked.method,
        |variable| asked.variables.get(variable.name()?).map(Cow::Borrowed),
        |method, template, param| asked.placeholder_rules(method, template, param),
        asked.body.clone(),
    )?;
    let (target, body) = resolution.into_parts();
    Ok(Resolved::new(target.as_str(), body))
}

/// Text put into text, with the keys it used taken out of the body.
fn naive(asked: &ResolveCase) -> Answer {
    let mut target = asked.template.clone();
    for (name, value) in &asked.variables {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        target = target.replace(&format!("${{{name}}}"), &text);
    }
    let mut body = asked.body.clone();
    if let Some(Value::Object(members)) = &mut body {
        members.retain(|name, value| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let open = format!("{{{name}}}");
            let used = target.contains(&open);
            target = target.replace(&open, &text);
            !used
        });
    }
    Ok(Resolved::new(target, body))
}

/// Whether some value, wherever it comes from, is as asked.
fn any(asked: &ResolveCase, is: impl Fn(&str) -> bool) -> bool {
    let arguments = asked
        .body
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|body| body.values());
    let mut values = arguments
        .chain(asked.variables.values())
        .filter_map(Value::as_str);
    values.any(is)
}

fn or_naive(asked: &ResolveCase, when: bool) -> Answer {
    if when { naive(asked) } else { sound(asked) }
}

/// Whether some variable is as asked.
fn any_variable(asked: &ResolveCase, is: impl Fn(&str) -> bool) -> bool {
    asked.variables.values().filter_map(Value::as_str).any(is)
}

fn rules(asked: &ResolveCase, template: &PathTemplate, by: &str) -> Answer {
    let resolution = template.resolve(
        &asked.method,
        |variable| asked.variables.get(variable.name()?).map(Cow::Borrowed),
        |method, _, param| asked.placeholder_rules(method, by, param),
        asked.body.clone(),
    )?;
    let (target, body) = resolution.into_parts();
    Ok(Resolved::new(target.as_str(), body))
}

/// A pattern is asked before the floor.
fn pattern_first(asked: &ResolveCase) -> Answer {
    let value = asked.argument_text("id").unwrap_or_default();
    let letters = asked
        .declared
        .iter()
        .any(|declared| declared.pattern.as_deref() == Some("^[a-f]+$"));
    if letters && !value.chars().all(|c| ('a'..='f').contains(&c)) {
        return Err(Refused::new("param 'id' must match the pattern"));
    }
    sound(asked)
}

fn counts_bytes(asked: &ResolveCase) -> Answer {
    if any(asked, |value| value.len() > 256) {
        return Err(Refused::new("too long"));
    }
    sound(asked)
}

fn tells_the_place(asked: &ResolveCase) -> Answer {
    sound(asked).map_err(|_| {
        let text = asked.argument_text("zq7param").unwrap_or_default();
        let at = text.find(|c: char| !c.is_alphanumeric());
        Refused::new(format!("zq7param: bad character at {at:?}"))
    })
}

/// Once it has refused something, it forgets what it was asked first.
fn leaves_the_body_halved(asked: &ResolveCase) -> Answer {
    sound(asked).map_err(|refused| refused.leaving(Some(json!({}))))
}

fn floors_a_number(asked: &ResolveCase) -> Answer {
    let mut asked = asked.clone();
    if let Some(Value::Object(members)) = &mut asked.body {
        for value in members.values_mut() {
            if value.is_f64() {
                *value = json!(1);
            }
        }
    }
    sound(&asked)
}

fn debug_prints_arrays(asked: &ResolveCase) -> Answer {
    let mut asked = asked.clone();
    if let Some(Value::Object(members)) = &mut asked.body {
        members
            .values_mut()
            .filter(|value| value.is_array())
            .for_each(|value| *value = json!("array"));
    }
    sound(&asked)
}

/// Works as long as a backtracking engine would.
fn backtracks(asked: &ResolveCase) -> Answer {
    let value = asked.argument_text("id").unwrap_or_default();
    let nested = asked
        .declared
        .iter()
        .any(|declared| declared.pattern.as_deref() == Some("^(a+)+$"));
    if nested && value.ends_with("ab") {
        for step in 0..1_u64 << value.len() {
            std::hint::black_box(step);
        }
    }
    sound(asked)
}

fn sends_what_it_refuses(asked: &ResolveCase) -> Answer {
    sound(asked).map_err(|refused| match naive(asked) {
        Ok(sent) => refused.having_sent(sent),
        Err(refused) => refused,
    })
}

#[rstest]
#[case::refused_and_sent(1, sends_what_it_refuses)]
#[case::missing_and_sent(25, sends_what_it_refuses)]
#[case::backtracks(8, backtracks)]
#[case::empty(1, |a: &ResolveCase| or_naive(a, any(a, str::is_empty)))]
#[case::question_mark(2, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains('?') && !v.contains(".."))))]
#[case::tab_last(2, |a: &ResolveCase| or_naive(a, any(a, |v| v.len() > 1 && v.ends_with('\t'))))]
#[case::lower_case_escape(3, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains("%2f") && !v.contains(".."))))]
#[case::twice_encoded(3, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains("%25"))))]
#[case::half_an_escape(3, |a: &ResolveCase| or_naive(a, any(a, |v| v == "100%")))]
#[case::mixed_dots(4, |a: &ResolveCase| or_naive(a, any(a, |v| v == ".%2e")))]
#[case::stripped_dots(4, |a: &ResolveCase| sound(&match a.argument_text("id") {
    Some(v) if v.contains("..") => a.clone().argument("id", v.replace("..", "") + "x"),
    _ => a.clone(),
}))]
#[case::dots_behind_a_slash(4, |a: &ResolveCase| or_naive(a, !a.slash_allowed.is_empty() && any(a, |v| v == "a/%2e%2e/b")))]
#[case::bytes(5, counts_bytes)]
#[case::one_too_many(5, |a: &ResolveCase| or_naive(a, any(a, |v| v.chars().count() == 257)))]
#[case::pattern_instead_of_floor(6, |a: &ResolveCase| or_naive(a, !a.declared.is_empty() && any(a, |v| v.contains('#'))))]
#[case::pattern_reported_first(6, pattern_first)]
#[case::length_widens(7, |a: &ResolveCase| or_naive(a, !a.declared.is_empty() && any(a, |v| v.len() == 257)))]
#[case::length_ignored(7, |a: &ResolveCase| { let mut b = a.clone(); b.declared.clear(); sound(&b) })]
#[case::broken_is_none(8, |a: &ResolveCase| {
    let mut b = a.clone();
    b.declared.retain(|d| d.pattern.as_deref() != Some("[z-a]"));
    sound(&b)
})]
#[case::oversized_is_none(8, |a: &ResolveCase| {
    let mut b = a.clone();
    b.declared.retain(|d| d.pattern.as_ref().is_none_or(|p| !p.contains("{999}")));
    sound(&b)
})]
#[case::backslash_with_slash(9, |a: &ResolveCase| or_naive(a, !a.slash_allowed.is_empty() && any(a, |v| v.contains('\\'))))]
#[case::document_allows(9, |a: &ResolveCase| or_naive(a, a.declared.iter().any(|d| d.further.contains_key("allowReserved"))))]
#[case::long_together(10, |a: &ResolveCase| or_naive(a, any(a, |v| v.len() == 200)))]
#[case::no_root(10, |a: &ResolveCase| if a.template == "/" { Err(Refused::new("empty")) } else { sound(a) })]
#[case::brace_left(10, |a: &ResolveCase| or_naive(a, a.template == "/f/{a}}"))]
#[case::second_mark(11, |a: &ResolveCase| or_naive(a, a.template.matches('?').count() == 2))]
#[case::dangling_mark(11, |a: &ResolveCase| or_naive(a, a.template.ends_with('?')))]
#[case::newline_in_the_query(11, |a: &ResolveCase| or_naive(a, a.template.contains('\n')))]
#[case::rescanned(12, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains('{'))))]
#[case::sent_all_the_same(13, |a: &ResolveCase| sound(a).map_err(|e| e.having_sent(Resolved::new("/p", None))))]
#[case::body_halved(13, leaves_the_body_halved)]
#[case::last_unchecked(13, |a: &ResolveCase| or_naive(a, a.argument_text("c").as_deref() == Some("..")))]
#[case::rounded(14, floors_a_number)]
#[case::array(14, debug_prints_arrays)]
#[case::null_vanishes(14, |a: &ResolveCase| match a.argument_of("zq7key") {
    Some(Value::Null) => naive(&a.clone().argument("zq7key", "")),
    _ => sound(a),
})]
#[case::value_told(15, |a: &ResolveCase| sound(a).map_err(|e| Refused::new(format!("{} {:?}", e.message(), a.body))))]
#[case::place_told(15, tells_the_place)]
#[case::nameless(15, |a: &ResolveCase| sound(a).map_err(|_| Refused::new("refused")))]
#[case::other_method(16, |a: &ResolveCase| sound(&a.clone().method("GET")))]
#[case::written_template(17, |a: &ResolveCase| rules(a, &PathTemplate::parse(&a.template)?, &a.template))]
#[case::key_stays(18, |a: &ResolveCase| sound(a).map(|r| Resolved::new(r.target, a.body.clone())))]
#[case::null_dropped(18, |a: &ResolveCase| sound(a).map(|mut r| {
    if let Some(Value::Object(members)) = &mut r.body { members.retain(|_, v| !v.is_null()); }
    r
}))]
#[case::authority(19, |a: &ResolveCase| or_naive(a, a.template.starts_with("//")))]
#[case::backslash_authority(19, |a: &ResolveCase| or_naive(a, a.template.starts_with("/\\")))]
#[case::variable_mark(20, |a: &ResolveCase| or_naive(a, any_variable(a, |v| v.contains('?'))))]
#[case::variable_length(20, |a: &ResolveCase| or_naive(a, any_variable(a, |v| v.len() == 257)))]
#[case::ampersand(21, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains('&'))))]
#[case::renamed_pair(21, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains('='))))]
#[case::full_width(22, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains('\u{FF0E}'))))]
#[case::overlong(22, |a: &ResolveCase| or_naive(a, any(a, |v| v == "%c0%ae")))]
#[case::variable_brace(24, |a: &ResolveCase| or_naive(a, any_variable(a, |v| v == "{secret}")))]
#[case::missing(25, |a: &ResolveCase| or_naive(a, a.template.contains("{id}") && a.argument_of("id").is_none()))]
#[case::other_description(26, |a: &ResolveCase| or_naive(a, a.declared.iter().any(|d| d.template != a.template) && any(a, |v| v.contains('#'))))]
#[case::semicolon(27, |a: &ResolveCase| sound(&a.clone().template(&a.template.replace(';', "&"))))]
#[case::plus(27, |a: &ResolveCase| or_naive(a, any(a, |v| v.contains('+'))))]
fn a_sound_resolver_with_one_switch_is_convicted(#[case] number: u8, #[case] resolve: Resolve) {
    let row = judged(number, profile(), resolve);
    assert_eq!(row.outcome, Outcome::Fail, "{row:#?}");
    let found = row.counterexample.unwrap();
    assert!(!found.twin.is_empty() && !found.expected.is_empty() && !found.steps.is_empty());
    assert!(found.headline.chars().count() <= 105, "{}", found.headline);
}

#[test]
fn the_sound_resolver_is_convicted_of_nothing_and_nothing_is_open() {
    for number in 1..=27 {
        let row = judged(number, profile(), sound);
        assert_eq!(row.outcome, Outcome::Pass, "{row:#?}");
    }
}

fn refuse_if(asked: &ResolveCase, is: impl Fn(&str) -> bool) -> Answer {
    if any(asked, is) {
        let name = asked
            .body
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|body| body.keys())
            .next();
        return Err(Refused::new(format!("param {name:?} is refused")));
    }
    sound(asked)
}

/// Percent-encodes everything in a value that is not unreserved.
fn encoding(asked: &ResolveCase) -> Answer {
    const UNRESERVED: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    let checked = PathTemplate::static_path(&asked.template)?;
    let mut target = asked.template.clone();
    let mut body = asked.body.clone();
    for name in checked.placeholders() {
        let text = asked.argument_text(name);
        let text = text.ok_or_else(|| Refused::new(format!("{name} must be a scalar")))?;
        let folds = "\u{FF0E}\u{FF0F}\u{FF3C}\u{FF1F}\u{FF03}\u{2024}\u{2025}\u{FE52}\u{2026}";
        let hostile = text.is_empty()
            || text == "."
            || text == ".."
            || text.chars().count() > 256
            || text.contains(|c| folds.contains(c));
        if hostile {
            return Err(Refused::new(format!(
                "{name} must be a short plain segment"
            )));
        }
        let written = percent_encoding::utf8_percent_encode(&text, UNRESERVED).to_string();
        target = target.replace(&format!("{{{name}}}"), &written);
        if let Some(Value::Object(members)) = &mut body {
            members.remove(name);
        }
    }
    let composed = target.split('?').next().unwrap_or_default();
    for segment in composed.split('/').skip(1) {
        let decoded = percent_encoding::percent_decode_str(segment).decode_utf8_lossy();
        let long = decoded.chars().count() > 256;
        let lost = segment.is_empty() && composed.len() > 1;
        if long || lost || decoded == "." || decoded == ".." {
            return Err(Refused::new(
                "the composed path has a segment that is refused",
            ));
        }
    }
    Ok(Resolved::new(target, body))
}

#[rstest]
#[case::non_ascii(|a: &ResolveCase| refuse_if(a, |v| !v.is_ascii()))]
#[case::percent(|a: &ResolveCase| refuse_if(a, |v| v.contains('%')))]
#[case::null(|a: &ResolveCase| match &a.body {
    Some(Value::Object(members)) if members.iter().any(|(k, v)| v.is_null() && a.template.contains(k)) =>
        Err(Refused::new(format!("{:?} must not be null", members.keys()))),
    _ => sound(a),
})]
#[case::punctuation(|a: &ResolveCase| refuse_if(a, |v| v.contains([' ', '&', '=', ';', '+', '\''])))]
fn a_resolver_that_refuses_more_is_not_convicted_and_nothing_is_open(#[case] resolve: Resolve) {
    for number in 1..=27 {
        let row = judged(number, profile(), resolve);
        assert_eq!(row.outcome, Outcome::Pass, "{row:#?}");
    }
}

#[test]
fn a_resolver_that_encodes_is_not_convicted() {
    let profile = ResolverProfile::new().resolves().composes_query().encodes();
    for number in 1..=27 {
        let row = judged(number, profile.clone(), encoding);
        assert!(
            matches!(row.outcome, Outcome::Pass | Outcome::NotApplicable),
            "{row:#?}"
        );
    }
}

#[rstest]
#[case::raw_tab(2, |a: &ResolveCase| if any(a, |v| v == "7\t8") { naive(a) } else { encoding(a) })]
#[case::encoded_twice(3, |a: &ResolveCase| encoding(a).map(|r| Resolved::new(r.target.replace("%252F", "%25252F"), r.body)))]
#[case::dots_sent(4, |a: &ResolveCase| if any(a, |v| v == "..") { naive(a) } else { encoding(a) })]
#[case::escaped_dots_sent(4, |a: &ResolveCase| if any(a, |v| v == "%2e%2e") { naive(a) } else { encoding(a) })]
fn a_resolver_that_encodes_all_but_one_is_convicted(#[case] number: u8, #[case] resolve: Resolve) {
    let profile = ResolverProfile::new().resolves().composes_query().encodes();
    let row = judged(number, profile, resolve);
    assert_eq!(row.outcome, Outcome::Fail, "{row:#?}");
}

#[test]
fn a_resolver_that_panics_leaves_every_row_open_and_names_the_panic() {
    for number in 1..=27 {
        let row = judged(number, profile(), |_| panic!("cannot resolve"));
        assert_eq!(row.outcome, Outcome::Inconclusive);
        assert!(row.reason.unwrap().contains("cannot resolve"));
    }
}

#[test]
fn a_resolver_that_refuses_everything_is_neither_convicted_nor_passed() {
    for number in 1..=27 {
        let row = judged(number, profile(), |_| Err(Refused::new("no")));
        assert_eq!(row.outcome, Outcome::Inconclusive, "{row:#?}");
    }
}
