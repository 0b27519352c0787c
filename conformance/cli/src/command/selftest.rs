//! `selftest`: judges the suite by its specimens, its look-alikes and its fixtures.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use proofmark_conformance::catalogue::{Catalogue, RequirementId};
use proofmark_conformance::check;
use proofmark_conformance::judge::Selection;
use proofmark_conformance::outcome::{Outcome, SubjectReport};
use proofmark_conformance::subject::Subject;
use proofmark_conformance::trial::Settings;
use proofmark_conformance::worker::Supervisor;
use proofmark_specimens::{
    Candidate, Fixture, LookAlike, SelfTest, Specimen, fixtures, judge_all, look_alikes, specimens,
};

use super::End;
use crate::args::Selftest;
use crate::error::CliError;
use crate::format::kill_matrix::{Kill, KillMatrix, WrongFixture};
use crate::progress::Progress;
use crate::{lookup, workers};

/// Cases tried unless told otherwise: specimens are made to be found quickly.
const CASES: u32 = 64;

/// The deadline for fixtures that never answer: they do not answer sooner for being waited on.
const SHORT: Duration = Duration::from_secs(1);

/// So many fixtures are judged at a time.
const AT_A_TIME: usize = 2;

/// Judges every specimen, look-alike and fixture and prints the kill matrix.
pub(super) fn run(asked: &Selftest) -> Result<End, CliError> {
    let catalogue = Catalogue::shared()?;
    let without = asked.without.as_deref();
    let judge = Judge {
        catalogue,
        supervisor: workers::supervisor()?,
        without: without
            .map(|text| checked_row(catalogue, text))
            .transpose()?,
        quick: asked.quick,
        settings: asked.run.settings(CASES),
    };
    let document = judge.matrix()?;
    asked.format.print(&document)?;
    Ok(if document.holds() {
        End::Well
    } else {
        End::Not
    })
}

fn checked_row(catalogue: &Catalogue, text: &str) -> Result<RequirementId, CliError> {
    let id = lookup::requirement(catalogue, text)?.id;
    match check::find(id) {
        Some(_) => Ok(id),
        None => Err(CliError::NoCheck { id }),
    }
}

/// What a thread came to. It only panics where the judge itself does, and its panic is passed on.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What every subject is judged by.
struct Judge {
    catalogue: &'static Catalogue,
    supervisor: Supervisor<'static>,
    without: Option<RequirementId>,
    quick: bool,
    settings: Settings,
}

impl Judge {
    /// What is left to judge by. Where a check is left out, that is what says whether its loss is
    /// noticed: the specimens that declare its row, and the fixtures of that row.
    fn subjects(&self) -> (Vec<Specimen>, Vec<LookAlike>, Vec<Fixture>) {
        let (mut specimens, mut look_alikes, mut fixtures) =
            (specimens(), look_alikes(), fixtures());
        if let Some(lost) = self.without {
            specimens.retain(|specimen| specimen.declared().contains(&lost));
            look_alikes.clear();
            fixtures.retain(|fixture| fixture.row == lost);
        }
        (specimens, look_alikes, fixtures)
    }

    fn selection(&self) -> Selection {
        self.lessened(Selection::all())
    }

    fn only(&self, rows: Vec<RequirementId>) -> Result<Selection, CliError> {
        Ok(self.lessened(Selection::only(self.catalogue, rows)?))
    }

    /// The rows but the one that is left out.
    fn lessened(&self, rows: Selection) -> Selection {
        self.without.into_iter().fold(rows, Selection::without)
    }

    /// Each look-alike and each specimen, with the rows to judge it by: what takes long begins first.
    fn candidates(
        &self,
        specimens: &[Specimen],
        look_alikes: &[LookAlike],
    ) -> Result<Vec<Candidate>, CliError> {
        let by_all = |subject: &Arc<dyn Subject>| Candidate {
            subject: subject.clone(),
            selection: self.selection(),
        };
        let broken = specimens.iter().map(|specimen| {
            let mut candidate = by_all(&specimen.subject);
            if self.quick {
                candidate.selection = self.only(specimen.declared())?;
            }
            Ok(candidate)
        });
        let conforming = look_alikes.iter().map(|alike| Ok(by_all(&alike.subject)));
        conforming.chain(broken).collect()
    }

    fn matrix(&self) -> Result<KillMatrix, CliError> {
        let (specimens, look_alikes, fixtures) = self.subjects();
        let candidates = self.candidates(&specimens, &look_alikes)?;
        let progress = Progress::of(candidates.len() + fixtures.len());
        let judged = |report: &SubjectReport| progress.judged(&report.name);
        // Most fixtures are waited for, which the others need not wait for.
        let (reports, fixtures_wrong) = thread::scope(|scope| {
            let fixtures_wrong = scope.spawn(|| self.fixtures(&fixtures, &progress));
            let (supervisor, settings) = (&self.supervisor, self.settings);
            let reports = judge_all(self.catalogue, supervisor, &candidates, settings, &judged);
            (reports, joined(fixtures_wrong))
        });
        let (reports, fixtures_wrong) = (reports?, fixtures_wrong?);
        // The rows that have a check, whether or not it was left out: a row that lost its check
        // must be missed.
        let judged: Vec<_> = self
            .catalogue
            .iter()
            .filter(|row| check::find(row.id).is_some())
            .filter(|row| self.without.is_none_or(|lost| lost == row.id))
            .collect();
        Ok(KillMatrix {
            selftest: SelfTest::of(&specimens, &look_alikes, &reports, &judged),
            fixtures: fixtures.len(),
            fixtures_wrong,
            suite: env!("CARGO_PKG_VERSION"),
            catalogue: self.catalogue.version(),
            seed: self.settings.seed,
            cases: self.settings.cases,
            matrix: Kill::all(&specimens, &reports),
        })
    }

    /// The fixtures whose row did not come to the declared outcome, judged a few at a time.
    fn fixtures(
        &self,
        fixtures: &[Fixture],
        progress: &Progress,
    ) -> Result<Vec<WrongFixture>, CliError> {
        let wrong = |fixture: &Fixture| -> Result<Option<WrongFixture>, CliError> {
            let seen = self.fixture(fixture)?;
            progress.judged(fixture.subject.name());
            Ok((seen != Some(fixture.outcome)).then(|| WrongFixture {
                fixture: fixture.subject.name().to_owned(),
                id: fixture.row,
                declared: fixture.outcome,
                seen,
            }))
        };
        let each_share = |share: &[Fixture]| share.iter().map(wrong).collect::<Result<Vec<_>, _>>();
        let found = thread::scope(|scope| {
            let share = fixtures.len().div_ceil(AT_A_TIME).max(1);
            let shares = fixtures.chunks(share);
            let running: Vec<_> = shares
                .map(|share| scope.spawn(move || each_share(share)))
                .collect();
            let found = running.into_iter().map(joined);
            found.collect::<Result<Vec<_>, _>>()
        })?;
        Ok(found.into_iter().flatten().flatten().collect())
    }

    fn fixture(&self, fixture: &Fixture) -> Result<Option<Outcome>, CliError> {
        let kind = fixture.subject.view().kind();
        let rows = self.selection().rows(self.catalogue, kind);
        let Some(row) = rows.into_iter().find(|row| row.id == fixture.row) else {
            return Ok(None);
        };
        let deadline = match fixture.outcome {
            Outcome::Timeout => SHORT,
            _ => self.settings.deadline,
        };
        let settings = Settings {
            deadline,
            ..self.settings
        };
        let outcomes = self
            .supervisor
            .judge(fixture.subject.name(), &[row], settings)?;
        Ok(outcomes.first().map(|row| row.outcome))
    }
}
