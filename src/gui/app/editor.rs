//! The open document: its edits with their history, commands on its arms and stages, data and weights that it takes, and the
//! backup of edits against a crash.

use std::path::{Path, PathBuf};

use chrono::Local;

use super::dropped::data_in;
use crate::commands::Command;
use crate::dialogs::Dialog;
use crate::document::Document;
use crate::files::{NO_RESULTS, is_untitled, new_untitled, rename_results};
use crate::history::{CurrentState, EditState, History};
use crate::log::Log;
use crate::plan::{self, Action, Applied};
use crate::recent::day_of;
use crate::recovery::{Leftover, Recovery, UnsavedEdits};
use crate::selection::Selection;
use crate::settings::Unfinished;
use crate::text::duration;
use data::Recognised;
use doc::file::FileError;
use doc::intervention::{Import, Set, WeightFile};
use doc::{Arm, Experiment, Intervention, Stage, listed, templates};
use form::number::counted;
use results::tiles::Tiles;
use results::view::ViewSettings;
use run::folder_of;
use run::weight_files::Guess;

/// The file of the document is looked at this often, in seconds.
const LOOK_AGAIN: f64 = 3.0;

/// More arms than these are counted.
const MOST_NAMES: usize = 4;

/// The document with what was done to it.
pub(super) struct Editor {
    pub document: Document,
    pub history: History,
    pub recovery: Option<Recovery>,
    /// What crashed windows have left, the newest last.
    pub leftovers: Vec<Leftover>,
    /// The documents of closed windows whose runs are to go on, the newest last.
    pub closed: Vec<Leftover>,
    /// The one of them, or of those that were restored, whose runs are to be asked about.
    pub resumes: Option<Leftover>,
    untitled: PathBuf,
    /// The last look at the file since it was opened or saved, in seconds, and whether another program had written it.
    pub looked: Option<(f64, bool)>,
}

/// Settings of the view, which can be undone as edits of the document can.
pub(super) type Shown<'a> = (&'a ViewSettings, &'a Tiles);

impl Editor {
    /// Returns the default document; edits are backed up in the app's own folder, where those of crashed windows are.
    /// What earlier versions noted in the settings goes there.
    pub fn new(
        untitled: PathBuf,
        home: Option<&Path>,
        unfinished: &mut Option<Unfinished>,
        log: &mut Log,
    ) -> Self {
        let template = &templates::all()[0];
        let document = Document::untitled(template.name, template.text).expect("a test opens every template");
        let (history, recovery) = (History::default(), None);
        let (leftovers, closed, resumes, looked) = (Vec::new(), Vec::new(), None, None);
        let mut editor = Self { document, history, recovery, leftovers, closed, resumes, untitled, looked };
        let Some(folder) = home.map(|home| home.join("recovery")) else { return editor };
        match Recovery::new(&folder) {
            Ok(recovery) => {
                match unfinished.as_ref().map_or(Ok(()), |noted| recovery.leave(&noted.to_keep())) {
                    Ok(()) => *unfinished = None,
                    Err(error) => log.error(format!("Runs to resume could not be kept: {error}")),
                }
                let left = recovery.leftovers().into_iter().rev();
                (editor.closed, editor.leftovers) = left.partition(|left| left.kept.is_closed);
                editor.recovery = Some(recovery);
            }
            Err(error) => log.error(format!(
                "Unsaved edits would be lost in a crash: {} cannot be used ({error}). Save often, or free the folder and restart",
                folder.display()
            )),
        }
        editor
    }

    /// Returns the folder of the document's results, beside its file.
    pub fn results(&self) -> PathBuf {
        self.document.path().map_or_else(|| self.untitled.join(NO_RESULTS), folder_of)
    }

    /// Writes a document without a file into an untitled one.
    ///
    /// # Errors
    /// What could not be written.
    pub fn give_file(&mut self) -> Result<PathBuf, String> {
        let path = new_untitled(&self.untitled).map_err(|error| {
            let folder = self.untitled.display();
            format!("{folder} cannot be written ({error}). Save the experiment in another folder first")
        })?;
        if let Err(error) = self.save(&path) {
            let _ = std::fs::remove_file(&path); // an empty file may stay
            return Err(error.to_string());
        }
        Ok(path)
    }

    /// Returns the file of the document if it is untitled and no other program has edited it: *Save as* renames it then.
    pub fn untitled(&self) -> Option<&Path> {
        let is_own = |path: &&Path| {
            is_untitled(path)
                && path.parent() == Some(&self.untitled)
                && !self.document.is_changed_elsewhere()
        };
        self.document.path().filter(is_own)
    }

    /// Gives the results beside a file to the document, which is saved under another name by now, and removes the file.
    ///
    /// # Errors
    /// Why both stay as they are.
    pub fn rename_from(&self, file: &Path) -> Result<(), String> {
        let real = |path: &Path| path.canonicalize().ok();
        if self.document.path().and_then(real).is_some_and(|own| Some(own) == real(file)) {
            return Ok(()); // two names of one file
        }
        rename_results(&folder_of(file), &self.results())?;
        let _ = std::fs::remove_file(file); // without results, an old file may stay
        Ok(())
    }

    /// Returns true if another program has written the document's file. `now` in seconds; it is looked at every few
    /// seconds, when the window is drawn.
    pub fn is_changed_elsewhere(&mut self, now: f64) -> bool {
        let is_due = self.looked.is_none_or(|(at, _)| now - at >= LOOK_AGAIN || now < at);
        if is_due {
            self.looked = Some((now, self.document.is_changed_elsewhere()));
        }
        self.looked.is_some_and(|(_, is_changed)| is_changed)
    }

    /// Takes what another program has written as known: saving asks no more.
    pub fn keep_mine(&mut self) {
        self.document.keep_mine();
        self.looked = None;
    }

    /// Writes the document. What can be undone gets its paths from there too.
    ///
    /// # Errors
    /// What could not be written; nothing has changed then.
    pub fn save(&mut self, to: &Path) -> Result<(), FileError> {
        let moved = self.document.save(to)?;
        self.history.change(&|experiment| moved.of(experiment));
        self.looked = None;
        Ok(())
    }

    /// Starts a history at the saved document, so that edits recovered after a crash can be undone.
    pub fn begin_history(&mut self, (view, tiles): Shown<'_>) {
        let experiment = self.document.saved();
        self.history = History::new(EditState::new(CurrentState { experiment, view, tiles, typed: &[] }));
    }

    /// Notes what was edited since the last time.
    pub fn note_edits(&mut self, (view, tiles): Shown<'_>) {
        let (experiment, typed) = (&self.document.experiment, &self.document.drafts.to_keep());
        self.history.note(CurrentState { experiment, view, tiles, typed });
    }

    /// Accepts changes that were not made by the user.
    pub fn adopt_edits(&mut self, (view, tiles): Shown<'_>) {
        let (experiment, typed) = (&self.document.experiment, &self.document.drafts.to_keep());
        self.history.adopt(CurrentState { experiment, view, tiles, typed });
    }

    /// Returns the question about what a window left that crashed.
    pub fn leftover_question(&self) -> Option<Dialog> {
        let leftover = self.leftovers.last()?;
        let now = Local::now();
        let ago = leftover.written.elapsed().unwrap_or_default().as_secs();
        let when = format!("{}, {} ago", day_of(leftover.written.into(), now), duration(ago as f64));
        Some(Dialog::recover(&leftover.kept, &when))
    }

    /// Keeps the document as one that this window has, before what another one left of it goes.
    pub fn take_over(&mut self, leftover: Leftover) {
        if let Some(recovery) = &mut self.recovery {
            let document = &self.document;
            if document.would_lose() {
                recovery.keep([document.revision(), 0, 1], || document.to_keep());
            }
            recovery.drop_leftover(leftover);
        }
    }

    /// Gives up the edits that were asked about.
    pub fn give_up_leftover(&mut self, log: &mut Log) {
        if let (Some(leftover), Some(recovery)) = (self.leftovers.pop(), &mut self.recovery) {
            if !leftover.kept.is_saved {
                log.info(format!("Discarded the unsaved edits to {}", leftover.kept.title));
            }
            recovery.drop_leftover(leftover);
        }
    }

    /// Leaves a document, of which there is no other copy, to be offered at the next start as after a crash.
    /// It replaces what closed windows have left of its file.
    pub fn leave(&mut self, kept: &UnsavedEdits, log: &mut Log) {
        let Some(recovery) = &self.recovery else { return };
        match recovery.leave(kept) {
            Ok(()) => self.drop_closed(kept.path.as_deref()),
            Err(error) => log.error(format!("The edits to {} could not be kept: {error}", kept.title)),
        }
    }

    /// Gives up what closed windows have left of a file, in favour of something newer.
    pub fn drop_closed(&mut self, file: Option<&Path>) {
        let is_of_file = |left: &mut Leftover| file.is_some() && left.kept.path.as_deref() == file;
        let older = self.closed.extract_if(.., is_of_file).chain(self.resumes.take_if(is_of_file));
        let Some(recovery) = &mut self.recovery else { return };
        older.for_each(|leftover| recovery.drop_leftover(leftover));
    }

    /// Adds, copies, removes or moves an arm, and returns what is selected then.
    pub fn change_arms(&mut self, command: Command, selection: &Selection) -> Option<Selection> {
        let arms = &mut self.document.experiment.arms;
        let selected = selection.arm().filter(|arm| *arm < arms.len());
        let arm = match (command, selected) {
            (Command::AddArm, selected) => {
                let model = selected.or_else(|| arms.len().checked_sub(1)).map(|arm| arms[arm].clone());
                let model = model.or_else(|| templates::BLANK.experiment().arms.pop()).unwrap_or_default();
                // At the end, so that the others keep their colours.
                arms.push(Arm { name: free_name(arms, &model.name), ..model });
                arms.len() - 1
            }
            (Command::RemoveArm, Some(arm)) => {
                arms.remove(arm);
                arm.min(arms.len().saturating_sub(1))
            }
            (Command::MoveArmUp, Some(arm)) if arm > 0 => {
                arms.swap(arm, arm - 1);
                arm - 1
            }
            (Command::MoveArmDown, Some(arm)) if arm + 1 < arms.len() => {
                arms.swap(arm, arm + 1);
                arm + 1
            }
            _ => return None,
        };
        Some(if arms.is_empty() { Selection::Experiment } else { Selection::Arm(arm) })
    }

    /// Takes an earlier or a later state of the experiment. A selected arm or stage that is elsewhere there is followed.
    pub fn take_experiment(&mut self, experiment: &Experiment, selection: &Selection) -> Option<Selection> {
        let before = std::mem::replace(&mut self.document.experiment, experiment.clone());
        let index = selection.arm()?;
        let own = before.arms.get(index)?;
        let arm = experiment.arms.iter().position(|arm| arm.name == own.name).unwrap_or(index);
        Some(match selection {
            Selection::Experiment => return None,
            Selection::Arm(_) => Selection::Arm(arm),
            Selection::Setting { name, .. } => Selection::Setting { arm, name: name.clone() },
            Selection::Run { id, .. } => Selection::Run { arm, id: id.clone() },
            Selection::Stage { path, .. } => {
                let moved = plan::moved_to(&own.plan, &experiment.arms.get(arm)?.plan, path);
                Selection::Stage { arm, path: moved.unwrap_or_else(|| path.clone()) }
            }
        })
    }

    /// Changes the selected stage.
    pub fn change_stage(&mut self, action: Action, selection: &Selection) -> Option<Selection> {
        let (arm, path) = selection.stage()?;
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        let path = action.apply(plan, path);
        Some(path.map_or(Selection::Arm(arm), |path| Selection::Stage { arm, path }))
    }

    /// Gives the selected stage to all other arms: in the place of their stage of its kind, the first for the first and so
    /// on, else where it stands in its own plan. Returns what became of it.
    pub fn apply_to_all(&mut self, selection: &Selection) -> Option<String> {
        let (own, path) = selection.stage()?;
        let arms = &mut self.document.experiment.arms;
        let name = arms.get(own)?.name.clone();
        let plan = arms[own].plan.clone();
        let stage = plan::stage_in(&plan, path)?;
        let others = arms.iter_mut().enumerate().filter(|(arm, _)| *arm != own);
        let done: Vec<Applied> = others.map(|(_, arm)| plan::apply(&plan, path, &mut arm.plan)).collect();
        let parts = [
            (Applied::Added, "added to"),
            (Applied::Replaced, "replaced in"),
            (Applied::Same, "there already in"),
        ];
        let parts = parts.map(|(kind, words)| (done.iter().filter(|it| **it == kind).count(), words));
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            parts.map(|(count, words)| format!("{words} {}", counted(count, "arm"))).collect();
        Some(format!("{} of {name}: {}", stage.about().label, listed(&parts)))
    }

    /// Adds a stage after the selected one, by what menus call it.
    pub fn add_stage_of(&mut self, label: &str, selection: &Selection) -> Option<Selection> {
        let arm = selection.arm()?;
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        let path = plan::add(plan, selection.stage().map(|(_, path)| path), label)?;
        Some(Selection::Stage { arm, path })
    }

    /// Adds a stage that sets entries at the end of the plan.
    pub fn add_set(&mut self, set: Set, selection: &Selection) -> Option<Selection> {
        let arm = selection.arm()?;
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        plan.push(Stage::Do(Intervention::Set(set)));
        Some(Selection::Stage { arm, path: vec![plan.len() - 1] })
    }

    /// Makes a folder of data the data of the experiment.
    pub fn use_data(&mut self, found: &Recognised, log: &mut Log) {
        let dir = self.document.as_written(&found.folder);
        let data = data_in(found, dir, &self.document.experiment.data);
        let (set, folder) = (data.name(), found.folder.display());
        self.document.experiment.data = data;
        log.info(match found.others.as_slice() {
            [] => format!("The experiment now uses {set} in {folder}"),
            others => format!(
                "The experiment now uses {folder} as {set}. Its files may also be {}: if so, choose that under Data",
                others.join(" or ")
            ),
        });
    }

    /// Makes the network of a weight file that of an arm: of the experiment, where the arm has no other one; and takes a known
    /// dataset that it is for, where the present data do not fit.
    pub fn use_network(&mut self, guess: &Guess, arm: usize, log: &mut Log) {
        let whose = self.whose_network(arm);
        let experiment = &mut self.document.experiment;
        if let Ok(data) = guess.data(&experiment.data)
            && data != experiment.data
        {
            log.info(format!("The experiment now uses {}", data.name()));
            experiment.data = data;
        }
        let classes = experiment.data.facts(guess.net.image_side()).map(|facts| facts.classes);
        let net = guess.net_for(classes).clone();
        match experiment.arms.get_mut(arm).and_then(|arm| arm.net.as_mut()) {
            Some(of_arm) => *of_arm = net,
            None => experiment.net = net,
        }
        log.info(format!("The network of {whose} is now {}", guess.name()));
    }

    /// Returns whose network an arm has: its own, or that of the experiment with the arms that have no other one.
    pub fn whose_network(&self, arm: usize) -> String {
        let arms = &self.document.experiment.arms;
        if let Some(arm) = arms.get(arm).filter(|arm| arm.net.is_some()) {
            return arm.name.clone();
        }
        let names: Vec<String> =
            arms.iter().filter(|arm| arm.net.is_none()).map(|arm| arm.name.clone()).collect();
        let all = if names.len() > MOST_NAMES { counted(names.len(), "arm") } else { listed(&names) };
        format!("the experiment ({all})")
    }

    /// Adds the stage that reads a weight file to a plan: after the selected stage, or first. Returns what is selected
    /// then.
    pub fn import(
        &mut self,
        path: &Path,
        arm: usize,
        selection: &Selection,
        log: &mut Log,
    ) -> Option<Selection> {
        let file = self.document.as_written(path);
        let selected = selection.stage().filter(|(selected, _)| *selected == arm);
        let after = selected.and_then(|(_, path)| path.first()).map(|at| at + 1);
        let plan = &mut self.document.experiment.arms.get_mut(arm)?.plan;
        let at = after.unwrap_or(0).min(plan.len());
        let import = Import(WeightFile { file, ..WeightFile::default() });
        plan.insert(at, Stage::Do(Intervention::Import(import)));
        log.info(format!("Added a stage that imports {}", path.display()));
        Some(Selection::Stage { arm, path: vec![at] })
    }
}

/// Returns a name for a copy of an arm that no arm has: `dense 2`, and `dense 3` for a copy of that.
fn free_name(arms: &[Arm], model: &str) -> String {
    let is_taken = |name: &str| arms.iter().any(|arm| arm.name == name);
    let is_copy = |(first, number): &(&str, &str)| number.parse::<u32>().is_ok() && is_taken(first);
    let first = model.rsplit_once(' ').filter(is_copy).map_or(model, |(first, _)| first);
    let further = (2..).map(|number: u32| format!("{first} {number}"));
    let mut names = std::iter::once(first.to_owned()).chain(further);
    names.find(|name| !is_taken(name)).expect("there are more numbers than arms")
}
