//! A preview of what a stage would take from a weight file, by name.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use eframe::egui::{Label, RichText, Ui};

use crate::background::{Latest, LoadState};
use crate::importing::Weights;
use crate::theme;
use crate::widgets::{self, Tone};
use data::Data;
use doc::file_names::{exported, filled, is_file};
use doc::plan::{FileUse, WeightUse, files_read};
use doc::{Run, Stage};
use form::path::Place;
use run::weight_files::{Fit, Guess, guess, read_shapes};

/// The state between frames: a file, read for values or for a mask.
#[derive(Default)]
pub struct DryRun {
    read: Latest<(PathBuf, Option<SystemTime>, bool), Weights>,
}

impl DryRun {
    /// Draws below the settings of a stage that reads weights what it would do; it has this place and is in this plan of an arm.
    /// `run` is any run of the arm, and `data` are what the stage sees, where they are those of the experiment. Returns the network of the file, if it is to be used.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        (stage, place, plan): (&Stage, &Place, &[Stage]),
        run: Option<&Run>,
        data: Option<&mut Data>,
        [base, results]: [&Path; 2],
    ) -> Option<Box<Guess>> {
        let (used, has_names) = used(stage, place).filter(|(used, _)| !used.file.is_empty())?;
        ui.add_space(theme::STEP);
        theme::heading_ui(ui, &format!("What would be {}", used.reading.done()));
        let from = used.file;
        let structure = run.and_then(|run| run.spec.structure().ok());
        let (Some(run), Some(structure)) = (run, structure) else {
            ui.label(RichText::new("Fix the document's problems first.").weak());
            return None;
        };
        if !is_file(from) && has_names {
            let text = format!("{from} is a network of this run, so names and shapes match.");
            ui.add(Label::new(RichText::new(text).small()).wrap());
            return None;
        }
        let Some(path) = path_of(&used, plan, run, [base, results]) else {
            let text =
                format!("{from} does not exist yet. Names and shapes are compared when the stage begins.");
            ui.add(Label::new(RichText::new(text).small()).wrap());
            return None;
        };
        let modified = path.metadata().and_then(|about| about.modified()).ok();
        let (asked, is_mask) = (path.clone(), used.reading.is_mask());
        let read = move || {
            let shapes = read_shapes(&asked, is_mask)?;
            Ok(Weights { guess: guess(&shapes), path: asked, shapes })
        };
        match self.read.get(&(path, modified, is_mask), ui.ctx(), read) {
            LoadState::Ready(weights) => {
                let parameters = used.reading.parameters(&structure, used.target);
                let named = weights.shapes.named_for(&structure);
                let fit = Fit::new(&structure, &parameters, &named, used.reading);
                let is_used = weights.ui(ui, Some(&fit), data.filter(|_| !is_mask));
                is_used.then(|| weights.guess.clone().ok().map(Box::new))?
            }
            LoadState::Pending => {
                ui.label("Reading the file header…");
                None
            }
            LoadState::Failed(why) => {
                widgets::message_ui(ui, Tone::Bad, why);
                None
            }
        }
    }
}

/// Returns the weights that a stage reads, if it reads any, and whether networks of the run are meant before files.
fn used<'a>(stage: &'a Stage, place: &Place) -> Option<(WeightUse<'a>, bool)> {
    stage.rule().files(&place.variant(stage.key())).into_iter().find_map(|used| match used {
        FileUse::Weights(used) => Some((used, false)),
        FileUse::Source(used) => Some((used, true)),
        FileUse::Faults(..) | FileUse::Writes(_) | FileUse::Tables | FileUse::Keeps(_) => None,
    })
}

/// Returns the path of a file that a stage reads: of the run's exports where an earlier stage of the plan writes it, otherwise
/// in the folder of the document. `None` for a file that will be exported.
fn path_of(used: &WeightUse<'_>, plan: &[Stage], run: &Run, [base, results]: [&Path; 2]) -> Option<PathBuf> {
    let name = filled(used.file, &run.arm, run.seed);
    let place = Place::default().key("arms").index(run.arm_index).key("plan");
    let is_it = |found: &FileUse<'_>| match found {
        FileUse::Weights(found) | FileUse::Source(found) => found.place == used.place,
        FileUse::Faults(..) | FileUse::Writes(_) | FileUse::Tables | FileUse::Keeps(_) => false,
    };
    let is_beside = files_read(plan, &run.arm, run.seed, &place).iter().any(|(found, _)| is_it(found));
    let path = if is_beside { base.join(&name) } else { exported(&results.join(&run.id), &name) };
    path.is_file().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::file_names::EXPORTS;
    use doc::intervention::{Graft, Intervention};

    #[test]
    fn what_an_earlier_stage_exports_wins_over_a_file_beside_the_document() {
        let text = "(arms: [(name: \"a\", plan: [Do(Import(file: \"a.safetensors\")),
            Do(Export(file: \"{arm}.safetensors\")), Do(Graft(from: \"a.safetensors\"))])])";
        let experiment = doc::file::parse(text, Path::new("x.ron")).unwrap();
        let run = doc::runs(&experiment).unwrap().swap_remove(0);
        let folder = tempfile::tempdir().unwrap();
        let (base, results) = (folder.path().to_owned(), folder.path().join("runs"));
        let [shared, own] =
            [base.clone(), results.join(&run.id).join(EXPORTS)].map(|at| at.join("a.safetensors"));
        let plan = &experiment.arms[0].plan;
        let found = |at: usize| {
            let place = Place::default().key("arms").index(0).key("plan").index(at);
            path_of(&used(&plan[at], &place).unwrap().0, plan, &run, [&base, &results])
        };
        assert_eq!((found(0), found(2)), (None, None));
        std::fs::write(&shared, "").unwrap();
        assert_eq!((found(0), found(2)), (Some(shared.clone()), None), "it is not exported yet");
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::write(&own, "").unwrap();
        assert_eq!((found(0), found(2)), (Some(shared), Some(own)));
    }

    #[test]
    fn stages_that_read_no_weights_have_no_table() {
        let place = Place::default();
        assert!(used(&Stage::Test, &place).is_none());
        let rewinding = Graft { weights: false, ..Graft::default() };
        assert!(used(&Stage::Do(Intervention::Graft(rewinding)), &place).is_none());
    }
}
