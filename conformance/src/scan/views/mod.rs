//! Every view that a value offers of itself, and the search through all of them.

mod assertion;
mod credential;
#[doc(hidden)]
pub mod probe;
mod quoted;
mod source;
mod texts;
mod verdict;
mod walk;

use std::error::Error;
use std::fmt::{self, Debug, Display, Write as _};
use std::io::Read;

use serde::Serialize;

pub use assertion::{assert_no_credential, check_no_credential};
pub use credential::CredentialSource;
pub use source::TextSource;
pub use texts::TextKind;
pub use verdict::{CredentialFound, CredentialPlace, Unproven, ViewError};

use super::{Inconclusive, Scanner};
use texts::Texts;
use verdict::Places;

/// Longer chains are called incomplete: they may be endless.
const LONGEST_CHAIN: usize = 64;

/// Searches the views of one value: each method adds one, [`finish`](Self::finish) says what was
/// found. [`assert_no_credential!`](crate::scan::assert_no_credential) calls all that a value has.
///
/// ```
/// use proofmark_conformance::scan::{Scanner, Secret, Views};
///
/// let scanner = Scanner::builder().secret(Secret::new("key", "tok_FAKE_9f3A")).build()?;
/// let mut views = Views::new(&scanner);
/// views.serialize(&["a", "tok_FAKE", "_9f3A"]);
///
/// let error = views.finish().unwrap_err();
/// assert_eq!(error.to_string(), "credential found: `key` in [1] + [2] as serialised (plain)");
/// # Ok::<(), proofmark_conformance::scan::ScanError>(())
/// ```
#[must_use = "call `finish` for the verdict"]
pub struct Views<'s> {
    scanner: &'s Scanner,
    seen: usize,
    places: Places,
    incomplete: Option<&'static str>,
}

impl<'s> Views<'s> {
    /// No view yet.
    pub fn new(scanner: &'s Scanner) -> Self {
        Self {
            scanner,
            seen: 0,
            places: Places::default(),
            incomplete: None,
        }
    }

    /// The texts that a value shows itself, as an `OutboundRequest` does.
    pub fn source(&mut self, value: &(impl TextSource + ?Sized)) {
        let mut texts = Texts::default();
        value.texts(&mut |field, kind, text| {
            texts.push(self.printable(field), kind, text);
        });
        self.search("as visited", &texts);
    }

    /// The texts that a value serialises, by path.
    pub fn serialize(&mut self, value: &(impl Serialize + ?Sized)) {
        let mut texts = Texts::default();
        let walked = walk::walk(value, &mut texts, &|key| {
            let fit = !self.scanner.resembles(key.as_bytes());
            fit.then(|| key.escape_debug().to_string())
        });
        if walked.is_err() {
            self.incomplete.get_or_insert("serialised");
        }
        self.search("as serialised", &texts);
    }

    /// Bytes as they are, such as a recorded log.
    pub fn bytes(&mut self, value: &[u8]) {
        self.whole("bytes", "as they are", value);
    }

    /// All that a reader yields, in bounded memory.
    pub fn reader(&mut self, reader: impl Read) {
        self.seen += 1;
        match self.scanner.scan_reader(reader) {
            Ok(scan) => self.places.add_scan("as read", scan),
            Err(_) => {
                self.incomplete.get_or_insert("read");
            }
        }
    }

    /// What `{:?}` prints, whole, and its quoted strings joined.
    pub fn debug(&mut self, value: &(impl Debug + ?Sized)) {
        let text = self.print("printed with {:?}", format_args!("{value:?}"));
        self.whole("Debug", "as printed", text.as_bytes());
        let mut strings = Texts::default();
        quoted::quoted(&text, |inside| {
            let name = format!("string {}", strings.len() + 1);
            strings.push(name, TextKind::String, inside.as_bytes());
        });
        let splits = strings.search_splits(self.scanner);
        self.places.add("of Debug", splits);
    }

    /// What `{}` prints.
    pub fn display(&mut self, value: &(impl Display + ?Sized)) {
        let text = self.print("printed with {}", format_args!("{value}"));
        self.whole("Display", "as printed", text.as_bytes());
    }

    /// What an error and each of its sources print with `{}` and `{:?}`.
    pub fn error(&mut self, error: &dyn Error) {
        let (mut displays, mut debugs) = (Texts::default(), Texts::default());
        let mut next = Some(error);
        let mut depth = 0;
        while let Some(error) = next {
            if depth == LONGEST_CHAIN {
                self.incomplete
                    .get_or_insert("followed from source to source");
                break;
            }
            let name = match depth {
                0 => "the error".to_owned(),
                _ => format!("source {depth} of the error"),
            };
            let display = self.print("printed with {}", format_args!("{error}"));
            displays.push(name.clone(), TextKind::String, display.as_bytes());
            let debug = self.print("printed with {:?}", format_args!("{error:?}"));
            debugs.push(name, TextKind::String, debug.as_bytes());
            next = error.source();
            depth += 1;
        }
        self.search("as displayed", &displays);
        self.search("as debugged", &debugs);
    }

    /// What was found in all the views.
    ///
    /// # Errors
    ///
    /// When a secret was found; and when its absence is not proven, because there was no view, one
    /// could not be looked at to its end, or a secret is too weak to be looked for.
    pub fn finish(self) -> Result<(), ViewError> {
        if let Some(found) = self.places.found() {
            return Err(ViewError::Found(found));
        }
        if self.seen == 0 {
            return Err(ViewError::NotProven(Unproven::NothingToScan));
        }
        if let Some(view) = self.incomplete {
            return Err(ViewError::NotProven(Unproven::Incomplete { view }));
        }
        match self.scanner.inconclusive() {
            [] => Ok(()),
            [Inconclusive { secret, why }, ..] => Err(ViewError::NotProven(Unproven::TooWeak {
                secret: secret.to_string(),
                why: *why,
            })),
        }
    }

    fn whole(&mut self, name: &str, view: &'static str, text: &[u8]) {
        let mut texts = Texts::default();
        texts.push(name.to_owned(), TextKind::String, text);
        self.search(view, &texts);
    }

    fn search(&mut self, view: &'static str, texts: &Texts) {
        self.seen += 1;
        self.places.add(view, texts.search(self.scanner));
    }

    fn print(&mut self, view: &'static str, printed: fmt::Arguments<'_>) -> String {
        let mut text = String::new();
        if text.write_fmt(printed).is_err() {
            self.incomplete.get_or_insert(view);
        }
        text
    }

    /// The place of a field, without what could be a part of a secret.
    fn printable(&self, field: &str) -> String {
        let data = field.find(['.', '[']).unwrap_or(field.len());
        if self.scanner.resembles(&field.as_bytes()[data..]) {
            return format!("{}.{}", &field[..data], Scanner::MASK);
        }
        field.to_owned()
    }
}
