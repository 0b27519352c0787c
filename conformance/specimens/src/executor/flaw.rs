//! What can be wrong with a courier, and what it then does to a request's texts.

use serde_json::Value;

/// What is wrong with a courier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    None,
    LosesPrefix,
    ResolvesColons,
    DecodesTarget,
    BodyOnGet,
    SecondMark,
    RawPairs,
    FlattensObjects,
    MethodAsGiven,
    FoldsUnicodeMethods,
    NoDeadline,
    TakesErrorsForValues,
    PanicsOnBytes,
    FollowsRedirects,
    QuotesTarget,
    SharesItsAnswer,
    AsksTooLate,
    AuthenticatesFirst,
    RepeatsEverything,
    SpawnsItsCalls,
    TrustsTheEnvironment,
    TellsTheLastTarget,
    CutsHeaders,
    SendsWithoutAnAnswer,
    DropsOtherBodies,
    CleartextAnywhere,
    ShowsTheCredential,
    ShowsTheKeyPair,
    TracesTheCredential,
    PrintsTheCredential,
    PassesEchoesOn,
    KeepsUserInfo,
    AddsASecondKey,
    FollowsTokenRedirects,
    /// No flaw: a GET is repeated, and a space in a query is sent as `%20`.
    RepeatsGets,
    /// No flaw: what would have to be encoded, or has no one form as a pair, is refused.
    RefusesOddities,
    /// No flaw: the fields of an object become pairs in an order of the executor's own.
    OrdersKeysAnew,
    /// No flaw: every error reads the same, but that of a field that no query can carry.
    SaysOneSentence,
}

/// `:name` replaced by the field of that name.
pub(super) fn resolved(path: &str, body: Option<&Value>) -> String {
    let fields = body.and_then(Value::as_object);
    let mut path = path.to_owned();
    for (key, value) in fields.into_iter().flatten() {
        if let Some(text) = value.as_str() {
            path = path.replace(&format!(":{key}"), text);
        }
    }
    path
}

/// Whether a path holds what a client would have to encode.
pub(super) fn is_odd(path: &str) -> bool {
    let odd = |c: char| !c.is_ascii_graphic() || "\"<>^`{|}[]\\".contains(c);
    path.contains(odd)
}

/// The first field that is no text, number or boolean.
pub(super) fn odd_field(body: Option<&Value>) -> Option<String> {
    let fields = body.and_then(Value::as_object)?;
    let odd = |value: &Value| value.is_array() || value.is_object() || value.is_null();
    let (key, _) = fields.iter().find(|(_, value)| odd(value))?;
    Some(key.clone())
}

/// Objects replaced by their JSON text.
pub(super) fn flattened(mut body: Value) -> Value {
    for value in body
        .as_object_mut()
        .into_iter()
        .flat_map(serde_json::Map::values_mut)
    {
        if value.is_object() {
            *value = Value::String(value.to_string());
        }
    }
    body
}

pub(super) fn decoded(path: &str) -> String {
    let pieces = path.split('%').enumerate().map(|(index, piece)| {
        let digits = piece
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match digits {
            Some(byte) if index > 0 && byte.is_ascii_graphic() => {
                format!("{}{}", char::from(byte), piece.get(2..).unwrap_or_default())
            }
            _ if index > 0 => format!("%{piece}"),
            _ => piece.to_owned(),
        }
    });
    pieces.collect()
}

/// Percent-encoded, a space as `%20`.
pub(super) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
