//! Closed lists of words, as the catalogue's files and every report spell them.

/// Declares an enum whose variants are one word each: its text, `Display`, `FromStr` and serde
/// forms all come from the one spelling given.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            ::serde::Serialize, ::serde::Deserialize,
        )]
        pub enum $name {
            $($(#[$variant_meta])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every word, in declared order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as files and reports spell it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::catalogue::ParseWordError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL
                    .iter()
                    .copied()
                    .find(|word| word.as_str() == text)
                    .ok_or_else(|| $crate::catalogue::ParseWordError::new(
                        text,
                        Self::ALL.iter().map(|word| word.as_str()),
                    ))
            }
        }
    };
}

pub(super) use words;

/// The text is none of the words a place accepts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not one of {accepted}")]
pub struct ParseWordError {
    text: String,
    accepted: String,
}

impl ParseWordError {
    pub(super) fn new(text: &str, accepted: impl Iterator<Item = &'static str>) -> Self {
        Self {
            text: text.chars().take(40).collect(),
            accepted: accepted.collect::<Vec<_>>().join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{Level, SubjectKind};

    #[test]
    fn a_word_reads_back_as_itself_in_text_and_in_json() {
        for kind in SubjectKind::ALL {
            let json = serde_json::to_string(kind).unwrap();

            assert_eq!(kind.to_string().parse(), Ok(*kind));
            assert_eq!(json, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<SubjectKind>(&json).unwrap(), *kind);
        }
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_ones_accepted() {
        let error = "shall".parse::<Level>().unwrap_err();

        assert_eq!(error.to_string(), "`shall` is not one of must, should, may");
    }
}
