//! Checks of the sites of a fault: that every cell of its campaign has as much as one trial takes.

use super::Check;
use crate::fault::{Campaign, Fault, FaultAmount, Vary};
use crate::fault_sites::{CellPlan, FaultPlace, cell_places, fault_places, varied};
use crate::structure::Structure;
use form::number::grouped;
use form::path::Place;
use intervene::fault::model::Unit;
use intervene::fault::{Format, Region};

impl Check<'_> {
    /// That layers of the target are there, and that the format is one for it.
    pub fn fault_target(&mut self, fault: &Fault, place: &Place) {
        self.target(&fault.target, &place.key("target"));
        if fault.format == Format::Int8 && fault.is_in_activations() {
            let message = "activations have no int8 scale; choose float16, bfloat16 or float32";
            self.error(place.key("format"), message);
        }
    }

    /// There must be sites, in every cell as many as one trial takes. `stage` is the place of the
    /// campaign, `place` that of its fault. Entries that will be pruned by then are counted as if they were not.
    pub fn sites(&mut self, campaign: &Campaign, place: &Place, stage: &Place) {
        let before = self.count();
        let fault = &campaign.fault;
        self.fault_target(fault, place);
        if self.count() > before {
            return;
        }
        let target = place.key("target");
        let places = fault_places(self.structure, fault);
        let Some(smallest) = places.iter().min_by_key(|place| place.entries) else {
            let message = "the target matches no parameter of this network; choose other layers or \
                parameters";
            return self.error(target, message);
        };
        self.indices(&smallest.name, smallest.entries, &fault.indices, &place.key("indices"));
        let most = places.iter().map(FaultPlace::channels).max().unwrap_or(0);
        self.channels(most, &fault.target, &target);
        if self.count() > before {
            return;
        }
        let cells = varied(campaign, self.structure);
        match &campaign.vary {
            // Rates differ in how many faults they bring, and not in where.
            Vary::Nothing | Vary::Rate(_) => self.cell(&cells[0], None, place),
            Vary::Layer => {
                for cell in &cells {
                    self.cell(cell, Some(stage.key("vary")), place);
                }
            }
            // Bits that the format does not have are refused elsewhere.
            Vary::Bit(bits) => {
                for (index, cell) in cells.iter().enumerate() {
                    // What one bit lacks, others lack too: the first stands for all.
                    if bits[index] < fault.format.bits() && self.count() == before {
                        self.cell(cell, Some(stage.key("vary").variant("Bit").index(index)), place);
                    }
                }
            }
        }
    }

    /// Whether a cell has what one trial takes; `varied` is the place of the setting that makes it differ from the fault.
    fn cell(&mut self, (plan, fault): &(CellPlan, Fault), varied: Option<Place>, place: &Place) {
        let which = plan.layer.as_ref().map_or_else(String::new, |layer| format!(" of {layer}"));
        let places = cell_places(self.structure, plan, fault);
        if places.iter().all(|place| chosen(place, fault) == 0) {
            let message = format!("no entry{which} is in the chosen output channels; choose others");
            return self.error(place.key("target").key("channels"), message);
        }
        let sites = possible(self.structure, plan, fault);
        if sites == 0 {
            let format = fault.format.label();
            let message = if matches!(fault.model.unit(), Unit::Bits(2..)) {
                format!(
                    "{format} has none of these bits with another one above it, and a double flip needs \
                        both; choose others"
                )
            } else {
                format!("{format} has none of these bits{which}; choose others")
            };
            return self.error(varied.unwrap_or_else(|| place.key("bits")), message);
        }
        if let FaultAmount::Count(count) = fault.amount
            && count > sites
        {
            let with = plan.bit.map_or(which, |bit| format!(" of bit {bit}"));
            let message = format!(
                "{} faults at once do not fit: the target has {} sites{with}",
                grouped(count),
                grouped(sites)
            );
            self.error(place.key("amount"), message);
        }
    }
}

/// How many single faults are possible in a cell. Entries that will be pruned by then are counted as if they were not.
pub fn possible(structure: &Structure, plan: &CellPlan, fault: &Fault) -> u64 {
    cell_places(structure, plan, fault).iter().map(|place| sites(place, fault)).sum()
}

/// Entries in the channels and in the list of a fault.
fn chosen(place: &FaultPlace, fault: &Fault) -> usize {
    let channels = &fault.target.channels;
    let is_inside = |entry: usize| channels.is_empty() || channels.contains(&place.channel_of(entry));
    if fault.indices.is_empty() {
        return (0..place.channels()).filter(|channel| is_inside(channel * place.row)).count() * place.row;
    }
    let mut listed = fault.indices.clone();
    listed.sort_unstable();
    listed.dedup();
    listed.into_iter().filter(|&entry| entry < place.entries && is_inside(entry)).count()
}

fn sites(place: &FaultPlace, fault: &Fault) -> u64 {
    Region::new(0, chosen(place, fault), place.format, fault.model, fault.bits).sites()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::file::parse;
    use crate::{Problem, validate};

    /// What is wrong with a stage, on digits (64 pixels) and the layers fc1 of 300, fc2 of 100 and fc3 of 10 units.
    fn problems(stage: &str) -> Vec<String> {
        let text =
            format!("(data: Digits(), net: Mlp(hidden: [300, 100]), arms: [(name: \"a\", plan: [{stage}])])");
        let experiment = parse(&text, Path::new("x.ron")).unwrap();
        let in_file = |problem: &Problem| format!("{}: {}", problem.place, problem.message);
        validate(&experiment).iter().map(in_file).collect()
    }

    #[test]
    fn a_cell_without_sites_is_refused_before_the_training() {
        for (settings, part) in [
            (
                "fault: (model: DoubleFlip), vary: Bit([3, 31])",
                "vary.Bit[1]: float32 has none of these bits with",
            ),
            ("fault: (amount: Count(60000)), vary: Bit([30])", "the target has 50,200 sites of bit 30"),
            ("fault: (amount: Count(40000)), vary: Layer", "the target has 32,000 sites of fc3"),
            ("fault: (target: (channels: [10])), vary: Layer", "no entry of fc3 is in the chosen"),
            ("fault: (target: (channels: [300]))", "channels[0]: the chosen layers have 300"),
            (
                "fault: (target: (params: Activations, channels: [300]))",
                "channels[0]: the chosen layers have 300",
            ),
            (
                "fault: (target: (params: Activations), amount: Count(41), bits: Bit(0)), vary: Layer",
                "10 sites of fc3",
            ),
            ("fault: (target: (layers: First(0), params: Activations))", "matches no parameter"),
            ("fault: (indices: [0, 1000])", "fault.indices[1]: fc3.weight has 1,000 entries"),
            ("fault: (target: (params: Activations), indices: [10])", "fc3.output has 10 entries"),
            ("fault: (target: (channels: [1]), indices: [0])", "is in the chosen output channels"),
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
