//! The network of a run as plain numbers for tables and figures.

mod histogram;
mod vulnerability;

pub use histogram::{BINS, Histogram};
pub use intervene::Entry;
pub use vulnerability::{Vulnerabilities, Vulnerability};

/// The network at the end of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkSummary {
    /// What it computes, from its input to its logits.
    pub chain: Vec<Link>,
    /// In the order of the network.
    pub layers: Vec<LayerSummary>,
    /// In the order of the network.
    pub parameters: Vec<ParameterSummary>,
}

/// One operation of a forward pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its description: "Conv 3→64, 3×3, ReLU".
    pub what: String,
    /// Shape of its output: "64×32×32".
    pub output: String,
    /// Position of its layer; none for an operation without parameters.
    pub layer: Option<usize>,
    /// The residual block whose sum it is, which faults in the sum have as their layer; empty for other operations.
    pub block: String,
    /// Whether it is in the shortcut of a residual block, beside the body that ends before it.
    pub is_shortcut: bool,
    /// The operations before it that it reads, by position: two for an addition.
    pub reads: Vec<usize>,
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
    /// Distribution of the values.
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
    /// State of each entry.
    pub entries: Vec<Entry>,
}

/// A shape in words: `300×784`.
pub fn shape_text(shape: &[usize]) -> String {
    shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("×")
}

/// The caption of the network at the end of a run.
pub fn at_end(arm: &str, seed: u64) -> String {
    at_moment(arm, seed, "final weights")
}

/// The caption of the network of a run at a moment: "dense, seed 1, round 5, 32.8 % remaining".
pub fn at_moment(arm: &str, seed: u64, moment: &str) -> String {
    format!("{arm}, seed {seed}, {moment}")
}

/// The caption of the network before a run.
pub fn as_begun(arm: &str) -> String {
    format!("{arm}, initial weights")
}
