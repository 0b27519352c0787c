//! The named character references of HTML for ASCII and Latin-1.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The longest name below.
pub(super) const LONGEST: usize = 16;

/// Names that browsers read without a semicolon as well.
pub(super) const OPEN: [(&str, char); 8] = [
    ("amp", '&'),
    ("AMP", '&'),
    ("lt", '<'),
    ("LT", '<'),
    ("gt", '>'),
    ("GT", '>'),
    ("quot", '"'),
    ("QUOT", '"'),
];

/// What `&name;` means, if it means a character of ASCII or Latin-1.
pub(super) fn meaning(name: &[u8]) -> Option<char> {
    static MEANINGS: LazyLock<HashMap<&[u8], char>> = LazyLock::new(|| {
        let listed = OPEN.iter().chain(ASCII);
        let listed = listed.map(|(name, character)| (name.as_bytes(), *character));
        let latin_1 = LATIN_1.split(' ').map(str::as_bytes).zip('\u{a0}'..);
        listed.chain(latin_1).collect()
    });
    MEANINGS.get(name).copied()
}

const ASCII: &[(&str, char)] = &[
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("apos", '\''),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("midast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("grave", '`'),
    ("DiacriticalGrave", '`'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("VerticalLine", '|'),
    ("rcub", '}'),
    ("rbrace", '}'),
];

/// From U+00A0 on, in order.
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy \
    reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 \
    frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml \
    Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave \
    Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil \
    egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml \
    divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("amp", Some('&'))]
    #[case("lowbar", Some('_'))]
    #[case("nbsp", Some('\u{a0}'))]
    #[case("eacute", Some('é'))]
    #[case("yuml", Some('ÿ'))]
    #[case("nosuch", None)]
    fn a_name_means_its_character(#[case] name: &str, #[case] character: Option<char>) {
        assert_eq!(meaning(name.as_bytes()), character);
    }

    #[test]
    fn no_name_is_longer_than_the_longest() {
        let names = OPEN.iter().chain(ASCII).map(|(name, _)| *name);
        let longest = names.chain(LATIN_1.split(' ')).map(str::len).max();
        assert_eq!(longest, Some(LONGEST));
    }
}
