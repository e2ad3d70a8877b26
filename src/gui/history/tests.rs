use proptest::prelude::*;

use super::*;
use doc::{Experiment, templates};
use results::tiles::{Group, Layout, Side, Tiles};
use results::view::ViewSettings;

/// All that is edited, as the window has it.
#[derive(Clone)]
struct Window {
    experiment: Experiment,
    view: ViewSettings,
    tiles: Tiles,
    /// Runs that are in the trash.
    archived: Vec<String>,
}

impl Window {
    fn start() -> Self {
        let mut tiles = Tiles::default();
        tiles.keep(Group::Curves, Some(Layout::new(&VIEWS, Side::Right)));
        Self {
            experiment: templates::all()[0].experiment(),
            view: ViewSettings::default(),
            tiles,
            archived: Vec::new(),
        }
    }

    fn layout(&mut self) -> &mut Layout {
        self.tiles.layouts.get_mut(Group::Curves.name()).unwrap()
    }

    fn present(&self) -> CurrentState<'_> {
        CurrentState { experiment: &self.experiment, view: &self.view, tiles: &self.tiles, typed: &[] }
    }

    fn history(&self) -> History {
        History::new(EditState::new(self.present()))
    }

    /// Does what a step says, as the app does.
    fn carry_out(&mut self, task: UndoTask) {
        match task {
            UndoTask::Take(state) => {
                self.experiment = Experiment::clone(&state.experiment);
                let plots = std::mem::take(&mut self.view.plots);
                self.view = ViewSettings::clone(&state.view);
                for (name, plot) in plots {
                    self.view.plots.entry(name).or_default().x = plot.x; // ranges stay
                }
                self.tiles = state.tiles;
            }
            UndoTask::Archive(runs) => self.archived.extend(runs),
            UndoTask::Restore(runs) => self.archived.retain(|run| !runs.contains(run)),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        EditState::new(self.present()).change(other.present()).is_none() && self.archived == other.archived
    }
}

#[test]
fn typing_in_one_field_is_one_step_and_leaving_it_or_a_break_begins_another() {
    let (name, notes) = (Some(Id::unique("name")), Some(Id::unique("notes")));
    let mut window = Window::start();
    let mut history = window.history();
    let typed = [
        (name, "a", 0.0),
        (name, "b", 1.0),
        (name, "c", 4.0),
        (notes, "d", 4.5),
        (None, "e", 5.0),
        (None, "f", 5.0),
    ];
    for (field, text, at) in typed {
        history.at(field, at);
        window.experiment.name.push_str(text);
        history.note(window.present());
    }
    let name = Window::start().experiment.name;
    let mut seen = Vec::new();
    while let Some(UndoTask::Take(state)) = history.undo() {
        seen.push(state.experiment.name[name.len()..].to_owned());
    }
    assert_eq!(seen, ["abcde", "abcd", "abc", "ab", ""]);
    let Some(UndoTask::Take(state)) = history.redo() else { panic!() };
    assert_eq!(state.experiment.name, format!("{name}ab"));
}

#[test]
fn a_key_that_changes_something_else_while_a_field_is_typed_into_is_a_step_of_its_own() {
    let mut window = Window::start();
    let mut history = window.history();
    history.at(Some(Id::unique("filter")), 0.0);
    window.view.filter.push('s');
    history.note(window.present());
    window.layout().split(Side::Below, "weights");
    history.note(window.present());
    assert_eq!(history.undoes(), Some("layout"));
    history.undo();
    assert_eq!((history.undoes(), history.redoes()), (Some("filter"), Some("layout")));
}

#[test]
fn an_edit_after_undo_ends_what_could_be_redone() {
    let mut window = Window::start();
    let mut history = window.history();
    window.experiment.seeds.push(77);
    history.note(window.present());
    history.undo();
    let mut other = Window::start();
    other.view.notes.push('x');
    history.note(other.present());
    assert_eq!((history.redoes(), history.undoes()), (None, Some("notes")));
}

#[test]
fn looking_is_no_step_and_an_undone_layout_has_the_view_active_that_was() {
    let mut window = Window::start();
    let mut history = window.history();
    window.layout().show("runs");
    window.view.plots.entry("accuracy".to_owned()).or_default().x = Some([0.0, 3.0]);
    history.note(window.present());
    assert_eq!(history.undoes(), None);
    window.layout().close("runs");
    history.note(window.present());
    assert_eq!(history.undoes(), Some("layout"));
    let Some(UndoTask::Take(state)) = history.undo() else { panic!() };
    assert_eq!(state.tiles.layouts["Curves"].active, "runs");
}

#[test]
fn steps_say_what_they_change() {
    let changes: [(&str, fn(&mut Window)); 16] = [
        ("new arm", |window| window.experiment.arms.push(window.experiment.arms[0].clone())),
        ("removal of an arm", |window| drop(window.experiment.arms.pop())),
        ("name of an arm", |window| window.experiment.arms[0].name.push('x')),
        ("plan", |window| drop(window.experiment.arms[0].plan.pop())),
        ("arms", |window| window.experiment.arms.swap(0, 1)),
        ("seeds", |window| window.experiment.seeds.push(9)),
        ("settings", |window| window.experiment.train.batch += 1),
        ("network", |window| {
            window.experiment.net = doc::Net::Sequential(doc::Sequential::default());
        }),
        ("notes", |window| window.view.notes.push('x')),
        ("star, tag or note", |window| window.view.marks.entry("r".to_owned()).or_default().starred = true),
        ("filter", |window| window.view.filter.push('x')),
        ("titles of a figure", |window| {
            window.view.plots.entry("loss".to_owned()).or_default().title.push('x');
        }),
        ("hide or show line", |window| {
            window.view.plots.entry("loss".to_owned()).or_default().hidden.insert("dense".to_owned());
        }),
        ("axes and bands of plots", |window| window.view.options.smoothing = 0.5),
        ("size of figures", |window| window.view.dpi = Some(72)),
        ("look of exported figures", |window| window.view.page.marks = false),
    ];
    for (name, change) in changes {
        let mut window = Window::start();
        let mut history = window.history();
        change(&mut window);
        history.note(window.present());
        assert_eq!(history.undoes(), Some(name));
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Name(String),
    Seed(u64),
    NoSeed,
    Batch(usize),
    CopyArm(usize),
    RemoveArm(usize),
    SwapArms(usize, usize),
    RemoveStage(usize, usize),
    CopyStage(usize, usize),
    Filter(String),
    Notes(String),
    Star(usize),
    Title(String),
    Hide(usize),
    Look(f64),
    Show(usize),
    Close(usize),
    Split(bool),
    Maximize,
    Archive(usize),
}

const VIEWS: [&str; 4] = ["accuracy", "loss", "runs", "notes"];

impl Edit {
    fn apply(&self, window: &mut Window, history: &mut History) {
        match self {
            Self::Filter(text) => window.view.filter.clone_from(text),
            Self::Notes(text) => window.view.notes.clone_from(text),
            Self::Star(run) => {
                window.view.marks.entry(format!("run {}", run % 3)).or_default().starred ^= true;
            }
            Self::Title(text) => {
                window.view.plots.entry("loss".to_owned()).or_default().title.clone_from(text);
            }
            Self::Hide(line) => {
                let hidden = &mut window.view.plots.entry("loss".to_owned()).or_default().hidden;
                let line = format!("line {}", line % 3);
                if !hidden.remove(&line) {
                    hidden.insert(line);
                }
            }
            Self::Look(x) => window.view.plots.entry("loss".to_owned()).or_default().x = Some([0.0, *x]),
            Self::Show(view) => window.layout().show(VIEWS[view % 4]),
            Self::Close(view) => window.layout().close(VIEWS[view % 4]),
            Self::Split(right) => {
                window.layout().split(if *right { Side::Right } else { Side::Below }, "weights");
            }
            Self::Maximize => window.layout().maximize(),
            Self::Archive(run) => {
                let run = format!("run {run}");
                if !window.archived.contains(&run) {
                    history.note(window.present());
                    window.archived.push(run.clone());
                    history.note_moved(vec![run], true);
                }
            }
            _ => self.apply_to(&mut window.experiment),
        }
    }

    fn apply_to(&self, experiment: &mut Experiment) {
        let arms = experiment.arms.len();
        match self {
            Self::Name(name) => experiment.name.clone_from(name),
            Self::Seed(seed) => experiment.seeds.push(*seed),
            Self::NoSeed => experiment.seeds.truncate(experiment.seeds.len().saturating_sub(1)),
            Self::Batch(batch) => experiment.train.batch = *batch,
            _ if arms == 0 => {}
            Self::CopyArm(arm) => experiment.arms.push(experiment.arms[arm % arms].clone()),
            Self::RemoveArm(arm) => drop(experiment.arms.remove(arm % arms)),
            Self::SwapArms(a, b) => experiment.arms.swap(a % arms, b % arms),
            Self::RemoveStage(arm, stage) | Self::CopyStage(arm, stage) => {
                let plan = &mut experiment.arms[arm % arms].plan;
                if plan.is_empty() {
                    return;
                }
                let stage = stage % plan.len();
                match self {
                    Self::CopyStage(..) => plan.push(plan[stage].clone()),
                    _ => drop(plan.remove(stage)),
                }
            }
            _ => unreachable!("the others are edits of the view"),
        }
    }
}

fn of_document() -> impl Strategy<Value = Edit> {
    prop_oneof![
        "[a-z]{0,3}".prop_map(Edit::Name),
        any::<u64>().prop_map(Edit::Seed),
        Just(Edit::NoSeed),
        (1_usize..300).prop_map(Edit::Batch),
        any::<usize>().prop_map(Edit::CopyArm),
        any::<usize>().prop_map(Edit::RemoveArm),
        any::<(usize, usize)>().prop_map(|(a, b)| Edit::SwapArms(a, b)),
        any::<(usize, usize)>().prop_map(|(a, b)| Edit::RemoveStage(a, b)),
        any::<(usize, usize)>().prop_map(|(a, b)| Edit::CopyStage(a, b)),
    ]
}

fn of_view() -> impl Strategy<Value = Edit> {
    prop_oneof![
        "[a-z]{0,3}".prop_map(Edit::Filter),
        "[a-z]{0,3}".prop_map(Edit::Notes),
        any::<usize>().prop_map(Edit::Star),
        "[a-z]{0,3}".prop_map(Edit::Title),
        any::<usize>().prop_map(Edit::Hide),
        (1.0..9.0).prop_map(Edit::Look),
        any::<usize>().prop_map(Edit::Show),
        any::<usize>().prop_map(Edit::Close),
        any::<bool>().prop_map(Edit::Split),
        Just(Edit::Maximize),
        (0_usize..9).prop_map(Edit::Archive),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn taking_everything_back_gives_the_start_and_making_it_again_the_end(
        edits in prop::collection::vec(
            (prop_oneof![of_document(), of_view()], prop::option::of(0_u8..3), 0_usize..3),
            0..40,
        )
    ) {
        let mut window = Window::start();
        let mut history = window.history();
        for (edit, field, undone) in edits {
            history.at(field.map(Id::unique), 0.0);
            edit.apply(&mut window, &mut history);
            history.note(window.present());
            for _ in 0..undone {
                if let Some(task) = history.undo() {
                    window.carry_out(task);
                }
            }
        }
        while let Some(task) = history.redo() {
            window.carry_out(task);
        }
        let end = window.clone();
        while let Some(task) = history.undo() {
            window.carry_out(task);
        }
        prop_assert!(window.is_like(&Window::start()));
        while let Some(task) = history.redo() {
            window.carry_out(task);
        }
        prop_assert!(window.is_like(&end));
    }
}
