//! Modal dialogs: questions before something is lost, messages, templates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{self, Frame, Grid, Id, Modal, RichText, TextEdit, Ui, vec2};

use crate::commands::{Command, Menu, key_text};
use crate::files::{PathRequest, Purpose, absolute, home_folder, typed, with_extension};
use crate::icons::Icon;
use crate::plan::Action;
use crate::recovery::UnsavedEdits;
use crate::text::{counted, duration};
use crate::views::Subject;
use crate::widgets::{self, FieldState, scroll_area, title_ui};
use crate::{plot, theme};
use data::Recognised;
use doc::templates::Template;
use doc::{Experiment, capitalised};
use form::Stored;
use form::path::Place;
use run::weight_files::{Fit, Guess};

/// A dialog, with all that its answer takes.
#[derive(Clone, Debug)]
pub enum Dialog {
    /// Save, discard, or stay?
    Unsaved {
        title: String,
        /// Texts in its fields that are no values, where they are all that would be lost: these cannot be saved.
        typed: Vec<String>,
        leaving: Leaving,
    },
    /// Stop the runs, or stay?
    Running {
        runs: usize,
        leaving: Leaving,
        comes_back: bool,
    },
    /// Go on with the runs that were stopped when Weightlab ended?
    Resume {
        title: String,
        /// Those of them that are not done, by identity.
        runs: Vec<String>,
    },
    /// Restore the edits that a crash has taken?
    Recover {
        title: String,
        /// Its file, if it had one.
        path: Option<PathBuf>,
        /// How many seconds ago they were kept.
        secs: u64,
    },
    /// Add a stage that imports weights?
    Import(FittingWeights),
    /// Use the network that weights are of, which do not fit the present one?
    OtherNetwork(OtherNetwork),
    /// Choose the folder of data that were not found?
    MissingData {
        /// The missing data, or why a folder is of no use.
        title: String,
        text: String,
        is_downloadable: bool,
    },
    /// Change the dataset of the experiment?
    OtherData {
        found: Box<Recognised>,
        present: String,
    },
    /// Archive these runs?
    Archive {
        name: String,
        /// Its runs that have results, by identity.
        runs: Vec<String>,
    },
    /// Replace what another program has written into the file?
    Changed {
        path: PathBuf,
        /// What comes after saving.
        then: Option<Leaving>,
    },
    /// Lose the comments of the file?
    Comments {
        path: PathBuf,
        /// What comes after saving.
        then: Option<Leaving>,
    },
    /// Replace a file that is there?
    Overwrite {
        path: PathBuf,
        usage: PathUse,
    },
    /// A path, typed by hand.
    Path {
        request: PathRequest,
        usage: PathUse,
        text: String,
        /// Why the path that was entered last could not be used.
        error: Option<String>,
    },
    /// Something that has to be read.
    Message {
        title: String,
        /// What happened, where, and what to do.
        text: String,
    },
    Shortcuts,
    About,
}

impl Dialog {
    /// Returns the field for a path that takes over from the system's dialog.
    pub fn path_field(request: PathRequest, usage: PathUse) -> Self {
        let text = absolute(&request.folder).join(&request.name).to_string_lossy().into_owned();
        Self::Path { request, usage, text, error: None }
    }

    /// Returns what it means to leave the dialog without a decision.
    const fn dismissed(&self) -> Reply {
        if let Self::Recover { .. } = self { Reply::Recover(RecoverReply::AskAgain) } else { Reply::Cancel }
    }

    /// Returns true if it asks something; others only show something.
    pub const fn is_question(&self) -> bool {
        !matches!(self, Self::Message { .. } | Self::Shortcuts | Self::About)
    }

    /// Returns the width in points, where the window has as many.
    const fn width(&self) -> f32 {
        match self {
            Self::Shortcuts => 720.0,
            Self::Path { .. } | Self::Message { .. } | Self::MissingData { .. } | Self::OtherNetwork(_) => {
                560.0
            }
            Self::Unsaved { .. }
            | Self::Running { .. }
            | Self::Resume { .. }
            | Self::Recover { .. }
            | Self::Import(_)
            | Self::OtherData { .. }
            | Self::Archive { .. }
            | Self::Changed { .. }
            | Self::Comments { .. }
            | Self::Overwrite { .. }
            | Self::About => 420.0,
        }
    }
}

/// Draws a dialog. Returns the decision, once there is one.
pub fn dialog_ui(ctx: &egui::Context, dialog: &mut Dialog) -> Option<Reply> {
    let frame = Frame::popup(&ctx.global_style()).inner_margin(2.0 * theme::STEP);
    let response = Modal::new(Id::unique("dialog")).frame(frame).show(ctx, |ui| {
        ui.set_width(dialog.width().min(ctx.content_rect().width() - 4.0 * theme::STEP));
        ui.spacing_mut().item_spacing.y = theme::STEP;
        content_ui(ui, dialog)
    });
    let is_dismissed = response.should_close();
    response.inner.or_else(|| is_dismissed.then(|| dialog.dismissed()))
}

fn content_ui(ui: &mut Ui, dialog: &mut Dialog) -> Option<Reply> {
    let cancel = ("Cancel", Reply::Cancel);
    match dialog {
        Dialog::Unsaved { typed, leaving, .. } if !typed.is_empty() => {
            let why = if typed.len() == 1 { "it is not a valid value" } else { "they are not valid values" };
            let text = format!("{} cannot be saved: {why}.", typed.join(" and "));
            let discard = Reply::Unsaved(UnsavedReply::Discard, leaving.clone());
            let replies = [("Keep editing", Reply::Cancel), ("Discard", discard)];
            question_ui(ui, "Discard what you typed?", &text, replies)
        }
        Dialog::Unsaved { title, leaving, .. } => {
            let title = format!("Save changes to {title}?");
            let text = "If you don't, they will be lost. Results of runs are kept either way.";
            let [save, discard] = [UnsavedReply::Save, UnsavedReply::Discard]
                .map(|reply| Reply::Unsaved(reply, leaving.clone()));
            question_ui(ui, &title, text, [("Save", save), ("Discard", discard), cancel])
        }
        Dialog::Running { runs, leaving, comes_back } => running_ui(ui, *runs, leaving, *comes_back),
        Dialog::Resume { title, runs } => {
            let verb = if runs.len() == 1 { "was" } else { "were" };
            let count = counted(runs.len(), "run");
            let text = format!("{count} {verb} running or queued when Weightlab ended.");
            let replies = [("Resume runs", Reply::Resume(runs.clone())), ("Not now", Reply::Cancel)];
            question_ui(ui, &format!("Resume {title}?"), &text, replies)
        }
        Dialog::Recover { title, path, secs } => recover_ui(ui, title, path.as_deref(), *secs),
        Dialog::Import(weights) => import_ui(ui, weights),
        Dialog::OtherNetwork(other) => network_ui(ui, other),
        Dialog::MissingData { title, text, is_downloadable } => {
            let mut replies = vec![("Choose folder…", Reply::ChooseData), ("Not now", Reply::Cancel)];
            if *is_downloadable {
                replies.insert(0, ("Download…", Reply::DownloadData));
            }
            question_ui(ui, title, text, replies)
        }
        Dialog::OtherData { found, present } => {
            let set = found.data.name();
            let text = format!(
                "The experiment has {present}. With {set} its runs are other ones, and the settings of the data start at their defaults.\n\nFolder: {}",
                found.folder.display()
            );
            let use_it = (format!("Use {set}"), Reply::UseData(found.clone()));
            let replies = [(use_it.0.as_str(), use_it.1), cancel];
            question_ui(ui, &format!("Use {set} instead of {present}?"), &text, replies)
        }
        Dialog::Archive { name, runs } => {
            let title = format!("Archive {}?", counted(runs.len(), "run"));
            let text = format!(
                "{name}. Plots no longer show them, and Run does not repeat them. Nothing is deleted: Restore all archived runs in the menu Edit brings them back."
            );
            question_ui(ui, &title, &text, [("Archive", Reply::Archive(runs.clone())), cancel])
        }
        Dialog::Changed { path, then } => {
            let text = format!(
                "Another program wrote {} after you opened it. Save under another name to keep both.",
                path.display()
            );
            rewrite_ui(ui, "The file has changed on disk", &text, "Replace it", path, then.as_ref())
        }
        Dialog::Comments { path, then } => {
            let text = format!(
                "{} has comments between its settings; only the one at the top is kept. Save under another name to keep the file unchanged.",
                path.display()
            );
            rewrite_ui(ui, "Saving would lose comments", &text, "Save without them", path, then.as_ref())
        }
        Dialog::Overwrite { path, usage } => {
            let text = format!("{} already exists.", path.display());
            let replace = Reply::Overwrite(usage.clone(), path.clone());
            question_ui(ui, "Replace the file?", &text, [("Replace", replace), cancel])
        }
        Dialog::Path { request, usage, text, error } => path_ui(ui, request, usage, text, error.as_deref()),
        Dialog::Message { title, text } => message_ui(ui, title, text),
        Dialog::Shortcuts => {
            shortcuts_ui(ui);
            buttons_ui(ui, [("Close", Reply::Cancel)])
        }
        Dialog::About => about_ui(ui),
    }
}

/// Draws a title, a text below it, and the possible answers.
fn question_ui<'a>(
    ui: &mut Ui,
    title: &str,
    text: &str,
    replies: impl IntoIterator<Item = (&'a str, Reply)>,
) -> Option<Reply> {
    title_ui(ui, title);
    ui.label(text);
    buttons_ui(ui, replies)
}

/// Draws buttons from left to right; the first one is what most people want, and has the focus.
fn buttons_ui<'a>(ui: &mut Ui, replies: impl IntoIterator<Item = (&'a str, Reply)>) -> Option<Reply> {
    let mut reply = None;
    ui.horizontal(|ui| {
        for (position, (text, meant)) in replies.into_iter().enumerate() {
            let response = if position == 0 {
                widgets::primary_ui(ui, true, None, text)
            } else {
                ui.add(widgets::button(None, text))
            };
            let nobody = ui.memory(|memory| memory.focused().is_none());
            if position == 0 && nobody {
                response.request_focus();
            }
            if response.clicked() {
                reply = Some(meant);
            }
        }
    });
    reply
}

fn recover_ui(ui: &mut Ui, title: &str, path: Option<&Path>, secs: u64) -> Option<Reply> {
    let place =
        path.map_or_else(|| "They are not saved.".to_owned(), |path| format!("File: {}", path.display()));
    let age = duration(secs as f64);
    let text = format!("Weightlab ended before you saved them. The backup is {age} old. {place}");
    let replies = [
        ("Restore", RecoverReply::Restore),
        ("Discard", RecoverReply::Discard),
        ("Ask at next start", RecoverReply::AskAgain),
    ];
    let replies = replies.map(|(text, reply)| (text, Reply::Recover(reply)));
    question_ui(ui, &format!("Restore unsaved edits to {title}?"), &text, replies)
}

fn running_ui(ui: &mut Ui, runs: usize, leaving: &Leaving, comes_back: bool) -> Option<Reply> {
    let quits = leaving.to == Next::Quit;
    let verb = if runs == 1 { "is" } else { "are" };
    let count = counted(runs, "run");
    let text = format!("{count} {verb} not finished. Progress is kept; Resume continues from there.");
    let reply = |reply| Reply::Running(reply, leaving.clone());
    let stop = if quits { "Stop and quit" } else { "Stop and continue" };
    let mut replies = vec![(stop, reply(RunningReply::Stop)), ("Keep running", Reply::Cancel)];
    if quits && comes_back {
        replies.insert(0, ("Quit and resume at next start", reply(RunningReply::StopAndResumeLater)));
    }
    question_ui(ui, "Runs in progress", &text, replies)
}

/// Asks about a file that has what saving would lose.
fn rewrite_ui(
    ui: &mut Ui,
    title: &str,
    text: &str,
    replace: &str,
    path: &Path,
    then: Option<&Leaving>,
) -> Option<Reply> {
    let reply = |reply| Reply::Rewrite(reply, then.cloned());
    let replace = (replace, reply(RewriteReply::Replace(path.to_owned())));
    let replies = [("Save as…", reply(RewriteReply::SaveAs)), replace, ("Cancel", Reply::Cancel)];
    question_ui(ui, title, text, replies)
}

fn path_ui(
    ui: &mut Ui,
    request: &PathRequest,
    usage: &PathUse,
    text: &mut String,
    error: Option<&str>,
) -> Option<Reply> {
    let verb = match request.purpose {
        Purpose::Open | Purpose::Folder | Purpose::File => "Open",
        Purpose::Save | Purpose::Report | Purpose::Archive => "Save",
    };
    title_ui(ui, request.title());
    ui.label("The system's file dialog is not available. Type the path of the file.");
    let label = ui.label("Path");
    let state = if error.is_some() { FieldState::Wrong } else { FieldState::Plain };
    let field = TextEdit::singleline(text).desired_width(f32::INFINITY);
    let field = widgets::field_ui(ui, field, state).labelled_by(label.id);
    // Asked first: to request the focus again would hide that Enter took it away.
    let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    if !entered && ui.memory(|memory| memory.focused().is_none()) {
        field.request_focus();
    }
    if let Some(error) = error {
        widgets::message_ui(ui, widgets::Tone::Bad, error);
    }
    let path = with_extension(typed(text, home_folder().as_deref()), request.purpose);
    let typed = Reply::Path(usage.clone(), path);
    let reply = buttons_ui(ui, [(verb, typed.clone()), ("Cancel", Reply::Cancel)]);
    if entered { Some(typed) } else { reply }
}

fn message_ui(ui: &mut Ui, title: &str, text: &str) -> Option<Reply> {
    title_ui(ui, title);
    scroll_area(ui, 320.0).show(ui, |ui| ui.label(text));
    ui.horizontal(|ui| {
        if ui.add(widgets::button(Icon::Copy, "Copy")).clicked() {
            ui.ctx().copy_text(text.to_owned());
        }
        buttons_ui(ui, [("Close", Reply::Cancel)])
    })
    .inner
}

fn about_ui(ui: &mut Ui) -> Option<Reply> {
    title_ui(ui, &format!("Weightlab {}", env!("CARGO_PKG_VERSION")));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.label(RichText::new(format!("Licence: {}", env!("CARGO_PKG_LICENSE"))).weak());
    buttons_ui(ui, [("Close", Reply::Cancel)])
}

/// Weights that the network of an arm has a place for.
#[derive(Clone, Debug)]
pub struct FittingWeights {
    pub path: PathBuf,
    pub arm: usize,
    pub name: String,
    /// Notes on the import, in sentences: what the network has no place for, what the file leaves open.
    pub notes: Vec<String>,
}

/// Weights of another network than an arm has, or perhaps of another one.
#[derive(Clone, Debug)]
pub struct OtherNetwork {
    pub path: PathBuf,
    pub arm: usize,
    pub name: String,
    /// Whose network is replaced, if theirs is used.
    pub whose: String,
    /// How they fit its network; none while the document has errors.
    pub fit: Option<Fit>,
    /// The network that the weights are of, or what the file has instead.
    pub guess: Result<Guess, String>,
    /// What becomes of the data with that network, and how its inputs are scaled, in sentences.
    pub notes: Vec<String>,
}

impl OtherNetwork {
    fn title(&self) -> String {
        let name = &self.name;
        match &self.fit {
            None => "Weightlab cannot compare the weights".to_owned(),
            Some(fit) if fit.fits() => format!("The network of {name} has no place for all of the weights"),
            Some(_) => format!("The weights do not fit the network of {name}"),
        }
    }
}

fn import_ui(ui: &mut Ui, weights: &FittingWeights) -> Option<Reply> {
    let FittingWeights { path, arm, name, notes } = weights;
    let first = format!("This adds a stage that reads {} to its plan", path.display());
    let notes = notes.iter().map(|note| capitalised(note));
    let text = std::iter::once(first).chain(notes).collect::<Vec<_>>().join(".\n\n") + ".";
    let import = Reply::Import { path: path.clone(), arm: *arm };
    let replies = [("Import weights", import), ("Cancel", Reply::Cancel)];
    question_ui(ui, &format!("Import the weights into {name}?"), &text, replies)
}

/// Says how the weights differ from the network of the arm, and offers theirs.
fn network_ui(ui: &mut Ui, other: &OtherNetwork) -> Option<Reply> {
    let OtherNetwork { path, arm, name, whose, fit, guess, notes } = other;
    title_ui(ui, &other.title());
    ui.label(path.display().to_string());
    match fit {
        Some(fit) => {
            let table = RichText::new(fit.table()).monospace().small();
            scroll_area(ui, 280.0).show(ui, |ui| ui.label(table));
        }
        None => {
            ui.label(format!("The document has errors, so the network of {name} is not known."));
        }
    }
    let mut replies = Vec::new();
    match guess {
        Err(seen) => {
            ui.label(format!("{}.", capitalised(seen)));
        }
        Ok(guess) => {
            let unknown = guess.unknown.map_or_else(String::new, |unknown| format!(" Note that {unknown}."));
            let description = guess.net.rule().description();
            ui.label(format!("They fit {}. {description}.{unknown}", guess.name()));
            ui.label(RichText::new(format!("net: {}", guess.net.to_ron())).monospace().small());
            ui.label(format!(
                "Use it as the network of {whose}, with a stage in the plan of {name} that imports the weights?"
            ));
            for note in notes {
                ui.label(format!("{}.", capitalised(note)));
            }
            let guess = Box::new(guess.clone());
            replies.push(("Use this network", Reply::UseNetwork { path: path.clone(), arm: *arm, guess }));
        }
    }
    if fit.as_ref().is_none_or(Fit::fits) {
        let text = if fit.is_some() { "Import what fits" } else { "Import weights" };
        replies.push((text, Reply::Import { path: path.clone(), arm: *arm }));
    }
    let away = if replies.is_empty() { "Close" } else { "Cancel" };
    replies.push((away, Reply::Cancel));
    buttons_ui(ui, replies)
}

/// The successor of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A new experiment from this template becomes the document.
    New(Template),
    ChooseFile,
    /// This file becomes the document.
    Open(PathBuf),
    /// An experiment with results and no file becomes the document.
    Untitled(Box<UnsavedEdits>),
    /// Its own file, as another program has written it.
    Reload,
    Quit,
}

/// A way out of the document, with the answers to the questions that were asked about it so far.
#[derive(Clone, Debug)]
pub struct Leaving {
    pub to: Next,
    /// The edits that the user agreed to lose; later ones are asked about again.
    pub discarded: Option<Arc<Experiment>>,
    /// True if the runs were asked to stop.
    pub is_stopping: bool,
}

impl Leaving {
    /// Begins to leave: nothing was asked yet.
    pub const fn to(to: Next) -> Self {
        Self { to, discarded: None, is_stopping: false }
    }
}

/// A form in which all results are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    TensorBoard,
    Crate,
}

/// The use of a path.
#[derive(Clone, Debug)]
pub enum PathUse {
    Open(Leaving),
    /// To save the experiment, and go on with what made that necessary.
    Save(Option<Leaving>),
    Export(Subject),
    Report,
    /// For the figure of the open export dialog.
    ExportFolder,
    /// To hand all results on.
    Share(Share),
    /// As a folder with the files of a data set.
    DataFolder,
    /// Write it into a setting.
    Setting(Place),
}

impl PathUse {
    /// Returns true if a file at the path is replaced. Results that are handed on replace only what they replaced before.
    pub const fn writes(&self) -> bool {
        match self {
            Self::Save(_) | Self::Export(_) | Self::Report => true,
            Self::Open(_) | Self::ExportFolder | Self::Share(_) | Self::DataFolder | Self::Setting(_) => {
                false
            }
        }
    }
}

/// The user's decision, with the data of the dialog that asked.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Nothing: everything stays as it is.
    Cancel,
    Unsaved(UnsavedReply, Leaving),
    Running(RunningReply, Leaving),
    /// Resume these runs, by identity.
    Resume(Vec<String>),
    /// About the edits that a crash interrupted.
    Recover(RecoverReply),
    /// Add the stage that imports weights to the plan of an arm, by position.
    Import {
        path: PathBuf,
        arm: usize,
    },
    /// Make the network that weights are of that of an arm, and import them.
    UseNetwork {
        path: PathBuf,
        arm: usize,
        guess: Box<Guess>,
    },
    /// Archive these runs, by identity.
    Archive(Vec<String>),
    DownloadData,
    /// Choose the folder of data that were not found.
    ChooseData,
    /// Make these the data of the experiment.
    UseData(Box<Recognised>),
    /// About a file that has what saving would lose, and what comes after saving.
    Rewrite(RewriteReply, Option<Leaving>),
    /// This path was typed.
    Path(PathUse, PathBuf),
    /// Use this path although a file is there.
    Overwrite(PathUse, PathBuf),
}

/// An answer about unsaved edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsavedReply {
    Save,
    Discard,
}

/// An answer about runs in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningReply {
    Stop,
    /// They stop, and the next start offers to resume them.
    StopAndResumeLater,
}

/// An answer about the edits that a crash interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverReply {
    Restore,
    Discard,
    AskAgain,
}

/// An answer about a file that has what saving would lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteReply {
    Replace(PathBuf),
    /// It stays, and the experiment gets another file.
    SaveAs,
}

/// A heading, and what its keys do.
type Group = (&'static str, Vec<(&'static str, String)>);

fn shortcuts_ui(ui: &mut Ui) {
    title_ui(ui, "Keyboard shortcuts");
    let groups = groups(ui);
    let palette = Command::Palette.shortcut().map(|key| key_text(ui.ctx(), key)).unwrap_or_default();
    ui.label(RichText::new(format!("Everything else is in the command palette: {palette}")).weak());
    ui.add_space(theme::STEP);
    let first = columns(&groups);
    scroll_area(ui, 560.0).show(ui, |ui| {
        ui.columns(2, |columns| {
            let (left, right) = groups.split_at(first);
            for (ui, groups) in columns.iter_mut().zip([left, right]) {
                for group in groups {
                    group_ui(ui, group);
                }
            }
        });
    });
    ui.add_space(theme::STEP);
}

fn groups(ui: &Ui) -> Vec<Group> {
    let of_menu = |menu: &Menu| {
        let commands = menu.groups().iter().copied().flatten();
        let keys = commands.filter(|command| command.shortcut().is_some()).map(|command| {
            let keys = command.shortcuts().iter().map(|key| key_text(ui.ctx(), *key));
            (command.text(), keys.collect::<Vec<_>>().join(", "))
        });
        (menu.text(), keys.collect())
    };
    let of_plan = Action::ALL
        .into_iter()
        .filter_map(|action| Some((action.name(), key_text(ui.ctx(), action.shortcut()?))));
    let plan = ("On a row of the plan", of_plan.collect());
    let plot =
        ("In a plot (Tab leads there)", plot::KEYS.map(|(text, keys)| (text, keys.to_owned())).to_vec());
    Menu::ALL.iter().map(of_menu).chain([plan, plot]).filter(|(_, keys): &Group| !keys.is_empty()).collect()
}

/// Returns how many groups stand in the first column, so that both are about as long.
fn columns(groups: &[Group]) -> usize {
    let lines = |groups: &[Group]| groups.iter().map(|(_, keys)| keys.len() + 2).sum::<usize>();
    let difference = |first: &usize| lines(&groups[..*first]).abs_diff(lines(&groups[*first..]));
    (0..=groups.len()).min_by_key(difference).unwrap_or_default()
}

fn group_ui(ui: &mut Ui, (title, keys): &Group) {
    ui.label(RichText::new(*title).strong());
    Grid::new(title).num_columns(2).spacing(vec2(3.0 * theme::STEP, 4.0)).show(ui, |ui| {
        for (name, key) in keys {
            ui.label(*name);
            ui.label(RichText::new(key).weak());
            ui.end_row();
        }
    });
    ui.add_space(theme::STEP);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_columns_are_about_as_long() {
        let group = |count: usize| ("", vec![("", String::new()); count]);
        assert_eq!(columns(&[group(3), group(2), group(8), group(1)]), 2);
        assert_eq!(columns(&[]), 0);
    }
}
