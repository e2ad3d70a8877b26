//! Forms against sums in float64, on shapes of every kind.

use proptest::prelude::*;

use super::*;
use crate::scratch::Scratch;
use crate::testing::assert_same_bits;

/// The exact results of a convolution, by plain sums.
struct Exact {
    output: Vec<f64>,
    input_gradient: Vec<f64>,
    weight_gradient: Vec<f64>,
}

/// Arguments and results of a convolution.
struct Case {
    shape: ConvShape,
    input: Vec<f32>,
    weight: Vec<f32>,
    bias: Vec<f32>,
    gradient: Vec<f32>,
}

/// Results of one way.
struct Found {
    output: Vec<f32>,
    input_gradient: Vec<f32>,
    weight_gradient: Vec<f32>,
}

/// Approximately normal numbers, from a counter.
fn numbers(len: usize, seed: u64, scale: f32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u64 << 24) as f32
    };
    (0..len).map(|_| ((0..12).map(|_| uniform()).sum::<f32>() - 6.0) * scale).collect()
}

impl Case {
    fn new(shape: ConvShape) -> Self {
        let scale = (2.0 / (9.0 * shape.inputs as f32)).sqrt();
        Self {
            shape,
            input: numbers(shape.input_len(), 1, 1.0),
            weight: numbers(shape.weight_len(), 2, scale),
            bias: numbers(shape.outputs, 3, 1.0),
            gradient: numbers(shape.output_len(), 4, 1.0),
        }
    }

    fn exact(&self) -> Exact {
        let ConvShape { images, height, width, inputs, outputs, .. } = self.shape;
        let mut exact = Exact {
            output: self
                .bias
                .iter()
                .map(|&bias| f64::from(bias))
                .cycle()
                .take(self.shape.output_len())
                .collect(),
            input_gradient: vec![0.0; self.shape.input_len()],
            weight_gradient: vec![0.0; self.shape.weight_len()],
        };
        let mut pixels = Vec::new();
        for (image, y, x, tap) in places(images, height, width) {
            let (from_y, from_x) = ((y + tap / 3).wrapping_sub(1), (x + tap % 3).wrapping_sub(1));
            if from_y < height && from_x < width {
                let start = image * height * width;
                pixels.push((start + from_y * width + from_x, start + y * width + x, tap));
            }
        }
        for (from, to, tap) in pixels {
            for output in 0..outputs {
                for input in 0..inputs {
                    let (at, weight) = (from * inputs + input, (output * inputs + input) * TAPS + tap);
                    let gradient = f64::from(self.gradient[to * outputs + output]);
                    let (value, factor) = (f64::from(self.input[at]), f64::from(self.weight[weight]));
                    exact.output[to * outputs + output] += value * factor;
                    exact.input_gradient[at] += gradient * factor;
                    exact.weight_gradient[weight] += gradient * value;
                }
            }
        }
        exact
    }

    fn of<F: Form>(&self, form: F) -> Found {
        self.found(
            |factors, output| forward(form, factors, Some(&self.bias), output),
            |factors, gradients| backward(form, factors, gradients),
        )
    }

    fn of_winograd(&self) -> Found {
        self.found(
            |factors, output| Winograd.forward(factors, Some(&self.bias), output),
            |factors, gradients| Winograd.backward(factors, gradients),
        )
    }

    fn found(
        &self,
        forward: impl Fn(&Factors, &mut [f32]),
        backward: impl Fn(&Factors, ConvGradients),
    ) -> Found {
        let Self { shape, input, weight, gradient, .. } = self;
        let (scratch, mut found) = (Scratch::default(), Found::unset(shape));
        let factors = Factors { shape, input, weight, scratch: &scratch, part: None };
        forward(&factors, &mut found.output);
        let (input, weight) = (Some(&mut found.input_gradient[..]), &mut found.weight_gradient[..]);
        backward(&factors, ConvGradients { output: gradient, input, weight });
        found
    }
}

/// Every image, row, column and tap.
fn places(images: usize, height: usize, width: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let pixels = height * width;
    (0..images * pixels * TAPS).map(move |at| {
        let pixel = at / TAPS % pixels;
        (at / TAPS / pixels, pixel / width, pixel % width, at % TAPS)
    })
}

impl Found {
    /// Contents that must be overwritten.
    fn unset(shape: &ConvShape) -> Self {
        Self {
            output: vec![f32::NAN; shape.output_len()],
            input_gradient: vec![f32::NAN; shape.input_len()],
            weight_gradient: vec![f32::NAN; shape.weight_len()],
        }
    }

    fn bits(&self) -> Vec<u32> {
        bits(&[&self.output[..], &self.input_gradient, &self.weight_gradient].concat())
    }

    /// The largest of the errors and the largest of their root mean squares, over outputs and both gradients.
    fn errors(&self, exact: &Exact) -> (f64, f64) {
        let all = [
            error(&self.output, &exact.output),
            error(&self.input_gradient, &exact.input_gradient),
            error(&self.weight_gradient, &exact.weight_gradient),
        ];
        all.into_iter().fold((0.0, 0.0), |most, one| (one.0.max(most.0), one.1.max(most.1)))
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Largest and root mean square of the errors, over the root mean square of what is exact.
fn error(found: &[f32], exact: &[f64]) -> (f64, f64) {
    let size = (exact.iter().map(|value| value * value).sum::<f64>() / exact.len() as f64).sqrt();
    let errors = || found.iter().zip(exact).map(|(&found, exact)| (f64::from(found) - exact).abs() / size);
    assert!(errors().all(f64::is_finite), "every place is written");
    let square = errors().map(|error| error * error).sum::<f64>() / exact.len() as f64;
    (errors().fold(0.0, f64::max), square.sqrt())
}

fn shape(images: usize, height: usize, width: usize, inputs: usize, outputs: usize) -> ConvShape {
    ConvShape { images, height, width, inputs, outputs, window: Window::SAME3 }
}

fn assert_within(errors: (f64, f64), bounds: (f64, f64), what: &str, shape: &ConvShape) {
    assert!(errors.0 < bounds.0 && errors.1 < bounds.1, "{what} on {shape:?}: {errors:?} above {bounds:?}");
}

/// Bounds of the largest error and of the root mean square of errors.
const OF_F4: (f64, f64) = (7e-5, 6e-6);
const OF_OTHERS: (f64, f64) = (8e-6, 2e-6);

fn assert_accurate(shape: ConvShape) {
    let case = Case::new(shape);
    let exact = case.exact();
    assert_within(case.of(F4).errors(&exact), OF_F4, "F4", &shape);
    assert_within(case.of(F2).errors(&exact), OF_OTHERS, "F2", &shape);
    if (shape.height, shape.width) == (2, 2) {
        assert_within(case.of(T2).errors(&exact), OF_OTHERS, "T2", &shape);
    }
}

#[test]
fn forms_are_as_accurate_as_they_say() {
    // Tasks by images and by channels, blocks of weights at once and in several groups, half panels, many inputs.
    for shape in [
        shape(1, 1, 1, 16, 16),
        shape(9, 16, 16, 16, 48),
        shape(3, 8, 8, 64, 32),
        shape(2, 4, 4, 272, 16),
        shape(4, 2, 2, 32, 144),
        shape(17, 2, 2, 16, 16),
    ] {
        assert_accurate(shape);
    }
}

#[test]
fn several_groups_of_images_add_up_to_the_same() {
    let shape = shape(90, 16, 16, 16, 16);
    assert!(Plan::new::<F2>(&shape, None).images_of_group() < shape.images);
    assert!(Plan::new::<F4>(&shape, None).by_images);
    assert_accurate(shape);
}

#[test]
fn several_groups_of_tasks_by_channels_add_up_to_the_same() {
    let shape = shape(140, 1, 2, 16, 1840);
    let plan = Plan::new::<F4>(&shape, None);
    assert!(!plan.by_images && plan.images_of_group() < shape.images);
    assert_accurate(shape);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_size_is_right_up_to_its_border(
        images in 1_usize..4, height in 1_usize..11, width in 1_usize..11, inputs in 1_usize..4, outputs in 1_usize..4,
    ) {
        assert_accurate(shape(images, height, width, 16 * inputs, 16 * outputs));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_is_chosen_is_accurate(
        images in 0_usize..6,
        height in 1_usize..11,
        width in 1_usize..11,
        inputs in prop::sample::select(vec![16, 32, 48, 33]),
        outputs in prop::sample::select(vec![16, 32, 48, 33]),
    ) {
        let shape = shape(images, height, width, inputs, outputs);
        let case = Case::new(shape);
        if images == 0 {
            prop_assert_eq!(case.of_winograd().weight_gradient, vec![0.0; shape.weight_len()]);
        } else {
            assert_within(case.of_winograd().errors(&case.exact()), OF_F4, "the choice", &shape);
        }
    }
}

#[test]
fn shapes_decide_on_the_form() {
    assert_eq!(choose(&shape(32, 32, 32, 64, 64)), Choice::Four);
    assert_eq!(choose(&shape(32, 4, 4, 512, 512)), Choice::Four);
    assert_eq!(choose(&shape(8, 4, 4, 512, 512)), Choice::Two, "few tiles for many weights");
    assert_eq!(choose(&shape(32, 6, 6, 64, 64)), Choice::Two, "as many products as four by four");
    assert_eq!(choose(&shape(1, 2, 2, 512, 512)), Choice::Whole);
    for direct in
        [shape(32, 32, 32, 3, 64), shape(32, 8, 8, 72, 64), shape(32, 8, 8, 16, 64), shape(9, 1, 1, 64, 64)]
    {
        assert_eq!(choose(&direct), Choice::Direct);
    }
    assert_eq!(choose(&shape(0, 8, 8, 64, 64)), Choice::Direct, "nothing to do");
}

#[test]
fn bits_do_not_depend_on_threads() {
    for shape in [shape(40, 8, 8, 32, 48), shape(6, 4, 4, 128, 64), shape(90, 16, 16, 16, 16)] {
        let case = Case::new(shape);
        assert_same_bits(|| [case.of(F4).bits(), case.of(F2).bits()]);
    }
}

#[test]
fn gradients_are_central_differences() {
    let shape = shape(2, 6, 5, 32, 32);
    let mut case = Case::new(shape);
    let found = case.of_winograd();
    let loss = |case: &Case| {
        let output = case.of_winograd().output;
        output.iter().zip(&case.gradient).map(|(&y, &g)| f64::from(y) * f64::from(g)).sum::<f64>()
    };
    for at in [0, 700, 4001, 9215] {
        let old = case.weight[at];
        let ends = [-0.5, 0.5].map(|step| {
            case.weight[at] = old + step;
            loss(&case)
        });
        case.weight[at] = old;
        assert!((ends[1] - ends[0] - f64::from(found.weight_gradient[at])).abs() < 1e-3);
    }
    for at in [0, 31, 1000, 1919] {
        let old = case.input[at];
        let ends = [-0.5, 0.5].map(|step| {
            case.input[at] = old + step;
            loss(&case)
        });
        case.input[at] = old;
        assert!((ends[1] - ends[0] - f64::from(found.input_gradient[at])).abs() < 1e-3);
    }
}

#[test]
fn weights_alone_get_the_same_gradients() {
    let case = Case::new(shape(3, 8, 8, 32, 32));
    let Case { shape, input, weight, gradient, .. } = &case;
    let mut weight_gradient = vec![f32::NAN; shape.weight_len()];
    let factors = Factors { shape, input, weight, scratch: &Scratch::default(), part: None };
    let gradients = ConvGradients { output: gradient, input: None, weight: &mut weight_gradient };
    Winograd.backward(&factors, gradients);
    assert_eq!(bits(&weight_gradient), bits(&case.of_winograd().weight_gradient));
}
