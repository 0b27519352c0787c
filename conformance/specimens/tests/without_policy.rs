//! SUR-16, by counting: a surface without a policy makes nothing for one. A binary of its own, for it
//! counts allocations.
#![cfg(test)]

use std::sync::Arc;

use allocation_counter::measure;
use proofmark::policy::policy_fn;
use proofmark_conformance::recorder::{Recorder, Reply};
use proofmark_conformance::subject::{
    ParameterSpec, SurfaceEnv, SurfaceSubject, ToolCall, ToolSpec,
};
use proofmark_specimens::counted_surfaces;
use serde_json::json;
use tokio::runtime::Builder;

/// The fewest allocations that one call makes: in how many pieces an answer is read is chance.
fn fewest(subject: &SurfaceSubject, env: &SurfaceEnv) -> u64 {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let surface = {
        let _entered = runtime.enter();
        subject.make(env).unwrap().surface
    };
    let call = ToolCall::new(
        "get_item",
        json!({"id": "7", "note": "a note of some length"}),
    );
    let counts = (0..16).map(|_| {
        let call = call.clone();
        let counted = measure(|| {
            assert!(runtime.block_on(surface.call(call)).is_ok());
        });
        counted.count_total
    });
    // What is kept after the first use is not counted.
    counts.skip(1).min().unwrap()
}

#[test]
fn a_surface_that_makes_something_for_a_policy_that_is_not_there_is_convicted() {
    let backend = Recorder::start(Reply::json(200, &json!({"ok": true}))).unwrap();
    let tool = ToolSpec::operation(
        "get_item",
        "GET",
        "/items/{id}",
        [ParameterSpec::path("id"), ParameterSpec::query("note")],
    );
    let env = SurfaceEnv::new(format!("{}/v1", backend.base_url())).with_tools([tool]);
    let asked = env.clone().with_policy(Arc::new(policy_fn(|_| Ok(()))));

    for counted in counted_surfaces() {
        let twin = fewest(&counted.without_hook, &env);
        let without = fewest(&counted.subject, &env);
        let with = fewest(&counted.subject, &asked);

        let name = counted.subject.name();
        assert!(with > without, "{name}: the counter does count");
        assert_eq!(
            without > twin,
            counted.is_broken,
            "{name}: {without} beside {twin}"
        );
    }
}
