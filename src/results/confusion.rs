//! Which classes a network takes for which others.

/// Counts of samples by their class and by the class that was predicted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// `[classes, classes + 1]`: rows are true classes, columns predicted ones. The last column counts samples without a
    /// prediction, whose logits are not finite.
    pub counts: Vec<Vec<u64>>,
}

impl Confusion {
    /// Counts samples: their classes beside the predicted ones, which are `None` where logits are not finite.
    pub fn of(classes: usize, samples: impl IntoIterator<Item = (u32, Option<u32>)>) -> Self {
        let mut counts = vec![vec![0; classes + 1]; classes];
        for (label, predicted) in samples {
            let column = predicted.map_or(classes, |class| (class as usize).min(classes));
            if let Some(row) = counts.get_mut(label as usize) {
                row[column] += 1;
            }
        }
        Self { counts }
    }

    /// Samples of a class.
    pub fn samples(&self, class: usize) -> u64 {
        self.counts[class].iter().sum()
    }

    /// Samples of a class with the right prediction.
    pub fn right(&self, class: usize) -> u64 {
        self.counts[class][class]
    }

    /// Whether each sample has a prediction.
    pub fn is_complete(&self) -> bool {
        self.counts.iter().all(|row| row.last() == Some(&0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_counted_by_true_and_by_predicted_class() {
        let samples = [(0, Some(0)), (0, Some(1)), (0, Some(1)), (1, Some(1)), (1, None)];
        let confusion = Confusion::of(2, samples);
        assert_eq!(confusion.counts, [[1, 2, 0], [0, 1, 1]]);
        assert_eq!((confusion.samples(0), confusion.right(0)), (3, 1));
        assert!(!confusion.is_complete());
        assert!(Confusion::of(3, [(2, Some(2))]).is_complete());
    }
}
