//! Where faults can be injected into a network, and the faults that a campaign compares.

use serde::{Deserialize, Serialize};

use super::fault::{Campaign, Fault, FaultAmount, Vary};
use super::structure::{Role, Structure};
use super::target::{Layers, Params, Target};
use super::targets;
use crate::intervene::fault::{Bits, Format};

/// A cell of a campaign: one setting of what it varies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellPlan {
    /// Fault rate, where rates are varied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Bit, where bits are varied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit: Option<u32>,
    /// Layer, where layers are varied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Trials of the cell at most.
    pub trials: u64,
    /// Possible single faults.
    pub possible: u64,
    /// Trials that Leveugle et al. (DATE 2009) plan for the margin and confidence.
    pub planned: u64,
}

impl CellPlan {
    /// The varied setting: `rate 1e-5`, `b30`, `fc1`; `all` where nothing is varied.
    pub fn name(&self) -> String {
        let rate = self.rate.map(|rate| format!("rate {rate:e}"));
        let bit = self.bit.map(|bit| format!("b{bit}"));
        rate.or(bit).or_else(|| self.layer.clone()).unwrap_or_else(|| "all".to_owned())
    }
}

/// A place with fault sites: a parameter, or the activations after an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultPlace {
    /// Name in `faults.csv`: the parameter's, or `fc1.output`.
    pub name: String,
    /// The layer, or the residual block whose sum it is.
    pub source: String,
    /// The parameter, or the operation.
    pub number: usize,
    /// Entries: of the parameter, or of one image.
    pub entries: usize,
    /// How it is stored.
    pub format: Format,
    /// The layer that it belongs to, as its place in the structure; for a sum, the last one beside the shortcut.
    pub layer: usize,
    /// Entries of an output channel, at least 1.
    pub row: usize,
}

impl Fault {
    /// Whether it is injected into activations, rather than parameters.
    pub const fn is_in_activations(&self) -> bool {
        matches!(self.target.params, Some(Params::Activations | Params::Preactivations))
    }
}

impl FaultPlace {
    /// The output channel that an entry belongs to.
    pub const fn channel_of(&self, entry: usize) -> usize {
        entry / self.row
    }

    /// How many output channels there are.
    pub const fn channels(&self) -> usize {
        self.entries / self.row
    }
}

/// Every place that a fault can be injected into, in the order of the network.
pub fn fault_places(structure: &Structure, fault: &Fault) -> Vec<FaultPlace> {
    if let Some(kind @ (Params::Activations | Params::Preactivations)) = &fault.target.params {
        return activations(structure, fault, kind);
    }
    let chosen = targets::parameters(structure, &fault.target, &Params::Weights);
    chosen.into_iter().map(|number| parameter(structure, fault, number)).collect()
}

fn parameter(structure: &Structure, fault: &Fault, number: usize) -> FaultPlace {
    let parameter = &structure.parameters[number];
    FaultPlace {
        name: parameter.name.clone(),
        source: structure.layers[parameter.layer].name.clone(),
        number,
        entries: parameter.len(),
        format: fault.format.of_parameter(parameter.role == Role::Weight),
        layer: parameter.layer,
        row: parameter.row(),
    }
}

fn activations(structure: &Structure, fault: &Fault, kind: &Params) -> Vec<FaultPlace> {
    let suffix = if *kind == Params::Activations { "output" } else { "preactivation" };
    let place = |number: usize| {
        let (source, layer) = targets::source(structure, number);
        let (source, name) = (source.to_owned(), format!("{source}.{suffix}"));
        let (entries, row) = targets::activation_size(structure, number);
        FaultPlace { name, source, number, entries, format: fault.format, layer, row: row.max(1) }
    };
    targets::activations(structure, &fault.target, kind).into_iter().map(place).collect()
}

/// The fault of each cell of a campaign, and what tells the cell apart.
pub fn varied(campaign: &Campaign, structure: &Structure) -> Vec<(CellPlan, Fault)> {
    let fault = || campaign.fault.clone();
    let plan = CellPlan::default;
    match &campaign.vary {
        Vary::Nothing => vec![(plan(), fault())],
        Vary::Rate(rates) => {
            let cell = |&rate: &f64| {
                let amount = FaultAmount::Rate(rate);
                (CellPlan { rate: Some(rate), ..plan() }, Fault { amount, ..fault() })
            };
            rates.iter().map(cell).collect()
        }
        Vary::Bit(bits) => {
            let cell = |&bit: &u32| {
                (CellPlan { bit: Some(bit), ..plan() }, Fault { bits: Bits::Bit(bit), ..fault() })
            };
            bits.iter().map(cell).collect()
        }
        Vary::Layer => {
            let mut sources: Vec<String> =
                fault_places(structure, &campaign.fault).into_iter().map(|place| place.source).collect();
            sources.dedup();
            let cell = |name: String| {
                let target =
                    Target { layers: Layers::Only(vec![name.clone()]), ..campaign.fault.target.clone() };
                (CellPlan { layer: Some(name), ..plan() }, Fault { target, ..fault() })
            };
            sources.into_iter().map(cell).collect()
        }
    }
}
