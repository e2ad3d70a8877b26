//! Settings of faults and campaigns.

use super::intervention::Target;

crate::choice! {
    /// How a value is stored.
    pub enum Format: "Format" {
        Float32, "float32", "IEEE single precision: b31 sign, b30–b23 exponent, b22–b0 mantissa";
        Float16, "float16", "IEEE half precision: b15 sign, b14–b10 exponent";
        Bfloat16, "bfloat16", "Upper half of float32: b15 sign, b14–b7 exponent";
        Int8, "int8", "Symmetric, one scale per output channel";
    }
}

crate::choice! {
    /// What happens to what is struck.
    pub enum FaultModel: "Fault model" {
        Flip, "Flip", "The bit is inverted";
        StuckAt0, "Stuck at 0", "The bit reads 0";
        StuckAt1, "Stuck at 1", "The bit reads 1";
        Zero, "Zero", "The value reads 0";
        Random, "Random value", "The value is replaced by a uniform draw from the parameter's range";
        RandomBits, "Random bits", "All bits of the value are drawn anew";
        Sign, "Sign", "The sign is inverted";
        Value(f64) = 0.0, "Set value", "The value is replaced by this one";
        Noise(f64) = 0.1, "Relative noise", "The value is multiplied by 1 + this times a normal draw", range [0.0, 1e6];
        DoubleFlip, "Adjacent double flip", "The bit and the next higher one are inverted";
    }
}

crate::choice! {
    /// A field of a number format.
    pub enum BitField: "Bit field" {
        Sign, "Sign", "The sign bit";
        Exponent, "Exponent", "The bits of the exponent";
        Mantissa, "Mantissa", "The bits of the mantissa";
    }
}

crate::choice! {
    /// Which bits can be struck, counted from the least significant.
    pub enum Bits: "Bits" {
        All, "All", "Every bit of the format";
        Bit(u32) = 30, "One bit", "This bit, counted from the least significant", range [0, 31];
        Field(BitField) = BitField::Exponent, "Field", "The bits of one field";
    }
}

crate::choice! {
    /// How many faults are drawn at once.
    pub enum FaultAmount: "Number of faults" {
        Count(u64) = 1, "Count", "This many", range [0, 1e9];
        Rate(f64) = 1e-6, "Rate", "Each bit (or value) with this probability", range [0.0, 1.0];
    }
}

crate::choice! {
    /// When faults are drawn.
    pub enum Draw: "Drawn" {
        Once, "Once", "When the stage is reached; they hold until released";
        EveryForward, "Every forward", "Anew for each evaluation or training batch";
        EveryImage, "Every image", "Anew for each image";
    }
}

crate::choice! {
    /// Whether pruned entries are in memory.
    pub enum PrunedMemory: "Pruned entries" {
        Dense, "In memory", "Zeros are stored and can be struck";
        Sparse, "Not in memory", "Only surviving entries can be struck";
    }
}

crate::form! {
    /// Where, how, how many, and when.
    pub struct Fault: "Fault" {
        target: Target = Target::default(), "Where", "What can be struck; weights when nothing is said";
        format: Format = Format::Float32, "Format", "How values are stored";
        model: FaultModel = FaultModel::Flip, "Model", "What happens to what is struck";
        bits: Bits = Bits::All, "Bits", "Which bits can be struck";
        amount: FaultAmount = FaultAmount::Count(1), "How many", "A count, or a rate for each bit";
        draw: Draw = Draw::Once, "When", "How often faults are drawn anew";
        pruned: PrunedMemory = PrunedMemory::Dense, "Pruned entries", "Whether zeros of pruned entries can be struck";
    }
}

crate::choice! {
    /// What a campaign varies.
    pub enum Vary: "Vary" {
        Nothing, "Nothing", "One cell";
        Rate(Vec<f64>) = vec![1e-7, 1e-6, 1e-5, 1e-4], "Rate", "One cell for each rate", range [0.0, 1.0];
        Bit(Vec<u32>) = vec![31, 30, 23, 22, 0], "Bit", "One cell for each bit", range [0, 31];
        Layer, "Layer", "One cell for each layer";
    }
}

crate::form! {
    /// Settings of a campaign that ends when its interval is narrow enough.
    pub struct Until: "Until the margin is met" {
        margin: f64 = 0.01, "Margin", "Wanted half-width of the interval", range [0.0001, 0.5];
        confidence: f64 = 0.95, "Confidence", "Confidence of the interval", range [0.5, 0.9999];
        at_most: u64 = 10000, "At most", "Trials after which it ends anyway", unit "trials", range [1, 1e9];
    }
}

crate::choice! {
    /// How many trials a campaign has.
    pub enum Trials: "Trials" {
        Fixed(u64) = 100, "Fixed", "This many for each cell", range [1, 1e9];
        Exhaustive, "Exhaustive", "Every possible single fault once";
        Until(Until) = Until::default(), "Until", "Until the interval is narrow enough";
    }
}

crate::choice! {
    /// What protects a network against faults.
    pub enum Protect: "Protection" {
        Nothing, "None", "Nothing";
        Clip, "Clip", "Activations are clipped to the range seen on the training part";
        ZeroNonFinite, "Zero on NaN", "NaN and infinity become 0";
        Both, "Both", "Clipped, and zero on NaN";
    }
}

crate::choice! {
    /// Where the faults of a campaign come from.
    pub enum FaultSource: "Faults" {
        Drawn, "Drawn", "From the run's own random stream";
        File(String) = String::new(), "From a file", "From a list in the format of faults.csv";
    }
}

crate::form! {
    /// Settings of a fault campaign.
    pub struct Campaign: "Campaign" {
        fault: Fault = Fault::default(), "Fault", "What one trial injects";
        vary: Vary = Vary::Nothing, "Vary", "What differs between the cells of the campaign";
        trials: Trials = Trials::Fixed(100), "Trials", "How many";
        images: Option<usize> = None, "Images", "The first so many of the test part; left out: all", unit "images", range [1, 1e9];
        protect: Protect = Protect::Nothing, "Protection", "What is done against faults";
        faults: FaultSource = FaultSource::Drawn, "Faults from", "Drawn, or listed in a file";
    }
}
