//! The recorder: an HTTP/1.1 backend for tests that keeps every byte it is sent, and answers as told.
//!
//! What a [`Recorder`] holds is the truth about what was sent: the head of a request is kept before
//! anything reads it, so fragments, dot segments, odd methods and broken header lines show as they
//! came. It listens on a thread of its own, so a client that blocks its runtime hinders it in
//! nothing.
//!
//! ```
//! use std::io::{Read, Write};
//! use proofmark_conformance::recorder::{Recorder, Reply};
//!
//! let backend = Recorder::start(Reply::text(200, "hello"))?;
//! let mut client = std::net::TcpStream::connect(backend.address())?;
//! client.write_all(b"GET /a/../b#c HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//!
//! assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello"));
//! assert_eq!(backend.requests()[0].target(), b"/a/../b#c");
//! # Ok::<(), std::io::Error>(())
//! ```

mod connection;
mod framing;
mod hostility;
mod log;
mod recorded;
mod respond;
mod script;
mod server;

pub use hostility::Hostility;
pub(crate) use log::Tally;
pub use recorded::Recorded;
pub use respond::{Respond, echo, redirect, token};
pub use script::{Reply, Script, Step};
pub use server::Recorder;
