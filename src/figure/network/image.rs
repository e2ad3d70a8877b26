//! A parameter as cells: its rows are outputs, columns everything else.

use crate::cells::{CellKind, Cells, ColourMap, Ink, SIDE, block};
use crate::{Axis, Figure};
use results::network::{Entry, ParameterValues, shape_text};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Values, with pruned entries in grey.
    #[default]
    Values,
    /// Which entries are trained, frozen or pruned.
    Mask,
}

/// Kinds of entries; [`Cells::kind_of`] counts in this list.
const KINDS: [&str; 3] = ["trained", "frozen", "pruned"];
/// The index of pruned entries.
pub const PRUNED_KIND: usize = 2;
/// On an axis of at most this many entries, each has its number.
const NUMBERED: usize = 16;

impl Shown {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Mask => "mask",
        }
    }
}

/// Returns the colours of an image, without cells; values have the full colour at `full`.
pub fn colours(full: f64, counts: [u64; 3], shown: Shown) -> Cells {
    let (title, inks) = match shown {
        Shown::Values => ("Value", [Ink::Value, Ink::Value, Ink::Pale]),
        Shown::Mask => ("Mask", [Ink::Colour(0), Ink::Colour(4), Ink::Pale]),
    };
    let kinds = KINDS.into_iter().zip(inks).zip(counts);
    Cells {
        axis: Axis { range: Some([-full, full]), ..Axis::new(title, "") },
        colour_map: ColourMap::Diverging,
        kinds: kinds.map(|((name, ink), count)| CellKind { name: name.to_owned(), ink, count }).collect(),
        ..Cells::default()
    }
}

/// Returns the kind of an entry, as its index in [`KINDS`].
const fn kind(entry: Entry) -> u8 {
    match entry {
        Entry::Pruned => 2,
        Entry::Frozen => 1,
        Entry::Free => 0,
    }
}

/// Returns the number of entries of each kind.
pub fn counts(values: &ParameterValues) -> [u64; 3] {
    let mut counts = [0; 3];
    values.entries.iter().for_each(|entry| counts[usize::from(kind(*entry))] += 1);
    counts
}

pub fn cells(values: &ParameterValues, shown: Shown) -> Cells {
    let kind_of = values.entries.iter().map(|entry| kind(*entry)).collect();
    let rows = if values.shape.len() > 1 { values.shape[0].max(1) } else { 1 };
    let columns = (values.values.len() / rows).max(1);
    let rows = values.values.chunks(columns).map(|row| row.iter().map(|value| f64::from(*value)).collect());
    Cells { values: rows.collect(), kind_of, ..colours(full(values), counts(values), shown) }
}

/// Returns the value with the full colour: twice the root mean square of the finite values that are not pruned.
pub fn full(values: &ParameterValues) -> f64 {
    let all = values.values.iter().zip(&values.entries);
    let squares = all.filter(|(value, entry)| value.is_finite() && entry.survives());
    let (sum, count) =
        squares.fold((0.0, 0_u64), |(sum, count), (value, _)| (sum + f64::from(*value).powi(2), count + 1));
    let full = 2.0 * (sum / count.max(1) as f64).sqrt();
    if full > 0.0 { full } else { 1.0 }
}

pub fn image(name: &str, values: &ParameterValues, shown: Shown) -> Figure {
    let cells = cells(values, shown);
    let [rows, columns] = cells.size();
    let (x, y) = if values.shape.len() > 1 {
        (axis("Entry of an output", columns), axis("Output", rows))
    } else {
        (axis("Entry", columns), axis("", rows))
    };
    let blocks = match block([rows, columns], SIDE) {
        [1, 1] => String::new(),
        [rows, columns] => format!("; a pixel is the mean of {rows}×{columns} entries"),
    };
    let note = format!("{} of {name}, {}{blocks}", shown.name(), shape_text(&values.shape));
    Figure { x, y: Axis { reversed: true, ..y }, cells: Some(cells), note: note.into(), ..Figure::default() }
}

/// Returns an axis that counts from 0.
fn axis(title: &str, count: usize) -> Axis {
    if count <= NUMBERED {
        return Axis::of_names(title, (0..count).map(|index| index.to_string()));
    }
    Axis { range: Some([-0.5, count as f64 - 0.5]), ..Axis::new(title, "") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::csv;
    use crate::palette::{Theme, colour};
    use results::network::Entry::{Free, Frozen, Pruned};

    fn parameter() -> ParameterValues {
        let values = vec![1.0, 3.0, 0.0, -2.0, 5.0, 0.0];
        ParameterValues { shape: vec![2, 3], values, entries: vec![Free, Free, Pruned, Frozen, Free, Pruned] }
    }

    #[test]
    fn the_table_has_every_value_with_all_digits_and_what_holds_it() {
        let values = ParameterValues { values: vec![0.1, 3.0, 0.0, -2.0, 5.0, 0.0], ..parameter() };
        let table = csv(&image("fc1.weight", &values, Shown::Values));
        let rows: Vec<&str> = table.lines().skip(1).collect();
        assert_eq!(rows[1..3], ["cell,trained,,1,0,,,3", "cell,pruned,,2,0,,,0"]);
        assert_eq!(rows[3], "cell,frozen,,0,1,,,-2");
        let first: f32 = rows[0].rsplit(',').next().unwrap().parse().unwrap();
        assert_eq!(first.to_bits(), 0.1_f32.to_bits());
        assert_eq!(table.lines().count(), 7);
    }

    #[test]
    fn large_parameters_keep_every_entry_in_the_table_and_share_pixels_in_the_picture() {
        let count = 3 * 2000;
        let values =
            ParameterValues { shape: vec![3, 2000], values: vec![0.5; count], entries: vec![Free; count] };
        let figure = image("features.0.weight", &values, Shown::Mask);
        assert!(
            figure.note.what.ends_with("3×2000; a pixel is the mean of 1×4 entries"),
            "{:?}",
            figure.note
        );
        assert_eq!(csv(&figure).lines().count(), 1 + count);
        assert_eq!(figure.x.range, Some([-0.5, 1999.5]));
    }

    #[test]
    fn a_bias_is_a_single_row_and_full_colours_are_at_twice_its_root_mean_square() {
        let bias = ParameterValues { shape: vec![3], values: vec![1.0; 3], entries: vec![Free; 3] };
        let cells = cells(&bias, Shown::Values);
        assert_eq!((cells.values.len(), cells.axis.range), (1, Some([-2.0, 2.0])));
        assert_eq!(cells.paint([0, 0], [-1.0, 1.0], Theme::Light), Some(colour(0, Theme::Light)));
    }

    #[test]
    fn the_mask_has_a_colour_for_each_kind_and_names_those_that_there_are() {
        let mask = cells(&parameter(), Shown::Mask);
        let shown: Vec<_> = mask.kinds.iter().map(|kind| (kind.name.as_str(), kind.count)).collect();
        assert_eq!(shown, [("trained", 3), ("frozen", 1), ("pruned", 2)]);
        assert!(!mask.has_scale());
        let painted = |at| mask.paint(at, mask.range(), Theme::Dark).unwrap();
        assert_eq!(painted([0, 0]), colour(0, Theme::Dark));
        assert_eq!(painted([1, 0]), colour(4, Theme::Dark));
        assert_eq!(painted([1, 2]), Theme::Dark.pale());
    }
}
