//! Figures of the network that a run trains: what is left of its layers, and the values of a parameter.

mod histogram;
pub mod histograms;
pub mod image;
mod layers;

pub use histogram::histogram;
pub use layers::layers;
