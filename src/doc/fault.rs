//! Settings of faults and campaigns.

use super::target::Target;
pub use intervene::fault::model::Unit;
pub use intervene::fault::{BitField, Bits, Draw, FaultAmount, FaultModel, Format, PrunedMemory};

form::form! {
    /// Where, how, how many, and when.
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
    /// What a campaign varies.
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
    /// How many trials a campaign has.
    pub enum Trials: "Trials" {
        Fixed(u64) = 100, "Fixed", "This many per cell", unit "trials", range [1, 1e9];
        Exhaustive, "Exhaustive", "Every possible single fault once";
        Until(Until) = Until::default(), "Until", "Until the interval is narrow enough";
    }
}

form::choice! {
    /// What protects a network against faults.
    pub enum Protect: "Protection" {
        Nothing, "None", "Nothing";
        Clip, "Clip", "Clips the outputs of each non-linearity to the range observed on the training part";
        ZeroNonFinite, "Zero on NaN", "NaN and infinity become 0";
        Both, "Both", "Clips, and sets NaN and infinity to 0";
    }
}

form::choice! {
    /// Where the faults of a campaign come from.
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
        memory: u64 = 1024, "Memory", "For fault-free activations, so that a trial starts at its fault; if \
            too small, every trial starts at the images", unit "MiB", range [0, 1_048_576];
    }
}
