//! Modal dialogs: questions before something is lost, messages, templates.

mod network;
mod reply;
mod shortcuts;

use std::path::{Path, PathBuf};

use eframe::egui::{self, Frame, Id, Modal, RichText, TextEdit, Ui};

pub use network::{FittingWeights, OtherNetwork};
pub use reply::{
    Leaving, Next, PathUse, RecoverReply, Reply, RewriteReply, RunningReply, Share, UnsavedReply,
};

use data::Recognised;

use super::files::{PathRequest, Purpose, absolute, home_folder, typed, with_extension};
use super::icons::Icon;
use super::scroll::scroll_area;
use super::text::{counted, duration};
use super::theme;
use super::widgets::{self, FieldState, title_ui};

/// A dialog, with all that its answer takes.
#[derive(Clone, Debug)]
pub enum Dialog {
    /// Save, discard, or stay?
    Unsaved {
        /// What the document is called.
        title: String,
        /// Texts in its fields that are no values, where they are all that would be lost: these cannot be saved.
        typed: Vec<String>,
        /// What comes then.
        leaving: Leaving,
    },
    /// Stop the runs, or stay?
    Running {
        /// How many are not over.
        runs: usize,
        /// What comes then.
        leaving: Leaving,
        /// Whether the document can be opened again at the next start.
        comes_back: bool,
    },
    /// Go on with the runs that were stopped when Weightlab ended?
    Resume {
        /// What the document is called.
        title: String,
        /// Those of them that are not done, by identity.
        runs: Vec<String>,
    },
    /// Restore the edits that a crash has taken?
    Recover {
        /// What the document was called.
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
        /// What is missing, or why a folder is of no use.
        title: String,
        /// Which files are needed.
        text: String,
        /// Whether they can be downloaded.
        is_downloadable: bool,
    },
    /// Change the dataset of the experiment?
    OtherData {
        /// The data that were dropped.
        found: Box<Recognised>,
        /// What the experiment has now.
        present: String,
    },
    /// Archive these runs?
    Archive {
        /// What they are called.
        name: String,
        /// Its runs that have results, by identity.
        runs: Vec<String>,
    },
    /// Replace what another program has written into the file?
    Changed {
        /// The file.
        path: PathBuf,
        /// What comes after saving.
        then: Option<Leaving>,
    },
    /// Lose the comments of the file?
    Comments {
        /// The file.
        path: PathBuf,
        /// What comes after saving.
        then: Option<Leaving>,
    },
    /// Replace a file that is there?
    Overwrite {
        /// The file.
        path: PathBuf,
        /// What it was wanted for.
        usage: PathUse,
    },
    /// A path, typed by hand.
    Path {
        /// The question.
        request: PathRequest,
        /// What it is wanted for.
        usage: PathUse,
        /// What was typed.
        text: String,
        /// Why the path that was entered last could not be used.
        error: Option<String>,
    },
    /// Something that has to be read.
    Message {
        /// In a few words.
        title: String,
        /// What happened, where, and what to do.
        text: String,
    },
    /// The keys of all commands.
    Shortcuts,
    /// Version and licence.
    About,
}

impl Dialog {
    /// The field for a path that takes over from the system's dialog.
    pub fn path_field(request: PathRequest, usage: PathUse) -> Self {
        let text = absolute(&request.folder).join(&request.name).to_string_lossy().into_owned();
        Self::Path { request, usage, text, error: None }
    }

    /// What it means to leave the dialog without a decision.
    const fn dismissed(&self) -> Reply {
        if let Self::Recover { .. } = self { Reply::Recover(RecoverReply::AskAgain) } else { Reply::Cancel }
    }

    /// Whether it asks something; others only show something.
    pub const fn is_question(&self) -> bool {
        !matches!(self, Self::Message { .. } | Self::Shortcuts | Self::About)
    }

    /// In points, where the window has as many.
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

/// Draws a dialog; the decision, once there is one.
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
        Dialog::Import(weights) => network::import_ui(ui, weights),
        Dialog::OtherNetwork(other) => network::network_ui(ui, other),
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
            shortcuts::shortcuts_ui(ui);
            buttons_ui(ui, [("Close", Reply::Cancel)])
        }
        Dialog::About => about_ui(ui),
    }
}

/// A title, a text below it, and the possible answers.
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

/// Buttons from left to right; the first one is what most people want, and has the focus.
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
        Purpose::Save | Purpose::Report | Purpose::NewFolder => "Save",
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
