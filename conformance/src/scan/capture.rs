//! Captures everything that `tracing` is told, at every level, to be scanned.

use std::error::Error;
use std::fmt::{self, Debug, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use super::{TextKind, TextSource};

/// A layer that keeps every field of every event and span, whatever its level and target.
///
/// Clones share what they capture. Install one, run the subject, and assert over the other.
///
/// ```
/// use proofmark_conformance::scan::{TraceCapture, assert_no_credential};
/// use tracing_subscriber::layer::SubscriberExt as _;
///
/// let capture = TraceCapture::new();
/// let subscriber = tracing_subscriber::registry().with(capture.clone());
/// tracing::subscriber::with_default(subscriber, || {
///     tracing::trace!(url = "https://api.example.test/v1", "sent");
/// });
///
/// assert_eq!(capture.events(), 1);
/// assert_no_credential!("tok_FAKE_9f3A", capture);
/// ```
#[derive(Clone, Default)]
pub struct TraceCapture {
    shared: Arc<Mutex<Captured>>,
}

#[derive(Default)]
struct Captured {
    events: usize,
    spans: usize,
    /// Place and text of each field.
    fields: Vec<(String, String)>,
}

impl TraceCapture {
    /// An empty capture.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many events it saw. None at all is a reason to ask whether it was installed.
    #[must_use]
    pub fn events(&self) -> usize {
        self.captured().events
    }

    fn keep(&self, recorder: Recorder) {
        self.captured().fields.extend(recorder.fields);
    }

    fn captured(&self) -> MutexGuard<'_, Captured> {
        // A thread that panicked while it logged leaves whole fields behind.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for TraceCapture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceCapture")
            .field("events", &self.events())
            .finish_non_exhaustive()
    }
}

impl TextSource for TraceCapture {
    fn texts(&self, show: &mut dyn FnMut(&str, TextKind, &[u8])) {
        for (place, text) in &self.captured().fields {
            show(place, TextKind::String, text.as_bytes());
        }
    }
}

/// Gathers the fields of one event or span. The capture is not locked meanwhile: a value may log
/// while it is printed.
struct Recorder {
    place: String,
    fields: Vec<(String, String)>,
}

impl Recorder {
    fn new(place: String) -> Self {
        Self {
            place,
            fields: Vec::new(),
        }
    }

    fn add(&mut self, name: &str, text: String) {
        let place = format!("field `{name}` of {}", self.place);
        self.fields.push((place, text));
    }

    fn metadata(&mut self, metadata: &Metadata<'_>) {
        self.add("(name)", metadata.name().to_owned());
        self.add("(target)", metadata.target().to_owned());
    }
}

impl Visit for Recorder {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), value.to_owned());
    }

    fn record_bytes(&mut self, field: &Field, value: &[u8]) {
        self.add(field.name(), format!("{value:?}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let mut text = format!("{value}\n{value:?}");
        let mut next = value.source();
        // An endless chain would not be printed either.
        for _ in 0..64 {
            let Some(source) = next else {
                break;
            };
            let _ = write!(text, "\n{source}\n{source:?}");
            next = source.source();
        }
        self.add(field.name(), text);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field.name(), format!("{value:?}"));
    }
}

impl<S: Subscriber> Layer<S> for TraceCapture {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::always()
    }

    fn enabled(&self, _: &Metadata<'_>, _: Context<'_, S>) -> bool {
        true
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Some(Level::TRACE.into())
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let number = {
            let mut captured = self.captured();
            captured.spans += 1;
            captured.spans
        };
        let metadata = attributes.metadata();
        let mut recorder = Recorder::new(format!("span {number} ({})", metadata.level()));
        recorder.metadata(metadata);
        attributes.record(&mut recorder);
        self.keep(recorder);
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut recorder = Recorder::new("a span, recorded later".to_owned());
        values.record(&mut recorder);
        self.keep(recorder);
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let number = {
            let mut captured = self.captured();
            captured.events += 1;
            captured.events
        };
        let metadata = event.metadata();
        let mut recorder = Recorder::new(format!("event {number} ({})", metadata.level()));
        recorder.metadata(metadata);
        event.record(&mut recorder);
        self.keep(recorder);
    }
}
