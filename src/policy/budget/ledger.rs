//! One account for each group of requests, judged and charged in a single step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::options::BudgetOptions;
use super::scope::BudgetScope;
use super::table::{Fingerprint, Fingerprints, Table};
use crate::clock::Clock;
use crate::policy::PolicyRefusal;
use crate::request::{OutboundRequest, RequestPhase};
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// The accounts of a budget. Judging and charging happen under one lock, which is never held
/// across an await, so concurrent requests are admitted exactly as if they came one by one.
pub(super) struct Ledger<A> {
    scope: BudgetScope,
    unattributed: bool,
    clock: Arc<dyn Clock>,
    fingerprints: Fingerprints,
    book: Mutex<Book<A>>,
}

struct Book<A> {
    accounts: Table<A>,
    /// Time that only grows: the sum of the clock's steps forward. A clock set back neither makes
    /// an account seem unused nor keeps it in use for long.
    grown: Duration,
    read: Duration,
}

impl<A: Default> Ledger<A> {
    pub(super) fn new(options: BudgetOptions) -> Self {
        let read = options.clock.now();
        Self {
            scope: options.scope,
            unattributed: options.unattributed,
            clock: options.clock,
            fingerprints: Fingerprints::default(),
            book: Mutex::new(Book {
                accounts: Table::new(options.max_calls, options.idle),
                grown: Duration::ZERO,
                read,
            }),
        }
    }

    /// Asks `judge` about the account of the request's group and the clock's time, and hands what
    /// it answers to `charge`. A preview is judged as if it were sent now, and is not charged.
    /// `judge` itself may do no more than bring the account up to the clock's time.
    ///
    /// An account that was refused stays as it was, but counts as used: a spent group that goes
    /// on asking is not forgotten.
    pub(super) fn settle<C>(
        &self,
        request: &OutboundRequest<'_>,
        judge: impl FnOnce(&mut A, Duration) -> Result<C, PolicyRefusal>,
        charge: impl FnOnce(&mut A, C),
    ) -> Result<(), PolicyRefusal> {
        let Some(group) = self.scope.group(request) else {
            return if self.unattributed {
                Ok(())
            } else {
                Err(PolicyRefusal::new(
                    "the request is not attributed to a group of the budget",
                ))
            };
        };
        let name = self.fingerprints.of(group);
        let mut book = self.lock();
        // Read under the lock, so that readings grow in the order of charging.
        let read = self.clock.now();
        if request.phase == RequestPhase::Validate {
            return book.preview(name, read, judge);
        }
        book.send(name, read, judge, charge)
    }

    /// A panic while the lock was held left no account half charged: a clock may panic, but is
    /// read before anything changes.
    fn lock(&self) -> MutexGuard<'_, Book<A>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: Default> Book<A> {
    fn preview<C>(
        &mut self,
        name: Fingerprint,
        read: Duration,
        judge: impl FnOnce(&mut A, Duration) -> Result<C, PolicyRefusal>,
    ) -> Result<(), PolicyRefusal> {
        let known = self.accounts.find(name);
        if let Some(account) = known.and_then(|at| self.accounts.account(at)) {
            return judge(account, read).map(drop);
        }
        judge(&mut A::default(), read)?;
        if self.accounts.has_room(self.grown_at(read)) {
            return Ok(());
        }
        Err(crowded())
    }

    fn send<C>(
        &mut self,
        name: Fingerprint,
        read: Duration,
        judge: impl FnOnce(&mut A, Duration) -> Result<C, PolicyRefusal>,
        charge: impl FnOnce(&mut A, C),
    ) -> Result<(), PolicyRefusal> {
        let now = self.advance(read);
        let known = self.accounts.find(name);
        if let Some(account) = known.and_then(|at| self.accounts.touch(at, now)) {
            let due = judge(account, read)?;
            charge(account, due);
            return Ok(());
        }
        let mut account = A::default();
        let due = judge(&mut account, read)?;
        charge(&mut account, due);
        if self.accounts.open(name, account, now) {
            return Ok(());
        }
        Err(crowded())
    }
}

fn crowded() -> PolicyRefusal {
    PolicyRefusal::new("too many calls are open")
}

impl<A> Book<A> {
    fn grown_at(&self, read: Duration) -> Duration {
        self.grown.saturating_add(read.saturating_sub(self.read))
    }

    fn advance(&mut self, read: Duration) -> Duration {
        self.grown = self.grown_at(read);
        self.read = read;
        self.grown
    }
}

impl<A> fmt::Debug for Ledger<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("scope", &self.scope)
            .field("unattributed", &self.unattributed)
            .finish_non_exhaustive()
    }
}
