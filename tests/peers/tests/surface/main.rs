//! Both HTTP surfaces beside the public crates: what the policy was shown and what reached the wire.
#![cfg(test)]

mod case;
mod desk;
mod differences;
mod environment;
mod generated;
mod ours;
mod peer;
mod scenes;
mod seen;
