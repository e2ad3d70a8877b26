use crate::doc::plan::Check;
use crate::doc::plan::words::part;
use crate::doc::stage::Planned;
use crate::doc::targets::Target;
use crate::doc::targets;
use crate::form::path::Place;

crate::form! {
    /// Settings of drawing new initial weights.
    pub struct Reinitialize: "Reinitialize" {
        target: Target = Target::default(), "Target", "What to draw again; default: everything";
    }
}

impl Planned for Reinitialize {
    fn sentence(&self) -> String {
        match part(&self.target) {
            None => "Reinitialize".to_owned(),
            Some(part) => format!("Reinitialize {part}"),
        }
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.entries(&self.target, &self.usual_params(), &place.key("target"));
        if targets::is_whole(check.structure, &self.target) {
            check.left.sample = 0;
        }
    }

    fn ends_past(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::doc::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_whole_network_needs_no_word() {
        assert_eq!(sentence("Reinitialize()"), "Reinitialize");
    }
}
