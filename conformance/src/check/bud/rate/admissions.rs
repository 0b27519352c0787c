//! When a subject admitted how much.

/// Instants in nanoseconds, each later than the one before, and how many were admitted at each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Admissions(Vec<(u64, u64)>);

impl Admissions {
    /// One more, at an instant that is not before the last.
    pub(in super::super) fn admit(&mut self, now: u64) {
        match self.0.last_mut() {
            Some((at, count)) if *at == now => *count += 1,
            _ => self.0.push((now, 1)),
        }
    }

    pub(super) fn instants(&self) -> &[(u64, u64)] {
        &self.0
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}
