//! What differs between two lists of layers.

use super::module::Module;

/// What was done to a list of layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A layer came in at this position in the list, then in the body of the block that it is in, and so on.
    Added(Vec<usize>),
    /// One is gone.
    Removed,
    /// They have another order.
    Moved,
    /// The layer at this position has other settings, or is another one.
    Changed(Vec<usize>),
}

impl Difference {
    /// What differs first between two lists, if anything.
    pub fn of(old: &[Module], new: &[Module]) -> Option<Self> {
        let at = (0..old.len().max(new.len())).find(|at| old.get(*at) != new.get(*at))?;
        Some(match new.len().cmp(&old.len()) {
            std::cmp::Ordering::Greater => Self::Added(vec![at]),
            std::cmp::Ordering::Less => Self::Removed,
            std::cmp::Ordering::Equal if is_permuted(old, new) => Self::Moved,
            std::cmp::Ordering::Equal => match (&old[at], &new[at]) {
                (Module::Residual(old), Module::Residual(new)) if old.body != new.body => {
                    Self::of(&old.body, &new.body)?.inside(at)
                }
                _ => Self::Changed(vec![at]),
            },
        })
    }

    /// The same within the body of the block at a position.
    fn inside(self, block: usize) -> Self {
        let within = |path: Vec<usize>| [vec![block], path].concat();
        match self {
            Self::Added(path) => Self::Added(within(path)),
            Self::Changed(path) => Self::Changed(within(path)),
            Self::Removed | Self::Moved => self,
        }
    }

    /// The layer that it is about, if it is there afterwards.
    pub fn layer(&self) -> Option<&[usize]> {
        match self {
            Self::Added(path) | Self::Changed(path) => Some(path),
            Self::Removed | Self::Moved => None,
        }
    }
}

/// Whether both lists have the same layers.
fn is_permuted(old: &[Module], new: &[Module]) -> bool {
    let mut left: Vec<&Module> = old.iter().collect();
    new.iter().all(|layer| {
        let at = left.iter().position(|known| *known == layer);
        at.map(|at| left.swap_remove(at)).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use form::ron_text;

    #[test]
    fn an_edit_of_a_list_is_recognized() {
        let of = |old: &str, new: &str| {
            let [old, new] = [old, new].map(|text| ron_text::from_str::<Vec<Module>>(text).unwrap());
            Difference::of(&old, &new)
        };
        assert_eq!(of("[Relu, Flatten]", "[Relu, Flatten]"), None);
        assert_eq!(of("[Relu, Flatten]", "[Relu, Tanh, Flatten]"), Some(Difference::Added(vec![1])));
        assert_eq!(of("[Relu, Tanh]", "[Tanh]"), Some(Difference::Removed));
        assert_eq!(of("[Relu, Tanh, Flatten]", "[Tanh, Relu, Flatten]"), Some(Difference::Moved));
        let [three, five] = ["[Relu, Residual(body: [Conv()])]", "[Relu, Residual(body: [Conv(kernel: 5)])]"];
        assert_eq!(of(three, five), Some(Difference::Changed(vec![1, 0])));
        assert_eq!(of(three, "[Relu, Residual(body: [])]"), Some(Difference::Removed));
    }
}
