//! The queue: runs in progress, those that wait in their order, those that have not finished, and how they share the machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use eframe::egui::accesskit::Role;
use eframe::egui::{
    self, Context, Id, Label, Popup, Response, RichText, Sense, Stroke, TextEdit, Ui, pos2, vec2,
};

use super::{Request, Shared, View, ViewEntry, ViewInput};
use crate::background::Latest;
use crate::compare::{Compare, CompareResponse};
use crate::icons::Icon;
use crate::runs::{QueueAction, QueueCounts, QueueLine, QueueRequest, Runs, Sharing};
use crate::table::{Column, Ground, PADDING, Table};
use crate::theme::{self, CONTROL, STEP, present};
use crate::widgets::{self, FieldState};
use cluster::{FOLDER, Slurm, Status};
use results::RunState;
use results::tiles::Group;
use run::QueueOptions;

const ROW: f32 = CONTROL;
/// Width of the place of a run and the dot of its arm, in points.
const MARKS: f32 = 56.0;
/// The part of the rest of a row that the name of its run gets.
const NAME_SHARE: f32 = 0.4;
/// Width of the buttons of a row, in points.
const BUTTONS: f32 = 4.0 * CONTROL + 2.0 * PADDING;
/// Width of the bar of a run in progress, in points.
const BAR: f32 = 8.0 * STEP;
/// The least time between two updates of the list, in seconds, while records grow.
const PAUSE: f64 = 0.25;

/// Slurm's queue is asked this often.
const ASK_EVERY: Duration = Duration::from_secs(10);

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "queue",
    title: "Queue",
    group: Group::Runs,
    help: "Which run is next, how far are the others, and how do they share the machine? \
           Runs in progress come first, then those that wait, in the order in which they start, then those that were \
           stopped or have failed. Drag a waiting run or use its arrows to move it; the order is kept with the results. \
           Runs side by side and threads can be changed at any time: runs in progress pause for a moment and continue \
           from their checkpoints, with the same results to the last bit.",
    make: || Box::<Queue>::default(),
};

/// The state between frames.
#[derive(Default)]
struct Queue {
    lines: Vec<QueueLine>,
    /// The revisions of records and rows that the lines are of, and when they were made, in seconds.
    made: Option<([u64; 2], f64)>,
    /// The jobs of the experiment in Slurm.
    cluster: ClusterQueue,
    /// Arms with their positions and colours.
    arms: BTreeMap<String, [usize; 2]>,
}

impl View for Queue {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        if let Some(wait) = self.update(input, shared.compare, ui.input(|input| input.time)) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(wait));
        }
        let sharing =
            Self::head_ui(ui, input.runs, input.listed.len(), shared.store.of()).map(Request::Sharing);
        self.cluster_ui(ui, input);
        if self.lines.is_empty() {
            ui.label("Nothing is queued: press Run");
            return sharing;
        }
        let response = sharing.or(self.lines_ui(ui, input));
        if response.is_some() {
            self.made = None; // what was asked for is seen at once
        }
        response
    }
}

impl Queue {
    /// Lists the runs again where that is due. `now` in seconds; returns the time after which to look again, where the list
    /// is behind the records.
    fn update(&mut self, input: &ViewInput<'_>, compare: &Compare, now: f64) -> Option<f64> {
        let revisions = [input.runs.revision(), compare.revision];
        if let Some((made, at)) = self.made {
            let left = at + PAUSE - now;
            if made == revisions || left > 0.0 {
                return (made != revisions).then_some(left);
            }
        }
        self.made = Some((revisions, now));
        self.lines = input.runs.queue_lines(input.listed);
        self.arms = compare.arms_and_colours();
        None
    }

    /// Draws counts, and how runs share the machine.
    fn head_ui(ui: &mut Ui, runs: &Runs, listed: usize, typed: &mut TypedSharing) -> Option<Sharing> {
        let used = runs.options().unwrap_or_else(|| runs.sharing.options(listed));
        let mut sharing = runs.sharing;
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(CONTROL);
            typed.fields_ui(ui, used, &mut sharing);
            if runs.is_running() {
                let words = RichText::new(runs.batch_words()).color(present(ui).text2);
                ui.add(Label::new(words).selectable(false));
            }
        });
        (sharing != runs.sharing).then_some(sharing)
    }

    /// Draws a line with the jobs of the experiment in Slurm's queue.
    fn cluster_ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>) {
        let lines = self.cluster.lines(input.results, &Slurm::default(), ui.ctx()).join("; ");
        if !lines.is_empty() {
            ui.label(RichText::new(lines).color(present(ui).text2));
        }
    }

    fn lines_ui(&self, ui: &mut Ui, input: &ViewInput<'_>) -> Option<Request> {
        let rest = ui.available_width() - ui.spacing().scroll.allocated_width() - MARKS - BUTTONS;
        let column = |width: f32| Column { width: width.max(0.0), ..Column::default() };
        let name = NAME_SHARE * rest;
        let buttons = Column { ends_right: true, ..column(BUTTONS) };
        let columns = [column(MARKS), column(name), column(rest - name), buttons];
        let table = Table {
            id: "queue",
            columns: &columns,
            rows: self.lines.len(),
            row_height: ROW,
            has_no_head: true,
            ..Table::default()
        };
        let (mut response, mut ids, list) = (None, Vec::new(), ui.scope_id());
        table.show(ui, &mut |ui, place, column| {
            let line = &self.lines[place];
            let asked = match column {
                None => {
                    let (ground, asked) = self.ground_ui(ui, list, place, input);
                    ids.push((ground.id, place));
                    asked
                }
                Some(0) => {
                    self.marks_ui(ui, line, input.runs);
                    None
                }
                Some(1) => {
                    ui.add(Label::new(name_of(line, input.runs)).selectable(false).truncate());
                    None
                }
                Some(2) => {
                    state_ui(ui, line, input.runs);
                    None
                }
                Some(_) => buttons_ui(ui, line, input.runs)
                    .map(|action| Request::Queue(QueueRequest { action, runs: vec![line.run.clone()] })),
            };
            response = asked.or(response.take());
        });
        let rows: Vec<Id> = ids.iter().map(|(id, _)| *id).collect();
        if let Some(target) = widgets::arrow_target(ui, &rows) {
            response = self.select(ids[target].1, input.runs);
        }
        response
    }

    /// Draws the ground of a row; returns what its keys, its menu and a drag ask for.
    fn ground_ui(
        &self,
        ui: &Ui,
        list: Id,
        place: usize,
        input: &ViewInput<'_>,
    ) -> (Response, Option<Request>) {
        let (line, rect) = (&self.lines[place], ui.max_rect());
        let ground = Ground {
            id: list.with(("queued", &line.run)),
            name: &name_of(line, input.runs),
            role: Role::ListItem,
            sense: if line.place.is_some() { Sense::click_and_drag() } else { Sense::click() },
            is_selected: input.selection.run() == Some(&line.run),
            is_owner: false,
        };
        let ground = ground.ui(ui, rect);
        let mut response = None;
        if ground.clicked() {
            ground.request_focus();
            response = self.select(place, input.runs);
        }
        let dropped = self.dropped_ui(ui, &ground, line, rect.top() - ROW * place as f32);
        let ids = std::slice::from_ref(&line.run);
        let asked = dropped.map(|action| QueueRequest { action, runs: ids.to_vec() });
        let menu = Popup::context_menu(&ground).show(|ui| queue_entries_ui(ui, input.runs, ids));
        let asked = menu.and_then(|shown| shown.inner).or(asked);
        (ground, asked.map(Request::Queue).or(response))
    }

    /// Shows where a row that is dragged would go; returns where it was dropped. `top` is that of the list.
    fn dropped_ui(&self, ui: &Ui, ground: &Response, line: &QueueLine, top: f32) -> Option<QueueAction> {
        let place = line.place.filter(|_| ground.dragged() || ground.drag_stopped())?;
        let pointer = ground.interact_pointer_pos()?;
        let waiting: Vec<&QueueLine> = self.lines.iter().filter(|line| line.place.is_some()).collect();
        let first = top + ROW * self.lines.iter().position(|line| line.place.is_some())? as f32;
        let slot = (((pointer.y - first) / ROW).round().max(0.0) as usize).min(waiting.len());
        if ground.dragged() {
            let stroke = Stroke::new(2.0, present(ui).focus);
            ui.painter().hline(ground.rect.x_range(), first + ROW * slot as f32, stroke);
        }
        let is_elsewhere = slot + 1 != place && slot != place;
        (ground.drag_stopped() && is_elsewhere)
            .then(|| QueueAction::Before(waiting.get(slot).map(|line| line.run.clone())))
    }

    fn select(&self, place: usize, runs: &Runs) -> Option<Request> {
        let id = self.lines.get(place)?.run.clone();
        let [arm, _] = *self.arms.get(&runs.arm_seed(&id)?.0)?;
        Some(Request::Compare(CompareResponse::Select { arm, id }))
    }

    /// Draws the place or the state of a run, and the dot of its arm.
    fn marks_ui(&self, ui: &Ui, line: &QueueLine, runs: &Runs) {
        let colours = present(ui);
        let at = |x: f32| pos2(ui.max_rect().left() + x, ui.max_rect().center().y);
        if let Some(place) = line.place {
            let font = egui::FontId::proportional(theme::BODY);
            ui.painter().text(at(10.0), egui::Align2::CENTER_CENTER, place.to_string(), font, colours.text2);
        } else {
            let (icon, ink) = match &line.state {
                RunState::Failed(_) if !line.is_running => (Icon::WarningFill, colours.bad),
                _ if runs.is_paused() && line.is_running => (Icon::PauseFill, colours.text3),
                _ if line.is_running => (Icon::PlayFill, colours.link),
                RunState::Stopped => (Icon::StopFill, colours.text3),
                RunState::Waiting | RunState::Running | RunState::Done | RunState::Failed(_) => {
                    (Icon::CircleDashed, colours.text3)
                }
            };
            icon.paint(ui.painter(), at(10.0), 14.0, ink);
        }
        if let Some([_, colour]) = runs.arm_seed(&line.run).and_then(|(arm, _)| self.arms.get(arm)) {
            ui.painter().circle_filled(at(34.0), 4.0, theme::arm_colour(ui, *colour));
        }
    }
}

/// Returns the name of a run: "dense, seed 1".
fn name_of(line: &QueueLine, runs: &Runs) -> String {
    runs.name(&line.run).unwrap_or_else(|| format!("run {}", line.run))
}

/// Draws the state of a run with its progress, and the time left.
fn state_ui(ui: &mut Ui, line: &QueueLine, runs: &Runs) {
    let colours = present(ui);
    if line.is_running && ui.available_width() > 3.0 * BAR {
        let (rect, _) = ui.allocate_exact_size(vec2(BAR, 6.0), Sense::hover());
        let share = runs.record(&line.run).map_or(0.0, |record| record.progress().done) as f32;
        ui.painter().rect_filled(rect, 3.0, colours.raised);
        ui.painter().rect_filled(rect.with_max_x(rect.left() + BAR * share), 3.0, colours.link);
    }
    let has_failed = matches!(line.state, RunState::Failed(_)) && !line.is_running;
    let (state, hint) = line.words(runs);
    let state = RichText::new(state).color(if has_failed { colours.bad } else { colours.text2 });
    ui.add(Label::new(state).selectable(false).truncate()).on_hover_text(hint);
}

/// Draws the buttons of a run, from right to left: what starts or stops it is at the end.
fn buttons_ui(ui: &mut Ui, line: &QueueLine, runs: &Runs) -> Option<QueueAction> {
    let name = name_of(line, runs);
    let entries = entries(runs.counts([&line.run]), runs.is_running(), line.place.is_some());
    let (last, others) = entries.split_first()?;
    ui.spacing_mut().item_spacing.x = 0.0;
    let mut asked = None;
    for (icon, verb, action) in std::iter::once(last).chain(others.iter().rev()) {
        let button = widgets::icon_button_ui(ui, true, *icon, verb);
        if button.accessible_name(format!("{verb}: {name}")).clicked() {
            asked = Some(action.clone());
        }
    }
    asked
}

/// The most runs side by side, and threads.
const MOST: usize = 1024;

/// Typed text about how runs share the machine, not entered yet.
#[derive(Default)]
pub struct TypedSharing {
    /// For runs side by side, and for threads.
    texts: [Option<String>; 2],
    /// True if the keyboard is to go there.
    pub wants_focus: bool,
}

impl TypedSharing {
    /// Draws the fields; `used` is what holds where they are empty.
    fn fields_ui(&mut self, ui: &mut Ui, used: QueueOptions, sharing: &mut Sharing) {
        let (jobs, threads) = (used.jobs, used.threads_per_run());
        let fields = [
            ("Runs side by side", "How many runs go on at the same time", jobs, &mut sharing.jobs),
            ("Threads per run", "How many threads each run computes with", threads, &mut sharing.threads),
        ];
        let wants_focus = std::mem::take(&mut self.wants_focus);
        for (nth, (name, help, used, chosen)) in fields.into_iter().enumerate() {
            let help = format!("{help}. Empty: as many as suit the machine");
            number_ui(ui, [name, &help], used, chosen, &mut self.texts[nth], wants_focus && nth == 0);
        }
    }

    /// Enters what is typed and can be used.
    pub fn enter(&mut self, sharing: &mut Sharing) {
        for (typed, chosen) in self.texts.iter_mut().zip([&mut sharing.jobs, &mut sharing.threads]) {
            if let Some(Ok(number)) = typed.as_deref().map(number_of) {
                (*typed, *chosen) = (None, number);
            }
        }
    }
}

/// Returns the number that a text means, none where it is left to the machine; or what can be used.
fn number_of(text: &str) -> Result<Option<usize>, String> {
    match text.trim() {
        "" => Ok(None),
        number => match number.parse() {
            Ok(number) if (1..=MOST).contains(&number) => Ok(Some(number)),
            _ => Err(format!("A number from 1 to {MOST}")),
        },
    }
}

/// Draws a field for a number, which is chosen once the field is left; empty for what is `used` otherwise.
fn number_ui(
    ui: &mut Ui,
    [name, help]: [&str; 2],
    used: usize,
    chosen: &mut Option<usize>,
    typed: &mut Option<String>,
    wants_focus: bool,
) {
    let mut shown =
        typed.clone().unwrap_or_else(|| chosen.map(|number| number.to_string()).unwrap_or_default());
    let number = number_of(&shown);
    let label = ui.label(name);
    let hint = RichText::new(format!("{used} (auto)")).color(present(ui).text3);
    let edit = TextEdit::singleline(&mut shown).desired_width(64.0).hint_text(hint);
    let (state, help) = match &number {
        Ok(_) => (FieldState::Plain, help.to_owned()),
        Err(allowed) => (FieldState::Wrong, format!("{help}. {allowed}")),
    };
    let field = widgets::field_ui(ui, edit, state).labelled_by(label.id).on_hover_text(help);
    if wants_focus {
        field.request_focus();
    }
    if field.changed() {
        *typed = Some(shown);
    } else if field.lost_focus()
        && let Ok(number) = number
    {
        *chosen = number;
        *typed = None;
    }
}

/// Draws the entries that apply to these runs into a menu; returns what was chosen, which closes it.
pub fn queue_entries_ui(ui: &mut Ui, runs: &Runs, ids: &[String]) -> Option<QueueRequest> {
    let mut chosen = None;
    let counts = runs.counts(ids);
    for (icon, text, action) in entries(counts, runs.is_running(), counts.waiting > 0) {
        if widgets::entry_ui(ui, icon, text) {
            chosen = Some(QueueRequest { action, runs: ids.to_vec() });
        }
    }
    chosen
}

/// Returns what applies to runs of which so many can be started, go on, and wait: first what starts or stops them.
fn entries(counts: QueueCounts, is_running: bool, can_move: bool) -> Vec<(Icon, &'static str, QueueAction)> {
    let QueueCounts { startable, resumable, open, waiting } = counts;
    let run = if startable > 0 && resumable == startable { "Retry" } else { "Run" };
    let (icon, stop) =
        if waiting == open { (Icon::X, "Remove from queue") } else { (Icon::StopFill, "Stop") };
    let all = [
        (startable > 0, Icon::Play, run, QueueAction::Run),
        (open > 0, icon, stop, QueueAction::Stop),
        (is_running && startable + waiting > 0, Icon::CaretUp, "Run next", QueueAction::Next),
        (can_move, Icon::ArrowUp, "Move up in queue", QueueAction::Up),
        (can_move, Icon::ArrowDown, "Move down in queue", QueueAction::Down),
    ];
    all.into_iter().filter(|entry| entry.0).map(|(_, icon, text, action)| (icon, text, action)).collect()
}

/// Asks Slurm's queue now and then, where something was submitted.
#[derive(Default)]
struct ClusterQueue {
    /// The folder of the runs, and when it was asked about last.
    asked: Option<(PathBuf, Instant)>,
    jobs: Latest<PathBuf, Vec<String>>,
}

impl ClusterQueue {
    /// Returns the jobs in the queue, a line each.
    fn lines(&mut self, results: &Path, slurm: &Slurm, ctx: &Context) -> &[String] {
        let is_known = |(folder, at): &(PathBuf, Instant)| folder == results && at.elapsed() < ASK_EVERY;
        if !self.asked.as_ref().is_some_and(is_known) {
            self.asked = Some((results.to_owned(), Instant::now()));
            if results.join(FOLDER).is_dir() {
                let (folder, slurm) = (results.to_owned(), slurm.clone());
                self.jobs.ask(results.to_owned(), ctx, move || {
                    let status = Status::read(cluster::Runs { all: &[], folder: &folder }, &slurm);
                    Ok(if status.trouble.is_none() { status.queue_in_words() } else { Vec::new() })
                });
            }
        }
        self.jobs.poll();
        let lines = match self.jobs.newest() {
            Some((folder, Ok(lines))) if folder == results => lines,
            _ => return &[],
        };
        if !lines.is_empty() {
            ctx.request_repaint_after(ASK_EVERY);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster::testing::program;

    #[test]
    fn a_menu_has_what_applies() {
        let texts = |startable, resumable, open, waiting, is_running| {
            let counts = QueueCounts { startable, resumable, open, waiting };
            entries(counts, is_running, waiting > 0).into_iter().map(|(_, text, _)| text).collect::<Vec<_>>()
        };
        assert_eq!(texts(0, 0, 0, 0, true), [""; 0], "all are done");
        assert_eq!(texts(3, 2, 0, 0, false), ["Run"]);
        assert_eq!(texts(2, 2, 0, 0, true), ["Retry", "Run next"]);
        assert_eq!(texts(0, 0, 1, 0, true), ["Stop"]);
        let moves = ["Remove from queue", "Run next", "Move up in queue", "Move down in queue"];
        assert_eq!(texts(0, 0, 2, 2, true), moves);
    }

    #[test]
    fn jobs_are_listed_where_something_was_submitted() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("x.runs");
        let answer = "echo '12|1|RUNNING|None|/lab/x.runs/cluster/submit-1.sh'";
        program(&folder.path().join("squeue"), answer);
        let slurm = Slurm::in_folder(folder.path());
        let ctx = Context::default();
        let mut queue = ClusterQueue::default();
        assert!(queue.lines(&results, &slurm, &ctx).is_empty() && !queue.jobs.is_busy());
        std::fs::create_dir_all(results.join(FOLDER)).unwrap();
        std::fs::write(results.join(FOLDER).join("submit-1.ron"), "(job: \"12\", shards: 1)").unwrap();
        queue.asked = None;
        let began = Instant::now();
        while queue.lines(&results, &slurm, &ctx).is_empty() {
            assert!(began.elapsed() < Duration::from_mins(1));
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(queue.lines(&results, &slurm, &ctx), ["Slurm: job 12: 1 task running"]);
    }
}
