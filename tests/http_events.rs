//! No event of a call holds the credential or a value, at any level. A binary of its own, for
//! subscribers are the process's.
#![cfg(test)]

#[path = "http/backend.rs"]
#[allow(dead_code)]
mod backend;

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use proofmark::executor::HttpExecutor;
use proofmark::http::{
    ApiKeyAuth, BasicAuth, BearerAuth, HttpAuthProvider, HttpCodeExecutor, HttpConfig,
};
use proofmark::path::ResolvedPath;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use backend::{Backend, Step, ok, response};

const CREDENTIAL: &str = "k7w2m9x4q8z1v5t3";

static SEEN: OnceLock<Mutex<String>> = OnceLock::new();

fn note(text: fmt::Arguments<'_>) {
    let mut seen = SEEN.get_or_init(Mutex::default).lock().unwrap();
    seen.write_fmt(text).unwrap();
    seen.push('\n');
}

struct Fields;

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        note(format_args!("{field}={value:?}"));
    }
}

struct Everything;

impl<S: tracing::Subscriber> Layer<S> for Everything {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        note(format_args!("{}", event.metadata().name()));
        event.record(&mut Fields);
    }

    fn on_new_span(&self, attributes: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        note(format_args!("{}", attributes.metadata().name()));
        attributes.record(&mut Fields);
    }

    fn on_record(&self, _: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut Fields);
    }
}

impl log::Log for Everything {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        note(*record.args());
    }

    fn flush(&self) {}
}

#[tokio::test]
async fn no_event_holds_the_credential_or_a_value() {
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Everything))
        .unwrap();
    log::set_logger(&Everything).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let providers: [Arc<dyn HttpAuthProvider>; 4] = [
        Arc::new(BearerAuth::new(CREDENTIAL).unwrap()),
        Arc::new(BasicAuth::new("reader", CREDENTIAL).unwrap()),
        Arc::new(ApiKeyAuth::in_header("X-Api-Key", CREDENTIAL).unwrap()),
        Arc::new(ApiKeyAuth::in_query("api_key", CREDENTIAL).unwrap()),
    ];
    let outcomes = [
        vec![ok("7")],
        vec![response("500 No", "")],
        vec![Step::Close],
        vec![Step::Reset],
        vec![ok("<")],
    ];
    for auth in providers {
        for outcome in outcomes.clone() {
            let backend = Backend::scripted(move |_, _| outcome.clone()).await;
            let config = HttpConfig::default()
                .with_retries(1)
                .with_retry_backoff(Duration::ZERO);
            let executor =
                HttpCodeExecutor::with_config(&backend.url(), auth.clone(), config).unwrap();
            let path = ResolvedPath::from_checked("/canary4711").unwrap();
            let _ = executor
                .execute_request("GET", path, Some(json!({"a": "canary4711"})))
                .await;
            assert!(backend.requests()[0].text().contains("canary4711"));
        }
    }
    note(format_args!("control"));
    let seen = SEEN.get().unwrap().lock().unwrap();
    let basic = "cmVhZGVyOms3dzJtOXg0cTh6MXY1dDM";
    assert!(seen.lines().count() > 1, "events are heard");
    for secret in [CREDENTIAL, basic, "canary4711"] {
        let line = seen.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}
