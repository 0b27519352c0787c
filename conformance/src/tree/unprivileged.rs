//! Doing something as a user whom file permissions bind.

/// The user that owns nothing.
#[cfg(target_os = "linux")]
const NOBODY: u32 = 65_534;

/// Runs `work` as a user whom file permissions bind: this one, or, where this one is root, nobody,
/// on a thread that ends with it.
///
/// # Errors
///
/// Why the machine has no such user to offer.
#[cfg(target_os = "linux")]
pub(crate) fn unprivileged<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    use rustix::process::{Uid, geteuid};
    use rustix::thread::set_thread_res_uid;

    if !geteuid().is_root() {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let dropped = scope.spawn(|| {
            // Of this thread alone: on Linux each has its own, and only the C library evens them.
            let nobody = Uid::from_raw(NOBODY);
            set_thread_res_uid(nobody, nobody, nobody)
                .map_err(|cause| format!("root cannot become another user: {cause}"))?;
            Ok(work())
        });
        let lost = |_| Err("the thread of the other user panicked".to_owned());
        dropped.join().unwrap_or_else(lost)
    })
}

/// Runs `work` as this user, if file permissions bind it.
///
/// # Errors
///
/// Why the machine has no such user to offer.
#[cfg(not(target_os = "linux"))]
pub(crate) fn unprivileged<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        return Err("on this system root cannot become another user for one thread".to_owned());
    }
    Ok(work())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::tree::Entry::{Dir, File, Locked};
    use crate::tree::Tree;

    #[test]
    fn permissions_bind_there_and_only_there() {
        let entries = [
            Dir("closed"),
            File("closed/f"),
            File("open"),
            Locked("closed"),
        ];
        let tree = Tree::build(&entries).unwrap();
        let reads = |name: &str| std::fs::read(tree.at(name)).is_ok();
        let before = rustix::process::geteuid();

        let seen = unprivileged(|| (reads("open"), reads("closed/f")));

        assert_eq!(seen, Ok((true, false)));
        assert_eq!(rustix::process::geteuid(), before);
        assert_eq!(reads("closed/f"), before.is_root());
    }
}
