use std::path::Path;

use crate::error::Memory;
use crate::prepare::{split_labels, test_count};
use crate::source::Source;
use crate::table::{NumberStyle, TableSettings};
use crate::{ClassNames, DataError, Details, Found, Looked, Normalize, Parts, table, take_test};
use form::number::share_in_percent;

dataset! {
    Csv: "Table", in file "File", "Path of the table, relative to the experiment file", File, normalize Standard {
        label: String = String::new(), "Label", "Name of the column with the classes";
        test: f64 = 0.2, "Test", "Share of the lines that are kept for testing, the same for all seeds", unit "%",
            range [0.001, 0.999];
        leave_out: Vec<String> = Vec::new(), "Leave out", "Names of columns that are no features";
        words: Vec<String> = Vec::new(), "Words", "Names of columns of words, also where they look like numbers or missing values \
            (NA): each becomes a feature, or a class";
        numbers: NumberStyle = NumberStyle::Plain, "Numbers", "How numbers are written";
    }
}

impl Csv {
    fn table(&self, path: &Path) -> Result<table::Table, DataError> {
        let Self { label, leave_out, words, numbers, memory, .. } = self;
        table::read(path, &TableSettings { label, leave_out, words, numbers, memory: Memory(*memory) })
    }
}

impl Source for Csv {
    fn look(&self, path: &Path, _: &Path) -> Result<Looked, DataError> {
        let table::Table { samples, classes, columns, numbers, mut notes } = self.table(path)?;
        if self.normalize == Normalize::None {
            let names = columns.numbers.iter().map(|name| format!("column \"{name}\""));
            notes.extend(samples.coarse(numbers.into_iter().zip(names)));
        }
        let test = test_count(samples.len(), self.test)?;
        let shape = [samples.shape.channels, 1, 1];
        let (classes, train) = (ClassNames::from(classes), samples.len() - test);
        let found = Found { shape, classes, train, test, ..Found::default() };
        let files = vec![(String::new(), path.to_owned())];
        let [train, test] = split_labels(&samples.labels, test);
        let split =
            format!("{} of the lines for testing, the same for all seeds", share_in_percent(self.test));
        let labels = [train, Vec::new(), test];
        Ok(Looked {
            found,
            details: Details { files, labels, split, columns: Some(columns), notes, ..Details::default() },
        })
    }

    fn read(&self, path: &Path, _: &Path) -> Result<Parts, DataError> {
        let table::Table { samples: mut train, classes, .. } = self.table(path)?;
        let test = take_test(&mut train, self.test)?;
        Ok(Parts::new(train, test, classes.len()))
    }
}
