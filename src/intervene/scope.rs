//! Whether layers compete with each other.

use std::collections::BTreeMap;

form::choice! {
    /// Whether entries are ranked, or moved, within each layer or across all layers of a target.
    #[derive(Copy)]
    pub enum Scope: "Scope" {
        PerLayer, "Per layer", "Ranks each layer separately: its weight and, if included, its bias together";
        Global, "Global", "Ranks all parameters of the target together";
    }
}

impl Scope {
    /// Groups parameters, given by the layer of each, into those that are ranked together. Groups are in the order
    /// of their layer's number, the members of a group in the order given.
    pub(super) fn groups(self, layers: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
        let mut groups = BTreeMap::<usize, Vec<usize>>::new();
        for (parameter, layer) in layers {
            let group = match self {
                Self::Global => 0,
                Self::PerLayer => layer,
            };
            groups.entry(group).or_default().push(parameter);
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn a_layers_weight_and_bias_are_one_group() {
        let layers = || [0, 0, 1, 1].into_iter().enumerate();
        assert_eq!(Scope::PerLayer.groups(layers()), [vec![0, 1], vec![2, 3]]);
        assert_eq!(Scope::Global.groups(layers()), [vec![0, 1, 2, 3]]);
    }
}
