//! The tools that the judge declares, as the toolkit declares them.

use pmcp_server_toolkit::config::{ParamDecl, ServerConfig, ToolDecl};
use pmcp_server_toolkit::http::{Operation, Parameter, ParameterLocation};
use proofmark_conformance::subject::{OperationSpec, ParameterSpec, Place, SurfaceEnv, ToolAction};

/// As an operation of a specification, in which every place can be declared.
pub(super) fn operation(spec: &OperationSpec) -> Operation {
    let in_body = |parameter: &ParameterSpec| parameter.place == Place::Body;
    Operation {
        method: spec.method.clone(),
        path: spec.path.clone(),
        parameters: spec.parameters.iter().map(parameter).collect(),
        has_request_body: spec.parameters.iter().any(in_body),
        base_url: None,
    }
}

fn parameter(spec: &ParameterSpec) -> Parameter {
    let location = match spec.place {
        Place::Path => ParameterLocation::Path,
        Place::Query => ParameterLocation::Query,
        Place::Header => ParameterLocation::Header,
        Place::Body => ParameterLocation::Body,
    };
    Parameter::new(&spec.name, location, spec.required).with_rules(
        spec.pattern.clone(),
        None,
        false,
    )
}

/// The configuration with the judge's tools in place of its own: one operation each, or one script.
/// Where an argument goes is decided by the toolkit there.
pub(super) fn configured(env: &SurfaceEnv, mut config: ServerConfig) -> ServerConfig {
    config.server.validation.enforce_input_schema = env.checks_schema();
    config.tools = env
        .tools()
        .iter()
        .filter_map(|tool| {
            let declared = ToolDecl {
                name: tool.name.clone(),
                ..ToolDecl::default()
            };
            Some(match &tool.action {
                ToolAction::Operation(spec) => ToolDecl {
                    path: Some(spec.path.clone()),
                    method: Some(spec.method.clone()),
                    parameters: spec.parameters.iter().map(declaration).collect(),
                    ..declared
                },
                ToolAction::Script(script) => ToolDecl {
                    script: Some(script.source()),
                    ..declared
                },
                // A tool of a kind that this crate does not know yet.
                _ => return None,
            })
        })
        .collect();
    config
}

fn declaration(spec: &ParameterSpec) -> ParamDecl {
    ParamDecl {
        name: spec.name.clone(),
        required: spec.required,
        pattern: spec.pattern.clone(),
        ..ParamDecl::default()
    }
}
