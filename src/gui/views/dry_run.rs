//! A preview of what a stage would take from a weight file, by name.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use eframe::egui::{RichText, Ui};

use crate::background::{Latest, LoadState};
use crate::form::{Heading, heading_ui};
use crate::{text, theme};
use doc::file_names::{exported, filled, is_file};
use doc::plan::{FileUse, Reading, WeightUse};
use doc::structure::Parameter;
use doc::{Run, Stage, Structure, Target, targets};
use form::path::Place;
use results::network::shape_text;
use run::weight_files::{FileShapes, Fit, read_shapes};

/// More parameters than these are folded.
const SOME: usize = 5;

/// The state between frames: the header of a file, read for values or for a mask.
#[derive(Default)]
pub struct DryRun {
    shapes: Latest<(PathBuf, Option<SystemTime>, bool), FileShapes>,
}

/// The outcome for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// This number of its entries is taken.
    Taken(usize),
    /// The target excludes it.
    LeftOut,
    /// The file does not have it, or not as the network does.
    Refused(String),
}

impl Outcome {
    const fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    fn text(&self, size: usize, reading: Reading) -> String {
        match (self, reading) {
            (Self::Taken(entries), Reading::Copies) if *entries == size => "✓ copied".to_owned(),
            (Self::Taken(entries), _) if *entries == size => "✓ read".to_owned(),
            (Self::Taken(entries), _) => format!("✓ {} entries", text::grouped(*entries as u64)),
            (Self::LeftOut, _) => "–".to_owned(),
            (Self::Refused(why), _) => format!("✗ {why}"),
        }
    }
}

impl DryRun {
    /// Draws the table below the settings of a stage, if it is one that reads weights; `run` is any run of its arm.
    pub fn ui(&mut self, ui: &mut Ui, stage: &Stage, run: Option<&Run>, base: &Path, results: &Path) {
        let place = Place::default();
        let Some((used, has_names)) = used(stage, &place) else { return };
        if used.file.is_empty() {
            return; // nothing was chosen yet
        }
        ui.add_space(2.0 * theme::STEP);
        theme::heading_ui(ui, &format!("What would be {}", used.reading.done()));
        let Some((run, structure)) = run.and_then(|run| Some((run, run.spec.structure().ok()?))) else {
            ui.label(RichText::new("Fix the document's problems first.").weak());
            return;
        };
        let from = used.file;
        if !is_file(from) && has_names {
            ui.small(format!("{from} is a network of this run, so names and shapes match."));
            return table_ui(ui, &structure, &used, None);
        }
        let Some(path) = path_of(from, stage, run, base, results) else {
            ui.small(format!(
                "{from} does not exist yet. Names and shapes are compared when the stage begins."
            ));
            return table_ui(ui, &structure, &used, None);
        };
        let modified = path.metadata().and_then(|about| about.modified()).ok();
        let (asked, is_mask) = (path.clone(), used.reading.is_mask());
        match self.shapes.get(&(path, modified, is_mask), ui.ctx(), move || read_shapes(&asked, is_mask)) {
            LoadState::Ready(shapes) => {
                let parameters = used.reading.parameters(&structure, used.target);
                let fit = Fit::new(&structure, &parameters, &shapes.named_for(&structure), used.reading);
                table_ui(ui, &structure, &used, Some(&fit));
                if let Some(unused) = fit.unused("The file") {
                    ui.small(format!("{unused}."));
                }
            }
            LoadState::Pending => drop(ui.label("Reading the file header…")),
            LoadState::Failed(why) => {
                let why = RichText::new(why).color(theme::present(ui).bad);
                ui.add(eframe::egui::Label::new(why).wrap());
            }
        }
    }
}

/// Returns the weights that a stage reads, if it reads any, and whether networks of the run are meant before files.
fn used<'a>(stage: &'a Stage, place: &Place) -> Option<(WeightUse<'a>, bool)> {
    stage.rule().files(place).into_iter().find_map(|used| match used {
        FileUse::Weights(used) => Some((used, false)),
        FileUse::Source(used) => Some((used, true)),
        FileUse::Faults(..) | FileUse::Writes(_) | FileUse::Tables | FileUse::Keeps(_) => None,
    })
}

/// Returns the path of a file that a stage reads: a file that a previous stage of its run exports, otherwise one in the
/// folder of the document or of the run. `None` for a file that will be exported.
fn path_of(name: &str, stage: &Stage, run: &Run, base: &Path, results: &Path) -> Option<PathBuf> {
    let filled = |name: &str| filled(name, &run.arm, run.seed);
    let name = filled(name);
    let mut places = vec![exported(&results.join(&run.id), &name)];
    let exports = |file: &str| filled(file) == name;
    if before(&run.spec.plan, stage, &exports) != Some(true) {
        places.insert(0, base.join(&name));
    }
    places.into_iter().find(|path| !name.is_empty() && path.is_file())
}

/// Returns true if a file is exported before a stage; `None` if the plan does not have the stage.
fn before(plan: &[Stage], stage: &Stage, exports: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut exported = false;
    for each in plan {
        if each == stage {
            return Some(exported);
        }
        let writes = |used: &FileUse<'_>| matches!(used, FileUse::Writes(file) if exports(file));
        exported |= each.rule().files(&Place::default()).iter().any(writes);
        let found = each.nested().and_then(|nested| before(nested.plan, stage, exports));
        if let Some(inside) = found {
            return Some(exported || inside);
        }
    }
    None
}

/// Returns what becomes of each parameter; without a fit, all that are meant are assumed to match.
fn outcomes(structure: &Structure, used: &WeightUse<'_>, fit: Option<&Fit>) -> Vec<Outcome> {
    let chosen = used.reading.parameters(structure, used.target);
    let outcome = |(index, parameter): (usize, &Parameter)| {
        let Some(at) = chosen.iter().position(|&chosen| chosen == index) else { return Outcome::LeftOut };
        match fit.map(|fit| (fit, &fit.rows[at])) {
            Some((fit, row)) if row.is_refused() => Outcome::Refused(fit.text(row)),
            _ => Outcome::Taken(meant(used.target, parameter)),
        }
    };
    structure.parameters.iter().enumerate().map(outcome).collect()
}

/// Returns the number of entries of a parameter that a target means.
fn meant(target: &Target, parameter: &Parameter) -> usize {
    let rows = parameter.shape.first().copied().unwrap_or(1).max(1);
    let row = parameter.len() / rows;
    (0..rows).filter(|channel| targets::has_entry(target, parameter, channel * row)).count() * row
}

/// Returns one sentence for all parameters: it is all or nothing.
fn verdict(outcomes: &[Outcome], reading: Reading, fit: Option<&Fit>) -> String {
    let done = reading.done();
    if let Some(fit) = fit.filter(|fit| !fit.fits()) {
        return format!("✗ Nothing would be {done}: {}", fit.verdict());
    }
    let taken = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Taken(_))).count();
    let all = text::counted(outcomes.len(), "parameter");
    let done = if reading.is_mask() { "read" } else { done };
    format!("✓ {} of {all} would be {done}", text::grouped(taken as u64))
}

fn table_ui(ui: &mut Ui, structure: &Structure, used: &WeightUse<'_>, fit: Option<&Fit>) {
    let outcomes = outcomes(structure, used, fit);
    let colours = theme::present(ui);
    let is_refused = outcomes.iter().any(Outcome::is_refused);
    let verdict = verdict(&outcomes, used.reading, fit);
    ui.label(RichText::new(verdict).color(if is_refused { colours.bad } else { colours.text }));
    let mut rows: Vec<(&Parameter, &Outcome)> = structure.parameters.iter().zip(&outcomes).collect();
    rows.sort_by_key(|(_, outcome)| !outcome.is_refused()); // what is wrong comes first
    let row_ui = |ui: &mut Ui, (parameter, outcome): &(&Parameter, &Outcome)| {
        ui.horizontal_wrapped(|ui| {
            ui.small(&parameter.name);
            ui.label(RichText::new(shape_text(&parameter.shape)).small().weak());
            let colour = if outcome.is_refused() { colours.bad } else { colours.text };
            ui.label(RichText::new(outcome.text(parameter.len(), used.reading)).small().color(colour));
        });
    };
    let (first, rest) = rows.split_at(rows.len().min(SOME));
    first.iter().for_each(|row| row_ui(ui, row));
    if !rest.is_empty() {
        let name = format!("{} more", rest.len());
        let heading = Heading { name: &name, summary: "", help: "", is_wrong: false, is_title: false };
        let id = ui.make_persistent_id("dry run");
        if heading_ui(ui, id, &heading, false, false).0 {
            rest.iter().for_each(|row| row_ui(ui, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Shape;
    use doc::file_names::EXPORTS;
    use doc::intervention::{Graft, Intervention, Layers};
    use doc::{Loss, Mlp, Net};

    fn structure() -> Structure {
        let net = Net::Mlp(Mlp { hidden: vec![3], ..Mlp::default() });
        Structure::new(&net, Shape::new(2, 1, 1), 2, &Loss::CrossEntropy).unwrap()
    }

    fn graft(target: Target) -> Stage {
        Stage::Do(Intervention::Graft(Graft { target, ..Graft::default() }))
    }

    #[test]
    fn a_target_leaves_parameters_and_channels_out() {
        let target = Target { layers: Layers::First(1), channels: vec![0, 2], ..Target::default() };
        let stage = graft(target);
        let (place, structure) = (Place::default(), structure());
        let (used, has_names) = used(&stage, &place).unwrap();
        let outcomes = outcomes(&structure, &used, None);
        assert_eq!(outcomes, [Outcome::Taken(4), Outcome::Taken(2), Outcome::LeftOut, Outcome::LeftOut]);
        assert!(has_names);
        assert_eq!(verdict(&outcomes, used.reading, None), "✓ 2 of 4 parameters would be copied");
    }

    #[test]
    fn one_parameter_that_does_not_fit_refuses_all() {
        let stage = graft(Target::default());
        let shapes = [("fc1.weight", vec![3, 2]), ("fc1.bias", vec![4]), ("fc2.weight", vec![2, 3])];
        let shapes = shapes.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect();
        let (place, structure) = (Place::default(), structure());
        let (used, _) = used(&stage, &place).unwrap();
        let parameters = used.reading.parameters(&structure, used.target);
        let file = FileShapes { shapes, ..FileShapes::default() };
        let fit = Fit::new(&structure, &parameters, &file.named_for(&structure), used.reading);
        let outcomes = outcomes(&structure, &used, Some(&fit));
        assert_eq!(outcomes[1], Outcome::Refused("3 here, 4 in the file".to_owned()));
        let missing = "2 here, no floating-point tensor of that name in the file".to_owned();
        assert_eq!(outcomes[3], Outcome::Refused(missing));
        let verdict = verdict(&outcomes, used.reading, Some(&fit));
        assert_eq!(verdict, "✗ Nothing would be copied: 2 of 4 parameters fit");
    }

    #[test]
    fn masks_have_a_table_too() {
        for (plan, reading, taken) in [
            ("Do(Import(file: \"m.pth\", content: Mask))", Reading::Prunes, 2),
            ("Do(Freeze(select: Mask(\"m.pth\")))", Reading::Freezes, 4),
        ] {
            let stage: Stage = form::ron_text::from_str(plan).unwrap();
            let (place, structure) = (Place::default(), structure());
            let (used, has_names) = used(&stage, &place).unwrap();
            assert_eq!((used.reading, has_names), (reading, false));
            let outcomes = outcomes(&structure, &used, None);
            let verdict = verdict(&outcomes, reading, None);
            assert_eq!(verdict, format!("✓ {taken} of 4 parameters would be read"));
        }
    }

    #[test]
    fn what_the_run_exports_itself_wins_over_a_file_beside_the_document() {
        let text = "(arms: [(name: \"a\", plan: [Do(Import(file: \"x.safetensors\")), Repeat(times: 2, body: [
            Do(Export(file: \"{arm}.safetensors\")), Do(Graft(from: \"a.safetensors\")), Do(Graft(from: \"x.safetensors\"))])])])";
        let experiment = doc::file::parse(text, Path::new("x.ron")).unwrap();
        let run = doc::runs(&experiment).unwrap().swap_remove(0);
        let folder = tempfile::tempdir().unwrap();
        let (base, results) = (folder.path().to_owned(), folder.path().join("runs"));
        let [shared, own] =
            [base.clone(), results.join(&run.id).join(EXPORTS)].map(|at| at.join("a.safetensors"));
        std::fs::write(&shared, "").unwrap();
        let from =
            |name: &str| Stage::Do(Intervention::Graft(Graft { from: name.to_owned(), ..Graft::default() }));
        let found = |name: &str| path_of(name, &from(name), &run, &base, &results);
        assert_eq!(found("a.safetensors"), None, "it is not exported yet");
        std::fs::create_dir_all(own.parent().unwrap()).unwrap();
        std::fs::write(&own, "").unwrap();
        assert_eq!(found("a.safetensors"), Some(own));
        std::fs::write(base.join("x.safetensors"), "").unwrap();
        assert_eq!(found("x.safetensors"), Some(base.join("x.safetensors")));
    }

    #[test]
    fn stages_that_read_no_weights_have_no_table() {
        let place = Place::default();
        assert!(used(&Stage::Test, &place).is_none());
        let rewinding = Graft { weights: false, ..Graft::default() };
        assert!(used(&Stage::Do(Intervention::Graft(rewinding)), &place).is_none());
    }
}
