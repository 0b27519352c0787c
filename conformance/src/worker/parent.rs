//! The parent's side: starts workers, listens to them, and starts another when one is gone.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::child::VARIABLE;
use super::environment::{self, ProxyEnvironment};
use super::job::{Job, Message};
use super::output::Tail;
use crate::catalogue::{Requirement, RequirementId};
use crate::judge::{Fault, crashed, hidden, timed_out};
use crate::outcome::{Outcome, RowOutcome};
use crate::profile::Profile;
use crate::tree::{SCRATCH, Scratch};
use crate::trial::{Hands, Settings, Stuck};

/// How often a worker is looked at.
const LOOK: Duration = Duration::from_millis(1);

/// After so many workers that ended before their job did, the subject gets no more.
const MOST_ENDS: usize = 3;

/// A row that takes longer than this is given up, although its subject still answers.
const LONGEST_ROW: Duration = Duration::from_secs(90);

/// No worker could do its job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The worker's process or the file it answers through could not be made.
    #[error("no worker could be started: {0}")]
    Start(#[source] io::Error),
    /// The worker ended before it judged anything.
    #[error("the worker ended before it judged anything ({how}); it said: {said}")]
    NoStart {
        /// How it ended.
        how: String,
        /// What it printed last.
        said: String,
    },
    /// The worker wrote what is no message.
    #[error("the worker's answers cannot be read: {0}")]
    Unreadable(String),
}

/// Starts workers for one program.
pub struct Supervisor<'a> {
    launch: Box<dyn Fn() -> Command + Send + Sync + 'a>,
    profile: Option<Profile>,
}

impl<'a> Supervisor<'a> {
    /// A supervisor whose workers are started by the command that `launch` makes. The command has
    /// to read its [`Job`] and [`serve`](super::serve) it.
    #[must_use]
    pub fn new(launch: impl Fn() -> Command + Send + Sync + 'a) -> Self {
        Self {
            launch: Box::new(launch),
            profile: None,
        }
    }

    /// The same supervisor, whose workers hold their subject to `profile` instead of its own.
    #[must_use]
    pub fn holding_to(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Judges `rows` of the subject of that name, each in a worker, and gives one outcome a row.
    ///
    /// # Errors
    ///
    /// A [`WorkerError`] where the judge itself cannot go on. What the subject does, whatever it
    /// is, is an outcome.
    pub fn judge(
        &self,
        subject: &str,
        rows: &[&Requirement],
        settings: Settings,
    ) -> Result<Vec<RowOutcome>, WorkerError> {
        let (own, shared) = rows.iter().partition(|row| environment::is_own(row.id));
        let mut judged = self.judge_in(None, subject, shared, settings)?;
        for row in own {
            let environment = ProxyEnvironment::new().map_err(WorkerError::Start)?;
            judged.extend(self.judge_in(Some(&environment), subject, vec![row], settings)?);
        }
        Ok(judged)
    }

    /// Judges rows in workers that share one environment.
    fn judge_in(
        &self,
        environment: Option<&ProxyEnvironment>,
        subject: &str,
        mut left: Vec<&Requirement>,
        settings: Settings,
    ) -> Result<Vec<RowOutcome>, WorkerError> {
        let mut judged: Vec<RowOutcome> = Vec::with_capacity(left.len());
        let mut ends = 0;
        while !left.is_empty() {
            let ids = left.iter().map(|row| row.id).collect();
            let job = |channel| Job::new(subject, ids, settings, self.profile.clone(), channel);
            let mut command = (self.launch)();
            if let Some(environment) = environment {
                environment.set_for(&mut command);
            }
            let mut worker = Worker::start(command, job)?;
            let end = worker.listen(settings)?;
            let broken_off = worker.started.take();
            let broken_off = left.iter().find(|row| Some(row.id) == broken_off);
            let outcome = broken_off.map(|row| worker.end_of(row, &end, settings));
            if worker.outcomes.is_empty() && outcome.is_none() {
                return Err(worker.no_start(&end));
            }
            judged.append(&mut worker.outcomes);
            judged.extend(outcome);
            left.retain(|row| !judged.iter().any(|outcome| outcome.id == row.id));
            ends += 1;
            if ends >= MOST_ENDS {
                let by = judged.last().and_then(culprit);
                judged.extend(left.drain(..).map(|row| hidden(row.id, row.level, by)));
            }
        }
        Ok(judged)
    }
}

/// What of the subject's ended a worker, as its last row tells.
fn culprit(last: &RowOutcome) -> Option<Fault> {
    let panics = Fault::Panics.row(last.id);
    let masked = last.masked.map(|masked| masked.by);
    match last.outcome {
        Outcome::Crash => Some(Fault::Panics),
        Outcome::Inconclusive if masked.is_none() => None,
        _ if masked.is_some() && masked == panics => Some(Fault::Panics),
        _ => Some(Fault::Hangs),
    }
}

/// How listening to a worker ended.
enum End {
    /// The process is gone.
    Exited(ExitStatus),
    /// The process gave no sign of life.
    Silent,
    /// The row took too long, although the subject kept answering.
    Endless,
}

struct Worker {
    child: Child,
    answers: File,
    unread: Vec<u8>,
    outcomes: Vec<RowOutcome>,
    started: Option<RequirementId>,
    since: Instant,
    heard: Instant,
    asked: Option<String>,
    stdout: Tail,
    stderr: Tail,
    // Removed from the disk when the worker is dropped.
    _channel: NamedTempFile,
    _scratch: Scratch,
}

impl Worker {
    fn start(mut command: Command, job: impl FnOnce(PathBuf) -> Job) -> Result<Self, WorkerError> {
        let channel = NamedTempFile::with_prefix("proofmark-").map_err(WorkerError::Start)?;
        let answers = channel.reopen().map_err(WorkerError::Start)?;
        let scratch = Scratch::new().map_err(WorkerError::Start)?;
        command
            .env(VARIABLE, "1")
            .env(SCRATCH, scratch.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(WorkerError::Start)?;
        let job = job(channel.path().to_owned());
        let mut line =
            serde_json::to_vec(&job).map_err(|cause| WorkerError::Start(io::Error::from(cause)))?;
        line.push(b'\n');
        if let Some(mut stdin) = child.stdin.take() {
            // A worker that does not read its job ends without a word, which is reported as such.
            let _ = stdin.write_all(&line);
        }
        Ok(Self {
            stdout: Tail::of(child.stdout.take()),
            stderr: Tail::of(child.stderr.take()),
            child,
            answers,
            unread: Vec::new(),
            outcomes: Vec::new(),
            started: None,
            since: Instant::now(),
            heard: Instant::now(),
            asked: None,
            _channel: channel,
            _scratch: scratch,
        })
    }

    fn listen(&mut self, settings: Settings) -> Result<End, WorkerError> {
        let silence = settings.deadline + Duration::from_secs(3);
        loop {
            let exited = self.child.try_wait().map_err(WorkerError::Start)?;
            self.read_answers()?;
            if let Some(status) = exited {
                return Ok(End::Exited(status));
            }
            if self.heard.elapsed() > silence {
                return Ok(End::Silent);
            }
            if self.started.is_some() && self.since.elapsed() > LONGEST_ROW {
                return Ok(End::Endless);
            }
            thread::sleep(LOOK);
        }
    }

    fn read_answers(&mut self) -> Result<(), WorkerError> {
        let count = self
            .answers
            .read_to_end(&mut self.unread)
            .map_err(|cause| WorkerError::Unreadable(cause.to_string()))?;
        if count == 0 {
            return Ok(());
        }
        self.heard = Instant::now();
        while let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            let message = serde_json::from_slice(&line)
                .map_err(|cause| WorkerError::Unreadable(cause.to_string()))?;
            match message {
                Message::Start(id) => {
                    self.started = Some(id);
                    self.since = Instant::now();
                    self.asked = None;
                }
                Message::Asked(what) => self.asked = Some(what),
                // Errands are a worker's own affair.
                Message::Beat | Message::CallIds(_) | Message::NoCallIds(_) => {}
                Message::Outcome(row) => {
                    self.started = None;
                    self.outcomes.push(*row);
                }
            }
        }
        Ok(())
    }

    /// The outcome of the row that was being judged when the worker ended.
    fn end_of(&self, row: &Requirement, end: &End, settings: Settings) -> RowOutcome {
        let asked = self.asked.as_deref();
        match end {
            End::Exited(status) if is_from_outside(*status) => killed(row, &described(*status)),
            End::Exited(status) => crashed(
                row.id,
                row.level,
                &described(*status),
                asked,
                &self.last_words(),
            ),
            End::Silent => {
                let stuck = Stuck {
                    what: asked.unwrap_or("its next request").to_owned(),
                    hands: Hands::Polling,
                };
                timed_out(row.id, row.level, &stuck, settings.deadline)
            }
            End::Endless => {
                let seconds = LONGEST_ROW.as_secs();
                RowOutcome::new(row.id, row.level, Outcome::Inconclusive).because(format!(
                    "the subject answers so slowly that the row was not done after {seconds} s; ask for fewer cases"
                ))
            }
        }
    }

    fn last_words(&self) -> String {
        // The readers may still have the last bytes to take.
        thread::sleep(Duration::from_millis(5));
        let words = self.stderr.last_words();
        if words.is_empty() {
            self.stdout.last_words()
        } else {
            words
        }
    }

    fn no_start(&self, end: &End) -> WorkerError {
        let how = match end {
            End::Exited(status) => described(*status),
            End::Silent | End::Endless => "it gave no sign of life".to_owned(),
        };
        let said = self.last_words();
        WorkerError::NoStart { how, said }
    }
}

/// Whatever a worker started goes with it.
impl Drop for Worker {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            // The group is gone already where the worker left nothing behind.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the process was ended by what a person or the system sends, and no fault of its own
/// brings about: a memory limit of the worker's ends it by an abort.
fn is_from_outside(status: ExitStatus) -> bool {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return [1, 2, 9, 15].contains(&signal);
    }
    false
}

/// The outcome of a row whose worker was ended from outside: nothing is known of the subject.
fn killed(row: &Requirement, how: &str) -> RowOutcome {
    RowOutcome::new(row.id, row.level, Outcome::Inconclusive).because(format!(
        "the worker was ended from outside: {how}; judge it again, with more memory if the system has run out of it"
    ))
}

fn described(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = match signal {
            4 => " (illegal instruction)",
            6 => " (abort)",
            7 | 11 => " (memory fault)",
            9 => " (killed)",
            1 | 2 | 15 => " (asked to end)",
            _ => "",
        };
        return format!("signal {signal}{name}");
    }
    match status.code() {
        Some(code) => format!("exit code {code} without a verdict"),
        None => "an unknown end".to_owned(),
    }
}
