//! Decoded views: what a text says once one layer of an encoding is undone.

pub(super) mod base64;
mod decimal;
mod decoded;
mod escapes;
mod hex;
mod html;
mod html_names;
mod json;
mod percent;
mod runs;
mod utf16;

pub(super) use decoded::Decoded;
pub(super) use escapes::{ESCAPES, Escapes, Neighbourhoods};
pub(super) use runs::{Need, decode_runs};
