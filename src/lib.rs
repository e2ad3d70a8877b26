//! Experiments that intervene on single weights of neural networks.
//!
//! Layers, imports go downward only: `cli` and `gui` over [`publish`] over [`run`] over [`net`] and [`figure`] over [`results`] over
//! [`doc`] over [`data`], [`intervene`] and [`optimize`] over [`form`]. ARCHITECTURE.md says what each one holds and never holds.

pub mod cli;
pub mod data;
pub mod doc;
pub mod download;
pub mod figure;
pub mod form;
pub mod gui;
pub mod intervene;
pub mod net;
pub mod optimize;
pub mod publish;
pub mod results;
pub mod run;
