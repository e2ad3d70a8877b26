//! Initial weights and biases, drawn on the host from a stream.

use super::draw::{Normal, uniform_in};
use rand::Rng;

form::choice! {
    /// The initial weights of linear and convolution layers. Names and formulas as in `torch.nn.init`.
    #[derive(Copy)]
    pub enum Init: "Initial weights" {
        PyTorch, "PyTorch default", "Uniform in ±1/√(fan in): what PyTorch's layers do (Kaiming uniform with a = √5)";
        XavierNormal, "Xavier normal", "Normal, variance 2/(fan in + fan out), not truncated (Glorot & Bengio 2010)";
        XavierUniform, "Xavier uniform", "Uniform in ±√(6/(fan in + fan out)) (Glorot & Bengio 2010)";
        KaimingNormal, "Kaiming normal", "Normal, variance 2/(fan in), for rectifiers (He et al. 2015)";
        KaimingUniform, "Kaiming uniform", "Uniform in ±√(6/(fan in)), for rectifiers (He et al. 2015)";
    }
}

form::choice! {
    /// The initial biases.
    #[derive(Copy)]
    pub enum BiasInit: "Initial biases" {
        Usual, "PyTorch default", "PyTorch's default draw with PyTorch's default weights, zeros otherwise";
        Zeros, "Zeros", "All 0";
        Ones, "Ones", "All 1";
    }
}

/// The numbers of connections into and out of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fans {
    /// Inputs per unit.
    pub fan_in: usize,
    /// Units that one input reaches.
    pub fan_out: usize,
}

impl Fans {
    /// Returns the fans of a weight `[out, in]` or `[out, in, height, width]`, as PyTorch counts them: in a
    /// convolution both are multiplied by the size of the kernel.
    ///
    /// # Panics
    /// If the shape has fewer than two dimensions; only weights of linear and convolution layers have fans.
    pub fn new(shape: &[usize]) -> Self {
        let [outputs, inputs, kernel @ ..] = shape else {
            panic!("a weight has at least two dimensions, not {shape:?}");
        };
        let area: usize = kernel.iter().product();
        Self { fan_in: inputs * area, fan_out: outputs * area }
    }
}

/// Returns new values of a weight of this shape, drawn in the order of the exported layout.
pub fn weight(init: Init, shape: &[usize], rng: &mut impl Rng) -> Vec<f32> {
    let Fans { fan_in, fan_out } = Fans::new(shape);
    let (size, sum) = (shape.iter().product(), (fan_in + fan_out) as f64);
    match init {
        Init::XavierNormal => normal((2.0 / sum).sqrt(), size, rng),
        Init::XavierUniform => uniform((6.0 / sum).sqrt(), size, rng),
        Init::KaimingNormal => normal((2.0 / fan_in as f64).sqrt(), size, rng),
        Init::KaimingUniform => uniform((6.0 / fan_in as f64).sqrt(), size, rng),
        Init::PyTorch => uniform(1.0 / (fan_in as f64).sqrt(), size, rng),
    }
}

/// Returns new values of the `size` biases of a layer whose `weights` start in this way with this `fan_in`.
pub fn bias(init: BiasInit, weights: Init, size: usize, fan_in: usize, rng: &mut impl Rng) -> Vec<f32> {
    match (init, weights) {
        (BiasInit::Ones, _) => vec![1.0; size],
        (BiasInit::Usual, Init::PyTorch) => uniform(1.0 / (fan_in as f64).sqrt(), size, rng),
        (BiasInit::Zeros | BiasInit::Usual, _) => vec![0.0; size],
    }
}

fn normal(deviation: f64, size: usize, rng: &mut impl Rng) -> Vec<f32> {
    let mut normal = Normal::default();
    (0..size).map(|_| (deviation * normal.draw(rng)) as f32).collect()
}

fn uniform(bound: f64, size: usize, rng: &mut impl Rng) -> Vec<f32> {
    let bound = bound as f32;
    (0..size).map(|_| uniform_in(rng, -bound, bound)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Purpose, Stream, stream};

    fn rng() -> Stream {
        stream(0, Purpose::Init, &[])
    }

    fn deviation(values: &[f32]) -> f64 {
        let square: f64 = values.iter().map(|&value| f64::from(value).powi(2)).sum();
        (square / values.len() as f64).sqrt()
    }

    fn largest(values: &[f32]) -> f32 {
        values.iter().fold(0.0, |largest, value| value.abs().max(largest))
    }

    #[test]
    fn a_convolutions_fans_count_its_kernel() {
        assert_eq!(Fans::new(&[10, 100]), Fans { fan_in: 100, fan_out: 10 });
        assert_eq!(Fans::new(&[64, 3, 3, 3]), Fans { fan_in: 27, fan_out: 576 });
    }

    #[test]
    fn normal_weights_have_the_deviation_of_their_formula() {
        let shape = [100, 20, 3, 3];
        for (init, variance) in
            [(Init::XavierNormal, 2.0 / (180.0 + 900.0)), (Init::KaimingNormal, 2.0 / 180.0)]
        {
            let weights = weight(init, &shape, &mut rng());
            assert_eq!(weights.len(), 18_000);
            let ratio = deviation(&weights) / f64::sqrt(variance);
            assert!((ratio - 1.0).abs() < 0.02, "{init:?}: {ratio}");
            assert!(f64::from(largest(&weights)) > 3.0 * f64::sqrt(variance), "{init:?} is truncated");
        }
    }

    #[test]
    fn uniform_weights_fill_their_bound_and_stay_within() {
        let shape = [80, 40];
        for (init, bound) in [
            (Init::XavierUniform, (6.0_f32 / 120.0).sqrt()),
            (Init::KaimingUniform, (6.0_f32 / 40.0).sqrt()),
            (Init::PyTorch, 1.0 / 40.0_f32.sqrt()),
        ] {
            let weights = weight(init, &shape, &mut rng());
            assert!(largest(&weights) <= bound && largest(&weights) > 0.99 * bound, "{init:?}");
            assert!((deviation(&weights) / f64::from(bound) - 1.0 / 3.0_f64.sqrt()).abs() < 0.02, "{init:?}");
        }
    }

    #[test]
    fn biases_are_zero_one_or_within_pytorchs_bound() {
        assert_eq!(bias(BiasInit::Zeros, Init::PyTorch, 2, 100, &mut rng()), [0.0, 0.0]);
        assert_eq!(bias(BiasInit::Usual, Init::XavierNormal, 2, 100, &mut rng()), [0.0, 0.0]);
        assert_eq!(bias(BiasInit::Ones, Init::PyTorch, 2, 100, &mut rng()), [1.0, 1.0]);
        let drawn = bias(BiasInit::Usual, Init::PyTorch, 300, 100, &mut rng());
        assert!(largest(&drawn) <= 0.1 && largest(&drawn) > 0.09);
    }

    /// From the same rules written out in Python.
    #[test]
    fn the_first_weights_never_change() {
        let normal = [-0.044_989_213, -1.106_270_9, 0.760_31, -0.554_703_8];
        assert_eq!(weight(Init::XavierNormal, &[2, 2], &mut rng()), normal);
        let uniform = [0.328_716_22, -0.015_566_17, 0.696_949_2, -0.382_766_78];
        assert_eq!(weight(Init::PyTorch, &[2, 2], &mut rng()), uniform);
    }
}
