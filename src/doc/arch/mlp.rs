//! Multi-layer perceptrons.

use crate::arch::module::{Activation, Module, Output};
use crate::arch::{Architecture, LayerShapes, Net};
use data::Shape;
use form::number::listed;

architecture! {
    /// Settings of a multi-layer perceptron; its layers are called fc1, fc2, ….
    Mlp: "MLP", init PyTorch {
        hidden: Vec<usize> = vec![300, 100], "Hidden layers", "Number of units of each hidden layer", range [1, 65536];
        activation: Activation = Activation::Relu, "Activation", "Non-linearity after every hidden layer";
        output: Output = Output::Linear, "Output", "What follows the last layer";
    }
}

impl Architecture for Mlp {
    fn modules(&self, _input: Shape, outputs: usize) -> Vec<Module> {
        let mut modules = vec![Module::Flatten];
        for (position, &units) in self.hidden.iter().enumerate() {
            modules.push(Module::linear(&format!("fc{}", position + 1), units));
            modules.push(Module::from(&self.activation));
        }
        modules.push(Module::linear(&format!("fc{}", self.hidden.len() + 1), outputs));
        modules
    }

    fn problems(&self) -> Vec<(&'static str, String)> {
        let is_empty = self.hidden.contains(&0);
        let message = "a hidden layer has no units; give it one or more";
        is_empty.then(|| ("hidden", message.to_owned())).into_iter().collect()
    }

    fn output(&self) -> Output {
        self.output.clone()
    }

    /// Suggests linear layers that follow each other; inputs of known sizes are those of the known sets.
    fn suggested(&self, weights: &LayerShapes, classes: Option<usize>) -> Vec<(Net, Shape)> {
        let linear = &weights.linear;
        let is_chain = linear.windows(2).all(|pair| pair[1][1] == pair[0][0]);
        let Some(&[_, features]) = linear.first().filter(|_| is_chain && weights.convolutions.is_empty())
        else {
            return Vec::new();
        };
        let input = match features {
            784 => Shape::new(1, 28, 28),
            3072 => Shape::new(3, 32, 32),
            64 => Shape::new(1, 8, 8),
            features => Shape::new(features, 1, 1),
        };
        let hidden = linear[..linear.len() - 1].iter().map(|[units, _]| *units).collect();
        vec![(Net::Mlp(Self { hidden, classes, ..Self::default() }), input)]
    }

    fn not_in_weights(&self) -> Option<&'static str> {
        Some("the file does not say which activation the network has")
    }

    /// Returns `784–300–100–10`.
    fn name(&self, input: Shape, outputs: usize) -> String {
        let ends = [input.len(), outputs];
        let units = [&ends[..1], &self.hidden, &ends[1..]].concat();
        units.iter().map(usize::to_string).collect::<Vec<_>>().join("–")
    }

    fn description(&self) -> String {
        let units: Vec<String> = self.hidden.iter().map(ToString::to_string).collect();
        let layers = match units.len() {
            0 => "without hidden layers".to_owned(),
            1 => format!("with one hidden layer of {} units and {}", units[0], self.activation.label()),
            _ => format!("with hidden layers of {} units and {}", listed(&units), self.activation.label()),
        };
        let output = match self.output {
            Output::Linear => String::new(),
            Output::Sigmoid | Output::Tanh => {
                format!(", with a {} at the output", self.output.label().to_lowercase())
            }
        };
        format!("A multi-layer perceptron {layers}{output}")
    }
}
