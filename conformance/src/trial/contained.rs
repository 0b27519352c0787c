//! Running code of a subject that may panic.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Remembers where a panic happened, so that a counterexample can say it. Workers install this as
/// their panic hook.
pub(crate) fn remember_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map(|place| {
        let file = place.file().rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{file}:{}", place.line())
    });
    // A panic while the thread is being torn down has no place to be remembered in.
    let _ = LAST_PANIC.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = place;
        }
    });
}

/// Runs `work`, and turns a panic into its message.
pub(crate) fn contained<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        // A payload whose own drop panics must not take the judge along.
        std::mem::forget(payload);
        let message: String = message.chars().take(200).collect();
        let place = LAST_PANIC.with_borrow_mut(Option::take);
        match place {
            Some(place) => format!("`{}` at {place}", message.escape_debug()),
            None => format!("`{}`", message.escape_debug()),
        }
    })
}
