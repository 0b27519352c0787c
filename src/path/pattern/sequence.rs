//! Matches, without an automaton, the patterns that most path parameters declare: one class of
//! characters after another, from the start to the end.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// A pattern such as `^C[0-9]+$`: a run of ASCII classes between both ends of the value.
///
/// Each run takes as many bytes as it can. That finds a match whenever there is one, for a
/// sequence is only built when no byte that a run could take is one that may follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sequence(Box<[Run]>);

/// Some bytes of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    /// The class, a bit for each ASCII character.
    class: u128,
    least: usize,
    most: usize,
}

impl Sequence {
    /// The sequence that matches what `pattern`, in the syntax of `regex`, matches; nothing if
    /// there is none.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        let hir = regex_syntax::parse(pattern).ok()?;
        let HirKind::Concat(parts) = hir.kind() else {
            return None;
        };
        let [start, between @ .., end] = parts.as_slice() else {
            return None;
        };
        let is = |part: &Hir, look| *part.kind() == HirKind::Look(look);
        if !is(start, Look::Start) || !is(end, Look::End) {
            return None;
        }
        let mut runs = Vec::with_capacity(between.len());
        for part in between {
            push_runs(&mut runs, part)?;
        }
        is_deterministic(&runs).then(|| Self(runs.into_boxed_slice()))
    }

    pub(super) fn matches(&self, value: &str) -> bool {
        let mut rest = value.as_bytes();
        for run in &self.0 {
            let reach = rest.len().min(run.most);
            let taken = rest[..reach]
                .iter()
                .position(|&byte| !run.takes(byte))
                .unwrap_or(reach);
            if taken < run.least {
                return false;
            }
            rest = &rest[taken..];
        }
        rest.is_empty()
    }
}

impl Run {
    fn takes(&self, byte: u8) -> bool {
        byte.is_ascii() && (self.class >> byte) & 1 == 1
    }
}

fn push_runs(runs: &mut Vec<Run>, part: &Hir) -> Option<()> {
    match part.kind() {
        HirKind::Literal(literal) => {
            for &byte in &literal.0 {
                let class = byte.is_ascii().then(|| 1 << byte)?;
                runs.push(Run {
                    class,
                    least: 1,
                    most: 1,
                });
            }
        }
        HirKind::Class(class) => runs.push(Run {
            class: ascii(class)?,
            least: 1,
            most: 1,
        }),
        HirKind::Repetition(repetition) => {
            let class = match repetition.sub.kind() {
                HirKind::Class(class) => ascii(class)?,
                HirKind::Literal(literal) => match *literal.0 {
                    [byte] if byte.is_ascii() => 1 << byte,
                    _ => return None,
                },
                _ => return None,
            };
            let most = repetition
                .max
                .map_or(Some(usize::MAX), |max| max.try_into().ok())?;
            runs.push(Run {
                class,
                least: repetition.min.try_into().ok()?,
                most,
            });
        }
        _ => return None,
    }
    Some(())
}

/// The class as bits, if it has no other than ASCII characters.
fn ascii(class: &Class) -> Option<u128> {
    let Class::Unicode(class) = class else {
        return None;
    };
    let mut bits = 0;
    for range in class.ranges() {
        for character in range.start()..=range.end() {
            let byte = u8::try_from(character).ok().filter(u8::is_ascii)?;
            bits |= 1 << byte;
        }
    }
    Some(bits)
}

/// Whether every run of varying length is told from what may follow it by its first byte.
fn is_deterministic(runs: &[Run]) -> bool {
    runs.iter().enumerate().all(|(index, run)| {
        let mut following = 0;
        for next in &runs[index + 1..] {
            following |= next.class;
            if next.least > 0 {
                break;
            }
        }
        run.least == run.most || run.class & following == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case(r"^C[0-9]+\z")]
    #[case(r"^[0-9]{4}-[0-9]{2}\z")]
    #[case(r"^v?[0-9]+(?:)\z")]
    #[case(r"^[A-Z_a-z][0-9]{0,3}\z")]
    fn the_usual_patterns_are_sequences(#[case] pattern: &str) {
        assert!(Sequence::of(pattern).is_some());
    }

    #[rstest]
    #[case::open_at_the_start(r"C[0-9]+\z")]
    #[case::open_at_the_end("^C[0-9]+")]
    #[case::ambiguous(r"^[a-z]+a\z")]
    #[case::ambiguous_across_an_option(r"^[a-z]+-?a\z")]
    #[case::alternation(r"^(?:a|bc)\z")]
    #[case::group(r"^(?:ab)+\z")]
    #[case::not_ascii(r"^é\z")]
    #[case::not_ascii_class(r"^[a-é]+\z")]
    #[case::negated(r"^[^a]+\z")]
    #[case::boundary(r"^a(?-u:\b)\z")]
    #[case::anchor_within(r"^a^b\z")]
    fn others_are_left_to_the_automaton(#[case] pattern: &str) {
        assert_eq!(Sequence::of(pattern), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn a_sequence_matches_what_its_pattern_matches(
            pattern in r"\^([ab]|\[(a-c|bc|0-2|a0)\]|-)((\?|\*|\+|\{[0-2]\}|\{[0-2],\}|\{1,[1-3]\})?([abc]|\[(a-c|bc|0-2|a0)\]|-)){0,4}(\?|\*|\+|\{2\})?\\z",
            value in "[abc02é-]{0,8}",
        ) {
            let Some(sequence) = Sequence::of(&pattern) else {
                return Err(TestCaseError::reject("not a sequence"));
            };
            let regex = regex::Regex::new(&pattern).expect("a pattern");
            prop_assert_eq!(sequence.matches(&value), regex.is_match(&value));
        }
    }
}
