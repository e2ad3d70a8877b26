//! Interventions on single weights, as mathematics on host slices.
//!
//! Every function here takes the flat values of parameters, returns which entries to prune, hold or move, and changes
//! nothing itself: the layers above apply the result. Slices are in the exported (PyTorch) layout, a linear weight
//! `[out, in]`, a convolution's `[out, in, height, width]`; parameters come in the order of the network. All counting
//! (indices, ties, random draws) follows that order, so that another program can repeat it.
//!
//! | question | answered by |
//! |---|---|
//! | how many entries | [`Amount`] |
//! | ranked alone or together | [`Scope`] |
//! | which ones are worth least | [`criteria`] |
//! | so which ones go | [`prune`] |
//! | which ones are held still | [`freeze`] |
//! | where else could they have been | [`shuffle_masks`] |
//! | what weights start from | [`init`] |
//! | where randomness comes from | [`stream`], [`draw`] |
//! | what two masks have in common | [`Overlap`] |
//! | which bits are hit, what they read as, and what that did | [`fault`] |

mod amount;
pub mod criteria;
pub mod draw;
pub mod fault;
pub mod freeze;
pub mod init;
mod mask;
pub mod prune;
pub mod stream;

pub use amount::{Amount, AmountError, Scope};
pub use criteria::Criterion;
pub use init::{BiasInit, Init};
pub use mask::{Entry, MaskCounts, Overlap, shuffle_masks};
