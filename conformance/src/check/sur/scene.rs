//! What most checks of a surface begin with: a backend, a policy that remembers, and a surface
//! between them.

use std::sync::Arc;

use crate::check::exe::spy::{Asked, Spy, Verdict};
use crate::check::exe::stage::{Mark, Stage};
use crate::recorder::Recorded;
use crate::subject::{RequestCase, SurfaceEnv, SurfaceSubject, ToolCall, ToolSpec};
use crate::trial::{Acting, Called, Ending, Stop, Trial};

/// The path of every base URL here.
pub(in crate::check) const PREFIX: &str = "/v1";

/// A surface before a backend, under a policy.
pub(in crate::check) struct Scene<'t> {
    pub(in crate::check) stage: Stage,
    pub(in crate::check) spy: Arc<Spy>,
    pub(in crate::check) surface: Acting<'t>,
}

/// What one call came to.
#[derive(Debug, Clone)]
pub(in crate::check) struct Sight {
    pub(in crate::check) called: Called,
    /// The requests that the backend recorded meanwhile.
    pub(in crate::check) requests: Vec<Recorded>,
    /// What the policy was shown meanwhile.
    pub(in crate::check) views: Vec<RequestCase>,
    /// Whether the backend heard not a byte meanwhile.
    pub(in crate::check) silent: bool,
}

impl Sight {
    /// All of it in one line.
    pub(in crate::check) fn told(&self) -> String {
        let sent: Vec<String> = self.requests.iter().map(ToString::to_string).collect();
        let seen: Vec<String> = self.views.iter().map(ToString::to_string).collect();
        let told = |texts: Vec<String>, none: &str| match texts.len() {
            0 => none.to_owned(),
            1..=3 => texts.join(" and "),
            many => format!("{many} requests, first {}", texts[0]),
        };
        format!(
            "the policy was shown {}, {} was sent, and it ended in {}",
            told(seen, "nothing"),
            told(sent, "nothing"),
            self.called
        )
    }
}

/// A stage for the first declared scheme.
pub(in crate::check) fn stage(trial: &Trial<'_, SurfaceSubject>) -> Result<Stage, Stop> {
    Stage::with(trial.rng(), trial.profile().schemes.first().cloned())
}

/// An ordinary environment before the backend, under a policy.
pub(in crate::check) fn env(stage: &Stage, spy: &Arc<Spy>) -> SurfaceEnv {
    SurfaceEnv::new(format!("{}{PREFIX}", stage.backend.base_url()))
        .with_credential(stage.scheme.clone(), &stage.user, &stage.credential)
        .with_policy(Arc::new(Asked(Arc::clone(spy))))
}

impl<'t> Scene<'t> {
    /// A scene with these tools, under a policy that allows everything.
    pub(in crate::check) fn new(
        trial: &'t Trial<'_, SurfaceSubject>,
        tools: impl IntoIterator<Item = ToolSpec>,
    ) -> Result<Self, Stop> {
        Self::under(trial, stage(trial)?, Verdict::Allow, tools)
    }

    /// A scene with these tools, under a policy that decides so.
    pub(in crate::check) fn under(
        trial: &'t Trial<'_, SurfaceSubject>,
        stage: Stage,
        verdict: Verdict,
        tools: impl IntoIterator<Item = ToolSpec>,
    ) -> Result<Self, Stop> {
        let spy = Spy::new(verdict);
        let env = env(&stage, &spy).with_tools(tools);
        Self::built(trial, stage, spy, &env)
    }

    /// A scene whose surface is built from this environment.
    pub(in crate::check) fn built(
        trial: &'t Trial<'_, SurfaceSubject>,
        stage: Stage,
        spy: Arc<Spy>,
        env: &SurfaceEnv,
    ) -> Result<Self, Stop> {
        Ok(Self {
            surface: trial.surface(env)?,
            stage,
            spy,
        })
    }

    /// Makes a call, and looks at what was seen and heard meanwhile.
    pub(in crate::check) fn see(&self, call: &ToolCall) -> Result<Sight, Stop> {
        let mark = Mark::of(&self.stage.backend);
        let before = self.spy.seen().len();
        let called = self.surface.call(call)?;
        let heard = mark.observed(&self.stage.backend, Ending::Unanswered);
        Ok(Sight {
            called,
            requests: heard.requests,
            views: self.spy.seen().split_off(before),
            silent: heard.silent,
        })
    }

    /// As [`see`](Self::see), for a call that has to be answered, shown and sent.
    pub(in crate::check) fn control(&self, call: &ToolCall) -> Result<Sight, Stop> {
        let sight = self.see(call)?;
        if sight.called.is_value() && !sight.views.is_empty() && !sight.requests.is_empty() {
            return Ok(sight);
        }
        Err(Stop::Undecided(format!(
            "the control failed: `{call}` is not shown to the policy, sent and answered: {}",
            sight.told()
        )))
    }

    /// The target of a request, without the base URL's path and what authentication adds.
    pub(in crate::check) fn target(&self, request: &Recorded) -> Vec<u8> {
        let target = self.stage.target(request);
        target
            .strip_prefix(PREFIX.as_bytes())
            .unwrap_or(&target)
            .to_vec()
    }
}
