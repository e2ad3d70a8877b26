//! LeNet-5 (LeCun et al. 1998, "Gradient-based learning applied to document recognition"), with today's non-linearity and
//! pooling.

use crate::arch::module::{Conv, Module};
use crate::arch::{Architecture, LayerShapes, Net, without_images};
use data::Shape;

architecture! {
    /// Settings of a LeNet-5 with ReLU and maximum pooling; its layers are called conv1, conv2, fc1, fc2 and fc3.
    LeNet5: "LeNet-5", init PyTorch {}
}

impl Architecture for LeNet5 {
    /// Takes images of 32 pixels, as the original; smaller ones get a border of two zeros.
    fn modules(&self, input: Shape, outputs: usize) -> Vec<Module> {
        let conv = |name: &str, channels, padding| {
            let name = Some(name.to_owned());
            Module::Conv(Conv { channels, kernel: 5, padding: Some(padding), name, ..Conv::default() })
        };
        let border = if input.height.min(input.width) < 32 { 2 } else { 0 };
        vec![
            conv("conv1", 6, border),
            Module::Relu,
            Module::max_pool(2),
            conv("conv2", 16, 0),
            Module::Relu,
            Module::max_pool(2),
            Module::Flatten,
            Module::linear("fc1", 120),
            Module::Relu,
            Module::linear("fc2", 84),
            Module::Relu,
            Module::linear("fc3", outputs),
        ]
    }

    fn problem_of_input(&self, input: Shape) -> Option<String> {
        without_images("LeNet-5", input)
    }

    fn image_side(&self) -> Option<usize> {
        Some(28)
    }

    fn suggested(&self, weights: &LayerShapes, classes: Option<usize>) -> Vec<(Net, Shape)> {
        let Some(&[6, channels, 5, 5]) = weights.convolutions.first() else { return Vec::new() };
        let side = if channels == 1 { 28 } else { 32 };
        vec![(Net::LeNet5(Self { classes, ..Self::default() }), Shape::new(channels, side, side))]
    }

    fn not_in_weights(&self) -> Option<&'static str> {
        Some(
            "the file does not say which activation and which pooling the network has; this one has ReLU and maximum pooling",
        )
    }

    fn name(&self, _input: Shape, _outputs: usize) -> String {
        "LeNet-5".to_owned()
    }

    fn description(&self) -> String {
        "A LeNet-5 with ReLU and max pooling".to_owned()
    }
}
