//! Threads that stay awake between short pieces of work.
//!
//! Waking a sleeping thread takes longer than many layers of a small network. So the threads that help with a piece of work
//! wait for the next one for a moment before they return to their pool; meanwhile they do what else the pool has to do.
//!
//! The tasks of a piece are divided into as many ranges as there are threads. A thread takes those of its own range first,
//! so that pieces of the same size find their numbers in the cache of the same processor, and then helps with others'.

use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Time that a helper waits for the next piece of work.
const PATIENCE: Duration = Duration::from_micros(200);
/// Glances at the gate between two looks at the clock and at other work.
const GLANCES: usize = 16;

/// Bits of the gate that count the helpers inside.
const INSIDE: u64 = (1 << 16) - 1;
/// Bit of the gate that lets helpers in.
const OPEN: u64 = 1 << 16;
/// Number that is added to the gate for the next piece of work.
const NEXT: u64 = 1 << 17;

thread_local! {
    /// The helpers of this thread.
    static TEAM: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
    /// True while this thread carries out tasks, its own or as a helper.
    static BUSY: Cell<bool> = const { Cell::new(false) };
    /// True if this thread is a helper, or waits to be one again.
    static HELPS: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if this thread carries out a task: then the threads of its pool share what the task divides further.
#[inline]
pub fn is_busy() -> bool {
    BUSY.get()
}

/// Returns true if a helper of this thread is called, and so probably awake: then dividing work costs next to nothing.
#[inline]
pub fn is_awake() -> bool {
    TEAM.with_borrow(|team| {
        let slots = team.iter().flat_map(|team| team.slots.iter().skip(1));
        slots.into_iter().any(|slot| slot.is_called.load(Ordering::Relaxed))
    })
}

/// Runs `task` for 0..count on the threads of the pool. This thread must not be [busy](is_busy).
pub fn run(count: usize, task: &(dyn Fn(usize) + Sync)) {
    let team = TEAM.with_borrow_mut(|team| {
        Arc::clone(team.get_or_insert_with(|| Arc::new(Team::new(rayon::current_num_threads()))))
    });
    Team::call(&team);
    let open = team.open(count, task);
    team.take(0, task);
    drop(open);
    if let Some(panic) = team.panic().take() {
        resume_unwind(panic);
    }
}

struct Team {
    /// The number of pieces of work so far, the bit of an open gate, and the number of helpers inside.
    gate: Apart<AtomicU64>,
    /// One for each thread; the first is that of the owner.
    slots: Vec<Apart<Slot>>,
    /// The present piece of work. Only the owner writes it, while the gate is closed and no helper is inside.
    task: UnsafeCell<Option<Task>>,
    owner: ThreadId,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

type Task = *const (dyn Fn(usize) + Sync);

// SAFETY: `task` is read only by helpers inside, and written only while no helper is; the tasks are `Sync`.
unsafe impl Send for Team {}
// SAFETY: as above.
unsafe impl Sync for Team {}

/// Alone on its cache lines, which processors fetch in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The range of tasks of a thread, and whether the thread has been called.
#[derive(Default)]
struct Slot {
    next: AtomicUsize,
    end: AtomicUsize,
    is_called: AtomicBool,
}

/// While it lives, helpers may come in; afterwards none is inside.
struct Open<'a>(&'a Team);

impl Team {
    fn new(threads: usize) -> Self {
        Self {
            gate: Apart::default(),
            slots: (0..threads).map(|_| Apart::default()).collect(),
            task: UnsafeCell::new(None),
            owner: std::thread::current().id(),
            panic: Mutex::new(None),
        }
    }

    fn panic(&self) -> std::sync::MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls those helpers that are not awake.
    fn call(team: &Arc<Self>) {
        for number in 1..team.slots.len() {
            let slot = &team.slots[number];
            if !slot.is_called.load(Ordering::Relaxed) {
                slot.is_called.store(true, Ordering::Relaxed);
                let team = Arc::clone(team);
                rayon::spawn(move || team.help(number));
            }
        }
    }

    /// Shows the helpers a piece of work.
    fn open(&self, count: usize, task: &(dyn Fn(usize) + Sync)) -> Open<'_> {
        BUSY.set(true);
        let threads = self.slots.len();
        for (number, slot) in self.slots.iter().enumerate() {
            slot.next.store(number * count / threads, Ordering::Relaxed);
            slot.end.store((number + 1) * count / threads, Ordering::Relaxed);
        }
        // SAFETY: helpers use the task only while they are inside, and `Open` waits for the last one to leave; none is
        // inside now.
        unsafe { *self.task.get() = Some(std::mem::transmute::<&(dyn Fn(usize) + Sync), Task>(task)) };
        let gate = self.gate.load(Ordering::Relaxed);
        self.gate.store((gate / NEXT + 1) * NEXT + OPEN, Ordering::Release);
        Open(self)
    }

    /// Takes the tasks of one range and then those that are left of the others.
    fn take(&self, slot: usize, task: &(dyn Fn(usize) + Sync)) {
        let (before, own) = self.slots.split_at(slot);
        for slot in own.iter().chain(before) {
            loop {
                let next = slot.next.fetch_add(1, Ordering::Relaxed);
                if next >= slot.end.load(Ordering::Relaxed) {
                    break;
                }
                task(next);
            }
        }
    }

    /// Helps with one piece of work after the other, until there was none for a while.
    fn help(&self, slot: usize) {
        // Not from within a wait of the owner, nor of any thread that has work or helps another team: it would come
        // back late.
        if std::thread::current().id() != self.owner && !HELPS.get() && !BUSY.get() {
            HELPS.set(true);
            self.wait(slot);
            HELPS.set(false);
        }
        self.slots[slot].is_called.store(false, Ordering::Relaxed);
    }

    fn wait(&self, slot: usize) {
        let (mut seen, mut last) = (None, Instant::now());
        while last.elapsed() < PATIENCE {
            for _ in 0..GLANCES {
                let gate = self.gate.load(Ordering::Relaxed);
                let is_new = gate & OPEN > 0 && seen != Some(gate / NEXT);
                let enters = |gate| {
                    self.gate.compare_exchange(gate, gate + 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
                };
                if is_new && enters(gate) {
                    seen = Some(gate / NEXT);
                    self.work(slot);
                    last = Instant::now();
                }
                spin_loop();
            }
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now(); // others may need the processor
            }
        }
    }

    /// Takes the part of a helper that has come in, until it leaves.
    fn work(&self, slot: usize) {
        // A thread that waits within its own tasks may help with those of others.
        let before = BUSY.replace(true);
        // SAFETY: this helper is inside, so the owner waits for it.
        let task = unsafe { (*self.task.get()).map(|task| &*task) };
        let work = AssertUnwindSafe(|| task.into_iter().for_each(|task| self.take(slot, task)));
        if let Err(panic) = catch_unwind(work) {
            *self.panic() = Some(panic);
        }
        BUSY.set(before);
        self.gate.fetch_sub(1, Ordering::Release);
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.gate.fetch_and(!OPEN, Ordering::Relaxed);
        let mut glances = 0;
        while self.0.gate.load(Ordering::Acquire) & INSIDE > 0 {
            glances += 1;
            // What a task divides further is in the pool, and its thread may have been stopped for another one.
            if glances % GLANCES == 0 && rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
            spin_loop();
        }
        if std::thread::panicking() {
            // This thread's own panic is on its way already; the next piece of work must not find another one.
            self.0.panic().take();
        }
        BUSY.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(work)
    }

    #[test]
    fn every_task_is_carried_out_once_in_any_number_of_pieces() {
        for threads in [1, 2, 5] {
            on_threads(threads, || {
                for piece in 0..2000 {
                    let count = piece % 23;
                    let done: Vec<_> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                    run(count, &|task| {
                        done[task].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1), "{count} tasks");
                }
            });
        }
    }

    #[test]
    fn several_threads_of_a_pool_have_teams_at_once() {
        let total = on_threads(3, || {
            let sums = rayon::broadcast(|_| {
                let sum = AtomicUsize::new(0);
                for _ in 0..500 {
                    run(10, &|task| {
                        sum.fetch_add(task, Ordering::Relaxed);
                    });
                }
                sum.into_inner()
            });
            sums.into_iter().sum::<usize>()
        });
        assert_eq!(total, 3 * 500 * 45);
    }

    #[test]
    fn a_task_may_divide_its_work_further() {
        let sum = AtomicUsize::new(0);
        on_threads(4, || {
            run(3, &|task| {
                assert!(is_busy());
                rayon::scope(|scope| {
                    for part in 0..8 {
                        let sum = &sum;
                        scope.spawn(move |_| {
                            sum.fetch_add(task * 8 + part, Ordering::Relaxed);
                        });
                    }
                });
            });
        });
        assert_eq!(sum.into_inner(), (0..24).sum::<usize>());
        assert!(!is_busy());
    }

    #[test]
    fn a_panic_reaches_the_caller_and_ends_nothing_else() {
        on_threads(2, || {
            for _ in 0..50 {
                let panic = catch_unwind(|| run(8, &|task| assert_ne!(task, 6, "the sixth task")));
                let message = panic.unwrap_err();
                assert!(message.downcast_ref::<String>().unwrap().contains("the sixth task"));
                assert!(!is_busy());
                run(8, &|_| {});
            }
        });
    }
}
