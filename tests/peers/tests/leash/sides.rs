//! What each side says of a case: the same code, once for the toolkit and once for the public
//! crate, so that no difference can come from how they are asked.

use serde::Serialize;
use serde_json::{Value, json};

use crate::case::Fence;

macro_rules! on_both_sides {
    ($($code:tt)*) => {
        /// The toolkit.
        pub mod ours {
            use proofmark::leash as side;
            $($code)*
        }

        /// The public crate.
        pub mod peer {
            use agent_bridle_core as side;
            $($code)*
        }
    };
}

on_both_sides! {
    use std::path::Path;

    use proofmark_peers::authority::{Idle, same};

    use super::{authority, text, word};
    use crate::case::{Access, Fence, LaterCase, PathCase, Question, Session};
    use crate::tree::{Tree, as_ordinary_user};

    fn mint(caveats: &side::Caveats) -> side::ToolContext {
        let minted = side::Gate::new(0).authorize(&Idle::default(), caveats);
        minted.expect("a gate without a bound")
    }

    fn ask(cx: &side::ToolContext, access: Access, path: &Path) -> String {
        as_ordinary_user();
        word(match access {
            Access::Read => cx.check_path_read(path).is_ok(),
            Access::Write => cx.check_path_write(path).is_ok(),
        })
    }

    pub fn exec(grants: &[String], program: &str) -> String {
        let exec = side::Scope::only(grants.iter().cloned());
        let cx = mint(&side::Caveats { exec, ..side::Caveats::top() });
        word(cx.check_exec(program).is_ok())
    }

    pub fn net(grants: &[String], host: &str) -> String {
        let net = side::Scope::only(grants.iter().cloned());
        let cx = mint(&side::Caveats { net, ..side::Caveats::top() });
        word(cx.check_net(host).is_ok())
    }

    pub fn path(case: &PathCase, tree: &Tree) -> String {
        as_ordinary_user();
        let granted = side::Scope::only(case.grants.iter().map(|grant| tree.text(grant)));
        let elsewhere = side::Scope::only(case.elsewhere.iter().map(|grant| tree.text(grant)));
        let (fs_read, fs_write) = match case.access {
            Access::Read => (granted, elsewhere),
            Access::Write => (elsewhere, granted),
        };
        let cx = mint(&side::Caveats { fs_read, fs_write, ..side::Caveats::top() });
        ask(&cx, case.access, &tree.path(&case.path))
    }

    /// The context is minted, the tree changes, the path is checked.
    pub fn later(case: &LaterCase, tree: &Tree) -> String {
        let fs_read = side::Scope::only(case.grants.iter().map(|grant| tree.text(grant)));
        let cx = mint(&side::Caveats { fs_read, ..side::Caveats::top() });
        tree.change(&case.changes);
        ask(&cx, Access::Read, &tree.path(&case.path))
    }

    /// A line for each call: why it does not pass, or what its context says.
    pub fn session(session: &Session) -> String {
        let gate = match session.budget {
            None => side::Gate::new(session.generation),
            Some(budget) => side::Gate::with_budget(session.generation, same(&budget).unwrap()),
        };
        let calls = session.calls.iter().map(|call| {
            let granted = side::Caveats {
                exec: same(&call.exec[0]).unwrap(),
                max_calls: same(&call.max_calls).unwrap(),
                valid_for_generation: same(&call.generations).unwrap(),
                ..side::Caveats::top()
            };
            let need = proofmark::leash::Caveats {
                exec: call.exec[1].clone(),
                ..proofmark::leash::Caveats::top()
            };
            match gate.authorize(&Idle::needing(&need).unwrap(), &granted) {
                Ok(cx) => text(&(cx.sandbox_kind(), cx.strength_floor(), cx.caveats())),
                Err(side::ToolError::Budget) => "budget".to_owned(),
                Err(side::ToolError::Generation) => "generation".to_owned(),
                Err(_) => "another error".to_owned(),
            }
        });
        calls.collect::<Vec<_>>().join("\n")
    }

    pub fn floor(floors: &[proofmark::leash::AxisEnforcement]) -> String {
        let gate = floors.iter().fold(side::Gate::new(0), |gate, floor| {
            gate.with_strength_floor(same(floor).unwrap())
        });
        let cx = gate.authorize(&Idle::default(), &side::Caveats::top()).unwrap();
        text(&cx.strength_floor())
    }

    pub fn pair(pair: &(proofmark::leash::Caveats, proofmark::leash::Caveats)) -> String {
        let a: side::Caveats = same(&pair.0).unwrap();
        let b: side::Caveats = same(&pair.1).unwrap();
        text(&(a.leq(&b), b.leq(&a), a == b, a.meet(&b)))
    }

    /// What is read, written again.
    pub fn document(text: &str) -> String {
        match serde_json::from_str::<side::Caveats>(text) {
            Ok(caveats) => super::text(&caveats),
            Err(_) => word(false),
        }
    }

    pub fn fence(fence: &Fence) -> String {
        let caveats: side::Caveats = same(&authority(fence)).unwrap();
        let sandbox: side::SandboxKind = same(&fence.sandbox).unwrap();
        match fence.question {
            Question::Report => {
                let report = side::enforcement_report(&caveats, sandbox);
                text(&(report, side::fence_strength(&report)))
            }
            Question::InForce => {
                text(&side::effective_sandbox_kind(sandbox, &caveats))
            }
            Question::Start => {
                let floor = same(&fence.floor).unwrap();
                word(!side::confinement_unenforceable(sandbox, &caveats, floor))
            }
        }
    }

    /// Do the laws of a meet-semilattice with a top hold of these three?
    pub fn laws(three: &[proofmark::leash::Caveats; 3]) -> Result<(), &'static str> {
        let [a, b, c]: [side::Caveats; 3] = same(three).unwrap();
        let top = side::Caveats::top();
        let met = a.meet(&b);
        let laws = [
            ("meet is idempotent", a.meet(&a) == a),
            ("meet is commutative", b.meet(&a) == met),
            ("meet is associative", met.meet(&c) == a.meet(&b.meet(&c))),
            ("top is the identity", top.meet(&a) == a && a.meet(&top) == a),
            ("nothing is above top", a.leq(&top)),
            ("meet is a lower bound", met.leq(&a) && met.leq(&b)),
            ("meet is the greatest one", (c.leq(&a) && c.leq(&b)) == c.leq(&met)),
            ("leq is reflexive", a.leq(&a)),
            ("leq is antisymmetric", (a.leq(&b) && b.leq(&a)) == (a == b)),
            ("leq is transitive", !(a.leq(&b) && b.leq(&c)) || a.leq(&c)),
            ("leq is told by meet", a.leq(&b) == (met == a)),
        ];
        match laws.iter().find(|(_, holds)| !holds) {
            Some((law, _)) => Err(law),
            None => Ok(()),
        }
    }
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

fn word(allowed: bool) -> String {
    if allowed { "allow" } else { "deny" }.to_owned()
}

/// The caveats of a fence, as text that both sides read.
fn authority(fence: &Fence) -> Value {
    let scope = |grants: &Option<Vec<String>>| match grants {
        None => Value::from("all"),
        Some(grants) => json!({ "only": grants }),
    };
    json!({
        "fs_read": scope(&fence.files),
        "fs_write": scope(&fence.files),
        "exec": scope(&fence.exec),
        "net": scope(&fence.net),
        "max_calls": "unlimited",
        "valid_for_generation": "all",
    })
}
