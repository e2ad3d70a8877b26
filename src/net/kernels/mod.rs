//! Operations on arrays of the host, for networks whose channels lie side by side.
//!
//! Every kernel is plain data in, plain data out, and knows nothing of networks. Bits depend on the arguments alone:
//! work is divided among threads by what comes out, never by what is summed. Memory comes from a [`scratch::Scratch`].
//! The code that needs `unsafe` is in the modules that say so: vector instructions ([`simd`]), reads through pointers in
//! the innermost loops ([`tile`] and its users), and arrays that several tasks write in places of their own
//! ([`parallel`]).

#![allow(
    clippy::inline_always,
    reason = "vector code must land in the function that switches the processor's features on"
)]
#![allow(clippy::needless_range_loop, reason = "tiles are counted by the same index in several registers")]
#![allow(clippy::cast_possible_wrap, reason = "offsets into buffers are far below isize::MAX")]

pub mod activate;
pub mod conv;
pub mod direct;
mod direct_weights;
mod geometry;
pub mod linear;
mod matrix;
pub mod norm;
pub mod pack;
pub mod parallel;
pub mod pool;
pub mod scratch;
pub mod simd;
#[cfg(test)]
mod tests;
mod tile;
pub mod winograd;
