//! Losses and their gradients with respect to the logits, computed on the host for every device; and scores.

use doc::{Loss, Output};
use intervene::fault::outcome;
pub use intervene::fault::outcome::top1;
use serde::{Deserialize, Serialize};

/// Mean loss of a mini-batch, and its gradient.
#[derive(Clone, Debug, PartialEq)]
pub struct LossValue {
    /// Mean over the samples.
    pub mean: f64,
    /// Gradient with respect to the logits, `[count, outputs]`.
    pub gradient: Vec<f32>,
}

/// A loss together with the function that is applied to the logits.
#[derive(Clone, Debug, PartialEq)]
pub struct LossFunction {
    loss: Loss,
    output: Output,
    outputs: usize,
}

impl LossFunction {
    /// Creates the loss of networks with this many logits.
    pub fn new(loss: Loss, output: Output, outputs: usize) -> Self {
        Self { loss, output, outputs }
    }

    /// Computes the mean loss of the samples with these `labels`, and its gradient.
    ///
    /// Cross-entropy is that of `torch.nn.CrossEntropyLoss`; squared error is the mean over all outputs, as
    /// `torch.nn.MSELoss`; binary cross-entropy takes p = σ(z), and with [`Output::Tanh`] p = (1 + tanh z)/2 = σ(2z).
    pub fn evaluate(&self, logits: &[f32], labels: &[u32]) -> LossValue {
        let mut gradient = vec![0.0f32; logits.len()];
        let mut sum = 0.0;
        let share = 1.0 / labels.len().max(1) as f64;
        let rows = logits.chunks_exact(self.outputs).zip(gradient.chunks_exact_mut(self.outputs)).zip(labels);
        let mut sample = Sample::new(self.outputs);
        for ((row, gradient), &label) in rows {
            sample.values.iter_mut().zip(row).for_each(|(value, &logit)| *value = f64::from(logit));
            sum += self.sample(&mut sample, label as usize);
            for (target, gradient) in gradient.iter_mut().zip(&sample.gradients) {
                *target = (gradient * share) as f32;
            }
        }
        LossValue { mean: sum * share, gradient }
    }

    /// Returns the probabilities of the classes that one row of logits predicts: p and 1 − p for binary
    /// cross-entropy, otherwise the softmax of the outputs, in [0, 1] with a sum of 1.
    pub fn probabilities(&self, logits: &[f32]) -> Vec<f64> {
        match self.loss {
            Loss::BinaryCrossEntropy => {
                let z = f64::from(logits[0]) * self.steepness();
                vec![sigmoid(-z), sigmoid(z)]
            }
            Loss::CrossEntropy | Loss::SquaredError => {
                let mut values: Vec<f64> = logits.iter().map(|&logit| f64::from(logit)).collect();
                for value in &mut values {
                    apply(&self.output, value);
                }
                let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = values.iter().map(|value| (value - largest).exp()).sum();
                values.iter().map(|value| (value - largest).exp() / sum).collect()
            }
        }
    }

    /// Computes the loss of one sample; leaves its gradient in the sample.
    fn sample(&self, sample: &mut Sample, label: usize) -> f64 {
        match self.loss {
            Loss::CrossEntropy => self.of_outputs(sample, label, cross_entropy),
            Loss::SquaredError => self.of_outputs(sample, label, squared_error),
            Loss::BinaryCrossEntropy => {
                let steepness = self.steepness();
                let (loss, gradient) = logistic(sample.values[0] * steepness, label != 0);
                sample.gradients[0] = gradient * steepness;
                loss
            }
        }
    }

    /// Returns what binary cross-entropy multiplies the logit by: σ(2z) is (1 + tanh z)/2.
    fn steepness(&self) -> f64 {
        match self.output {
            Output::Linear | Output::Sigmoid => 1.0,
            Output::Tanh => 2.0,
        }
    }

    /// Computes a loss of the outputs of one sample, and by the chain rule its gradient with respect to the logits.
    fn of_outputs(
        &self,
        sample: &mut Sample,
        label: usize,
        loss: impl Fn(&[f64], usize, &mut [f64]) -> f64,
    ) -> f64 {
        let Sample { values, derivatives, gradients } = sample;
        for (value, derivative) in values.iter_mut().zip(derivatives.iter_mut()) {
            *derivative = apply(&self.output, value);
        }
        let loss = loss(values, label, gradients);
        gradients.iter_mut().zip(derivatives).for_each(|(gradient, derivative)| *gradient *= *derivative);
        loss
    }
}

/// Buffers for one sample, reused for the next.
struct Sample {
    /// Its logits, and then the outputs.
    values: Vec<f64>,
    /// Derivative of each value with respect to its logit.
    derivatives: Vec<f64>,
    /// Gradient of the loss with respect to the logits.
    gradients: Vec<f64>,
}

impl Sample {
    fn new(outputs: usize) -> Self {
        let [values, derivatives, gradients] = [(); 3].map(|()| vec![0.0; outputs]);
        Self { values, derivatives, gradients }
    }
}

/// Applies the output function in place; returns its derivative.
fn apply(output: &Output, value: &mut f64) -> f64 {
    match output {
        Output::Linear => 1.0,
        Output::Sigmoid => {
            *value = sigmoid(*value);
            *value * (1.0 - *value)
        }
        Output::Tanh => {
            *value = value.tanh();
            1.0 - *value * *value
        }
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns −log p of the label and its derivative, under p = σ(z), in a form that never overflows.
fn logistic(z: f64, label: bool) -> (f64, f64) {
    let target = f64::from(u8::from(label));
    let loss = z.max(0.0) - z * target + (-z.abs()).exp().ln_1p();
    let loss = if z.is_nan() { f64::NAN } else { loss };
    (loss, sigmoid(z) - target)
}

/// Returns −log softmax of the label; the largest logit is subtracted first, so that no exponential overflows.
fn cross_entropy(values: &[f64], label: usize, gradients: &mut [f64]) -> f64 {
    if values.iter().any(|value| value.is_nan()) {
        gradients.fill(f64::NAN);
        return f64::NAN;
    }
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for (gradient, value) in gradients.iter_mut().zip(values) {
        *gradient = (value - largest).exp();
        sum += *gradient;
    }
    for gradient in gradients.iter_mut() {
        *gradient /= sum;
    }
    gradients[label] -= 1.0;
    sum.ln() + largest - values[label]
}

fn squared_error(values: &[f64], label: usize, gradients: &mut [f64]) -> f64 {
    let share = 1.0 / values.len() as f64;
    let mut sum = 0.0;
    for (class, (gradient, value)) in gradients.iter_mut().zip(values).enumerate() {
        let distance = value - f64::from(u8::from(class == label));
        sum += distance * distance;
        *gradient = 2.0 * distance * share;
    }
    sum * share
}

/// Returns the number of samples whose predicted class is their label; `logits` are `[count, outputs]`.
pub fn correct(logits: &[f32], outputs: usize, labels: &[u32]) -> usize {
    let rows = logits.chunks_exact(outputs).zip(labels);
    rows.filter(|(row, label)| top1(row) == Some(**label)).count()
}

/// Counts the classes with a larger logit than a label; of equal logits the lower class is ahead. Nothing where no
/// class is predicted, see [`top1`]. A single logit separates two classes.
fn rank(logits: &[f32], label: u32) -> Option<usize> {
    let predicted = top1(logits)?;
    Some(if logits.len() < 2 { usize::from(predicted != label) } else { outcome::rank(logits, label) })
}

/// Samples and correct predictions of each class, and where the logit of the right class stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Samples and how many of them were correct, `[classes]`.
    counts: Vec<[usize; 2]>,
    /// Samples by the number of classes with a larger logit, `[classes]`; those without a prediction are missing.
    ranks: Vec<usize>,
}

impl Answers {
    /// Returns no samples yet, for a network with this many outputs; a single logit separates two classes.
    pub fn new(outputs: usize) -> Self {
        let classes = outputs.max(2);
        Self { counts: vec![[0, 0]; classes], ranks: vec![0; classes] }
    }

    /// Counts a batch with logits `[count, outputs]`; returns how many samples were correct, as [`correct`] does.
    pub fn add(&mut self, logits: &[f32], outputs: usize, labels: &[u32]) -> usize {
        let mut all_right = 0;
        for (row, &label) in logits.chunks_exact(outputs).zip(labels) {
            let rank = rank(row, label);
            let is_right = usize::from(rank == Some(0));
            if let Some(rank) = rank {
                self.ranks[rank] += 1;
            }
            let [samples, right] = &mut self.counts[label as usize];
            *samples += 1;
            *right += is_right;
            all_right += is_right;
        }
        all_right
    }

    /// Returns the share of samples whose class has one of the `largest` logits, in [0, 1]; NaN without samples.
    pub fn among(&self, largest: usize) -> f64 {
        let samples: usize = self.counts.iter().map(|[samples, _]| samples).sum();
        self.ranks.iter().take(largest).sum::<usize>() as f64 / samples as f64
    }

    /// Returns the accuracy of each class, `[classes]`, in [0, 1]; `None` for a class without samples.
    pub fn accuracies(&self) -> Vec<Option<f64>> {
        let share = |&[samples, right]: &[usize; 2]| (samples > 0).then(|| right as f64 / samples as f64);
        self.counts.iter().map(share).collect()
    }
}

/// Loss and accuracy over any number of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Samples so far.
    pub samples: usize,
    /// Sum of their losses.
    #[serde(rename = "loss_bits", with = "bits")]
    pub loss_sum: f64,
    /// Number of correct ones.
    pub correct: usize,
}

impl Score {
    /// Adds a batch with its mean loss.
    pub fn add(&mut self, samples: usize, mean_loss: f64, correct: usize) {
        self.samples += samples;
        self.loss_sum += mean_loss * samples as f64;
        self.correct += correct;
    }

    /// Returns the mean loss.
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.samples as f64
    }

    /// Returns the share of correct samples, in [0, 1].
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.samples as f64
    }
}

/// A float64 in a file as the number of its bits, so that it comes back exactly, NaN too: `#[serde(with = "bits")]`.
pub mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the bits.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.to_bits())
    }

    /// Reads the bits.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient_by_differences(criterion: &LossFunction, logits: &[f32], labels: &[u32]) -> Vec<f64> {
        (0..logits.len())
            .map(|index| {
                let mut shifted = logits.to_vec();
                shifted[index] += 1e-3;
                let above = criterion.evaluate(&shifted, labels).mean;
                shifted[index] -= 2e-3;
                (above - criterion.evaluate(&shifted, labels).mean) / 2e-3
            })
            .collect()
    }

    #[test]
    fn every_gradient_is_the_derivative_of_its_loss() {
        for loss in Loss::all() {
            for output in Output::all() {
                let outputs = if loss == Loss::BinaryCrossEntropy { 1 } else { 2 };
                let criterion = LossFunction::new(loss.clone(), output, outputs);
                let logits = &[0.5f32, -1.25, 2.0, 0.25][..2 * outputs];
                let gradient = criterion.evaluate(logits, &[1, 0]).gradient;
                for (exact, difference) in
                    gradient.iter().zip(gradient_by_differences(&criterion, logits, &[1, 0]))
                {
                    assert!(
                        (f64::from(*exact) - difference).abs() < 1e-3,
                        "{criterion:?}: {exact} {difference}"
                    );
                }
            }
        }
    }

    #[test]
    fn cross_entropy_of_equal_logits_is_the_log_of_the_classes() {
        let criterion = LossFunction::new(Loss::CrossEntropy, Output::Linear, 4);
        let value = criterion.evaluate(&[3.0; 4], &[2]);
        assert!((value.mean - 4f64.ln()).abs() < 1e-12);
        assert_eq!(value.gradient, [0.25, 0.25, -0.75, 0.25]);
    }

    #[test]
    fn probabilities_belong_to_the_loss() {
        let softmax = LossFunction::new(Loss::CrossEntropy, Output::Linear, 2);
        let [a, b] = softmax.probabilities(&[3f32.ln(), 0.0])[..] else { panic!("two classes") };
        assert!((a - 0.75).abs() < 1e-6 && (a + b - 1.0).abs() < 1e-12);
        let binary = LossFunction::new(Loss::BinaryCrossEntropy, Output::Linear, 1);
        assert!((binary.probabilities(&[3f32.ln()])[1] - 0.75).abs() < 1e-6);
    }

    #[test]
    fn huge_logits_stay_finite_and_nan_is_seen() {
        let criterion = LossFunction::new(Loss::CrossEntropy, Output::Linear, 2);
        assert_eq!(criterion.evaluate(&[1e30, -1e30], &[0]).mean, 0.0);
        assert!(criterion.evaluate(&[f32::NAN, 0.0], &[0]).mean.is_nan());
        let binary = LossFunction::new(Loss::BinaryCrossEntropy, Output::Sigmoid, 1);
        assert!(binary.evaluate(&[200.0], &[1]).mean < 1e-80);
        assert!(binary.evaluate(&[f32::NAN], &[1]).mean.is_nan());
    }

    #[test]
    fn the_lower_class_wins_a_tie_and_nan_predicts_nothing() {
        assert_eq!(top1(&[1.0, 3.0, 3.0]), Some(1));
        assert_eq!(top1(&[1.0, f32::NAN, 3.0]), None);
        assert_eq!(top1(&[f32::INFINITY, 3.0]), None);
    }

    #[test]
    fn one_logit_decides_by_its_sign() {
        assert_eq!((top1(&[0.5]), top1(&[-0.5]), top1(&[0.0])), (Some(1), Some(0), Some(0)));
    }

    #[test]
    fn classes_are_counted_by_their_label_and_one_without_samples_has_no_accuracy() {
        let mut classes = Answers::new(3);
        // The predictions are 0, 1, 1 and none; the first two are correct.
        let logits = [2.0, 1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 0.0, f32::NAN, 0.0, 0.0];
        let labels = [0, 1, 0, 0];
        assert_eq!(classes.add(&logits, 3, &labels), correct(&logits, 3, &labels));
        assert_eq!(classes.accuracies(), [Some(1.0 / 3.0), Some(1.0), None]);
        let mut halves = Answers::new(1);
        assert_eq!(halves.add(&[0.5, -0.5], 1, &[1, 1]), 1);
        assert_eq!(halves.accuracies(), [None, Some(0.5)]);
        assert_eq!((halves.among(1), halves.among(2)), (0.5, 1.0));
    }

    #[test]
    fn a_label_is_among_the_largest_by_its_rank() {
        let mut answers = Answers::new(4);
        // The label stands first, second behind an equal logit of a lower class, last, and nowhere.
        let logits = [3.0, 1.0, 2.0, 0.0, 1.0, 1.0, 0.0, 0.0, 4.0, 3.0, 2.0, 1.0, 0.0, f32::NAN, 0.0, 0.0];
        assert_eq!(answers.add(&logits, 4, &[0, 1, 3, 0]), 1);
        assert_eq!([1, 2, 3, 4, 9].map(|largest| answers.among(largest)), [0.25, 0.5, 0.5, 0.75, 0.75]);
    }

    #[test]
    fn scores_weigh_batches_by_their_size() {
        let mut score = Score::default();
        score.add(3, 1.0, 3);
        score.add(1, 5.0, 0);
        assert_eq!((score.loss(), score.accuracy()), (2.0, 0.75));
    }
}
