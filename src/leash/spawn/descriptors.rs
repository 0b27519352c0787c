//! Keeping a started program from inheriting what this process has open.

use crate::leash::error::ToolResult;

/// Makes every descriptor above standard error close-on-exec.
///
/// The standard library opens its own so; what a C library or a parent left open is not.
///
/// # Errors
///
/// If the descriptors cannot be listed, or one of them cannot be made so.
#[cfg(unix)]
pub(super) fn seal() -> ToolResult<()> {
    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, FdFlag, fcntl};

    for descriptor in open_descriptors()? {
        let flags = match fcntl(descriptor, FcntlArg::F_GETFD) {
            Ok(flags) => FdFlag::from_bits_retain(flags),
            // Closed since it was listed.
            Err(Errno::EBADF) => continue,
            Err(errno) => return Err(unsealed(descriptor, errno)),
        };
        if flags.contains(FdFlag::FD_CLOEXEC) {
            continue;
        }
        match fcntl(descriptor, FcntlArg::F_SETFD(flags | FdFlag::FD_CLOEXEC)) {
            Ok(_) | Err(Errno::EBADF) => {}
            Err(errno) => return Err(unsealed(descriptor, errno)),
        }
    }
    Ok(())
}

/// Handles are inherited one by one here, and only where that is asked for.
#[cfg(not(unix))]
pub(super) fn seal() -> ToolResult<()> {
    Ok(())
}

#[cfg(unix)]
fn unsealed(descriptor: i32, errno: nix::errno::Errno) -> crate::leash::ToolError {
    crate::leash::ToolError::denied(format!(
        "descriptor {descriptor} would be inherited: {}",
        errno.desc()
    ))
}

#[cfg(unix)]
fn open_descriptors() -> ToolResult<Vec<i32>> {
    let directory = if cfg!(target_os = "linux") {
        "/proc/self/fd"
    } else {
        "/dev/fd"
    };
    let entries = std::fs::read_dir(directory).map_err(|error| {
        let reason = format!("open descriptors cannot be listed in {directory}: {error}");
        crate::leash::ToolError::denied(reason)
    })?;
    let mut descriptors = Vec::new();
    for entry in entries {
        let number = entry?.file_name().to_string_lossy().parse::<i32>();
        descriptors.extend(number.into_iter().filter(|number| *number > 2));
    }
    Ok(descriptors)
}
