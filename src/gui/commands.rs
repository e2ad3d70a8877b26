//! Everything that the user can tell the app to do, in one list: menus, buttons, keys and the palette are made from it.

use eframe::egui::{Key, KeyboardShortcut, Modifiers};

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
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// What it does, in one sentence.
            #[must_use]
            pub const fn tooltip(self) -> &'static str {
                match self {
                    $(Self::$name => $tooltip,)*
                }
            }

            /// Its keys, the usual one first.
            #[must_use]
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
    New: "New from template…", "Starts another experiment from one of the templates", [ctrl(Key::N)];
    Open: "Open…", "Opens an experiment file", [ctrl(Key::O)];
    OpenRecent: "Open recent…", "Lists the files that were open before", [shift(Key::O)];
    ClearRecent: "Clear list of recent files", "Forgets which files were open before; the files stay", [];
    Save: "Save", "Writes the experiment to its file", [ctrl(Key::S)];
    SaveAs: "Save as…", "Writes the experiment to another file", [shift(Key::S)];
    ExportFigure: "Export figure…", "Writes the plot as SVG, PDF, PNG or CSV", [ctrl(Key::E)];
    CopyFigure: "Copy figure", "Copies the plot as a picture, as large as it is exported", [shift(Key::E)];
    CopyResultsFolder: "Copy path of results", "Copies the path of the folder that runs are written to", [shift(Key::C)];
    Quit: "Quit", "Closes the window", [ctrl(Key::Q)];
    Undo: "Undo", "Takes the last edit back: of the experiment, or of how its results are looked at", [ctrl(Key::Z)];
    Redo: "Redo", "Makes the edit again that was taken back last", [shift(Key::Z), ctrl(Key::Y)];
    AddArm: "Add arm", "Adds a treatment to compare with the others", [shift(Key::A)];
    DuplicateArm: "Duplicate arm", "Adds a copy of the selected arm", [shift(Key::D)];
    RemoveArm: "Remove arm", "Takes the selected arm out of the experiment; its results stay on disk", [shift(Key::Delete)];
    ArchiveArm: "Archive results of arm…", "Moves all results of the selected arm to the trash beside the results; nothing is deleted", [];
    MoveArmUp: "Move arm up", "Moves the selected arm up in the list", [shift(Key::ArrowUp)];
    MoveArmDown: "Move arm down", "Moves the selected arm down in the list", [shift(Key::ArrowDown)];
    RunAll: "Run all", "Runs every arm with every seed; what is done is not repeated", [ctrl(Key::R)];
    RunArm: "Run selected arm", "Runs the selected arm with every seed", [shift(Key::R)];
    Pause: "Pause", "Holds all runs after their present mini-batch; Resume lets them go on", [ctrl(Key::P)];
    Resume: "Resume", "Goes on with the runs that are paused, were stopped or failed", [ctrl(Key::G)];
    StopAfterStage: "Stop after this stage", "Lets every run finish its present stage, then stops", [shift(Key::Period)];
    StopNow: "Stop now", "Stops after the present mini-batch; Resume goes on from there", [ctrl(Key::Period)];
    Notify: "Notify at the end", "Shows a notification of the desktop when runs end that took a minute or longer", [];
    KeepAwake: "Keep the computer awake", "Keeps the computer from going to sleep while runs go on", [];
    ToggleTree: "Arms and runs", "Shows or hides the list of arms and runs", [ctrl(Key::Num1)];
    TogglePlan: "Plan of the arm", "Shows or hides the plan of the selected arm", [ctrl(Key::Num2)];
    ToggleProperties: "Properties", "Shows or hides the settings of what is selected", [ctrl(Key::Num3)];
    ToggleLog: "Log and problems", "Shows or hides the log and the problems of the document", [ctrl(Key::Num4)];
    ThemeSystem: "Theme of the system", "Light or dark, as the system is", [];
    ThemeLight: "Light theme", "Dark text on light ground", [];
    ThemeDark: "Dark theme", "Light text on dark ground", [];
    ZoomIn: "Zoom in", "Makes everything larger", [ctrl(Key::Plus), ctrl(Key::Equals)];
    ZoomOut: "Zoom out", "Makes everything smaller", [ctrl(Key::Minus)];
    ZoomReset: "Normal size", "Gives everything its normal size", [ctrl(Key::Num0)];
    SplitRight: "Split right", "Moves the open tab into a tile of its own at the right", [ctrl(Key::T)];
    SplitDown: "Split down", "Moves the open tab into a tile of its own below", [shift(Key::T)];
    Maximise: "Maximise tile", "Gives the tile that was used last all the room, or the others theirs back", [ctrl(Key::M)];
    NextTab: "Next tab", "Goes on to the next tab, over all tiles", [tab(false), ctrl(Key::PageDown)];
    PreviousTab: "Previous tab", "Goes back to the previous tab, over all tiles", [tab(true), ctrl(Key::PageUp)];
    CloseView: "Close view", "Closes the open tab; the menu View brings it back", [ctrl(Key::W)];
    CloseTile: "Close tile", "Closes the tile that was used last, with all its tabs", [shift(Key::W)];
    ResetLayout: "Reset layout", "Puts all views back to where they are at first", [shift(Key::M)];
    Palette: "Command palette…", "Finds a command by a few letters of its name", [shift(Key::P)];
    Shortcuts: "Keyboard shortcuts", "Lists the keys of all commands", [plain(Key::F1)];
    CopyLog: "Copy log", "Copies all lines of the log", [shift(Key::L)];
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
    #[must_use]
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
    #[must_use]
    pub const fn groups(self) -> &'static [&'static [Command]] {
        use Command as C;
        match self {
            Self::File => &[
                &[C::New, C::Open, C::OpenRecent, C::ClearRecent],
                &[C::Save, C::SaveAs],
                &[C::ExportFigure, C::CopyFigure, C::CopyResultsFolder],
                &[C::Quit],
            ],
            Self::Edit => &[
                &[C::Undo, C::Redo],
                &[C::AddArm, C::DuplicateArm, C::RemoveArm, C::ArchiveArm],
                &[C::MoveArmUp, C::MoveArmDown],
            ],
            Self::Run => &[
                &[C::RunAll, C::RunArm, C::Pause, C::Resume],
                &[C::StopAfterStage, C::StopNow],
                &[C::Notify, C::KeepAwake],
            ],
            Self::View => &[
                &[C::ToggleTree, C::TogglePlan, C::ToggleProperties, C::ToggleLog],
                &[C::ThemeSystem, C::ThemeLight, C::ThemeDark],
                &[C::ZoomIn, C::ZoomOut, C::ZoomReset],
                &[C::SplitRight, C::SplitDown, C::Maximise],
                &[C::NextTab, C::PreviousTab],
                &[C::CloseView, C::CloseTile, C::ResetLayout],
            ],
            Self::Help => &[&[C::Palette, C::Shortcuts, C::CopyLog], &[C::About]],
        }
    }
}

/// What decides whether a command can be used now.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub struct Facts {
    /// Runs go on.
    pub running: bool,
    /// They are held, until they are told to go on.
    pub paused: bool,
    /// They were asked to stop now.
    pub stopping_now: bool,
    /// They were asked to stop after their stage.
    pub stopping: bool,
    /// The first error of the document.
    pub error: Option<String>,
    /// Runs of the document that are not done.
    pub left: usize,
    /// Runs of the selected arm that are not done; nothing when no arm is selected.
    pub left_of_arm: Option<usize>,
    /// Runs of the selected arm that have results.
    pub results_of_arm: usize,
    /// Runs that were stopped or failed.
    pub resumable: usize,
    /// Position of the selected arm.
    pub arm: Option<usize>,
    /// Number of arms.
    pub arms: usize,
    /// There is something to save.
    pub unsaved: bool,
    /// There is a curve.
    pub has_figure: bool,
    /// What the edit is about that can be taken back.
    pub undoes: Option<&'static str>,
    /// What the edit is about that was taken back last.
    pub redoes: Option<&'static str>,
    /// Files were open before.
    pub has_recent: bool,
    /// Tabs of the tile that was used last.
    pub tabs: usize,
    /// Tiles in the middle of the window.
    pub tiles: usize,
    /// Their tabs in all.
    pub views: usize,
}

impl Command {
    /// Its usual key.
    #[must_use]
    pub fn shortcut(self) -> Option<KeyboardShortcut> {
        self.shortcuts().first().copied()
    }

    /// What menus say now: what would be undone, too.
    #[must_use]
    pub fn label(self, facts: &Facts) -> String {
        let about = match self {
            Self::Undo => facts.undoes,
            Self::Redo => facts.redoes,
            _ => None,
        };
        about.map_or_else(|| self.text().to_owned(), |about| format!("{}: {about}", self.text()))
    }

    /// Why it cannot be used now; nothing when it can.
    #[must_use]
    pub fn refusal(self, facts: &Facts) -> Option<String> {
        let say = |refused: bool, reason: &str| refused.then(|| reason.to_owned());
        let no_arm = "No arm is selected: click on one in the list at the left";
        let no_view = "No view is open: the menu View has them all";
        let no_file = "No file has been opened or saved yet";
        match self {
            Self::OpenRecent | Self::ClearRecent => say(!facts.has_recent, no_file),
            Self::Save => say(!facts.unsaved, "There are no changes to save"),
            Self::ExportFigure | Self::CopyFigure => {
                say(!facts.has_figure, "There is no curve yet: press Run all")
            }
            Self::Undo => say(facts.undoes.is_none(), "There is no edit to take back"),
            Self::Redo => say(facts.redoes.is_none(), "No edit was taken back"),
            Self::DuplicateArm | Self::RemoveArm => say(facts.arm.is_none(), no_arm),
            Self::ArchiveArm => say(facts.arm.is_none(), no_arm)
                .or_else(|| say(facts.running, "Runs are going on: stop them first, or wait for their end"))
                .or_else(|| say(facts.results_of_arm == 0, "The selected arm has no results")),
            Self::MoveArmUp => say(facts.arm.is_none(), no_arm)
                .or_else(|| say(facts.arm == Some(0), "The selected arm is the first one")),
            Self::MoveArmDown => say(facts.arm.is_none(), no_arm).or_else(|| {
                say(facts.arm.is_some_and(|arm| arm + 1 >= facts.arms), "The selected arm is the last one")
            }),
            Self::RunAll => cannot_start(facts)
                .or_else(|| say(facts.arms == 0, "There is no arm yet: add one at the left"))
                .or_else(|| {
                    say(facts.left == 0, "All runs are done: change a setting or add a seed to run more")
                }),
            Self::RunArm => cannot_start(facts)
                .or_else(|| say(facts.left_of_arm.is_none(), no_arm))
                .or_else(|| say(facts.left_of_arm == Some(0), "All runs of this arm are done")),
            Self::Pause => cannot_stop(facts, facts.stopping)
                .or_else(|| say(facts.paused, "The runs are paused: Resume lets them go on")),
            Self::Resume if facts.paused => None,
            Self::Resume => {
                cannot_start(facts).or_else(|| say(facts.resumable == 0, "No run was stopped or failed"))
            }
            Self::StopAfterStage => cannot_stop(facts, facts.stopping),
            Self::StopNow => cannot_stop(facts, facts.stopping_now),
            Self::SplitRight | Self::SplitDown => say(facts.views == 0, no_view).or_else(|| {
                say(facts.tabs < 2, "The open tab is alone in its tile: show another view there")
            }),
            Self::Maximise => say(facts.tiles < 2, "There is no other tile: Split makes one"),
            Self::NextTab | Self::PreviousTab => say(facts.views < 2, "There is no other tab"),
            Self::CloseView | Self::CloseTile => say(facts.views == 0, no_view),
            _ => None,
        }
    }
}

fn cannot_start(facts: &Facts) -> Option<String> {
    if facts.running {
        return Some("Runs are going on: stop them first, or wait for their end".to_owned());
    }
    facts.error.as_ref().map(|error| format!("The document has an error: {error}"))
}

fn cannot_stop(facts: &Facts, is_stopping: bool) -> Option<String> {
    if !facts.running {
        return Some("Nothing is running".to_owned());
    }
    is_stopping.then(|| "The runs are about to stop".to_owned())
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
        let facts = Facts { error: Some("no seed".to_owned()), ..Facts::default() };
        assert!(Command::RunAll.refusal(&facts).unwrap().contains("no seed"));
        assert_eq!(Command::StopNow.refusal(&facts).unwrap(), "Nothing is running");
        assert!(Command::RunAll.refusal(&Facts::default()).unwrap().contains("no arm yet"));
        assert!(Command::RunAll.refusal(&Facts { arms: 1, left: 1, ..Facts::default() }).is_none());
        assert!(Command::Open.refusal(&Facts { running: true, ..Facts::default() }).is_none());
    }

    #[test]
    fn paused_runs_can_go_on_or_be_stopped_and_not_be_paused_twice() {
        let facts = Facts { running: true, paused: true, ..Facts::default() };
        assert!(Command::Resume.refusal(&facts).is_none() && Command::StopNow.refusal(&facts).is_none());
        assert!(Command::Pause.refusal(&facts).is_some());
        let going = Facts { running: true, ..Facts::default() };
        assert!(Command::Pause.refusal(&going).is_none() && Command::Resume.refusal(&going).is_some());
    }
}
