//! VGG (Simonyan & Zisserman 2015, "Very deep convolutional networks for large-scale image recognition").

use crate::arch::module::{AdaptiveAveragePool, Module};
use crate::arch::{Architecture, LayerShapes, Net, without_images};
use data::Shape;
use form::number::listed;

form::form! {
    /// Hidden layers between features and classes.
    pub struct Hidden: "Hidden layers" {
        widths: Vec<usize> = vec![512, 512], "Units", "Number of units of each hidden layer", range [1, 65536];
        pool: usize = 1, "Pooling", "Features are averaged over a grid with this many cells a side", unit "cells", range [1, 7];
    }
}

form::choice! {
    /// The layers from the features of a VGG to classes.
    pub enum Head: "Head" {
        Linear, "Linear", "One linear layer after the last pooling, as in the CIFAR literature";
        ImageNet, "ImageNet", "4096-4096-classes with dropout, as in torchvision";
        Hidden(Hidden) = Hidden::default(), "Hidden layers", "Hidden layers with dropout";
    }
}

architecture! {
    /// Settings of a VGG (Simonyan & Zisserman 2015); its layers have torchvision's names.
    Vgg: "VGG", init KaimingNormal {
        depth: u32 = 16, "Depth", "Number of layers with weights in the original", allowed [11, 13, 16, 19];
        width: usize = 64, "Width", "Channels of the first layer; the others are multiples of it (the original has 64)", unit "channels", range [1, 1024];
        batch_norm: bool = true, "Batch norm", "Normalizes after every convolution";
        head: Head = Head::Linear, "Head", "How features become classes";
        dropout: f64 = 0.5, "Dropout", "Share of units dropped behind hidden layers of the head during training", range [0.0, 0.99];
    }
}

impl Architecture for Vgg {
    /// Counts every module of torchvision's `features` and `classifier` in names, those without parameters too.
    fn modules(&self, _input: Shape, outputs: usize) -> Vec<Module> {
        let mut modules = Vec::new();
        for step in steps(self.depth) {
            let Some(multiple) = step else {
                modules.push(Module::max_pool(2));
                continue;
            };
            let name = |number: usize| format!("features.{number}");
            modules.push(Module::conv(&name(modules.len()), multiple * self.width, 3, 1, true));
            if self.batch_norm {
                modules.push(Module::batch_norm(&name(modules.len())));
            }
            modules.push(Module::Relu);
        }
        let (widths, pool) = match &self.head {
            Head::Linear => (&[][..], 1),
            Head::ImageNet => (&[4096, 4096][..], 7),
            Head::Hidden(hidden) => (&hidden.widths[..], hidden.pool),
        };
        modules.push(Module::AdaptiveAveragePool(AdaptiveAveragePool { side: pool }));
        modules.push(Module::Flatten);
        for (number, &units) in widths.iter().enumerate() {
            modules.push(Module::linear(&format!("classifier.{}", 3 * number), units));
            modules.push(Module::Relu);
            modules.push(Module::Dropout(self.dropout));
        }
        let last = match &self.head {
            Head::Linear => "classifier".to_owned(),
            Head::ImageNet | Head::Hidden(_) => format!("classifier.{}", 3 * widths.len()),
        };
        modules.push(Module::linear(&last, outputs));
        modules
    }

    fn problem_of_input(&self, input: Shape) -> Option<String> {
        let is_small = input.height.min(input.width) < 32;
        let small = || {
            format!(
                "a VGG needs images of at least 32×32 pixels, and these have {}×{}; set image_size: 32",
                input.height, input.width
            )
        };
        without_images("VGG", input).or_else(|| is_small.then(small))
    }

    fn image_side(&self) -> Option<usize> {
        Some(32)
    }

    /// Takes the head of the linear layers; a pooling that leaves more than a pixel is that of large images.
    fn suggested(&self, weights: &LayerShapes, classes: Option<usize>) -> Vec<(Net, Shape)> {
        let (Some(&[width, channels, 3, 3]), Some(&[_, inputs])) =
            (weights.convolutions.first(), weights.linear.first())
        else {
            return Vec::new();
        };
        let hidden = &weights.linear[..weights.linear.len() - 1];
        let widths: Vec<usize> = hidden.iter().map(|[units, _]| *units).collect();
        let pool = (inputs / width.saturating_mul(8).max(1)).isqrt();
        let head = match widths.as_slice() {
            [] => Head::Linear,
            [4096, 4096] if pool == 7 => Head::ImageNet,
            _ => Head::Hidden(Hidden { widths, pool }),
        };
        let side = if pool > 1 { 224 } else { 32 };
        let batch_norm = weights.has_batch_norm;
        let net = |depth| {
            let head = head.clone();
            Net::Vgg(Self { depth, width, batch_norm, head, classes, ..Self::default() })
        };
        [11, 13, 16, 19].map(|depth| (net(depth), Shape::new(channels, side, side))).to_vec()
    }

    fn name(&self, _input: Shape, _outputs: usize) -> String {
        let width = if self.width == 64 { String::new() } else { format!(", width {}", self.width) };
        format!("VGG-{}{width}", self.depth)
    }

    fn description(&self) -> String {
        let norm = if self.batch_norm { "with batch norm" } else { "without batch norm" };
        let width = if self.width == 64 { String::new() } else { format!(" of width {}", self.width) };
        let head = match &self.head {
            Head::Linear => "a linear head".to_owned(),
            Head::ImageNet => format!("the ImageNet head (dropout {})", self.dropout),
            Head::Hidden(hidden) => {
                let units: Vec<String> = hidden.widths.iter().map(ToString::to_string).collect();
                format!("hidden layers of {} units (dropout {})", listed(&units), self.dropout)
            }
        };
        format!("A VGG-{}{width} {norm} and {head}", self.depth)
    }
}

/// Returns the channels of each convolution as multiples of the first one's, none for a pooling (Simonyan & Zisserman 2015,
/// configurations A, B, D, E).
fn steps(depth: u32) -> Vec<Option<usize>> {
    let repeats: [usize; 5] = match depth {
        11 => [1, 1, 2, 2, 2],
        13 => [2, 2, 2, 2, 2],
        19 => [2, 2, 4, 4, 4],
        _ => [2, 2, 3, 3, 3],
    };
    let multiples = [1, 2, 4, 8, 8];
    repeats
        .iter()
        .zip(multiples)
        .flat_map(|(&count, multiple)| std::iter::repeat_n(Some(multiple), count).chain([None]))
        .collect()
}
