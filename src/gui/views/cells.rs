//! A parameter as a grid of cells, small enough for a picture.

use crate::run::summary::{FROZEN, PRUNED, ParameterValues};

/// A parameter as rows (its outputs) and columns (everything else), in cells of equal blocks of entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// Rows and columns of entries.
    pub entries: [usize; 2],
    /// Rows and columns of entries that a cell stands for.
    pub block: [usize; 2],
    /// Rows and columns of cells.
    pub size: [usize; 2],
    /// Cells, row by row.
    pub all: Vec<Cell>,
    /// Twice the root mean square of the finite values that are not pruned: where colours are full.
    pub full: f32,
}

/// What a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Mean of the finite values that are not pruned; 0 without any.
    pub mean: f32,
    /// Share of entries that are pruned.
    pub pruned: f32,
    /// Share of entries that are held at a value.
    pub frozen: f32,
}

impl Cells {
    /// The cells of a parameter, at most so many a side.
    #[must_use]
    pub fn of(parameter: &ParameterValues, most: usize) -> Self {
        let total = parameter.values.len();
        let rows = if parameter.shape.len() > 1 { parameter.shape[0].max(1) } else { 1 };
        let entries = [rows, total / rows];
        let block = entries.map(|count| count.div_ceil(most).max(1));
        let size = [entries[0].div_ceil(block[0]), entries[1].div_ceil(block[1])];
        let mut all = Vec::with_capacity(size[0] * size[1]);
        for row in 0..size[0] {
            for column in 0..size[1] {
                all.push(cell(parameter, entries, block, [row, column]));
            }
        }
        Self { entries, block, size, all, full: 2.0 * root_mean_square(parameter) }
    }

    /// The first entry of a cell.
    #[must_use]
    pub const fn first_entry(&self, row: usize, column: usize) -> usize {
        row * self.block[0] * self.entries[1] + column * self.block[1]
    }

    /// Whether each cell is one entry.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.block == [1, 1]
    }
}

#[allow(clippy::cast_precision_loss)] // a block has far fewer than 2^24 entries
fn cell(
    parameter: &ParameterValues,
    entries: [usize; 2],
    block: [usize; 2],
    [row, column]: [usize; 2],
) -> Cell {
    let rows = row * block[0]..((row + 1) * block[0]).min(entries[0]);
    let columns = column * block[1]..((column + 1) * block[1]).min(entries[1]);
    let (mut sum, mut summed, mut pruned, mut frozen, mut all) = (0.0, 0_u32, 0_u32, 0_u32, 0_u32);
    for row in rows {
        for index in row * entries[1] + columns.start..row * entries[1] + columns.end {
            all += 1;
            let (value, state) = (parameter.values[index], parameter.entries[index]);
            pruned += u32::from(state == PRUNED);
            frozen += u32::from(state == FROZEN);
            if state != PRUNED && value.is_finite() {
                sum += value;
                summed += 1;
            }
        }
    }
    let share = |count: u32| count as f32 / all.max(1) as f32;
    Cell { mean: sum / summed.max(1) as f32, pruned: share(pruned), frozen: share(frozen) }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // a scale of colours
fn root_mean_square(parameter: &ParameterValues) -> f32 {
    let all = parameter.values.iter().zip(&parameter.entries);
    let squares = all.filter(|(value, entry)| value.is_finite() && **entry != PRUNED);
    let (sum, count) =
        squares.fold((0.0, 0_u64), |(sum, count), (value, _)| (sum + f64::from(*value).powi(2), count + 1));
    (sum / count.max(1) as f64).sqrt() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::summary::FREE;

    fn parameter() -> ParameterValues {
        let values = vec![1.0, 3.0, 0.0, -2.0, 5.0, 0.0];
        ParameterValues { shape: vec![2, 3], values, entries: vec![FREE, FREE, PRUNED, FROZEN, FREE, PRUNED] }
    }

    #[test]
    fn a_small_parameter_has_a_cell_for_each_entry() {
        let cells = Cells::of(&parameter(), 8);
        assert_eq!((cells.size, cells.is_exact()), ([2, 3], true));
        assert_eq!(cells.all[3], Cell { mean: -2.0, pruned: 0.0, frozen: 1.0 });
        assert_eq!(cells.all[2], Cell { mean: 0.0, pruned: 1.0, frozen: 0.0 });
        assert_eq!(cells.first_entry(1, 2), 5);
    }

    #[test]
    fn a_large_one_has_means_of_blocks_and_a_smaller_rest() {
        let cells = Cells::of(&parameter(), 2);
        assert_eq!((cells.size, cells.block), ([2, 2], [1, 2]));
        assert_eq!(cells.all[0].mean, 2.0);
        assert_eq!(cells.all[1], Cell { mean: 0.0, pruned: 1.0, frozen: 0.0 });
        assert_eq!(cells.all[2], Cell { mean: 1.5, pruned: 0.0, frozen: 0.5 });
    }

    #[test]
    fn a_bias_is_a_single_row() {
        let bias = ParameterValues { shape: vec![3], values: vec![1.0; 3], entries: vec![FREE; 3] };
        let cells = Cells::of(&bias, 8);
        assert_eq!((cells.size, cells.full), ([1, 3], 2.0));
    }
}
