//! Shows every text of a `Serialize` value with its place, without building a tree of it.

use std::fmt::{self, Display, Write as _};

use serde::ser::{self, Serialize, Serializer};

use super::texts::{TextKind, Texts};

/// Deeper values are not walked to their end, and not called clean.
const DEEPEST: usize = 256;

/// Why a value was not walked to its end.
#[derive(Debug)]
pub(super) struct WalkError;

impl Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value cannot be serialised to its end")
    }
}

impl std::error::Error for WalkError {}

impl ser::Error for WalkError {
    /// The message is another's and could hold anything, so it is dropped.
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// Walks `value` into `texts`. `label` makes the text of a key fit to be printed.
pub(super) fn walk(
    value: &(impl Serialize + ?Sized),
    texts: &mut Texts,
    label: &dyn Fn(&str) -> Option<String>,
) -> Result<(), WalkError> {
    let mut walker = Walker {
        path: String::new(),
        depth: 0,
        texts,
        label,
        key: false,
        element: None,
        run: Vec::new(),
    };
    value.serialize(&mut walker)
}

struct Walker<'w> {
    path: String,
    depth: usize,
    texts: &'w mut Texts,
    label: &'w dyn Fn(&str) -> Option<String>,
    /// Whether what is walked is a key.
    key: bool,
    /// The index of the element that is walked, until the path names it.
    element: Option<usize>,
    /// Bytes that were elements of the innermost sequence, next to each other: a `Vec<u8>`
    /// serialises as one number after another.
    run: Vec<u8>,
}

impl Walker<'_> {
    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.name_element();
        let kind = if self.key { TextKind::Key } else { kind };
        let name = match self.path.as_str() {
            "" => "the value itself",
            path => path,
        };
        self.texts.push(name.to_owned(), kind, text);
    }

    fn number(&mut self, number: impl Display + TryInto<u8> + Copy) -> Result<(), WalkError> {
        match (self.element, number.try_into()) {
            (Some(_), Ok(byte)) => {
                self.element = None;
                self.run.push(byte);
            }
            _ => self.text(TextKind::Scalar, number.to_string().as_bytes()),
        }
        Ok(())
    }

    fn name_element(&mut self) {
        if let Some(index) = self.element.take() {
            self.end_run(index);
            let _ = write!(self.path, "[{index}]");
        }
    }

    /// Shows the bytes that end before element `end`.
    fn end_run(&mut self, end: usize) {
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        let start = end - run.len();
        let kind = if self.key {
            TextKind::Key
        } else {
            TextKind::String
        };
        let name = format!("{}[{start}..{end}]", self.path);
        self.texts.push(name, kind, &run);
    }

    fn inside(
        &mut self,
        name: fmt::Arguments<'_>,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), WalkError> {
        self.name_element();
        let outer = self.path.len();
        let _ = self.path.write_fmt(name);
        let walked = self.deeper(value);
        self.path.truncate(outer);
        walked
    }

    fn deeper(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), WalkError> {
        if self.depth == DEEPEST {
            return Err(WalkError);
        }
        self.depth += 1;
        let walked = value.serialize(&mut *self);
        self.depth -= 1;
        walked
    }

    fn compound<'c>(&'c mut self, variant: Option<&str>) -> Compound<'c, Self> {
        self.name_element();
        let outer = self.path.len();
        if let Some(variant) = variant {
            let _ = write!(self.path, ".{variant}");
        }
        Compound {
            walker: self,
            outer,
            next: 0,
            key: String::new(),
        }
    }
}

/// A sequence, map or struct that is being walked.
struct Compound<'c, W> {
    walker: &'c mut W,
    /// The length of the path outside.
    outer: usize,
    next: usize,
    /// How the path names the value of the last key.
    key: String,
}

impl Compound<'_, Walker<'_>> {
    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), WalkError> {
        let path = self.walker.path.len();
        self.walker.element = Some(self.next);
        let walked = self.walker.deeper(value);
        // A value that shows nothing still ends a run of bytes.
        if self.walker.element.take().is_some() {
            self.walker.end_run(self.next);
        }
        self.walker.path.truncate(path);
        self.next += 1;
        walked
    }

    fn key(&mut self, key: &(impl Serialize + ?Sized)) -> Result<(), WalkError> {
        let before = self.walker.texts.len();
        let was_key = std::mem::replace(&mut self.walker.key, true);
        let walked = self
            .walker
            .inside(format_args!(".(key {})", self.next), key);
        self.walker.key = was_key;
        let one_text = self.walker.texts.len() == before + 1;
        let text = self.walker.texts.last().filter(|_| one_text);
        self.key = match text.and_then(self.walker.label) {
            Some(label) => format!(".{label}"),
            None => format!(".(value {})", self.next),
        };
        self.next += 1;
        walked
    }

    fn finish(self) {
        self.walker.end_run(self.next);
        self.walker.path.truncate(self.outer);
    }
}

macro_rules! numbers {
    ($($method:ident: $number:ty),*) => {$(
        fn $method(self, number: $number) -> Result<(), WalkError> {
            self.number(number)
        }
    )*};
}

impl<'c, 'w> Serializer for &'c mut Walker<'w> {
    type Ok = ();
    type Error = WalkError;
    type SerializeSeq = Compound<'c, Walker<'w>>;
    type SerializeTuple = Compound<'c, Walker<'w>>;
    type SerializeTupleStruct = Compound<'c, Walker<'w>>;
    type SerializeTupleVariant = Compound<'c, Walker<'w>>;
    type SerializeMap = Compound<'c, Walker<'w>>;
    type SerializeStruct = Compound<'c, Walker<'w>>;
    type SerializeStructVariant = Compound<'c, Walker<'w>>;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32,
        serialize_u64: u64, serialize_u128: u128
    }

    fn serialize_bool(self, value: bool) -> Result<(), WalkError> {
        self.text(TextKind::Scalar, value.to_string().as_bytes());
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), WalkError> {
        self.text(TextKind::Scalar, value.to_string().as_bytes());
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), WalkError> {
        self.text(TextKind::Scalar, value.to_string().as_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), WalkError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), WalkError> {
        self.serialize_bytes(value.as_bytes())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), WalkError> {
        self.text(TextKind::String, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), WalkError> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), WalkError> {
        self.deeper(value)
    }

    fn serialize_unit(self) -> Result<(), WalkError> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), WalkError> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), WalkError> {
        self.text(TextKind::Scalar, variant.as_bytes());
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), WalkError> {
        self.deeper(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), WalkError> {
        self.inside(format_args!(".{variant}"), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, WalkError> {
        Ok(self.compound(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, WalkError> {
        Ok(self.compound(None))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, WalkError> {
        Ok(self.compound(None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, WalkError> {
        Ok(self.compound(Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, WalkError> {
        Ok(self.compound(None))
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStruct, WalkError> {
        Ok(self.compound(None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, WalkError> {
        Ok(self.compound(Some(variant)))
    }
}

macro_rules! elements {
    ($($form:ident: $method:ident),*) => {$(
        impl ser::$form for Compound<'_, Walker<'_>> {
            type Ok = ();
            type Error = WalkError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WalkError> {
                self.element(value)
            }

            fn end(self) -> Result<(), WalkError> {
                self.finish();
                Ok(())
            }
        }
    )*};
}

elements! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
}

macro_rules! named {
    ($($form:ident),*) => {$(
        impl ser::$form for Compound<'_, Walker<'_>> {
            type Ok = ();
            type Error = WalkError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), WalkError> {
                self.walker.inside(format_args!(".{name}"), value)
            }

            fn end(self) -> Result<(), WalkError> {
                self.finish();
                Ok(())
            }
        }
    )*};
}

named!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Compound<'_, Walker<'_>> {
    type Ok = ();
    type Error = WalkError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), WalkError> {
        self.key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), WalkError> {
        let name = std::mem::take(&mut self.key);
        self.walker.inside(format_args!("{name}"), value)
    }

    fn end(self) -> Result<(), WalkError> {
        self.finish();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[derive(serde::Serialize)]
    enum Shape {
        Unit,
        One(&'static str),
        Two(u8, &'static str),
        Named { field: char },
    }

    #[derive(serde::Serialize)]
    struct Everything {
        text: &'static str,
        number: i64,
        bytes: Vec<u8>,
        mixed: serde_json::Value,
        nested: Vec<Vec<u8>>,
        map: BTreeMap<u32, Option<bool>>,
        shapes: (Shape, Shape, Shape, Shape),
        nothing: Option<()>,
    }

    fn shown(value: &impl Serialize) -> Vec<String> {
        let mut texts = Texts::default();
        walk(value, &mut texts, &|key| Some(key.to_owned())).unwrap();
        texts.show()
    }

    #[test]
    fn every_text_has_its_path_and_neighbouring_bytes_are_joined() {
        let value = Everything {
            text: "t",
            number: 7,
            bytes: b"bytes".to_vec(),
            mixed: json!(["a", 104, 105, null, 33, 300, {"k": 1.5}]),
            nested: vec![b"in".to_vec(), b"ner".to_vec()],
            map: BTreeMap::from([(5, Some(true)), (6, None)]),
            shapes: (
                Shape::Unit,
                Shape::One("o"),
                Shape::Two(65, "w"),
                Shape::Named { field: 'f' },
            ),
            nothing: None,
        };

        assert_eq!(
            shown(&value),
            [
                ".text String t",
                ".number Scalar 7",
                ".bytes[0..5] String bytes",
                ".mixed[0] String a",
                ".mixed[1..3] String hi",
                ".mixed[4..5] String !",
                ".mixed[5] Scalar 300",
                ".mixed[6].(key 0) Key k",
                ".mixed[6].k Scalar 1.5",
                ".nested[0][0..2] String in",
                ".nested[1][0..3] String ner",
                ".map.(key 0) Key 5",
                ".map.5 Scalar true",
                ".map.(key 1) Key 6",
                ".shapes[0] Scalar Unit",
                ".shapes[1].One String o",
                ".shapes[2].Two[0..1] String A",
                ".shapes[2].Two[1] String w",
                ".shapes[3].Named.field String f",
            ]
        );
    }

    #[test]
    fn a_value_that_does_not_serialise_or_is_too_deep_is_an_error() {
        let mut deep = json!(0);
        for _ in 0..300 {
            deep = json!([deep]);
        }
        let mut texts = Texts::default();
        assert!(walk(&deep, &mut texts, &|_| None).is_err());
    }
}
