//! One input that both sides judge.

use proofmark::leash::{AxisEnforcement, Caveats, CountBound, SandboxKind, Scope};

use crate::sides;
use crate::tree::{Change, Tree, shared};

/// An input to both sides.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    /// A program, under a grant of programs.
    Exec(Vec<String>, String),
    /// A host, under a grant of hosts.
    Net(Vec<String>, String),
    /// A path in the tree that nothing changes.
    Path(PathCase),
    /// A path in a tree that changes after the context was minted.
    Later(LaterCase),
    /// Calls that pass one gate, or not.
    Session(Session),
    /// The strength floors that a gate is told, one after the other.
    Floors(Vec<AxisEnforcement>),
    /// How two authorities stand to each other, and what they have in common.
    Pair(Box<(Caveats, Caveats)>),
    /// Serialised caveats, if they are.
    Document(String),
    /// What a sandbox is worth under some authority.
    Fence(Fence),
}

/// What a path is asked about for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Access {
    Read,
    Write,
}

/// In `grants`, `elsewhere` and `path`, `{root}` stands for the tree, and
/// [`NOT_TEXT`](crate::tree::NOT_TEXT) for a byte that is not UTF-8.
#[derive(Debug, Clone, PartialEq)]
pub struct PathCase {
    pub access: Access,
    /// What is granted for this access.
    pub grants: Vec<String>,
    /// What is granted for the other one.
    pub elsewhere: Vec<String>,
    pub path: String,
}

/// A path that is granted, if at all, for reading.
#[derive(Debug, Clone, PartialEq)]
pub struct LaterCase {
    pub grants: Vec<String>,
    pub changes: Vec<Change>,
    pub path: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub generation: u64,
    /// The gate's own bound; `None` for a gate that is made without one.
    pub budget: Option<CountBound>,
    pub calls: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub max_calls: CountBound,
    pub generations: Scope<u64>,
    /// What is granted to run, and what the tool needs to run.
    pub exec: [Scope<String>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// How each axis is enforced, and how strong the fence is.
    Report,
    /// Which sandbox is in force.
    InForce,
    /// Whether a program may be started.
    Start,
}

/// An axis is restricted where it is `Some`.
#[derive(Debug, Clone, PartialEq)]
pub struct Fence {
    pub question: Question,
    pub files: Option<Vec<String>>,
    pub exec: Option<Vec<String>>,
    pub net: Option<Vec<String>>,
    pub sandbox: SandboxKind,
    pub floor: AxisEnforcement,
}

impl Case {
    /// What the toolkit says.
    pub fn ours(&self) -> String {
        use sides::ours as side;
        match self {
            Self::Exec(grants, program) => side::exec(grants, program),
            Self::Net(grants, host) => side::net(grants, host),
            Self::Path(case) => side::path(case, &shared()),
            Self::Later(case) => side::later(case, &Tree::new()),
            Self::Session(session) => side::session(session),
            Self::Floors(floors) => side::floor(floors),
            Self::Pair(pair) => side::pair(pair),
            Self::Document(text) => side::document(text),
            Self::Fence(fence) => side::fence(fence),
        }
    }

    /// What the public crate says.
    pub fn peer(&self) -> String {
        use sides::peer as side;
        match self {
            Self::Exec(grants, program) => side::exec(grants, program),
            Self::Net(grants, host) => side::net(grants, host),
            Self::Path(case) => side::path(case, &shared()),
            Self::Later(case) => side::later(case, &Tree::new()),
            Self::Session(session) => side::session(session),
            Self::Floors(floors) => side::floor(floors),
            Self::Pair(pair) => side::pair(pair),
            Self::Document(text) => side::document(text),
            Self::Fence(fence) => side::fence(fence),
        }
    }
}
