//! Residual networks (He et al. 2016, "Deep residual learning for image recognition"): the family for CIFAR, and the one
//! for ImageNet. Their depths tell them apart.

use crate::arch::module::{Conv, Module, Pool, Project, Residual, Shortcut};
use crate::arch::{Architecture, LayerShapes, Net, without_images};
use data::Shape;

form::choice! {
    /// The shortcuts of a ResNet where the shape changes.
    pub enum Shortcuts: "Shortcuts" {
        Usual, "As published", "Without weights for images of 32 pixels (option A), projections for ImageNet (option B)";
        Project, "Projections", "1×1 convolutions with a batch norm in either family (option B)";
    }
}

architecture! {
    /// Settings of a ResNet. Layers have torchvision's names; the CIFAR family's last layer is called linear.
    ResNet: "ResNet", init KaimingNormal {
        depth: u32 = 20, "Depth", "Number of layers with weights: 20, 32, 44, 56 or 110 for images of 32 pixels (shortcuts \
            without weights), 18, 34, 50 or 101 for ImageNet", allowed [20, 32, 44, 56, 110, 18, 34, 50, 101];
        shortcuts: Shortcuts = Shortcuts::Usual, "Shortcuts", "What is added where the shape changes";
    }
}

/// The layers between the first one and the last one.
struct Family {
    channels: &'static [usize],
    blocks: Vec<usize>,
    /// Blocks have three convolutions, the last one with four times as many channels.
    is_bottleneck: bool,
    is_cifar: bool,
}

impl ResNet {
    /// Returns the family and its numbers of blocks; none for other depths.
    fn family(&self) -> Option<Family> {
        let cifar = |blocks| Family {
            channels: &[16, 32, 64],
            blocks: vec![blocks; 3],
            is_bottleneck: false,
            is_cifar: true,
        };
        let image_net = |blocks: [usize; 4], is_bottleneck| Family {
            channels: &[64, 128, 256, 512],
            blocks: blocks.to_vec(),
            is_bottleneck,
            is_cifar: false,
        };
        Some(match self.depth {
            20 | 32 | 44 | 56 | 110 => cifar((self.depth as usize - 2) / 6),
            18 => image_net([2, 2, 2, 2], false),
            34 => image_net([3, 4, 6, 3], false),
            50 => image_net([3, 4, 6, 3], true),
            101 => image_net([3, 4, 23, 3], true),
            _ => return None,
        })
    }
}

impl Architecture for ResNet {
    fn modules(&self, _input: Shape, outputs: usize) -> Vec<Module> {
        let Some(family) = self.family() else { return vec![Module::Flatten, Module::linear("fc", outputs)] };
        let stem = family.channels[0];
        let mut modules = if family.is_cifar {
            vec![Module::conv("conv1", stem, 3, 1, false), Module::batch_norm("bn1"), Module::Relu]
        } else {
            vec![
                Module::conv("conv1", stem, 7, 2, false),
                Module::batch_norm("bn1"),
                Module::Relu,
                Module::MaxPool(Pool { window: 3, stride: Some(2), padding: 1 }),
            ]
        };
        let mut inputs = stem;
        for (stage, (&channels, &blocks)) in family.channels.iter().zip(&family.blocks).enumerate() {
            for number in 0..blocks {
                let stride = if stage > 0 && number == 0 { 2 } else { 1 };
                let name = format!("layer{}.{number}", stage + 1);
                let block = block(&family, &self.shortcuts, name, channels, stride, inputs);
                modules.extend([Module::Residual(block), Module::Relu]);
                inputs = if family.is_bottleneck { 4 * channels } else { channels };
            }
        }
        let last = if family.is_cifar { "linear" } else { "fc" };
        modules.extend([Module::GlobalAveragePool, Module::Flatten, Module::linear(last, outputs)]);
        modules
    }

    fn problem_of_input(&self, input: Shape) -> Option<String> {
        without_images("ResNet", input)
    }

    fn image_side(&self) -> Option<usize> {
        Some(32)
    }

    /// Takes the family of the first convolution.
    fn suggested(&self, weights: &LayerShapes, classes: Option<usize>) -> Vec<(Net, Shape)> {
        let Some(&[_, channels, kernel, _]) = weights.convolutions.first() else { return Vec::new() };
        let (depths, side): (&[u32], _) = match kernel {
            3 => (&[20, 32, 44, 56, 110], 32),
            7 => (&[18, 34, 50, 101], 224),
            _ => return Vec::new(),
        };
        let net = |depth, shortcuts| Net::ResNet(Self { depth, shortcuts, classes, ..Self::default() });
        let input = Shape::new(channels, side, side);
        let with = |depth: &u32| [Shortcuts::Usual, Shortcuts::Project].map(|how| (net(*depth, how), input));
        depths.iter().flat_map(with).collect()
    }

    fn name(&self, _input: Shape, _outputs: usize) -> String {
        format!("ResNet-{}", self.depth)
    }

    fn description(&self) -> String {
        let is_plain =
            self.shortcuts == Shortcuts::Usual && self.family().is_some_and(|family| family.is_cifar);
        let shortcuts = if is_plain {
            "shortcuts without weights (option A)"
        } else {
            "projections where shapes change (option B)"
        };
        format!("A ResNet-{} with {shortcuts}", self.depth)
    }
}

/// Makes a block; of three convolutions, the middle one has the stride, as in torchvision.
fn block(
    family: &Family,
    shortcuts: &Shortcuts,
    name: String,
    channels: usize,
    stride: usize,
    inputs: usize,
) -> Residual {
    let conv = |number: usize, channels: usize, kernel: usize, stride: usize| {
        let conv = Conv {
            channels,
            kernel,
            stride,
            bias: false,
            name: Some(format!("conv{number}")),
            ..Conv::default()
        };
        [Module::Conv(conv), Module::batch_norm(&format!("bn{number}"))]
    };
    let mut body = Vec::new();
    let outputs = if family.is_bottleneck {
        body.extend(conv(1, channels, 1, 1));
        body.push(Module::Relu);
        body.extend(conv(2, channels, 3, stride));
        body.push(Module::Relu);
        body.extend(conv(3, 4 * channels, 1, 1));
        4 * channels
    } else {
        body.extend(conv(1, channels, 3, stride));
        body.push(Module::Relu);
        body.extend(conv(2, channels, 3, 1));
        channels
    };
    let has_projections = !family.is_cifar || *shortcuts == Shortcuts::Project;
    let shortcut = match (stride > 1 || inputs != outputs, has_projections) {
        (false, _) => Shortcut::Identity,
        (true, false) => Shortcut::PadSubsample,
        (true, true) => Shortcut::Project(Project { name: "downsample".to_owned() }),
    };
    Residual { body, shortcut, name: Some(name) }
}
