//! Kernels that leave products with zeros out, against those that form them all: the same bits.

use super::*;
use crate::direct::{Epilogue, convolve};
use crate::geometry::{Direction, Packing};
use crate::sparse;

/// How many weights remain, of a hundred.
const REMAINING: u64 = 6;

/// Weights of which few remain. Whole rows are zero, and some zeros are −0.0.
fn few(len: usize, row: usize, scale: f32) -> Vec<f32> {
    let chance = numbers(len, 11);
    let keep =
        |at: usize| (chance[at] + 1.0) * 50.0 < REMAINING as f32 && !(at / row.max(1)).is_multiple_of(3);
    let zero = |at: usize| if at.is_multiple_of(5) { -0.0 } else { 0.0 };
    let values = numbers(len, 12).into_iter().enumerate();
    values.map(|(at, value)| if keep(at) { value * scale } else { zero(at) }).collect()
}

/// Inputs of both signs with zeros of both signs; tiny ones make sums that end at −0.0.
fn inputs(len: usize, seed: u64, scale: f32) -> Vec<f32> {
    let values = numbers(len, seed).into_iter().enumerate();
    values
        .map(|(at, value)| match at % 7 {
            0 => 0.0,
            3 => -0.0,
            _ => value * scale,
        })
        .collect()
}

/// Sample after sample, each alone, which the dense kernel computes.
fn one_by_one(shape: &LinearShape, input: &[f32], weight: &[f32], bias: Option<&[f32]>) -> Vec<f32> {
    let LinearShape { samples, inputs, outputs } = *shape;
    let one = LinearShape { samples: 1, ..*shape };
    let mut output = vec![9.0; samples * outputs];
    for sample in 0..samples {
        let to = &mut output[sample * outputs..][..outputs];
        let input = &input[sample * inputs..][..inputs];
        linear::forward(&one, input, weight, bias, to, &Scratch::default());
    }
    output
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn linear_layers_without_zeros_have_the_bits_of_those_with_them(
        samples in prop_oneof![12usize..70, 128usize..140],
        inputs_ in 1usize..70,
        outputs in 1usize..70,
        special in 0usize..6,
    ) {
        let shape = LinearShape { samples, inputs: inputs_, outputs };
        let scale = if special == 1 { 1e-23 } else { 1.0 };
        let weight = few(inputs_ * outputs, inputs_, scale);
        let mut input = inputs(samples * inputs_, 1, scale);
        let mut bias = vec![0.0; outputs];
        match special {
            2 => input[samples * inputs_ / 2] = f32::INFINITY,
            3 => input[samples * inputs_ / 3] = f32::NAN,
            4 => bias.fill(-0.0),
            5 => bias = numbers(outputs, 3),
            _ => {}
        }
        let bias = (special > 0).then_some(&bias[..]);
        let each = level::each(|| {
            let mut output = vec![9.0; samples * outputs];
            linear::forward(&shape, &input, &weight, bias, &mut output, &Scratch::default());
            (output, one_by_one(&shape, &input, &weight, bias))
        });
        for (level, (found, expected)) in each {
            prop_assert_eq!(bits(&found), bits(&expected), "{:?}", level);
        }
    }

    #[test]
    fn convolutions_without_zeros_have_the_bits_of_those_with_them(
        shape in shapes(),
        images in 12usize..40,
        special in 0usize..4,
        pool: bool,
        backward: bool,
    ) {
        let shape = ConvShape { images, ..shape };
        let side = if backward { Direction::Backward } else { Direction::Forward };
        let scale = if special == 1 { 1e-23 } else { 1.0 };
        let weight = few(shape.weight_len(), shape.inputs * shape.taps(), scale);
        let (from, to) = match side {
            Direction::Forward => (shape.input_len(), (shape.out_height(), shape.out_width(), shape.outputs)),
            Direction::Backward => (shape.output_len(), (shape.height, shape.width, shape.inputs)),
        };
        let mut input = inputs(from, 1, scale);
        match special {
            2 if from > 0 => input[from / 2] = f32::NEG_INFINITY,
            3 if from > 0 => input[from / 3] = f32::NAN,
            _ => {}
        }
        let halved = |side: usize| if pool { side / 2 } else { side };
        let size = halved(to.0) * halved(to.1) * to.2;
        let residual = numbers(images * to.0 * to.1 * to.2, 4);
        let epilogue = Epilogue { relu: pool, pool, residual: pool.then_some(&residual), ..Epilogue::default() };
        let each = level::each(|| {
            let scratch = Scratch::default();
            let run = |shape: &ConvShape, input: &[f32], epilogue: &Epilogue, output: &mut [f32]| {
                let packing = Packing::new(shape, side);
                let mut packed = vec![0.0; packing.len()];
                packing.pack(&weight, &mut packed);
                convolve(shape, input, &packing, &packed, epilogue, output, &scratch);
            };
            let (mut found, mut expected) = (vec![9.0; images * size], vec![9.0; images * size]);
            run(&shape, &input, &epilogue, &mut found);
            let one = ConvShape { images: 1, ..shape };
            for image in 0..images {
                let input = &input[image * from / images..][..from / images];
                let residual = &residual[image * residual.len() / images..][..residual.len() / images];
                let epilogue = Epilogue { residual: pool.then_some(residual), ..epilogue };
                run(&one, input, &epilogue, &mut expected[image * size..][..size]);
            }
            (found, expected)
        });
        for (level, (found, expected)) in each {
            prop_assert_eq!(bits(&found), bits(&expected), "{:?}", level);
        }
    }
}

#[test]
fn few_weights_are_few() {
    assert!(sparse::weights_are_few(&few(10_000, 100, 1.0), 0.08));
    assert!(!sparse::weights_are_few(&numbers(10_000, 1), 0.9));
    assert!(!sparse::weights_are_few(&[0.0; 9], 0.9), "nothing is seen there");
}
