//! The worker's side: judges the rows of its job one after another and writes down how each ends.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::job::{Job, Message};
use super::limits;
use crate::catalogue::{Catalogue, Requirement};
use crate::judge::{judge_row, panicking_place, timed_out};
use crate::subject::Subject;
use crate::trial::{Settings, Watch};

/// Says that this process is a worker; its value is of no importance.
pub(super) const VARIABLE: &str = "PROOFMARK_WORKER";

/// How often the watch is looked at, and how often a sign of life is given.
const LOOK: Duration = Duration::from_millis(20);
const BEAT: Duration = Duration::from_millis(500);

/// Whether this process was started as a worker.
#[must_use]
pub fn is_worker() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

impl Job {
    /// Reads the job that this worker was started for.
    ///
    /// # Errors
    ///
    /// Where standard input holds none.
    pub fn from_stdin() -> io::Result<Self> {
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line)?;
        serde_json::from_str(&line).map_err(io::Error::from)
    }
}

/// Judges the rows of `job` for `subject`, held to the job's profile where it has one.
///
/// # Errors
///
/// Where the job's channel cannot be written, or the catalogue cannot be read.
pub fn serve(job: &Job, subject: &dyn Subject) -> io::Result<()> {
    limits::restrict_self();
    std::panic::set_hook(Box::new(panicking_place));
    let catalogue = Catalogue::shared().map_err(io::Error::other)?;
    let held = job
        .profile()
        .and_then(|profile| subject.view().held_to(profile));
    let subject = held.as_deref().unwrap_or(subject);
    let channel = Channel::open(job)?;
    if let Some(errand) = job.errand() {
        return channel.say(&errand.run(subject, job.settings()));
    }
    let announced = channel.clone();
    let watch = Arc::new(Watch::announcing(move |asked| {
        // A channel that is gone cannot be told so; the parent sees the silence.
        let _ = announced.say(&Message::Asked(asked.to_string()));
    }));
    let settings = job.settings();
    let current = Arc::new(Mutex::new(None));
    look_out(&channel, &watch, &current, settings);
    for id in &job.rows {
        let Some(requirement) = catalogue.get(*id) else {
            continue;
        };
        channel.say(&Message::Start(*id))?;
        *current.lock().unwrap_or_else(PoisonError::into_inner) = Some(requirement);
        if let Some(row) = judge_row(requirement, subject, settings, &watch) {
            channel.say(&Message::Outcome(Box::new(row)))?;
        }
    }
    Ok(())
}

/// Ends the process when the subject is stuck: nothing else can take its thread from it.
fn look_out(
    channel: &Channel,
    watch: &Arc<Watch>,
    current: &Arc<Mutex<Option<&'static Requirement>>>,
    settings: Settings,
) {
    let (channel, watch, current) = (channel.clone(), Arc::clone(watch), Arc::clone(current));
    thread::spawn(move || {
        let mut beaten = Instant::now();
        loop {
            thread::sleep(LOOK);
            let row = *current.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(row), Some(stuck)) = (row, watch.stuck(settings.deadline)) {
                let outcome = timed_out(row.id, row.level, &stuck, settings.deadline);
                let _ = channel.say(&Message::Outcome(Box::new(outcome)));
                process::exit(0);
            }
            if beaten.elapsed() > BEAT {
                beaten = Instant::now();
                let _ = channel.say(&Message::Beat);
            }
        }
    });
}

/// The file that the parent reads.
#[derive(Clone)]
struct Channel(Arc<Mutex<File>>);

impl Channel {
    fn open(job: &Job) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(job.channel())?;
        Ok(Self(Arc::new(Mutex::new(file))))
    }

    fn say(&self, message: &Message) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)
    }
}
