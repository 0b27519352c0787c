//! Values that a resolver must not pass on, and what is harmless about each.

/// A hostile value and its harmless twin, which lacks the one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hostile {
    /// The value.
    pub(super) value: String,
    /// The value without what is hostile in it.
    pub(super) harmless: String,
    /// Whether a resolver that encodes may send it, as what decodes to it in one step.
    pub(super) is_encodable: bool,
    /// What is hostile in it.
    pub(super) what: String,
}

/// What stands for a harmless value where nothing else would be left.
pub(super) const PLAIN: &str = "7";

/// The longest value, in code points.
pub(super) const CAP: usize = 256;

impl Hostile {
    fn new(value: impl Into<String>, harmless: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            harmless: harmless.into(),
            is_encodable: true,
            what: what.into(),
        }
    }

    pub(super) fn never_sent(mut self) -> Self {
        self.is_encodable = false;
        self
    }

    /// The hostile text first, in the middle, last and alone in a value.
    fn around(text: &str, what: &str) -> [Self; 4] {
        [
            Self::new(text, PLAIN, what),
            Self::new(format!("{text}7"), "7", what),
            Self::new(format!("7{text}8"), "78", what),
            Self::new(format!("7{text}"), "7", what),
        ]
    }

    /// The hostile text between these two.
    pub(super) fn between(before: &str, text: &str, after: &str) -> Self {
        let harmless = format!("{before}{after}");
        let harmless = if harmless.is_empty() {
            PLAIN.to_owned()
        } else {
            harmless
        };
        Self::new(format!("{before}{text}{after}"), harmless, named(text))
    }
}

/// Every character that parts a target, and every ASCII control character, likeliest first.
pub(super) fn reserved() -> Vec<char> {
    let controls = (0..0x20_u8).chain([0x7F]).map(char::from);
    "/?#\\".chars().chain(controls).collect()
}

/// PATH-01: nothing.
pub(super) fn empty() -> Vec<Hostile> {
    vec![Hostile::new("", "a", "an empty value").never_sent()]
}

/// PATH-02: one reserved character, at every place in a value.
pub(super) fn separators() -> Vec<Hostile> {
    let each = reserved().into_iter();
    each.flat_map(|c| {
        let text = c.to_string();
        Hostile::around(&text, &named(&text))
    })
    .collect()
}

/// The escapes of PATH-03: of every reserved character in either hex case, of `%` itself, and
/// malformed ones.
pub(super) fn escapes() -> Vec<String> {
    let mut escapes = Vec::new();
    for c in reserved() {
        let upper = format!("%{:02X}", u32::from(c));
        let lower = upper.to_ascii_lowercase();
        escapes.push(upper.clone());
        if lower != upper {
            escapes.push(lower);
        }
    }
    let others = [
        "%25", "%252f", "%252F", "%2541", "%", "%2", "%zz", "%%", "%2%66", "%u002f",
    ];
    escapes.extend(others.map(str::to_owned));
    escapes
}

/// PATH-03: one escape, at every place in a value.
pub(super) fn escaped() -> Vec<Hostile> {
    let mut hostile: Vec<Hostile> = escapes()
        .iter()
        .flat_map(|escape| {
            let what = named(escape);
            // A malformed escape is made whole by hex digits behind it: `g` is none.
            [
                Hostile::new(escape, PLAIN, &what),
                Hostile::new(format!("g{escape}"), "g", &what),
                Hostile::new(format!("g{escape}g"), "gg", &what),
            ]
        })
        .collect();
    hostile.extend([
        Hostile::new("100%", "100", "`%`"),
        Hostile::new("..%2f..%2fadmin", "admin", "`%2f`"),
        Hostile::new("%2e%2e%5cadmin", "admin", "`%5c`"),
    ]);
    hostile
}

/// PATH-04: two dots, or one alone, in every mix of spellings.
pub(super) fn dots() -> Vec<Hostile> {
    let two = ["..", ".%2e", "%2E.", "%2e%2E", "%2E%2e", "%2e%2e"];
    let mut hostile = vec![
        Hostile::new(".", PLAIN, "a lone dot").never_sent(),
        Hostile::new("..", PLAIN, "two dots").never_sent(),
        Hostile::new("%2e", PLAIN, "a lone dot"),
        Hostile::new("%2E", PLAIN, "a lone dot"),
    ];
    for dots in &two[1..] {
        hostile.push(Hostile::new(*dots, PLAIN, "two dots"));
    }
    for dots in two {
        hostile.extend([
            Hostile::new(format!("a{dots}b"), "ab", "two dots"),
            Hostile::new(format!("{dots}b"), "b", "two dots"),
            Hostile::new(format!("a{dots}"), "a", "two dots"),
        ]);
    }
    hostile.extend([
        Hostile::new("...", PLAIN, "three dots"),
        Hostile::new("....//x", "x", "dots and slashes"),
        Hostile::new("..;", ";", "two dots"),
        Hostile::new("..;x", "x", "two dots"),
    ]);
    hostile
}

/// PATH-04 where `/` is allowed: a step in each part between slashes. A resolver of whole templates
/// must see lone dots between slashes too. One that encodes the slashes all the same has one part
/// only, which no step is left in.
pub(super) fn steps(whole_templates: bool) -> Vec<Hostile> {
    let dots = ["..", "%2e%2e", ".%2E"];
    let mut hostile: Vec<Hostile> = dots
        .into_iter()
        .flat_map(|dots| {
            [
                Hostile::new(format!("a/{dots}"), "a/b", "two dots"),
                Hostile::new(format!("{dots}/a"), "b/a", "two dots"),
                Hostile::new(format!("a/{dots}/b"), "a/b", "two dots"),
            ]
        })
        .collect();
    hostile.push(Hostile::new("....//x", "a/x", "dots and slashes"));
    if whole_templates {
        for dot in [".", "%2e"] {
            for value in ["a/{}/b", "a%2f{}%2fb"] {
                let value = value.replace("{}", dot);
                hostile.push(Hostile::new(value, "a/b", "a lone dot"));
            }
        }
    }
    hostile
}

/// PATH-04 where `/` is allowed: a lone dot at an end of a value that is all of its segments.
pub(super) fn steps_at_ends() -> Vec<Hostile> {
    let mut hostile = Vec::new();
    for dot in [".", "%2e"] {
        for value in ["{}/a", "a/{}", "{}%2fa", "a%2f{}"] {
            let value = value.replace("{}", dot);
            hostile.push(Hostile::new(value, "a/b", "a lone dot"));
        }
    }
    hostile
}

/// A slash amid harmless text.
pub(super) fn slashes() -> Vec<Hostile> {
    ["x/y", "/y", "x/"]
        .map(|value| Hostile::new(value, "xy", "`/`"))
        .into()
}

/// PATH-05: one code point too many.
pub(super) fn too_long() -> Vec<Hostile> {
    let value = "a".repeat(CAP + 1);
    vec![Hostile::new(value, "a", "257 code points").never_sent()]
}

/// A few of each kind, for rows that are about where the floor holds rather than what it is.
pub(super) fn samples() -> Vec<Hostile> {
    let mut samples = empty();
    samples.extend(["/", "?", "#", "\\", "\t", "\0", "\x7f"].map(|text| {
        let what = named(text);
        Hostile::new(format!("7{text}8"), "78", what)
    }));
    samples.extend(["%2F", "%3f", "%5C", "%00", "%25", "%"].map(|text| {
        let what = named(text);
        Hostile::new(format!("g{text}g"), "gg", what)
    }));
    samples.extend([
        Hostile::new(".", PLAIN, "a lone dot").never_sent(),
        Hostile::new("..", PLAIN, "two dots").never_sent(),
        Hostile::new("%2e%2E", PLAIN, "two dots"),
        Hostile::new("../x", "x", "a parent step"),
    ]);
    samples.extend(too_long());
    samples
}

/// How a hostile text is called in a sentence.
fn named(text: &str) -> String {
    match text.chars().next() {
        Some(c) if c.is_ascii_control() => format!("the control character {:02X}", u32::from(c)),
        _ => format!("`{text}`"),
    }
}
