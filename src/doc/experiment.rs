//! The document: one experiment with its arms, how networks train, and what computes.

use crate::arch::Net;
use crate::plan::words::{length, number};
use crate::stage::Stage;
use crate::structure::{Parameter, Role, Structure};
use data::{Augmentation, Data, Looks};
use form::number::listed;
use form::{Overrides, Steps};
use optimize::{Optimizer, Schedule};

/// The version of the file format that this program writes.
pub const VERSION: u32 = 1;

form::form! {
    /// One treatment: a plan, with optional settings.
    pub struct Arm: "Arm" {
        name: String = "arm".to_owned(), "Name", "Its name in legends and tables";
        net: Option<Net> = None, "Network", "Replaces the experiment's", inherits "net";
        train: Option<Training> = None, "Training", "Replaces the experiment's", inherits "train";
        set: Overrides = Overrides::default(), "Change settings", "Changes single settings of this arm, such as \
            train.batch";
        sweep: Overrides = Overrides::default(), "Swept settings", "Lists of values; every combination becomes an arm";
        plan: Vec<Stage> = Vec::new(), "Plan", "What a run of this arm does, in order";
    }
}

form::form! {
    /// Everything that the user decides.
    pub struct Experiment: "Experiment" {
        version: u32 = VERSION, "Version", "Version of the file format", range [1, VERSION];
        name: String = String::new(), "Name", "Its name in windows and reports";
        notes: String = String::new(), "Notes", "Notes for yourself and others";
        data: Data = Data::default(), "Data", "What the network learns from";
        net: Net = Net::default(), "Network", "The network to train";
        train: Training = Training::default(), "Training", "How to train it";
        device: Device = Device::Cpu, "Device", "What runs the computations";
        seeds: Vec<u64> = vec![1], "Seeds", "Replicates: every arm runs once per seed", unit "seeds";
        set: Overrides = Overrides::default(), "Change settings", "Changes single settings of all arms, such as \
            train.batch";
        sweep: Overrides = Overrides::default(), "Swept settings", "Lists of values; every combination becomes an arm";
        arms: Vec<Arm> = Vec::new(), "Arms", "The treatments to compare";
    } hidden {
        /// The results of looks at the data that it names.
        #[serde(skip)]
        looks: Looks = Looks::default();
    }
}

form::choice! {
    /// The function that training minimizes.
    pub enum Loss: "Loss" {
        CrossEntropy, "Cross-entropy", "Softmax cross-entropy over the classes";
        BinaryCrossEntropy, "Binary cross-entropy", "Logistic loss of one output, for two classes";
        SquaredError, "Squared error", "Mean squared distance to the one-hot label";
    }
}

form::choice! {
    /// The reaction to a loss that is no longer finite.
    pub enum NonFinite: "Non-finite loss" {
        Stop, "Stop", "The run fails and names the iteration";
        Continue, "Continue", "The run continues; its points are NaN";
    }
}

form::choice! {
    /// The code that computes training passes on the device `Cpu`.
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
    /// The records of weights at each evaluation.
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
    /// The records of weights of a run.
    pub struct Recording: "Weights over training" {
        weights: WeightRecord = WeightRecord::Off, "At each evaluation", "Statistics of the weights as series for \
            every plot";
        rounds: bool = false, "After each training", "Keeps the network after every training in the run's \
            directory: four bytes a parameter, one byte more where any is held";
    }
}

impl Recording {
    /// Returns the cost of a record of one network, as the number of evaluated samples that take as long.
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

/// The meaning of a learning rate of 0.
pub(crate) const NO_STEP: &str = "with a learning rate of 0, training changes no weight";

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
    /// Returns the number of mini-batches of an epoch.
    pub fn batches_per_epoch(&self, samples: usize) -> u64 {
        samples.div_ceil(self.batch.max(1)) as u64
    }

    /// Says how the learning rate changes: `, the learning rate falling along half a cosine over 30 epochs`; nothing where
    /// it does not.
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

    /// Says how often networks are evaluated: `every epoch`, `every 100 iterations`.
    pub fn evaluation_sentence(&self) -> String {
        let length = length(self.evaluate);
        format!("every {}", length.strip_prefix("1 ").unwrap_or(&length))
    }
}

form::choice! {
    /// The hardware and the code that compute.
    pub enum Device: "Device", unless Device::refusal {
        #[serde(alias = "Flex")]
        Cpu, "cpu", "The CPU, with Weightlab's kernels";
        Ndarray, "ndarray", "The CPU, with Burn's ndarray backend: an independent reference, slow for convolutions";
        Cuda, "cuda", "An NVIDIA GPU, with Burn's kernels. Needs a build with the feature cuda; bits may differ from \
            run to run";
        Wgpu, "wgpu", "A GPU of any make through Vulkan, Metal or DirectX 12, with Burn's kernels. Needs a build \
            with the feature wgpu; bits may differ from run to run";
    }
}

impl Device {
    /// Returns the Cargo feature that a build needs for it; none where every build has it.
    pub const fn feature(&self) -> Option<&'static str> {
        match self {
            Self::Cpu | Self::Ndarray => None,
            Self::Cuda => Some("cuda"),
            Self::Wgpu => Some("wgpu"),
        }
    }

    /// Returns true if this build has it.
    pub const fn is_built(&self) -> bool {
        match self {
            Self::Cpu | Self::Ndarray => true,
            Self::Cuda => cfg!(feature = "cuda"),
            Self::Wgpu => cfg!(feature = "wgpu"),
        }
    }

    /// Says why it cannot be chosen in this build, and what to do.
    pub fn refusal(&self) -> Option<String> {
        let feature = self.feature().filter(|_| !self.is_built())?;
        Some(format!(
            "this build has no device {}; choose {}, or build Weightlab with cargo build --release --features {feature}",
            self.key(),
            Self::Cpu.key()
        ))
    }

    /// Says what it does not promise, for those who choose it; nothing where equal settings give equal bits.
    pub fn caution(&self) -> Option<String> {
        self.feature()?;
        Some(format!(
            "{} computes in float32 with its driver's order of sums: another GPU, driver or run may give other last \
                bits, and so other results after long training; Cpu gives the same bits each time",
            self.key()
        ))
    }

    /// Says what computed, for the methods of a paper; nothing for the processor.
    pub fn sentence(&self) -> Option<String> {
        let backend = match self {
            Self::Cpu | Self::Ndarray => return None,
            Self::Cuda => "CUDA",
            Self::Wgpu => "wgpu",
        };
        Some(format!(
            "Networks were computed on a GPU by Burn with {backend}; optimizers and masks ran on the host. Bits were not \
                reproducible there."
        ))
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

#[cfg(test)]
mod device_tests {
    use std::path::Path;

    use crate::experiment::*;
    use crate::file::parse;
    use crate::{Problem, Severity, validate};

    #[test]
    fn a_file_for_another_build_is_read_and_says_which_build_has_its_device() {
        for device in Device::all() {
            let text = format!("(device: {}, arms: [(plan: [Test])])", device.key());
            let experiment = parse(&text, Path::new("a.ron")).unwrap();
            assert_eq!(experiment.device, device);
            let problems = validate(&experiment);
            let at = |severity| {
                let of = problems.iter().filter(|problem| problem.severity == severity);
                of.map(Problem::to_string).collect::<Vec<_>>()
            };
            let errors = at(Severity::Error);
            match device.refusal() {
                Some(refusal) => {
                    let feature = device.feature().unwrap();
                    assert!(refusal.ends_with(&format!("--features {feature}")), "{refusal}");
                    assert!(errors[0].contains(&refusal) && errors[0].contains("Device"), "{errors:?}");
                }
                None => assert_eq!(errors, Vec::<String>::new()),
            }
            let cautions = at(Severity::Note);
            assert_eq!(cautions.len(), usize::from(device.feature().is_some()), "{cautions:?}");
            assert_eq!(device.sentence().is_some(), device.feature().is_some());
        }
    }
}
