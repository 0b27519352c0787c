//! A script as the public plan executor runs it.

use pmcp_code_mode::executor::{ArrayMethodCall, BinaryOperator, ObjectField, UnaryOperator};
use pmcp_code_mode::{
    ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor, PathPart, PathTemplate,
    PlanExecutor, PlanMetadata, PlanStep, ResolvedPath, ValueExpr,
};
use serde_json::Value;

use crate::program::{
    Backend, Call, Expr, MAX_CALLS, MAX_ITERATIONS, Operator, Part, Program, Seen, Step, variables,
};

#[async_trait::async_trait]
impl HttpExecutor for Backend {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let answer = self.answer(method, path.as_str(), body);
        answer.ok_or_else(|| ExecutionError::RuntimeError {
            message: "broken".to_owned(),
        })
    }
}

pub async fn run(program: &Program) -> Seen {
    let backend = Backend::default();
    let config = ExecutionConfig {
        max_api_calls: MAX_CALLS,
        max_loop_iterations: MAX_ITERATIONS,
        ..ExecutionConfig::default()
    };
    let mut executor = PlanExecutor::new(backend.clone(), config);
    for (name, value) in variables() {
        executor.set_variable(name, value);
    }
    let value = executor.execute(&plan(program)).await.ok();
    Seen {
        sent: backend.sent(),
        value: value.map(|result| result.value),
    }
}

pub fn plan(program: &[Step]) -> ExecutionPlan {
    ExecutionPlan {
        steps: steps(program),
        metadata: PlanMetadata {
            api_call_count: 0,
            has_mutations: false,
            endpoints: Vec::new(),
            methods_used: Vec::new(),
        },
    }
}

fn steps(program: &[Step]) -> Vec<PlanStep> {
    program.iter().map(step).collect()
}

fn step(step: &Step) -> PlanStep {
    match step {
        Step::Call { into, call } => PlanStep::ApiCall {
            // What the peer's compiler calls an answer that nobody keeps.
            result_var: into.unwrap_or("_").to_owned(),
            method: call.method.to_owned(),
            path: path(call),
            body: call.body.as_ref().map(expr),
        },
        Step::Parallel { into, calls } => {
            let calls = calls.iter().map(|call| {
                let body = call.body.as_ref().map(expr);
                ("_".to_owned(), call.method.to_owned(), path(call), body)
            });
            PlanStep::ParallelApiCalls {
                result_var: (*into).to_owned(),
                calls: calls.collect(),
            }
        }
        Step::Assign(name, value) => PlanStep::Assign {
            var: (*name).to_owned(),
            expr: expr(value),
        },
        Step::If(condition, then, otherwise) => PlanStep::Conditional {
            condition: expr(condition),
            then_steps: steps(then),
            else_steps: steps(otherwise),
        },
        Step::Each(item, list, body) => PlanStep::BoundedLoop {
            item_var: (*item).to_owned(),
            collection: expr(list),
            max_iterations: MAX_ITERATIONS,
            body: steps(body),
        },
        Step::Break => PlanStep::Break,
        Step::Continue => PlanStep::Continue,
        Step::Try {
            steps: tried,
            catch,
            finally,
        } => PlanStep::TryCatch {
            try_steps: steps(tried),
            catch_var: catch.as_ref().map(|(name, _)| (*name).to_owned()),
            catch_steps: catch
                .as_ref()
                .map_or_else(Vec::new, |(_, handler)| steps(handler)),
            finally_steps: steps(finally),
        },
        Step::Return(value) => PlanStep::Return { value: expr(value) },
    }
}

fn path(call: &Call) -> PathTemplate {
    let parts = call.path.iter().map(|part| match part {
        Part::Text(text) => PathPart::Literal((*text).to_owned()),
        Part::Variable(name) => PathPart::Variable((*name).to_owned()),
        Part::Expression(value) => PathPart::Expression(expr(value)),
    });
    PathTemplate {
        parts: parts.collect(),
    }
}

fn expr(value: &Expr) -> ValueExpr {
    let boxed = |value: &Expr| Box::new(expr(value));
    match value {
        Expr::Literal(value) => ValueExpr::Literal(value.clone()),
        Expr::Variable(name) => ValueExpr::Variable((*name).to_owned()),
        Expr::Property(object, name) => ValueExpr::PropertyAccess {
            object: boxed(object),
            property: (*name).to_owned(),
        },
        Expr::Length(of) => applied(of, ArrayMethodCall::Length),
        Expr::Index(object, index) => ValueExpr::ArrayIndex {
            array: boxed(object),
            index: boxed(index),
        },
        Expr::List(items) => ValueExpr::ArrayLiteral {
            items: items.iter().map(expr).collect(),
        },
        Expr::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| ObjectField::KeyValue {
                key: (*key).to_owned(),
                value: expr(value),
            });
            ValueExpr::ObjectLiteral {
                fields: fields.collect(),
            }
        }
        Expr::Binary(Operator::Coalesce, left, right) => ValueExpr::NullishCoalesce {
            left: boxed(left),
            right: boxed(right),
        },
        Expr::Binary(operator, left, right) => ValueExpr::BinaryOp {
            op: binary(*operator),
            left: boxed(left),
            right: boxed(right),
        },
        Expr::Not(operand) => ValueExpr::UnaryOp {
            op: UnaryOperator::Not,
            operand: boxed(operand),
        },
        Expr::Ternary(parts) => ValueExpr::Ternary {
            condition: boxed(&parts[0]),
            consequent: boxed(&parts[1]),
            alternate: boxed(&parts[2]),
        },
        Expr::Map(list, item, body) => {
            let (item_var, body) = ((*item).to_owned(), boxed(body));
            applied(list, ArrayMethodCall::Map { item_var, body })
        }
        Expr::Filter(list, item, body) => {
            let (item_var, predicate) = ((*item).to_owned(), boxed(body));
            applied(
                list,
                ArrayMethodCall::Filter {
                    item_var,
                    predicate,
                },
            )
        }
    }
}

fn applied(list: &Expr, method: ArrayMethodCall) -> ValueExpr {
    ValueExpr::ArrayMethod {
        array: Box::new(expr(list)),
        method,
    }
}

fn binary(operator: Operator) -> BinaryOperator {
    match operator {
        Operator::Add => BinaryOperator::Add,
        Operator::Div => BinaryOperator::Div,
        Operator::Same => BinaryOperator::StrictEq,
        Operator::Less => BinaryOperator::Lt,
        Operator::And => BinaryOperator::And,
        // `??` is an expression of its own.
        Operator::Or | Operator::Coalesce => BinaryOperator::Or,
    }
}
