use crate::plan::Check;
use crate::plan::words::part;
use crate::stage::Planned;
use crate::targets::{self, Target};
use form::path::Place;

form::form! {
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
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_whole_network_needs_no_word() {
        assert_eq!(sentence("Reinitialize()"), "Reinitialize");
    }
}
