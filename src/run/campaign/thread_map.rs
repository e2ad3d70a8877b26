//! A map over numbers on all threads of the run's pool.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Calls `work` for every number below `count`, on all threads, and returns what it yields in order.
///
/// Threads take numbers one by one and not as tasks of the pool: a thread that waits for a matrix product then helps with
/// products, and never begins a second trial, which would need memory for both at once.
pub fn thread_map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    rayon::broadcast(|_| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let yielded = work(number);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, yielded));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, yielded)| yielded).collect()
}

#[cfg(test)]
mod tests {
    use super::thread_map;

    #[test]
    fn results_come_in_order_whatever_the_threads_do() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| thread_map(5, |number| number * number)), [0, 1, 4, 9, 16]);
        }
        assert_eq!(thread_map(0, |number| number), Vec::<usize>::new());
    }
}
