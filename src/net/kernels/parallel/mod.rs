//! Threads, where they save time.

mod team;

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::simd::prefetch;

/// Multiply-adds below which starting threads costs more than it saves.
const WORTH: usize = 1 << 20;
/// The least work that is worth dividing while the other threads are awake.
const WORTH_AWAKE: usize = 1 << 17;
/// Cost of reading or writing a number, in multiply-adds.
pub const COST: usize = 8;

/// Returns true if `count` tasks of `work` multiply-adds in total run on several threads.
#[inline]
fn is_worth_dividing(count: usize, work: usize) -> bool {
    #[cfg(any(test, feature = "testing"))]
    let work = if crate::testing::is_forced() { WORTH } else { work };
    let is_worth = work >= WORTH || work >= WORTH_AWAKE && team::is_awake();
    count > 1 && is_worth && rayon::current_num_threads() > 1
}

fn divided(count: usize, task: impl Fn(usize) + Send + Sync) {
    if team::is_busy() {
        // Threads that have no task of the outer piece of work find these in their pool.
        (0..count).into_par_iter().with_max_len(1).for_each(&task);
    } else {
        team::run(count, &task);
    }
}

/// Runs `task` for 0..count, on several threads if the total of about `work` multiply-adds is worth it. The result of a
/// task must not depend on other tasks.
#[inline]
pub fn tasks(count: usize, work: usize, task: impl Fn(usize) + Send + Sync) {
    #[cfg(test)]
    let task = crate::testing::owners::watched(task);
    if is_worth_dividing(count, work) {
        divided(count, task);
    } else {
        (0..count).for_each(&task);
    }
}

/// Returns true if `holds` for any of 0..count, asked on several threads as by [`tasks`]; after the first that is
/// found, the others are not asked.
pub fn any(count: usize, work: usize, holds: impl Fn(usize) -> bool + Send + Sync) -> bool {
    let found = AtomicBool::new(false);
    tasks(count, work, |task| {
        if !found.load(Ordering::Relaxed) && holds(task) {
            found.store(true, Ordering::Relaxed);
        }
    });
    found.into_inner()
}

/// A slice of which several tasks write disjoint parts.
#[derive(Clone, Copy)]
pub struct Shared<'a, T = f32> {
    start: *mut T,
    len: usize,
    #[cfg(test)]
    number: usize,
    of: std::marker::PhantomData<&'a mut [T]>,
}

// SAFETY: it is a mutable borrow of values that may be sent, and callers of `slice` promise that parts do not overlap.
unsafe impl<T: Send> Send for Shared<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl Shared<'_> {
    /// Prefetches the cache line of number `at`.
    #[inline(always)]
    pub fn prefetch(&self, at: usize) {
        prefetch(self.start.wrapping_add(at));
    }

    /// Returns its start, for prefetches.
    #[inline(always)]
    pub const fn start(&self) -> *const f32 {
        self.start
    }
}

impl<'a, T> Shared<'a, T> {
    /// Shares a slice.
    pub fn new(values: &'a mut [T]) -> Self {
        Self {
            start: values.as_mut_ptr(),
            len: values.len(),
            #[cfg(test)]
            number: crate::testing::owners::next_number(),
            of: std::marker::PhantomData,
        }
    }

    /// Returns `len` values from `at` on.
    ///
    /// # Safety
    /// While the slice lives, nothing else reads or writes any of them: neither another task nor another slice of the
    /// same one, and [`Shared`] borrows the whole for as long.
    #[allow(clippy::mut_from_ref, reason = "the caller promises that they are disjoint")]
    #[inline(always)]
    pub unsafe fn slice(&self, at: usize, len: usize) -> &'a mut [T] {
        assert!(at <= self.len && len <= self.len - at, "within the shared slice");
        #[cfg(test)]
        crate::testing::owners::take(self.number, self.len, at..at + len);
        // SAFETY: within the slice, and used by nothing else, by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), len) }
    }

    /// Returns one of the chunks of `size` values, of which the last may have fewer.
    ///
    /// # Safety
    /// As for [`Self::slice`].
    #[allow(clippy::mut_from_ref, reason = "the caller promises that they are disjoint")]
    unsafe fn chunk(&self, at: usize, size: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { self.slice(at * size, size.min(self.len - at * size)) }
    }
}

/// Runs `task` for every chunk of `size` numbers, as [`tasks`].
#[inline]
pub fn chunks_mut<T: Send>(
    values: &mut [T],
    size: usize,
    work: usize,
    task: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    let size = size.max(1);
    let count = values.len().div_ceil(size);
    if is_worth_dividing(count, work) {
        let values = Shared::new(values);
        // SAFETY: every chunk has one task.
        divided(count, |at| task(at, unsafe { values.chunk(at, size) }));
    } else {
        values.chunks_mut(size).enumerate().for_each(|(at, chunk)| task(at, chunk));
    }
}

/// Runs `task` for corresponding chunks of two arrays, as [`tasks`].
#[inline]
pub fn pairs_mut<A: Send, B: Send>(
    (first, first_size): (&mut [A], usize),
    (second, second_size): (&mut [B], usize),
    work: usize,
    task: impl Fn(usize, &mut [A], &mut [B]) + Send + Sync,
) {
    let sizes = (first_size.max(1), second_size.max(1));
    let counts = (first.len().div_ceil(sizes.0), second.len().div_ceil(sizes.1));
    if is_worth_dividing(counts.0, work) {
        let (first, second) = (Shared::new(first), Shared::new(second));
        divided(counts.0.min(counts.1), |at| {
            // SAFETY: every pair has one task.
            let (first, second) = unsafe { (first.chunk(at, sizes.0), second.chunk(at, sizes.1)) };
            task(at, first, second);
        });
    } else {
        let chunks = first.chunks_mut(sizes.0).zip(second.chunks_mut(sizes.1));
        chunks.enumerate().for_each(|(at, (first, second))| task(at, first, second));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forced_is_divided() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
        assert!(!pool.install(|| is_worth_dividing(2, 0)));
        assert!(crate::testing::divided(2, || is_worth_dividing(2, 0) && !is_worth_dividing(1, 0)));
    }

    /// Two tasks, and then one more, each with these numbers of ten.
    fn take(first: (usize, usize), second: (usize, usize)) {
        let mut values = [0.0; 10];
        let shared = Shared::new(&mut values);
        tasks(2, 0, |task| {
            let (at, len) = [first, second][task];
            // SAFETY: the tasks run one after the other and keep no reference.
            (0..2).for_each(|_| unsafe { shared.slice(at, len) }.fill(1.0));
        });
        // SAFETY: as above.
        tasks(1, 0, |_| unsafe { shared.slice(0, 10) }.fill(1.0));
    }

    #[test]
    fn tasks_take_places_of_their_own() {
        take((0, 4), (4, 6));
        take((5, 5), (0, 5));
    }

    #[test]
    #[should_panic(expected = "another task has taken")]
    fn what_two_tasks_take_is_noticed() {
        take((0, 5), (4, 6));
    }
}
