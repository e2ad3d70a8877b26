//! Settings of interventions: changes to weights between two stages of a run.

use super::fault::Fault;
use crate::intervene::{Amount, Criterion, Scope};

crate::choice! {
    /// Which layers.
    pub enum Layers: "Layers" {
        All, "All", "Every layer";
        Only(Vec<String>) = Vec::new(), "Only", "The named layers";
        Except(Vec<String>) = Vec::new(), "All but", "Every layer but the named ones";
        First(usize) = 1, "First", "The first layers that have weights", range [0, 1000];
        Last(usize) = 1, "Last", "The last layers that have weights", range [0, 1000];
    }
}

crate::choice! {
    /// Which kind of parameters.
    pub enum Params: "Parameters" {
        Weights, "Weights", "Weights of convolution and linear layers";
        Biases, "Biases", "Biases of convolution and linear layers";
        WeightsAndBiases, "Weights and biases", "Both, of convolution and linear layers";
        Norm, "Norm parameters", "Scale and shift of batch norm";
        RunningStatistics, "Running statistics", "Running mean and variance of batch norm";
        Everything, "Everything", "All parameters and statistics";
        Activations, "Activations", "Outputs of layers behind their non-linearity; for faults only";
        Preactivations, "Preactivations", "Outputs of layers before their non-linearity; for faults only";
    }
}

crate::form! {
    /// What an intervention acts on.
    pub struct Target: "Target" {
        layers: Layers = Layers::All, "Layers", "Which layers";
        params: Option<Params> = None, "Parameters", "Which kind; left out: weights for pruning and faults, everything for the others";
        channels: Vec<usize> = Vec::new(), "Output channels", "Only these output channels (rows); none: all of them";
    }
}

crate::form! {
    /// Settings of pruning.
    pub struct Prune: "Prune" {
        criterion: Criterion = Criterion::Magnitude, "Criterion", "Which entries go first";
        amount: Amount = Amount::Fraction(0.2), "Amount", "How many go";
        scope: Scope = Scope::PerLayer, "Scope", "Whether layers are ranked one by one or together";
        output_factor: f64 = 1.0, "Output factor", "What the removed fraction of the output layer is multiplied by: 0.5 in the LeNet papers, 0 in the VGG ones", range [0.0, 1.0];
        target: Target = Target::default(), "Target", "What may be pruned; weights when nothing is said";
    }
}

crate::choice! {
    /// Which entries of the target are held.
    pub enum Select: "Entries" {
        All, "All", "Every entry that is not pruned";
        Largest(f64) = 0.5, "Largest", "This fraction of the surviving entries, largest magnitude first", range [0.0, 1.0];
        Smallest(f64) = 0.5, "Smallest", "This fraction of the surviving entries, smallest magnitude first", range [0.0, 1.0];
        Random(f64) = 0.5, "Random", "This fraction of the surviving entries, drawn at random", range [0.0, 1.0];
        Indices(Vec<usize>) = Vec::new(), "Listed", "These entries of each parameter, counted from 0 in PyTorch's layout";
        Mask(String) = String::new(), "Mask file", "Where the tensors of this safetensors file are not zero";
    }
}

crate::choice! {
    /// What held entries are held at.
    pub enum HeldAt: "Held at" {
        Own, "Their own value", "The value that they have now";
        Zero, "Zero", "Zero";
        Value(f64) = 0.0, "A value", "This value";
        Snapshot(String) = "init".to_owned(), "A snapshot's value", "The value that they had when the named snapshot was taken";
    }
}

crate::form! {
    /// Settings of freezing.
    pub struct Freeze: "Freeze" {
        target: Target = Target::default(), "Target", "What may be held; everything when nothing is said";
        select: Select = Select::All, "Entries", "Which entries of the target";
        at: HeldAt = HeldAt::Own, "Held at", "The value that they keep";
        use_statistics: bool = false, "Use running statistics", "Batch norms of these layers normalise with their running statistics while training too";
    }
}

crate::choice! {
    /// What is let go.
    pub enum Held: "Held by" {
        Frozen, "Frozen entries", "Entries held by Freeze";
        Faults, "Faults", "Faults that are drawn again and again, or were drawn once";
        Pruned, "Pruned entries", "Entries held at zero by Prune";
    }
}

crate::form! {
    /// Settings of letting go.
    pub struct Release: "Release" {
        target: Target = Target::default(), "Target", "Where; everything when nothing is said";
        what: Vec<Held> = vec![Held::Frozen, Held::Faults], "What", "What is let go";
    }
}

crate::form! {
    /// Settings of remembering a network.
    pub struct Snapshot: "Snapshot" {
        name: String = "init".to_owned(), "Name", "What grafts call it; a name that exists is overwritten";
    }
}

crate::form! {
    /// Settings of copying weights by name.
    pub struct Graft: "Graft" {
        from: String = "init".to_owned(), "From", "A snapshot, a branch, an ensemble member, or a weight file";
        target: Target = Target::default(), "Target", "What is copied; everything when nothing is said";
        weights: bool = true, "Weights", "Off: only the position goes back (learning-rate rewinding)";
    }
}

crate::form! {
    /// Settings of writing single entries.
    pub struct Set: "Set" {
        parameter: String = String::new(), "Parameter", "Its name, such as fc2.bias";
        indices: Vec<usize> = Vec::new(), "Entries", "Counted from 0 in PyTorch's layout; none: all of them";
        value: f64 = 0.0, "Value", "What they get";
    }
}

crate::form! {
    /// Settings of drawing new initial weights.
    pub struct Reinitialize: "Reinitialize" {
        target: Target = Target::default(), "Target", "What is drawn anew; everything when nothing is said";
    }
}

crate::form! {
    /// Settings of moving a mask.
    pub struct ShuffleMask: "Shuffle mask" {
        scope: Scope = Scope::PerLayer, "Scope", "Within each layer, or across all of them";
    }
}

crate::form! {
    /// Settings of keeping the network of some steps ago.
    pub struct Watch: "Watch" {
        lag: usize = 1, "Lag", "How many steps ago", unit "steps", range [1, 10000];
        penalty: f64 = 0.0, "Penalty", "Weight of the squared distance between past and present logits in the loss", range [0.0, 1e6];
        layers: Layers = Layers::All, "Layers", "Which part is taken from the past; the rest is present";
    }
}

crate::choice! {
    /// What a weight file holds.
    pub enum FileContent: "Content" {
        Values, "Values", "The values of the parameters";
        Mask, "Mask", "The mask: pruned where the file is zero";
    }
}

crate::form! {
    /// Settings of reading or writing a weight file in the middle of a plan.
    pub struct WeightFile: "Weight file" {
        file: String = String::new(), "File", "A safetensors file; {arm} and {seed} stand for those of the run";
        content: FileContent = FileContent::Values, "Content", "Values, or the mask";
        target: Target = Target::default(), "Target", "What is read or written; everything when nothing is said";
    }
}

crate::choice! {
    /// Changes to weights between two stages.
    pub enum Intervention: "Intervention" {
        Prune(Prune) = Prune::default(), "Prune", "Holds entries at zero";
        Freeze(Freeze) = Freeze::default(), "Freeze", "Holds entries still while the rest trains";
        Release(Release) = Release::default(), "Release", "Lets held entries go, from the value that they have";
        Fault(Fault) = Fault::default(), "Fault", "Corrupts what is read from memory, until released";
        Snapshot(Snapshot) = Snapshot::default(), "Snapshot", "Remembers values and position under a name";
        Graft(Graft) = Graft::default(), "Graft", "Copies values by name from a snapshot, a branch, a member or a file";
        Set(Set) = Set::default(), "Set", "Writes chosen values into chosen entries";
        Reinitialize(Reinitialize) = Reinitialize::default(), "Reinitialize", "Draws new initial weights; the mask stays";
        ShuffleMask(ShuffleMask) = ShuffleMask::default(), "Shuffle mask", "Prunes as many entries in other places";
        Watch(Watch) = Watch::default(), "Watch", "Keeps the network of some steps ago beside the present one";
        Import(WeightFile) = WeightFile::default(), "Import", "Reads weights from a file";
        Export(WeightFile) = WeightFile::default(), "Export", "Writes weights to a file";
    }
}
