//! What reaches the wire, what the policy is shown, and what an error says.
#![cfg(test)]

mod backend;
mod credentials;
mod curated;
mod faults;
mod policy;
mod proxies;
mod redirects;
mod retries;
mod setup;
mod subject;
mod token_endpoint;
mod wire;
