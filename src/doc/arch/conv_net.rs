//! Conv-2, Conv-4 and Conv-6 (Frankle & Carbin 2019, "The lottery ticket hypothesis", figure 2): scaled-down VGGs.

use super::module::Module;
use super::{Architecture, LayerShapes, Net, without_images};
use data::Shape;
use intervene::{BiasInit, Init};

form::form! {
    /// Settings of a Conv-2, Conv-4 or Conv-6; its layers are called features.N and classifier.N.
    pub struct ConvNet: "Conv-2, Conv-4, Conv-6" {
        depth: u32 = 6, "Depth", "Number of convolutions", allowed [2, 4, 6];
        classes: Option<usize> = None, "Classes", "Number of classes that the network knows, at least as many as the data \
            have", range [2, 65536], unset "as the data have";
        init: Init = Init::XavierNormal, "Initial weights", "Distribution of \
            the initial weights";
        bias_init: BiasInit = BiasInit::Usual, "Initial biases", "Initial \
            values of the biases";
    }
}

impl Architecture for ConvNet {
    /// Pairs of 3×3 convolutions with 64, 128 and 256 channels, a pooling after each pair, and linear layers of 256, 256 and
    /// as many units as there are classes.
    fn modules(&self, _input: Shape, outputs: usize) -> Vec<Module> {
        let mut modules = Vec::new();
        for pair in 0..self.depth / 2 {
            for _ in 0..2 {
                let name = format!("features.{}", modules.len());
                modules.push(Module::conv(&name, 64 << pair, 3, 1, true));
                modules.push(Module::Relu);
            }
            modules.push(Module::max_pool(2));
        }
        modules.push(Module::Flatten);
        for (number, units) in [256, 256].into_iter().enumerate() {
            modules.push(Module::linear(&format!("classifier.{}", 2 * number), units));
            modules.push(Module::Relu);
        }
        modules.push(Module::linear("classifier.4", outputs));
        modules
    }

    fn problem_of_input(&self, input: Shape) -> Option<String> {
        without_images("convolutional network", input)
    }

    fn classes(&self) -> Option<usize> {
        self.classes
    }

    fn initial(&self) -> (Init, BiasInit) {
        (self.init, self.bias_init)
    }

    fn image_side(&self) -> Option<usize> {
        Some(32)
    }

    fn suggested(&self, weights: &LayerShapes, classes: Option<usize>) -> Vec<(Net, Shape)> {
        let Some(&[64, channels, 3, 3]) = weights.convolutions.first() else { return Vec::new() };
        let depth = weights.convolutions.len() as u32;
        let net = Net::ConvNet(Self { depth, classes, ..Self::default() });
        [32, 28].map(|side| (net.clone(), Shape::new(channels, side, side))).to_vec()
    }

    fn name(&self, _input: Shape, _outputs: usize) -> String {
        format!("Conv-{}", self.depth)
    }

    fn description(&self) -> String {
        format!("A Conv-{}", self.depth)
    }
}
