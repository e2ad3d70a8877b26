//! Conv-2, Conv-4 and Conv-6 (Frankle & Carbin 2019, "The lottery ticket hypothesis", figure 2): scaled-down VGGs.

use crate::arch::module::Module;
use crate::arch::{Architecture, LayerShapes, Net, without_images};
use data::Shape;

architecture! {
    /// Settings of a Conv-2, Conv-4 or Conv-6; its layers are called features.N and classifier.N.
    ConvNet: "Conv-2, Conv-4, Conv-6", init XavierNormal {
        depth: u32 = 6, "Depth", "Number of convolutions", allowed [2, 4, 6];
    }
}

impl Architecture for ConvNet {
    /// Returns pairs of 3×3 convolutions with 64, 128 and 256 channels, a pooling after each pair, and linear layers of
    /// 256, 256 and as many units as there are classes.
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
