//! A network as far as its layers fit each other, and why they do not.

use super::Structure;
use data::Shape;

/// A layer that does not fit what comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its position in the list of layers, then in the body of the residual block that it is in, and so on.
    pub path: Vec<usize>,
    /// What came in, and what was expected.
    pub message: String,
}

impl Misfit {
    /// Nothing fits data that were not looked at.
    pub fn of_unknown_data() -> Self {
        Self { path: Vec::new(), message: "the shape of the data is not known".to_owned() }
    }
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.message);
        }
        let numbers: Vec<String> = self.path.iter().map(|position| (position + 1).to_string()).collect();
        write!(f, "layer {}: {}", numbers.join("."), self.message)
    }
}

impl std::error::Error for Misfit {}

/// A list of layers, followed from its input as far as they fit each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// All layers, or those before the misfit.
    pub structure: Structure,
    /// The shape of one sample behind each of these layers, by the layer's position in the list, then in the body of the
    /// block that it is in, and so on.
    pub behind: Vec<(Vec<usize>, Shape)>,
    /// The first layer that does not fit what comes in.
    pub misfit: Option<Misfit>,
}
