//! From logits to classes.

use serde::{Deserialize, Serialize};

pub use intervene::fault::outcome::top1;

/// Number of samples whose predicted class is their label; `logits` are `[count, outputs]`.
pub fn correct(logits: &[f32], outputs: usize, labels: &[u32]) -> usize {
    let rows = logits.chunks_exact(outputs).zip(labels);
    rows.filter(|(row, label)| top1(row) == Some(**label)).count()
}

/// How many classes have a larger logit than a label; of equal logits the lower class is ahead. Nothing where no class is
/// predicted, see [`top1`]. A single logit separates two classes.
fn rank(logits: &[f32], label: u32) -> Option<usize> {
    let predicted = top1(logits)?;
    let label = label as usize;
    if logits.len() < 2 {
        return Some(usize::from(predicted as usize != label));
    }
    let own = logits[label];
    let is_ahead = |(class, logit): &(usize, &f32)| **logit > own || (**logit == own && *class < label);
    Some(logits.iter().enumerate().filter(is_ahead).count())
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
    /// No samples yet, for a network with this many outputs; a single logit separates two classes.
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

    /// Share of samples whose class has one of the `largest` logits, in [0, 1]; NaN without samples.
    pub fn among(&self, largest: usize) -> f64 {
        let samples: usize = self.counts.iter().map(|[samples, _]| samples).sum();
        self.ranks.iter().take(largest).sum::<usize>() as f64 / samples as f64
    }

    /// Accuracy of each class, `[classes]`, in [0, 1]; `None` for a class without samples.
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
    #[serde(rename = "loss_bits", with = "super::bits")]
    pub loss_sum: f64,
    /// How many were correct.
    pub correct: usize,
}

impl Score {
    /// Adds a batch with its mean loss.
    pub fn add(&mut self, samples: usize, mean_loss: f64, correct: usize) {
        self.samples += samples;
        self.loss_sum += mean_loss * samples as f64;
        self.correct += correct;
    }

    /// Mean loss.
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.samples as f64
    }

    /// Share of correct samples, in [0, 1].
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.samples as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
