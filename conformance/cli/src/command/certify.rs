//! `certify`: judges one subject, or every reference subject.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use clap::ValueEnum as _;
use proofmark_conformance::catalogue::{Catalogue, RequirementId, SubjectKind};
use proofmark_conformance::check;
use proofmark_conformance::judge::{Selection, not_applicable};
use proofmark_conformance::outcome::Certificate;
use proofmark_conformance::profile::Profile;
use proofmark_conformance::subject::Subject;
use proofmark_conformance::trial::Settings;
use proofmark_specimens::{Candidate, judge_all, references};

use super::End;
use crate::args::{Certify, Kind};
use crate::error::CliError;
use crate::format::certificate::{CertificateView, Origin};
use crate::progress::Progress;
use crate::{lookup, output, told, workers};

/// A profile file may be this long, in bytes.
const LONGEST_PROFILE: u64 = 1 << 20;

/// Judges what was asked for and tells the certificate.
pub(super) fn run(asked: &Certify) -> Result<End, CliError> {
    let catalogue = Catalogue::shared()?;
    let kind = asked.kind.map(Kind::subject_kind);
    let selection = selection(catalogue, &asked.only, kind)?;
    let mut supervisor = workers::supervisor()?;
    let subjects = match &asked.subject {
        None => applicable(catalogue, &selection, kind)?,
        Some(name) => {
            let subject = lookup::subject(name)?;
            match &asked.profile {
                None => vec![subject],
                Some(path) => {
                    let (held, profile) = held_to(subject.as_ref(), path)?;
                    supervisor = supervisor.holding_to(profile);
                    vec![held]
                }
            }
        }
    };
    told::prepare(&asked.told)?;
    let settings = asked.run.settings(Settings::CASES);
    let reports = {
        let progress = Progress::of(subjects.len());
        let candidate = |subject| Candidate {
            subject,
            selection: selection.clone(),
        };
        let candidates: Vec<Candidate> = subjects.into_iter().map(candidate).collect();
        judge_all(catalogue, &supervisor, &candidates, settings, &|report| {
            progress.judged(&report.name)
        })?
    };
    let certificate = Certificate::new(catalogue, settings.seed, settings.cases, reports);
    let view = CertificateView {
        certificate: &certificate,
        catalogue,
        origin: Origin::Certify {
            profile: asked.profile.clone(),
        },
    };
    told::tell(&asked.told, &view)
}

/// The selected rows. A row that would say nothing about a policy is refused: leaving it out
/// silently would look as if it had been judged.
fn selection(
    catalogue: &Catalogue,
    only: &[String],
    kind: Option<SubjectKind>,
) -> Result<Selection, CliError> {
    if only.is_empty() {
        return Ok(Selection::all());
    }
    let mut ids: Vec<RequirementId> = Vec::with_capacity(only.len());
    for text in only {
        let row = lookup::requirement(catalogue, text)?;
        let mut judged = Kind::value_variants()
            .iter()
            .map(|judged| judged.subject_kind())
            .filter(|judged| kind.is_none_or(|kind| kind == *judged));
        if !judged.any(|kind| row.subjects.contains(&kind)) {
            let about: Vec<&str> = row.subjects.iter().map(|kind| kind.as_str()).collect();
            return Err(CliError::OtherSubject {
                id: row.id,
                about: about.join(" and "),
            });
        }
        if check::find(row.id).is_none() {
            return Err(CliError::NoCheck { id: row.id });
        }
        ids.push(row.id);
    }
    Ok(Selection::only(catalogue, ids)?)
}

/// The reference subjects that a selected row applies to: the others would be said to be not
/// certified although nothing is wrong with them.
fn applicable(
    catalogue: &Catalogue,
    selection: &Selection,
    kind: Option<SubjectKind>,
) -> Result<Vec<Arc<dyn Subject>>, CliError> {
    let asked = references()
        .into_iter()
        .filter(|subject| kind.is_none_or(|kind| subject.view().kind() == kind));
    let (judged, left): (Vec<_>, Vec<_>) = asked.partition(|subject| {
        let rows = selection.rows(catalogue, subject.view().kind());
        let offered = subject.view().capabilities();
        rows.iter()
            .any(|row| not_applicable(row, &offered).is_none())
    });
    if judged.is_empty() {
        return Err(CliError::NothingApplies);
    }
    for subject in left {
        output::message(&format!(
            "left out {}: no selected requirement applies to it",
            subject.name()
        ));
    }
    Ok(judged)
}

/// The subject held to the promises of a profile file, and those promises.
fn held_to(subject: &dyn Subject, path: &Path) -> Result<(Arc<dyn Subject>, Profile), CliError> {
    let text = read_text(path).map_err(|cause| CliError::Unreadable {
        path: path.to_owned(),
        cause,
    })?;
    let no_profile = || CliError::NoProfile {
        name: subject.name().to_owned(),
    };
    let profile = Profile::from_toml(subject.view().kind(), &text).ok_or_else(no_profile)?;
    let profile = profile.map_err(|cause| CliError::Profile {
        path: path.to_owned(),
        cause,
    })?;
    let held = subject.view().held_to(&profile).ok_or_else(no_profile)?;
    Ok((held, profile))
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One byte more than is allowed tells a file that is too long.
    let length = File::open(path)?
        .take(LONGEST_PROFILE + 1)
        .read_to_string(&mut text)?;
    if u64::try_from(length).unwrap_or(u64::MAX) > LONGEST_PROFILE {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is longer than 1 MiB",
        ));
    }
    Ok(text)
}
