//! A preview of what a stage would copy by name.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use eframe::egui::{Grid, RichText, Ui};

use super::loading::{LoadState, Loading};
use crate::doc::file_names::{filled, is_file};
use crate::doc::intervention::{FileContent, Import, Intervention, Params};
use crate::doc::plan::FileUse;
use crate::doc::structure::Parameter;
use crate::doc::{Run, Stage, Structure, Target, targets};
use crate::form::path::Place;
use crate::gui::{text, theme};
use crate::results::network::shape_text;
use crate::run::weight_files::{Shapes, named_as_here, read_shapes};

/// Tensors that are named where the network does not have them; more are counted.
const SOME: usize = 5;

/// The state between frames: the header of a file, read for values or for a mask.
#[derive(Default)]
pub struct DryRun {
    shapes: Loading<(PathBuf, Option<SystemTime>, bool), Shapes>,
}

/// The parts of a copying stage that the table needs.
struct CopyStage<'a> {
    from: &'a str,
    target: &'a Target,
    is_mask: bool,
}

/// The outcome for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CopyOutcome {
    /// This number of its entries is copied.
    Copied(usize),
    /// The target excludes it.
    LeftOut,
    /// The source has no parameter of that name.
    Missing,
    /// The source has another shape.
    OtherShape(String),
}

impl CopyOutcome {
    const fn is_refused(&self) -> bool {
        matches!(self, Self::Missing | Self::OtherShape(_))
    }

    fn text(&self, size: usize) -> String {
        match self {
            Self::Copied(entries) if *entries == size => "✓ copied".to_owned(),
            Self::Copied(entries) => format!("✓ {} entries", text::grouped(*entries as u64)),
            Self::LeftOut => "–".to_owned(),
            Self::Missing => "✗ no such tensor in the file".to_owned(),
            Self::OtherShape(shape) => format!("✗ {shape} in the file"),
        }
    }
}

impl DryRun {
    /// Draws the table below the settings of a stage, if it is one that copies; `run` is any run of its arm.
    pub fn ui(&mut self, ui: &mut Ui, stage: &Stage, run: Option<&Run>, base: &Path, results: &Path) {
        let Some(copying) = copying(stage) else { return };
        ui.add_space(2.0 * theme::STEP);
        theme::heading_ui(ui, if copying.is_mask { "What would be pruned" } else { "What would be copied" });
        let Some((run, structure)) = run.and_then(|run| Some((run, run.spec.structure().ok()?))) else {
            ui.label(RichText::new("Fix the document's problems first.").weak());
            return;
        };
        if !is_file(copying.from) && !copying.is_mask {
            let name = copying.from;
            ui.small(format!("{name} is a network of this run, so names and shapes match."));
            return table_ui(ui, &structure, &outcomes(&structure, &copying, None));
        }
        let Some(path) = path_of(copying.from, stage, run, base, results) else {
            let from = copying.from;
            ui.small(format!(
                "{from} does not exist yet. Names and shapes are compared when the stage begins."
            ));
            return table_ui(ui, &structure, &outcomes(&structure, &copying, None));
        };
        let modified = path.metadata().and_then(|about| about.modified()).ok();
        let (asked, is_mask) = (path.clone(), copying.is_mask);
        match self.shapes.get(&(path, modified, is_mask), ui.ctx(), move || read_shapes(&asked, is_mask)) {
            LoadState::Ready(shapes) => {
                let shapes = named_as_here(&structure, shapes.clone()).tensors;
                table_ui(ui, &structure, &outcomes(&structure, &copying, Some(&shapes)));
                others_ui(ui, &structure, &shapes);
            }
            LoadState::Pending => drop(ui.label("Reading the file header…")),
            LoadState::Failed(why) => {
                let why = RichText::new(why).color(theme::present(ui).bad);
                ui.add(eframe::egui::Label::new(why).wrap());
            }
        }
    }
}

fn copying(stage: &Stage) -> Option<CopyStage<'_>> {
    match stage {
        Stage::Do(Intervention::Graft(graft)) if graft.weights => {
            Some(CopyStage { from: &graft.from, target: &graft.target, is_mask: false })
        }
        Stage::Do(Intervention::Import(Import(file))) => {
            let is_mask = file.content == FileContent::Mask;
            Some(CopyStage { from: &file.file, target: &file.target, is_mask })
        }
        Stage::Do(
            Intervention::Graft(_)
            | Intervention::Prune(_)
            | Intervention::Freeze(_)
            | Intervention::Release(_)
            | Intervention::Fault(_)
            | Intervention::Snapshot(_)
            | Intervention::Set(_)
            | Intervention::Reinitialize(_)
            | Intervention::ShuffleMask(_)
            | Intervention::Watch(_)
            | Intervention::Export(_),
        )
        | Stage::Train(_)
        | Stage::Test
        | Stage::Repeat(_)
        | Stage::Branch(_)
        | Stage::Connect(_)
        | Stage::Campaign(_)
        | Stage::Ensemble(_) => None,
    }
}

/// The path of a file that a stage reads: a file that a previous stage of its run exports, otherwise one in the folder of the
/// document or of the run. `None` for a file that will be exported.
fn path_of(name: &str, stage: &Stage, run: &Run, base: &Path, results: &Path) -> Option<PathBuf> {
    let filled = |name: &str| filled(name, &run.arm, run.seed);
    let name = filled(name);
    let mut places = vec![results.join(&run.id).join(&name)];
    let exports = |file: &str| filled(file) == name;
    if before(&run.spec.plan, stage, &exports) != Some(true) {
        places.insert(0, base.join(&name));
    }
    places.into_iter().find(|path| !name.is_empty() && path.is_file())
}

/// Whether a file is exported before a stage; `None` if the plan does not have the stage.
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

fn outcomes(structure: &Structure, copying: &CopyStage<'_>, source: Option<&Shapes>) -> Vec<CopyOutcome> {
    let chosen = if copying.is_mask {
        targets::prunable(structure, copying.target)
    } else {
        targets::parameters(structure, copying.target, &Params::Everything)
    };
    let outcome = |(index, parameter): (usize, &Parameter)| {
        if !chosen.contains(&index) {
            return CopyOutcome::LeftOut;
        }
        let Some(source) = source else { return copied(copying.target, parameter) };
        match source.get(&parameter.name) {
            None => CopyOutcome::Missing,
            Some(shape) if *shape != parameter.shape => CopyOutcome::OtherShape(shape_text(shape)),
            Some(_) => copied(copying.target, parameter),
        }
    };
    structure.parameters.iter().enumerate().map(outcome).collect()
}

fn copied(target: &Target, parameter: &Parameter) -> CopyOutcome {
    let rows = parameter.shape.first().copied().unwrap_or(1).max(1);
    let row = parameter.len() / rows;
    let meant = (0..rows).filter(|channel| targets::has_entry(target, parameter, channel * row)).count();
    CopyOutcome::Copied(meant * row)
}

/// One sentence for all parameters: copying is all or nothing.
fn verdict(outcomes: &[CopyOutcome]) -> String {
    let refused = outcomes.iter().filter(|outcome| outcome.is_refused()).count();
    if refused > 0 {
        let parameters = text::counted(refused, "parameter");
        return format!("✗ Nothing would be copied: {parameters} do not fit");
    }
    let copied = outcomes.iter().filter(|outcome| matches!(outcome, CopyOutcome::Copied(_))).count();
    format!("✓ {} of {} fit", text::grouped(copied as u64), text::counted(outcomes.len(), "parameter"))
}

fn table_ui(ui: &mut Ui, structure: &Structure, outcomes: &[CopyOutcome]) {
    let colours = theme::present(ui);
    let is_refused = outcomes.iter().any(CopyOutcome::is_refused);
    ui.label(RichText::new(verdict(outcomes)).color(if is_refused { colours.bad } else { colours.text }));
    Grid::new("dry run").num_columns(3).striped(true).show(ui, |ui| {
        for (parameter, outcome) in structure.parameters.iter().zip(outcomes) {
            ui.small(&parameter.name);
            ui.small(shape_text(&parameter.shape));
            let colour = if outcome.is_refused() { colours.bad } else { colours.text };
            ui.label(RichText::new(outcome.text(parameter.len())).small().color(colour));
            ui.end_row();
        }
    });
}

/// Tensors of the file that the network does not have.
fn others_ui(ui: &mut Ui, structure: &Structure, shapes: &Shapes) {
    let others: Vec<&str> =
        shapes.keys().map(String::as_str).filter(|name| structure.find(name).is_none()).collect();
    if !others.is_empty() {
        let some = others.iter().take(SOME).copied().collect::<Vec<_>>().join(", ");
        let more = others.len().saturating_sub(SOME);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        ui.small(format!("The file also has {some}{more}, which this network does not have."));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;
    use crate::doc::intervention::{Graft, Layers};
    use crate::doc::{Loss, Mlp, Net};

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
        let outcomes = outcomes(&structure(), &copying(&stage).unwrap(), None);
        assert_eq!(
            outcomes,
            [CopyOutcome::Copied(4), CopyOutcome::Copied(2), CopyOutcome::LeftOut, CopyOutcome::LeftOut]
        );
        assert_eq!(verdict(&outcomes), "✓ 2 of 4 parameters fit");
    }

    #[test]
    fn one_parameter_that_does_not_fit_refuses_all() {
        let stage = graft(Target::default());
        let shapes = [("fc1.weight", vec![3, 2]), ("fc1.bias", vec![4]), ("fc2.weight", vec![2, 3])];
        let shapes: Shapes = shapes.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect();
        let outcomes = outcomes(&structure(), &copying(&stage).unwrap(), Some(&shapes));
        assert_eq!(outcomes[1], CopyOutcome::OtherShape("4".to_owned()));
        assert_eq!(outcomes[3], CopyOutcome::Missing);
        assert_eq!(verdict(&outcomes), "✗ Nothing would be copied: 2 parameters do not fit");
    }

    #[test]
    fn what_the_run_exports_itself_wins_over_a_file_beside_the_document() {
        let text = "(arms: [(name: \"a\", plan: [Do(Import(file: \"x.safetensors\")), Repeat(times: 2, body: [
            Do(Export(file: \"{arm}.safetensors\")), Do(Graft(from: \"a.safetensors\")), Do(Graft(from: \"x.safetensors\"))])])])";
        let experiment = crate::doc::file::parse(text, Path::new("x.ron")).unwrap();
        let run = crate::doc::runs(&experiment).unwrap().swap_remove(0);
        let folder = tempfile::tempdir().unwrap();
        let (base, results) = (folder.path().to_owned(), folder.path().join("runs"));
        let [shared, own] = [base.join("a.safetensors"), results.join(&run.id).join("a.safetensors")];
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
    fn stages_that_do_not_copy_have_no_table() {
        assert!(copying(&Stage::Test).is_none());
        let rewinding = Graft { weights: false, ..Graft::default() };
        assert!(copying(&Stage::Do(Intervention::Graft(rewinding))).is_none());
    }
}
