//! Forms of a written authority that are not what was written.

use serde_json::{Map, Value, json};

/// A text that differs in one thing from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Altered {
    /// The text.
    pub text: String,
    /// What differs.
    pub what: String,
    /// When reading it breaks the promise.
    pub breaks: Breaks,
}

/// When reading an altered text breaks the promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// Always: it has a name that nothing has.
    Always,
    /// Where what is read permits more than what was written.
    IfWider,
}

/// Names that no authority has, among them ones that readers like to pass over.
const UNKNOWN: [&str; 8] = [
    "proofmark_unknown",
    "_note",
    "$note",
    "x-note",
    "//",
    "comment",
    "description",
    "",
];

/// Every altered form of `written`, whose text is `text`; `widest` is unrestricted authority.
pub(super) fn altered(text: &str, written: &Value, widest: &Value) -> Vec<Altered> {
    let mut forms = whole(text);
    walk(written, "", &mut |object, place, rebuild| {
        for (key, value) in object {
            named(object, key, value, place, rebuild, &mut forms);
        }
        for name in UNKNOWN {
            let unknown = rebuild(&with(object, name, &json!("all")));
            let what = format!("an unknown field `{name}`{place}");
            forms.push(form(&unknown, what, Breaks::Always));
        }
    });
    if let (Value::Object(written), Value::Object(widest)) = (written, widest) {
        for (key, value) in written {
            let wide = widest.get(key);
            values(written, key, value, wide, &mut forms);
        }
    }
    forms
}

fn form(value: &Value, what: String, breaks: Breaks) -> Altered {
    Altered {
        text: value.to_string(),
        what,
        breaks,
    }
}

/// Texts that leave everything out, or have something behind the end.
fn whole(text: &str) -> Vec<Altered> {
    let texts = [
        ("nothing left but an empty object", "{}".to_owned()),
        ("nothing left but `null`", "null".to_owned()),
        ("nothing left but an empty list", "[]".to_owned()),
        ("nothing left", String::new()),
        ("only blanks left", "  ".to_owned()),
        ("a second object behind it", format!("{text}{{}}")),
        ("its last brace missing", text[..text.len() - 1].to_owned()),
    ];
    let texts = texts.into_iter();
    texts
        .map(|(what, text)| Altered {
            text,
            what: what.to_owned(),
            breaks: Breaks::IfWider,
        })
        .collect()
}

/// Makes the whole text again from one object within it.
type Rebuild<'a> = &'a dyn Fn(&Map<String, Value>) -> Value;

/// Is shown an object, its place for people, and how to make the whole text again from it.
type Visit<'v> = dyn FnMut(&Map<String, Value>, &str, Rebuild<'_>) + 'v;

/// Visits every object in `value`.
fn walk(value: &Value, place: &str, visit: &mut Visit<'_>) {
    walk_within(value, place, visit, &|inner| inner);
}

fn walk_within(value: &Value, place: &str, visit: &mut Visit<'_>, outer: &dyn Fn(Value) -> Value) {
    let Value::Object(object) = value else {
        return;
    };
    visit(object, place, &|object| {
        outer(Value::Object(object.clone()))
    });
    for (key, inner) in object {
        let place = format!("{place} in `{key}`");
        walk_within(inner, &place, visit, &|inner| {
            outer(Value::Object(with(object, key, &inner)))
        });
    }
}

fn with(object: &Map<String, Value>, key: &str, value: &Value) -> Map<String, Value> {
    let mut object = object.clone();
    object.insert(key.to_owned(), value.clone());
    object
}

fn without(object: &Map<String, Value>, key: &str) -> Map<String, Value> {
    let mut object = object.clone();
    object.remove(key);
    object
}

/// One name of an object: misspelt, in another letter case, removed, and beside a misspelt one.
fn named(
    object: &Map<String, Value>,
    key: &str,
    value: &Value,
    place: &str,
    rebuild: Rebuild<'_>,
    forms: &mut Vec<Altered>,
) {
    for other in misspelt(key) {
        if object.contains_key(&other) {
            continue;
        }
        let renamed = rebuild(&with(&without(object, key), &other, value));
        let what = format!("`{key}` written `{other}`{place}");
        forms.push(form(&renamed, what, Breaks::Always));
        let added = rebuild(&with(object, &other, value));
        let what = format!("`{other}` beside `{key}`{place}");
        forms.push(form(&added, what, Breaks::Always));
    }
    let removed = rebuild(&without(object, key));
    forms.push(form(
        &removed,
        format!("`{key}` missing{place}"),
        Breaks::IfWider,
    ));
}

fn misspelt(name: &str) -> Vec<String> {
    let mut characters = name.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    let forms = [
        first.chain(characters).collect(),
        name.to_uppercase(),
        format!("{name}s"),
        name.chars().skip(1).collect(),
        name.replace('_', "-"),
        format!(" {name}"),
        format!("{name}\0"),
        format!("{name} "),
        name.replace('e', "\u{435}"),
    ];
    forms.into_iter().filter(|form| form != name).collect()
}

/// The value of one axis: another one, a misspelt variant, and the axis twice.
fn values(
    written: &Map<String, Value>,
    key: &str,
    value: &Value,
    wide: Option<&Value>,
    forms: &mut Vec<Altered>,
) {
    let odd = [
        Value::Null,
        json!({}),
        json!([]),
        json!(""),
        json!("*"),
        json!(true),
        json!(-1),
        json!(1e30),
        json!([null]),
        json!([[]]),
    ];
    for other in odd {
        let replaced = Value::Object(with(written, key, &other));
        let what = format!("`{other}` for `{key}`");
        forms.push(form(&replaced, what, Breaks::IfWider));
    }
    for (number, name) in numbers(value) {
        let replaced = Value::Object(with(written, key, &number));
        forms.push(form(
            &replaced,
            format!("{name} in `{key}`"),
            Breaks::IfWider,
        ));
    }
    let Some(wide) = wide else {
        return;
    };
    if let Value::String(variant) = wide {
        for other in misspelt(variant) {
            let replaced = Value::Object(with(written, key, &json!(other)));
            let what = format!("`{variant}` written `{other}` for `{key}`");
            forms.push(form(&replaced, what, Breaks::Always));
        }
    }
    twice_within(written, key, value, forms);
    for (first, second) in [(value, wide), (wide, value)] {
        let rest = without(written, key);
        let rest: Vec<String> = rest.iter().map(|(key, value)| pair(key, value)).collect();
        let twice = format!("{},{}", pair(key, first), pair(key, second));
        let comma = if rest.is_empty() { "" } else { "," };
        forms.push(Altered {
            text: format!("{{{}{comma}{twice}}}", rest.join(",")),
            what: format!("`{key}` twice"),
            breaks: Breaks::IfWider,
        });
    }
}

/// The one member within an axis twice, the second time with one entry more or a larger number.
fn twice_within(written: &Map<String, Value>, key: &str, value: &Value, forms: &mut Vec<Altered>) {
    let Value::Object(object) = value else {
        return;
    };
    for (name, inner) in object {
        let more = match inner {
            Value::Array(items) if items.iter().all(Value::is_string) => items
                .iter()
                .cloned()
                .chain([json!("proofmark-more")])
                .collect(),
            Value::Array(items) => items.iter().cloned().chain([json!(99)]).collect(),
            Value::Number(_) => json!(99),
            _ => continue,
        };
        for (first, second) in [(inner, &more), (&more, inner)] {
            let within = format!("{{{},{}}}", pair(name, first), pair(name, second));
            let rest = without(written, key);
            let mut members: Vec<String> =
                rest.iter().map(|(key, value)| pair(key, value)).collect();
            members.push(format!("{}:{within}", json!(key)));
            forms.push(Altered {
                text: format!("{{{}}}", members.join(",")),
                what: format!("`{name}` twice in `{key}`"),
                breaks: Breaks::IfWider,
            });
        }
    }
}

fn pair(key: &str, value: &Value) -> String {
    format!("{}:{value}", json!(key))
}

/// `value` with every number in it replaced by one that no count or generation can be.
fn numbers(value: &Value) -> Vec<(Value, &'static str)> {
    let odd = [
        (json!(-1), "a negative number"),
        (json!(1e30), "a number that is too large"),
        (json!(1.5), "a number that is not whole"),
        (json!("3"), "a number as text"),
        (Value::Null, "`null` for a number"),
    ];
    let odd = odd.into_iter();
    odd.filter_map(|(number, name)| {
        let replaced = replacing(value, &number);
        (replaced != *value).then_some((replaced, name))
    })
    .collect()
}

fn replacing(value: &Value, number: &Value) -> Value {
    match value {
        Value::Number(_) => number.clone(),
        Value::Array(items) => items.iter().map(|item| replacing(item, number)).collect(),
        Value::Object(object) => {
            let replaced = object.iter();
            let replaced = replaced.map(|(key, item)| (key.clone(), replacing(item, number)));
            Value::Object(replaced.collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_altered_at_every_level() {
        let written = json!({"exec": {"only": ["git"]}, "max_calls": {"at_most": 3}});
        let widest = json!({"exec": "all", "max_calls": "unlimited"});
        let forms = altered(&written.to_string(), &written, &widest);
        let has = |value: Value, breaks| {
            forms.iter().any(|form| {
                let read = serde_json::from_str::<Value>(&form.text);
                read.is_ok_and(|read| read == value) && form.breaks == breaks
            })
        };
        let (exec, count) = (json!({"only": ["git"]}), json!({"at_most": 3}));
        assert!(has(
            json!({"Exec": exec, "max_calls": count}),
            Breaks::Always
        ));
        assert!(has(
            json!({"exec": {"Only": ["git"]}, "max_calls": count}),
            Breaks::Always
        ));
        let extra = json!({"only": ["git"], "proofmark_unknown": "all"});
        assert!(has(
            json!({"exec": extra, "max_calls": count}),
            Breaks::Always
        ));
        assert!(has(json!({"max_calls": count}), Breaks::IfWider));
        assert!(has(
            json!({"exec": exec, "max_calls": {"at_most": -1}}),
            Breaks::IfWider
        ));
        assert!(has(
            json!({"exec": "alls", "max_calls": count}),
            Breaks::Always
        ));
        let twice = r#""exec":{"only":["git"]},"exec":"all""#;
        assert!(forms.iter().any(|form| form.text.contains(twice)));
    }

    #[test]
    fn no_form_is_the_text_itself() {
        let written = json!({"exec": {"only": ["git"]}});
        let forms = altered(&written.to_string(), &written, &json!({"exec": "all"}));
        let text = written.to_string();
        assert!(!forms.iter().any(|form| form.text == text));
    }
}
