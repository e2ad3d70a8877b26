//! Checks of what a fault can strike: that every cell of its campaign has as much as one trial takes.

use super::Walk;
use crate::doc::fault::{Campaign, Fault, FaultAmount, FaultModel, Vary};
use crate::doc::intervention::{Layers, Params, Target};
use crate::doc::structure::Role;
use crate::doc::targets;
use crate::form::path::Place;
use crate::intervene::fault::{Bits, Format, Region};

/// A parameter, or what flows behind an operation.
struct Spot {
    name: String,
    /// The layer that it is chosen by.
    layer: usize,
    /// Entries: of the parameter, or of one image.
    entries: usize,
    /// Entries of an output channel.
    row: usize,
    format: Format,
}

/// One setting of what a campaign varies.
struct Cell {
    fault: Fault,
    /// Where the setting stands that makes it differ from the fault of the campaign.
    varied: Option<Place>,
    /// ` of fc1`, where layers are varied.
    which: String,
}

/// Whether a fault strikes what flows, rather than parameters.
pub(super) fn strikes_flows(fault: &Fault) -> bool {
    matches!(fault.target.params, Some(Params::Activations | Params::Preactivations))
}

impl Walk<'_> {
    /// That layers of the target are there, and that the format is one for it.
    pub(super) fn fault_target(&mut self, fault: &Fault, place: &Place) {
        self.target(&fault.target, &place.key("target"));
        if fault.format == Format::Int8 && strikes_flows(fault) {
            let message = "activations have no int8 scale; choose float16, bfloat16 or float32";
            self.error(place.key("format"), message.to_owned());
        }
    }

    /// Something must be there that can be struck, in every cell as much as one trial takes. `stage` is the place of the
    /// campaign, `place` that of its fault. Entries that will be pruned by then are counted as if they were not.
    pub(super) fn sites(&mut self, campaign: &Campaign, place: &Place, stage: &Place) {
        let before = self.problems.len();
        let fault = &campaign.fault;
        self.fault_target(fault, place);
        if self.problems.len() > before {
            return;
        }
        let target = place.key("target");
        let spots = self.spots(fault);
        let Some(smallest) = spots.iter().min_by_key(|spot| spot.entries) else {
            let message = "the target holds no parameter of this network; choose other layers or parameters";
            return self.error(target, message.to_owned());
        };
        self.indices(&smallest.name, smallest.entries, &fault.indices, &place.key("indices"));
        let most = spots.iter().map(|spot| spot.entries / spot.row.max(1)).max().unwrap_or(0);
        self.channels(most, &fault.target, &target);
        if self.problems.len() > before {
            return;
        }
        for cell in self.cells(campaign, &spots, stage) {
            self.cell(&cell, place);
        }
    }

    /// The cells of a campaign. Bits that the format does not have are left out: they are refused elsewhere.
    fn cells(&self, campaign: &Campaign, spots: &[Spot], stage: &Place) -> Vec<Cell> {
        let fault = || campaign.fault.clone();
        let vary = stage.key("vary");
        match &campaign.vary {
            Vary::Nothing => vec![Cell { fault: fault(), varied: None, which: String::new() }],
            Vary::Rate(_) => {
                let fault = Fault { amount: FaultAmount::Rate(0.0), ..fault() };
                vec![Cell { fault, varied: None, which: String::new() }]
            }
            Vary::Bit(bits) => {
                let known = bits.iter().enumerate().filter(|(_, bit)| **bit < campaign.fault.format.bits());
                let cell = |(index, &bit): (usize, &u32)| Cell {
                    fault: Fault { bits: Bits::Bit(bit), ..fault() },
                    varied: Some(vary.variant("Bit").index(index)),
                    which: String::new(),
                };
                known.map(cell).collect()
            }
            Vary::Layer => {
                let mut layers: Vec<usize> = spots.iter().map(|spot| spot.layer).collect();
                layers.dedup();
                let cell = |layer: usize| {
                    let name = self.structure.layers[layer].name.clone();
                    let which = format!(" of {name}");
                    let layers = Layers::Only(vec![name]);
                    let target = Target { layers, ..campaign.fault.target.clone() };
                    Cell { fault: Fault { target, ..fault() }, varied: Some(vary.clone()), which }
                };
                layers.into_iter().map(cell).collect()
            }
        }
    }

    fn cell(&mut self, cell: &Cell, place: &Place) {
        let Cell { fault, varied, which } = cell;
        let spots = self.spots(fault);
        if spots.iter().all(|spot| spot.chosen(fault) == 0) {
            let message = format!("no entry{which} lies in the chosen output channels; choose others");
            return self.error(place.key("target").key("channels"), message);
        }
        let sites: u64 = spots.iter().map(|spot| spot.sites(fault)).sum();
        if sites == 0 {
            let format = fault.format.label();
            let message = if fault.model == FaultModel::DoubleFlip {
                format!(
                    "{format} has none of these bits with another one above it, and a double flip strikes both; choose others"
                )
            } else {
                format!("{format} has none of these bits{which}; choose others")
            };
            return self.error(varied.clone().unwrap_or_else(|| place.key("bits")), message);
        }
        if let FaultAmount::Count(count) = fault.amount
            && count > sites
        {
            let with = match (&fault.bits, varied) {
                (Bits::Bit(bit), Some(_)) if which.is_empty() => format!(" of bit {bit}"),
                _ => which.clone(),
            };
            let message =
                format!("{count} faults are wanted at once, and the target has {sites} sites{with}");
            self.error(place.key("amount"), message);
        }
    }

    /// What the target of a fault holds, in the order of the network.
    fn spots(&self, fault: &Fault) -> Vec<Spot> {
        let structure = self.structure;
        if let Some(kind @ (Params::Activations | Params::Preactivations)) = &fault.target.params {
            let flow = |op: usize| {
                let (entries, row) = targets::flow_size(structure, op);
                let layer = targets::unit_before(structure, op);
                let name = format!("what flows out of {}", structure.layers[layer].name);
                Spot { name, layer, entries, row, format: fault.format }
            };
            return targets::activations(structure, &fault.target, kind).into_iter().map(flow).collect();
        }
        let parameter = |index: usize| {
            let parameter = &structure.parameters[index];
            Spot {
                name: parameter.name.clone(),
                layer: parameter.layer,
                entries: parameter.len(),
                row: parameter.len() / parameter.shape.first().copied().unwrap_or(1).max(1),
                format: fault.format.of_parameter(parameter.role == Role::Weight),
            }
        };
        let chosen = targets::parameters(structure, &fault.target, &Params::Weights);
        chosen.into_iter().map(parameter).collect()
    }
}

impl Spot {
    /// Entries in the channels and in the list of a fault.
    fn chosen(&self, fault: &Fault) -> usize {
        let channels = &fault.target.channels;
        let is_inside = |entry: usize| channels.is_empty() || channels.contains(&(entry / self.row.max(1)));
        if fault.indices.is_empty() {
            let rows = self.entries / self.row.max(1);
            return (0..rows).filter(|row| is_inside(row * self.row)).count() * self.row;
        }
        let mut listed = fault.indices.clone();
        listed.sort_unstable();
        listed.dedup();
        listed.into_iter().filter(|&entry| entry < self.entries && is_inside(entry)).count()
    }

    fn sites(&self, fault: &Fault) -> u64 {
        Region::new(0, self.chosen(fault), self.format, fault.model, fault.bits).sites()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::doc::file::parse;
    use crate::doc::validate::validate;

    /// What is wrong with a stage, on digits (64 pixels) and the layers fc1 of 300, fc2 of 100 and fc3 of 10 units.
    fn problems(stage: &str) -> Vec<String> {
        let text =
            format!("(data: Digits(), net: Mlp(hidden: [300, 100]), arms: [(name: \"a\", plan: [{stage}])])");
        let experiment = parse(&text, Path::new("x.ron")).unwrap();
        validate(&experiment).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_cell_in_which_nothing_can_be_struck_is_refused_before_the_training() {
        for (settings, part) in [
            (
                "fault: (model: DoubleFlip), vary: Bit([3, 31])",
                "vary.Bit[1]: float32 has none of these bits with",
            ),
            ("fault: (amount: Count(60000)), vary: Bit([30])", "the target has 50200 sites of bit 30"),
            ("fault: (amount: Count(40000)), vary: Layer", "the target has 32000 sites of fc3"),
            ("fault: (target: (channels: [10])), vary: Layer", "no entry of fc3 lies in the chosen"),
            ("fault: (target: (channels: [300]))", "channels[0]: the chosen layers have 300"),
            (
                "fault: (target: (params: Activations, channels: [300]))",
                "channels[0]: the chosen layers have 300",
            ),
            (
                "fault: (target: (params: Activations), amount: Count(41), bits: Bit(0)), vary: Layer",
                "10 sites of fc3",
            ),
            ("fault: (target: (layers: First(0), params: Activations))", "holds no parameter"),
            ("fault: (indices: [0, 1000])", "fault.indices[1]: fc3.weight has 1000 entries"),
            ("fault: (target: (params: Activations), indices: [10])", "what flows out of fc3 has 10 entries"),
            ("fault: (target: (channels: [1]), indices: [0])", "lies in the chosen output channels"),
            ("fault: (indices: [5, 5], bits: Bit(1), amount: Count(4))", "the target has 3 sites"),
        ] {
            let found = problems(&format!("Campaign({settings})"));
            assert!(found.iter().any(|problem| problem.contains(part)), "{settings}: {found:#?}");
        }
        let fine = "fault: (model: DoubleFlip, amount: Count(24000)), vary: Bit([3, 30])";
        let both = problems(&format!("Campaign({fine})"));
        assert_eq!(both, Vec::<String>::new());
        let last = "Do(Fault(target: (layers: Last(1), channels: [9]), indices: [900, 901]))";
        assert_eq!(problems(last), Vec::<String>::new());
        assert_eq!(problems(&last.replace("[9]", "[8]")).len(), 1);
    }
}
