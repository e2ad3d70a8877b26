//! Modal dialogs: questions before something is lost, messages, templates.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::text_edit::TextEditState;
use eframe::egui::{self, Frame, Grid, Id, Label, Modal, RichText, TextEdit, Ui, vec2};

use crate::commands::{Command, Menu, key_text};
use crate::files::{PathRequest, Purpose, absolute, completed, home_folder, typed, with_extension};
use crate::icons::Icon;
use crate::importing::Importing;
use crate::plan::Action;
use crate::recovery::UnsavedEdits;
use crate::text::counted;
use crate::views::Subject;
use crate::widgets::{self, FieldState, scroll_area, title_ui};
use crate::{plot, theme};
use data::{Normalize, Recognised};
use doc::templates::Template;
use doc::{Experiment, listed};
use form::path::Place;
use run::weight_files::Guess;

/// A dialog, with all that its answer takes.
#[derive(Clone, Debug)]
pub enum Dialog {
    Question(Question),
    /// Stop the runs, or stay?
    Running {
        runs: usize,
        leaving: Leaving,
        comes_back: bool,
    },
    /// Import weights, and how?
    Import(Box<Importing>),
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

/// A question with its possible answers; the first one is what most people want.
#[derive(Clone, Debug)]
pub struct Question {
    title: String,
    text: String,
    /// Folded at first; empty without any.
    details: String,
    replies: Vec<(String, Reply)>,
    /// The meaning of Escape.
    dismissed: Reply,
    /// In points.
    width: f32,
}

fn question<const N: usize>(title: String, text: String, replies: [(&str, Reply); N]) -> Question {
    let replies = replies.map(|(text, reply)| (text.to_owned(), reply)).into();
    Question { title, text, details: String::new(), replies, dismissed: Reply::Cancel, width: WIDTH }
}

impl Dialog {
    /// Asks what becomes of edits that are not saved. `typed` are texts in fields that are no values, where they are all
    /// that would be lost: these cannot be saved.
    pub fn unsaved(title: &str, typed: &[String], leaving: Leaving) -> Self {
        if !typed.is_empty() {
            let why = if typed.len() == 1 { "it is not a valid value" } else { "they are not valid values" };
            let text = format!("{} cannot be saved: {why}.", typed.join(" and "));
            let replies = [("Keep editing", Reply::Cancel), ("Discard", Reply::Discard(leaving))];
            return Self::Question(question("Discard what you typed?".to_owned(), text, replies));
        }
        let text = "If you don't, they will be lost. Results of runs are kept either way.".to_owned();
        let [save, discard] = [Reply::Save(leaving.clone()), Reply::Discard(leaving)];
        let replies = [("Save", save), ("Discard", discard), ("Cancel", Reply::Cancel)];
        Self::Question(question(format!("Save changes to {title}?"), text, replies))
    }

    /// Asks whether to continue the runs, by identity, that were stopped when Weightlab ended; by a crash, at that time.
    pub fn resume(title: &str, runs: Vec<String>, crashed: Option<&str>) -> Self {
        let verb = if runs.len() == 1 { "was" } else { "were" };
        let when = crashed.map(|when| format!(" ({when})")).unwrap_or_default();
        let text =
            format!("{} {verb} running or queued when Weightlab ended{when}.", counted(runs.len(), "run"));
        let [resume, not, dismissed] = match crashed {
            Some(_) => [Reply::Restore, Reply::GiveUp, Reply::AskAgain],
            None => [Reply::Resume(runs), Reply::Cancel, Reply::Cancel],
        };
        let replies = [("Resume runs", resume), ("Not now", not)];
        Self::Question(Question { dismissed, ..question(format!("Resume {title}?"), text, replies) })
    }

    /// Asks what becomes of what a crash interrupted: edits that were kept at some time, or else the runs.
    pub fn recover(kept: &UnsavedEdits, when: &str) -> Self {
        let UnsavedEdits { path, title, runs, .. } = kept;
        if kept.is_saved {
            return Self::resume(title, runs.clone(), Some(when));
        }
        let saved = |path: &PathBuf| format!("File: {}", path.display());
        let place = path.as_ref().map_or_else(|| "They are not saved.".to_owned(), saved);
        let text = format!("Weightlab ended before you saved them. The backup is from {when}. {place}");
        let replies =
            [("Restore", Reply::Restore), ("Discard", Reply::GiveUp), ("Ask at next start", Reply::AskAgain)];
        let question = question(format!("Restore unsaved edits to {title}?"), text, replies);
        Self::Question(Question { dismissed: Reply::AskAgain, ..question })
    }

    /// Asks for the folder of data that were not found; `details` say where they were looked for.
    pub fn missing_data(title: String, text: String, details: String, is_downloadable: bool) -> Self {
        let replies = [("Choose folder…", Reply::ChooseData), ("Not now", Reply::Cancel)];
        let mut question = Question { width: WIDE, details, ..question(title, text, replies) };
        if is_downloadable {
            question.replies.insert(0, ("Download…".to_owned(), Reply::DownloadData));
        }
        Self::Question(question)
    }

    /// Asks whether dropped data replace those of the experiment, which are called `present`.
    pub fn other_data(found: Recognised, present: &str) -> Self {
        let set = found.data.name();
        let (title, use_it) = (format!("Use {set} instead of {present}?"), format!("Use {set}"));
        let text = format!(
            "The experiment has {present}. With {set} all its runs are to do again, and the settings of the data start at their defaults.\n\nFolder: {}",
            found.folder.display()
        );
        let replies = [(use_it.as_str(), Reply::UseData(Box::new(found))), ("Cancel", Reply::Cancel)];
        Self::Question(question(title, text, replies))
    }

    /// Asks whether to archive these runs, by identity.
    pub fn archive(name: &str, runs: Vec<String>) -> Self {
        let title = format!("Archive {}?", counted(runs.len(), "run"));
        let text = format!(
            "{name}. Plots no longer show them, and Run does not repeat them. Nothing is deleted: Restore all archived runs in the menu Edit brings them back."
        );
        let replies = [("Archive", Reply::Archive(runs)), ("Cancel", Reply::Cancel)];
        Self::Question(question(title, text, replies))
    }

    /// Asks whether to replace what another program has written into the file; `then` comes after saving.
    pub fn changed(path: PathBuf, then: Option<Leaving>) -> Self {
        let text = format!(
            "Another program wrote {} after you opened it. Save under another name to keep both.",
            path.display()
        );
        rewrite("The file has changed on disk", text, "Replace it", path, then)
    }

    /// Asks whether to lose the comments of the file; `then` comes after saving.
    pub fn comments(path: PathBuf, then: Option<Leaving>) -> Self {
        let text = format!(
            "{} has comments between its settings; only the one at the top is kept. Save under another name to keep the file unchanged.",
            path.display()
        );
        rewrite("Saving would lose comments", text, "Save without them", path, then)
    }

    /// Asks whether to replace the files of these that are there.
    pub fn overwrite(path: PathBuf, usage: PathUse, existing: &[PathBuf]) -> Self {
        let names: Vec<_> = existing.iter().map(|path| path.display().to_string()).collect();
        let (noun, verb) = if names.len() == 1 { ("file", "exists") } else { ("files", "exist") };
        let replies = [("Replace", Reply::Overwrite(usage, path)), ("Cancel", Reply::Cancel)];
        let text = format!("{} already {verb}.", listed(&names));
        Self::Question(question(format!("Replace the {noun}?"), text, replies))
    }

    /// Returns the field for a path that takes over from the system's dialog.
    pub fn path_field(request: PathRequest, usage: PathUse) -> Self {
        let text = absolute(&request.folder).join(&request.name).to_string_lossy().into_owned();
        Self::Path { request, usage, text, error: None }
    }
}

fn rewrite(title: &str, text: String, replace: &str, path: PathBuf, then: Option<Leaving>) -> Dialog {
    let (save_as, replaced) = (Reply::SaveAs(then.clone()), Reply::Replace(path, then));
    let replies = [("Save as…", save_as), (replace, replaced), ("Cancel", Reply::Cancel)];
    Dialog::Question(question(title.to_owned(), text, replies))
}

/// Widths of dialogs, in points, where the window has as many.
const WIDTH: f32 = 420.0;
const WIDE: f32 = 560.0;

impl Dialog {
    /// Returns true if it asks something; others only show something.
    pub const fn is_question(&self) -> bool {
        !matches!(self, Self::Message { .. } | Self::Shortcuts | Self::About)
    }

    /// Returns true if it asks about what a crash interrupted.
    pub fn offers_to_restore(&self) -> bool {
        let Self::Question(question) = self else { return false };
        question.replies.iter().any(|(_, reply)| matches!(reply, Reply::Restore))
    }

    const fn width(&self) -> f32 {
        match self {
            Self::Shortcuts => 720.0,
            Self::Path { .. } | Self::Message { .. } | Self::Import(_) => WIDE,
            Self::Question(question) => question.width,
            Self::Running { .. } | Self::About => WIDTH,
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
    let dismissed = || if let Dialog::Question(it) = dialog { it.dismissed.clone() } else { Reply::Cancel };
    response.inner.or_else(|| is_dismissed.then(dismissed))
}

fn content_ui(ui: &mut Ui, dialog: &mut Dialog) -> Option<Reply> {
    match dialog {
        Dialog::Question(Question { title, text, details, replies, .. }) => {
            title_ui(ui, title);
            ui.label(text.as_str());
            widgets::folded_ui(ui, details);
            buttons_ui(ui, replies.iter().map(|(text, reply)| (text.as_str(), reply.clone())))
        }
        Dialog::Running { runs, leaving, comes_back } => running_ui(ui, *runs, leaving, *comes_back),
        Dialog::Import(importing) => importing.ui(ui),
        Dialog::Path { request, usage, text, error } => path_ui(ui, request, usage, text, error.as_deref()),
        Dialog::Message { title, text } => message_ui(ui, title, text),
        Dialog::Shortcuts => {
            shortcuts_ui(ui);
            buttons_ui(ui, [("Close", Reply::Cancel)])
        }
        Dialog::About => about_ui(ui),
    }
}

/// Draws buttons from left to right; the first one is what most people want, and has the focus.
pub fn buttons_ui<'a>(ui: &mut Ui, replies: impl IntoIterator<Item = (&'a str, Reply)>) -> Option<Reply> {
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

fn running_ui(ui: &mut Ui, runs: usize, leaving: &Leaving, comes_back: bool) -> Option<Reply> {
    let quits = leaving.to == Next::Quit;
    let verb = if runs == 1 { "is" } else { "are" };
    title_ui(ui, "Runs in progress");
    let count = counted(runs, "run");
    ui.label(format!("{count} {verb} not finished. Progress is kept; Resume continues from there."));
    let stop = if quits { "Stop and quit" } else { "Stop and continue" };
    let mut replies = vec![(stop, Reply::Stop(leaving.clone())), ("Keep running", Reply::Cancel)];
    if quits && comes_back {
        replies.insert(0, ("Quit and resume at next start", Reply::StopAndResumeLater(leaving.clone())));
    }
    buttons_ui(ui, replies)
}

fn path_ui(
    ui: &mut Ui,
    request: &PathRequest,
    usage: &PathUse,
    text: &mut String,
    error: Option<&str>,
) -> Option<Reply> {
    let is_folder = request.purpose == Purpose::Folder;
    let verb = match request.purpose {
        purpose if purpose.writes() => "Save",
        _ if is_folder => "Choose",
        _ => "Open",
    };
    title_ui(ui, request.title());
    let what = if is_folder { "folder" } else { "file" };
    ui.label(format!(
        "The system's file dialog is not available. Type the path of the {what}; Tab completes it."
    ));
    let label = ui.label("Path");
    let state = if error.is_some() { FieldState::Wrong } else { FieldState::Plain };
    let id = ui.scope_id().with("path");
    let is_tab = ui.input(|input| input.key_pressed(egui::Key::Tab) && input.modifiers.is_none());
    if is_tab
        && ui.memory(|memory| memory.has_focus(id))
        && let Some(longer) = completed(text, &request.folder, is_folder)
    {
        *text = longer;
        let mut state = TextEditState::load(ui.ctx(), id).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(text.chars().count()))));
        state.store(ui.ctx(), id);
    }
    let field = TextEdit::singleline(text).id(id).desired_width(f32::INFINITY).lock_focus(true);
    let field = widgets::field_ui(ui, field, state).labelled_by(label.id);
    // Asked first: to request the focus again would hide that Enter took it away.
    let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    if !entered && ui.memory(|memory| memory.focused().is_none()) {
        field.request_focus();
    }
    if let Some(error) = error {
        widgets::message_ui(ui, widgets::Tone::Bad, error);
    }
    let path = request.folder.join(typed(text, home_folder().as_deref()));
    let path = with_extension(path, request.purpose);
    let typed = Reply::Path(usage.clone(), path);
    let reply = buttons_ui(ui, [(verb, typed.clone()), ("Cancel", Reply::Cancel)]);
    if entered { Some(typed) } else { reply }
}

fn message_ui(ui: &mut Ui, title: &str, text: &str) -> Option<Reply> {
    title_ui(ui, title);
    let (text_alone, excerpt) = text.split_once("\n\n").unwrap_or((text, ""));
    scroll_area(ui, 320.0).show(ui, |ui| {
        ui.label(text_alone);
        if !excerpt.is_empty() {
            ui.add(Label::new(RichText::new(excerpt).monospace()).extend());
        }
    });
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

/// The successor of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A new experiment from this template becomes the document.
    New(Template),
    ChooseFile,
    /// This file becomes the document.
    Open(PathBuf),
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
    /// To write a figure to these files.
    Export(Subject, Vec<PathBuf>),
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
            Self::Save(_) | Self::Report => true,
            // Of its files, some may be there.
            Self::Export(..)
            | Self::Open(_)
            | Self::ExportFolder
            | Self::Share(_)
            | Self::DataFolder
            | Self::Setting(_) => false,
        }
    }
}

/// The user's decision, with the data of the dialog that asked.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Nothing: everything stays as it is.
    Cancel,
    /// Save first, then leave.
    Save(Leaving),
    /// Lose the edits that are not saved.
    Discard(Leaving),
    /// Stop the runs first.
    Stop(Leaving),
    /// Stop the runs; the next start offers to resume them.
    StopAndResumeLater(Leaving),
    /// Resume these runs, by identity.
    Resume(Vec<String>),
    /// Make the edits that a crash interrupted the document.
    Restore,
    /// Throw the edits away that a crash interrupted.
    GiveUp,
    /// Ask about them at the next start.
    AskAgain,
    /// Add the stage that imports weights to the plan of an arm, by position. With a network, that becomes the one of the
    /// arm; with a scaling, which was chosen, that becomes the one of the data.
    Import {
        path: PathBuf,
        arm: usize,
        guess: Option<Box<Guess>>,
        normalize: Option<Normalize>,
    },
    /// Archive these runs, by identity.
    Archive(Vec<String>),
    DownloadData,
    /// Choose the folder of data that were not found.
    ChooseData,
    /// Make these the data of the experiment.
    UseData(Box<Recognised>),
    /// Replace a file that has what saving would lose, and what comes then.
    Replace(PathBuf, Option<Leaving>),
    /// Give the experiment another file, and what comes then.
    SaveAs(Option<Leaving>),
    /// This path was typed.
    Path(PathUse, PathBuf),
    /// Use this path although a file is there.
    Overwrite(PathUse, PathBuf),
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
    let entries = Action::ALL.into_iter().map(Action::entry);
    let of_plan = entries.filter_map(|entry| Some((entry.name, key_text(ui.ctx(), entry.shortcut?))));
    let clipboard = [("Copy, cut, paste below", "Ctrl+C, Ctrl+X, Ctrl+V".to_owned())];
    let plan = ("On a row of the plan", of_plan.chain(clipboard).collect());
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
