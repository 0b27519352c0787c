//! The toolkit's tools as surfaces: what answers a `tools/call`.

mod client;
mod declared;
mod server;

pub use client::{JudgedOperations, client_surface};
pub use server::{JudgedServer, curated_server, script_server};
