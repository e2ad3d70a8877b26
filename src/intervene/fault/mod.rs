//! Faults: what is struck, what becomes of it, and what a campaign concludes. Maths on slices; no files, no threads.
//!
//! A fault is *where* × *how* × *how many* × *when*. Weights are never changed here: [`strike`] says what each struck
//! value reads as, and a view above shows it.
//!
//! | question | answered by |
//! |---|---|
//! | how values are stored, and what their bits mean | [`Format`], [`Storage`] |
//! | which bits can be struck | [`Bits`], [`BitField`] |
//! | what happens to what is struck | [`FaultModel`], one file each in [`model`] |
//! | which sites there are, and which ones are drawn | [`SiteSpace`], [`FaultAmount`], [`sample`] |
//! | from which stream | [`Draw`] |
//! | what a set of sites reads as | [`strike`] |
//! | what one line of `faults.csv` says, and lists written by others | [`record`], [`list`] |
//! | what a fault did to an image | [`outcome`] |
//! | how sure a campaign is | [`statistics`] |

mod amount;
mod bits;
mod draw;
mod format;
mod half;
pub mod list;
pub mod model;
pub mod outcome;
pub mod record;
pub mod sample;
mod sites;
pub mod statistics;
mod storage;
mod strike;

pub use amount::FaultAmount;
pub use bits::{BitField, Bits};
pub use draw::{Draw, PrunedMemory};
pub use format::Format;
pub use model::FaultModel;
pub use outcome::{Judgement, Outcome, Tally};
pub use record::FaultRecord;
pub use sites::{Region, Site, SiteSpace, TooManyFaults};
pub use storage::Storage;
pub use strike::{Memory, Strike, strike};
