//! PATH-10, 11 and 12: what values make together, and what the author wrote.

use proofmark_conformance::vectors::path::Answer::{Accept, Either, Refuse};
use serde_json::{Value, json};

use super::draft::{CompositionDrafts, bare, case};
use crate::path_plan::drafts::group;

pub fn write(drafts: &mut CompositionDrafts) {
    dots(drafts);
    lengths(drafts);
    authors(drafts);
    query_marks(drafts);
    braces(drafts);
    never_scanned_again(drafts);
}

fn dots(drafts: &mut CompositionDrafts) {
    let made = group(
        10,
        Refuse,
        "a dot segment made of values and the author's dots",
    );
    for (template, a, b) in [
        ("/f/{a}{b}", ".", "."),
        ("/f/.{a}", ".", "x"),
        ("/f/%2e{a}", ".", "x"),
        ("/f/{a}.", ".", "x"),
        ("/f/{a}{b}/x", ".", "%2e"),
        ("/f/{a}.{b}", ".", "x"),
        ("/f/{a}{b}", "%2e", "."),
        ("/f/.{a}?k=1", ".", "x"),
        ("/f/{a}%2E/x", ".", "x"),
        ("/{a}{b}", ".", "."),
    ] {
        let twin = case(template, json!({"a": "a", "b": "b"}));
        drafts.add_with(
            made.field(69),
            case(template, json!({"a": a, "b": b})),
            twin,
        );
    }
    dots_beside(drafts);
    halves(drafts);
}

fn dots_beside(drafts: &mut CompositionDrafts) {
    let beside = group(
        10,
        Either,
        "dots that meet beside other text may be refused",
    );
    for (template, a, b) in [
        ("/f/{a}{b}", "x.", ".y"),
        ("/f/.{a}", ".x", ""),
        ("/f/{a}.", "x.", ""),
        ("/f/.{a}", ";v=1", ""),
        ("/f/{a}{b}", ".x.", ".y"),
        ("/f/{a}..{b}", "x", "y"),
        ("/f/.{a}", ".;v=1", ""),
        ("/f/{a}", ".;v=1", ""),
    ] {
        let arguments = match b {
            "" => json!({ "a": a }),
            b => json!({"a": a, "b": b}),
        };
        drafts.add(beside, case(template, arguments));
    }
    let names = group(10, Accept, "a name made of parts is sent");
    for (template, a, b) in [
        ("/f/{a}.{b}", "report", "pdf"),
        ("/f/{a}{b}", ".e", "nv"),
        ("/f/{a}-{b}", "1", "2"),
        ("/f/v{a}.{b}", "1", "2"),
        ("/{a}{b}/x", "é", "日"),
        ("/f/.{a}", "env", "x"),
    ] {
        drafts.add(names, case(template, json!({"a": a, "b": b})));
    }
}

fn halves(drafts: &mut CompositionDrafts) {
    let split = group(
        10,
        Either,
        "a look-alike, or a half of one, made of two values may be refused",
    );
    for (a, b) in [
        ("%e0%80", "%ae"),
        ("%e2%80", "%a5"),
        ("%ef%bc", "%8f"),
        ("%f0%80%80", "%af"),
    ] {
        drafts.add(split, case("/x/{a}{b}", json!({"a": a, "b": b})));
    }
}

fn lengths(drafts: &mut CompositionDrafts) {
    let over = group(
        10,
        Refuse,
        "a segment of more than 256 code points made of shorter values",
    );
    let fits = group(
        10,
        Accept,
        "values that fit in one segment together are sent",
    );
    let filled = |template: &str, unit: &str, a: usize, b: usize| {
        case(template, json!({"a": unit.repeat(a), "b": unit.repeat(b)}))
    };
    for (template, unit, own) in [
        ("/s/{a}{b}", "a", 0),
        ("/s/{a}{b}/x", "é", 0),
        ("/s/{a}-{b}", "b", 1),
        ("/s/{b}{a}?k=1", "日", 0),
        ("/s/x{a}y{b}z", "c", 3),
    ] {
        drafts.add_with(
            over,
            filled(template, unit, 180, 200),
            filled(template, unit, 100, 100),
        );
        drafts.add_with(
            over,
            filled(template, unit, 157 - own, 100),
            filled(template, unit, 156 - own, 100),
        );
        drafts.add(fits, filled(template, unit, 180, 70));
    }
    let apart = group(
        10,
        Accept,
        "the cap is one of segments: two long ones may stand apart",
    );
    for template in [
        "/s/{a}/{b}",
        "/s/{a}?k={b}",
        "/s?k={a}{b}",
        "/s?k={a}&l={b}",
    ] {
        drafts.add(apart, filled(template, "a", 180, 200));
    }
}

fn authors(drafts: &mut CompositionDrafts) {
    let root = group(
        10,
        Accept,
        "a template without a placeholder is sent as it stands",
    );
    for template in ["/", "/p", "/p/x", "/?k=1", "/p?k=1", "/a%20b", "/p/x.y"] {
        drafts.add(root, bare(template));
        drafts.add(root, case(template, json!({"left": 1})).method("POST"));
    }
    let slashes = group(
        10,
        Either,
        "doubled and trailing slashes of the author's are only reported",
    );
    for template in [
        "/a/{id}/",
        "/a//{id}",
        "/a//b/{id}",
        "/{id}/",
        "/a/{id}//x",
        "/a/{id}/?k=1",
    ] {
        drafts.add(slashes, case(template, json!({"id": "7"})));
    }
    let author = group(
        10,
        Refuse,
        "a dot segment of the author's is resolved as any other",
    );
    for template in [
        "/a/../{id}",
        "/./{id}",
        "/a/%2e%2e/{id}",
        "/{id}/..",
        "/{id}/.",
        "/a/{id}/../x?k=1",
    ] {
        drafts.add_with(
            author,
            case(template, json!({"id": "7"})),
            case("/a/{id}", json!({"id": "7"})),
        );
    }
}

fn query_marks(drafts: &mut CompositionDrafts) {
    let one = group(11, Accept, "the author's one query mark stays");
    for template in [
        "/search?q={q}",
        "/search?q=x&r={q}",
        "/search/{q}?r=1",
        "/?q={q}",
        "/search?q={q}&r={q}",
        "/search?{q}=1",
        "/search?q=a{q}b",
    ] {
        drafts.add(one, case(template, json!({"q": "x", "left": true})));
    }
    let more = group(
        11,
        Refuse,
        "a second query mark of the author's, or one with nothing behind it",
    );
    for template in [
        "/a?b?c={q}",
        "/a?b={q}?c",
        "/{q}??",
        "/a/{q}?",
        "/a?{q}?x=1",
        "/a/{q}%3Fb?c",
        "/?",
        "/a?b=1?c=2",
    ] {
        drafts.add_with(
            more,
            case(template, json!({"q": "x"})),
            case("/a?b={q}", json!({"q": "x"})),
        );
    }
    marks_of_values(drafts);
    authors_bytes(drafts);
}

fn marks_of_values(drafts: &mut CompositionDrafts) {
    let values = group(
        11,
        Refuse,
        "a query mark of a value's, in either half and spelling",
    );
    for template in ["/a/{q}", "/a/{q}?b=1", "/a?b={q}", "/a?{q}=1"] {
        for value in ["x?y", "?", "x%3Fy", "%3f"] {
            drafts.add_with(
                values,
                case(template, json!({ "q": value })),
                case(template, json!({"q": "xy"})),
            );
        }
    }
}

fn authors_bytes(drafts: &mut CompositionDrafts) {
    let bytes = group(
        11,
        Refuse,
        "what the byte floor refuses, written by the author",
    );
    for template in [
        "/a#b/{q}",
        "/a\\b/{q}",
        "/a\tb/{q}",
        "/a%23b/{q}",
        "/a%5Cb/{q}",
        "/a%00/{q}",
        "/{q}?b=#",
        "/{q}?b=\\",
        "/{q}?b=\n",
        "/{q}?b=%23",
        "/{q}?b=%5c",
        "/{q}?b=%0d%0aX",
        "/a%25/{q}",
        "/{q}?b=%25",
        "/a%zz/{q}",
        "/{q}?b=%",
        "/%{q}",
        "/{q}?b=%4{q}",
    ] {
        drafts.add_with(
            bytes,
            case(template, json!({"q": "1"})),
            case("/ab/{q}", json!({"q": "1"})),
        );
    }
}

fn braces(drafts: &mut CompositionDrafts) {
    let left = group(
        10,
        Refuse,
        "a brace of the author's that has no partner, or no name",
    );
    for template in [
        "/f/{a}}",
        "/f/{{a}}",
        "/f/{a}/{",
        "/f/{}",
        "/f/{a",
        "/f/a}",
        "/f/{a}?k={",
        "/f?k={a}}",
        "/f/{a{b}}",
        "/f/${}",
        "/f/${a",
        "/f/}{a}",
    ] {
        drafts.add_with(
            left,
            case(template, json!({"a": "x", "b": "y"})).variables(json!({"a": "x"})),
            case("/f/{a}", json!({"a": "x"})),
        );
    }
}

fn never_scanned_again(drafts: &mut CompositionDrafts) {
    let second = group(
        12,
        Either,
        "a value that names another placeholder is refused or encoded, never filled",
    );
    let own = group(
        12,
        Either,
        "a value that names itself, or holds odd braces, is refused or encoded",
    );
    let canary = "c4n4ry0000000000";
    for template in [
        "/p/{a}/q/{b}",
        "/p/{b}/q/{a}",
        "/x/{a}/{b}",
        "/p?k={a}&l={b}",
        "/p/{a}?k={b}",
        "/p/{b}?k={a}",
        "/{a}{b}",
        "/{b}/{a}/{b}",
    ] {
        for value in ["x{b}y", "{b}", "{b}{b}"] {
            drafts.add(
                second.field(60),
                case(template, json!({"a": value, "b": canary})),
            );
        }
    }
    let values: [Value; 8] = ["{a}", "{", "}", "{{b}}", "{b", "b}", "${b}", "{}"].map(Value::from);
    for value in values {
        drafts.add(
            own.field(61),
            case("/p/{a}/q/{b}", json!({"a": value, "b": canary})),
        );
        drafts.add(
            own.field(61),
            case("/p/{b}?k={a}", json!({"a": value, "b": canary})),
        );
    }
    let plain = group(
        12,
        Accept,
        "each value stands in its own places and nowhere else",
    );
    for template in [
        "/p/{a}/q/{b}",
        "/p/{b}/q/{a}",
        "/p/{a}/{a}",
        "/p?k={a}&l={b}",
        "/p/{ab}/{a}",
        "/p/{a}{ab}",
        "/{b}/{a}/{b}",
    ] {
        drafts.add(
            plain.field(61),
            case(template, json!({"a": "xy", "b": canary, "ab": "both"})),
        );
    }
}
