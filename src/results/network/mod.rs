//! What is known of the network of a run: plain numbers for tables and figures.

mod histogram;
mod vulnerability;

pub use histogram::{BINS, Histogram, ends};
pub use vulnerability::{Vulnerabilities, Vulnerability};

/// State of an entry that nothing holds.
pub const FREE: u8 = 0;
/// State of an entry that is held at zero.
pub const PRUNED: u8 = 1;
/// State of an entry that is held at a value.
pub const FROZEN: u8 = 2;

/// The network at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSummary {
    /// What it computes, from its input to its logits.
    pub chain: Vec<Link>,
    /// In the order of the network.
    pub layers: Vec<LayerSummary>,
    /// In the order of the network.
    pub parameters: Vec<ParameterSummary>,
}

/// One operation of a forward pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it does, in words: "Conv 3→64, 3×3, ReLU".
    pub what: String,
    /// Shape of what leaves it: "64×32×32".
    pub output: String,
    /// The position of its layer; none of an operation without parameters.
    pub layer: Option<usize>,
}

/// A layer at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSummary {
    /// Torch's name, such as `fc1`.
    pub name: String,
    /// What it computes, in words.
    pub kind: &'static str,
    /// Shape of its weight: `300×784`.
    pub shape: String,
    /// Entries of its trained parameters.
    pub parameters: u64,
    /// Entries of its weight; 0 for a batch norm, which has none that are pruned by default.
    pub weights: u64,
    /// Entries of its weight that are not pruned.
    pub remaining: u64,
    /// Entries that are held at a value, of all its parameters.
    pub frozen: u64,
    /// Multiply-adds of one sample forward when nothing is pruned.
    pub multiply_adds: u64,
    /// Multiply-adds that its surviving weights take part in.
    pub surviving_multiply_adds: u64,
}

/// A parameter at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSummary {
    /// Torch's name, such as `fc1.weight`.
    pub name: String,
    /// In PyTorch's layout.
    pub shape: Vec<usize>,
    /// Smallest finite value of an entry that is not pruned; 0 without any.
    pub minimum: f32,
    /// Largest finite value of an entry that is not pruned; 0 without any.
    pub maximum: f32,
    /// Where the values lie.
    pub histogram: Histogram,
    /// Entries held at zero.
    pub pruned: u64,
    /// Entries held at a value.
    pub frozen: u64,
}

/// All values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValues {
    /// In PyTorch's layout.
    pub shape: Vec<usize>,
    /// Row by row.
    pub values: Vec<f32>,
    /// What holds each entry: [`FREE`], [`PRUNED`] or [`FROZEN`].
    pub entries: Vec<u8>,
}

/// A shape as people write it: `300×784`.
pub fn shape_text(shape: &[usize]) -> String {
    shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("×")
}

/// Whose network it is, at the end of a run.
pub fn at_end(arm: &str, seed: u64) -> String {
    format!("{arm}, seed {seed}, at its end")
}

/// Whose network it is, before a run.
pub fn as_begun(arm: &str) -> String {
    format!("{arm}, as the run begins")
}
