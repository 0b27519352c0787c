//! Compares one recorded request with the call that it was sent for.

use serde_json::{Value, json};

use super::meaning::{Meant, Pairs, behind, decoded, difference, meant, pairs_in};
use super::oracle::{Fault, Oracle, Outcome, cred, exe, fault, known};
use super::script::{BACK, FRONT, Step, field_mark, path_mark};
use crate::profile::AuthScheme;
use crate::recorder::Recorded;

impl Oracle<'_> {
    /// One request, as it came.
    pub(super) fn request(&self, outcome: &Outcome<'_>, request: &Recorded) -> Option<Fault> {
        let step = outcome.step;
        let (method, carries) = known(&step.method)?;
        if request.method() != method.as_bytes() {
            let sent = request.method().escape_ascii();
            return fault(exe(8), format!("the method went out as `{sent}`"));
        }
        if let Some(fault) = self.left_over(step, request) {
            return Some(fault);
        }
        if let Some(fault) = self.credential(request) {
            return Some(fault);
        }
        let added = match self.added(step, request) {
            Ok(added) => added,
            Err(fault) => return Some(fault),
        };
        // A caller who brings the credential's own pair was judged by its number.
        if self.brings_own_name(step) {
            return None;
        }
        let as_pairs = || self.as_pairs(step, request, &added);
        let as_body = || as_body(step, request, &added);
        let misplaced = match carries {
            Some(true) => as_pairs(),
            Some(false) => as_body(),
            None => as_pairs().and_then(|_| as_body()),
        };
        misplaced.or_else(|| self.is_as_shown(outcome, request, &added))
    }

    fn left_over(&self, step: &Step, request: &Recorded) -> Option<Fault> {
        let text = String::from_utf8_lossy(request.bytes());
        let other = [path_mark, field_mark]
            .into_iter()
            .find_map(|mark| self.others(step, &text, mark))?;
        fault(exe(17), format!("it carries a value of call {other}"))
    }

    fn credential(&self, request: &Recorded) -> Option<Fault> {
        if self.script.spoilt.is_some() {
            let whole = format!("{FRONT}{BACK}");
            let carries = |value: &[u8]| {
                let before = value.strip_suffix(whole.as_bytes());
                before.is_some_and(|before| before.last().is_none_or(|&byte| byte == b' '))
            };
            let carried = request
                .headers()
                .filter(|(_, value)| carries(value))
                .count();
            let is_sound = carried == 1 && request.header("x-evil").is_none();
            return (!is_sound).then(|| Fault {
                row: exe(18),
                seen: "it was sent with a header that was cut in two, or without it".to_owned(),
            });
        }
        let values: Vec<Vec<u8>> = match &self.script.scheme {
            Some(AuthScheme::QueryKey(name)) => {
                let pairs = request.pairs().into_iter();
                let own = pairs.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
                own.map(|(_, value)| value.into_bytes()).collect()
            }
            Some(AuthScheme::HeaderKey(name)) => {
                request.values_of(name).map(<[u8]>::to_vec).collect()
            }
            _ => return None,
        };
        let expected = self.script.credential();
        (values != [expected.as_bytes()]).then(|| Fault {
            row: cred(11),
            seen: format!("{} values travel under the credential's name", values.len()),
        })
    }

    /// The pairs that stand behind the target, without the one that authentication adds.
    fn added(&self, step: &Step, request: &Recorded) -> Result<Pairs, Fault> {
        let sent = request.target();
        let shown = sent.escape_ascii();
        let wrong = |row, what: &str| Fault {
            row,
            seen: format!("{what}: `{}` became `{shown}`", step.target.escape_debug()),
        };
        let own = sent.strip_prefix(self.script.prefix().as_bytes());
        let Some(rest) = own.and_then(|own| behind(&step.target, own)) else {
            let strays = own.is_none() || behind(&step.target, sent).is_some();
            return Err(if strays {
                wrong(exe(1), "it is not beneath the base's path")
            } else if self.is_resolved(step, request) {
                wrong(exe(2), "it was resolved a second time")
            } else {
                wrong(exe(3), "it arrived as another")
            });
        };
        let has_query = step.target.contains('?');
        let query = match rest {
            [] => &[],
            [b'?', query @ ..] if !has_query => query,
            [b'&', query @ ..] if has_query => query,
            // The author's query may end in `&` already.
            query if step.target.ends_with('&') => query,
            _ if has_query && rest.starts_with(b"?") => {
                return Err(wrong(exe(5), "pairs follow a second `?`"));
            }
            _ => return Err(wrong(exe(3), "something was added")),
        };
        if query.contains(&b'#') || query.contains(&b'?') {
            return Err(wrong(exe(6), "a pair is not encoded"));
        }
        let mut pairs = pairs_in(query);
        if let Some(name) = self.script.key_pair() {
            let credential = self.script.credential();
            let own = pairs
                .iter()
                .rposition(|(k, v)| k == name && *v == credential);
            if let Some(own) = own {
                pairs.remove(own);
            }
        }
        Ok(pairs)
    }

    /// Whether a field's value stands in the target in the place of a mark.
    fn is_resolved(&self, step: &Step, request: &Recorded) -> bool {
        let fields = step.body.as_ref().and_then(Value::as_object);
        let sent = decoded(request.target());
        let sent = String::from_utf8_lossy(&sent);
        fields.into_iter().flatten().any(|(key, value)| {
            let marked = [":", "$", "<", "("]
                .iter()
                .any(|mark| step.target.contains(&format!("{mark}{key}")));
            marked && value.as_str().is_some_and(|text| sent.contains(text))
        })
    }

    fn brings_own_name(&self, step: &Step) -> bool {
        let Some(name) = self.script.key_pair() else {
            return false;
        };
        let is_own = |key: &String| key.trim().eq_ignore_ascii_case(name);
        let query = step.target.split_once('?').map_or("", |(_, query)| query);
        let fields = step.body.as_ref().and_then(Value::as_object);
        pairs_in(query.as_bytes())
            .iter()
            .any(|(key, _)| is_own(key))
            || fields.is_some_and(|fields| fields.keys().any(is_own))
    }

    fn as_pairs(&self, step: &Step, request: &Recorded, added: &Pairs) -> Option<Fault> {
        if !request.body().is_empty() {
            return fault(
                exe(4),
                format!("fields are pairs, and there is a body: {request}"),
            );
        }
        let Meant::Pairs { certain, nulls } = meant(step.body.as_ref(), self.profile.arrays) else {
            return fault(exe(4), "what cannot be pairs is not sent as a body");
        };
        let mut sent = added.clone();
        // `null` may be sent or left out.
        sent.retain(|(key, _)| !nulls.contains(key));
        let key = difference(&certain, &sent)?;
        let fields = step.body.as_ref().and_then(Value::as_object);
        let value = fields.and_then(|fields| fields.get(key.trim_end_matches("[]")));
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let row = match value {
            Some(Value::Array(_)) => exe(7),
            Some(Value::String(text)) if !plain(text) => exe(6),
            Some(_) if plain(&key) => exe(4),
            _ => exe(6),
        };
        let seen = format!(
            "`{}`: {certain:?} was meant, and {sent:?} was sent",
            key.escape_debug()
        );
        fault(row, seen)
    }

    /// What the policy was shown is what was sent.
    fn is_as_shown(
        &self,
        outcome: &Outcome<'_>,
        request: &Recorded,
        added: &Pairs,
    ) -> Option<Fault> {
        if !self.profile.policy {
            return None;
        }
        let shown = outcome.views.last()?;
        if !shown
            .method
            .as_bytes()
            .eq_ignore_ascii_case(request.method())
        {
            return fault(
                exe(8),
                format!("the policy was shown the method `{}`", shown.method),
            );
        }
        let (path, query) = shown.path.split_once('?').unwrap_or((&shown.path, ""));
        let path = match path.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("", |start| &rest[start..]),
            None => path,
        };
        if !decoded(request.path()).ends_with(&decoded(path.as_bytes())) {
            return fault(
                exe(3),
                format!("the policy was shown `{}`: {request}", shown.path),
            );
        }
        let mut seen = pairs_in(query.as_bytes());
        seen.extend(shown.query.iter().cloned());
        let author = outcome.step.target.split_once('?');
        let mut sent = pairs_in(author.map_or("", |(_, query)| query).as_bytes());
        sent.extend(added.iter().cloned());
        if difference(&seen, &sent).is_some() {
            return fault(
                exe(6),
                format!("the policy saw {seen:?}, and {sent:?} was sent"),
            );
        }
        // `null` may stand for no body, and what broke off has no whole one.
        let body = shown.body.as_ref().filter(|body| !body.is_null())?;
        let differs = request.is_complete() && request.json().as_ref() != Some(body);
        differs.then(|| Fault {
            row: exe(4),
            seen: format!("the policy saw the body {body}: {request}"),
        })
    }
}

/// What is wrong with a request whose fields should be its JSON body.
fn as_body(step: &Step, request: &Recorded, added: &Pairs) -> Option<Fault> {
    if !added.is_empty() {
        return fault(
            exe(4),
            format!("fields are the body, and there are pairs: {request}"),
        );
    }
    let sent = request.json();
    let Some(body) = step.body.as_ref().filter(|body| !body.is_null()) else {
        let nothing = [Some(Value::Null), Some(json!({}))];
        let is_empty = request.body().is_empty() || nothing.contains(&sent);
        return (!is_empty).then(|| Fault {
            row: exe(4),
            seen: format!("it was given no body: {request}"),
        });
    };
    // What broke off has no whole body.
    if request.is_complete() && sent.as_ref() != Some(body) {
        return fault(exe(4), format!("the body is not what was given: {request}"));
    }
    let media_type = request.header("content-type").unwrap_or_default();
    let essence = media_type.split(|&byte| byte == b';').next();
    let essence = essence
        .unwrap_or_default()
        .trim_ascii()
        .to_ascii_lowercase();
    let is_json = essence == b"application/json" || essence.ends_with(b"+json");
    (!is_json).then(|| Fault {
        row: exe(4),
        seen: format!("its content type is not JSON: {request}"),
    })
}
