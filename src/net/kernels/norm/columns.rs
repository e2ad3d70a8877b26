//! The loops of a batch norm: over all rows, for as many channels at a time as registers hold.

use super::{Norm, Way};
use crate::kernels::simd::{Kernel, LANES, Simd, Vector};

/// Some channels of every row: `V` vectors, of which only the last one may be part of a vector.
#[derive(Clone, Copy)]
struct Columns<S, const V: usize> {
    simd: S,
    first: usize,
    len: usize,
}

impl<S: Simd, const V: usize> Columns<S, V> {
    /// These channels of a row.
    #[inline(always)]
    fn load(&self, row: &[f32]) -> [S::V; V] {
        let row = &row[self.first..self.first + self.len];
        let mut vectors = [self.simd.splat(0.0); V];
        if self.len == V * LANES {
            for v in 0..V {
                vectors[v] = self.simd.load(row[v * LANES..].first_chunk().expect("a whole vector"));
            }
        } else {
            vectors[0] = self.simd.load_part(row);
        }
        vectors
    }

    /// Writes these channels of a row.
    #[inline(always)]
    fn store(&self, vectors: [S::V; V], row: &mut [f32]) {
        let row = &mut row[self.first..self.first + self.len];
        if self.len == V * LANES {
            for v in 0..V {
                vectors[v].store(row[v * LANES..].first_chunk_mut().expect("a whole vector"));
            }
        } else {
            vectors[0].store_part(row);
        }
    }

    /// Mean, inverse, scale and shift.
    #[inline(always)]
    fn of(&self, norm: &Norm) -> [[S::V; V]; 4] {
        [self.load(norm.mean), self.load(norm.inverse), self.load(norm.scale), self.load(norm.shift)]
    }
}

/// A loop over rows.
trait Rows {
    /// Goes over all rows for some channels.
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>);

    /// The same for all channels.
    #[inline(always)]
    fn all<S: Simd>(&mut self, simd: S, channels: usize) {
        let mut first = 0;
        while first < channels {
            let rest = channels - first;
            if rest >= 2 * LANES {
                self.rows(Columns::<S, 2> { simd, first, len: 2 * LANES });
                first += 2 * LANES;
            } else {
                let len = rest.min(LANES);
                self.rows(Columns::<S, 1> { simd, first, len });
                first += len;
            }
        }
    }
}

/// Mean of a block, sum of squared distances from it, and sum of distances, which is the rounding error of the mean.
pub struct Moments<'a> {
    pub values: &'a [f32],
    pub channels: usize,
    /// Receives the three, each for all channels.
    pub sums: &'a mut [f32],
}

impl Kernel for Moments<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { values, channels, sums } = self;
        let (mean, others) = sums.split_at_mut(channels);
        let (squares, rests) = others.split_at_mut(channels);
        // Distances from one of the numbers are as small as their variation, so their sum is rounded less.
        squares.copy_from_slice(&values[..channels]);
        for shift in squares.iter_mut() {
            *shift = if shift.is_finite() { *shift } else { 0.0 };
        }
        Distances { values, channels, from: squares, sums: mean, squares: None }.all(simd, channels);
        let count = (values.len() / channels) as f32;
        for (mean, shift) in mean.iter_mut().zip(squares.iter()) {
            *mean = shift + *mean / count;
        }
        Distances { values, channels, from: mean, sums: rests, squares: Some(squares) }.all(simd, channels);
    }
}

/// Sums of the distances from a number for each channel, and of their squares where they are asked for.
struct Distances<'a> {
    values: &'a [f32],
    channels: usize,
    from: &'a [f32],
    sums: &'a mut [f32],
    squares: Option<&'a mut [f32]>,
}

impl Rows for Distances<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let from = columns.load(self.from);
        let (mut sums, mut squares) = ([columns.simd.splat(0.0); V], [columns.simd.splat(0.0); V]);
        for row in self.values.chunks_exact(self.channels) {
            let row = columns.load(row);
            for v in 0..V {
                let distance = row[v] - from[v];
                sums[v] = sums[v] + distance;
                squares[v] = squares[v] + distance * distance;
            }
        }
        columns.store(sums, self.sums);
        if let Some(to) = &mut self.squares {
            columns.store(squares, to);
        }
    }
}

/// output = norm(input), + residual where there is one, then max(0, ·) with `relu`.
pub struct Normalise<'a> {
    pub norm: &'a Norm<'a>,
    pub relu: bool,
    pub input: &'a [f32],
    pub residual: Option<&'a [f32]>,
    pub output: &'a mut [f32],
}

impl Kernel for Normalise<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let channels = self.norm.mean.len();
        self.all(simd, channels);
    }
}

impl Rows for Normalise<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let channels = self.norm.mean.len();
        let [mean, inverse, scale, shift] = columns.of(self.norm);
        let rows = self.output.chunks_exact_mut(channels).zip(self.input.chunks_exact(channels));
        for (at, (output, input)) in rows.enumerate() {
            let mut values = columns.load(input);
            for v in 0..V {
                values[v] = (values[v] - mean[v]) * inverse[v] * scale[v] + shift[v];
            }
            if let Some(residual) = self.residual {
                let residual = columns.load(&residual[at * channels..][..channels]);
                for v in 0..V {
                    values[v] = values[v] + residual[v];
                }
            }
            if self.relu {
                for v in 0..V {
                    values[v] = values[v].where_positive(values[v]);
                }
            }
            columns.store(values, output);
        }
    }
}

/// Sum for each channel.
pub struct Totals<'a> {
    pub values: &'a [f32],
    /// Receives them.
    pub sums: &'a mut [f32],
}

impl Kernel for Totals<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let channels = self.sums.len();
        self.all(simd, channels);
    }
}

impl Rows for Totals<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let mut sums = [columns.simd.splat(0.0); V];
        for row in self.values.chunks_exact(self.sums.len()) {
            let row = columns.load(row);
            for v in 0..V {
                sums[v] = sums[v] + row[v];
            }
        }
        columns.store(sums, self.sums);
    }
}

/// Σ g and Σ g·x̂ of a block.
#[allow(clippy::struct_field_names, reason = "sums are what it makes")]
pub struct Sums<'a> {
    pub norm: &'a Norm<'a>,
    pub relu: bool,
    /// The numbers after a ReLU behind the norm's sum with a shortcut: where they are closed, the gradient becomes 0.
    pub closed_by: Option<&'a [f32]>,
    pub input: &'a [f32],
    pub gradient: &'a mut [f32],
    /// Receives both, each for all channels.
    pub sums: &'a mut [f32],
}

impl Kernel for Sums<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let channels = self.norm.mean.len();
        self.all(simd, channels);
    }
}

impl Rows for Sums<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let channels = self.norm.mean.len();
        let [mean, inverse, scale, shift] = columns.of(self.norm);
        let (mut shifts, mut scales) = ([columns.simd.splat(0.0); V], [columns.simd.splat(0.0); V]);
        let rows = self.input.chunks_exact(channels).zip(self.gradient.chunks_exact_mut(channels));
        for (at, (input, gradient)) in rows.enumerate() {
            let (input, mut g) = (columns.load(input), columns.load(gradient));
            if let Some(outputs) = self.closed_by {
                let outputs = columns.load(&outputs[at * channels..][..channels]);
                for v in 0..V {
                    g[v] = outputs[v].where_positive(g[v]);
                }
                columns.store(g, gradient);
            }
            for v in 0..V {
                let centred = (input[v] - mean[v]) * inverse[v];
                let g = if self.relu { (centred * scale[v] + shift[v]).where_positive(g[v]) } else { g[v] };
                shifts[v] = shifts[v] + g;
                scales[v] = scales[v] + g * centred;
            }
        }
        let (to_shifts, to_scales) = self.sums.split_at_mut(channels);
        columns.store(shifts, to_shifts);
        columns.store(scales, to_scales);
    }
}

/// The gradient of the input from that of the output.
pub struct Through<'a> {
    pub norm: &'a Norm<'a>,
    pub way: Way,
    /// Mean of g for each channel, and then of g·x̂.
    pub means: &'a [f32],
    pub input: &'a [f32],
    /// The gradient of the output; else it is in `gradient`.
    pub from: Option<&'a [f32]>,
    /// Receives the gradient of the input.
    pub gradient: &'a mut [f32],
    /// Receives its sum for each channel.
    pub sums: &'a mut [f32],
}

impl Kernel for Through<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let channels = self.norm.mean.len();
        self.all(simd, channels);
    }
}

impl Rows for Through<'_> {
    #[inline(always)]
    fn rows<S: Simd, const V: usize>(&mut self, columns: Columns<S, V>) {
        let channels = self.norm.mean.len();
        let [mean, inverse, scale, shift] = columns.of(self.norm);
        let (shifts, scales) = self.means.split_at(channels);
        let (shifts, scales) = (columns.load(shifts), columns.load(scales));
        let mut sums = [columns.simd.splat(0.0); V];
        let rows = self.input.chunks_exact(channels).zip(self.gradient.chunks_exact_mut(channels));
        for (at, (input, gradient)) in rows.enumerate() {
            let (input, mut g) = match self.from {
                Some(from) => (columns.load(input), columns.load(&from[at * channels..][..channels])),
                None => (columns.load(input), columns.load(gradient)),
            };
            for v in 0..V {
                let centred = (input[v] - mean[v]) * inverse[v];
                if self.way.relu {
                    g[v] = (centred * scale[v] + shift[v]).where_positive(g[v]);
                }
                if self.way.batch {
                    g[v] = g[v] - shifts[v] - centred * scales[v];
                }
                g[v] = g[v] * inverse[v] * scale[v];
                sums[v] = sums[v] + g[v];
            }
            columns.store(g, gradient);
        }
        columns.store(sums, self.sums);
    }
}
