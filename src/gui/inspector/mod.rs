//! The inspector: settings of what is selected above, those of the experiment below. Looking at one never changes the
//! other.

mod experiment;

use std::path::Path;

use eframe::egui::{self, Align, Key, Label, Layout, RichText, ScrollArea, Ui};

use crate::document::Document;
use crate::form::{About, FormButton, FormContext, FormRequest, close_lines, edited, inner_ui, value_ui};
use crate::icons::Icon;
use crate::runs::Runs;
use crate::selection::Selection;
use crate::swept::runs_text;
use crate::views::DryRun;
use crate::widgets::bounded_ui;
use crate::{arm_look, faults, plan, text, theme, widgets};
use doc::arch::{Difference, place_of};
use doc::intervention::Prune;
use doc::structure::logits;
use doc::{Arm, Experiment, Intervention, Net, Run, Stage, planned};
use form::path::{Place, Segment};
use form::{Names, Node, Value};
use results::run_state::DEFINITION;
use results::{ReportLevel, RunState};
use run::weight_files::Guess;

/// Settings of an arm with a separate editor.
const OF_PLAN: &[&str] = &["plan"];
/// Settings of an import that stand below what would be copied from its file.
const BELOW_FILE: &[&str] = &["content", "target"];

/// The state of the inspector between frames.
#[derive(Default)]
pub struct Inspector {
    /// What its forms know of the document, at a revision of it and for an arm.
    about: Option<((u64, Option<usize>), About)>,
    /// Height of the settings of the experiment in the last frame, in points.
    height: f32,
    /// True if open lines are to be closed, since their positions mean other items.
    pub closes_lines: bool,
}

/// The input of the inspector: the document, and what is selected.
pub struct Inspected<'a> {
    pub document: &'a mut Document,
    pub runs: &'a Runs,
    pub selection: &'a mut Selection,
    /// A setting to scroll to and to give the keyboard to; taken once it is reached.
    pub focus: &'a mut Option<Place>,
    /// What a stage that copies would do.
    pub dry_run: &'a mut DryRun,
    /// The arm that is to have the network of a weight file, and that network.
    pub network: &'a mut Option<(usize, Box<Guess>)>,
    pub results: &'a Path,
    /// What the selected run has in the columns of the table of runs.
    pub details: &'a [(String, String)],
    /// The index of the style of the selected arm.
    pub colour: Option<usize>,
    pub notes: &'a mut Vec<String>,
}

/// A request of the inspector to the window.
#[derive(Clone, Debug, PartialEq)]
pub enum InspectorRequest {
    /// A path for the setting at a place.
    Browse(Place, Names),
    /// The view of networks: of the arm at this position, or of the experiment.
    ShowNetwork(Option<usize>),
}

impl Inspector {
    /// Draws both parts. Returns what the user asks of the window.
    pub fn ui(&mut self, ui: &mut Ui, mut input: Inspected<'_>) -> Option<InspectorRequest> {
        if std::mem::take(&mut self.closes_lines) {
            close_lines(ui.ctx());
        }
        // A field that is no longer drawn was left too.
        if edited(ui.ctx()).is_none() && !ui.input(|input| input.key_pressed(Key::Escape)) {
            input.document.enter_typed();
        }
        let arm = input.selection.arm();
        let key = (input.document.revision(), arm);
        if self.about.as_ref().is_none_or(|(known, _)| *known != key) {
            self.about = Some((key, About::new(&input.document.experiment, arm)));
        }
        let problems = input.document.problems().to_vec();
        let (_, about) = self.about.take().unwrap_or_default();
        let mut context = FormContext::new(Place::default(), &problems);
        (context.about, context.drafts) = (about, std::mem::take(&mut input.document.drafts));
        context.buttons = BUTTONS;
        let focus = input.focus.take();
        let is_of_arm = focus.as_ref().is_some_and(|place| selection_of(place).is_some());
        let (of_arm, of_all) = if is_of_arm { (focus, None) } else { (None, focus) };

        let room = ui.available_height();
        let top = ui.cursor().top();
        context.focus = of_arm;
        selected_head_ui(ui, &mut input);
        let used = ui.cursor().top() - top;
        let most = (room - used - self.height.min(room / 2.0)).max(80.0);
        ScrollArea::vertical()
            .id_salt(("selected", format!("{:?}", input.selection)))
            .max_height(most)
            .auto_shrink([false, true])
            .show(ui, |ui| bounded_ui(ui, |ui| selected_ui(ui, &mut input, &mut context)));
        let rest = context.focus.take();
        ui.add_space(theme::STEP);
        ui.separator();

        let top = ui.cursor().top();
        context.focus = of_all;
        widgets::title_ui(ui, "Experiment");
        let head = ui.cursor().top() - top;
        let shown = ScrollArea::vertical().id_salt("experiment").auto_shrink([false, false]).show(ui, |ui| {
            bounded_ui(ui, |ui| {
                experiment::experiment_ui(ui, input.document, &mut context);
            });
        });
        self.height = shown.content_size.y + head + 3.0 * theme::STEP;

        *input.focus = context.focus.take().or(rest);
        input.document.drafts = context.drafts;
        self.about = Some((key, context.about));
        input.notes.append(&mut context.notes);
        let requests = context.requests;
        requests.into_iter().filter_map(|request| answer(request, &mut input)).last()
    }
}

/// Answers a request of a form, or returns what only the window can do.
fn answer(request: FormRequest, input: &mut Inspected<'_>) -> Option<InspectorRequest> {
    match request {
        FormRequest::Browse(place, names) => return Some(InspectorRequest::Browse(place, names)),
        FormRequest::Press(place, EDIT) => {
            input.notes.extend(edit_as_layers(&mut input.document.experiment, &place));
        }
        FormRequest::Press(place, SHOW) => {
            let arm = selection_of(&place).and_then(|selection| selection.arm());
            return Some(InspectorRequest::ShowNetwork(arm));
        }
        FormRequest::Press(..) => {}
        FormRequest::Show(place) => {
            if let Some(selection) = selection_of(&place) {
                *input.selection = selection;
            }
            *input.focus = Some(place);
        }
        FormRequest::Sweep { arm, path, values } => {
            let experiment = &mut input.document.experiment;
            let sweep = match arm {
                None => &mut experiment.sweep,
                Some(index) => &mut experiment.arms.get_mut(index)?.sweep,
            };
            match values {
                Some(values) => drop(sweep.0.insert(path, values)),
                None => drop(sweep.0.remove(&path)),
            }
        }
    }
    None
}

fn selected_head_ui(ui: &mut Ui, input: &mut Inspected<'_>) {
    ui.horizontal(|ui| {
        widgets::title_ui(ui, "Selected");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_changed = with_settings(input, |settings, kept| is_changed(settings, kept));
            let name = "Reset all to defaults";
            let button = widgets::icon_button_ui(ui, is_changed == Some(true), Icon::Undo, name);
            if button.on_disabled_hover_text("All settings have their defaults").clicked() {
                with_settings(input, reset);
            }
        });
    });
    let Some(index) = input.selection.arm() else { return };
    let Some(arm) = input.document.experiment.arms.get(index) else { return };
    let (name, style) = (arm.name.clone(), input.colour.unwrap_or(index));
    let inner = match &*input.selection {
        Selection::Stage { path, .. } => {
            let number: Vec<String> = path.iter().map(|index| (index + 1).to_string()).collect();
            let stage = plan::stage_in(&arm.plan, path);
            stage.map(|stage| format!("{} {}", number.join("."), stage.about().label))
        }
        Selection::Run { id, .. } => input.document.run(id).map(|run| format!("seed {}", run.seed)),
        Selection::Setting { name: setting, .. } => {
            Some(setting.strip_prefix(&name).unwrap_or(setting).trim_start_matches(", ").to_owned())
        }
        Selection::Arm(_) | Selection::Experiment => None,
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::STEP / 2.0;
        let (rect, _) = ui.allocate_exact_size(eframe::egui::vec2(12.0, 20.0), eframe::egui::Sense::hover());
        arm_look::mark(ui, rect.center(), style, true);
        let medium = theme::medium(theme::BODY);
        let Some(inner) = inner else {
            return drop(ui.add(Label::new(RichText::new(name).font(medium)).truncate()));
        };
        let room = ui.available_width() - theme::width(ui.painter(), &inner, &medium) - 4.0 * theme::STEP;
        let shown = theme::fitted(ui.painter(), &name, &medium, room.max(4.0 * theme::STEP));
        let link = ui.add(Label::new(shown).sense(eframe::egui::Sense::click()));
        if link.on_hover_text(format!("Settings of {name}")).clicked() {
            *input.selection = Selection::Arm(index);
        }
        ui.label(Icon::CaretRight.text(theme::SMALL));
        ui.add(Label::new(RichText::new(inner).font(medium)).truncate());
    });
    ui.add_space(theme::STEP / 2.0);
}

fn prune_of(stage: &mut Stage) -> Option<&mut Prune> {
    if let Stage::Do(Intervention::Prune(prune)) = stage { Some(prune) } else { None }
}

/// Uses the settings of what is selected, and the keys of those that are no settings of it alone.
fn with_settings<R>(input: &mut Inspected<'_>, act: impl FnOnce(&mut dyn Value, &[&str]) -> R) -> Option<R> {
    let arms = &mut input.document.experiment.arms;
    match &*input.selection {
        Selection::Arm(index) | Selection::Setting { arm: index, .. } => {
            Some(act(arms.get_mut(*index)?, &["name", "plan"]))
        }
        Selection::Stage { arm, path } => {
            Some(act(plan::stage_at_mut(&mut arms.get_mut(*arm)?.plan, path)?, plan::NESTED))
        }
        Selection::Run { .. } | Selection::Experiment => None,
    }
}

fn is_changed(value: &mut dyn Value, kept: &[&str]) -> bool {
    if let Node::Choice(choice) = value.node() {
        return choice.payload().is_some_and(|payload| is_changed(payload, kept));
    }
    let Node::Group(group) = value.node() else { return false };
    let mut fields = group.fields().iter().enumerate();
    fields.any(|(index, field)| !kept.contains(&field.key) && !group.is_default(index))
}

fn reset(value: &mut dyn Value, kept: &[&str]) {
    if let Node::Choice(choice) = value.node() {
        if let Some(payload) = choice.payload() {
            reset(payload, kept);
        }
    } else if let Node::Group(group) = value.node() {
        let fields = group.fields().iter().enumerate();
        fields.filter(|(_, field)| !kept.contains(&field.key)).for_each(|(index, _)| group.reset(index));
    }
}

fn selected_ui(ui: &mut Ui, input: &mut Inspected<'_>, context: &mut FormContext<'_>) {
    let arms = Place::default().key("arms");
    match input.selection.clone() {
        Selection::Experiment => {
            let text = "Select an arm, a stage or a run at the left to see its settings.";
            ui.add(Label::new(RichText::new(text).size(theme::SMALL).color(theme::present(ui).text3)).wrap());
        }
        Selection::Run { id, .. } => {
            run_ui(ui, input.document.run(&id), input.runs, input.details);
        }
        Selection::Arm(index) | Selection::Setting { arm: index, .. } => {
            let text = runs_text(&input.document.experiment, &context.about.swept, Some(index));
            let Some(arm) = input.document.experiment.arms.get_mut(index) else { return };
            (context.place, context.elsewhere) = (arms.index(index), OF_PLAN);
            value_ui(ui, arm, context);
            hint_ui(ui, text.as_deref());
        }
        Selection::Stage { arm: index, path } => {
            let run = input.document.runs().iter().find(|run| run.arm_index == index).cloned();
            let base = input.document.base();
            let Experiment { arms: all, data, .. } = &mut input.document.experiment;
            let Some(arm) = all.get_mut(index) else { return };
            let (place, whole) = (arms.index(index).key("plan"), arm.plan.clone());
            let Some((stage, place)) = plan::stage_at(&mut arm.plan, place, &path) else { return };
            let is_import = matches!(stage, Stage::Do(Intervention::Import(_)));
            (context.place, context.elsewhere) =
                (place.clone(), if is_import { BELOW_FILE } else { plan::NESTED });
            context.about.usual_params = Some(stage.usual_params());
            let criterion = prune_of(stage).map(|prune| prune.criterion.clone());
            inner_ui(ui, stage, context);
            if let Some((prune, before)) = prune_of(stage).zip(criterion) {
                prune.follow_criterion(&before);
            }
            // A stage within another may see other data.
            let data = (path.len() == 1).then_some(data);
            let folders = [&base, input.results];
            let around = (&*stage, &place, &whole[..]);
            let network = bounded_ui(ui, |ui| input.dry_run.ui(ui, around, run.as_ref(), data, folders));
            *input.network = network.map(|network| (index, network));
            if is_import {
                context.elsewhere = &["file"];
                inner_ui(ui, stage, context);
            }
            hint_ui(ui, Some(stage.about().help));
            widgets::outline_inputs(ui);
            bounded_ui(ui, |ui| faults::stage_ui(ui, stage, run.as_ref()));
        }
    }
    (context.place, context.elsewhere) = (Place::default(), &[]);
}

fn hint_ui(ui: &mut Ui, text: Option<&str>) {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return };
    ui.add_space(theme::STEP / 2.0);
    let text = RichText::new(text).size(theme::SMALL).color(theme::present(ui).text3);
    ui.add(Label::new(text).wrap());
}

/// Returns what has to be selected to see a setting; nothing for settings of the experiment, which are always there.
pub fn selection_of(place: &Place) -> Option<Selection> {
    match place.0.as_slice() {
        [Segment::Key(arms), Segment::Index(arm), Segment::Key(key), rest @ ..]
            if arms == "arms" && key == "plan" =>
        {
            let path: Vec<usize> = stage_path(rest);
            Some(if path.is_empty() { Selection::Arm(*arm) } else { Selection::Stage { arm: *arm, path } })
        }
        [Segment::Key(arms), Segment::Index(arm), ..] if arms == "arms" => Some(Selection::Arm(*arm)),
        _ => None,
    }
}

fn stage_path(mut rest: &[Segment]) -> Vec<usize> {
    let mut path = Vec::new();
    while let [Segment::Index(index), inner @ ..] = rest {
        path.push(*index);
        rest = match inner {
            [Segment::Variant(_), Segment::Key(key), deeper @ ..] if plan::NESTED.contains(&key.as_str()) => {
                deeper
            }
            _ => &[],
        };
    }
    path
}

const EDIT: &str = "Edit as layers";
const SHOW: &str = "Show network";

const BUTTONS: &[FormButton] = &[
    FormButton {
        of: Net::TITLE,
        is_for: |key| key != "Sequential",
        text: EDIT,
        help: "Write the network out as a list of layers that can be changed; names and initial weights stay the same",
    },
    FormButton {
        of: Net::TITLE,
        is_for: |_| true,
        text: SHOW,
        help: "Open the view Network, which follows every edit",
    },
];

/// Returns the layer in which the lists of layers of two experiments differ, if any differ: its place in the new one,
/// if it is there.
#[allow(clippy::option_option, reason = "whether lists differ, and where")]
pub fn edited_layer(old: &Experiment, new: &Experiment) -> Option<Option<Place>> {
    let root = Place::default();
    let arms = old.arms.iter().zip(&new.arms).enumerate();
    let of_arm = |(arm, (old, new)): (usize, (&'_ Arm, &'_ Arm))| {
        let place = Place::default().key("arms").index(arm).key("net");
        Some((place, old.net.clone()?, new.net.clone()?))
    };
    let mut nets = arms.filter_map(of_arm).chain([(root.key("net"), old.net.clone(), new.net.clone())]);
    nets.find_map(|(place, old, new)| {
        let (old, layers) = old.rule().written().zip(new.rule().written())?;
        let difference = Difference::between(old, layers)?;
        Some(difference.layer().map(|path| place_of(&place.variant(new.key()), layers, path)))
    })
}

/// Replaces the named network at a place, that of the experiment or of an arm, by the list of its layers. Returns what to
/// note about it.
fn edit_as_layers(experiment: &mut Experiment, place: &Place) -> Option<String> {
    let arm = selection_of(place).and_then(|selection| selection.arm());
    let spec = planned(experiment, arm);
    let net = match arm {
        Some(arm) => experiment.arms.get_mut(arm)?.net.as_mut()?,
        None => &mut experiment.net,
    };
    let facts = spec.data.facts(net.image_side())?;
    let outputs = logits(net, facts.classes, &spec.train.loss);
    let name = net.rule().name(facts.shape, outputs);
    let list = net.to_layers(facts.shape, outputs);
    let count = list.layers.len();
    *net = Net::Sequential(list);
    let own = arm.and_then(|arm| experiment.arms.get(arm)).map(|arm| &arm.sweep);
    let mut sweeps = [Some(&experiment.sweep), own].into_iter().flatten().flat_map(|sweep| sweep.0.keys());
    let swept = sweeps
        .find(|path| path.starts_with("net."))
        .map_or_else(String::new, |path| format!(". The sweep over {path} no longer applies; remove it"));
    Some(format!("{name} is now a list of {count} layers; Undo restores it{swept}"))
}

/// Draws what is known of a run, with its cells in the table of runs; `run` is none where the document no longer has it.
fn run_ui(ui: &mut Ui, run: Option<&Run>, runs: &Runs, details: &[(String, String)]) {
    let Some(run) = run else {
        ui.label("This run has outdated settings. Select another one.");
        return;
    };
    let state = runs.state(&run.id);
    ui.label(format!("{} {}", text::sign(&state), runs.word(&run.id)));
    if let Some(id) = runs.stray(run) {
        ui.label(format!("Outdated results: {} {}", text::sign(&runs.state(id)), runs.word(id)));
    }
    if runs.has_diverged(run) {
        widgets::message_ui(ui, widgets::Tone::Warning, DEFINITION);
    }
    if let RunState::Failed(why) = &state {
        ui.add(Label::new(RichText::new(why).color(theme::present(ui).bad)).wrap().selectable(true));
        if ui.add(widgets::button(Icon::Copy, "Copy message")).clicked() {
            ui.ctx().copy_text(why.clone());
        }
    }
    let Some(record) = runs.record(&run.id) else { return };
    egui::Grid::new("run").num_columns(2).spacing([2.0 * theme::STEP, theme::STEP / 2.0]).show(ui, |ui| {
        let mut row = |name: &str, value: String| {
            ui.label(RichText::new(name).weak());
            ui.add(Label::new(&value).truncate());
            ui.end_row();
        };
        if state == RunState::Running {
            let progress = record.progress();
            let done = text::whole_percent(progress.done);
            row("Progress", format!("{done}, {} of its stage", record.position()));
            if let Some(secs) = progress.secs_left {
                row("Time left", text::duration(secs));
            }
        }
        for (name, value) in details {
            row(name, value.clone());
        }
        row("Run ID", run.id.clone());
    });
    ui.add_space(theme::STEP);
    for report in record.reports() {
        if report.level == ReportLevel::Warning {
            widgets::message_ui(ui, widgets::Tone::Warning, &report.summary);
            continue;
        }
        let check = match report.passed {
            Some(true) => "✓ ",
            Some(false) => "✗ ",
            None => "",
        };
        ui.label(RichText::new(format!("{check}{}", report.summary)).small());
    }
}

#[cfg(test)]
mod tests;
