//! Limits that a worker sets on itself before it meets its subject.

/// How much memory a subject may ask for, in bytes.
#[cfg(unix)]
const DATA: u64 = 1 << 30;

/// Caps this process's memory, turns core files off, and ends it with its parent. Where the system
/// has no such limits, the deadline alone bounds a subject.
pub(super) fn restrict_self() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let limit = |value| Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        // A limit that cannot be set is already lower.
        let _ = setrlimit(Resource::Data, limit(DATA));
        let _ = setrlimit(Resource::Core, limit(0));
    }
    // It has a group of its own, so an interrupt of its parent does not reach it.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}
