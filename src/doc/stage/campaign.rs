use crate::Structure;
use crate::fault::{Campaign, Fault, FaultAmount, FaultSource, Protect, Trials, Vary, varied};
use crate::plan::words::{counted, joined, number, percent, uncapitalised};
use crate::plan::{Check, FileUse, Situation, StepWork};
use crate::stage::Planned;
use form::path::Place;
use intervene::fault::Bits;
use intervene::fault::model::Unit;

impl Planned for Campaign {
    /// Returns `Campaign: flip 1 bit of weights, for 13 bit positions, 100 trials each, on 200 images`.
    fn sentence(&self) -> String {
        let Self { fault, vary, trials, images, protect, faults, memory: _ } = self;
        let what = match faults {
            FaultSource::Drawn => {
                format!("Campaign: {}", uncapitalised(&without_varied(fault, vary).sentence()))
            }
            FaultSource::File(file) => format!("Campaign: faults of {file}"),
        };
        let (cells, each) = match vary {
            Vary::Nothing => (None, ""),
            Vary::Rate(rates) => (Some(range_of(rates)), " each"),
            Vary::Bit(bits) => (Some(format!("for {}", counted(bits.len() as u64, "bit position"))), " each"),
            Vary::Layer => (Some("layer by layer".to_owned()), " each"),
        };
        let trials = match trials {
            Trials::Fixed(count) => format!("{}{each}", counted(*count, "trial")),
            Trials::Exhaustive => "every single fault once".to_owned(),
            Trials::Until(until) => {
                format!("until ± {} at {} confidence", percent(until.margin), percent(until.confidence))
            }
        };
        let images = images.map(|images| format!("on {}", counted(images as u64, "image")));
        let protection = match protect {
            Protect::Nothing => None,
            Protect::Clip => Some("clipped".to_owned()),
            Protect::ZeroNonFinite => Some("zero on NaN".to_owned()),
            Protect::Both => Some("clipped and zero on NaN".to_owned()),
        };
        joined([Some(what), cells, Some(trials), images, protection])
    }

    /// Compares with the network without faults.
    fn check(&self, check: &mut Check<'_>, place: &Place) {
        if !check.left.in_place.is_empty() {
            let message = "a fault is in place, and a campaign needs a network without faults; put \
                a Release stage for faults before it";
            check.error(place.clone(), message);
        }
        let fault = place.key("fault");
        check_varied(self, check, &place.key("vary"));
        check_trials(self, check, &place.key("trials"));
        match &self.faults {
            FaultSource::Drawn => check.sites(self, &fault, place),
            FaultSource::File(file) => {
                check.fault_target(&self.fault, &fault);
                check_list(self, file, check, place);
            }
        }
    }

    /// Counts half of a pass over its images for a trial, since it begins at its fault; a protected campaign evaluates it
    /// again without the protection. Before and after, the network without faults is evaluated, and what is clipped was
    /// seen on the training part.
    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let (sizes, trials) = (situation.level.sizes, trials(self, situation.structure));
        let units = trials.max(1);
        let images = self.images.unwrap_or(sizes.test).min(sizes.test) as f64;
        let kinds = if self.protect == Protect::Nothing { 1.0 } else { 2.0 };
        let seen = if matches!(self.protect, Protect::Clip | Protect::Both) { sizes.train } else { 0 };
        let evaluated = kinds * images * (2.0 + 0.5 * units as f64) + seen as f64;
        StepWork { units, trials, evaluated, ..situation.little() }
    }

    fn files(&self, place: &Place) -> Vec<FileUse<'_>> {
        let list = match &self.faults {
            FaultSource::Drawn => None,
            FaultSource::File(file) => Some(FileUse::Faults(file, self, place.key("faults").variant("File"))),
        };
        list.into_iter().chain([FileUse::Tables]).collect()
    }
}

impl Campaign {
    /// Returns the trials of a cell with so many possible single faults.
    pub const fn trials_of(&self, possible: u64) -> u64 {
        match &self.trials {
            Trials::Fixed(count) => *count,
            Trials::Exhaustive => possible,
            Trials::Until(until) => until.at_most,
        }
    }
}

/// Counts the trials of all cells, as far as they are drawn and not read from a list. Entries that will be pruned by then
/// count.
fn trials(campaign: &Campaign, structure: &Structure) -> u64 {
    if campaign.faults != FaultSource::Drawn {
        return 0;
    }
    let cells = varied(campaign, structure).into_iter();
    let possible = |(plan, fault): (_, _)| crate::plan::possible(structure, &plan, &fault);
    cells.map(|cell| campaign.trials_of(possible(cell))).sum()
}

fn check_varied(campaign: &Campaign, check: &mut Check<'_>, place: &Place) {
    let format = campaign.fault.format;
    match &campaign.vary {
        Vary::Rate(rates) if rates.is_empty() => {
            check.error(place.clone(), "there is no rate to vary; list one or more");
        }
        Vary::Bit(bits) if bits.is_empty() => {
            check.error(place.clone(), "there is no bit to vary; list one or more");
        }
        Vary::Bit(_) if matches!(campaign.fault.model.unit(), Unit::Value) => {
            let message = format!(
                "{} acts on whole values and has no bits to vary; vary rates or layers",
                campaign.fault.model.label()
            );
            check.error(place.clone(), message);
        }
        Vary::Bit(bits) => {
            let beyond: Vec<usize> = (0..bits.len()).filter(|&at| bits[at] >= format.bits()).collect();
            let Some(&first) = beyond.first() else { return };
            let named: Vec<String> = beyond.iter().map(|&at| bits[at].to_string()).collect();
            let plural = if beyond.len() == 1 { "" } else { "s" };
            let message = format!(
                "{} has bits 0 to {}, and no bit{plural} {}",
                format.label(),
                format.bits() - 1,
                named.join(", ")
            );
            check.error(place.variant("Bit").index(first), message);
        }
        Vary::Nothing | Vary::Rate(_) | Vary::Layer => {}
    }
}

fn check_trials(campaign: &Campaign, check: &mut Check<'_>, place: &Place) {
    if campaign.trials != Trials::Exhaustive {
        return;
    }
    if matches!(campaign.vary, Vary::Rate(_)) || campaign.fault.amount != FaultAmount::Count(1) {
        let message = "an exhaustive campaign injects one fault at a time; set the count of faults to 1, and vary no rates";
        check.error(place.clone(), message);
    }
    if campaign.fault.is_in_activations() {
        let message = "activations differ between images, so an exhaustive campaign cannot enumerate their \
            faults; choose a fixed number of trials, or Until";
        check.error(place.clone(), message);
    }
}

/// Refuses settings that a list of faults determines.
fn check_list(campaign: &Campaign, file: &str, check: &mut Check<'_>, place: &Place) {
    if file.trim().is_empty() {
        check.unset(place.key("faults").variant("File"), "choose the file of the list");
    }
    if campaign.vary != Vary::Nothing {
        let message = "a list determines its faults; remove vary, or draw the faults";
        check.error(place.key("vary"), message);
    }
    if matches!(campaign.trials, Trials::Exhaustive | Trials::Until(_)) {
        let message = "a list determines the number of trials; remove trials";
        check.error(place.key("trials"), message);
    }
}

/// Returns the fault without the setting that the campaign varies.
fn without_varied(fault: &Fault, vary: &Vary) -> Fault {
    match vary {
        Vary::Rate(_) => Fault { amount: FaultAmount::Rate(0.0), ..fault.clone() },
        Vary::Bit(_) => Fault { bits: Bits::All, ..fault.clone() },
        Vary::Nothing | Vary::Layer => fault.clone(),
    }
}

/// Returns `at 5 rates from 1e-7 to 0.001`.
fn range_of(rates: &[f64]) -> String {
    let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match rates {
        [] => "at no rate".to_owned(),
        [rate] => format!("at rate {}", number(*rate)),
        several => format!("at {} rates from {} to {}", several.len(), number(low), number(high)),
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence;

    #[test]
    fn a_campaign_says_its_cells_and_trials() {
        assert_eq!(
            sentence("Campaign(vary: Bit([0, 10, 31]), trials: Fixed(100), images: 200)"),
            "Campaign: flip 1 bit of weights, for 3 bit positions, 100 trials each, on 200 images"
        );
        assert_eq!(
            sentence(
                "Campaign(fault: (amount: Rate(0.0), format: Int8), vary: Rate([1e-7, 1e-3]), trials: Fixed(20), protect: Clip)"
            ),
            "Campaign: flip bits of weights, stored as int8, at 2 rates from 1e-7 to 0.001, 20 trials each, clipped"
        );
        assert_eq!(
            sentence("Campaign(fault: (pruned: Sparse), trials: Until(margin: 0.05))"),
            "Campaign: flip 1 bit of weights, pruned entries left out, until ± 5 % at 95 % confidence"
        );
    }
}
