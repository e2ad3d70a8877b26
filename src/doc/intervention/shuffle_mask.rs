use crate::stage::Planned;
use intervene::Scope;

form::form! {
    /// Settings of moving a mask.
    pub struct ShuffleMask: "Shuffle mask" {
        scope: Scope = Scope::PerLayer, "Scope", "Within each layer, or across all of them";
    }
}

impl Planned for ShuffleMask {
    fn sentence(&self) -> String {
        match self.scope {
            Scope::PerLayer => "Shuffle the mask within each layer".to_owned(),
            Scope::Global => "Shuffle the mask across layers".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_mask_moves_within_layers_or_across_them() {
        assert_eq!(sentence("ShuffleMask()"), "Shuffle the mask within each layer");
    }
}
