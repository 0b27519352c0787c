//! What a worker is told to do, and what it says while it does it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::errand::Errand;
use crate::catalogue::RequirementId;
use crate::outcome::RowOutcome;
use crate::profile::Profile;
use crate::seed::Seed;
use crate::trial::Settings;

/// What one worker is to judge. It reaches the worker through its standard input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The subject's name.
    pub subject: String,
    /// The rows to judge, in this order.
    pub rows: Vec<RequirementId>,
    seed: Seed,
    cases: u32,
    deadline_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    errand: Option<Errand>,
    channel: PathBuf,
}

impl Job {
    pub(super) fn new(
        subject: &str,
        rows: Vec<RequirementId>,
        settings: Settings,
        profile: Option<Profile>,
        channel: PathBuf,
    ) -> Self {
        Self {
            subject: subject.to_owned(),
            rows,
            seed: settings.seed,
            cases: settings.cases,
            deadline_ms: u64::try_from(settings.deadline.as_millis()).unwrap_or(u64::MAX),
            profile,
            errand: None,
            channel,
        }
    }

    /// The same job, for a process that runs an errand first, and has no row to judge.
    pub(super) fn for_errand(mut self, errand: Errand) -> Self {
        self.errand = Some(errand);
        self
    }

    pub(super) fn errand(&self) -> Option<Errand> {
        self.errand
    }

    pub(super) fn settings(&self) -> Settings {
        Settings {
            seed: self.seed,
            cases: self.cases,
            deadline: Duration::from_millis(self.deadline_ms),
        }
    }

    /// The profile that the subject is held to instead of its own.
    pub(super) fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    pub(super) fn channel(&self) -> &PathBuf {
        &self.channel
    }
}

/// One line of the file through which a worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Message {
    /// A row is being judged from here on.
    Start(RequirementId),
    /// The subject is about to be shown this.
    Asked(String),
    /// The worker is alive and its subject is not stuck.
    Beat,
    /// A row has been judged.
    Outcome(Box<RowOutcome>),
    /// The ids that an errand was about.
    CallIds(Vec<String>),
    /// Why there are none.
    NoCallIds(String),
}
