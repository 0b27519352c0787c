//! A small script in the words of neither side, and what became of it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

/// How many calls a script may make.
pub const MAX_CALLS: usize = 5;
/// How many iterations a loop may run through.
pub const MAX_ITERATIONS: usize = 8;

pub type Program = Vec<Step>;

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    Call {
        into: Option<&'static str>,
        call: Call,
    },
    Parallel {
        into: &'static str,
        calls: Vec<Call>,
    },
    Assign(&'static str, Expr),
    If(Expr, Program, Program),
    Each(&'static str, Expr, Program),
    Break,
    Continue,
    Try {
        steps: Program,
        /// The variable of the handler and its steps.
        catch: Option<(&'static str, Program)>,
        finally: Program,
    },
    Return(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub method: &'static str,
    pub path: Vec<Part>,
    pub body: Option<Expr>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text(&'static str),
    Variable(&'static str),
    Expression(Expr),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Literal(Value),
    Variable(&'static str),
    Property(Box<Expr>, &'static str),
    Index(Box<Expr>, Box<Expr>),
    Length(Box<Expr>),
    List(Vec<Expr>),
    Object(Vec<(&'static str, Expr)>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Ternary(Box<[Expr; 3]>),
    /// `list.map(item => body)`.
    Map(Box<Expr>, &'static str, Box<Expr>),
    /// `list.filter(item => body)`.
    Filter(Box<Expr>, &'static str, Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Add,
    Div,
    Same,
    Less,
    And,
    Or,
    Coalesce,
}

/// What a script sent, and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub sent: Vec<Sent>,
    /// `None` for an error.
    pub value: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    pub method: String,
    pub path: String,
    pub body: Option<Value>,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Sent { method, path, body } in &self.sent {
            write!(f, "{method} {path}")?;
            if let Some(body) = body {
                write!(f, " {body}")?;
            }
            f.write_str("; ")?;
        }
        match &self.value {
            Some(value) => write!(f, "{value}"),
            None => f.write_str("error"),
        }
    }
}

/// A backend in memory: it writes down what it is sent, and fails below `/fail`.
#[derive(Clone, Default)]
pub struct Backend(Arc<Mutex<Vec<Sent>>>);

impl Backend {
    /// The answer, unless it fails.
    pub fn answer(&self, method: &str, path: &str, body: Option<Value>) -> Option<Value> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Sent {
                method: method.to_owned(),
                path: path.to_owned(),
                body,
            });
        let answer = json!({"path": path, "id": 7, "name": "n&m", "items": ["b", {"id": 9}, null]});
        (!path.starts_with("/fail")).then_some(answer)
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The variables that every script begins with.
pub fn variables() -> [(&'static str, Value); 3] {
    [
        ("v", json!("x")),
        ("w", json!({"id": 3, "tags": ["s", "t"], "none": null})),
        ("list", json!([1, "two", false])),
    ]
}

pub fn lit(value: Value) -> Expr {
    Expr::Literal(value)
}

pub fn var(name: &'static str) -> Expr {
    Expr::Variable(name)
}

pub fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

pub fn get(path: &'static str) -> Step {
    let call = Call {
        method: "GET",
        path: vec![Part::Text(path)],
        body: None,
    };
    Step::Call { into: None, call }
}

/// Whether any step of the program, those within others included, is such a one.
pub fn any_step(program: &[Step], such: &mut dyn FnMut(&Step) -> bool) -> bool {
    program.iter().any(|step| {
        such(step)
            || match step {
                Step::If(_, then, otherwise) => any_step(then, such) || any_step(otherwise, such),
                Step::Each(_, _, body) => any_step(body, such),
                Step::Try {
                    steps,
                    catch,
                    finally,
                } => {
                    any_step(steps, such)
                        || catch
                            .as_ref()
                            .is_some_and(|(_, steps)| any_step(steps, such))
                        || any_step(finally, such)
                }
                _ => false,
            }
    })
}

/// Whether any expression of the program, those within others included, is such a one.
pub fn any_expr(program: &[Step], such: &mut dyn FnMut(&Expr) -> bool) -> bool {
    any_step(program, &mut |step| {
        let own: Vec<&Expr> = match step {
            Step::Call { call, .. } => in_call(call),
            Step::Parallel { calls, .. } => calls.iter().flat_map(in_call).collect(),
            Step::Assign(_, expr)
            | Step::If(expr, ..)
            | Step::Each(_, expr, _)
            | Step::Return(expr) => vec![expr],
            Step::Break | Step::Continue | Step::Try { .. } => Vec::new(),
        };
        own.into_iter().any(|expr| holds(expr, such))
    })
}

fn in_call(call: &Call) -> Vec<&Expr> {
    let in_path = call.path.iter().filter_map(|part| match part {
        Part::Expression(expr) => Some(expr),
        Part::Text(_) | Part::Variable(_) => None,
    });
    in_path.chain(&call.body).collect()
}

fn holds(expr: &Expr, such: &mut dyn FnMut(&Expr) -> bool) -> bool {
    if such(expr) {
        return true;
    }
    match expr {
        Expr::Literal(_) | Expr::Variable(_) => false,
        Expr::Property(of, _) | Expr::Length(of) | Expr::Not(of) => holds(of, such),
        Expr::Index(one, other)
        | Expr::Binary(_, one, other)
        | Expr::Map(one, _, other)
        | Expr::Filter(one, _, other) => holds(one, such) || holds(other, such),
        Expr::List(items) => items.iter().any(|item| holds(item, such)),
        Expr::Object(fields) => fields.iter().any(|(_, field)| holds(field, such)),
        Expr::Ternary(parts) => parts.iter().any(|part| holds(part, such)),
    }
}
