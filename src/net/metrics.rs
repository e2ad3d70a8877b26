//! From logits to classes.

/// The predicted class: that of the largest logit, the lower one of equals; with one logit its sign. Logits that are NaN
/// or infinite predict nothing.
#[must_use]
pub fn top1(logits: &[f32]) -> Option<u32> {
    if logits.iter().any(|logit| !logit.is_finite()) {
        return None;
    }
    if let [logit] = logits {
        return Some(u32::from(*logit > 0.0));
    }
    let mut best = 0;
    for (class, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = class;
        }
    }
    u32::try_from(best).ok()
}

/// Number of samples whose predicted class is their label; `logits` are `[count, outputs]`.
#[must_use]
pub fn correct(logits: &[f32], outputs: usize, labels: &[u32]) -> usize {
    let rows = logits.chunks_exact(outputs).zip(labels);
    rows.filter(|(row, label)| top1(row) == Some(**label)).count()
}

/// Loss and accuracy over any number of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Samples so far.
    pub samples: usize,
    /// Sum of their losses.
    pub loss_sum: f64,
    /// How many were right.
    pub correct: usize,
}

impl Score {
    /// Adds a batch with its mean loss.
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    pub fn add(&mut self, samples: usize, mean_loss: f64, correct: usize) {
        self.samples += samples;
        self.loss_sum += mean_loss * samples as f64;
        self.correct += correct;
    }

    /// Mean loss.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.samples as f64
    }

    /// Share of samples that were right, in [0, 1].
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
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
    fn scores_weigh_batches_by_their_size() {
        let mut score = Score::default();
        score.add(3, 1.0, 3);
        score.add(1, 5.0, 0);
        assert_eq!((score.loss(), score.accuracy()), (2.0, 0.75));
    }
}
