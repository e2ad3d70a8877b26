//! Memory that is used again: touching fresh memory costs more than computing with it.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Bytes of a line of the caches.
pub const LINE: usize = 64;

/// Buffers that wait to be used again.
///
/// It can be used from several threads at once; each gets buffers of its own.
#[derive(Debug, Default)]
pub struct Scratch {
    numbers: Pool<f32>,
    bytes: Pool<u8>,
}

impl Scratch {
    /// `len` numbers, whatever was in them before. They come back when the buffer is dropped.
    pub fn take(&self, len: usize) -> Buffer<'_> {
        self.numbers.take(len)
    }

    /// `len` bytes, whatever was in them before.
    pub fn take_bytes(&self, len: usize) -> Buffer<'_, u8> {
        self.bytes.take(len)
    }

    /// A vector of exactly `len` numbers, whatever was in them before, to be given away.
    pub fn vector(&self, len: usize) -> Vec<f32> {
        let mut free = self.numbers.lock();
        let found = free.iter().position(|values| values.len() == len);
        found.map_or_else(|| vec![0.0; len], |at| free.swap_remove(at))
    }

    /// Takes back what was given away.
    pub fn give(&self, values: Vec<f32>) {
        self.numbers.give(values);
    }
}

/// Buffers of one kind.
#[derive(Debug, Default)]
struct Pool<T> {
    free: Mutex<Vec<Vec<T>>>,
}

impl<T: Copy + Default> Pool<T> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Vec<T>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, values: Vec<T>) {
        self.lock().push(values);
    }

    fn take(&self, len: usize) -> Buffer<'_, T> {
        let spare = LINE / size_of::<T>();
        let needed = len + spare;
        let mut free = self.lock();
        // The smallest that is large enough; else the largest, which is given back for a larger one.
        let fitting = (0..free.len()).filter(|&at| free[at].len() >= needed).min_by_key(|&at| free[at].len());
        let best = fitting.or_else(|| (0..free.len()).max_by_key(|&at| free[at].len()));
        let mut values = best.map(|at| free.swap_remove(at)).unwrap_or_default();
        drop(free);
        if values.len() < needed {
            drop(std::mem::take(&mut values));
            values = vec![T::default(); needed];
        }
        let start = values.as_ptr().align_offset(LINE).min(spare);
        Buffer { home: self, values, start, len }
    }
}

/// Numbers from a [`Scratch`].
#[derive(Debug)]
pub struct Buffer<'a, T: Copy + Default = f32> {
    home: &'a Pool<T>,
    /// More than were asked for.
    values: Vec<T>,
    /// Where a line of the cache begins: a vector that lies in two of them is loaded and stored at half the speed.
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Deref for Buffer<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..self.start + self.len]
    }
}

impl<T: Copy + Default> DerefMut for Buffer<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..self.start + self.len]
    }
}

impl<T: Copy + Default> Drop for Buffer<'_, T> {
    fn drop(&mut self) {
        self.home.give(std::mem::take(&mut self.values));
    }
}
