//! Hand-written CPU kernels on the host's arrays, with channels last.
//!
//! Every kernel takes and returns plain data and knows nothing of networks. Bits depend on the arguments alone: work is
//! divided among threads by outputs, never by terms of a sum. Buffers come from a [`scratch::Scratch`]. This crate is the
//! only one with `unsafe`: for vector instructions ([`simd`]), for reads through pointers in the innermost loops
//! ([`tile`] and its users), and for arrays of which several tasks write disjoint parts ([`parallel`]).

pub mod conv;
pub mod direct;
pub mod geometry;
pub mod linear;
pub mod norm;
pub mod parallel;
pub mod part;
pub mod pointwise;
pub mod pool;
pub mod scratch;
pub mod simd;
pub mod sparse;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tile;
pub mod winograd;
