use crate::file_names::{filled, is_file, is_safetensors, stays_inside, weight_endings};
use crate::plan::words::part;
use crate::plan::{Check, FileUse, Reading, Situation, StepWork, WeightUse};
use crate::stage::Planned;
use crate::targets::{Params, Target};
use form::path::Place;

form::choice! {
    /// The content of a weight file.
    pub enum FileContent: "Content" {
        Values, "Values", "The values of the parameters";
        Mask, "Mask", "The mask: pruned where the file is zero";
    }
}

form::form! {
    /// Settings of reading or writing a weight file in the middle of a plan.
    pub struct WeightFile: "Weight file" {
        file: String = String::new(), "File", "A .safetensors file; imports also read .pth, .pt, .th and .ckpt files of PyTorch. {arm} and {seed} \
            stand for those of the run", names File;
        content: FileContent = FileContent::Values, "Content", "Values, or the mask";
        target: Target = Target::default(), "Target", "What to read or write; default: everything";
    }
}

form::wrapped! {
    /// Reads a weight file: safetensors, or a checkpoint of PyTorch.
    #[derive(Default)]
    pub struct Import(WeightFile);
}

form::wrapped! {
    /// Writes a weight file that PyTorch's `load_state_dict` takes.
    #[derive(Default)]
    pub struct Export(WeightFile);
}

impl WeightFile {
    fn sentence(&self, verb: &str, towards: &str) -> String {
        let Self { file, content, target } = self;
        let file = if file.is_empty() { "…" } else { file };
        match (content, part(target)) {
            (FileContent::Values, None) => format!("{verb} weights {towards} {file}"),
            (FileContent::Values, Some(part)) => format!("{verb} {part} {towards} {file}"),
            (FileContent::Mask, None) => format!("{verb} the mask {towards} {file}"),
            (FileContent::Mask, Some(part)) => format!("{verb} the mask of {part} {towards} {file}"),
        }
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        check.entries(&self.target, &Params::Everything, &place.key("target"));
    }
}

impl Planned for Import {
    fn sentence(&self) -> String {
        self.0.sentence("Import", "from")
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        self.0.check(check, place);
        if self.0.file.is_empty() {
            check.unset(place.key("file"), "choose a weight file");
        } else if !is_file(&self.0.file) {
            check.error(place.key("file"), format!("name a file that ends in {}", weight_endings()));
        }
        if self.0.content == FileContent::Mask {
            check.prunable(&self.0.target, &place.key("target"));
        }
    }

    fn work(&self, situation: &mut Situation<'_>) -> StepWork {
        let work = situation.little();
        situation.level.holds |= self.0.content == FileContent::Mask;
        work
    }

    fn files(&self, place: &Place) -> Vec<FileUse<'_>> {
        let WeightFile { file, content, target } = &self.0;
        let reading = match content {
            FileContent::Values => Reading::Copies,
            FileContent::Mask => Reading::Prunes,
        };
        vec![FileUse::Weights(WeightUse { file, place: place.key("file"), target, reading })]
    }
}

impl Planned for Export {
    fn sentence(&self) -> String {
        self.0.sentence("Export", "to")
    }

    fn check(&self, check: &mut Check<'_>, place: &Place) {
        self.0.check(check, place);
        if self.0.file.is_empty() {
            return check.unset(place.key("file"), "name the file to write");
        }
        if !is_safetensors(&self.0.file) {
            check.error(place.key("file"), "name a file that ends in .safetensors");
        }
        if !stays_inside(&filled(&self.0.file, check.arm, check.spec.seed)) {
            let message = "exported files go into the folder exports of the run's directory; write a name such as \
                before.safetensors, or one with folders below it";
            check.error(place.key("file"), message);
        }
    }

    fn files(&self, _: &Place) -> Vec<FileUse<'_>> {
        vec![FileUse::Writes(&self.0.file)]
    }

    fn is_outlined(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn files_are_named_with_what_is_copied() {
        assert_eq!(sentence(r#"Export(file: "before.safetensors")"#), "Export weights to before.safetensors");
        assert_eq!(
            sentence(r#"Import(file: "a.safetensors", target: (layers: Last(1)))"#),
            "Import the last layer from a.safetensors"
        );
    }
}
