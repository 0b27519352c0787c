//! PATH-14, 18 and 25: what arguments render to, which leave the body, and which are missing.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};
use serde_json::{Value, json};

use super::draft::{CompositionDrafts, bare, case};
use crate::path_plan::drafts::group;

pub fn write(drafts: &mut CompositionDrafts) {
    types(drafts);
    left_over(drafts);
    missing(drafts);
}

const PLACES: [&str; 3] = ["/p/{a}", "/p/x{a}/y", "/p?k={a}"];

fn types(drafts: &mut CompositionDrafts) {
    let number = group(14, Accept, "a number is sent as its JSON text");
    for value in [
        json!(5),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(-0.25),
        json!(9_007_199_254_740_991_i64),
        json!(u64::MAX),
        json!(i64::MIN),
    ] {
        for place in &PLACES[..2] {
            drafts.add(number, case(place, json!({ "a": value })));
        }
    }
    drafts.add(number, case(PLACES[2], json!({"a": 5})));
    drafts.add(number, case(PLACES[2], json!({"a": -2.5})));
    let boolean = group(14, Accept, "a boolean is sent as the word of its value");
    let text = group(
        14,
        Accept,
        "a string is sent as itself, whatever it reads like",
    );
    for place in PLACES {
        drafts.add(boolean, case(place, json!({"a": true})));
        drafts.add(boolean, case(place, json!({"a": false})));
        for value in ["5", "true", "null", "1e5", "é"] {
            drafts.add(text, case(place, json!({ "a": value })));
        }
    }
    nulls(drafts);
    containers(drafts);
}

fn nulls(drafts: &mut CompositionDrafts) {
    let null = group(
        14,
        Either,
        "null is sent as the word or refused, never left out",
    );
    for place in [
        "/p/{a}",
        "/p/x{a}/y",
        "/p?k={a}",
        "/p/{a}/{b}",
        "/p?{a}=1",
        "/{a}",
    ] {
        drafts.add(
            null.field(64),
            case(place, json!({"a": null, "b": "x"})).method("DELETE"),
        );
    }
    let spelled = group(
        14,
        Either,
        "numbers that JSON can spell in several ways are not judged",
    );
    for value in [
        json!(1e300),
        json!(1.0),
        json!(1e-7),
        json!(-0.0),
        json!(1e16),
        json!(2.5e-10),
    ] {
        drafts.add(spelled, case("/p/{a}", json!({ "a": value })));
    }
}

fn containers(drafts: &mut CompositionDrafts) {
    let array = group(14, Refuse, "an array is refused by name");
    let object = group(14, Refuse, "an object is refused by name");
    for place in PLACES {
        let twin = case(place, json!({"a": "x"}));
        for value in [json!([]), json!(["x"]), json!([1, 2]), json!([[]])] {
            drafts
                .add_with(array, case(place, json!({ "a": value })), twin.clone())
                .names = Some("a".to_owned());
        }
        for value in [json!({}), json!({"k": 1}), json!({"a": "x"})] {
            drafts
                .add_with(object, case(place, json!({ "a": value })), twin.clone())
                .names = Some("a".to_owned());
        }
    }
}

fn left_over(drafts: &mut CompositionDrafts) {
    let others = group(
        18,
        Accept,
        "the keys that filled a placeholder leave the body, and no other",
    );
    let deep = json!({"deep": [1, 2, {"a": "{a}"}], "n": null, "a": 1});
    for (template, arguments) in [
        ("/p/{a}", json!({"a": "1", "b": true})),
        ("/p/{a}", json!({"a": "1", "c": deep, "d": "{b}"})),
        ("/p/{a}?x={b}", json!({"a": "1", "b": true, "c": [1]})),
        ("/p/{a}/{a}", json!({"a": "1", "A": "2"})),
        ("/p/{a}", json!({"a": "1", "A": "2", "aa": "3", "": "4"})),
        ("/p/{a}", json!({"a": "1", "b": {"a": "1"}})),
        (
            "/p/{a}",
            json!({"a": "1", "b": 9_007_199_254_740_993_i64, "c": -5}),
        ),
        ("/p/{a}", json!({"a": "1", "b": null, "c": false, "d": ""})),
        ("/p/{a}", json!({"a": "1", "{a}": "odd", "${a}": "odd"})),
        ("/p?k={a}", json!({"a": "1", "k": "2"})),
        (
            "/p/{user_id}",
            json!({"user_id": "1", "user": {"id": 1}, "userId": 2}),
        ),
        ("/{a}/{b}/{c}", json!({"a": 1, "b": 2, "c": 3, "d": 4})),
    ] {
        drafts.add(others, case(template, arguments).method("POST"));
    }
    let nothing = group(
        18,
        Accept,
        "a body whose keys all filled a placeholder is no body",
    );
    for (template, arguments) in [
        ("/p/{a}", json!({"a": "1"})),
        ("/p/{a}/{b}", json!({"a": "1", "b": "2"})),
        ("/p?k={a}", json!({"a": 7})),
        ("/p/{a}/{a}", json!({"a": "1"})),
        ("/{a}?k={b}", json!({"a": "x", "b": "y"})),
    ] {
        drafts.add(nothing, case(template, arguments).method("PUT"));
    }
    let whole = group(
        18,
        Accept,
        "a template without placeholders hands the whole body on",
    );
    for arguments in [
        json!({"a": "1"}),
        json!({"a": {"b": [null]}}),
        json!([1, 2]),
        json!([]),
        json!({}),
        json!(null),
        json!("text"),
        json!(5),
        json!({"p": "/p"}),
    ] {
        drafts.add(whole, case("/p", arguments).method("POST"));
    }
}

fn missing(drafts: &mut CompositionDrafts) {
    let key = group(25, Refuse, "a placeholder without an argument is refused");
    let twin = |template: &str| case(template, json!({"id": "7", "other": "8"}));
    for template in [
        "/items/{id}",
        "/items/{id}/x",
        "/items?k={id}",
        "/items/x{id}",
        "/{id}",
        "/items/{other}/{id}",
    ] {
        for arguments in [
            json!({}),
            json!({"other": "8"}),
            json!({"ID": "7", "other": "8"}),
        ] {
            let vector = drafts.add_with(key.field(64), case(template, arguments), twin(template));
            // Two are missing in the last template, and either may be named.
            vector.names = (!template.contains("{other}")).then(|| "id".to_owned());
        }
    }
    let body = group(25, Refuse, "a body that is no object has no arguments");
    for arguments in [
        json!(["id"]),
        json!([{"id": "7"}]),
        json!("id"),
        json!(null),
        json!(7),
        json!(true),
    ] {
        drafts.add_with(body, case("/items/{id}", arguments), twin("/items/{id}"));
    }
    drafts.add_with(body, bare("/items/{id}"), twin("/items/{id}"));
    let nested: Value = json!({"body": {"id": "7"}});
    drafts.add_with(body, case("/items/{id}", nested), twin("/items/{id}"));
    let variable = group(
        25,
        Refuse,
        "a variable without a value is refused, whatever the arguments hold",
    );
    for template in [
        "/items/${id}",
        "/items?k=${id}",
        "/${id}/x",
        "/items/x${id}",
    ] {
        let filled = |variables: Value| case(template, json!({"id": "7"})).variables(variables);
        drafts.add_with(variable, filled(json!({})), filled(json!({"id": "7"})));
        drafts.add_with(
            variable,
            filled(json!({"ID": "7"})),
            filled(json!({"id": "7"})),
        );
    }
}
