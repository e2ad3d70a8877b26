//! Hand-written CPU kernels on the host's arrays, with channels last.
//!
//! Every kernel takes and returns plain data and knows nothing of networks. Bits depend on the arguments alone: work is
//! divided among threads by outputs, never by terms of a sum. Buffers come from a [`scratch::Scratch`]. This folder is
//! the only one with `unsafe`: for vector instructions ([`simd`]), for reads through pointers in the innermost loops
//! ([`tile`] and its users), and for arrays of which several tasks write disjoint parts ([`parallel`]).

#![allow(
    clippy::inline_always,
    reason = "vector code must be inlined into the function that enables the processor's features"
)]
#![allow(clippy::needless_range_loop, reason = "tiles are counted by the same index in several registers")]
#![allow(clippy::cast_possible_wrap, reason = "offsets into buffers are far below isize::MAX")]

pub mod activate;
pub mod combine;
pub mod conv;
pub mod direct;
mod direct_weights;
pub mod free;
mod geometry;
mod images;
pub mod linear;
pub mod live;
mod matrix;
pub mod norm;
pub mod pack;
pub mod parallel;
pub mod part;
pub mod pool;
pub mod scratch;
pub mod simd;
pub mod sparse;
#[cfg(test)]
mod tests;
mod tile;
mod windows;
pub mod winograd;
