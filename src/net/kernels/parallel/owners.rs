//! Records which task has taken which numbers of a shared slice, so that tests check the promise of every task.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The owners of the numbers of each shared slice: 0 for none, else one more than the task.
type Owners = Mutex<BTreeMap<usize, Vec<usize>>>;

thread_local! {
    /// The numbers taken by the tasks of the same call, and the task of this thread.
    static INSIDE: RefCell<Option<(Arc<Owners>, usize)>> = const { RefCell::new(None) };
}

/// A unique number for a shared slice.
pub fn next_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The same tasks, recorded.
pub fn watched(task: impl Fn(usize) + Send + Sync) -> impl Fn(usize) + Send + Sync {
    let owners = Arc::<Owners>::default();
    move |number| {
        // A thread that waits for its own tasks may do another one in between.
        let before = INSIDE.replace(Some((Arc::clone(&owners), number)));
        task(number);
        INSIDE.set(before);
    }
}

/// Records that the task of this thread takes some numbers of a shared slice of `len`.
///
/// # Panics
/// When another task of the same call has taken one of them.
pub fn take(shared: usize, len: usize, range: Range<usize>) {
    INSIDE.with_borrow(|inside| {
        let Some((owners, task)) = inside else { return };
        let mut owners = owners.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = &mut owners.entry(shared).or_insert_with(|| vec![0; len])[range];
        let is_free = taken.iter().all(|owner| [0, task + 1].contains(owner));
        taken.fill(task + 1);
        assert!(is_free, "another task has taken some of these numbers");
    });
}
