//! The confusion matrix: for each class, the shares of the classes that were predicted.

use super::axis::{Axis, Category};
use super::cells::{CellText, Cells};
use super::model::{Figure, Note};
use doc::{ClassNames, NOTHING};
use form::number::grouped;
use results::campaign::Estimate;
use results::confusion::{Confusion, Predicted};
use results::number::fixed;

const CONFIDENCE: f64 = 0.95;
/// The column of samples for which a class was predicted that the data do not have.
const OTHER: &str = "other class";
/// Of more classes, cells have colours and no texts: a million texts are too small to read and take hundreds of megabytes.
const MOST_CLASSES: usize = 200;

/// Returns the matrix with the shares of each class, a row, that were predicted as each class; `of` names the network and
/// the part of the data. Tables have Wilson's intervals and the number of samples, up to 200 classes.
pub fn confusion(confusion: &Confusion, classes: &ClassNames, of: &str) -> Figure {
    let columns = confusion.columns();
    let name_of = |predicted: Predicted| match predicted {
        Predicted::Class(class) => classes.name_of(Some(class)),
        Predicted::OtherClass => OTHER.to_owned(),
        Predicted::Nothing => NOTHING.to_owned(),
    };
    let category = |predicted: Predicted| Category { name: name_of(predicted), ..Category::default() };
    let all: Vec<u64> = (0..classes.len()).map(|class| confusion.samples(class)).collect();
    let share = |class: usize, predicted: Predicted| {
        let count = confusion.count(class, predicted);
        count as f64 / all[class] as f64
    };
    let text = |class: usize, predicted: Predicted| {
        let (count, samples) = (confusion.count(class, predicted), all[class]);
        if samples == 0 {
            return CellText::default();
        }
        let percent = format!("{} %", fixed(100.0 * share(class, predicted), 1));
        let Estimate { low, high, .. } = Estimate::wilson(share(class, predicted), samples, CONFIDENCE);
        let reading = format!(
            "{} predicted as {}: {} of {}, {percent}",
            classes.name_of(Some(class as u32)),
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
    let values = rows().map(|class| columns.iter().map(|predicted| share(class, *predicted)).collect());
    let written = if classes.len() <= MOST_CLASSES { rows() } else { 0..0 };
    let texts = written.flat_map(|class| columns.iter().map(move |predicted| (class, *predicted)));
    Figure {
        x: Axis::named("Predicted class", columns.iter().copied().map(category).collect()),
        y: Axis {
            reversed: true,
            ..Axis::named("Class", rows().map(|class| category(Predicted::Class(class as u32))).collect())
        },
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

    fn classes() -> ClassNames {
        ClassNames::known(&["cat", "dog"])
    }

    #[test]
    fn cells_have_counts_and_shares_of_their_row() {
        let counts = Confusion { counts: vec![vec![3, 1, 0, 0], vec![0, 2, 0, 0]] };
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
    fn predictions_that_are_no_class_and_those_of_other_classes_have_columns() {
        let counts = Confusion { counts: vec![vec![3, 0, 0, 1], vec![0, 0, 0, 0]] };
        let figure = confusion(&counts, &classes(), "");
        assert_eq!(figure.x.categories.len(), 3);
        assert_eq!(figure.x.categories[2].name, "none");
        assert!(figure.cells.unwrap().values[1][0].is_nan(), "a class without samples has no shares");
        let counts = Confusion { counts: vec![vec![3, 0, 5, 1], vec![0, 0, 0, 0]] };
        let names: Vec<_> = confusion(&counts, &classes(), "")
            .x
            .categories
            .iter()
            .map(|category| category.name.clone())
            .collect();
        assert_eq!(names, ["cat", "dog", "other class", "none"]);
    }

    #[test]
    fn a_thousand_classes_have_a_figure_of_colours() {
        let names: Vec<String> = (0..1000).map(|class| format!("class {class}")).collect();
        let counts = Confusion::new(1000, (0..1000).map(|class| (class, Some(class))));
        let figure = confusion(&counts, &ClassNames::from(names), "");
        let cells = figure.cells.as_ref().unwrap();
        assert_eq!((cells.size(), cells.texts.len()), ([1000, 1000], 0));
        let table = csv(&figure);
        assert_eq!(table.lines().count(), 1 + 1_000_000);
        assert_eq!(table.lines().nth(1).unwrap(), "cell,Share of the class,,class 0,class 0,,,1");
    }
}
