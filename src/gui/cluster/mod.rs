//! The dialog *Run on a cluster…*: what `weightlab submit` asks of Slurm, the script, where the runs are, and how to cancel.
//!
//! Slurm may take seconds to answer, and the expected time may have to be measured: threads do both.

mod looking;
mod queue_line;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui::{self, Frame, Id, Modal, RichText, ScrollArea, TextWrapMode, Ui, vec2};

use super::background::{BackgroundTask, TaskState};
use super::form::{Drafts, FormContext, fields_ui};
use super::theme::{SMALL, STEP, present};
use super::widgets::{self, Tone, title_ui};
use cluster::{ClusterSettings, Plan, Slurm, Status, arguments, cancel, save_script, submit, words};
use doc::Run;
use form::path::Place;
use looking::{Looked, SharedPaces, Subject};
pub use queue_line::ClusterQueue;

/// Size of the dialog where the window is as large, in points.
const SIZE: [f32; 2] = [1080.0, 720.0];
/// Width from which the script stands beside the settings.
const WIDE: f32 = 760.0;
/// How often the queue is asked while the dialog is open.
const ASK_EVERY: Duration = Duration::from_secs(10);

/// What the dialog is about.
#[derive(Clone, Copy)]
pub struct ClusterInput<'a> {
    /// The file of the experiment, once it is saved as it is shown.
    pub file: Option<&'a Path>,
    /// The folder of its runs.
    pub folder: &'a Path,
    /// Its runs; equal arms share some.
    pub runs: &'a [Run],
    /// Slurm's programs.
    pub slurm: &'a Slurm,
}

/// What the dialog wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterResponse {
    /// Save the experiment.
    Save,
    /// Note what was done.
    Note(String),
    /// Close the dialog.
    Close,
}

/// What was asked of Slurm by a button.
type Action = BackgroundTask<Result<String, String>>;

/// The dialog.
pub struct ClusterDialog {
    /// The settings.
    pub settings: ClusterSettings,
    drafts: Drafts,
    /// The subject and the settings of the last look, and when that was; nothing before the first one.
    looked_for: Option<(Subject, Instant)>,
    looking: Option<BackgroundTask<Looked>>,
    plan: Option<Result<Plan, String>>,
    status: Option<Status>,
    paces: SharedPaces,
    action: Option<Action>,
    message: Option<(Tone, String)>,
}

impl ClusterDialog {
    /// The dialog, with these settings to begin with.
    pub fn new(settings: ClusterSettings) -> Self {
        Self {
            settings,
            drafts: Drafts::default(),
            looked_for: None,
            looking: None,
            plan: None,
            status: None,
            paces: SharedPaces::default(),
            action: None,
            message: None,
        }
    }

    /// Draws the dialog.
    pub fn ui(&mut self, ctx: &egui::Context, input: ClusterInput<'_>) -> Option<ClusterResponse> {
        let noted = self.take_end();
        self.look(ctx, input);
        let frame = Frame::popup(&ctx.global_style()).inner_margin(2.0 * STEP);
        let modal = Modal::new(Id::unique("cluster")).frame(frame).show(ctx, |ui| {
            let size = vec2(SIZE[0], SIZE[1]).min(ctx.content_rect().size() - vec2(6.0 * STEP, 8.0 * STEP));
            ui.set_min_size(size);
            ui.set_max_size(size);
            ui.spacing_mut().item_spacing.y = STEP;
            self.contents_ui(ui, input)
        });
        let answer = modal.inner.clone().or(noted);
        answer.or_else(|| modal.should_close().then_some(ClusterResponse::Close))
    }

    fn is_busy(&self) -> bool {
        self.action.is_some()
    }

    /// Takes the end of what a button began.
    fn take_end(&mut self) -> Option<ClusterResponse> {
        let end = match self.action.as_ref()?.take() {
            TaskState::Running => return None,
            TaskState::Done(end) => end,
            TaskState::Failed(why) => Err(why),
        };
        self.action = None;
        self.looked_for = None;
        let tone = if end.is_ok() { Tone::Good } else { Tone::Bad };
        let (Ok(text) | Err(text)) = end.clone();
        self.message = Some((tone, text));
        end.ok().map(ClusterResponse::Note)
    }

    /// Takes what a thread has seen, and lets it look again after a change and from time to time.
    fn look(&mut self, ctx: &egui::Context, input: ClusterInput<'_>) {
        if let Some(task) = &self.looking {
            match task.take() {
                TaskState::Running => return,
                TaskState::Done(looked) => {
                    if let Some(plan) = looked.plan {
                        self.plan = Some(plan);
                    }
                    self.status = Some(looked.status);
                }
                TaskState::Failed(why) => self.plan = Some(Err(why)),
            }
            self.looking = None;
        }
        let Some(file) = input.file.filter(|_| !self.is_busy()) else { return };
        let is_same = |(known, _): &&(Subject, Instant)| known.is_of(file, &self.settings, input);
        let known = self.looked_for.as_ref().filter(is_same);
        let needs_plan = known.is_none();
        if known.is_some_and(|(_, at)| at.elapsed() < ASK_EVERY) {
            return ctx.request_repaint_after(ASK_EVERY);
        }
        let subject = Subject::of(file, &self.settings, input);
        let (of, slurm, paces) = (subject.clone(), input.slurm.clone(), self.paces.clone());
        self.looking = BackgroundTask::begin("cluster", ctx, move || of.look(&slurm, &paces, needs_plan));
        if self.looking.is_none() {
            self.plan = Some(Err("the system refuses another thread; close other programs".to_owned()));
        }
        self.looked_for = Some((subject, Instant::now()));
    }

    fn contents_ui(&mut self, ui: &mut Ui, input: ClusterInput<'_>) -> Option<ClusterResponse> {
        title_ui(ui, "Run on a cluster");
        if input.file.is_none() {
            return unsaved_ui(ui);
        }
        let foot = egui::Panel::bottom("cluster foot").resizable(false).frame(Frame::new());
        let response = foot.show(ui, |ui| self.foot_ui(ui, input)).inner;
        egui::CentralPanel::default().frame(Frame::new()).show(ui, |ui| {
            if ui.available_width() < WIDE {
                ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                    self.settings_ui(ui);
                    self.script_ui(ui, TextWrapMode::Wrap);
                });
                return;
            }
            let left =
                egui::Panel::left("cluster settings").resizable(false).exact_size(0.4 * ui.available_width());
            let margin = Frame::new().inner_margin(egui::Margin { right: 12, ..egui::Margin::ZERO });
            left.frame(margin).show(ui, |ui| {
                ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| self.settings_ui(ui));
            });
            egui::CentralPanel::default().frame(Frame::new()).show(ui, |ui| {
                ScrollArea::both()
                    .id_salt("script")
                    .auto_shrink([false, false])
                    .show(ui, |ui| self.script_ui(ui, TextWrapMode::Extend));
            });
        });
        response
    }

    fn settings_ui(&mut self, ui: &mut Ui) {
        let mut context = FormContext::new(Place::default(), &[]);
        context.drafts = std::mem::take(&mut self.drafts);
        let is_enabled = !self.is_busy();
        ui.add_enabled_ui(is_enabled, |ui| fields_ui(ui, &mut self.settings, |_| true, &mut context));
        self.drafts = context.drafts;
    }

    fn script_ui(&self, ui: &mut Ui, wrap: TextWrapMode) {
        if let Some(Ok(plan)) =
            self.plan.as_ref().filter(|plan| plan.as_ref().is_ok_and(|plan| !plan.is_empty()))
        {
            let text = RichText::new(plan.script.text()).monospace().color(present(ui).text2);
            ui.add(egui::Label::new(text).wrap_mode(wrap).selectable(true));
        }
    }

    /// What would be submitted and where the runs are, and the buttons.
    fn foot_ui(&mut self, ui: &mut Ui, input: ClusterInput<'_>) -> Option<ClusterResponse> {
        ui.add_space(STEP);
        for (tone, line) in self.lines() {
            widgets::message_ui(ui, tone, &line);
        }
        let is_current = self.looked_for.is_some() && self.looking.is_none();
        let plan = self.plan.as_ref().and_then(|plan| plan.as_ref().ok()).filter(|_| is_current);
        let has_tasks = plan.is_some_and(|plan| !plan.is_empty());
        let can_submit = has_tasks && plan.is_some_and(|plan| plan.trouble.is_none()) && !self.is_busy();
        let can_cancel =
            self.status.as_ref().is_some_and(|status| !status.tasks.is_empty()) && !self.is_busy();
        ui.horizontal_wrapped(|ui| {
            if widgets::primary_ui(ui, can_submit, None, "Submit").clicked() {
                self.submit(ui.ctx(), input);
            }
            let tip = "Cancels the jobs of this experiment; what was running is saved";
            if ui.add_enabled(can_cancel, widgets::button(None, "Cancel jobs")).on_hover_text(tip).clicked() {
                self.cancel(ui.ctx(), input);
            }
            let tip = "Copies the command that submits the same from a login node of the cluster";
            if ui.add(widgets::button(None, "Copy command")).on_hover_text(tip).clicked() {
                ui.ctx().copy_text(self.command(input));
                self.message = Some((Tone::Good, format!("Copied: {}", self.command(input))));
            }
            let tip = "Writes the script into the folder of results, to be submitted by hand";
            let save = widgets::button(None, "Save script");
            if ui.add_enabled(has_tasks, save).on_hover_text(tip).clicked() {
                self.save_script();
            }
            ui.add(widgets::button(None, "Close")).clicked().then_some(ClusterResponse::Close)
        })
        .inner
    }

    /// What there is to say, each with its tone.
    fn lines(&self) -> Vec<(Tone, String)> {
        let mut lines = Vec::new();
        match &self.plan {
            None => lines.push((Tone::Info, "Looking at the runs and at the queue…".to_owned())),
            Some(Err(why)) => lines.push((Tone::Bad, doc::capitalised(why))),
            Some(Ok(plan)) => {
                lines.extend(plan.summary().into_iter().map(|line| (Tone::Info, line)));
                let trouble = plan.trouble.as_ref().map(|trouble| doc::capitalised(&trouble.to_string()));
                lines.extend(trouble.map(|trouble| (Tone::Warning, trouble)));
            }
        }
        if let Some(status) = self.status.as_ref().filter(|status| status.trouble.is_none()) {
            lines.extend(status.queue_in_words().into_iter().map(|line| (Tone::Info, line)));
        }
        lines.extend(self.message.clone());
        lines
    }

    fn submit(&mut self, ctx: &egui::Context, input: ClusterInput<'_>) {
        let Some(Ok(plan)) = self.plan.take() else { return };
        let slurm = input.slurm.clone();
        self.act(ctx, move || {
            let submitted = submit(plan, &slurm).map_err(|error| error.to_string())?;
            Ok(format!("Submitted job {} with {}", submitted.job, submitted.script.display()))
        });
    }

    fn cancel(&mut self, ctx: &egui::Context, input: ClusterInput<'_>) {
        let (folder, slurm) = (input.folder.to_owned(), input.slurm.clone());
        self.act(ctx, move || {
            let jobs = cancel(&folder, &slurm).map_err(|error| error.to_string())?;
            Ok(if jobs.is_empty() {
                "No job of this experiment is in the queue".to_owned()
            } else {
                format!("Cancelled job {}", jobs.join(", "))
            })
        });
    }

    fn act(&mut self, ctx: &egui::Context, work: impl FnOnce() -> Result<String, String> + Send + 'static) {
        self.message = None;
        self.action = BackgroundTask::begin("cluster", ctx, work);
        if self.action.is_none() {
            let text = "The system refuses another thread; close other programs".to_owned();
            self.message = Some((Tone::Bad, text));
        }
    }

    fn save_script(&mut self) {
        let Some(Ok(plan)) = &self.plan else { return };
        self.message = Some(match save_script(plan) {
            Ok(path) => {
                let path = path.to_string_lossy();
                (Tone::Good, format!("Saved; submit it with {}", words(["sbatch", &path])))
            }
            Err(error) => (Tone::Bad, error.to_string()),
        });
    }

    /// The command line that submits the same.
    fn command(&self, input: ClusterInput<'_>) -> String {
        let file = input.file.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let arguments = arguments(&self.settings);
        words(["weightlab", "submit", &file].into_iter().chain(arguments.iter().map(String::as_str)))
    }
}

/// Draws what has to be done before.
fn unsaved_ui(ui: &mut Ui) -> Option<ClusterResponse> {
    let text = "The tasks read the file of the experiment: save it first, in a folder that all nodes of the cluster \
        can reach.";
    ui.label(RichText::new(text).size(SMALL).color(present(ui).text2));
    ui.horizontal(|ui| {
        if widgets::primary_ui(ui, true, None, "Save").clicked() {
            return Some(ClusterResponse::Save);
        }
        ui.add(widgets::button(None, "Close")).clicked().then_some(ClusterResponse::Close)
    })
    .inner
}
