//! Faults: where they are injected, what becomes of it, and what a campaign concludes. Maths on slices; no files, no threads.
//!
//! A fault is *where* × *how* × *how many* × *when*. Weights are never changed here: an [`Injection`] returns what each
//! value reads as, and a view above shows it.
//!
//! | question | answered by |
//! |---|---|
//! | how values are stored, and what their bits mean | [`Format`], [`Storage`] |
//! | which bits can be hit | [`Bits`], [`BitField`] |
//! | what becomes of a stored value | [`FaultModel`], one file each in [`model`] |
//! | which sites there are, and which ones are drawn | [`SiteSpace`], [`FaultAmount`] |
//! | from which stream | [`Draw`], [`StreamCounters`] |
//! | what values read as with faults | [`Injection`] |
//! | what the lines of `faults.csv` hold, and lists written by others | [`log`] |
//! | what a fault did to an image | [`outcome`] |
//! | how sure a campaign is | [`statistics`] |

mod format;
mod inject;
pub mod log;
pub mod model;
pub mod outcome;
mod sites;
pub mod statistics;

pub use format::{BitField, Bits, Format, Storage};
pub use inject::{Injected, Injection, Memory};
pub use model::FaultModel;
pub use outcome::{ImageOutcome, Tally};
pub use sites::{Draw, FaultAmount, PrunedMemory, Region, Site, SiteSpace, StreamCounters, TooManyFaults};
