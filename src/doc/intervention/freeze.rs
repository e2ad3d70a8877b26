use crate::plan::words::{counted, joined, number, part, percent};
use crate::plan::{Check, FileUse, Reading, Situation, StepWork, WeightUse};
use crate::stage::Planned;
use crate::structure::{LayerKind, Structure};
use crate::targets::{self, Params, Target};
use form::path::Place;

form::choice! {
    /// The entries of the target that are held.
    pub enum Select: "Entries" {
        All, "All", "Every entry that is not pruned";
        Largest(f64) = 0.5, "Largest", "This fraction of the surviving entries, largest magnitude first", unit "%", range [0.0, 1.0];
        Smallest(f64) = 0.5, "Smallest", "This fraction of the surviving entries, smallest magnitude first", unit "%", range [0.0, 1.0];
        Random(f64) = 0.5, "Random", "This fraction of the surviving entries, drawn at random", unit "%", range [0.0, 1.0];
        Indices(Vec<usize>) = Vec::new(), "Listed", "These entries of each parameter, counted from 0 in PyTorch's layout";
        Mask(String) = String::new(), "Mask file", "Entries that are not zero in this weight file", names File;
    }
}

form::choice! {
    /// The values of held entries.
    pub enum HeldAt: "Held at" {
        Own, "Their own value", "Their current value";
        Zero, "Zero", "Zero";
        Value(f64) = 0.0, "A value", "This value";
        Snapshot(String) = "init".to_owned(), "A snapshot's value", "Their value in the named snapshot";
    }
}

form::form! {
    /// Settings of freezing.
    pub struct Freeze: "Freeze" {
        target: Target = Target::default(), "Target", "What to freeze; default: everything";
        select: Select = Select::All, "Entries", "Which entries of the target";
        at: HeldAt = HeldAt::Own, "Held at", "The value they keep";
        use_statistics: bool = false, "Use running statistics", "Batch norms of these layers use their \
            running statistics in training too";
    }
}

impl Freeze {
    /// Returns the batch norms, by their layers, that use their running statistics from then on.
    pub fn fixed_norms<'a>(&'a self, structure: &'a Structure) -> impl Iterator<Item = usize> + 'a {
        let norms = (0..structure.layers.len())
            .filter(|&layer| self.use_statistics && structure.layers[layer].kind == LayerKind::BatchNorm);
        norms.filter(|&layer| targets::has_layer(structure, &self.target.layers, layer))
    }
}

impl Planned for Freeze {
    fn sentence(&self) -> String {
        let Self { target, select, at, use_statistics } = self;
        let part = part(target).unwrap_or_else(|| "everything".to_owned());
        let what = match select {
            Select::All => format!("Freeze {part}"),
            Select::Largest(fraction) => format!("Freeze {} of {part}, the largest", percent(*fraction)),
            Select::Smallest(fraction) => format!("Freeze {} of {part}, the smallest", percent(*fraction)),
            Select::Random(fraction) => format!("Freeze {} of {part}, drawn at random", percent(*fraction)),
            Select::Indices(indices) => {
                format!("Freeze {} of {part}, as listed", counted(indices.len(), "entry"))
            }
            Select::Mask(file) => format!("Freeze {part} where {file} is not zero"),
        };
        let at = match at {
            HeldAt::Own => None,
            HeldAt::Zero => Some("at zero".to_owned()),
            HeldAt::Value(value) => Some(format!("at {}", number(*value))),
            HeldAt::Snapshot(name) => Some(format!("at the values of {name}")),
        };
        let norms = use_statistics.then(|| "batch norms with their running statistics".to_owned());
        joined([Some(what), at, norms])
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.entries(&self.target, &self.usual_params(), &place.key("target"));
        check.left.fixed_norms.extend(self.fixed_norms(check.structure));
        match &self.at {
            HeldAt::Snapshot(name) => check.snapshot(name, &place.key("at").variant("Snapshot")),
            HeldAt::Value(value) => check.representable(*value, &place.key("at").variant("Value")),
            HeldAt::Own | HeldAt::Zero => {}
        }
        if self.target == Target::default() && self.select == Select::All {
            check.note(
                place.key("target"),
                "this freezes everything: until it is released, training changes no weight",
            );
        }
        if matches!(&self.select, Select::Mask(file) if file.is_empty()) {
            check.unset(place.key("select").variant("Mask"), "choose a mask file");
        }
        let Select::Indices(indices) = &self.select else { return };
        let structure = check.structure;
        let chosen = targets::parameters(structure, &self.target, &Params::Everything);
        let smallest =
            chosen.iter().map(|&index| &structure.parameters[index]).min_by_key(|parameter| parameter.len());
        if let Some(parameter) = smallest {
            check.indices(&parameter.name, parameter.len(), indices, &place.key("select").variant("Indices"));
        }
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let work = situation.little();
        situation.level.holds = true;
        work
    }

    fn files(&self, place: &Place) -> Vec<FileUse<'_>> {
        match &self.select {
            Select::Mask(file) => {
                let (place, target) = (place.key("select").variant("Mask"), &self.target);
                vec![FileUse::Weights(WeightUse { file, place, target, reading: Reading::Freezes })]
            }
            Select::All
            | Select::Largest(_)
            | Select::Smallest(_)
            | Select::Random(_)
            | Select::Indices(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn freezing_says_which_entries_and_at_what() {
        assert_eq!(
            sentence(r#"Freeze(target: (layers: Only(["fc1"]), params: Weights), select: Largest(0.5))"#),
            "Freeze 50 % of fc1's weights, the largest"
        );
        assert_eq!(sentence("Freeze(target: (layers: First(1)))"), "Freeze the first layer");
        assert_eq!(
            sentence(
                r#"Freeze(target: (layers: Only(["fc2"]), params: Weights), select: Indices([0, 7, 8191]))"#
            ),
            "Freeze 3 entries of fc2's weights, as listed"
        );
        assert_eq!(sentence("Freeze(at: Zero)"), "Freeze everything, at zero");
    }
}
