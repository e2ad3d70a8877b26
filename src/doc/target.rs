//! What an intervention acts on.

form::choice! {
    /// Which layers.
    pub enum Layers: "Layers" {
        All, "All", "Every layer";
        Only(Vec<String>) = Vec::new(), "Only", "The named layers", names Layers;
        Except(Vec<String>) = Vec::new(), "All but", "Every layer but the named ones", names Layers;
        First(usize) = 1, "First", "The first layers that have weights", range [0, 1000];
        Last(usize) = 1, "Last", "The last layers that have weights", range [0, 1000];
    }
}

form::choice! {
    /// Which kind of parameters.
    pub enum Params: "Parameters" {
        Weights, "Weights", "Weights of convolution and linear layers";
        Biases, "Biases", "Biases of convolution and linear layers";
        WeightsAndBiases, "Weights and biases", "Both, of convolution and linear layers";
        Norm, "Norm parameters", "Scale and shift of batch norm";
        RunningStatistics, "Running statistics", "Running mean and variance of batch norm";
        Everything, "Everything", "All parameters and statistics";
        Activations, "Activations", "Outputs of layers after their non-linearity; for faults only";
        Preactivations, "Preactivations", "Outputs of layers before their non-linearity; for faults only";
    }
}

form::form! {
    /// What an intervention acts on.
    pub struct Target: "Target" {
        layers: Layers = Layers::All, "Layers", "Which layers";
        params: Option<Params> = None, "Parameters", "Which kind; default: weights for pruning and faults, \
            everything otherwise";
        channels: Vec<usize> = Vec::new(), "Output channels", "Only these output channels (rows); none: all";
    }
}
