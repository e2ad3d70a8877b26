//! Reusable buffers: touching fresh memory costs more than computing with it.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Buffers to be reused. Several threads may take from it at once; each gets its own buffers.
#[derive(Debug, Default)]
pub struct Scratch {
    numbers: Pool<f32>,
    bytes: Pool<u8>,
}

impl Scratch {
    /// Returns `len` numbers with arbitrary contents. The buffer returns when it is dropped.
    pub fn take(&self, len: usize) -> Buffer<'_> {
        self.numbers.take(len)
    }

    /// Returns `len` bytes with arbitrary contents.
    pub fn take_bytes(&self, len: usize) -> Buffer<'_, u8> {
        self.bytes.take(len)
    }

    /// Returns a vector of exactly `len` numbers with arbitrary contents, for the caller to keep.
    pub fn vector(&self, len: usize) -> Vec<f32> {
        let mut free = self.numbers.lock();
        let found = free.iter().position(|values| values.len() == len);
        found.map_or_else(|| vec![0.0; len], |at| free.swap_remove(at))
    }

    /// Takes back such a vector.
    pub fn put_back(&self, values: Vec<f32>) {
        self.numbers.put_back(values);
    }
}

#[derive(Debug, Default)]
struct Pool<T> {
    free: Mutex<Vec<Vec<T>>>,
}

impl<T: Copy + Default> Pool<T> {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Vec<T>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_back(&self, values: Vec<T>) {
        self.lock().push(values);
    }

    fn take(&self, len: usize) -> Buffer<'_, T> {
        let needed = len + Aligned::<T>::SPARE;
        let mut free = self.lock();
        // The smallest that is large enough; else the largest, which is replaced by a larger one.
        let fitting = (0..free.len()).filter(|&at| free[at].len() >= needed).min_by_key(|&at| free[at].len());
        let best = fitting.or_else(|| (0..free.len()).max_by_key(|&at| free[at].len()));
        let mut values = best.map(|at| free.swap_remove(at)).unwrap_or_default();
        drop(free);
        if values.len() < needed {
            drop(std::mem::take(&mut values));
            values = vec![T::default(); needed];
        }
        Buffer { home: self, held: Aligned::from_vec(values, len) }
    }
}

/// Numbers that begin at a cache line: vectors across two lines are loaded and stored at half the speed.
#[derive(Debug)]
pub struct Aligned<T = f32> {
    /// A few more than `len`.
    values: Vec<T>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// Returns zeros.
    pub fn new(len: usize) -> Self {
        Self::from_vec(vec![0.0; len + Self::SPARE], len)
    }
}

impl<T> Aligned<T> {
    /// Values of a line: as many may lie before its start.
    const SPARE: usize = LINE / size_of::<T>();

    fn from_vec(values: Vec<T>, len: usize) -> Self {
        let start = values.as_ptr().align_offset(LINE).min(Self::SPARE);
        Self { values, start, len }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..self.start + self.len]
    }
}

/// Numbers from a [`Scratch`].
#[derive(Debug)]
pub struct Buffer<'a, T: Copy + Default = f32> {
    home: &'a Pool<T>,
    held: Aligned<T>,
}

impl<T: Copy + Default> Deref for Buffer<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.held
    }
}

impl<T: Copy + Default> DerefMut for Buffer<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.held
    }
}

impl<T: Copy + Default> Drop for Buffer<'_, T> {
    fn drop(&mut self) {
        self.home.put_back(std::mem::take(&mut self.held.values));
    }
}
