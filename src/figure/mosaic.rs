//! Many cells as an image, with a pixel for each cell or block of cells.

use super::cells::{Cells, Ink};
use super::palette::{Rgb, Theme};

/// Most pixels on a side of an image; more are invisible on paper and on the screen.
pub const SIDE: usize = 512;

/// Most kinds of cells.
pub const KINDS: usize = 3;

/// Cells grouped into tiles of equal size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mosaic {
    /// Rows and columns of cells.
    pub cells: [usize; 2],
    /// Rows and columns of cells in a tile; the last tiles may be smaller.
    pub block: [usize; 2],
    /// Rows and columns of tiles.
    pub size: [usize; 2],
    /// Row by row.
    pub tiles: Vec<Tile>,
}

/// A summary of the cells in a tile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tile {
    /// Mean of the finite values of cells with the colours of their values; 0 without any.
    pub mean: f64,
    /// Share of those cells.
    pub valued: f32,
    /// Share of cells of each kind.
    pub shares: [f32; KINDS],
}

impl Mosaic {
    /// Groups cells into at most `most` tiles on a side.
    pub fn of(cells: &Cells, most: usize) -> Self {
        let count = cells.size();
        let block = block(count, most);
        let size = [count[0].div_ceil(block[0]), count[1].div_ceil(block[1])];
        let mut tiles = Vec::with_capacity(size[0] * size[1]);
        for row in 0..size[0] {
            for column in 0..size[1] {
                tiles.push(tile(cells, count, block, [row, column]));
            }
        }
        Self { cells: count, block, size, tiles }
    }

    /// The index of a tile's first cell, counted row by row.
    pub const fn first_cell(&self, row: usize, column: usize) -> usize {
        row * self.block[0] * self.cells[1] + column * self.block[1]
    }

    /// Whether each tile is one cell.
    pub fn is_exact(&self) -> bool {
        self.block == [1, 1]
    }

    /// The colours of the tiles, row by row: those of their mean value and of their kinds, mixed by their shares. `cells`
    /// gives the colours; its values are ignored. Tiles without a colour are `None`.
    pub fn pixels(&self, cells: &Cells, range: [f64; 2], theme: Theme) -> Vec<Option<Rgb>> {
        self.tiles.iter().map(|tile| pixel(tile, cells, range, theme)).collect()
    }
}

/// Rows and columns of cells in each of at most `most` tiles on a side.
pub fn block(cells: [usize; 2], most: usize) -> [usize; 2] {
    cells.map(|count| count.div_ceil(most).max(1))
}

fn tile(cells: &Cells, count: [usize; 2], block: [usize; 2], [row, column]: [usize; 2]) -> Tile {
    let rows = row * block[0]..((row + 1) * block[0]).min(count[0]);
    let columns = column * block[1]..((column + 1) * block[1]).min(count[1]);
    let (mut sum, mut valued, mut all, mut kinds) = (0.0, 0_u32, 0_u32, [0_u32; KINDS]);
    for row in rows {
        for column in columns.clone() {
            all += 1;
            let kind = cells.kind_of.get(row * count[1] + column).map(|kind| usize::from(*kind));
            if let Some(count) = kind.and_then(|kind| kinds.get_mut(kind)) {
                *count += 1;
            }
            let value = cells.values[row][column];
            if value.is_finite() && cells.kind(row, column).is_none_or(|kind| kind.ink == Ink::Value) {
                sum += value;
                valued += 1;
            }
        }
    }
    let share = |count: u32| count as f32 / all.max(1) as f32;
    Tile { mean: sum / f64::from(valued.max(1)), valued: share(valued), shares: kinds.map(share) }
}

fn pixel(tile: &Tile, cells: &Cells, range: [f64; 2], theme: Theme) -> Option<Rgb> {
    let own = cells.kinds.iter().zip(tile.shares);
    let own = own.filter_map(|(kind, share)| Some((kind.ink.rgb(theme)?, share)));
    let of_value = cells.has_scale().then(|| cells.colour(tile.mean, range, theme)).flatten();
    let parts = own.chain(of_value.map(|colour| (colour, tile.valued)));
    let (mut sum, mut whole) = ([0.0; 3], 0.0);
    for (colour, share) in parts {
        whole += share;
        for (sum, tone) in sum.iter_mut().zip(colour) {
            *sum += share * f32::from(tone);
        }
    }
    (whole > 0.0).then(|| sum.map(|sum| (sum / whole).round() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::{CellKind, ColourMap};
    use crate::palette::colour;

    /// Trained, held and pruned entries of a weight of two outputs.
    fn weight(inks: [Ink; 3]) -> Cells {
        let kinds = inks.map(|ink| CellKind { ink, count: 1, ..CellKind::default() }).to_vec();
        Cells {
            values: vec![vec![1.0, 3.0, 0.0], vec![-2.0, 5.0, 0.0]],
            colour_map: ColourMap::Diverging,
            kinds,
            kind_of: vec![0, 0, 2, 1, 0, 2],
            ..Cells::default()
        }
    }

    fn by_value() -> Cells {
        weight([Ink::Value, Ink::Value, Ink::Pale])
    }

    #[test]
    fn few_cells_have_a_tile_each() {
        let mosaic = Mosaic::of(&by_value(), 8);
        assert_eq!((mosaic.size, mosaic.is_exact()), ([2, 3], true));
        assert_eq!(mosaic.tiles[3], Tile { mean: -2.0, valued: 1.0, shares: [0.0, 1.0, 0.0] });
        assert_eq!(mosaic.tiles[2], Tile { mean: 0.0, valued: 0.0, shares: [0.0, 0.0, 1.0] });
        assert_eq!(mosaic.first_cell(1, 2), 5);
        let pixels = mosaic.pixels(&by_value(), [-2.0, 2.0], Theme::Light);
        assert_eq!(pixels[3], Some(colour(1, Theme::Light)), "all the way down");
        assert_eq!(pixels[4], Some(colour(0, Theme::Light)), "beyond the range");
        assert_eq!(pixels[2], Some(Theme::Light.pale()));
    }

    #[test]
    fn many_cells_share_tiles_and_the_last_ones_are_smaller() {
        let mosaic = Mosaic::of(&by_value(), 2);
        assert_eq!((mosaic.size, mosaic.block), ([2, 2], [1, 2]));
        assert!((mosaic.tiles[0].mean - 2.0).abs() < 1e-12);
        assert_eq!(mosaic.tiles[1].shares, [0.0, 0.0, 1.0]);
        assert_eq!(mosaic.tiles[2], Tile { mean: 1.5, valued: 1.0, shares: [0.5, 0.5, 0.0] });
    }

    #[test]
    fn the_colours_of_kinds_mix_by_their_shares() {
        let mask = weight([Ink::Colour(0), Ink::Colour(4), Ink::Pale]);
        let mosaic = Mosaic::of(&mask, 2);
        let pixels = mosaic.pixels(&mask, [-1.0, 1.0], Theme::Light);
        let [from, to] = [0, 4].map(|index| colour(index, Theme::Light));
        let half = |tone: usize| (f32::midpoint(f32::from(from[tone]), f32::from(to[tone]))).round() as u8;
        assert_eq!(pixels[2], Some([half(0), half(1), half(2)]));
        assert_eq!(pixels[0], Some(from));
    }

    #[test]
    fn a_value_that_is_not_finite_has_no_colour() {
        let cells = Cells { values: vec![vec![f64::NAN, 1.0]], ..Cells::default() };
        let pixels = Mosaic::of(&cells, 8).pixels(&cells, [0.0, 1.0], Theme::Light);
        assert!(pixels[0].is_none() && pixels[1].is_some());
    }
}
