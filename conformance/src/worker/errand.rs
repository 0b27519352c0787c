//! What a worker has a second process of the same program do, which then has a memory of its own.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::job::{Job, Message};
use crate::check::collect_call_ids;
use crate::subject::{Subject, SurfaceSubject, View};
use crate::tree::SCRATCH;
use crate::trial::Settings;

/// How often the second process is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// What a second process is started for, instead of judging rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Errand {
    /// To make calls and note their ids.
    CallIds {
        /// Which of several processes it is.
        process: u32,
        /// How many calls it makes.
        calls: u32,
    },
}

impl Errand {
    /// Starts this very process once more, with the same arguments and another job.
    pub(crate) fn start(self, subject: &SurfaceSubject, settings: Settings) -> io::Result<Sent> {
        let scratch = env::var_os(SCRATCH).map_or_else(env::temp_dir, PathBuf::from);
        let channel = NamedTempFile::with_prefix_in("proofmark-", scratch)?;
        let profile = Some(subject.profile().clone().into());
        let place = channel.path().to_owned();
        let job = Job::new(subject.name(), Vec::new(), settings, profile, place).for_errand(self);
        let mut child = Command::new(env::current_exe()?)
            .args(env::args_os().skip(1))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = serde_json::to_vec(&job)?;
        line.push(b'\n');
        if let Some(mut stdin) = child.stdin.take() {
            // A process that does not read its job gives no answer, which is reported as such.
            let _ = stdin.write_all(&line);
        }
        Ok(Sent { child, channel })
    }

    /// Does the errand in this process, and gives what is to be told.
    pub(super) fn run(self, subject: &dyn Subject, settings: Settings) -> Message {
        let Self::CallIds { process, calls } = self;
        let collected = match subject.view() {
            View::Surface(surface) => collect_call_ids(surface, settings.seed, process, calls),
            _ => Err("the subject is no surface".to_owned()),
        };
        match collected {
            Ok(ids) => Message::CallIds(ids),
            Err(cause) => Message::NoCallIds(cause),
        }
    }
}

/// A second process on its errand; it is ended when this is dropped.
pub(crate) struct Sent {
    child: Child,
    channel: NamedTempFile,
}

impl Sent {
    /// Waits so long for the ids that it was sent for.
    pub(crate) fn call_ids(mut self, patience: Duration) -> io::Result<Vec<String>> {
        let started = Instant::now();
        while self.child.try_wait()?.is_none() {
            if started.elapsed() > patience {
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            }
            thread::sleep(LOOK);
        }
        let answer = fs::read_to_string(self.channel.path())?;
        let messages = answer.lines().map(serde_json::from_str);
        for message in messages {
            match message? {
                Message::CallIds(ids) => return Ok(ids),
                Message::NoCallIds(cause) => return Err(io::Error::other(cause)),
                _ => {}
            }
        }
        Err(io::Error::other("it ended without an answer"))
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        // It is gone already where it came to its end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
