use crate::plan::Check;
use crate::plan::words::part;
use crate::stage::Planned;
use crate::structure::Structure;
use crate::targets::{self, Params, Target};
use form::number::listed;
use form::path::Place;

form::choice! {
    /// A kind of held entries.
    pub enum Held: "Held by" {
        Frozen, "Frozen entries", "Entries frozen by Freeze";
        Faults, "Faults", "Faults put in place by Fault";
        Pruned, "Pruned entries", "Entries pruned by Prune";
    }
}

form::form! {
    /// Settings of letting go.
    pub struct Release: "Release" {
        target: Target = Target::default(), "Target", "Where; default: everything";
        what: Vec<Held> = vec![Held::Frozen, Held::Faults], "What", "What to release";
    }
}

impl Release {
    /// Returns true if the batch norm at this layer uses the statistics of mini-batches again.
    pub fn frees_norm(&self, structure: &Structure, layer: usize) -> bool {
        let kinds = [None, Some(Params::Everything), Some(Params::Norm), Some(Params::RunningStatistics)];
        self.what.contains(&Held::Frozen)
            && kinds.contains(&self.target.params)
            && targets::has_layer(structure, &self.target.layers, layer)
    }
}

impl Planned for Release {
    fn sentence(&self) -> String {
        let Self { target, what } = self;
        let what: Vec<String> = what.iter().map(|held| held.label().to_lowercase()).collect();
        let of = part(target).map(|part| format!(" of {part}")).unwrap_or_default();
        format!("Release {}{of}", listed(&what))
    }

    /// Counts faults that are let go in a part only as gone; the run itself knows better.
    fn check(&self, check: &mut Check<'_>, place: &Place) {
        let structure = check.structure;
        check.left.fixed_norms.retain(|norm| !self.frees_norm(structure, *norm));
        if self.what.contains(&Held::Faults) {
            check.left.in_place.clear();
        }
        if self.what == [Held::Faults] {
            check.layers(&self.target.layers, &place.key("target").key("layers"));
        } else {
            check.entries(&self.target, &self.usual_params(), &place.key("target"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn releasing_says_what_is_let_go() {
        assert_eq!(sentence("Release(what: [Faults])"), "Release faults");
        assert_eq!(
            sentence(r#"Release(target: (layers: Only(["fc1"])), what: [Frozen])"#),
            "Release frozen entries of fc1"
        );
    }
}
