//! Settings of faults and campaigns, where faults can be injected, and the faults that a campaign compares.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::structure::{Role, Structure};
use crate::targets::{self, LayerResult, Layers, Params, Target};
use data::Shape;

pub use intervene::fault::model::Unit;
pub use intervene::fault::{BitField, Bits, Draw, FaultAmount, FaultModel, Format, PrunedMemory};

form::form! {
    /// The places, kind, number and time of faults.
    pub struct Fault: "Fault" {
        target: Target = Target::default(), "Where", "Where faults can be; default: weights";
        indices: Vec<usize> = Vec::new(), "Entries", "Only these entries of each parameter or output, \
            counted from 0 in PyTorch's layout (within one image for activations); none: all";
        format: Format = Format::Float32, "Format", "How values are stored";
        model: FaultModel = FaultModel::Flip, "Model", "What a fault does to a bit or value";
        bits: Bits = Bits::All, "Bits", "Which bits can be faulty";
        amount: FaultAmount = FaultAmount::Count(1), "How many", "A count, or a rate per bit", written always;
        draw: Draw = Draw::Once, "When", "When new faults are drawn";
        pruned: PrunedMemory = PrunedMemory::Dense, "Pruned entries", "Whether pruned entries can be faulty";
    }
}

form::choice! {
    /// The setting that a campaign varies.
    pub enum Vary: "Vary" {
        Nothing, "Nothing", "One cell";
        Rate(Vec<f64>) = vec![1e-7, 1e-6, 1e-5, 1e-4], "Rate", "One cell per rate", range [0.0, 1.0];
        Bit(Vec<u32>) = vec![31, 30, 23, 22, 0], "Bit", "One cell per bit", range [0, 31];
        Layer, "Layer", "One cell per layer";
    }
}

form::form! {
    /// Settings of a campaign that ends when its interval is narrow enough.
    pub struct Until: "Until the margin is met" {
        margin: f64 = 0.01, "Margin", "Target half-width of the interval", unit "%", range [0.0001, 0.5];
        confidence: f64 = 0.95, "Confidence", "Confidence of the interval", unit "%", range [0.5, 0.9999];
        at_most: u64 = 10000, "At most", "Maximum number of trials", unit "trials", range [1, 1e9];
    }
}

form::choice! {
    /// The number of trials of a campaign.
    pub enum Trials: "Trials" {
        Fixed(u64) = 100, "Fixed", "This many per cell", unit "trials", range [1, 1e9];
        Exhaustive, "Exhaustive", "Every possible single fault once";
        Until(Until) = Until::default(), "Until", "Until the interval is narrow enough";
    }
}

form::choice! {
    /// A protection of a network against faults.
    pub enum Protect: "Protection" {
        Nothing, "None", "Nothing";
        Clip, "Clip", "Clips the outputs of each non-linearity to the range observed on the training part";
        ZeroNonFinite, "Zero on NaN", "NaN and infinity become 0";
        Both, "Both", "Clips, and sets NaN and infinity to 0";
    }
}

form::choice! {
    /// The source of the faults of a campaign.
    pub enum FaultSource: "Faults" {
        Drawn, "Drawn", "From the run's random stream";
        File(String) = String::new(), "From a file", "From a list in the format of faults.csv", names File;
    }
}

form::form! {
    /// Settings of a fault campaign.
    pub struct Campaign: "Campaign" {
        fault: Fault = Fault::default(), "Fault", "What one trial injects", written always;
        vary: Vary = Vary::Nothing, "Vary", "The setting that varies between cells";
        trials: Trials = Trials::Fixed(100), "Trials", "How many", written always;
        images: Option<usize> = None, "Images", "Number of test images, from the first; default: all", unit "images", range [1, 1e9], unset "all";
        protect: Protect = Protect::Nothing, "Protection", "How activations are protected against faults";
        faults: FaultSource = FaultSource::Drawn, "Faults from", "Drawn, or listed in a file";
        memory: u64 = 1024, "Memory (MiB)", "For fault-free activations, so that a trial starts at its fault; if \
            too small, every trial starts at the images", unit "MiB", range [0, 1_048_576];
    }
}

/// A cell of a campaign: one setting of what it varies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellPlan {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// The most trials.
    pub trials: u64,
    pub possible: u64,
    /// Trials that Leveugle et al. (DATE 2009) plan for the margin and confidence.
    pub planned: u64,
}

impl CellPlan {
    /// Names the varied setting: `rate 1e-5`, `b30`, `fc1`; `all` where nothing is varied.
    pub fn name(&self) -> String {
        let rate = self.rate.map(|rate| format!("rate {rate:e}"));
        let bit = self.bit.map(|bit| format!("b{bit}"));
        rate.or(bit).or_else(|| self.layer.clone()).unwrap_or_else(|| "all".to_owned())
    }
}

/// A place with fault sites: a parameter, or the activations after an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultPlace {
    /// As in `faults.csv`: the parameter's, or `fc1.output`.
    pub name: String,
    /// The layer, or the residual block whose sum it is.
    pub source: String,
    /// The parameter, or the operation.
    pub number: usize,
    /// Entries: of the parameter, or of one image.
    pub entries: usize,
    pub format: Format,
    /// Entries of an output channel, at least 1.
    pub row: usize,
}

impl Fault {
    /// Returns true if it is injected into activations, rather than parameters.
    pub const fn is_in_activations(&self) -> bool {
        matches!(self.target.params, Some(Params::Activations | Params::Preactivations))
    }
}

impl FaultPlace {
    /// Returns the output channel that an entry belongs to.
    pub const fn channel_of(&self, entry: usize) -> usize {
        entry / self.row
    }

    /// Returns the number of output channels.
    pub const fn channels(&self) -> usize {
        self.entries / self.row
    }
}

/// Returns every place that a fault can be injected into, in the order of the network. Each has its own name, by which logs
/// find it.
pub fn fault_places(structure: &Structure, fault: &Fault) -> Vec<FaultPlace> {
    let target = &fault.target;
    let places: Vec<FaultPlace> =
        if let Some(kind @ (Params::Activations | Params::Preactivations)) = &target.params {
            let found = targets::results(structure, &target.layers, kind);
            found.into_iter().map(|result| activations(result, fault, kind)).collect()
        } else {
            let chosen = targets::parameters(structure, target, &Params::Weights);
            chosen.into_iter().map(|number| parameter(structure, fault, number)).collect()
        };
    debug_assert!(
        places.iter().map(|place| &place.name).collect::<BTreeSet<_>>().len() == places.len(),
        "each place has its own name"
    );
    places
}

/// Returns the places of a cell of a campaign: where layers are varied, those of its layer, or the sum of its residual
/// block.
pub fn cell_places(structure: &Structure, plan: &CellPlan, fault: &Fault) -> Vec<FaultPlace> {
    let mut places = fault_places(structure, fault);
    places.retain(|place| plan.layer.as_ref().is_none_or(|layer| *layer == place.source));
    places
}

/// Returns the shapes of all places with faults by their names: of parameters, and of the outputs for one image.
pub fn shapes(structure: &Structure) -> BTreeMap<String, Vec<usize>> {
    let parameters = structure.parameters.iter().map(|known| (known.name.clone(), known.shape.clone()));
    let outputs = [Params::Activations, Params::Preactivations].into_iter().flat_map(|kind| {
        let results = targets::results(structure, &Layers::All, &kind).into_iter();
        results.map(move |LayerResult { name, output: Shape { channels, height, width }, .. }| {
            let is_flat = height * width == 1;
            let shape = if is_flat { vec![channels] } else { vec![channels, height, width] };
            (format!("{name}.{}", suffix(&kind)), shape)
        })
    });
    parameters.chain(outputs).collect()
}

fn suffix(kind: &Params) -> &'static str {
    if *kind == Params::Activations { "output" } else { "preactivation" }
}

fn parameter(structure: &Structure, fault: &Fault, number: usize) -> FaultPlace {
    let parameter = &structure.parameters[number];
    FaultPlace {
        name: parameter.name.clone(),
        source: structure.layers[parameter.layer].name.clone(),
        number,
        entries: parameter.len(),
        format: fault.format.of_parameter(parameter.role == Role::Weight),
        row: parameter.row(),
    }
}

fn activations(result: LayerResult, fault: &Fault, kind: &Params) -> FaultPlace {
    let LayerResult { op, name, output } = result;
    FaultPlace {
        name: format!("{name}.{}", suffix(kind)),
        source: name.to_owned(),
        number: op,
        entries: output.len(),
        format: fault.format,
        row: output.plane().max(1),
    }
}

/// Returns each cell of a campaign with its fault; its places are [`cell_places`].
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
            sources.into_iter().map(|name| (CellPlan { layer: Some(name), ..plan() }, fault())).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fault::*;
    use crate::structure::testing::GRAPHS;
    use crate::{Loss, Net};
    use form::ron_text;

    /// A block that begins with a batch norm, and a batch norm behind a block.
    const PRE_ACTIVATION: &str = "Conv(channels: 4), Residual(body: [BatchNorm(), Relu, Conv(channels: 4)]), BatchNorm(), \
        Relu, Flatten, Linear()";
    const NESTED: &str = "Conv(channels: 4), Residual(body: [Residual(body: [Conv(channels: 4)]), Relu, \
        Conv(channels: 4)]), Flatten, Linear()";
    const FREE_NORMS: &str = "BatchNorm(), Conv(channels: 4), MaxPool(), BatchNorm(), Conv(channels: 4), BatchNorm(), \
        BatchNorm(), Relu, Flatten, Linear()";

    fn structure(layers: &str, input: Shape) -> Structure {
        let net: Net = ron_text::from_str(&format!("Sequential(layers: [{layers}])")).unwrap();
        Structure::new(&net, input, 10, &Loss::CrossEntropy).unwrap()
    }

    /// Names of the places of a target.
    fn places(layers: &str, target: &str) -> Vec<String> {
        let fault: Fault = ron_text::from_str(&format!("(target: ({target}))")).unwrap();
        let places = fault_places(&structure(layers, Shape::new(1, 8, 8)), &fault);
        places.into_iter().map(|place| place.name).collect()
    }

    /// Asserts in [`fault_places`] compare the names.
    #[test]
    fn every_place_of_a_graph_has_its_own_name_and_its_own_cell() {
        let others = [PRE_ACTIVATION, NESTED, FREE_NORMS].map(|layers| (layers, Shape::new(1, 8, 8)));
        for (layers, input) in GRAPHS.into_iter().chain(others) {
            let structure = structure(layers, input);
            for kind in ["Activations", "Preactivations", "Everything"] {
                let text = format!("(fault: (target: (params: {kind})), vary: Layer)");
                let campaign: Campaign = ron_text::from_str(&text).unwrap();
                let all = fault_places(&structure, &campaign.fault);
                let cells = varied(&campaign, &structure).into_iter();
                let own: Vec<FaultPlace> =
                    cells.flat_map(|(plan, fault)| cell_places(&structure, &plan, &fault)).collect();
                assert_eq!(own, all, "{layers}: cells share nothing, and nothing is left");
                let (shapes, known) = (structure.shapes(), crate::fault::shapes(&structure));
                for place in &all {
                    let entries: usize = known[&place.name].iter().product();
                    assert_eq!(place.entries, entries, "{layers}: {}", place.name);
                }
                for place in all.iter().filter(|_| kind != "Everything") {
                    assert_eq!(place.entries, shapes[place.number + 1].len(), "{}", place.name);
                }
            }
        }
    }

    #[test]
    fn a_batch_norm_that_does_not_follow_its_convolution_has_a_result_of_its_own() {
        let all = ["0.output", "1.0.output", "1.2.output", "1.output", "2.output", "5.output"];
        assert_eq!(places(PRE_ACTIVATION, "params: Activations"), all);
        let only =
            |name: &str| places(PRE_ACTIVATION, &format!("params: Activations, layers: Only([\"{name}\"])"));
        assert_eq!(only("0"), ["0.output"]);
        assert_eq!(only("1.0"), ["1.0.output"]);
        assert_eq!(only("2"), ["2.output"]);
        let free = ["0.output", "1.output", "3.output", "4.output", "6.output", "9.output"];
        assert_eq!(places(FREE_NORMS, "params: Activations"), free);
    }

    #[test]
    fn the_name_of_a_block_means_its_layers_its_blocks_and_its_sum() {
        let inside = ["1.0.0.output", "1.0.output", "1.2.output", "1.output"];
        let of = |layers: &str| places(NESTED, &format!("params: Activations, layers: {layers}"));
        assert_eq!(of("Only([\"1\"])"), inside);
        assert_eq!(of("Except([\"1\"])"), ["0.output", "3.output"]);
        assert_eq!(of("Only([\"1.0\"])"), inside[..2]);
        assert_eq!(of("Except([\"1.0\"])"), ["0.output", "1.2.output", "1.output", "3.output"]);
    }

    #[test]
    fn the_cell_of_a_block_is_its_sum_alone() {
        let structure = structure(NESTED, Shape::new(1, 8, 8));
        let text = "(fault: (target: (params: Activations, layers: Only([\"1\"]))), vary: Layer)";
        let campaign: Campaign = ron_text::from_str(text).unwrap();
        let names = varied(&campaign, &structure).into_iter().map(|(plan, fault)| {
            let places = cell_places(&structure, &plan, &fault).into_iter();
            (plan.layer.unwrap(), places.map(|place| place.name).collect::<Vec<_>>())
        });
        let expected =
            ["1.0.0", "1.0", "1.2", "1"].map(|name| (name.to_owned(), vec![format!("{name}.output")]));
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }
}
