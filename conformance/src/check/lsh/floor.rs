//! LSH-11: a spawn below the floor is refused.

use std::cell::Cell;

use super::LeashTrial;
use super::shell::{SYSTEM, program};
use crate::outcome::Counterexample;
use crate::subject::{
    CaveatSpec, FenceSpec, GateSpec, ProgramSpec, SandboxChoice, SandboxSpec, Strength,
};
use crate::tree::Entry::Dir;
use crate::tree::Tree;
use crate::trial::{Finding, FreshContext, FreshGate, Judged, Stop, authorizing};

/// How running programs is restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Programs {
    All,
    ByName,
    ByPath,
}

/// Which axes are restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axes {
    fs_read: bool,
    fs_write: bool,
    programs: Programs,
    net: bool,
}

impl Axes {
    /// Every combination, those with few restricted axes first.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for programs in [Programs::All, Programs::ByName, Programs::ByPath] {
            for bits in 0..8_u8 {
                all.push(Self {
                    fs_read: bits & 1 != 0,
                    fs_write: bits & 2 != 0,
                    programs,
                    net: bits & 4 != 0,
                });
            }
        }
        all.sort_by_key(|axes| axes.restricted());
        all
    }

    fn restricted(self) -> usize {
        let axes = [
            self.fs_read,
            self.fs_write,
            self.programs != Programs::All,
            self.net,
        ];
        axes.into_iter().filter(|restricted| *restricted).count()
    }

    /// Whether something is restricted that only a sandbox can hold.
    fn needs_backend(self) -> bool {
        self.fs_read || self.fs_write || self.programs == Programs::ByPath
    }
}

/// What has to become of a spawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    Starts,
    Refused,
    /// It is not judged.
    Open,
}

/// What the requirement asks for; `report` is what the leash says of its own enforcement.
fn demand(axes: Axes, floor: Strength, has_backend: bool, report: Option<FenceSpec>) -> Demand {
    if axes.restricted() == 0 {
        return Demand::Starts;
    }
    if !has_backend {
        let bare_alone = axes.programs == Programs::ByName && axes.restricted() == 1;
        return match floor {
            _ if axes.needs_backend() => Demand::Refused,
            Strength::Advisory if bare_alone => Demand::Starts,
            Strength::Advisory => Demand::Open,
            Strength::Interceptor if bare_alone => by_report(floor, report),
            Strength::Interceptor | Strength::Kernel => Demand::Refused,
        };
    }
    by_report(floor, report)
}

/// What follows from the leash's own words.
fn by_report(floor: Strength, report: Option<FenceSpec>) -> Demand {
    let Some(report) = report else {
        return Demand::Open;
    };
    // A check in the leash's process sees nothing of what another program opens, so whether a
    // file axis below the kernel suffices is not for the report alone to say.
    let files = [report.fs_read, report.fs_write];
    let unseen = files
        .into_iter()
        .flatten()
        .any(|held| held < Strength::Kernel);
    match report.weakest() {
        Some(weakest) if weakest < floor => Demand::Refused,
        Some(_) if unseen || report.net == Some(Strength::Advisory) => Demand::Open,
        Some(_) => Demand::Starts,
        None => Demand::Open,
    }
}

/// The judge's ground: a folder for marks, and the program that leaves them.
struct Ground<'t> {
    trial: &'t LeashTrial<'t>,
    tree: Tree,
    touch: String,
    marks: Cell<u32>,
}

/// What came of one spawn.
struct Spawned {
    started: bool,
    said: String,
}

/// LSH-11.
pub(super) fn held(trial: &LeashTrial<'_>) -> Judged {
    let Some(touch) = program("touch") else {
        return Ok(Finding::Undecided(
            "this machine has no `touch` to be run".to_owned(),
        ));
    };
    let ground = Ground {
        trial,
        tree: Tree::build(&[Dir("in")])?,
        touch,
        marks: Cell::new(0),
    };
    ground.control()?;
    let mut cases = 0;
    let mut lowering = None;
    let most = if trial.share_of(4) < 4 { 2 } else { 4 };
    for sandbox in [SandboxChoice::Without, SandboxChoice::Best] {
        for axes in Axes::all() {
            if axes.restricted() > most {
                continue;
            }
            let mut started = Vec::new();
            for floor in Strength::ALL {
                let spec = GateSpec::new().floor(floor).sandbox(sandbox);
                let Some(gate) = ground.gate(&spec)? else {
                    break;
                };
                cases += 1;
                let context = gate.context(&ground.granted(axes), &CaveatSpec::top())?;
                let demand = ground.demanded(&context, axes, floor, sandbox)?;
                let spawned = ground.spawn(&context, axes)?;
                started.push(spawned.started);
                if let Some(found) = ground.wrong(&gate, &context, axes, demand, &spawned) {
                    return Ok(Finding::broken(found));
                }
            }
            // Refused for the floor alone: there it can be seen whether a floor can be lowered.
            if started == [true, true, false] || started == [true, false, false] {
                lowering = lowering.or(Some((axes, sandbox)));
            }
        }
    }
    if let Some((axes, sandbox)) = lowering
        && let Some(found) = ground.lowered(axes, sandbox)?
    {
        return Ok(Finding::broken(found));
    }
    ground.concluded(cases, lowering.is_some())
}

impl<'t> Ground<'t> {
    /// With nothing restricted the program runs and leaves its mark, at every floor.
    fn control(&self) -> Result<(), Stop> {
        let nothing = Axes {
            fs_read: false,
            fs_write: false,
            programs: Programs::All,
            net: false,
        };
        let gate = self.trial.gate(&GateSpec::new())?;
        let context = gate.context(&self.granted(nothing), &CaveatSpec::top())?;
        let spawned = self.spawn(&context, nothing)?;
        if spawned.started && self.mark_is_left() {
            return Ok(());
        }
        Err(Stop::Undecided(format!(
            "the control failed: with nothing restricted, `{}` leaves no mark: {}",
            self.touch, spawned.said
        )))
    }

    /// The gate; `None` where the leash has none of that kind.
    fn gate(&self, spec: &GateSpec) -> Result<Option<FreshGate<'t>>, Stop> {
        Ok(self.trial.leash()?.gate(spec)?.ok())
    }

    fn granted(&self, axes: Axes) -> CaveatSpec {
        let mut granted = CaveatSpec::top();
        if axes.fs_read {
            let system = SYSTEM.iter().map(|place| (*place).to_owned());
            granted = granted.fs_read(system.chain([self.tree.text("in")]));
        }
        if axes.fs_write {
            granted = granted.fs_write([self.tree.text("in")]);
        }
        if axes.net {
            granted = granted.net(["api.example.test"]);
        }
        match axes.programs {
            Programs::All => granted,
            Programs::ByName => granted.exec(["touch"]),
            Programs::ByPath => granted.exec([self.touch.as_str()]),
        }
    }

    fn mark(&self) -> String {
        self.tree.text(&format!("in/mark-{}", self.marks.get()))
    }

    fn mark_is_left(&self) -> bool {
        std::path::Path::new(&self.mark()).exists()
    }

    /// Has the context run the program, which leaves a new mark.
    fn spawn(&self, context: &FreshContext<'_>, axes: Axes) -> Result<Spawned, Stop> {
        self.marks.set(self.marks.get() + 1);
        let program = match axes.programs {
            Programs::ByName => "touch",
            Programs::All | Programs::ByPath => &self.touch,
        };
        let said = context.run(&ProgramSpec::new(program).arg(self.mark()))?;
        Ok(Spawned {
            started: said.is_ok() || self.mark_is_left(),
            said: match said {
                Ok(ran) => format!("started, held by {}", ran.sandbox),
                Err(denial) => format!("refused: {}", crate::tree::hidden(&denial.to_string())),
            },
        })
    }

    fn demanded(
        &self,
        context: &FreshContext<'_>,
        axes: Axes,
        floor: Strength,
        sandbox: SandboxChoice,
    ) -> Result<Demand, Stop> {
        let report = context.tell("its enforcement", |context| context.enforcement())?;
        let kind = context.tell("its sandbox", |context| context.sandbox_kind())?;
        let has_backend = sandbox == SandboxChoice::Best && kind != Some(SandboxSpec::None);
        // Without a word about its sandbox, what the best one holds is not known.
        if sandbox == SandboxChoice::Best && kind.is_none() && axes.restricted() > 0 {
            return Ok(by_report(floor, report));
        }
        Ok(demand(axes, floor, has_backend, report))
    }

    fn wrong(
        &self,
        gate: &FreshGate<'_>,
        context: &FreshContext<'_>,
        axes: Axes,
        demand: Demand,
        spawned: &Spawned,
    ) -> Option<Counterexample> {
        let (expected, headline) = match (demand, spawned.started) {
            (Demand::Refused, true) => (
                "refused: not every restricted axis is held at the floor",
                "a program is started although a restricted axis is below the floor",
            ),
            (Demand::Starts, false) => (
                "started: every restricted axis is held at the floor",
                "a program is refused although no restricted axis is below the floor",
            ),
            _ => return None,
        };
        let twin = if axes.restricted() == 0 {
            "at the floor Advisory it is started"
        } else {
            "with nothing restricted it is started"
        };
        Some(
            Counterexample::new(headline)
                .step(gate.spec().to_string(), "a gate")
                .step(
                    authorizing(context.granted(), &CaveatSpec::top()),
                    "a context",
                )
                .step(format!("run {:?}", self.touch), &spawned.said)
                .expected(expected)
                .seen(&spawned.said)
                .twin(twin),
        )
    }

    /// A floor that is set lower after it was set higher, when the gate is made and while it
    /// lives.
    fn lowered(&self, axes: Axes, sandbox: SandboxChoice) -> Result<Option<Counterexample>, Stop> {
        let high = GateSpec::new().sandbox(sandbox).floor(Strength::Kernel);
        let made = high.clone().floor(Strength::Advisory);
        for (spec, living) in [(made, false), (high, true)] {
            let Some(gate) = self.gate(&spec)? else {
                continue;
            };
            if living && !gate.set_floor(Strength::Advisory)? {
                continue;
            }
            let context = gate.context(&self.granted(axes), &CaveatSpec::top())?;
            let spawned = self.spawn(&context, axes)?;
            if spawned.started {
                let how = if living {
                    "then set the floor Advisory"
                } else {
                    "its floors set in this order"
                };
                return Ok(Some(
                    Counterexample::new("a floor was lowered")
                        .step(spec.to_string(), format!("a gate, {how}"))
                        .step(
                            authorizing(context.granted(), &CaveatSpec::top()),
                            "a context",
                        )
                        .step(format!("run {:?}", self.touch), &spawned.said)
                        .expected("refused, as at the floor Kernel: a floor is only ever raised")
                        .seen(&spawned.said)
                        .twin("at the floor Kernel alone it is refused, at Advisory alone started"),
                ));
            }
        }
        Ok(None)
    }

    fn concluded(&self, cases: usize, could_lower: bool) -> Judged {
        let mut notes = Vec::new();
        let hosts = Axes {
            fs_read: false,
            fs_write: false,
            programs: Programs::All,
            net: true,
        };
        let without = GateSpec::new().sandbox(SandboxChoice::Without);
        match self.gate(&without)? {
            Some(gate) => {
                let context = gate.context(&self.granted(hosts), &CaveatSpec::top())?;
                let started = self.spawn(&context, hosts)?.started;
                let said = if started { "started" } else { "refused" };
                notes.push(format!(
                    "with hosts restricted at Advisory and no sandbox, a program is {said}"
                ));
            }
            None => notes.push(
                "the leash makes no gate without its sandbox, so that was not judged".to_owned(),
            ),
        }
        if !could_lower {
            notes.push(
                "no spawn was refused for its floor alone, so lowering one was not judged"
                    .to_owned(),
            );
        }
        Ok(Finding::Noted {
            cases: cases as u64,
            note: notes.join("; "),
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held as passes, judged};
    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn the_toolkit_holds_the_floor() {
        passes("LSH-11");
    }

    #[rstest]
    #[case::floors_are_forgotten(|spec: &GateSpec| GateSpec { floors: Vec::new(), ..spec.clone() })]
    #[case::the_last_floor_counts(|spec: &GateSpec| GateSpec {
        floors: spec.floors.last().copied().into_iter().collect(),
        ..spec.clone()
    })]
    #[case::every_floor_is_kernel(|spec: &GateSpec| spec.clone().floor(Strength::Kernel))]
    fn a_gate_with_another_floor_is_convicted(#[case] spec: fn(&GateSpec) -> GateSpec) {
        let row = judged(
            "LSH-11",
            Double {
                spec,
                ..Double::SOUND
            },
        );
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn a_leash_that_ignores_restricted_files_is_convicted() {
        let blind = Double {
            grant: |granted| CaveatSpec {
                fs_read: crate::subject::ScopeSpec::All,
                ..granted.clone()
            },
            ..Double::SOUND
        };
        let row = judged("LSH-11", blind);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }
}
