//! Cells of a campaign, the fault sites of each of them, and how many trials that takes.

use crate::faults::sites::FaultSites;
use doc::fault::{Campaign, Fault, FaultSource, Trials};
use doc::fault_sites::{CellPlan, cell_places, varied};
use doc::structure::Structure;
use intervene::Entry;
use intervene::fault::statistics::planned_trials;

/// Margin and confidence that trials are planned for where a campaign names none, and of its intervals.
const MARGIN: f64 = 0.01;
const CONFIDENCE: f64 = 0.95;

/// One setting of what a campaign varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Its setting, and the number of its trials.
    pub plan: CellPlan,
    /// What one trial injects.
    pub fault: Fault,
    /// Where it can be.
    pub sites: FaultSites,
}

/// The confidence of a campaign's intervals.
pub fn confidence(campaign: &Campaign) -> f64 {
    if let Trials::Until(until) = &campaign.trials { until.confidence } else { CONFIDENCE }
}

/// The cells of a campaign with the sites of each of them; `entries` as for [`FaultSites::at`].
pub fn cells<'a>(
    campaign: &Campaign,
    structure: &Structure,
    entries: &dyn Fn(usize) -> Option<&'a [Entry]>,
) -> Vec<Cell> {
    let margin = if let Trials::Until(until) = &campaign.trials { until.margin } else { MARGIN };
    let cell = |(plan, fault): (CellPlan, Fault)| {
        let sites = FaultSites::at(cell_places(structure, &plan, &fault), &fault, entries);
        let possible = sites.space.total();
        let trials = campaign.trials_of(possible);
        let planned = planned_trials(possible, margin, confidence(campaign));
        Cell { plan: CellPlan { trials, possible, planned, ..plan }, fault, sites }
    };
    varied(campaign, structure).into_iter().map(cell).collect()
}

/// The cells of a campaign before it starts: how many trials each takes, how many single faults are possible in it, and
/// how many trials Leveugle et al. (DATE 2009) plan for: ± 1 % at 95 % confidence, or what `Until` asks for. Entries that
/// will be pruned by then are counted as if they were not. A list of faults is counted when the campaign starts.
pub fn planned(campaign: &Campaign, structure: &Structure) -> Vec<CellPlan> {
    let mut plans: Vec<CellPlan> =
        cells(campaign, structure, &|_| None).into_iter().map(|cell| cell.plan).collect();
    if campaign.faults != FaultSource::Drawn {
        for plan in &mut plans {
            plan.trials = 0;
        }
    }
    plans
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Shape;
    use doc::fault_sites::fault_places;
    use doc::{Loss, Mlp, Net, Vgg};
    use form::ron_text;

    fn structure() -> Structure {
        let net = Net::Mlp(Mlp { hidden: vec![300, 100], ..Mlp::default() });
        Structure::new(&net, Shape { channels: 1, height: 28, width: 28 }, 10, &Loss::CrossEntropy).unwrap()
    }

    fn plans(text: &str) -> Vec<CellPlan> {
        planned(&ron_text::from_str(text).unwrap(), &structure())
    }

    #[test]
    fn what_is_varied_replaces_its_setting() {
        let rates = plans("(vary: Rate([1e-6, 1e-3]), trials: Fixed(7))");
        assert_eq!(
            rates.iter().map(|cell| (cell.rate, cell.trials)).collect::<Vec<_>>(),
            [(Some(1e-6), 7), (Some(1e-3), 7)]
        );
        let bits = plans("(fault: (bits: Field(Sign)), vary: Bit([3, 30]), trials: Exhaustive)");
        assert!(bits.iter().all(|cell| cell.possible == 266_200 && cell.trials == 266_200));
        let layers = plans("(fault: (target: (layers: Except([\"fc1\"]))), vary: Layer)");
        let found: Vec<_> = layers.iter().map(|cell| (cell.layer.as_deref(), cell.possible)).collect();
        assert_eq!(found, [(Some("fc2"), 32 * 30_000), (Some("fc3"), 32 * 1000)]);
    }

    /// Leveugle et al., as the project's own list of numbers has it.
    #[test]
    fn the_planned_number_is_known_before_anything_runs() {
        let cells = plans("(trials: Until(margin: 0.01, confidence: 0.99, at_most: 5))");
        assert_eq!((cells[0].possible, cells[0].planned, cells[0].trials), (8_518_400, 16_609, 5));
    }

    #[test]
    fn pruned_entries_and_other_channels_are_left_out() {
        let structure = structure();
        let mut held = vec![Entry::Free; 1000];
        held[7] = Entry::Pruned;
        held[107] = Entry::Pruned;
        let text =
            "(fault: (target: (layers: Only([\"fc3\"]), channels: [1]), bits: Bit(3), pruned: Sparse))";
        let campaign: Campaign = ron_text::from_str(text).unwrap();
        let cells = cells(&campaign, &structure, &|_| Some(&held));
        assert_eq!(cells[0].sites.space.total(), 99);
        assert_eq!(cells[0].sites.space.site(7).index, 108);
    }

    #[test]
    fn listed_entries_alone_are_sites_in_their_order() {
        let structure = structure();
        let mut held = vec![Entry::Free; 1000];
        held[2] = Entry::Pruned;
        let sites = |text: &str| -> Vec<usize> {
            let campaign: Campaign = ron_text::from_str(text).unwrap();
            let space = &cells(&campaign, &structure, &|_| Some(&held))[0].sites.space;
            (0..space.total()).map(|number| space.site(number).index).collect()
        };
        let fc3 = "target: (layers: Only([\"fc3\"]), channels: [0, 9]), bits: Bit(3)";
        let all = format!("(fault: ({fc3}, indices: [901, 7, 2, 7, 500]))");
        assert_eq!(sites(&all), [2, 7, 901]);
        assert_eq!(sites(&all.replace("indices", "pruned: Sparse, indices")), [7, 901]);
        let activations =
            "(fault: (target: (layers: First(1), params: Activations), bits: Bit(3), indices: [299, 0]))";
        assert_eq!(sites(activations), [0, 299]);
    }

    /// The size comes from the output of a layer, and so do the shapes between operations.
    #[test]
    fn the_document_knows_the_size_of_what_flows() {
        let net = Net::Vgg(Vgg { depth: 11, width: 4, ..Vgg::default() });
        let shape = Shape { channels: 3, height: 32, width: 32 };
        for structure in [structure(), Structure::new(&net, shape, 10, &Loss::CrossEntropy).unwrap()] {
            let shapes = structure.shapes();
            for kind in ["Activations", "Preactivations"] {
                let fault: Fault = ron_text::from_str(&format!("(target: (params: {kind}))")).unwrap();
                for place in fault_places(&structure, &fault) {
                    let flowing = shapes[place.number + 1];
                    assert_eq!(
                        (place.entries, place.row),
                        (flowing.len(), flowing.plane()),
                        "{}",
                        place.name
                    );
                }
            }
        }
    }
}
