//! Sentences of faults and campaigns.

use super::intervention::entries;
use super::words::{self, counted, joined, number, percent};
use crate::doc::fault::{
    BitField, Bits, Campaign, Draw, Fault, FaultAmount, FaultModel, FaultSource, Format, Protect,
    PrunedMemory, Trials, Vary,
};
use crate::doc::intervention::Params;

impl Fault {
    /// The fault in one short sentence: `Flip 3 exponent bits of fc1's weights`.
    pub fn sentence(&self) -> String {
        let draw = match self.draw {
            Draw::Once => None,
            // Activations belong to an image.
            Draw::EveryForward if !self.is_in_activations() => Some("anew for every batch".to_owned()),
            Draw::EveryForward | Draw::EveryImage => Some("anew for every image".to_owned()),
        };
        let format = (self.format != Format::Float32).then(|| format!("stored as {}", self.format.label()));
        let pruned = (self.pruned == PrunedMemory::Sparse).then(|| "pruned entries left out".to_owned());
        let listed = (!self.indices.is_empty())
            .then(|| format!("in {} as listed", entries(self.indices.len() as u64)));
        joined([Some(self.act()), listed, draw, format, pruned])
    }

    /// What happens to how much of what.
    fn act(&self) -> String {
        let part = words::target(&self.target, &Params::Weights).unwrap_or_else(|| "everything".to_owned());
        let (bits, values) = (self.bits_text(), self.values_text());
        match &self.model {
            FaultModel::Flip => format!("Flip {bits} of {part}"),
            FaultModel::DoubleFlip => format!("Flip {bits} of {part} and the bits next to them"),
            FaultModel::StuckAt0 => format!("Hold {bits} of {part} at 0"),
            FaultModel::StuckAt1 => format!("Hold {bits} of {part} at 1"),
            FaultModel::Zero => format!("Set {values} of {part} to 0"),
            FaultModel::Value(value) => format!("Set {values} of {part} to {}", number(*value)),
            FaultModel::Random => format!("Draw {values} of {part} anew"),
            FaultModel::RandomBits => format!("Draw the bits of {values} of {part} anew"),
            FaultModel::Sign => format!("Invert the sign of {values} of {part}"),
            FaultModel::Noise(deviation) => {
                format!("Add {} noise to {values} of {part}", percent(*deviation))
            }
        }
    }

    /// `3 exponent bits`, `bits at rate 0.001`, `bit 30 of 3 values`.
    fn bits_text(&self) -> String {
        let field = match &self.bits {
            Bits::All => "",
            Bits::Field(BitField::Sign) => "sign ",
            Bits::Field(BitField::Exponent) => "exponent ",
            Bits::Field(BitField::Mantissa) => "mantissa ",
            Bits::Bit(bit) => {
                return match self.amount {
                    FaultAmount::Count(count) => format!("bit {bit} in {}", counted(count, "value")),
                    FaultAmount::Rate(rate) => format!("bit {bit}{}", at_rate(rate)),
                };
            }
        };
        match self.amount {
            FaultAmount::Count(count) => counted(count, &format!("{field}bit")),
            FaultAmount::Rate(rate) => format!("{field}bits{}", at_rate(rate)),
        }
    }

    fn values_text(&self) -> String {
        match self.amount {
            FaultAmount::Count(count) => counted(count, "value"),
            FaultAmount::Rate(rate) => format!("values{}", at_rate(rate)),
        }
    }
}

impl Campaign {
    /// The campaign in one short sentence: `Campaign: flip 1 bit of weights, 13 bits, 100 trials each, on 200 images`.
    pub fn sentence(&self) -> String {
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
}

/// The rate of a fault; one of 0 stands for a rate that is named elsewhere.
fn at_rate(rate: f64) -> String {
    if rate > 0.0 { format!(" at rate {}", number(rate)) } else { String::new() }
}

/// The fault without the setting that the campaign varies.
fn without_varied(fault: &Fault, vary: &Vary) -> Fault {
    match vary {
        Vary::Rate(_) => Fault { amount: FaultAmount::Rate(0.0), ..fault.clone() },
        Vary::Bit(_) => Fault { bits: Bits::All, ..fault.clone() },
        _ => fault.clone(),
    }
}

/// `at 5 rates from 1e-7 to 0.001`.
fn range_of(rates: &[f64]) -> String {
    let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match rates {
        [] => "at no rate".to_owned(),
        [rate] => format!("at rate {}", number(*rate)),
        several => format!("at {} rates from {} to {}", several.len(), number(low), number(high)),
    }
}

fn uncapitalised(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use crate::doc::fault::{Campaign, Fault};
    use crate::form::ron_text;

    fn fault(text: &str) -> String {
        ron_text::from_str::<Fault>(text).unwrap_or_else(|error| panic!("{text}: {error}")).sentence()
    }

    fn campaign(text: &str) -> String {
        ron_text::from_str::<Campaign>(text).unwrap_or_else(|error| panic!("{text}: {error}")).sentence()
    }

    #[test]
    fn a_fault_says_what_happens_to_what_and_when() {
        assert_eq!(fault("()"), "Flip 1 bit of weights");
        assert_eq!(
            fault("(model: Flip, bits: Field(Mantissa), amount: Rate(1e-4), draw: EveryImage)"),
            "Flip mantissa bits at rate 0.0001 of weights, anew for every image"
        );
        assert_eq!(
            fault(
                "(target: (layers: First(1), params: Activations), model: StuckAt1, bits: Bit(30), amount: Count(3), draw: EveryForward)"
            ),
            "Hold bit 30 in 3 values of the first layer's outputs at 1, anew for every image"
        );
        assert_eq!(fault("(indices: [3, 8])"), "Flip 1 bit of weights, in 2 entries as listed");
        assert_eq!(fault("(model: Noise(0.1), amount: Count(2))"), "Add 10 % noise to 2 values of weights");
    }

    #[test]
    fn a_campaign_says_its_cells_and_trials() {
        assert_eq!(
            campaign("(vary: Bit([0, 10, 31]), trials: Fixed(100), images: 200)"),
            "Campaign: flip 1 bit of weights, for 3 bit positions, 100 trials each, on 200 images"
        );
        assert_eq!(
            campaign(
                "(fault: (amount: Rate(0.0), format: Int8), vary: Rate([1e-7, 1e-3]), trials: Fixed(20), protect: Clip)"
            ),
            "Campaign: flip bits of weights, stored as int8, at 2 rates from 1e-7 to 0.001, 20 trials each, clipped"
        );
        assert_eq!(
            campaign("(fault: (pruned: Sparse), trials: Until(margin: 0.05))"),
            "Campaign: flip 1 bit of weights, pruned entries left out, until ± 5 % at 95 % confidence"
        );
    }
}
