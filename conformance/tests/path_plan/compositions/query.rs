//! PATH-21, 23 and 27: pairs of the query half.

use proofmark_conformance::vectors::path::Answer::{Accept, Either};
use serde_json::json;

use super::draft::{CompositionDrafts, bare, case};
use crate::path_plan::drafts::group;

pub fn write(drafts: &mut CompositionDrafts) {
    pairs(drafts);
    urls(drafts);
    semicolons(drafts);
}

fn pairs(drafts: &mut CompositionDrafts) {
    let split = group(
        21,
        Either,
        "a value that would end its pair is refused or encoded",
    );
    for template in ["/p?k={a}", "/p?k={a}&z=1", "/p?z=1&k={a}", "/p?k=x{a}y"] {
        for value in ["a&b=c", "&", "x&role=admin", "&k=2", "a&"] {
            drafts.add(split, case(template, json!({ "a": value })));
        }
    }
    let name = group(
        21,
        Either,
        "a value that would end a pair's name is refused or encoded",
    );
    for template in ["/p?{a}=1", "/p?x{a}y=1", "/p?{a}"] {
        for value in ["a=b", "a&b", "b=c&d", "="] {
            drafts.add(name, case(template, json!({ "a": value })));
        }
    }
    let equals = group(21, Either, "an equals sign in a value stays in it");
    for (template, value) in [
        ("/p?k={a}", "a=b"),
        ("/p?k={a}", "="),
        ("/p?k={a}&z=1", "=="),
        ("/p?k={a}{b}", "a="),
        ("/p?k={a}", "YQ=="),
    ] {
        drafts.add(equals, case(template, json!({"a": value, "b": "c"})));
    }
    let escaped = group(21, Accept, "an escaped separator inside one pair passes");
    for value in [
        "a%26b",
        "a%3Db",
        "%26",
        "a%26b%3Dc",
        "a%2Bb",
        "a%3bb",
        "a%20b",
    ] {
        drafts.add(escaped, case("/p?k={a}&z=1", json!({ "a": value })));
    }
    let words = group(21, Accept, "harmless values stand each in its pair");
    for (template, arguments) in [
        ("/p?k={a}", json!({"a": "x"})),
        ("/p?k={a}&l={b}", json!({"a": "x", "b": "y"})),
        ("/p?{a}=1", json!({"a": "x"})),
        ("/p?k={a}{b}", json!({"a": "x", "b": "y"})),
        ("/p?k={a}&k={b}", json!({"a": "x", "b": "y"})),
        ("/p?k={a}", json!({"a": "a b"})),
        ("/p?k={a}", json!({"a": "é😀"})),
        ("/p?k={a}", json!({"a": "\"<>"})),
        ("/p?k=%20{a}", json!({"a": "x"})),
        ("/p?k={a}", json!({"a": "x:y@z,!$'()*"})),
        ("/p/{b}?k={a}&z", json!({"a": "x", "b": "y"})),
    ] {
        drafts.add(words, case(template, arguments));
    }
}

fn urls(drafts: &mut CompositionDrafts) {
    let url = group(
        23,
        Either,
        "a URL that the author wrote in the query composes with most",
    );
    for template in [
        "/a?next=https://x.test/y",
        "/a?next=https%3A%2F%2Fx.test%2Fy",
        "/a?next=//x",
        "/a?next=../x",
        "/a?next=/x/",
        "/a?next=https://x.test/{id}",
        "/a/{id}?next=/x",
    ] {
        drafts.add(url, case(template, json!({"id": "7"})));
    }
}

fn semicolons(drafts: &mut CompositionDrafts) {
    let authors = group(
        27,
        Accept,
        "the author's semicolons and plus signs stay what they were",
    );
    for template in [
        "/p?a=x;y",
        "/p?a;b=1",
        "/p?a=1+2",
        "/p?a=x;y&b=1+2",
        "/p?a+b=c",
        "/p?a=%2B",
        "/p?a=%3B",
    ] {
        drafts.add(authors, bare(template));
    }
    for template in ["/p?a=x;{v}+z&b=1", "/p?a={v};y", "/p?a={v}+y", "/p?a+{v}=1"] {
        drafts.add(authors, case(template, json!({"v": "w"})));
    }
    let values = group(
        27,
        Either,
        "a semicolon or plus sign of a value's is refused or encoded",
    );
    for template in ["/p?k={v}", "/p?k={v}&b=1", "/p?a=x;{v}+z&b=1"] {
        for value in ["a;b", "a+b", "1;c=2+3", "a+b@x.test", ";role=admin"] {
            drafts.add(values, case(template, json!({ "v": value })));
        }
    }
}
