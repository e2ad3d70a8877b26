//! Settings of training and evaluation.

use super::plan::words::{length, listed, number};
use super::structure::{Parameter, Role, Structure};
use data::Augmentation;
use form::Steps;
use optimize::{Optimizer, Schedule};

form::choice! {
    /// What training minimizes.
    pub enum Loss: "Loss" {
        CrossEntropy, "Cross-entropy", "Softmax cross-entropy over the classes";
        BinaryCrossEntropy, "Binary cross-entropy", "Logistic loss of one output, for two classes";
        SquaredError, "Squared error", "Mean squared distance to the one-hot label";
    }
}

form::choice! {
    /// What happens when the loss is no longer finite.
    pub enum NonFinite: "Non-finite loss" {
        Stop, "Stop", "The run fails and names the iteration";
        Continue, "Continue", "The run continues; its points are NaN";
    }
}

form::choice! {
    /// What computes training passes on the device `Cpu`.
    pub enum Kernels: "Kernels" {
        #[serde(alias = "Winograd")]
        Fast, "Fast", "Weightlab's kernels; training computes wide 3×3 convolutions with fewer multiplications \
            (Winograd's algorithm), and everything exactly while faults act";
        #[serde(alias = "Direct")]
        Exact, "Exact", "Weightlab's kernels; convolutions add up every product, in training too";
        Burn, "Burn", "Burn's kernels, in evaluation too: the same as the device Ndarray";
    }
}

form::choice! {
    /// What each evaluation records of the weights.
    pub enum WeightRecord: "Weights" {
        Off, "Off", "Nothing";
        Layers, "Each layer", "Mean, standard deviation, L2 norm and share of zeros of each layer's weights, and \
            the L2 norm of their gradient: five series a layer. Costs as much as about 300 more test samples in a \
            perceptron or 20 in a VGG, and the memory of one more set of gradients";
        Parameters, "Each parameter", "The same of biases and of the scales and shifts of batch norms too";
        Histograms, "Histograms", "As for each layer, and a histogram of its weights in 64 bins, at three times \
            the cost: about 300 bytes a layer and evaluation in histograms.jsonl";
    }
}

form::form! {
    /// What a run records of its weights.
    pub struct Recording: "Weights over training" {
        weights: WeightRecord = WeightRecord::Off, "At each evaluation", "Statistics of the weights as series for \
            every plot";
        rounds: bool = false, "After each training", "Keeps the network after every training in the run's \
            directory: four bytes a parameter, one byte more where any is held";
    }
}

impl Recording {
    /// What an evaluation records of one network, as the number of evaluated samples that take as long.
    pub fn samples(&self, structure: &Structure) -> f64 {
        let of_role = |role: Role| -> usize {
            let parameters = structure.parameters.iter().filter(|parameter| parameter.role == role);
            parameters.map(Parameter::len).sum()
        };
        let (entries, each) = match self.weights {
            WeightRecord::Off => (0, 0.0),
            WeightRecord::Layers => (of_role(Role::Weight), STATISTICS),
            WeightRecord::Parameters => (structure.trained_count(), STATISTICS),
            WeightRecord::Histograms => (of_role(Role::Weight), 3.0 * STATISTICS),
        };
        entries as f64 * each / (structure.multiply_adds() as f64).max(1.0)
    }
}

/// What a learning rate of 0 means.
pub(super) const NO_STEP: &str = "with a learning rate of 0, training changes no weight";

/// Multiply-adds of a forward pass that take about as long as the statistics of one entry.
const STATISTICS: f64 = 300.0;

form::form! {
    /// How networks are trained and evaluated.
    pub struct Training: "Training" {
        optimizer: Optimizer = Optimizer::default(), "Optimizer", "How gradients change weights";
        schedule: Schedule = Schedule::default(), "Schedule", "How the learning rate changes";
        warm_up: Option<Steps> = None, "Warm-up", "Linear rise of the learning rate at the start", unset "none";
        batch: usize = 64, "Batch size", "Samples per mini-batch; the last one of an epoch may be smaller", unit "samples", range [1, 65536];
        loss: Loss = Loss::CrossEntropy, "Loss", "What training minimizes";
        evaluate: Steps = Steps::epochs(1), "Evaluate every", "How often to evaluate the validation and \
            test parts during training";
        evaluation_batch: usize = 256, "Evaluation batch", "Samples per batch in evaluation", unit "samples", range [1, 65536];
        top: Option<usize> = None, "Top", "Also counts an answer as right where the class has one of so many \
            largest logits: top 5 is usual for ImageNet", unit "classes", range [1, 1000], unset "off";
        augment: Vec<Augmentation> = Vec::new(), "Augmentation", "Random changes of training images";
        non_finite: NonFinite = NonFinite::Stop, "Non-finite loss", "What happens when the loss becomes NaN or infinite";
        kernels: Kernels = Kernels::Fast, "Kernels", "Kernels for training on the device Cpu; evaluation \
            is always exact, or Burn's";
        record: Recording = Recording::default(), "Weights over training", "What to record of the weights; no \
            other result depends on it";
    }
}

impl Training {
    /// Mini-batches of an epoch.
    pub fn batches_per_epoch(&self, samples: usize) -> u64 {
        samples.div_ceil(self.batch.max(1)) as u64
    }

    /// How the learning rate changes: `, the learning rate falling along half a cosine over 30 epochs`; nothing where it does not.
    pub fn rate_sentence(&self) -> String {
        let change = match &self.schedule {
            Schedule::Constant => String::new(),
            Schedule::Steps(steps) => {
                let times: Vec<String> = steps.at.iter().map(|at| length(*at)).collect();
                format!(", the learning rate multiplied by {} after {}", number(steps.factor), listed(&times))
            }
            Schedule::Cosine(cosine) => {
                let floor = if cosine.floor > 0.0 {
                    format!(" to {} of it", number(cosine.floor))
                } else {
                    String::new()
                };
                format!(", the learning rate falling{floor} along half a cosine over {}", length(cosine.over))
            }
        };
        let rise = self.warm_up.map(|steps| format!(", after a linear warm-up of {}", length(steps)));
        change + &rise.unwrap_or_default()
    }

    /// How often networks are evaluated: `every epoch`, `every 100 iterations`.
    pub fn evaluation_sentence(&self) -> String {
        let length = length(self.evaluate);
        format!("every {}", length.strip_prefix("1 ").unwrap_or(&length))
    }
}

#[cfg(test)]
mod tests {
    use crate::Training;
    use form::ron_text;

    fn sentences(training: &str) -> [String; 2] {
        let training: Training = ron_text::from_str(training).unwrap();
        [training.rate_sentence(), training.evaluation_sentence()]
    }

    #[test]
    fn a_paper_reads_how_the_rate_changes() {
        assert_eq!(sentences("()"), ["", "every epoch"]);
        assert_eq!(
            sentences("(schedule: Steps(at: [\"80ep\", \"120ep\"]), warm_up: \"500it\", evaluate: \"5ep\")"),
            [
                ", the learning rate multiplied by 0.1 after 80 epochs and 120 epochs, after a linear warm-up of 500 iterations",
                "every 5 epochs"
            ]
        );
        assert_eq!(
            sentences("(schedule: Cosine(over: \"9ep\", floor: 0.01))")[0],
            ", the learning rate falling to 0.01 of it along half a cosine over 9 epochs"
        );
    }
}
