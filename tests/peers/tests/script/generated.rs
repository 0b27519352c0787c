//! Generated scripts: both sides send the same and come to the same, or a stated difference explains
//! why not.

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::differences::explanation;
use crate::program::{Call, Expr, Operator, Part, Program, Step, binary, lit, var};
use crate::{ours, peer};

/// The variables of loops, by how deep they stand.
const ITEMS: [&str; 2] = ["outer", "inner"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => "[a-z]{0,3}".prop_map(Value::String),
        2 => (-3..4_i32).prop_map(|number| json!(number)),
        1 => Just(json!(1.5)),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ]
}

/// What may be read where so many loops stand around.
fn name(loops: usize) -> impl Strategy<Value = &'static str> {
    let known = ["v", "w", "list", "r", "s", "t"].iter().copied();
    let names: Vec<&'static str> = known.chain(ITEMS[..loops].iter().copied()).collect();
    prop::sample::select(names)
}

fn expr(loops: usize) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![2 => scalar().prop_map(Expr::Literal), 4 => name(loops).prop_map(Expr::Variable)];
    leaf.prop_recursive(3, 10, 3, move |inner| {
        let one = inner.clone().prop_map(Box::new);
        let two = (one.clone(), one.clone());
        let field = prop::sample::select(&["id", "name", "items", "path", "tags", "none"][..]);
        let index = (0..4_u32).prop_map(|at| Box::new(lit(json!(at))));
        let logic = prop::sample::select(&[Operator::And, Operator::Or, Operator::Coalesce][..]);
        let keys = prop::sample::subsequence(vec!["id", "name", "k"], 0..3);
        prop_oneof![
            4 => (one.clone(), field).prop_map(|(object, name)| Expr::Property(object, name)),
            1 => (one.clone(), index).prop_map(|(object, index)| Expr::Index(object, index)),
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Expr::List),
            1 => (keys, prop::collection::vec(inner.clone(), 3))
                .prop_map(|(keys, values)| Expr::Object(keys.into_iter().zip(values).collect())),
            2 => (logic, two.clone()).prop_map(|(logic, (l, r))| Expr::Binary(logic, l, r)),
            1 => (scalar(), inner.clone()).prop_map(|(l, r)| binary(Operator::Same, lit(l), r)),
            1 => ("[a-z]{1,2}", inner.clone())
                .prop_map(|(l, r)| binary(Operator::Add, lit(json!(l)), r)),
            1 => (one.clone(), 0..4_u32).prop_map(|(of, than)| {
                binary(Operator::Less, Expr::Length(of), lit(json!(than)))
            }),
            1 => one.clone().prop_map(Expr::Not),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(c, t, o)| Expr::Ternary(Box::new([c, t, o]))),
            1 => two.clone().prop_map(|(list, body)| Expr::Map(list, "item", body)),
            1 => two.prop_map(|(list, body)| Expr::Filter(list, "item", body)),
        ]
    })
    .boxed()
}

/// A list that most loops run through.
fn list(loops: usize) -> BoxedStrategy<Expr> {
    prop_oneof![
        4 => prop::collection::vec(scalar(), 0..4).prop_map(|items| lit(Value::Array(items))),
        2 => Just(var("list")),
        1 => expr(loops),
    ]
    .boxed()
}

fn call(loops: usize) -> BoxedStrategy<Call> {
    let text = |texts: &'static [&'static str]| prop::sample::select(texts).prop_map(Part::Text);
    let middle = prop_oneof![
        3 => text(&["/a", "/b/", "/{id}", "/x{name}", "?k={id}", "/{k}/c"]),
        2 => name(loops).prop_map(Part::Variable),
        1 => expr(loops).prop_map(Part::Expression),
    ];
    let start = text(&["/r", "/r/", "/", "/fail", "/items/"]);
    let path = (start, prop::collection::vec(middle, 0..3)).prop_map(|(start, mut path)| {
        path.insert(0, start);
        path
    });
    let fields = prop::sample::subsequence(vec!["id", "name", "k"], 0..4);
    let body = (fields, prop::collection::vec(expr(loops), 3))
        .prop_map(|(keys, values)| Expr::Object(keys.into_iter().zip(values).collect()));
    let body =
        prop_oneof![2 => Just(None), 4 => body.prop_map(Some), 1 => expr(loops).prop_map(Some)];
    let method = prop::sample::select(&["GET", "POST", "DELETE"][..]);
    (method, path, body)
        .prop_map(|(method, path, body)| Call { method, path, body })
        .boxed()
}

fn step(depth: u32, loops: usize) -> BoxedStrategy<Step> {
    let result = prop::sample::select(&["r", "s", "t"][..]);
    let kept = prop::option::weighted(0.7, result.clone());
    let simple = prop_oneof![
        6 => (kept, call(loops)).prop_map(|(into, call)| Step::Call { into, call }),
        1 => (result.clone(), prop::collection::vec(call(loops), 0..3))
            .prop_map(|(into, calls)| Step::Parallel { into, calls }),
        3 => (result, expr(loops)).prop_map(|(name, value)| Step::Assign(name, value)),
        1 => expr(loops).prop_map(Step::Return),
    ];
    let simple = if loops == 0 {
        simple.boxed()
    } else {
        let jump = prop_oneof![Just(Step::Break), Just(Step::Continue)];
        prop_oneof![6 => simple, 1 => jump].boxed()
    };
    if depth == 0 {
        return simple;
    }
    let block = move |loops| steps(depth - 1, loops, 0..3);
    let handler = prop::option::weighted(0.9, block(loops));
    let branch = (expr(loops), block(loops), block(loops));
    let attempt = (block(loops), handler, block(loops));
    let nested = prop_oneof![
        2 => branch.prop_map(|(condition, then, otherwise)| Step::If(condition, then, otherwise)),
        1 => attempt.prop_map(|(steps, handler, finally)| Step::Try {
            steps,
            catch: handler.map(|steps| ("error", steps)),
            finally,
        }),
    ];
    let looping = match ITEMS.get(loops) {
        Some(&item) => (list(loops), block(loops + 1))
            .prop_map(move |(list, body)| Step::Each(item, list, body))
            .boxed(),
        None => nested.clone().boxed(),
    };
    prop_oneof![6 => simple, 2 => nested, 2 => looping].boxed()
}

fn steps(depth: u32, loops: usize, count: std::ops::Range<usize>) -> BoxedStrategy<Program> {
    prop::collection::vec(step(depth, loops), count).boxed()
}

fn program() -> impl Strategy<Value = Program> {
    (steps(2, 0, 1..5), prop::option::of(expr(0))).prop_map(|(mut program, value)| {
        program.extend(value.map(Step::Return));
        program
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_run_a_script_alike(program in program()) {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        let ours = runtime.block_on(ours::run(&program));
        let peer = runtime.block_on(peer::run(&program));
        prop_assert!(
            ours == peer || explanation(&program, &ours, &peer).is_some(),
            "unexplained:\n ours {ours}\n peer {peer}"
        );
    }
}

/// `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(4_000)
}
