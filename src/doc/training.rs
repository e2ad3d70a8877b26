//! Settings of training and evaluation.

use crate::data::Augmentation;
use crate::form::Steps;
use crate::optimize::{Optimizer, Schedule};

crate::choice! {
    /// What training minimises.
    pub enum Loss: "Loss" {
        CrossEntropy, "Cross-entropy", "Softmax cross-entropy over the classes";
        BinaryCrossEntropy, "Binary cross-entropy", "Logistic loss of one output, for two classes";
        SquaredError, "Squared error", "Mean squared distance to the one-hot label";
    }
}

crate::choice! {
    /// What happens when the loss is no longer finite.
    pub enum NonFinite: "Non-finite loss" {
        Stop, "Stop", "The run fails with the iteration at which it began";
        Continue, "Continue", "The run goes on; the points are NaN";
    }
}

crate::choice! {
    /// What computes training passes on the device `Flex`.
    pub enum Kernels: "Kernels" {
        Direct, "Direct", "Kernels of this program; convolutions add up products as they are";
        Winograd, "Winograd", "Kernels of this program; training's convolutions take fewer multiplications and round more";
        Burn, "Burn", "Burn's operations, in evaluation too";
    }
}

crate::form! {
    /// How networks are trained and evaluated.
    pub struct Training: "Training" {
        optimizer: Optimizer = Optimizer::default(), "Optimizer", "How gradients change weights";
        schedule: Schedule = Schedule::default(), "Schedule", "How the learning rate changes";
        warm_up: Option<Steps> = None, "Warm-up", "Linear rise of the learning rate at the start";
        batch: usize = 64, "Batch size", "Samples of one mini-batch; the last one of an epoch may be smaller", unit "samples", range [1, 65536];
        loss: Loss = Loss::CrossEntropy, "Loss", "What training minimises";
        evaluate: Steps = Steps::epochs(1), "Evaluate every", "How often the validation and test parts are evaluated while training";
        evaluation_batch: usize = 256, "Evaluation batch", "Samples evaluated at a time", unit "samples", range [1, 65536];
        augment: Vec<Augmentation> = Vec::new(), "Augmentation", "Random changes of training images";
        non_finite: NonFinite = NonFinite::Stop, "Non-finite loss", "What happens when the loss becomes NaN or infinite";
        kernels: Kernels = Kernels::Direct, "Kernels", "What computes training passes on the device Flex; evaluation is always direct, or Burn's";
    }
}
