//! Everything that the user can tell the app to do, in one list: menus, buttons and shortcuts are made from it.

use eframe::egui::{Key, KeyboardShortcut, Modifiers};

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their texts and tooltips say what they do
pub enum Command {
    New,
    Open,
    Save,
    SaveAs,
    ExportFigure,
    Quit,
    AddArm,
    DuplicateArm,
    RemoveArm,
    MoveArmUp,
    MoveArmDown,
    RunAll,
    RunArm,
    Resume,
    StopAfterStage,
    StopNow,
    ToggleTree,
    TogglePlan,
    ToggleProperties,
    ToggleLog,
    ThemeSystem,
    ThemeLight,
    ThemeDark,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    CopyResultsFolder,
    CopyLog,
    Shortcuts,
    About,
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
                &[C::New, C::Open],
                &[C::Save, C::SaveAs],
                &[C::ExportFigure, C::CopyResultsFolder],
                &[C::Quit],
            ],
            Self::Edit => &[&[C::AddArm, C::DuplicateArm, C::RemoveArm], &[C::MoveArmUp, C::MoveArmDown]],
            Self::Run => &[&[C::RunAll, C::RunArm, C::Resume], &[C::StopAfterStage, C::StopNow]],
            Self::View => &[
                &[C::ToggleTree, C::TogglePlan, C::ToggleProperties, C::ToggleLog],
                &[C::ThemeSystem, C::ThemeLight, C::ThemeDark],
                &[C::ZoomIn, C::ZoomOut, C::ZoomReset],
            ],
            Self::Help => &[&[C::Shortcuts, C::CopyLog], &[C::About]],
        }
    }
}

/// What decides whether a command can be used now.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub struct Facts {
    /// Runs go on.
    pub running: bool,
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
}

impl Command {
    /// What menus and buttons say.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::New => "New from template…",
            Self::Open => "Open…",
            Self::Save => "Save",
            Self::SaveAs => "Save as…",
            Self::ExportFigure => "Export figure…",
            Self::Quit => "Quit",
            Self::AddArm => "Add arm",
            Self::DuplicateArm => "Duplicate arm",
            Self::RemoveArm => "Remove arm",
            Self::MoveArmUp => "Move arm up",
            Self::MoveArmDown => "Move arm down",
            Self::RunAll => "Run all",
            Self::RunArm => "Run selected arm",
            Self::Resume => "Resume",
            Self::StopAfterStage => "Stop after this stage",
            Self::StopNow => "Stop now",
            Self::ToggleTree => "Arms and runs",
            Self::TogglePlan => "Plan of the arm",
            Self::ToggleProperties => "Properties",
            Self::ToggleLog => "Log and problems",
            Self::ThemeSystem => "Theme of the system",
            Self::ThemeLight => "Light theme",
            Self::ThemeDark => "Dark theme",
            Self::ZoomIn => "Zoom in",
            Self::ZoomOut => "Zoom out",
            Self::ZoomReset => "Normal size",
            Self::CopyResultsFolder => "Copy path of results",
            Self::CopyLog => "Copy log",
            Self::Shortcuts => "Keyboard shortcuts",
            Self::About => "About Weightlab",
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub const fn tooltip(self) -> &'static str {
        match self {
            Self::New => "Starts another experiment from one of the templates",
            Self::Open => "Opens an experiment file",
            Self::Save => "Writes the experiment to its file",
            Self::SaveAs => "Writes the experiment to another file",
            Self::ExportFigure => "Writes the plot as SVG, PDF, PNG or CSV",
            Self::Quit => "Closes the window",
            Self::AddArm => "Adds a treatment to compare with the others",
            Self::DuplicateArm => "Adds a copy of the selected arm",
            Self::RemoveArm => "Takes the selected arm out of the experiment; its results stay on disk",
            Self::MoveArmUp => "Moves the selected arm up in the list",
            Self::MoveArmDown => "Moves the selected arm down in the list",
            Self::RunAll => "Runs every arm with every seed; what is done is not repeated",
            Self::RunArm => "Runs the selected arm with every seed",
            Self::Resume => "Goes on with the runs that were stopped or failed",
            Self::StopAfterStage => "Lets every run finish its present stage, then stops",
            Self::StopNow => "Stops after the present mini-batch; Resume goes on from there",
            Self::ToggleTree => "Shows or hides the list of arms and runs",
            Self::TogglePlan => "Shows or hides the plan of the selected arm",
            Self::ToggleProperties => "Shows or hides the settings of what is selected",
            Self::ToggleLog => "Shows or hides the log and the problems of the document",
            Self::ThemeSystem => "Light or dark, as the system is",
            Self::ThemeLight => "Dark text on light ground",
            Self::ThemeDark => "Light text on dark ground",
            Self::ZoomIn => "Makes everything larger",
            Self::ZoomOut => "Makes everything smaller",
            Self::ZoomReset => "Gives everything its normal size",
            Self::CopyResultsFolder => "Copies the path of the folder that runs are written to",
            Self::CopyLog => "Copies all lines of the log",
            Self::Shortcuts => "Lists the keys of all commands",
            Self::About => "Version and licence",
        }
    }

    /// Its key.
    #[must_use]
    pub const fn shortcut(self) -> Option<KeyboardShortcut> {
        const SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        let (modifiers, key) = match self {
            Self::New => (Modifiers::COMMAND, Key::N),
            Self::Open => (Modifiers::COMMAND, Key::O),
            Self::Save => (Modifiers::COMMAND, Key::S),
            Self::SaveAs => (SHIFT, Key::S),
            Self::ExportFigure => (Modifiers::COMMAND, Key::E),
            Self::Quit => (Modifiers::COMMAND, Key::Q),
            Self::AddArm => (SHIFT, Key::A),
            Self::DuplicateArm => (SHIFT, Key::D),
            Self::RunAll => (Modifiers::COMMAND, Key::R),
            Self::RunArm => (SHIFT, Key::R),
            Self::Resume => (Modifiers::COMMAND, Key::G),
            Self::StopAfterStage => (SHIFT, Key::Period),
            Self::StopNow => (Modifiers::COMMAND, Key::Period),
            Self::ToggleTree => (Modifiers::COMMAND, Key::Num1),
            Self::TogglePlan => (Modifiers::COMMAND, Key::Num2),
            Self::ToggleProperties => (Modifiers::COMMAND, Key::Num3),
            Self::ToggleLog => (Modifiers::COMMAND, Key::Num4),
            Self::ZoomIn => (Modifiers::COMMAND, Key::Plus),
            Self::ZoomOut => (Modifiers::COMMAND, Key::Minus),
            Self::ZoomReset => (Modifiers::COMMAND, Key::Num0),
            Self::Shortcuts => (Modifiers::NONE, Key::F1),
            _ => return None,
        };
        Some(KeyboardShortcut::new(modifiers, key))
    }

    /// Why it cannot be used now; nothing when it can.
    #[must_use]
    pub fn refusal(self, facts: &Facts) -> Option<String> {
        let say = |refused: bool, reason: &str| refused.then(|| reason.to_owned());
        let no_arm = "No arm is selected: click on one in the list at the left";
        match self {
            Self::Save => say(!facts.unsaved, "There are no changes to save"),
            Self::ExportFigure => say(!facts.has_figure, "There is no curve yet: press Run all"),
            Self::DuplicateArm | Self::RemoveArm => say(facts.arm.is_none(), no_arm),
            Self::MoveArmUp => say(facts.arm.is_none(), no_arm)
                .or_else(|| say(facts.arm == Some(0), "The selected arm is the first one")),
            Self::MoveArmDown => say(facts.arm.is_none(), no_arm).or_else(|| {
                say(facts.arm.is_some_and(|arm| arm + 1 >= facts.arms), "The selected arm is the last one")
            }),
            Self::RunAll => cannot_start(facts).or_else(|| {
                say(facts.left == 0, "All runs are done: change a setting or add a seed to run more")
            }),
            Self::RunArm => cannot_start(facts)
                .or_else(|| say(facts.left_of_arm.is_none(), no_arm))
                .or_else(|| say(facts.left_of_arm == Some(0), "All runs of this arm are done")),
            Self::Resume => {
                cannot_start(facts).or_else(|| say(facts.resumable == 0, "No run was stopped or failed"))
            }
            Self::StopAfterStage => say(!facts.running, "Nothing is running")
                .or_else(|| say(facts.stopping, "The runs are about to stop")),
            Self::StopNow => say(!facts.running, "Nothing is running")
                .or_else(|| say(facts.stopping_now, "The runs are about to stop")),
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

/// All commands, in the order of the menus.
pub fn all() -> impl Iterator<Item = Command> {
    Menu::ALL.into_iter().flat_map(|menu| menu.groups().iter().copied().flatten().copied())
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
        let keys: Vec<KeyboardShortcut> = all().filter_map(Command::shortcut).collect();
        for (position, key) in keys.iter().enumerate() {
            assert!(!keys[..position].contains(key), "{key:?}");
        }
    }

    #[test]
    fn a_command_that_cannot_be_used_says_why() {
        let facts = Facts { error: Some("no seed".to_owned()), ..Facts::default() };
        assert!(Command::RunAll.refusal(&facts).unwrap().contains("no seed"));
        assert_eq!(Command::StopNow.refusal(&facts).unwrap(), "Nothing is running");
        assert!(Command::RunAll.refusal(&Facts { left: 1, ..Facts::default() }).is_none());
        assert!(Command::Open.refusal(&Facts { running: true, ..Facts::default() }).is_none());
    }
}
