//! A certificate as people read it.

use std::path::PathBuf;

use proofmark_conformance::catalogue::{Catalogue, RequirementId};
use proofmark_conformance::outcome::{
    Certificate, Failure, Outcome, RowOutcome, SubjectReport, Verdict,
};
use proofmark_conformance::seed::Seed;
use proofmark_conformance::trial::Settings;
use serde::Serialize;

use super::Document;
use super::pretty::{BAD, FAINT, GOOD, OPEN, Page, STRONG, printable, styled};

/// A certificate, and how its run is repeated.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct CertificateView<'a> {
    pub(crate) certificate: &'a Certificate,
    #[serde(skip)]
    pub(crate) catalogue: &'static Catalogue,
    #[serde(skip)]
    pub(crate) origin: Origin,
}

/// Where the outcomes come from, which decides what to run again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This program judged built-in subjects.
    Certify {
        /// The profile that the subject was held to instead of its own.
        profile: Option<PathBuf>,
    },
    /// Tests under `cargo test` left them.
    Tests,
}

impl Origin {
    /// The command that judges one row again.
    fn row_again(&self, of: &SubjectReport, id: RequirementId, run: &Certificate) -> String {
        let (kind, subject) = (&of.kind, &of.name);
        match self {
            Self::Certify { profile } => {
                let profile = profile.as_ref();
                let profile = profile.map(|path| path.to_string_lossy().into_owned());
                let mut command = format!("proofmark certify {kind} --subject {}", quoted(subject));
                if let Some(profile) = profile {
                    command.push_str(&format!(" --profile {}", quoted(&profile)));
                }
                command.push_str(&format!(" --only {id}{}", steering(run.seed, run.cases)));
                command
            }
            Self::Tests => {
                let test = id.to_string().to_lowercase().replace('-', "_");
                let cases = if run.cases == Settings::CASES {
                    String::new()
                } else {
                    format!(" PROOFMARK_CASES={}", run.cases)
                };
                format!(
                    "{}={}{cases} cargo test {subject}::{test}",
                    Seed::VARIABLE,
                    run.seed
                )
            }
        }
    }

    /// What makes a partial run a whole one.
    fn whole(&self) -> &'static str {
        match self {
            Self::Certify { .. } => "run it without `--only` for a verdict on the whole subject",
            Self::Tests => {
                "rows are missing: empty the folder and run every test of the subject, without a filter"
            }
        }
    }
}

fn steering(seed: Seed, cases: u32) -> String {
    if cases == Settings::CASES {
        format!(" --seed {seed}")
    } else {
        format!(" --seed {seed} --cases {cases}")
    }
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    match shlex::try_quote(text) {
        Ok(word) => word.into_owned(),
        Err(_) => text.replace('\0', ""),
    }
}

impl Document for CertificateView<'_> {
    fn pretty(&self, page: Page) -> String {
        let run = self.certificate;
        let mut text = styled(
            FAINT,
            &format!(
                "suite {}, catalogue {}, seed {}, {} cases",
                run.suite, run.catalogue, run.seed, run.cases
            ),
        );
        text.push('\n');
        for subject in &run.subjects {
            text.push('\n');
            text.push_str(&self.subject(page, subject));
        }
        text.push('\n');
        text.push_str(&self.end(page));
        text
    }
}

impl CertificateView<'_> {
    fn subject(&self, page: Page, subject: &SubjectReport) -> String {
        let mut text = format!(
            "{}  {}, version {}\n\n",
            styled(STRONG, &printable(&subject.name)),
            printable(&subject.kind),
            printable(&subject.version)
        );
        let open = subject
            .outcomes
            .iter()
            .filter(|row| row.outcome.convicts() || row.outcome.is_open());
        let lines: String = open.map(|row| line(page, row)).collect();
        if !lines.is_empty() {
            text.push_str(&lines);
            text.push('\n');
        }
        let convicting = subject.outcomes.iter().filter(|row| row.outcome.convicts());
        for row in convicting {
            if let Some(report) = self.report(subject, row) {
                text.push_str(&report);
                text.push('\n');
            }
        }
        let not_judged = not_judged(page, subject);
        if !not_judged.is_empty() {
            text.push_str(&format!(
                "  {}\n{not_judged}\n",
                styled(FAINT, "not judged")
            ));
        }
        text.push_str(&format!("{}\n", subject.tally()));
        text.push_str(&format!("{}\n", verdict(subject.verdict)));
        text
    }

    /// The same report that a failing test gives.
    fn report(&self, subject: &SubjectReport, row: &RowOutcome) -> Option<String> {
        let again = self.origin.row_again(subject, row.id, self.certificate);
        let failure = Failure::of_row(
            self.catalogue.get(row.id)?,
            &subject.name,
            row.clone(),
            self.certificate.seed,
            again,
        );
        let report = printable(&failure.to_string());
        let (head, rest) = report.split_once('\n').unwrap_or((&report, ""));
        Some(format!("{}\n{}\n", styled(BAD, head), rest.trim_end()))
    }

    fn end(&self, page: Page) -> String {
        let subjects = &self.certificate.subjects;
        let mut text = String::new();
        if subjects.len() > 1 {
            let convicted = subjects
                .iter()
                .filter(|subject| subject.verdict == Verdict::NotCertified);
            text.push_str(&format!(
                "{} subjects, {} of them not certified; in all: {}\n",
                subjects.len(),
                convicted.count(),
                verdict(self.certificate.verdict)
            ));
        }
        text.push_str(&page.labelled(&styled(STRONG, "next: "), "next: ", &self.next_step()));
        text
    }

    fn next_step(&self) -> String {
        let rows = || {
            let subjects = self.certificate.subjects.iter();
            subjects.flat_map(|subject| &subject.outcomes)
        };
        let convicting = rows().find(|row| row.outcome.convicts());
        let undecided = rows().find(|row| row.outcome.is_open());
        if let Some(row) = rows().find(|row| row.outcome == Outcome::Error) {
            return format!(
                "{} could not be judged: mend what builds the subject; where that is sound, report the message as a fault of proofmark",
                row.id
            );
        }
        match (self.certificate.verdict, convicting, undecided) {
            (Verdict::Certified | Verdict::CertifiedWithWaivers, Some(row), _) => format!(
                "every MUST is kept; `certified-strict` needs the SHOULD rows above as well: `proofmark explain {}`",
                row.id
            ),
            (_, Some(row), _) => format!(
                "mend what the reports above show, beginning with {0}: `proofmark explain {0}` says more, and the line `again` of a report judges its row alone",
                row.id
            ),
            (_, None, Some(row)) => format!(
                "{} could not be decided: its line above says what was missing; provide it and run again, on an idle machine where time is measured",
                row.id
            ),
            (Verdict::NotCertified, None, None) => {
                "nothing was judged: no selected requirement applies to what the profile promises; select others, or promise more".to_owned()
            }
            (Verdict::Partial, None, None) => self.origin.whole().to_owned(),
            (_, None, None) => {
                "nothing is left to mend; run the same in CI to keep it so, and keep the certificate with `--out DIR`".to_owned()
            }
        }
    }
}

/// One line on a row that did not pass.
fn line(page: Page, row: &RowOutcome) -> String {
    let style = if row.outcome.convicts() { BAD } else { OPEN };
    let outcome = format!("{:<12}", row.outcome.word());
    let rest = format!("  {:<7}  {:<6}  ", row.id.to_string(), row.level);
    let plain = format!("  {outcome}{rest}");
    let label = format!("  {}{rest}", styled(style, &outcome));
    let reason = printable(row.reason.as_deref().unwrap_or("no reason was given"));
    page.labelled(&label, &plain, &reason.replace('\n', " "))
}

/// The rows about which nothing was said, those with one reason together. Rows that were left out
/// on purpose are only counted: their names are all the others.
fn not_judged(page: Page, subject: &SubjectReport) -> String {
    let mut reasons: Vec<(&str, Vec<RequirementId>)> = Vec::new();
    for row in &subject.not_judged {
        match reasons.iter_mut().find(|(reason, _)| *reason == row.reason) {
            Some((_, ids)) => ids.push(row.id),
            None => reasons.push((&row.reason, vec![row.id])),
        }
    }
    let mut text = String::new();
    for (reason, ids) in reasons {
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let rows = match names.len() {
            1 => names.join(""),
            many if reason == NOT_SELECTED => format!("{many} rows"),
            _ => names.join(", "),
        };
        let line = format!("{}: {rows}", printable(reason));
        text.push_str(&page.labelled("    ", "    ", &line));
    }
    text
}

/// The reason that reports give for a row that was filtered out.
const NOT_SELECTED: &str = "it was not selected";

fn verdict(verdict: Verdict) -> String {
    let style = match verdict {
        Verdict::NotCertified => BAD,
        Verdict::Partial => OPEN,
        _ => GOOD,
    };
    styled(style, verdict.word())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn row(id: &str, level: &str, outcome: &str) -> Value {
        json!({"id": id, "level": level, "outcome": outcome, "cases": 1, "ms": 1, "reason": null})
    }

    fn certificate(verdict: &str, rows: &[Value]) -> Certificate {
        let document = json!({
            "schema": 1, "suite": "1.2.3", "catalogue": "2026.1", "catalogue_digest": "",
            "seed": "0x1f", "cases": 256, "verdict": verdict,
            "subjects": [{
                "name": "budget\u{1b}[2J", "kind": "policy", "version": "0.1.0",
                "profile_digest": "", "verdict": verdict, "outcomes": rows,
                "not_judged": [
                    {"id": "POL-04", "reason": "the profile declares no refused pairs"},
                    {"id": "POL-12", "reason": "the profile declares no endpoints"},
                    {"id": "POL-16", "reason": "the profile declares no refused pairs"},
                    {"id": "BUD-08", "reason": NOT_SELECTED},
                    {"id": "BUD-09", "reason": NOT_SELECTED},
                ],
            }],
        });
        serde_json::from_value(document).unwrap()
    }

    fn view(certificate: &Certificate) -> CertificateView<'_> {
        CertificateView {
            certificate,
            catalogue: Catalogue::shared().unwrap(),
            origin: Origin::Certify { profile: None },
        }
    }

    #[test]
    fn a_certificate_shows_what_did_not_pass_and_what_was_not_judged() {
        let mut broken = row("BUD-02", "must", "fail");
        broken["reason"] = "the 5th of 3 requests\nis admitted".into();
        broken["counterexample"] = json!({
            "headline": "the 5th of 3 requests is admitted",
            "steps": [{"times": 5, "request": {"method": "GET", "url": "https://a.test/"}, "verdict": "allowed"}],
            "expected": "three are admitted", "seen": "five were", "twin": "the first three were",
        });
        let mut open = row("POL-09", "must", "inconclusive");
        open["reason"] = "masked by POL-01: a reason so long that it has to be broken into more than one line of the page".into();
        let rows = [row("POL-01", "must", "pass"), open, broken];
        let certificate = certificate("not-certified", &rows);
        let told = view(&certificate).pretty(Page::of_width(80));
        let told = anstream::adapter::strip_str(&told).to_string();
        // The report is a failing test's, which has tests of its own.
        let report = (
            "(?s)\n(BUD-02: ).*?\n  not judged",
            "\n${1}[report]\n\n  not judged",
        );
        insta::with_settings!({filters => vec![report]}, { insta::assert_snapshot!(told) });
    }

    #[test]
    fn a_failure_is_told_as_a_failing_test_tells_it() {
        let certificate = certificate("not-certified", &[row("POL-11", "must", "fail")]);
        let told = view(&certificate).pretty(Page::of_width(80));
        let told = anstream::adapter::strip_str(&told).to_string();
        let subject = &certificate.subjects[0];
        let failure = Failure::of_row(
            Catalogue::shared()
                .unwrap()
                .get("POL-11".parse().unwrap())
                .unwrap(),
            &subject.name,
            subject.outcomes[0].clone(),
            certificate.seed,
            r"proofmark certify policy --subject 'budget\u{1b}[2J' --only POL-11 --seed 0x1f",
        );
        let report = printable(&failure.to_string());
        assert!(told.contains(report.trim_end()), "{told}\n{report}");
    }

    #[rstest]
    #[case::certified("certified-strict", &[row("POL-01", "must", "pass")], "nothing is left to mend")]
    #[case::should("certified", &[row("POL-14", "should", "fail")], "`certified-strict` needs")]
    #[case::must("not-certified", &[row("POL-11", "must", "fail")], "beginning with POL-11")]
    #[case::open("not-certified", &[row("POL-09", "must", "inconclusive")], "POL-09 could not be decided")]
    #[case::error("not-certified", &[row("POL-01", "must", "fail"), row("POL-02", "must", "error")], "POL-02 could not be judged")]
    #[case::nothing("not-certified", &[row("POL-12", "must", "not_applicable")], "nothing was judged")]
    #[case::partial("partial", &[row("POL-01", "must", "pass")], "without `--only`")]
    fn the_end_says_what_to_do_next(
        #[case] verdict: &str,
        #[case] rows: &[Value],
        #[case] expected: &str,
    ) {
        let certificate = certificate(verdict, rows);
        let next = view(&certificate).next_step();
        assert!(next.contains(expected), "{next}");
    }

    #[rstest]
    #[case::usual(
        "policy",
        256,
        "proofmark certify policy --subject s --only POL-11 --seed 0x1f"
    )]
    #[case::few(
        "policy",
        8,
        "proofmark certify policy --subject s --only POL-11 --seed 0x1f --cases 8"
    )]
    #[case::resolver(
        "resolver",
        256,
        "proofmark certify resolver --subject s --only POL-11 --seed 0x1f"
    )]
    fn a_row_is_repeated_for_the_same_kind_with_the_same_cases(
        #[case] kind: &str,
        #[case] cases: u32,
        #[case] expected: &str,
    ) {
        let mut certificate = certificate("partial", &[]);
        certificate.cases = cases;
        let mut subject = certificate.subjects[0].clone();
        "s".clone_into(&mut subject.name);
        kind.clone_into(&mut subject.kind);
        let id = "POL-11".parse().unwrap();
        let again = Origin::Certify { profile: None }.row_again(&subject, id, &certificate);
        assert_eq!(again, expected);
    }
}
