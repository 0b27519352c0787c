//! What came of judging the suite itself, as people and programs read it.

use proofmark_conformance::catalogue::RequirementId;
use proofmark_conformance::outcome::{Outcome, SubjectReport};
use proofmark_conformance::seed::Seed;
use proofmark_specimens::{SelfTest, Specimen};
use serde::Serialize;

use super::Document;
use super::pretty::{BAD, FAINT, GOOD, Page, STRONG, styled};

/// What came of judging the suite.
#[derive(Serialize)]
pub(crate) struct KillMatrix {
    #[serde(flatten)]
    pub(crate) selftest: SelfTest,
    pub(crate) fixtures: usize,
    pub(crate) fixtures_wrong: Vec<WrongFixture>,
    pub(crate) suite: &'static str,
    pub(crate) catalogue: &'static str,
    pub(crate) seed: Seed,
    pub(crate) cases: u32,
    pub(crate) matrix: Vec<Kill>,
}

/// A fixture whose row came to another outcome than declared; `seen` is `null` where the row was
/// not judged at all.
#[derive(Serialize)]
pub(crate) struct WrongFixture {
    pub(crate) fixture: String,
    pub(crate) id: RequirementId,
    pub(crate) declared: Outcome,
    pub(crate) seen: Option<Outcome>,
}

/// What a specimen must be convicted of, and what it was.
#[derive(Serialize)]
pub(crate) struct Kill {
    pub(crate) specimen: String,
    pub(crate) fault: &'static str,
    pub(crate) primary: RequirementId,
    pub(crate) declared: Vec<RequirementId>,
    pub(crate) failed: Vec<RequirementId>,
}

impl Kill {
    /// A line for each specimen, those of one requirement together.
    pub(crate) fn all(specimens: &[Specimen], reports: &[SubjectReport]) -> Vec<Self> {
        let kill = |specimen: &Specimen| {
            let name = specimen.subject.name();
            let report = reports.iter().find(|report| report.name == name);
            Self {
                specimen: name.to_owned(),
                fault: specimen.fault,
                primary: specimen.primary,
                declared: specimen.declared(),
                failed: report.map(SubjectReport::failed).unwrap_or_default(),
            }
        };
        let mut kills: Vec<Self> = specimens.iter().map(kill).collect();
        kills.sort_by_key(|kill| kill.primary);
        kills
    }

    /// The row that was to convict it and did, or what went wrong.
    fn line(&self, page: Page) -> String {
        let exact = self.failed == self.declared;
        let (style, mark) = match (self.failed.contains(&self.primary), exact) {
            (true, true) => (GOOD, "convicted"),
            (true, false) => (BAD, "inexact"),
            (false, _) => (BAD, "missed"),
        };
        let also = self.failed.iter().filter(|id| **id != self.primary);
        let also: Vec<String> = also.map(ToString::to_string).collect();
        let also = if also.is_empty() {
            String::new()
        } else {
            format!(" (with {})", also.join(", "))
        };
        let columns = format!("  {:<7}  ", self.primary.to_string());
        let label = format!("{}{columns}", styled(style, &format!("{mark:<9}")));
        let plain = format!("{mark:<9}{columns}");
        let text = format!("{}{also}: {}", self.specimen, self.fault);
        page.labelled(&label, &plain, &text)
    }
}

impl KillMatrix {
    /// Whether the suite can be relied on.
    pub(crate) fn holds(&self) -> bool {
        self.selftest.holds() && self.fixtures_wrong.is_empty()
    }

    /// Everything that keeps the suite from being trusted, one line each.
    fn faults(&self) -> Vec<String> {
        let selftest = &self.selftest;
        let missed = selftest.missed.iter();
        let mut faults: Vec<String> = missed
            .map(|name| format!("missed: {name} was not convicted by its primary requirement"))
            .collect();
        faults.extend(selftest.inexact.iter().map(|inexact| {
            format!(
                "inexact: {} declares {} and was convicted of {}",
                inexact.specimen,
                names(&inexact.declared),
                names(&inexact.failed)
            )
        }));
        let alarms = selftest.false_alarms.iter();
        faults.extend(alarms.map(|alarm| format!("false alarm: {alarm}")));
        let undecided = selftest.undecided.iter();
        faults.extend(undecided.map(|open| {
            format!("undecided: {open} (no false alarm, but it would not be certified; the machine may be too busy)")
        }));
        if !selftest.uncovered.is_empty() {
            faults.push(format!(
                "uncovered: no specimen is made for {}",
                names(&selftest.uncovered)
            ));
        }
        faults.extend(self.fixtures_wrong.iter().map(|wrong| {
            let seen = wrong.seen.map_or("not judged", Outcome::word);
            format!(
                "wrong fixture: {} must come to {} on {} and was {seen}",
                wrong.fixture, wrong.declared, wrong.id
            )
        }));
        if selftest.specimens == 0 {
            faults.push("empty: there is no specimen to judge the suite by".to_owned());
        }
        faults
    }
}

fn names(ids: &[RequirementId]) -> String {
    if ids.is_empty() {
        return "nothing".to_owned();
    }
    let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
    names.join(", ")
}

impl Document for KillMatrix {
    fn pretty(&self, page: Page) -> String {
        let selftest = &self.selftest;
        let mut text = styled(
            FAINT,
            &format!(
                "suite {}, catalogue {}, seed {}, {} cases",
                self.suite, self.catalogue, self.seed, self.cases
            ),
        );
        text.push_str("\n\n");
        for kill in &self.matrix {
            text.push_str(&kill.line(page));
        }
        if !self.matrix.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!(
            "convicted {} of {} specimens, {} of {} conforming subjects passed, {} of {} fixtures as declared\n",
            selftest.convicted,
            selftest.specimens,
            selftest.conforming - selftest.false_alarms.len().min(selftest.conforming),
            selftest.conforming,
            self.fixtures - self.fixtures_wrong.len().min(self.fixtures),
            self.fixtures,
        ));
        for fault in self.faults() {
            text.push_str(&page.labelled("  ", "  ", &fault));
        }
        let (verdict, next) = if self.holds() {
            (
                styled(GOOD, "the suite holds: exact, complete, no false alarm"),
                "judge your own subject: `proofmark certify`".to_owned(),
            )
        } else {
            (
                styled(BAD, "the suite does not hold"),
                format!(
                    "its verdicts cannot be relied on for the requirements named; repeat with `--seed {}` and report the lines above as a fault of proofmark",
                    self.seed
                ),
            )
        };
        text.push_str(&format!("\n{verdict}\n"));
        text.push_str(&page.labelled(&styled(STRONG, "next: "), "next: ", &next));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(texts: &[&str]) -> Vec<RequirementId> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn kill(specimen: &str, declared: &[&str], failed: &[&str]) -> Kill {
        Kill {
            specimen: specimen.to_owned(),
            fault: "what is wrong with it, told in a sentence that is longer than a line is wide",
            primary: ids(declared)[0],
            declared: ids(declared),
            failed: ids(failed),
        }
    }

    fn matrix() -> KillMatrix {
        KillMatrix {
            selftest: SelfTest::of(&[], &[], &[], &[]),
            fixtures: 2,
            fixtures_wrong: Vec::new(),
            suite: "1.2.3",
            catalogue: "2026.1",
            seed: Seed::new(0x1f),
            cases: 64,
            matrix: vec![
                kill("exact", &["POL-02"], &["POL-02"]),
                kill("also", &["POL-04", "POL-18"], &["POL-04", "POL-18"]),
            ],
        }
    }

    fn told(matrix: &KillMatrix) -> String {
        let told = matrix.pretty(Page::of_width(80));
        anstream::adapter::strip_str(&told).to_string()
    }

    #[test]
    fn a_suite_that_holds_shows_what_convicts_each_specimen() {
        let mut matrix = matrix();
        (matrix.selftest.specimens, matrix.selftest.convicted) = (2, 2);
        assert!(matrix.holds());
        insta::assert_snapshot!(told(&matrix));
    }

    #[test]
    fn a_suite_that_does_not_hold_shows_every_reason() {
        let mut matrix = matrix();
        matrix.matrix.push(kill("missed", &["POL-05"], &[]));
        matrix
            .matrix
            .push(kill("inexact", &["POL-08"], &["POL-08", "BUD-03"]));
        matrix.selftest.missed = vec!["missed".to_owned()];
        matrix.selftest.false_alarms = vec!["sound: POL-12".to_owned()];
        matrix.selftest.uncovered = ids(&["BUD-01", "BUD-02"]);
        matrix.fixtures_wrong = vec![WrongFixture {
            fixture: "fixture_sound".to_owned(),
            id: ids(&["POL-11"])[0],
            declared: Outcome::Pass,
            seen: None,
        }];
        assert!(!matrix.holds());
        insta::assert_snapshot!(told(&matrix));
    }

    #[test]
    fn a_wrong_fixture_alone_keeps_the_suite_from_holding() {
        let mut matrix = matrix();
        (matrix.selftest.specimens, matrix.selftest.convicted) = (2, 2);
        matrix.fixtures_wrong = vec![WrongFixture {
            fixture: "fixture_sound".to_owned(),
            id: ids(&["POL-11"])[0],
            declared: Outcome::Pass,
            seen: Some(Outcome::Fail),
        }];
        assert!(!matrix.holds());
    }
}
