pub use crate::fault::Fault;
use crate::fault::{BitField, Bits, Campaign, Draw, FaultAmount, Format, PrunedMemory};
use crate::plan::words::{counted, joined, number, target};
use crate::plan::{Check, FileUse};
use crate::stage::Planned;
use crate::targets::Params;
use form::path::Place;
use intervene::fault::model::Unit;

impl Planned for Fault {
    /// Returns `Flip 3 exponent bits of fc1's weights`.
    fn sentence(&self) -> String {
        let draw = match self.draw {
            Draw::Once => None,
            // Activations belong to an image.
            Draw::EveryForward if !self.is_in_activations() => Some("new for every batch".to_owned()),
            Draw::EveryForward | Draw::EveryImage => Some("new for every image".to_owned()),
        };
        let format = (self.format != Format::Float32).then(|| format!("stored as {}", self.format.label()));
        let pruned = (self.pruned == PrunedMemory::Sparse).then(|| "pruned entries left out".to_owned());
        let listed = (!self.indices.is_empty())
            .then(|| format!("in {} as listed", counted(self.indices.len(), "entry")));
        let part = target(&self.target, &Params::Weights).unwrap_or_else(|| "everything".to_owned());
        let what = match self.model.unit() {
            Unit::Bits(_) => bits(self),
            Unit::Value => values(self),
        };
        joined([Some(self.model.rule().sentence(&what, &part)), listed, draw, format, pruned])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.left.in_place.insert(self.draw);
        check.sites(&Campaign { fault: self.clone(), ..Campaign::default() }, place, place);
    }

    fn usual_params(&self) -> Params {
        Params::Weights
    }

    fn files(&self, _: &Place) -> Vec<FileUse<'_>> {
        vec![FileUse::Tables]
    }
}

/// Returns `3 exponent bits`, `bits at rate 0.001`, `bit 30 in 3 values`.
fn bits(fault: &Fault) -> String {
    let field = match &fault.bits {
        Bits::All => "",
        Bits::Field(BitField::Sign) => "sign ",
        Bits::Field(BitField::Exponent) => "exponent ",
        Bits::Field(BitField::Mantissa) => "mantissa ",
        Bits::Bit(bit) => {
            return match fault.amount {
                FaultAmount::Count(count) => format!("bit {bit} in {}", counted(count, "value")),
                FaultAmount::Rate(rate) => format!("bit {bit}{}", at_rate(rate)),
            };
        }
    };
    match fault.amount {
        FaultAmount::Count(count) => counted(count, &format!("{field}bit")),
        FaultAmount::Rate(rate) => format!("{field}bits{}", at_rate(rate)),
    }
}

fn values(fault: &Fault) -> String {
    match fault.amount {
        FaultAmount::Count(count) => counted(count, "value"),
        FaultAmount::Rate(rate) => format!("values{}", at_rate(rate)),
    }
}

/// Returns the rate of a fault; nothing for 0, where the rate is named elsewhere.
fn at_rate(rate: f64) -> String {
    if rate > 0.0 { format!(" at rate {}", number(rate)) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;

    fn fault(text: &str) -> String {
        ron_text::from_str::<Fault>(text).unwrap_or_else(|error| panic!("{text}: {error}")).sentence()
    }

    #[test]
    fn a_fault_says_what_happens_to_what_and_when() {
        assert_eq!(fault("()"), "Flip 1 bit of weights");
        assert_eq!(
            fault("(model: Flip, bits: Field(Mantissa), amount: Rate(1e-4), draw: EveryImage)"),
            "Flip mantissa bits at rate 0.0001 of weights, new for every image"
        );
        assert_eq!(
            fault(
                "(target: (layers: First(1), params: Activations), model: StuckAt1, bits: Bit(30), amount: Count(3), draw: EveryForward)"
            ),
            "Hold bit 30 in 3 values of the first layer's outputs at 1, new for every image"
        );
        assert_eq!(fault("(indices: [3, 8])"), "Flip 1 bit of weights, in 2 entries as listed");
        assert_eq!(fault("(model: Noise(0.1), amount: Count(2))"), "Add 10 % noise to 2 values of weights");
    }
}
