//! The cells of a heat map or of an image of weights, and their colours.

use super::axis::{Axis, ends_of};
use super::font::{LINE_HEIGHT, Weight, width};
use super::palette::{Rgb, Theme, colour, luminance, mix};

/// Values over two axes of names, or over two that count from 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cells {
    /// The quantity that colours show, with its range if that is fixed.
    pub axis: Axis,
    /// Row by row from the start of y; NaN where nothing was measured. All rows are equally long.
    pub values: Vec<Vec<f64>>,
    pub colour_map: ColourMap,
    /// Kinds of cells; empty if all are alike.
    pub kinds: Vec<CellKind>,
    /// The kind of each cell, row by row, as an index into `kinds`; empty without kinds.
    pub kind_of: Vec<u8>,
    /// The texts of the cells, row by row; empty if colours have to do.
    pub texts: Vec<CellText>,
    /// The widest texts of all panels, for which there has to be room: panels have the same size and direction of text.
    pub widest: CellText,
    /// The range of an axis of numbers that the rows divide evenly; without, rows are names, or count from 0.
    pub span: Option<[f64; 2]>,
    /// The runs whose trials they count, by identity; empty if cells count no trials.
    pub runs: Vec<String>,
    /// The name of the campaign that they count the trials of: "bits of conv1"; empty if cells count no trials.
    pub campaign: String,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellText {
    /// The value: "20.7"; empty where there is too little data for one.
    pub value: String,
    /// Its interval: "14.6–28.6"; may be empty.
    pub interval: String,
    /// The number of trials: "n 126".
    pub count: String,
    /// The ends of the interval, and the number of trials, for tables.
    pub ends: Option<([f64; 2], u64)>,
    /// All of it in words, for the pointer and for the head of the view; empty where nothing was measured.
    pub reading: String,
}

/// The amount of text in cells, the same in all cells of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellDetail {
    #[default]
    Nothing,
    Value,
    Count,
    Interval,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellLook {
    pub detail: CellDetail,
    pub font: f64,
    pub upwards: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourMap {
    /// From dark to bright.
    #[default]
    Sequential,
    /// The background colour in the middle of the range, and one colour for each side.
    Diverging,
    /// The part of the sequential one that lines can have on the background.
    Lines,
}

/// A kind of cells, such as the pruned entries of a weight.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellKind {
    pub name: String,
    pub ink: Ink,
    pub count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ink {
    #[default]
    Value,
    Pale,
    /// The background with slanted lines: too little data for a colour.
    Hatched,
    /// This colour, as in [`Style::colour`](super::Style::colour).
    Colour(usize),
}

/// Anchors of viridis, evenly spaced, made by Stéfan van der Walt and Nathaniel Smith for matplotlib: perceptually
/// uniform, brighter from end to end, and readable for colour-blind eyes (<https://bids.github.io/colormap/>).
const VIRIDIS: [Rgb; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2D, 0x7B],
    [0x3B, 0x52, 0x8B],
    [0x2C, 0x72, 0x8E],
    [0x21, 0x91, 0x8C],
    [0x28, 0xAE, 0x80],
    [0x5E, 0xC9, 0x62],
    [0xAD, 0xDC, 0x30],
    [0xFD, 0xE7, 0x25],
];

/// Free space beside a text in a cell, both sides together, in ems.
const CELL_MARGIN: f64 = 0.6;

/// Sizes of texts in cells, in ems, and whether they are rotated; the first that shows a value is taken.
const SMALLER: [(f64, bool); 5] = [(1.0, false), (0.85, false), (1.0, true), (0.85, true), (0.75, true)];

/// Colours of values below and above the middle of a signed range.
const SIDES: [usize; 2] = [1, 0];

impl Ink {
    /// Returns the colour on this theme's background; `None` if cells have the colours of their values.
    pub fn rgb(self, theme: Theme) -> Option<Rgb> {
        match self {
            Self::Value => None,
            Self::Pale => Some(theme.pale()),
            Self::Hatched => Some(mix(theme.ground(), theme.pale(), 0.2)),
            Self::Colour(index) => Some(colour(index, theme)),
        }
    }
}

impl CellText {
    /// Returns the lines of a cell, from top to bottom.
    pub fn lines(&self, detail: CellDetail) -> Vec<&str> {
        let lines: &[&String] = match detail {
            CellDetail::Nothing => &[],
            CellDetail::Value if self.value.is_empty() => &[&self.count],
            CellDetail::Value => &[&self.value],
            CellDetail::Count => &[&self.value, &self.count],
            CellDetail::Interval => &[&self.value, &self.interval, &self.count],
        };
        lines.iter().filter(|line| !line.is_empty()).map(|line| line.as_str()).collect()
    }
}

impl CellKind {
    /// Returns true if the legend lists it: there are such cells, and they share one colour.
    pub fn is_in_legend(&self) -> bool {
        self.count > 0 && self.ink != Ink::Value
    }
}

impl Cells {
    /// Returns the numbers of rows and columns.
    pub fn size(&self) -> [usize; 2] {
        [self.values.len(), self.values.first().map_or(0, Vec::len)]
    }

    /// Returns all cells, by row and column.
    pub fn places(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [rows, columns] = self.size();
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
    }

    /// Returns the two ends of some rows on the vertical axis, from the start of one to the end of another.
    pub fn ends_of_rows(&self, first: usize, last: usize) -> [f64; 2] {
        let Some([low, high]) = self.span else { return [ends_of(first)[0], ends_of(last)[1]] };
        let each = (high - low) / self.values.len().max(1) as f64;
        [low + first as f64 * each, low + (last + 1) as f64 * each]
    }

    /// Returns the row at a place of the vertical axis; `None` beyond all rows.
    pub fn row_at(&self, y: &Axis, place: f64) -> Option<usize> {
        let Some([low, high]) = self.span else { return y.category(place) };
        let row = ((place - low) / (high - low) * self.values.len() as f64).floor();
        (row >= 0.0 && (row as usize) < self.values.len()).then_some(row as usize)
    }

    pub fn has_data(&self) -> bool {
        self.values.iter().flatten().any(|value| value.is_finite())
    }

    pub fn has_holes(&self) -> bool {
        self.values.iter().flatten().any(|value| !value.is_finite())
    }

    /// Returns true if any cells have the colours of their values, which need a colour scale.
    pub fn has_scale(&self) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.ink == Ink::Value)
    }

    pub fn kind(&self, row: usize, column: usize) -> Option<&CellKind> {
        let [_, columns] = self.size();
        self.kinds.get(usize::from(*self.kind_of.get(row * columns + column)?))
    }

    pub fn text(&self, row: usize, column: usize) -> Option<&CellText> {
        let [_, columns] = self.size();
        self.texts.get(row * columns + column)
    }

    /// Returns the amount of text that fits into cells of this width and height with this font, all in points.
    pub fn detail(&self, [wide, high]: [f64; 2], font: f64) -> CellDetail {
        let fits = |detail: &CellDetail| {
            self.texts.iter().chain([&self.widest]).map(|text| text.lines(*detail)).all(|lines| {
                let widest = lines.iter().map(|line| width(line, font, Weight::Regular)).fold(0.0, f64::max);
                widest + CELL_MARGIN * font <= wide && lines.len() as f64 * LINE_HEIGHT * font <= high
            })
        };
        let levels = [CellDetail::Interval, CellDetail::Count, CellDetail::Value];
        levels.into_iter().filter(|_| !self.texts.is_empty()).find(fits).unwrap_or_default()
    }

    /// Fits texts into cells of at least this size: smaller or upwards where necessary; values are left out only where no
    /// way has room.
    pub fn fitted(&self, size: [f64; 2], font: f64) -> CellLook {
        let ways = SMALLER.map(|(share, upwards)| {
            let [wide, high] = size;
            let space = if upwards { [high, wide] } else { size };
            CellLook { detail: self.detail(space, share * font), font: share * font, upwards }
        });
        let nothing = CellLook { detail: CellDetail::Nothing, font, upwards: false };
        ways.into_iter().find(|look| look.detail != CellDetail::Nothing).unwrap_or(nothing)
    }

    /// Returns the widest value, interval and count of its cells and of another one.
    pub fn wider(&self, other: &CellText) -> CellText {
        let widest = |of: fn(&CellText) -> &String| {
            let all = self.texts.iter().chain([other]).map(of);
            let em = |text: &&String| width(text, 1.0, Weight::Regular);
            all.max_by(|a, b| em(a).total_cmp(&em(b))).cloned().unwrap_or_default()
        };
        CellText {
            value: widest(|text| &text.value),
            interval: widest(|text| &text.interval),
            count: widest(|text| &text.count),
            ..CellText::default()
        }
    }

    pub fn range(&self) -> [f64; 2] {
        self.axis.fit(self.axis.range, self.values.iter().flatten().copied())
    }

    /// Returns the colour of a value on a scale of this range; `None` if it is not finite. A logarithmic scale shows 0 as its low
    /// end.
    pub fn colour(&self, value: f64, range: [f64; 2], theme: Theme) -> Option<Rgb> {
        let place = |value| self.axis.scale.forward(value);
        let [low, high] = [place(range[0])?, place(range[1])?];
        let at = place(value).or_else(|| value.is_finite().then_some(low))?;
        Some(self.shade((at - low) / (high - low), theme))
    }

    /// Returns the colour of a cell by row and column; `None` without a value.
    pub fn paint(&self, [row, column]: [usize; 2], range: [f64; 2], theme: Theme) -> Option<Rgb> {
        let own = self.kind(row, column).and_then(|kind| kind.ink.rgb(theme));
        own.or_else(|| self.colour(*self.values.get(row)?.get(column)?, range, theme))
    }

    /// Returns the colour at a share in [0, 1] of the scale.
    pub fn shade(&self, share: f64, theme: Theme) -> Rgb {
        match self.colour_map {
            ColourMap::Sequential => sequential(share),
            ColourMap::Lines => {
                let [low, high] = if theme.is_dark() { [0.4, 1.0] } else { [0.0, 0.55] };
                sequential(low + (high - low) * share.clamp(0.0, 1.0))
            }
            ColourMap::Diverging => {
                let way = 2.0 * share.clamp(0.0, 1.0) - 1.0;
                mix(theme.ground(), colour(SIDES[usize::from(way > 0.0)], theme), way.abs())
            }
        }
    }
}

/// Returns black or white, whichever has more contrast with this ground (WCAG 2.2).
pub fn ink_on(ground: Rgb) -> Rgb {
    let lighter = luminance(ground) + 0.05;
    // (L + 0.05)/0.05 against 1.05/(L + 0.05).
    if lighter * lighter > 0.05 * 1.05 { [0; 3] } else { [0xFF; 3] }
}

fn sequential(share: f64) -> Rgb {
    let steps = VIRIDIS.len() - 1;
    let at = share.clamp(0.0, 1.0) * steps as f64;
    let before = (at.floor() as usize).min(steps - 1);
    let rest = at - before as f64;
    mix(VIRIDIS[before], VIRIDIS[before + 1], rest)
}

/// Most pixels on a side of an image; more are invisible on paper and on the screen.
pub const SIDE: usize = 512;

pub const KINDS: usize = 3;

/// Cells grouped into tiles of equal size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mosaic {
    pub cells: [usize; 2],
    /// Rows and columns of cells in a tile; the last tiles may be smaller.
    pub block: [usize; 2],
    /// Rows and columns of tiles.
    pub size: [usize; 2],
    /// Row by row.
    pub tiles: Vec<Tile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tile {
    /// Mean of the finite values of cells with the colours of their values; 0 without any.
    pub mean: f64,
    pub valued: f32,
    pub shares: [f32; KINDS],
}

impl Mosaic {
    /// Groups cells into at most `most` tiles on a side.
    pub fn new(cells: &Cells, most: usize) -> Self {
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

    /// Returns the index of a tile's first cell, counted row by row.
    pub const fn first_cell(&self, row: usize, column: usize) -> usize {
        row * self.block[0] * self.cells[1] + column * self.block[1]
    }

    pub fn is_exact(&self) -> bool {
        self.block == [1, 1]
    }

    /// Returns the colours of the tiles, row by row: those of their mean value and of their kinds, mixed by their shares. `cells`
    /// gives the colours; its values are ignored. Tiles without a colour are `None`.
    pub fn pixels(&self, cells: &Cells, range: [f64; 2], theme: Theme) -> Vec<Option<Rgb>> {
        self.tiles.iter().map(|tile| pixel(tile, cells, range, theme)).collect()
    }
}

/// Returns the rows and columns of cells in each of at most `most` tiles on a side.
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
    use crate::palette::{colour, contrast};

    #[test]
    fn the_scale_grows_brighter_so_that_no_eye_needs_its_hues() {
        let brightness: Vec<f64> =
            (0..=64).map(|step| contrast(sequential(f64::from(step) / 64.0), [0; 3])).collect();
        assert!(brightness.windows(2).all(|pair| pair[0] < pair[1]), "{brightness:?}");
        assert!(brightness[64] / brightness[0] > 8.0);
    }

    #[test]
    fn ends_have_the_colours_of_the_ends_and_holes_have_none() {
        let axis = Axis { range: Some([0.0, 1.0]), ..Axis::percent("SDC") };
        let cells = Cells { axis, values: vec![vec![0.0, 0.5, f64::NAN]], ..Cells::default() };
        assert_eq!(cells.range(), [0.0, 1.0]);
        let colour = |value| cells.colour(value, [0.0, 1.0], Theme::Light);
        assert_eq!(colour(0.0), Some(VIRIDIS[0]));
        assert_eq!(colour(0.5), Some(VIRIDIS[4]));
        assert_eq!(colour(9.0), Some(VIRIDIS[8]));
        assert_eq!(colour(f64::NAN), None);
        assert_eq!(cells.paint([0, 1], [0.0, 1.0], Theme::Light), Some(VIRIDIS[4]));
        assert!(cells.has_data() && cells.has_holes() && cells.has_scale());
    }

    #[test]
    fn zero_is_the_dark_end_of_a_logarithmic_scale_and_no_hole() {
        let axis = Axis { range: Some([0.001, 0.5]), ..Axis::percent("SDC").log() };
        let cells = Cells { axis, values: vec![vec![0.0, 0.5]], ..Cells::default() };
        assert_eq!(cells.paint([0, 0], cells.range(), Theme::Dark), Some(VIRIDIS[0]));
        assert_eq!(cells.paint([0, 1], cells.range(), Theme::Dark), Some(VIRIDIS[8]));
        assert!(!cells.has_holes());
    }

    #[test]
    fn a_smaller_cell_drops_the_interval_then_the_count_then_the_value() {
        let text = CellText {
            value: "20.7".to_owned(),
            interval: "14.6–28.6".to_owned(),
            count: "n 126".to_owned(),
            ..CellText::default()
        };
        let few = CellText { count: "n 3".to_owned(), ..CellText::default() };
        let cells = Cells { values: vec![vec![0.2, 0.0]], texts: vec![text, few], ..Cells::default() };
        let lines = |size: [f64; 2]| {
            let detail = cells.detail(size, 10.0);
            cells.texts.iter().map(|text| text.lines(detail).join("|")).collect::<Vec<_>>()
        };
        assert_eq!(lines([70.0, 50.0]), ["20.7|14.6–28.6|n 126", "n 3"]);
        assert_eq!(lines([40.0, 50.0]), ["20.7|n 126", "n 3"]);
        assert_eq!(lines([40.0, 15.0]), ["20.7", "n 3"]);
        assert_eq!(lines([9.0, 50.0]), ["", ""]);
        let look = |size| {
            let look = cells.fitted(size, 10.0);
            (look.detail, look.upwards, look.font < 10.0)
        };
        assert_eq!(look([40.0, 50.0]), (CellDetail::Count, false, false));
        assert_eq!(look([24.5, 15.0]), (CellDetail::Value, false, true), "smaller");
        assert_eq!(look([14.0, 50.0]), (CellDetail::Value, true, false), "or upwards");
        assert_eq!(look([5.0, 50.0]), (CellDetail::Nothing, false, false));
    }

    #[test]
    fn panels_with_other_texts_have_the_same_size_and_direction_of_text() {
        let cells = |value: &str| {
            let text = CellText { value: value.to_owned(), ..CellText::default() };
            Cells { values: vec![vec![0.2]], texts: vec![text], ..Cells::default() }
        };
        let [mut narrow, mut wide] = [cells("2"), cells("< 0.01")];
        let looks =
            |narrow: &Cells, wide: &Cells| [narrow, wide].map(|cells| cells.fitted([20.0, 50.0], 10.0));
        let [own, other] = looks(&narrow, &wide);
        assert!(!own.upwards && other.upwards);
        let widest = wide.wider(&narrow.wider(&CellText::default()));
        (narrow.widest, wide.widest) = (widest.clone(), widest);
        let [own, other] = looks(&narrow, &wide);
        assert!(own == other && own.upwards);
    }

    #[test]
    fn lines_stand_out_from_the_ground_over_the_whole_scale() {
        let cells = Cells { colour_map: ColourMap::Lines, ..Cells::default() };
        for theme in [Theme::Light, Theme::Dark] {
            let tones: Vec<f64> = (0..=32)
                .map(|step| contrast(cells.shade(f64::from(step) / 32.0, theme), theme.ground()))
                .collect();
            assert!(tones.iter().all(|tone| *tone >= 3.0), "{theme:?}: {tones:?}");
        }
    }

    #[test]
    fn text_on_every_colour_of_the_scale_can_be_read() {
        for step in 0..=64 {
            let ground = sequential(f64::from(step) / 64.0);
            assert!(contrast(ink_on(ground), ground) >= 4.5, "{ground:?}");
        }
    }

    #[test]
    fn a_signed_scale_has_the_ground_in_its_middle_and_kinds_have_colours_of_their_own() {
        let kind = |ink| CellKind { ink, count: 1, ..CellKind::default() };
        let cells = Cells {
            values: vec![vec![-2.0, 0.0, 2.0, 0.0]],
            colour_map: ColourMap::Diverging,
            kinds: vec![kind(Ink::Value), kind(Ink::Pale)],
            kind_of: vec![0, 0, 0, 1],
            ..Cells::default()
        };
        for theme in [Theme::Light, Theme::Dark] {
            let painted: Vec<_> =
                (0..4).map(|at| cells.paint([0, at], [-2.0, 2.0], theme).unwrap()).collect();
            assert_eq!(painted, [colour(1, theme), theme.ground(), colour(0, theme), theme.pale()]);
        }
        assert!(cells.has_scale() && !cells.kinds[0].is_in_legend() && cells.kinds[1].is_in_legend());
    }

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
        let mosaic = Mosaic::new(&by_value(), 8);
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
        let mosaic = Mosaic::new(&by_value(), 2);
        assert_eq!((mosaic.size, mosaic.block), ([2, 2], [1, 2]));
        assert!((mosaic.tiles[0].mean - 2.0).abs() < 1e-12);
        assert_eq!(mosaic.tiles[1].shares, [0.0, 0.0, 1.0]);
        assert_eq!(mosaic.tiles[2], Tile { mean: 1.5, valued: 1.0, shares: [0.5, 0.5, 0.0] });
    }

    #[test]
    fn the_colours_of_kinds_mix_by_their_shares() {
        let mask = weight([Ink::Colour(0), Ink::Colour(4), Ink::Pale]);
        let mosaic = Mosaic::new(&mask, 2);
        let pixels = mosaic.pixels(&mask, [-1.0, 1.0], Theme::Light);
        let [from, to] = [0, 4].map(|index| colour(index, Theme::Light));
        let half = |tone: usize| (f32::midpoint(f32::from(from[tone]), f32::from(to[tone]))).round() as u8;
        assert_eq!(pixels[2], Some([half(0), half(1), half(2)]));
        assert_eq!(pixels[0], Some(from));
    }

    #[test]
    fn a_value_that_is_not_finite_has_no_colour() {
        let cells = Cells { values: vec![vec![f64::NAN, 1.0]], ..Cells::default() };
        let pixels = Mosaic::new(&cells, 8).pixels(&cells, [0.0, 1.0], Theme::Light);
        assert!(pixels[0].is_none() && pixels[1].is_some());
    }
}
