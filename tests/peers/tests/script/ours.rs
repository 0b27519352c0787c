//! A script as the toolkit runs it.

use proofmark::async_trait;
use proofmark::executor::{
    BackendFault, BinaryOperator, ExecutionConfig, ExecutionError, ExecutionPlan, HttpExecutor,
    Method, MethodName, ObjectField, PlanExecutor, PlanStep, PlannedCall, UnaryOperator, ValueExpr,
};
use proofmark::path::{PathPart, PathTemplate, ResolvedPath, TemplateError};
use serde_json::Value;

use crate::program::{
    Backend, Call, Expr, MAX_CALLS, MAX_ITERATIONS, Operator, Part, Program, Seen, Step, variables,
};

#[async_trait]
impl HttpExecutor for Backend {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let answer = self.answer(method, path.as_str(), body);
        answer.ok_or_else(|| BackendFault::Broken.into())
    }
}

/// Runs the script; one whose paths are no paths comes to an error at once.
pub async fn run(program: &Program) -> Seen {
    let backend = Backend::default();
    let config = ExecutionConfig::default()
        .with_max_api_calls(MAX_CALLS)
        .with_max_loop_iterations(MAX_ITERATIONS);
    let mut executor = PlanExecutor::new(backend.clone(), config);
    for (name, value) in variables() {
        executor.set_variable(name, value);
    }
    let value = match steps(program) {
        Ok(steps) => executor.execute(&ExecutionPlan::new(steps)).await.ok(),
        Err(_) => None,
    };
    Seen {
        sent: backend.sent(),
        value: value.map(|result| result.value),
    }
}

pub fn steps(program: &[Step]) -> Result<Vec<PlanStep>, TemplateError> {
    program.iter().map(step).collect()
}

fn step(step: &Step) -> Result<PlanStep, TemplateError> {
    Ok(match step {
        Step::Call { into, call } => PlanStep::ApiCall {
            result_var: into.map(str::to_owned),
            call: planned(call)?,
        },
        Step::Parallel { into, calls } => PlanStep::ParallelApiCalls {
            result_var: Some((*into).to_owned()),
            calls: calls.iter().map(planned).collect::<Result<_, _>>()?,
        },
        Step::Assign(name, value) => PlanStep::Assign {
            var: (*name).to_owned(),
            expr: expr(value),
        },
        Step::If(condition, then, otherwise) => PlanStep::Conditional {
            condition: expr(condition),
            then_steps: steps(then)?,
            else_steps: steps(otherwise)?,
        },
        Step::Each(item, list, body) => PlanStep::BoundedLoop {
            item_var: (*item).to_owned(),
            collection: expr(list),
            max_iterations: MAX_ITERATIONS,
            body: steps(body)?,
        },
        Step::Break => PlanStep::Break,
        Step::Continue => PlanStep::Continue,
        Step::Try {
            steps: tried,
            catch,
            finally,
        } => PlanStep::TryCatch {
            try_steps: steps(tried)?,
            catch_var: catch.as_ref().map(|(name, _)| (*name).to_owned()),
            catch_steps: match catch {
                Some((_, handler)) => Some(steps(handler)?),
                None => None,
            },
            finally_steps: steps(finally)?,
        },
        Step::Return(value) => PlanStep::Return { value: expr(value) },
    })
}

fn planned(call: &Call) -> Result<PlannedCall, TemplateError> {
    let parts = call.path.iter().map(|part| match part {
        Part::Text(text) => PathPart::Literal((*text).to_owned()),
        Part::Variable(name) => PathPart::Variable((*name).to_owned()),
        Part::Expression(_) => PathPart::Expression,
    });
    let expressions = call.path.iter().filter_map(|part| match part {
        Part::Expression(value) => Some(expr(value)),
        Part::Text(_) | Part::Variable(_) => None,
    });
    let method = Method::parse(call.method).expect("a method");
    let planned = PlannedCall::new(method, PathTemplate::from_parts(parts)?);
    let planned = planned.with_expressions(expressions);
    Ok(match &call.body {
        Some(body) => planned.with_body(expr(body)),
        None => planned,
    })
}

fn expr(value: &Expr) -> ValueExpr {
    let boxed = |value: &Expr| Box::new(expr(value));
    match value {
        Expr::Literal(value) => ValueExpr::Literal(value.clone()),
        Expr::Variable(name) => ValueExpr::variable(*name),
        Expr::Property(object, name) => ValueExpr::property(expr(object), *name),
        Expr::Length(of) => ValueExpr::property(expr(of), "length"),
        Expr::Index(object, index) => ValueExpr::Index {
            object: boxed(object),
            index: boxed(index),
            optional: false,
        },
        Expr::List(items) => ValueExpr::Array(items.iter().map(expr).collect()),
        Expr::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| ObjectField::KeyValue {
                key: (*key).to_owned(),
                value: expr(value),
            });
            ValueExpr::Object(fields.collect())
        }
        Expr::Binary(operator, left, right) => ValueExpr::Binary {
            operator: match operator {
                Operator::Add => BinaryOperator::Add,
                Operator::Div => BinaryOperator::Div,
                Operator::Same => BinaryOperator::Eq,
                Operator::Less => BinaryOperator::Lt,
                Operator::And => BinaryOperator::And,
                Operator::Or => BinaryOperator::Or,
                Operator::Coalesce => BinaryOperator::Coalesce,
            },
            left: boxed(left),
            right: boxed(right),
        },
        Expr::Not(operand) => ValueExpr::Unary {
            operator: UnaryOperator::Not,
            operand: boxed(operand),
        },
        Expr::Ternary(parts) => ValueExpr::Ternary {
            condition: boxed(&parts[0]),
            then: boxed(&parts[1]),
            otherwise: boxed(&parts[2]),
        },
        Expr::Map(list, item, body) => applied(list, MethodName::Map, item, body),
        Expr::Filter(list, item, body) => applied(list, MethodName::Filter, item, body),
    }
}

fn applied(list: &Expr, method: MethodName, item: &str, body: &Expr) -> ValueExpr {
    let function = ValueExpr::lambda([item], expr(body));
    ValueExpr::method(expr(list), method, vec![function])
}
