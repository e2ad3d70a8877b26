use crate::file_names::is_file;
use crate::plan::words::part;
use crate::plan::{Check, FileUse, Reading, WeightUse};
use crate::stage::Planned;
use crate::targets::{self, Target};
use form::path::Place;

form::form! {
    /// Settings of copying weights by name.
    pub struct Graft: "Graft" {
        from: String = "init".to_owned(), "From", "A snapshot, a branch, an ensemble member, or a weight file";
        target: Target = Target::default(), "Target", "What to copy; default: everything";
        weights: bool = true, "Weights", "Off: rewinds only the position (learning-rate rewinding)";
    }
}

impl Planned for Graft {
    fn sentence(&self) -> String {
        let Self { from, target, weights } = self;
        if !weights {
            return format!("Rewind to the position of {from}, weights unchanged");
        }
        match part(target) {
            None if !is_file(from) && !from.starts_with("member") => format!("Rewind to {from}"),
            None => format!("Graft from {from}"),
            Some(part) => format!("Graft {part} from {from}"),
        }
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.entries(&self.target, &self.usual_params(), &place.key("target"));
        check.source(&self.from, &place.key("from"));
        let is_whole = targets::is_whole(check.structure, &self.target);
        if let Some(sample) = check.left.positions.get(&self.from).filter(|_| is_whole) {
            check.left.sample = *sample;
        }
        if self.weights {
            return;
        }
        if !is_whole {
            let message = "without weights, only the position is rewound, which has no parts; remove target";
            check.error(place.key("target"), message);
        }
        let exists = is_file(&self.from) || check.left.names.contains(&self.from);
        if exists && !check.left.positions.contains_key(&self.from) {
            let message = format!("{} has no position to rewind to; only a snapshot has one", self.from);
            check.error(place.key("from"), message);
        }
    }

    fn files(&self, place: &Place) -> Vec<FileUse<'_>> {
        let Self { from, target, weights } = self;
        let used = WeightUse { file: from, place: place.key("from"), target, reading: Reading::Copies };
        // A position is in no file.
        if *weights { vec![FileUse::Source(used)] } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_graft_says_from_where_and_whether_weights_are_copied() {
        assert_eq!(sentence(r#"Graft(from: "init")"#), "Rewind to init");
        assert_eq!(sentence(r#"Graft(from: "w.safetensors")"#), "Graft from w.safetensors");
        assert_eq!(
            sentence(r#"Graft(from: "init", weights: false)"#),
            "Rewind to the position of init, weights unchanged"
        );
    }
}
