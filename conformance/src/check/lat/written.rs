//! LAT-05: serialised authority reads back equal, or is refused.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

use super::LeashTrial;
use super::altered::{Altered, Breaks, altered};
use super::asked::Lattice;
use super::authority::any_authority;
use crate::outcome::Counterexample;
use crate::subject::{CaveatSpec, ScopeSpec};
use crate::trial::{Finding, Judged, Stop};

/// So often a generated authority is read in an altered form, too; those of one that restricts
/// every axis are all read.
const ALTERED: f64 = 0.2;

/// LAT-05.
pub(super) fn reads_back(trial: &LeashTrial<'_>) -> Judged {
    let lattice = Lattice::of(trial)?;
    let restricted = CaveatSpec::top()
        .fs_read(["/srv/a"])
        .fs_write(["/srv/b"])
        .exec(["git", "ls"])
        .net(["a.test"])
        .max_calls(3)
        .generations([1, 7]);
    let text = lattice.write(&restricted)?;
    if let Some(found) = differing(&lattice, &restricted, &text)? {
        return Ok(found);
    }
    let widest = lattice.write(&CaveatSpec::top())?;
    let Some(forms) = forms(&text, &widest) else {
        return round_trips(
            trial,
            &lattice,
            "the text is no JSON object, so altered forms of it were not judged",
        );
    };
    for form in &forms {
        if let Some(found) = accepted(&lattice, &restricted, &text, form)? {
            return Ok(Finding::broken(found));
        }
    }
    if let Some(found) = odd_items(&lattice)? {
        return Ok(found);
    }
    let pairs = (any_authority(), option::weighted(ALTERED, any::<Index>()));
    let generated = trial.for_all(trial.settings().cases, &pairs, |(authority, index)| {
        let text = lattice.write(&authority)?;
        if let Some(Finding::Broken(found)) = differing(&lattice, &authority, &text)? {
            return Ok(Some(*found));
        }
        let forms = || self::forms(&text, &widest);
        match index.and_then(|index| Some((index, forms()?))) {
            Some((index, forms)) => accepted(&lattice, &authority, &text, index.get(&forms)),
            None => Ok(None),
        }
    })?;
    Ok(match generated {
        Finding::Held { cases } => Finding::Held {
            cases: cases + forms.len() as u64,
        },
        broken => broken,
    })
}

/// Entries that a format may take for something of its own.
const ODD: [&str; 26] = [
    "all",
    "All",
    "*",
    "any",
    "none",
    "null",
    "true",
    "0",
    "unlimited",
    "",
    " ",
    " a ",
    "a,b",
    "a b",
    "a;b",
    "a\"b",
    "a\\b",
    "a\nb",
    "a\tb",
    "/a/",
    "/a//b/./c",
    "\u{e9}",
    "e\u{301}",
    "\u{ff0e}",
    "{}",
    "[\"a\"]",
];

/// Each odd entry alone and beside a plain one, on each axis of texts.
fn odd_items(lattice: &Lattice<'_>) -> Result<Option<Finding>, Stop> {
    for item in ODD {
        for items in [vec![item], vec![item, "plain"]] {
            let only = || ScopeSpec::only(items.iter().copied());
            let top = CaveatSpec::top;
            for authority in [
                CaveatSpec {
                    exec: only(),
                    ..top()
                },
                CaveatSpec {
                    net: only(),
                    ..top()
                },
                CaveatSpec {
                    fs_read: only(),
                    ..top()
                },
                CaveatSpec {
                    fs_write: only(),
                    ..top()
                },
            ] {
                let text = lattice.write(&authority)?;
                if let Some(found) = differing(lattice, &authority, &text)? {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

/// Only what is written is read back: the text has no form that the judge could alter.
fn round_trips(trial: &LeashTrial<'_>, lattice: &Lattice<'_>, note: &str) -> Judged {
    let judged = trial.for_all(trial.settings().cases, &any_authority(), |authority| {
        let text = lattice.write(&authority)?;
        Ok(match differing(lattice, &authority, &text)? {
            Some(Finding::Broken(found)) => Some(*found),
            _ => None,
        })
    })?;
    Ok(match judged {
        Finding::Held { cases } => Finding::Noted {
            cases,
            note: note.to_owned(),
        },
        judged => judged,
    })
}

fn forms(text: &str, widest: &str) -> Option<Vec<Altered>> {
    let written: Value = serde_json::from_str(text).ok()?;
    let widest: Value = serde_json::from_str(widest).ok()?;
    written
        .is_object()
        .then(|| altered(text, &written, &widest))
}

/// What is wrong if the unchanged text does not read back equal.
fn differing(
    lattice: &Lattice<'_>,
    authority: &CaveatSpec,
    text: &str,
) -> Result<Option<Finding>, Stop> {
    let start = |headline: String| {
        Counterexample::new(headline)
            .step(format!("write({authority})"), text)
            .expected(authority.to_string())
    };
    let again = || -> Result<String, Stop> {
        let top = lattice.write(&CaveatSpec::top())?;
        let read = lattice.read(&top)?;
        let read = read.map_or_else(
            |denial| format!("refused: {denial}"),
            |read| read.to_string(),
        );
        Ok(format!(
            "unrestricted authority, written and read, is {read}"
        ))
    };
    Ok(match lattice.read(text)? {
        Ok(read) => match authority.differing_axis(&read) {
            None => None,
            Some(axis) => Some(Finding::broken(
                start(format!("written and read back, {axis} is another"))
                    .step(format!("read({text})"), &read)
                    .seen(read.to_string())
                    .twin(again()?),
            )),
        },
        Err(denial) => Some(Finding::broken(
            start("what was written is refused when it is read back".to_owned())
                .step(format!("read({text})"), format!("refused: {denial}"))
                .seen(format!("refused: {denial}"))
                .twin(again()?),
        )),
    })
}

/// What is wrong if an altered form of the text is read.
fn accepted(
    lattice: &Lattice<'_>,
    authority: &CaveatSpec,
    text: &str,
    form: &Altered,
) -> Result<Option<Counterexample>, Stop> {
    let Ok(read) = lattice.read(&form.text)? else {
        return Ok(None);
    };
    let more = !read.leq(authority);
    let seen = match (form.breaks, more) {
        (_, true) => "accepted, with more authority than was written",
        (Breaks::Always, false) => "accepted, although nothing has that name",
        (Breaks::IfWider, false) => return Ok(None),
    };
    Ok(Some(
        Counterexample::new(format!("the text is read with {}: {seen}", form.what))
            .step(format!("write({authority})"), text)
            .step(format!("read({})", form.text), &read)
            .expected("refused")
            .seen(format!("{seen}: {read}"))
            .twin("the unchanged text reads back equal"),
    ))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::double::{Double, held, judged};
    use super::*;
    use crate::outcome::Outcome;
    use crate::subject::{Leash, ToolkitLeash};

    #[test]
    fn the_toolkits_text_reads_back() {
        held("LAT-05");
    }

    fn without(text: &str, unknown: impl Fn(&str) -> bool) -> Option<CaveatSpec> {
        let mut value: Value = serde_json::from_str(text).ok()?;
        let object = value.as_object_mut()?;
        let extra: Vec<String> = object.keys().filter(|key| unknown(key)).cloned().collect();
        extra.iter().for_each(|key| drop(object.remove(key)));
        ToolkitLeash.read(&value.to_string()).ok()
    }

    fn completed(text: &str, axis: &str) -> Option<CaveatSpec> {
        let mut value: Value = serde_json::from_str(text).ok()?;
        value.as_object_mut()?.entry(axis).or_insert("all".into());
        ToolkitLeash.read(&value.to_string()).ok()
    }

    const AXES: [&str; 6] = [
        "fs_read",
        "fs_write",
        "exec",
        "net",
        "max_calls",
        "valid_for_generation",
    ];

    #[rstest]
    #[case::unknown_fields(Double { read: |text, sound| {
        sound.or_else(|denial| without(text, |key| !AXES.contains(&key)).ok_or(denial))
    }, ..Double::SOUND })]
    #[case::missing_axis_is_open(Double { read: |text, sound| {
        sound.or_else(|denial| completed(text, "net").ok_or(denial))
    }, ..Double::SOUND })]
    #[case::empty_text_is_everything(Double { read: |text, sound| {
        if text.trim() == "{}" { Ok(CaveatSpec::top()) } else { sound }
    }, ..Double::SOUND })]
    #[case::last_of_two(Double { read: |text, sound| {
        sound.or_else(|denial| without(text, |_| false).ok_or(denial))
    }, ..Double::SOUND })]
    #[case::letter_case(Double { read: |text, sound| {
        sound.or_else(|denial| without(&text.replace("\"All\"", "\"all\""), |_| false).ok_or(denial))
    }, ..Double::SOUND })]
    #[case::not_equal(Double { read: |_, sound| {
        sound.map(|read| CaveatSpec { exec: ScopeSpec::none(), ..read })
    }, ..Double::SOUND })]
    fn a_reader_that_forgives_is_convicted(#[case] double: Double) {
        let row = judged("LAT-05", double);
        assert_eq!(row.outcome, Outcome::Fail, "{row:?}");
    }

    #[test]
    fn a_reader_that_takes_less_for_a_missing_axis_is_not_convicted() {
        let closed = Double {
            read: |text, sound| {
                sound.or_else(|denial| {
                    let complete = || completed(text, "net");
                    let missing = !text.contains("\"net\"");
                    let read = missing.then(complete).flatten().ok_or(denial)?;
                    Ok(CaveatSpec {
                        net: ScopeSpec::none(),
                        ..read
                    })
                })
            },
            ..Double::SOUND
        };
        let row = judged("LAT-05", closed);
        assert_eq!(row.outcome, Outcome::Pass, "{row:?}");
    }
}
