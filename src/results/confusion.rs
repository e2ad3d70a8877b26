//! Which classes a network takes for which others.

/// Counts of samples by their class and by the class that was predicted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// `[classes, classes + 2]`: rows are true classes, columns predicted ones. The last but one column counts samples for
    /// which a class was predicted that the data do not have, since networks may have more classes; the last one those
    /// without a prediction, whose logits are not finite.
    pub counts: Vec<Vec<u64>>,
}

/// The class of a column of predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicted {
    /// This class of the data.
    Class(u32),
    /// A class that the data do not have.
    OtherClass,
    /// Nothing: logits are not finite.
    Nothing,
}

impl Confusion {
    /// Counts samples: their classes beside the predicted ones, which are `None` where logits are not finite.
    pub fn new(classes: usize, samples: impl IntoIterator<Item = (u32, Option<u32>)>) -> Self {
        let mut counts = vec![vec![0; classes + 2]; classes];
        for (label, predicted) in samples {
            let column = predicted.map_or(classes + 1, |class| (class as usize).min(classes));
            if let Some(row) = counts.get_mut(label as usize) {
                row[column] += 1;
            }
        }
        Self { counts }
    }

    /// Counts the samples of a class.
    pub fn samples(&self, class: usize) -> u64 {
        self.counts[class].iter().sum()
    }

    /// Counts the samples of a class with the right prediction.
    pub fn right(&self, class: usize) -> u64 {
        self.counts[class][class]
    }

    /// Returns the columns that are to be shown: all classes, and what else was predicted for some sample.
    pub fn columns(&self) -> Vec<Predicted> {
        let classes = self.counts.len();
        let column = |column: usize| match column.checked_sub(classes) {
            None => Predicted::Class(column as u32),
            Some(0) => Predicted::OtherClass,
            Some(_) => Predicted::Nothing,
        };
        let is_shown = |column: &usize| *column < classes || self.counts.iter().any(|row| row[*column] > 0);
        (0..classes + 2).filter(is_shown).map(column).collect()
    }

    /// Returns how many samples of a class have this prediction.
    pub fn count(&self, class: usize, predicted: Predicted) -> u64 {
        let column = match predicted {
            Predicted::Class(class) => class as usize,
            Predicted::OtherClass => self.counts.len(),
            Predicted::Nothing => self.counts.len() + 1,
        };
        self.counts[class][column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_counted_by_true_and_by_predicted_class() {
        let samples = [(0, Some(0)), (0, Some(1)), (0, Some(1)), (1, Some(1)), (1, None), (0, Some(217))];
        let confusion = Confusion::new(2, samples);
        assert_eq!(confusion.counts, [[1, 2, 1, 0], [0, 1, 0, 1]]);
        assert_eq!((confusion.samples(0), confusion.right(0)), (4, 1));
        assert_eq!(confusion.columns()[2..], [Predicted::OtherClass, Predicted::Nothing]);
        assert_eq!(confusion.count(0, Predicted::OtherClass), 1);
        assert_eq!(confusion.count(1, Predicted::Nothing), 1);
        let complete = Confusion::new(3, [(2, Some(2))]).columns();
        assert_eq!(complete, [0, 1, 2].map(Predicted::Class));
    }
}
