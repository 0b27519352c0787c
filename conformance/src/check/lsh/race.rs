//! LSH-13: a mediated open leaves no gap between check and use.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::LeashTrial;
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, LeashContext};
use crate::tree::Entry::{self, Dir, File as Plain, Link};
use crate::tree::Tree;
use crate::trial::{Act, Finding, FreshContext, Judged, Stop, authorizing};

/// `door` takes turns with `link`, which leads out; a file is opened behind whichever is there. Then
/// a file takes turns with `leak`, and is opened itself.
const TREE: &[Entry] = &[
    Dir("ws/door/a/b/c"),
    Dir("out/a/b/c"),
    Plain("ws/door/a/b/c/f"),
    Plain("out/a/b/c/f"),
    Plain("out/f"),
    Plain("ws/leaf"),
    Link("ws/link", "../out"),
    Link("ws/leak", "../out/f"),
];

const OPENED: &str = "ws/door/a/b/c/f";

/// What is opened in a race, the file that an escape opens, and the two names that take turns.
struct Swapped {
    opened: &'static str,
    outside: &'static str,
    names: [&'static str; 2],
}

const SWAPPED: [Swapped; 2] = [
    Swapped {
        opened: OPENED,
        outside: "out/a/b/c/f",
        names: ["ws/door", "ws/link"],
    },
    Swapped {
        opened: "ws/leaf",
        outside: "out/f",
        names: ["ws/leaf", "ws/leak"],
    },
];

/// One open in so many is followed by one for writing.
const WRITES: u64 = 4;

/// So many swaps, at least; so many opens for each that an unchecked one needs to escape.
const SWAPS: u64 = 10_000;
const OPENS_EACH: u64 = 24;
const FEWEST_OPENS: u64 = 2_000;
const MOST_OPENS: u64 = 30_000;

/// How long the control and the mediated opens may take, and how long one stretch of them lasts:
/// short of the deadline for a subject that does not come back.
const MOST_CONTROL: Duration = Duration::from_secs(3);
const MOST: Duration = Duration::from_secs(5);
const STRETCH: Duration = Duration::from_millis(300);

/// LSH-13.
pub(super) fn closed(trial: &LeashTrial<'_>) -> Judged {
    let tree = Tree::build(TREE)?;
    let grant = [tree.text("ws")];
    let granted = CaveatSpec::top().fs_read(&grant).fs_write(&grant);
    let context = trial.context(&granted)?;
    if let Some(found) = standing_still(&context, &tree)? {
        return Ok(Finding::broken(found));
    }
    for swapped in &SWAPPED {
        let race = Race {
            tree: &tree,
            swapped,
            opened: tree.at(swapped.opened),
            raw: context.raw()?,
            over: AtomicBool::new(false),
            swaps: AtomicU64::new(0),
        };
        let share = trial.share_of(SWAPS).div_ceil(SWAPPED.len() as u64);
        match race.judged(trial, &context, share)? {
            Finding::Held { .. } => {}
            found => return Ok(found),
        }
    }
    // How often it was opened meanwhile is a matter of how busy the machine is, which a report does
    // not tell.
    Ok(Finding::Held {
        cases: trial.share_of(SWAPS),
    })
}

/// Without a race: a link that leads out is not opened, and a plain file is.
fn standing_still(context: &FreshContext<'_>, tree: &Tree) -> Result<Option<Counterexample>, Stop> {
    let plain = Act::Read(tree.at(OPENED));
    match context.open(&plain)?.map(content) {
        Ok(text) if text == OPENED => {}
        _ => {
            return Err(Stop::Undecided(format!(
                "the control failed: {plain}, which is granted, is not opened"
            )));
        }
    }
    for name in ["ws/leak", "ws/link/f", "ws/../out/f", "out/f"] {
        let read = Act::Read(tree.at(name));
        let escaped = context
            .open(&read)?
            .is_ok_and(|file| content(file).starts_with("out/"));
        let write = Act::Write(tree.at(name));
        let written = !escaped && context.open(&write)?.is_ok();
        if escaped || written {
            let act = if escaped { read } else { write };
            return Ok(Some(
                Counterexample::new(format!("a mediated open follows {act} to a file outside"))
                    .step(
                        authorizing(context.granted(), &CaveatSpec::top()),
                        "a context",
                    )
                    .step(format!("a mediated open, as {act}"), "opened {tree}/out/f")
                    .expected("denied: it leads outside the grant")
                    .seen("a file outside")
                    .twin(format!(
                        "a mediated open, as {plain}, opens the file inside"
                    )),
            ));
        }
    }
    Ok(None)
}

fn content(mut file: File) -> String {
    let mut text = String::new();
    // A file that cannot be read says nothing.
    let _ = file.read_to_string(&mut text);
    text
}

struct Race<'r> {
    tree: &'r Tree,
    swapped: &'static Swapped,
    opened: PathBuf,
    raw: &'r dyn LeashContext,
    over: AtomicBool,
    swaps: AtomicU64,
}

/// What came of the mediated opens.
#[derive(Default)]
struct Mediated {
    inside: u64,
    denied: u64,
    swaps: u64,
    outside: Option<&'static str>,
}

impl Mediated {
    fn found(
        &self,
        context: &FreshContext<'_>,
        race: &Race<'_>,
        twin: &str,
    ) -> Option<Counterexample> {
        let outside = self.outside?;
        let act = Act::Read(race.opened.clone());
        let [one, other] = race.swapped.names;
        Some(
            Counterexample::new(format!(
                "a mediated open {outside} while parts of its path are swapped"
            ))
            .step(
                authorizing(context.granted(), &CaveatSpec::top()),
                "a context",
            )
            .step(
                format!(
                    "swap {{tree}}/{one} and {{tree}}/{other}, which leads out, again and again"
                ),
                "meanwhile",
            )
            .step(format!("a mediated open, as {act}"), outside)
            .expected("the file inside, or a denial")
            .seen(outside)
            .twin(twin),
        )
    }
}

/// Ends the swaps, whatever becomes of the opens.
struct Finish<'r>(&'r AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Race<'_> {
    /// One race: as many swaps as `share`, and as many opens as make an escape likely.
    fn judged(&self, trial: &LeashTrial<'_>, context: &FreshContext<'_>, share: u64) -> Judged {
        let Some(opens) = self.unchecked(trial)? else {
            return Ok(Finding::Undecided(
                "the control failed: an unchecked open never escaped, so the race was not on"
                    .to_owned(),
            ));
        };
        let most = trial.share_of(MOST_OPENS).max(FEWEST_OPENS);
        let opens = (opens * OPENS_EACH).clamp(FEWEST_OPENS, most);
        let mediated = self.mediated(trial, (share, opens))?;
        let twin = "a check followed by an unchecked open escaped in the same race";
        if let Some(found) = mediated.found(context, self, twin) {
            return Ok(Finding::broken(found));
        }
        if mediated.inside == 0 {
            return Ok(Finding::Undecided(format!(
                "the control failed: none of {} mediated opens in the race opened the file inside",
                mediated.denied
            )));
        }
        if mediated.swaps < share {
            return Ok(Finding::Undecided(format!(
                "only {} swaps of {share} were made in the time there is",
                mediated.swaps
            )));
        }
        Ok(Finding::held(1))
    }

    /// Opens while another thread swaps, until `enough` says so.
    fn run(&self, mut enough: impl FnMut() -> bool) -> Result<(), Stop> {
        self.over.store(false, Ordering::SeqCst);
        let swapped = thread::scope(|scope| {
            let swapper = scope.spawn(|| self.swap());
            {
                let _finish = Finish(&self.over);
                while !enough() && !swapper.is_finished() {}
            }
            swapper.join()
        });
        let lost = |_| Stop::Harness("the swapping thread is lost".to_owned());
        swapped.map_err(lost)?.map_err(|cause| {
            Stop::Undecided(format!("folders and links cannot be swapped here: {cause}"))
        })
    }

    /// Swaps the folder and the link, and back again.
    fn swap(&self) -> std::io::Result<()> {
        let [one, other] = self.swapped.names;
        let [door, link, aside] = [one, other, "ws/aside"].map(|name| self.tree.at(name));
        while !self.over.load(Ordering::Relaxed) {
            swap(&door, &link, &aside)?;
            swap(&door, &link, &aside)?;
            self.swaps.fetch_add(2, Ordering::Relaxed);
        }
        Ok(())
    }

    /// One stretch of the race under watch, in which `open` is called until it says that it is
    /// enough.
    fn stretch(
        &self,
        trial: &LeashTrial<'_>,
        what: &str,
        mut open: impl FnMut() -> bool,
    ) -> Result<(), Stop> {
        let started = Instant::now();
        trial.during(&what, || self.run(|| open() || started.elapsed() > STRETCH))?
    }

    /// How many times a check followed by an unchecked open is made until one escapes; `None`
    /// where none does.
    fn unchecked(&self, trial: &LeashTrial<'_>) -> Result<Option<u64>, Stop> {
        let (started, mut opens, mut escaped) = (Instant::now(), 0, false);
        while !escaped && started.elapsed() < MOST_CONTROL {
            self.stretch(trial, "checks and unchecked opens in a race", || {
                opens += 1;
                let allowed = self.raw.check_path_read(&self.opened).is_ok();
                let outside = |file| content(file).starts_with("out/");
                escaped = allowed && File::open(&self.opened).is_ok_and(outside);
                escaped
            })?;
        }
        Ok(escaped.then_some(opens))
    }

    /// Opens through the leash over so many swaps, and so many times.
    fn mediated(
        &self,
        trial: &LeashTrial<'_>,
        (swaps, opens): (u64, u64),
    ) -> Result<Mediated, Stop> {
        let started = Instant::now();
        let mut seen = Mediated::default();
        let before = self.swaps.load(Ordering::Relaxed);
        let mut done = false;
        while !done && started.elapsed() < MOST {
            self.stretch(trial, "mediated opens in a race", || {
                self.open(&mut seen);
                seen.swaps = self.swaps.load(Ordering::Relaxed) - before;
                let enough = seen.swaps >= swaps && seen.inside + seen.denied >= opens;
                done = enough || seen.outside.is_some();
                done
            })?;
        }
        Ok(seen)
    }

    /// Opens once for reading, and now and then for writing.
    fn open(&self, seen: &mut Mediated) {
        match self.raw.open_path_read(&self.opened).map(content) {
            Ok(text) if text == self.swapped.opened => seen.inside += 1,
            Ok(text) if text.starts_with("out/") => seen.outside = Some("reads a file outside"),
            Ok(_) | Err(_) => seen.denied += 1,
        }
        if (seen.inside + seen.denied).is_multiple_of(WRITES) {
            // An open for writing drops the content, so the file is filled again.
            match self.raw.open_path_write(&self.opened) {
                Ok(file) => refill(file, self.swapped.opened),
                Err(_) => seen.denied += 1,
            }
            let outside = self.swapped.outside;
            let left = fs::read_to_string(self.tree.at(outside));
            if left.is_ok_and(|left| left != outside) {
                seen.outside = Some("writes a file outside");
            }
        }
    }
}

fn refill(mut file: File, content: &str) {
    use std::io::Write;
    // A file that cannot be written is empty from now on, which counts as denied.
    let _ = file.write_all(content.as_bytes());
}

/// One swap of two names.
#[cfg(target_os = "linux")]
fn swap(one: &Path, other: &Path, aside: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        Err(_) => step_by_step(one, other, aside),
    }
}

#[cfg(not(target_os = "linux"))]
fn swap(one: &Path, other: &Path, aside: &Path) -> std::io::Result<()> {
    step_by_step(one, other, aside)
}

fn step_by_step(one: &Path, other: &Path, aside: &Path) -> std::io::Result<()> {
    fs::rename(one, aside)?;
    fs::rename(other, one)?;
    fs::rename(aside, other)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::{Denial, Leash, LeashGate, ToolkitLeash};

    #[test]
    fn the_toolkits_opens_leave_no_gap() {
        held("LSH-13");
    }

    /// What the sound check says to this authority.
    fn checked(caveats: &CaveatSpec, path: &Path, write: bool) -> Result<(), Denial> {
        let gate: Box<dyn LeashGate> = ToolkitLeash.gate(&crate::subject::GateSpec::new())?;
        let context = gate.authorize(caveats, &CaveatSpec::top())?;
        if write {
            context.check_path_write(path)
        } else {
            context.check_path_read(path)
        }
    }

    fn by_name(path: &Path, write: bool) -> Result<File, Denial> {
        let mut options = File::options();
        let options = if write {
            options.write(true).truncate(true)
        } else {
            options.read(true)
        };
        options.open(path).map_err(Denial::new)
    }

    #[rstest]
    #[case::checked_and_opened_by_name(Double {
        open: |caveats, path, write, _| {
            checked(caveats, path, write)?;
            by_name(path, write)
        },
        ..Double::SOUND
    })]
    #[case::only_reading_is_mediated(Double {
        open: |caveats, path, write, sound| {
            if !write {
                return sound;
            }
            checked(caveats, path, write)?;
            by_name(path, write)
        },
        ..Double::SOUND
    })]
    #[case::opened_by_name_alone(Double {
        open: |_, path, write, _| by_name(path, write),
        ..Double::SOUND
    })]
    fn an_open_that_can_be_led_out_is_convicted(#[case] double: Double) {
        // On a busy machine a round may go by without a single swap at the right moment.
        let convicted = (0..8).any(|_| judged("LSH-13", double).outcome == Outcome::Fail);
        assert!(convicted);
    }

    #[test]
    fn an_open_that_denies_everything_proves_nothing() {
        let closed = Double {
            open: |_, _, _, _| Err(Denial::new("no")),
            ..Double::SOUND
        };
        assert_eq!(judged("LSH-13", closed).outcome, Outcome::Inconclusive);
    }
}
