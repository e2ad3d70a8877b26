//! Every command, in one list: menus, buttons, keys and the palette are made from it.

mod facts;
mod keys;

use eframe::egui::{Key, KeyboardShortcut, Modifiers};

pub use facts::CommandContext;
pub use keys::{key_text, mark_and_key, pressed};

use super::text::counted;

/// Declares the commands: what menus say, what it does in one sentence, and its keys, the usual one first.
macro_rules! commands {
    ($($name:ident: $text:literal, $tooltip:literal, [$($key:expr),*];)*) => {
        /// One thing to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // their texts and tooltips say what they do
        pub enum Command {
            $($name,)*
        }

        impl Command {
            /// What menus and buttons say.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// What it does, in one sentence.
            pub const fn tooltip(self) -> &'static str {
                match self {
                    $(Self::$name => $tooltip,)*
                }
            }

            /// Its keys, the usual one first.
            pub const fn shortcuts(self) -> &'static [KeyboardShortcut] {
                match self {
                    $(Self::$name => {
                        const KEYS: &[KeyboardShortcut] = &[$($key),*];
                        KEYS
                    })*
                }
            }
        }
    };
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

/// Ctrl also where Cmd is the usual key: there, Cmd and Tab belong to the desktop.
const fn tab(is_back: bool) -> KeyboardShortcut {
    let modifiers = if is_back { Modifiers::CTRL.plus(Modifiers::SHIFT) } else { Modifiers::CTRL };
    KeyboardShortcut::new(modifiers, Key::Tab)
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

commands! {
    New: "New…", "Starts a new experiment, blank or from a template", [ctrl(Key::N)];
    Open: "Open…", "Opens an experiment file", [ctrl(Key::O)];
    OpenRecent: "Open recent…", "Lists recently opened files", [shift(Key::O)];
    ClearRecent: "Clear list of recent files", "Clears the list; the files stay", [];
    Save: "Save", "Writes the experiment to its file", [ctrl(Key::S)];
    SaveAs: "Save as…", "Writes the experiment to another file", [shift(Key::S)];
    ExportFigure: "Export figure…", "Writes the last-used plot or view as SVG, PDF, PNG or CSV", [ctrl(Key::E)];
    CopyFigure: "Copy figure", "Copies the last-used figure as an image, at its export size", [shift(Key::E)];
    CopyValues: "Copy values as CSV", "Copies the values of the last-used figure", [];
    WriteReport: "Write report…", "Writes one HTML file with methods, figures, tables and settings, to hand on", [];
    ExportTensorBoard: "Export for TensorBoard…", "Writes all results as event files into a folder", [];
    ExportCrate: "Export RO-Crate…", "Writes the experiment, its results and where they come from into one folder, for others", [];
    CopyTable: "Copy table of runs", "Copies the visible rows of the table of runs, for a spreadsheet", [];
    CopyMethods: "Copy methods text", "Copies a paragraph for a paper's methods section, generated from the document", [];
    CopyResultsFolder: "Copy path of results", "Copies the path of the results folder", [shift(Key::C)];
    DownloadData: "Download data…", "Gets MNIST, Fashion-MNIST, CIFAR-10 or CIFAR-100 from its source", [];
    Quit: "Quit", "Closes the window", [ctrl(Key::Q)];
    Undo: "Undo", "Undoes the last edit to the experiment or to the way its results are shown", [ctrl(Key::Z)];
    Redo: "Redo", "Redoes the last undone edit", [shift(Key::Z), ctrl(Key::Y)];
    AddArm: "Add arm", "Adds another treatment to compare", [shift(Key::A)];
    DuplicateArm: "Duplicate arm", "Adds a copy of the selected arm", [shift(Key::D)];
    RenameArm: "Rename arm", "Edits the name of the selected arm in the list", [plain(Key::F2)];
    RemoveArm: "Remove arm", "Removes the selected arm from the experiment; its results stay on disk", [shift(Key::Delete)];
    ArchiveArm: "Archive results of arm…", "Archives all results of the selected arm; nothing is deleted", [shift(Key::Backspace)];
    StarArm: "Star arm", "Stars or unstars the selected arm", [ctrl(Key::B)];
    MoveArmUp: "Move arm up", "Moves the selected arm up in the list", [shift(Key::ArrowUp)];
    MoveArmDown: "Move arm down", "Moves the selected arm down in the list", [shift(Key::ArrowDown)];
    MoveStageUp: "Move stage up", "Moves the selected stage up in its plan", [];
    MoveStageDown: "Move stage down", "Moves the selected stage down in its plan", [];
    DuplicateStage: "Duplicate stage", "Inserts a copy after the selected stage", [];
    RepeatStage: "Repeat stage", "Wraps the selected stage in a Repeat", [];
    RemoveStage: "Remove stage", "Removes the selected stage from the plan", [];
    StarRun: "Star run", "Stars or unstars the selected run", [shift(Key::B)];
    ArchiveRun: "Archive run…", "Archives the selected run; nothing is deleted", [];
    RestoreArchived: "Restore all archived runs", "Brings back the results of all archived runs", [];
    RunAll: "Run all", "Runs every arm with every seed; finished runs are not repeated. While others go on, it adds new runs", [ctrl(Key::R)];
    RunSelected: "Run selected", "Runs what is ticked in the table of runs, or the selected run, setting or arm", [shift(Key::R)];
    RunNext: "Run selected next", "Starts the ticked or selected runs before all others that wait", [];
    RetryFailed: "Retry failed", "Runs what has failed once more, from its last checkpoint", [];
    Pause: "Pause", "Pauses all runs after their current mini-batch", [ctrl(Key::P)];
    Resume: "Resume", "Continues runs that were paused or stopped, or that failed", [ctrl(Key::G)];
    StopAfterStage: "Stop after this stage", "Lets every run finish its current stage, then stops", [shift(Key::Period)];
    StopNow: "Stop now", "Stops after the current mini-batch; Resume continues from there", [ctrl(Key::Period)];
    StopSelected: "Stop selected", "Stops the ticked or selected runs alone; those that wait do not start", [];
    QueueUp: "Move up in queue", "Lets the ticked or selected runs pass the one before them", [];
    QueueDown: "Move down in queue", "Lets the run behind the ticked or selected ones pass", [];
    Sharing: "Runs side by side and threads…", "Shows the queue, where both can be changed at any time", [];
    Notify: "Notify at the end", "Shows a desktop notification when runs of a minute or longer end", [shift(Key::N)];
    KeepAwake: "Keep the computer awake", "Keeps the computer from sleeping while runs are in progress", [shift(Key::K)];
    ToggleTree: "Arms and runs", "Shows or hides the list of arms and runs", [ctrl(Key::Num1)];
    TogglePlan: "Plan of the arm", "Shows or hides the plan of the selected arm", [ctrl(Key::Num2)];
    ToggleInspector: "Inspector", "Shows or hides the settings of the selection", [ctrl(Key::Num3)];
    ToggleLog: "Log and problems", "Shows or hides the log and the document's problems", [ctrl(Key::Num4)];
    ThemeSystem: "System theme", "Follows the system: light or dark", [];
    ThemeLight: "Light theme", "Dark text on a light background", [];
    ThemeDark: "Dark theme", "Light text on a dark background", [];
    ZoomIn: "Zoom in", "Makes everything larger", [ctrl(Key::Plus), ctrl(Key::Equals)];
    ZoomOut: "Zoom out", "Makes everything smaller", [ctrl(Key::Minus)];
    ZoomReset: "Normal size", "Resets the zoom", [ctrl(Key::Num0)];
    Filter: "Filter runs", "Focuses the filter of the table of runs, which also filters the plots", [ctrl(Key::F)];
    FitFigure: "Fit figure", "Zooms out to all data of the plot", [shift(Key::F)];
    SplitRight: "Split right", "Opens another view of the group on the right", [ctrl(Key::T)];
    SplitDown: "Split down", "Opens another view of the group below", [shift(Key::T)];
    Maximize: "Maximize view", "Shows only the last-used view, or all tiles again", [ctrl(Key::M)];
    NextView: "Next view", "Shows the next view of the group in the last-used tile", [tab(false), ctrl(Key::PageDown)];
    PreviousView: "Previous view", "Shows the previous view of the group in the last-used tile", [tab(true), ctrl(Key::PageUp)];
    CloseView: "Close view", "Closes the last-used view; reopen it from the View menu", [ctrl(Key::W)];
    ResetLayout: "Reset layout", "Restores the default layout of the group", [shift(Key::M)];
    Guide: "User guide", "Explains the window, each kind of experiment, and every setting", [KeyboardShortcut::new(Modifiers::SHIFT, Key::F1)];
    Palette: "Command palette…", "Finds a command by a few letters of its name", [shift(Key::P)];
    Shortcuts: "Keyboard shortcuts", "Lists the keys of all commands", [plain(Key::F1)];
    CopyLog: "Copy log", "Copies all lines of the log", [shift(Key::L)];
    Licences: "Licences", "Lists what Weightlab contains, with licences and their texts", [];
    About: "About Weightlab", "Version and licence", [];
}

/// The menus, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names say what they are
pub enum Menu {
    File,
    Edit,
    Run,
    View,
    Help,
}

impl Menu {
    /// All menus, from left to right.
    pub const ALL: [Self; 5] = [Self::File, Self::Edit, Self::Run, Self::View, Self::Help];

    /// What the menu bar says.
    pub const fn text(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Run => "Run",
            Self::View => "View",
            Self::Help => "Help",
        }
    }

    /// Its commands in groups, which lines separate.
    pub const fn groups(self) -> &'static [&'static [Command]] {
        use Command as C;
        match self {
            Self::File => &[
                &[C::New, C::Open, C::OpenRecent, C::ClearRecent],
                &[C::Save, C::SaveAs],
                &[C::ExportFigure, C::CopyFigure, C::CopyValues],
                &[C::WriteReport, C::ExportTensorBoard, C::ExportCrate],
                &[C::CopyTable, C::CopyMethods, C::CopyResultsFolder],
                &[C::DownloadData],
                &[C::Quit],
            ],
            Self::Edit => &[
                &[C::Undo, C::Redo],
                &[C::AddArm, C::DuplicateArm, C::RenameArm, C::MoveArmUp, C::MoveArmDown],
                &[C::RemoveArm, C::ArchiveArm, C::StarArm],
                &[C::DuplicateStage, C::RepeatStage, C::MoveStageUp, C::MoveStageDown, C::RemoveStage],
                &[C::StarRun, C::ArchiveRun, C::RestoreArchived],
            ],
            Self::Run => &[
                &[C::RunAll, C::RunSelected, C::RetryFailed, C::Pause, C::Resume],
                &[C::StopSelected, C::StopAfterStage, C::StopNow],
                &[C::RunNext, C::QueueUp, C::QueueDown, C::Sharing],
                &[C::Notify, C::KeepAwake],
            ],
            Self::View => &[
                &[C::ToggleTree, C::TogglePlan, C::ToggleInspector, C::ToggleLog],
                &[C::ThemeSystem, C::ThemeLight, C::ThemeDark],
                &[C::ZoomIn, C::ZoomOut, C::ZoomReset],
                &[C::Filter, C::FitFigure],
                &[C::SplitRight, C::SplitDown, C::Maximize],
                &[C::NextView, C::PreviousView],
                &[C::CloseView, C::ResetLayout],
            ],
            Self::Help => &[&[C::Guide, C::Palette, C::Shortcuts, C::CopyLog], &[C::Licences, C::About]],
        }
    }
}

impl Command {
    /// Its usual key.
    pub fn shortcut(self) -> Option<KeyboardShortcut> {
        self.shortcuts().first().copied()
    }

    /// What menus say now: what would be undone or run, too.
    pub fn label(self, context: &CommandContext) -> String {
        let about = match self {
            Self::Undo => context.undoes,
            Self::Redo => context.redoes,
            Self::RunSelected | Self::StopSelected => context.chosen.as_ref().map(|(name, _)| name.as_str()),
            Self::RunAll if context.running && context.to_add > 0 => {
                return format!("Add {}", counted(context.to_add, "run"));
            }
            _ => None,
        };
        about.map_or_else(|| self.text().to_owned(), |about| format!("{}: {about}", self.text()))
    }
}

/// All commands, in the order of the menus.
pub fn all() -> impl Iterator<Item = Command> {
    Menu::ALL.into_iter().flat_map(|menu| menu.groups().iter().copied().flatten().copied())
}

/// All keys, with their commands.
pub fn keys() -> impl Iterator<Item = (Command, KeyboardShortcut)> {
    all().flat_map(|command| command.shortcuts().iter().map(move |key| (command, *key)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_is_in_the_menus_once_with_text_and_tooltip_of_its_own() {
        assert_eq!(all().count(), Command::About as usize + 1, "a command is in no menu, or in two");
        let texts: BTreeSet<&str> = all().map(Command::text).collect();
        let tooltips: BTreeSet<&str> = all().map(Command::tooltip).collect();
        assert_eq!((texts.len(), tooltips.len()), (all().count(), all().count()));
    }

    #[test]
    fn no_two_commands_share_a_key() {
        let keys: Vec<KeyboardShortcut> = keys().map(|(_, key)| key).collect();
        for (position, key) in keys.iter().enumerate() {
            assert!(!keys[..position].contains(key), "{key:?}");
        }
    }

    #[test]
    fn a_command_that_cannot_be_used_says_why() {
        let context = CommandContext { error: Some("no seed".to_owned()), ..CommandContext::default() };
        assert!(Command::RunAll.refusal(&context).unwrap().contains("no seed"));
        assert_eq!(Command::StopNow.refusal(&context).unwrap(), "Nothing is running");
        assert!(Command::RunAll.refusal(&CommandContext::default()).unwrap().contains("no arms yet"));
        assert!(
            Command::RunAll
                .refusal(&CommandContext { arms: 1, left: 1, to_add: 1, ..CommandContext::default() })
                .is_none()
        );
        assert!(
            Command::Open.refusal(&CommandContext { running: true, ..CommandContext::default() }).is_none()
        );
    }

    #[test]
    fn paused_runs_can_go_on_or_be_stopped_and_not_be_paused_twice() {
        let context = CommandContext { running: true, paused: true, ..CommandContext::default() };
        assert!(Command::Resume.refusal(&context).is_none() && Command::StopNow.refusal(&context).is_none());
        assert!(Command::Pause.refusal(&context).is_some());
        let running = CommandContext { running: true, ..CommandContext::default() };
        assert!(Command::Pause.refusal(&running).is_none() && Command::Resume.refusal(&running).is_some());
    }
}
