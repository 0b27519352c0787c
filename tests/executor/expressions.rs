//! What each expression is worth.

use proofmark::executor::{
    BinaryOperator as Op, Builtin, ExecutionError, MethodName as M, ObjectField, ScriptError,
    UnaryOperator, ValueExpr,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::subject::{lit, value_of, var};

fn binary(operator: Op, left: Value, right: Value) -> ValueExpr {
    ValueExpr::binary(operator, lit(left), lit(right))
}

fn method(receiver: Value, name: M, arguments: &[Value]) -> ValueExpr {
    ValueExpr::method(
        lit(receiver),
        name,
        arguments.iter().cloned().map(lit).collect(),
    )
}

fn with_function(receiver: Value, name: M, body: ValueExpr) -> ValueExpr {
    ValueExpr::method(
        lit(receiver),
        name,
        vec![ValueExpr::lambda(["x", "i"], body)],
    )
}

fn builtin(function: Builtin, arguments: &[Value]) -> ValueExpr {
    ValueExpr::Builtin {
        function,
        arguments: arguments.iter().cloned().map(lit).collect(),
    }
}

fn above_one() -> ValueExpr {
    ValueExpr::binary(Op::Gt, var("x"), lit(json!(1)))
}

#[rstest]
#[case::integers(binary(Op::Add, json!(1), json!(2)), json!(3))]
#[case::fractions(binary(Op::Add, json!(0.5), json!(0.5)), json!(1))]
#[case::texts(binary(Op::Add, json!("a"), json!(1)), json!("a1"))]
#[case::division(binary(Op::Div, json!(7), json!(2)), json!(3.5))]
#[case::remainder(binary(Op::Rem, json!(-7), json!(2)), json!(-1))]
#[case::large(binary(Op::Eq, json!(u64::MAX), json!(u64::MAX)), json!(true))]
#[case::kinds(binary(Op::Eq, json!("1"), json!(1)), json!(false))]
#[case::order(binary(Op::Lt, json!("a"), json!("b")), json!(true))]
#[case::numbers(binary(Op::Gte, json!(2), json!(2.0)), json!(true))]
#[case::and(binary(Op::And, json!(0), json!("never")), json!(0))]
#[case::or(binary(Op::Or, json!(""), json!("other")), json!("other"))]
#[case::coalesce(binary(Op::Coalesce, json!(false), json!(1)), json!(false))]
#[tokio::test]
async fn operators(#[case] expr: ValueExpr, #[case] expected: Value) {
    assert_eq!(value_of(expr, json!({})).await, Ok(expected));
}

#[rstest]
#[case(M::Map, above_one(), json!([false, true, true]))]
#[case(M::Map, var("i"), json!([0, 1, 2]))]
#[case(M::Filter, above_one(), json!([2, 3]))]
#[case(M::Find, above_one(), json!(2))]
#[case(M::Some, above_one(), json!(true))]
#[case(M::Every, above_one(), json!(false))]
#[case(M::FlatMap, ValueExpr::Array(vec![var("x"), var("i")]), json!([1, 0, 2, 1, 3, 2]))]
#[tokio::test]
async fn methods_that_take_a_function(
    #[case] name: M,
    #[case] body: ValueExpr,
    #[case] expected: Value,
) {
    let expr = with_function(json!([1, 2, 3]), name, body);
    assert_eq!(value_of(expr, json!({})).await, Ok(expected));
}

#[tokio::test]
async fn reduce_hands_on_what_it_has_so_far() {
    let sum = ValueExpr::lambda(
        ["sum", "x"],
        ValueExpr::binary(Op::Add, var("sum"), var("x")),
    );
    let expr = ValueExpr::method(lit(json!([1, 2, 3])), M::Reduce, vec![sum, lit(json!(10))]);
    assert_eq!(value_of(expr, json!({})).await, Ok(json!(16)));
}

#[rstest]
#[case(json!([1, 2, 3, 4]), M::Slice, &[json!(1), json!(-1)], json!([2, 3]))]
#[case(json!([1, 2]), M::Slice, &[json!(5)], json!([]))]
#[case(json!([1]), M::Concat, &[json!([2])], json!([1, 2]))]
#[case(json!([1, "a"]), M::Includes, &[json!("a")], json!(true))]
#[case(json!([1, "a"]), M::IndexOf, &[json!(2)], json!(-1))]
#[case(json!([1, "a", null]), M::Join, &[json!("-")], json!("1-a-null"))]
#[case(json!("héllo"), M::Slice, &[json!(1), json!(3)], json!("él"))]
#[case(json!("héllo"), M::IndexOf, &[json!("l")], json!(2))]
#[case(json!("a,b"), M::Split, &[json!(",")], json!(["a", "b"]))]
#[case(json!("ab"), M::Split, &[json!("")], json!(["a", "b"]))]
#[case(json!(" Ab "), M::Trim, &[], json!("Ab"))]
#[case(json!("Ab"), M::ToLowerCase, &[], json!("ab"))]
#[case(json!("Ab"), M::ToUpperCase, &[], json!("AB"))]
#[case(json!("abc"), M::StartsWith, &[json!("ab")], json!(true))]
#[case(json!("abc"), M::EndsWith, &[json!("ab")], json!(false))]
#[case(json!("aXbX"), M::Replace, &[json!("X"), json!("-")], json!("a-bX"))]
#[case(json!("aXbX"), M::ReplaceAll, &[json!("X"), json!("-")], json!("a-b-"))]
#[case(json!(1.256), M::ToFixed, &[json!(2)], json!("1.26"))]
#[case(json!(7), M::ToText, &[], json!("7"))]
#[tokio::test]
async fn methods(
    #[case] receiver: Value,
    #[case] name: M,
    #[case] arguments: &[Value],
    #[case] expected: Value,
) {
    assert_eq!(
        value_of(method(receiver, name, arguments), json!({})).await,
        Ok(expected)
    );
}

#[rstest]
#[case(Builtin::Number, &[json!(" 12 ")], json!(12))]
#[case(Builtin::String, &[json!(1.5)], json!("1.5"))]
#[case(Builtin::Boolean, &[json!("")], json!(false))]
#[case(Builtin::ParseInt, &[json!("12.7px")], json!(12))]
#[case(Builtin::ParseFloat, &[json!("-12.75.1")], json!(-12.75))]
#[case(Builtin::Abs, &[json!(-2)], json!(2))]
#[case(Builtin::Floor, &[json!(-1.5)], json!(-2))]
#[case(Builtin::Ceil, &[json!(1.2)], json!(2))]
#[case(Builtin::Round, &[json!(-0.5)], json!(0))]
#[case(Builtin::Min, &[json!(2), json!(1)], json!(1))]
#[case(Builtin::Max, &[json!(2), json!(1)], json!(2))]
#[case(Builtin::Keys, &[json!({"a": 1})], json!(["a"]))]
#[case(Builtin::Values, &[json!({"a": 1})], json!([1]))]
#[case(Builtin::Entries, &[json!({"a": 1})], json!([["a", 1]]))]
#[case(Builtin::IsArray, &[json!([])], json!(true))]
#[case(Builtin::Stringify, &[json!({"a": [1]})], json!("{\"a\":[1]}"))]
#[tokio::test]
async fn builtins(#[case] function: Builtin, #[case] arguments: &[Value], #[case] expected: Value) {
    assert_eq!(
        value_of(builtin(function, arguments), json!({})).await,
        Ok(expected)
    );
}

fn at(object: ValueExpr, index: Value) -> ValueExpr {
    ValueExpr::Index {
        object: Box::new(object),
        index: Box::new(lit(index)),
        optional: false,
    }
}

#[rstest]
#[case(ValueExpr::property(var("o"), "a"), json!([1, 2]))]
#[case(ValueExpr::property(var("o"), "none"), json!(null))]
#[case(ValueExpr::property(ValueExpr::property(var("o"), "a"), "length"), json!(2))]
#[case(at(ValueExpr::property(var("o"), "a"), json!(1)), json!(2))]
#[case(at(ValueExpr::property(var("o"), "a"), json!(9)), json!(null))]
#[case(at(ValueExpr::property(var("o"), "a"), json!(-1)), json!(null))]
#[case(at(var("o"), json!("a")), json!([1, 2]))]
#[case(at(lit(json!("né")), json!(1)), json!("é"))]
#[case(ValueExpr::Property { object: Box::new(lit(json!(null))), name: "a".to_owned(), optional: true }, json!(null))]
#[case(ValueExpr::Template(vec![lit(json!("n=")), lit(json!(1)), lit(json!(null))]), json!("n=1null"))]
#[case(ValueExpr::Unary { operator: UnaryOperator::Not, operand: Box::new(lit(json!(""))) }, json!(true))]
#[case(ValueExpr::Unary { operator: UnaryOperator::TypeOf, operand: Box::new(var("o")) }, json!("object"))]
#[case(ValueExpr::Object(vec![
    ObjectField::KeyValue { key: "a".to_owned(), value: lit(json!(0)) },
    ObjectField::Spread(var("o")),
    ObjectField::KeyValue { key: "b".to_owned(), value: lit(json!(1)) },
]), json!({"a": [1, 2], "b": 1}))]
#[tokio::test]
async fn access_and_construction(#[case] expr: ValueExpr, #[case] expected: Value) {
    assert_eq!(
        value_of(expr, json!({"o": {"a": [1, 2]}})).await,
        Ok(expected)
    );
}

#[rstest]
#[case(var("nowhere"), ScriptError::UndefinedVariable { name: "nowhere".to_owned() })]
#[case(ValueExpr::property(lit(json!(null)), "a"), ScriptError::NullProperty)]
#[case(binary(Op::Div, json!(1), json!(0)), ScriptError::NotFinite)]
#[case(builtin(Builtin::Number, &[json!("inf")]), ScriptError::NotFinite)]
#[case(builtin(Builtin::Min, &[]), ScriptError::NotFinite)]
#[case(binary(Op::Add, json!("a"), json!({})), ScriptError::WrongType { operation: "+" })]
#[case(binary(Op::Lt, json!("a"), json!(1)), ScriptError::WrongType { operation: "a comparison" })]
#[case(method(json!(1.5), M::ToFixed, &[json!(1e9)]), ScriptError::WrongType { operation: "toFixed" })]
#[case(ValueExpr::lambda(["x"], var("x")), ScriptError::WrongType { operation: "a function as a value" })]
#[case(method(json!([1]), M::Map, &[json!(1)]), ScriptError::WrongType { operation: "a method that takes a function" })]
#[tokio::test]
async fn what_has_no_value_is_an_error(#[case] expr: ValueExpr, #[case] expected: ScriptError) {
    assert_eq!(
        value_of(expr, json!({})).await,
        Err(ExecutionError::from(expected))
    );
}
