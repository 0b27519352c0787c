//! The bodies of the targets `placeholder`, `query_separator` and `composed_target`: templates,
//! values, rules, base URLs and bodies drawn for a resolver, and an oracle that knows what they
//! promise because it put them together.
//!
//! Assumed correct: the profile; the `url` crate as a WHATWG parser; `serde_json` where it renders
//! scalars; and what is written here by hand and shares nothing with any resolver: the split of RFC
//! 3986, one decoding of percent escapes, the meaning of the few patterns that are declared.
//! Nothing is assumed of the subject. A refusal is always admitted: that a resolver refuses too
//! much is not seen.

mod blame;
mod draw;
mod oracle;
mod reference;
mod script;
mod shape;
mod shrink;
mod spelling;
mod value;

use std::collections::BTreeMap;

use arbitrary::{Result as Drawn, Unstructured};

use self::draw::Drawing;
use self::oracle::{Answer, Fault, Oracle};
use self::reference::Base;
use self::script::Script;
use super::Violation;
use crate::catalogue::{Family, RequirementId};
use crate::subject::{ResolveCase, ResolverSubject};

/// A resolver to be fuzzed, whatever it is.
///
/// ```
/// use proofmark_conformance::fuzz::ResolverFuzzer;
/// use proofmark_conformance::profile::ResolverProfile;
/// use proofmark_conformance::subject::{Resolved, ResolverSubject, resolver_fn};
///
/// let naive = ResolverSubject::new("naive", ResolverProfile::new().resolves(), || {
///     resolver_fn(|asked| {
///         let id = asked.argument_text("a").unwrap_or_default();
///         Ok(Resolved::new(asked.template.replace("{a}", &id), None))
///     })
/// });
/// let found = ResolverFuzzer::new(naive).hunt(200);
/// assert!(found.iter().any(|violation| violation.requirement.to_string() == "PATH-02"));
/// ```
///
/// In a target of `cargo fuzz` it is one line, over a fuzzer that is made once:
/// `fuzz_target!(|data: &[u8]| FUZZER.placeholder(data).unwrap());`
pub struct ResolverFuzzer {
    subject: ResolverSubject,
    strict: bool,
}

impl ResolverFuzzer {
    /// Prepares to fuzz `subject` for what the rows of level MUST ask.
    #[must_use]
    pub fn new(subject: ResolverSubject) -> Self {
        Self {
            subject,
            strict: false,
        }
    }

    /// The same for what the rows of level SHOULD ask as well.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &ResolverSubject {
        &self.subject
    }

    /// Resolves the template that `data` stands for, with hostile values at places of its path.
    ///
    /// # Errors
    ///
    /// The [`Violation`], with the smallest input that shows it, where a promise is broken.
    pub fn placeholder(&self, data: &[u8]) -> Result<(), Violation> {
        self.run(data, placeholder)
    }

    /// Resolves the template that `data` stands for, with hostile values in the pairs of its
    /// query. Nothing is done for a subject that composes no query.
    ///
    /// # Errors
    ///
    /// As [`placeholder`](Self::placeholder).
    pub fn query_separator(&self, data: &[u8]) -> Result<(), Violation> {
        self.run(data, query_separator)
    }

    /// Resolves the template that `data` stands for, which may be odd itself, and looks at the
    /// whole target behind a base URL and at the rest of the body.
    ///
    /// # Errors
    ///
    /// As [`placeholder`](Self::placeholder).
    pub fn composed_target(&self, data: &[u8]) -> Result<(), Violation> {
        self.run(data, composed_target)
    }

    /// Runs so many inputs through each of the bodies, without a fuzzer to drive them, and returns
    /// one violation for each requirement that is broken. The same count gives the same inputs.
    #[must_use]
    pub fn hunt(&self, inputs: u64) -> Vec<Violation> {
        let mut found = BTreeMap::new();
        for input in 0..inputs {
            let data = bytes(input);
            for body in [placeholder, query_separator, composed_target] {
                let Some((script, fault)) = self.try_one(&data, body) else {
                    continue;
                };
                let row = self.blame(&script, &fault);
                found
                    .entry(row)
                    .or_insert_with(|| self.violation(script, row));
            }
        }
        found.into_values().collect()
    }

    fn run(&self, data: &[u8], body: Body) -> Result<(), Violation> {
        match self.try_one(data, body) {
            None => Ok(()),
            Some((script, fault)) => {
                let row = self.blame(&script, &fault);
                Err(self.violation(script, row))
            }
        }
    }

    /// The script that the data stands for, and what is wrong with the answer, if anything is.
    fn try_one(&self, data: &[u8], body: Body) -> Option<(Script, Fault)> {
        let mut data = Unstructured::new(data);
        let mut drawing = Drawing {
            profile: self.subject.profile(),
            data: &mut data,
        };
        // Data that ends too soon asks for nothing.
        let script = body(&mut drawing).ok()??;
        let (_, _, fault) = self.ask(&script);
        Some((script, fault?))
    }

    fn ask(&self, script: &Script) -> (ResolveCase, Answer, Option<Fault>) {
        let case = script.case();
        let answer = self.subject.make().resolve(&case);
        let oracle = Oracle {
            profile: self.subject.profile(),
            strict: self.strict,
        };
        let fault = oracle.judge(script, &case, &answer);
        (case, answer, fault)
    }

    fn violation(&self, script: Script, row: u8) -> Violation {
        let script = self.shrink(script, row);
        let (case, answer, fault) = self.ask(&script);
        let answered = match &answer {
            Ok(resolved) => resolved.to_string(),
            Err(refused) => format!("refused: {}", refused.message()),
        };
        let mut steps = vec![format!("{case} -> {answered}")];
        if let (Some(base), true) = (Base::number(script.base), script.base != 0) {
            steps.push(format!("behind {}", base.text()));
        }
        Violation {
            requirement: RequirementId::new(Family::Path, row),
            steps,
            seen: fault.map_or_else(|| "seen once only".to_owned(), |fault| fault.seen),
        }
    }
}

/// What draws a script; `None` where there is nothing to ask this subject.
type Body = fn(&mut Drawing<'_, '_>) -> Drawn<Option<Script>>;

fn placeholder(drawing: &mut Drawing<'_, '_>) -> Drawn<Option<Script>> {
    drawing.placeholder().map(Some)
}

fn query_separator(drawing: &mut Drawing<'_, '_>) -> Drawn<Option<Script>> {
    drawing.query_separator()
}

fn composed_target(drawing: &mut Drawing<'_, '_>) -> Drawn<Option<Script>> {
    drawing.composed_target().map(Some)
}

/// A small generator, so that what is hunted with depends on nothing that may change.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    // The first of neighbouring seeds are alike.
    let skipped = next();
    (0..48 + usize::from(skipped % 32))
        .map(|_| next())
        .collect()
}
