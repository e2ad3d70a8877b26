//! The confusion matrix: for each class, the shares of the classes that were predicted.

use super::axis::{Axis, Category};
use super::cells::{CellText, Cells};
use super::model::Figure;
use super::note::Note;
use crate::form::number::grouped;
use crate::results::campaign::Estimate;
use crate::results::confusion::Confusion;
use crate::results::number::fixed;

/// The confidence of the intervals in tables.
const CONFIDENCE: f64 = 0.95;
/// The column of samples whose logits are not finite.
const NONE: &str = "none";

/// The matrix with a row for each class and a column for each predicted class; `classes` are their names, and `of` names
/// the network and the part of the data. Shares are those of the row; tables have their Wilson interval and the number of
/// samples of the class.
pub fn confusion(confusion: &Confusion, classes: &[String], of: &str) -> Figure {
    let columns = classes.len() + usize::from(!confusion.is_complete());
    let name_of = |class: usize| classes.get(class).map_or(NONE, String::as_str);
    let category = |class: usize| Category { name: name_of(class).to_owned(), ..Category::default() };
    let share = |class: usize, predicted: usize| {
        let count = confusion.counts[class][predicted];
        count as f64 / confusion.samples(class) as f64
    };
    let text = |class: usize, predicted: usize| {
        let (count, samples) = (confusion.counts[class][predicted], confusion.samples(class));
        if samples == 0 {
            return CellText::default();
        }
        let percent = format!("{} %", fixed(100.0 * share(class, predicted), 1));
        let Estimate { low, high, .. } = Estimate::wilson(share(class, predicted), samples, CONFIDENCE);
        let reading = format!(
            "{} predicted as {}: {} of {}, {percent}",
            name_of(class),
            name_of(predicted),
            grouped(count),
            grouped(samples)
        );
        let ends = Some(([low, high], samples));
        // Most cells of a good network are empty.
        let [value, count] = if count == 0 { Default::default() } else { [grouped(count), percent] };
        CellText { value, count, ends, reading, interval: String::new() }
    };
    let rows = || 0..classes.len();
    let values = rows().map(|class| (0..columns).map(|predicted| share(class, predicted)).collect());
    let texts = rows().flat_map(|class| (0..columns).map(move |predicted| (class, predicted)));
    Figure {
        x: Axis::named("Predicted class", (0..columns).map(category).collect()),
        y: Axis { reversed: true, ..Axis::named("Class", rows().map(category).collect()) },
        cells: Some(Cells {
            axis: Axis { range: Some([0.0, 1.0]), ..Axis::percent("Share of the class") },
            values: values.collect(),
            texts: texts.map(|(class, predicted)| text(class, predicted)).collect(),
            ..Cells::default()
        }),
        note: Note { rest: of.to_owned(), ..Note::default() },
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::csv::csv;
    use super::*;

    fn classes() -> Vec<String> {
        ["cat", "dog"].map(str::to_owned).to_vec()
    }

    #[test]
    fn cells_have_counts_and_shares_of_their_row() {
        let counts = Confusion { counts: vec![vec![3, 1, 0], vec![0, 2, 0]] };
        let figure = confusion(&counts, &classes(), "dense, seed 1, test");
        let cells = figure.cells.as_ref().unwrap();
        assert_eq!(cells.values, [[0.75, 0.25], [0.0, 1.0]]);
        assert_eq!((cells.texts[1].value.as_str(), cells.texts[1].count.as_str()), ("1", "25.0 %"));
        assert_eq!((cells.texts[2].value.as_str(), cells.texts[2].count.as_str()), ("", ""));
        assert_eq!(cells.texts[1].reading, "cat predicted as dog: 1 of 4, 25.0 %");
        let table = csv(&figure);
        assert!(table.contains("cell,Share of the class,,dog,cat,"), "{table}");
        assert!(table.lines().nth(2).unwrap().ends_with(",0.25,4"), "{table}");
    }

    #[test]
    fn predictions_that_are_no_class_have_a_column() {
        let counts = Confusion { counts: vec![vec![3, 0, 1], vec![0, 0, 0]] };
        let figure = confusion(&counts, &classes(), "");
        assert_eq!(figure.x.categories.len(), 3);
        assert_eq!(figure.x.categories[2].name, "none");
        assert!(figure.cells.unwrap().values[1][0].is_nan(), "a class without samples has no shares");
    }
}
