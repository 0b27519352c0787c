//! Where in a target a value stands, and how it is written there.

/// One side of the `?`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    /// Before it, where look-alikes are dangerous.
    Path,
    /// After it, where they are only text.
    Query,
}

/// The place of one piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the path half.
    Path,
    /// In the query half, before the `=` of its pair.
    QueryKey,
    /// In the query half, after the `=` of its pair.
    QueryValue,
}

impl Place {
    pub(super) fn half(self) -> Half {
        match self {
            Self::Path => Half::Path,
            Self::QueryKey | Self::QueryValue => Half::Query,
        }
    }

    /// The place of what follows `byte` of an author's literal here.
    pub(super) fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Path, b'?') => Self::QueryKey,
            (Self::QueryKey, b'=') => Self::QueryValue,
            (Self::QueryValue, b'&') => Self::QueryKey,
            (place, _) => place,
        }
    }

    /// Writes a checked value, encoding what would be read as something else here.
    ///
    /// A space is encoded everywhere, for URL parsers drop it at the end of a target. In the query
    /// half so is every character that splits a pair or that form-decoding rewrites; `=` splits
    /// one only before the first. An escape in the value is carried as it stands.
    pub(super) fn write(self, out: &mut String, value: &str) {
        let mut rest = value;
        while let Some(at) = rest.find(|c| self.escape(c).is_some()) {
            let (before, from) = rest.split_at(at);
            let mut characters = from.chars();
            out.push_str(before);
            out.push_str(
                characters
                    .next()
                    .and_then(|c| self.escape(c))
                    .unwrap_or_default(),
            );
            rest = characters.as_str();
        }
        out.push_str(rest);
    }

    fn escape(self, character: char) -> Option<&'static str> {
        match (character, self) {
            (' ', _) => Some("%20"),
            (_, Self::Path) => None,
            ('&', _) => Some("%26"),
            ('+', _) => Some("%2B"),
            (';', _) => Some("%3B"),
            ('=', Self::QueryKey) => Some("%3D"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(Place::Path, "a &=+;b", "a%20&=+;b")]
    #[case(Place::QueryKey, "a &=+;b", "a%20%26%3D%2B%3Bb")]
    #[case(Place::QueryValue, "a &=+;b", "a%20%26=%2B%3Bb")]
    #[case(Place::QueryValue, "é%26", "é%26")]
    fn a_value_is_written_for_its_place(
        #[case] place: Place,
        #[case] value: &str,
        #[case] written: &str,
    ) {
        let mut out = String::new();
        place.write(&mut out, value);
        assert_eq!(out, written);
    }
}
