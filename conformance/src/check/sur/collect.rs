//! The call ids of one process: what a second process is started for.

use std::sync::{Arc, Mutex, PoisonError};

use proofmark::policy::{PolicyRefusal, RequestPolicy};
use proofmark::request::OutboundRequest;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use super::wanted::{Form, Wanted};
use crate::check::pol::canary;
use crate::profile::AuthScheme;
use crate::seed::Seed;
use crate::subject::{Surface, SurfaceEnv, SurfaceSubject, ToolCall};

const TOOL: &str = "get_item";

/// So many clients make their calls at the same time.
const CLIENTS: usize = 64;

/// Notes the id of every call and refuses it, so that nothing has to be sent.
struct Notes(Arc<Mutex<Vec<String>>>);

#[proofmark::async_trait]
impl RequestPolicy for Notes {
    async fn check(&self, request: &OutboundRequest<'_>) -> Result<(), PolicyRefusal> {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.push(request.call_id.to_owned());
        Err(PolicyRefusal::new("the judge only counts calls"))
    }
}

/// The ids under which so many calls are shown to a policy, half of them in each form that the
/// surface has. What a client sends along differs from one `process` to another.
pub(crate) fn collect_call_ids(
    subject: &SurfaceSubject,
    seed: Seed,
    process: u32,
    calls: u32,
) -> Result<Vec<String>, String> {
    let ids = Arc::new(Mutex::new(Vec::new()));
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| format!("no runtime can be had: {cause}"))?;
    let entered = runtime.enter();
    let surface = surface(subject, &ids)?;
    drop(entered);
    let profile = subject.profile();
    let forms: Vec<Form> = [
        (Form::Curated, profile.curated),
        (Form::Scripted, profile.scripted),
    ]
    .into_iter()
    .filter_map(|(form, declared)| declared.then_some(form))
    .collect();
    let mut rng = seed.rng(super::sur(13));
    let client = canary(&mut rng);
    let made = (0..calls).zip(forms.into_iter().cycle());
    let made = made.map(|(number, form)| call_of(form, &format!("{process}-{number}-{client}")));
    let mut made: Vec<ToolCall> = made.collect();
    runtime.block_on(async {
        let mut clients = JoinSet::new();
        let share = made.len().div_ceil(CLIENTS).max(1);
        while !made.is_empty() {
            let own = made.split_off(made.len().saturating_sub(share));
            let surface = Arc::clone(&surface);
            clients.spawn(async move {
                for call in own {
                    // How it ends is of no interest: it is refused.
                    let _ = surface.call(call).await;
                }
            });
        }
        while clients.join_next().await.is_some() {}
    });
    let ids = ids.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(ids.clone())
}

/// A call with all that a client sends along.
fn call_of(form: Form, own: &str) -> ToolCall {
    Wanted::new("GET", "/items/{id}")
        .with("id", own)
        .call(form, TOOL)
        .with_message_id(own)
        .with_meta(json!({"progressToken": own}))
        .with_header("x-request-id", own)
}

fn surface(
    subject: &SurfaceSubject,
    ids: &Arc<Mutex<Vec<String>>>,
) -> Result<Arc<dyn Surface>, String> {
    let scheme: Option<AuthScheme> = subject.profile().schemes.first().cloned();
    let tool = Wanted::new("GET", "/items/{id}").with("id", "").tool(TOOL);
    // Nobody has to listen there, for nothing is sent.
    let env = SurfaceEnv::new("http://127.0.0.1:9/v1")
        .with_credential(scheme, "a-user", "tok_FAKE_9f3A")
        .with_policy(Arc::new(Notes(Arc::clone(ids))))
        .with_tools([tool]);
    let made = subject.make(&env).map(|made| made.surface);
    made.map_err(|cause| format!("no surface can be built: {cause}"))
}
