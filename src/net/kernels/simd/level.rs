//! Other kinds of vectors than the processor's best, for tests.

use std::cell::Cell;

use super::Level;

thread_local! {
    static HIGHEST: Cell<Option<Level>> = const { Cell::new(Some(Level::Avx512)) };
}

/// Whether this thread may use vectors of a kind.
pub fn is_allowed(level: Level) -> bool {
    Some(level) <= HIGHEST.get()
}

/// The kinds that this processor has; `None` is the portable one.
pub fn all() -> Vec<Option<Level>> {
    #[cfg(target_arch = "x86_64")]
    let has = [super::x86::has_avx2(), super::x86::has_avx512()];
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

/// The results of some work with vectors of every kind.
pub fn each<T: Send>(work: impl Fn() -> T + Send + Sync) -> Vec<(Option<Level>, T)> {
    all().into_iter().map(|level| (level, with(level, &work))).collect()
}
