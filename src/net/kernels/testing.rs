//! Threads for work of any size, other kinds of vectors than the best, and a check of what tasks share: for tests.

use std::cell::Cell;
use std::fmt::Debug;

thread_local! {
    static FORCED: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if this thread divides all work that can be divided.
#[inline]
pub(crate) fn is_forced() -> bool {
    FORCED.get()
}

/// Does some work in a pool of so many threads, divided wherever possible.
pub fn divided<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(|| {
        FORCED.set(true);
        work()
    })
}

/// Does some work on 1, 2 and 5 threads, divided wherever possible, and asserts that the results are the same. `work`
/// must return bits: `==` on numbers takes 0 and −0 for equal.
pub fn assert_same_bits<T: Debug + PartialEq + Send>(work: impl Fn() -> T + Sync) {
    let one = divided(1, &work);
    assert!(one == divided(2, &work), "on two threads");
    assert!(one == divided(5, &work), "on five threads");
}

/// Other kinds of vectors than the processor's best, for tests.
pub mod level {
    use std::cell::Cell;

    use crate::simd::Level;

    thread_local! {
        static HIGHEST: Cell<Option<Level>> = const { Cell::new(Some(Level::Avx512)) };
    }

    /// Returns true if this thread may use vectors of a kind.
    #[inline]
    pub fn is_allowed(level: Level) -> bool {
        Some(level) <= HIGHEST.get()
    }

    /// Returns the kinds that this processor has; `None` is the portable one.
    pub fn all() -> Vec<Option<Level>> {
        #[cfg(target_arch = "x86_64")]
        let has = [crate::simd::x86::has_avx2(), crate::simd::x86::has_avx512()];
        #[cfg(not(target_arch = "x86_64"))]
        let has = [false, false];
        let better = [Level::Avx2, Level::Avx512].into_iter().zip(has);
        std::iter::once(None).chain(better.filter_map(|(level, has)| has.then_some(Some(level)))).collect()
    }

    /// Does some work with vectors of at most this kind, on one thread.
    pub fn with<T: Send>(level: Option<Level>, work: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
        pool.install(|| {
            HIGHEST.set(level);
            work()
        })
    }

    /// Returns the results of some work with vectors of every kind.
    pub fn each<T: Send>(work: impl Fn() -> T + Send + Sync) -> Vec<(Option<Level>, T)> {
        all().into_iter().map(|level| (level, with(level, &work))).collect()
    }
}

/// Records which task has taken which numbers of a shared slice, so that tests check the promise of every task.
#[cfg(test)]
pub mod owners {
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

    /// Returns a unique number for a shared slice.
    pub fn next_number() -> usize {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the same tasks, recorded.
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
}
