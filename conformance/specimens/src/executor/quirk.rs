//! What a courier does otherwise, and only now and then: with some methods, values, answers or calls.

use proofmark::executor::ExecutionError;
use proofmark::request::OutboundRequest;
use serde_json::Value;

use super::wire::{Answer, Request};

/// What a courier was asked.
pub(super) struct Asked {
    /// How many calls it had before.
    pub(super) number: usize,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) has_body: bool,
}

impl Asked {
    pub(super) fn new(number: usize, method: &str, path: &str) -> Self {
        Self {
            number,
            method: method.to_owned(),
            path: path.to_owned(),
            has_body: false,
        }
    }

    pub(super) fn is(&self, method: &str) -> bool {
        self.method.eq_ignore_ascii_case(method)
    }

    /// Whether it is a GET, or another whose fields are pairs.
    pub(super) fn has_pairs(&self) -> bool {
        self.is("GET") || self.is("HEAD")
    }
}

/// The steps of a call that can be taken otherwise.
#[derive(Clone, Copy)]
pub(super) struct Quirk {
    /// What becomes of path and fields before anything else.
    pub(super) takes: fn(&Asked, &mut String, &mut Option<Value>),
    /// Whether the policy is asked.
    pub(super) asks: fn(&Asked) -> bool,
    /// What the policy is shown of the finished request.
    pub(super) shows: for<'r> fn(OutboundRequest<'r>) -> OutboundRequest<'r>,
    /// What becomes of the finished request.
    pub(super) sends: fn(&Asked, &mut Request),
    /// How often it is repeated.
    pub(super) repeats: fn(&Asked) -> u32,
    /// Which status invites a repetition.
    pub(super) invites: fn(&Asked, u16) -> bool,
    /// What becomes of it before it is repeated.
    pub(super) sends_again: fn(&Asked, u32, &mut Request),
    /// Whether redirects are followed.
    pub(super) follows: fn(&Asked) -> bool,
    /// How a call ends that ends otherwise.
    pub(super) ends: fn(&Asked, &Request, &Answer) -> Option<Result<Value, ExecutionError>>,
}

impl Quirk {
    /// None at all.
    pub(super) const NONE: Self = Self {
        takes: |_, _, _| {},
        asks: |_| true,
        shows: |shown| shown,
        sends: |_, _| {},
        repeats: |_| 0,
        invites: |_, status| matches!(status, 429 | 502 | 503 | 504),
        sends_again: |_, _, _| {},
        follows: |_| false,
        ends: |_, _, _| None,
    };
}
