//! The experiment of a command, and its selected runs.

mod idle;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::Failure;
use super::found::Found;
use doc::{Experiment, Problem, Run, Severity, file, idle_sweeps, validate};
use form::path::{Place, Segment, assign};
use run::{Looker, folder_of, input_problems, outdated_notes, outdated_runs};

/// Which experiment, with which settings.
#[derive(Debug, Args)]
pub struct DocumentArgs {
    /// Experiment file
    pub file: PathBuf,
    /// Change a setting, such as train.batch=16 or 'arms.*.plan.**.Train=200it'; can be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub set: Vec<(String, String)>,
}

/// Which runs of it.
#[derive(Debug, Args)]
pub struct SelectionArgs {
    /// Only this arm, by its name with or without swept values; can be repeated
    #[arg(long, value_name = "NAME")]
    pub arm: Vec<String>,
    /// Only this seed; can be repeated
    #[arg(long, value_name = "N")]
    pub seed: Vec<u64>,
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    // Quotes in a key enclose names, which may hold any sign.
    let mut in_quotes = false;
    let end = text.find(|character: char| {
        in_quotes ^= character == '"';
        character == '=' && !in_quotes
    });
    match end.map(|end| (text[..end].trim(), text[end + 1..].trim())) {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, such as train.batch=16".to_owned()),
    }
}

/// An experiment that was opened, with the settings of the command line written in.
#[derive(Debug)]
pub struct Document {
    path: PathBuf,
    /// The folder of its runs.
    results: PathBuf,
    text: String,
    experiment: Experiment,
    /// The experiment of the file.
    file: Experiment,
    /// Settings of the command line.
    set: Vec<(String, String)>,
    /// Problems by a setting of the command line, with that setting.
    by_settings: Vec<(Problem, String)>,
}

impl Document {
    /// Opens the file and writes the settings in. The folder of its runs is the chosen one, or that next to the file.
    ///
    /// # Errors
    /// What cannot be read, and settings that match nothing or do not fit.
    pub fn open(arguments: &DocumentArgs, results: Option<&PathBuf>) -> Result<Self, Failure> {
        let opened = file::open(&arguments.file)?;
        let mut experiment = opened.experiment.clone();
        for (key, value) in &arguments.set {
            assign(&mut experiment, key, value)?;
        }
        let mut file = opened.experiment;
        let base = file::base_of(&arguments.file);
        let results = results.cloned().unwrap_or_else(|| folder_of(&arguments.file));
        let looker = Looker::new(base, results.clone());
        looker.look_at_all(&mut experiment);
        file.looks = experiment.looks.clone();
        if !arguments.set.is_empty() {
            looker.look_at_all(&mut file);
        }
        let by_settings = by_settings(file.clone(), &experiment, &arguments.set);
        Ok(Self {
            path: arguments.file.clone(),
            results,
            text: opened.text,
            experiment,
            file,
            set: arguments.set.clone(),
            by_settings,
        })
    }

    /// The experiment.
    pub const fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of its file, or where the command line changes settings, that of a file with these.
    ///
    /// # Errors
    /// When a setting cannot be written.
    pub fn text_with_settings(&self) -> Result<String, Failure> {
        if self.set.is_empty() {
            return Ok(self.text.clone());
        }
        let text = file::to_text(&self.experiment, &self.text);
        text.map_err(|error| Failure::Input(format!("the settings cannot be written: {error}")))
    }

    /// The folder of its runs: the chosen one, or that next to the file.
    pub fn runs_folder(&self) -> PathBuf {
        self.results.clone()
    }

    /// The folder that paths in the file are relative to.
    pub fn base(&self) -> PathBuf {
        file::base_of(&self.path)
    }

    /// All problems, missing data included, the runs of an experiment without any, and what is in its data.
    pub fn problems(&self) -> (Vec<Problem>, Vec<Run>, Found) {
        let mut problems = validate(&self.experiment);
        let (mut runs, mut found) = (Vec::new(), Found::default());
        if !problems.iter().any(|problem| problem.severity == Severity::Error)
            && let Ok(all) = doc::runs(&self.experiment)
        {
            problems.extend(idle_sweeps(&self.experiment, &all));
            runs = all;
            found = Found::of(&runs, &self.experiment.looks, &self.base());
            let data = || Place::default().key("data");
            problems.extend(found.errors.iter().map(|error| Problem::error(data(), error)));
            problems.extend(found.notes.iter().map(|note| Problem::note(data(), note)));
            problems.extend(input_problems(&runs, &self.base()));
            Problem::locate(&mut problems, &self.experiment);
        }
        (problems, runs, found)
    }

    /// The setting of the command line that a problem comes from, if it comes from one.
    pub fn setting_of(&self, problem: &Problem) -> Option<String> {
        if let Some((_, setting)) = self.by_settings.iter().find(|(known, _)| known == problem) {
            return Some(setting.clone());
        }
        let is_of_data = |(key, _): &&(String, String)| key == "data" || key.starts_with("data.");
        let setting = self.set.iter().rfind(is_of_data)?;
        (problem.place.0 == [Segment::Key("data".to_owned())]).then(|| written(setting))
    }

    /// A problem with its position, as compilers write it; or with its setting of the command line. Its details follow.
    fn line(&self, problem: &Problem) -> String {
        let line = self.first_line(problem);
        if problem.details.is_empty() { line } else { format!("{line}\n{}", problem.details) }
    }

    fn first_line(&self, problem: &Problem) -> String {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Note => "note",
        };
        if let Some(setting) = self.setting_of(problem) {
            return format!("{severity}: --set {setting}: {}", problem.with_path());
        }
        let (line, column) = file::position(problem, &self.text);
        format!("{}:{line}:{column}: {severity}: {}", self.path.display(), problem.with_path())
    }

    /// All runs of a valid experiment, the notes on it, and what is in its data.
    ///
    /// # Errors
    /// All errors of the experiment.
    pub fn runs(&self) -> Result<(Vec<Run>, Vec<String>, Found), Failure> {
        let (problems, runs, found) = self.problems();
        self.refuse(&problems)?;
        let notes = self.lines(&problems, Severity::Note);
        let notes = self.notes(&runs, &runs).into_iter().chain(notes).collect();
        Ok((runs, notes, found))
    }

    /// Refuses an experiment with errors.
    ///
    /// # Errors
    /// All errors among its problems.
    pub fn refuse(&self, problems: &[Problem]) -> Result<(), Failure> {
        let errors = self.lines(problems, Severity::Error);
        if errors.is_empty() { Ok(()) } else { Err(Failure::Problems(errors)) }
    }

    fn lines(&self, problems: &[Problem], severity: Severity) -> Vec<String> {
        let of_it = problems.iter().filter(|problem| problem.severity == severity);
        of_it.map(|problem| self.line(problem)).collect()
    }

    /// Notes on settings of the command line that change no run, and on results of the selected ones of `all` runs that are not
    /// those of today's files.
    pub fn notes(&self, all: &[Run], selected: &[Run]) -> Vec<String> {
        let mut notes = idle::notes(&self.file, &self.experiment, &self.set);
        let mut outdated = outdated_runs(&self.results, all);
        let chosen: BTreeSet<_> = selected.iter().map(|run| (run.arm.as_str(), run.seed)).collect();
        outdated.retain(|found| chosen.contains(&(found.arm.as_str(), found.seed)));
        let outdated = outdated_notes(&outdated, selected);
        notes.extend(outdated.iter().map(|note| format!("note: {note}")));
        notes
    }

    /// All runs, whether or not they could be carried out.
    ///
    /// # Errors
    /// Settings of arms that match nothing or do not fit.
    pub fn all_runs(&self) -> Result<Vec<Run>, Failure> {
        doc::runs(&self.experiment).map_err(|problems| {
            Failure::Problems(problems.iter().map(|problem| self.line(problem)).collect())
        })
    }

    /// The selected runs.
    ///
    /// # Errors
    /// Arms and seeds that do not exist, with those that do.
    pub fn select(&self, runs: Vec<Run>, selection: &SelectionArgs) -> Result<Vec<Run>, Failure> {
        let base_name = |run: &Run| &self.experiment.arms[run.arm_index].name;
        for arm in &selection.arm {
            if !runs.iter().any(|run| run.arm == *arm || base_name(run) == arm) {
                let known: BTreeSet<&str> = runs.iter().map(|run| run.arm.as_str()).collect();
                let known = known.into_iter().collect::<Vec<_>>().join("\n  ");
                return Err(Failure::Input(format!("there is no arm \"{arm}\"; there are\n  {known}")));
            }
        }
        for seed in &selection.seed {
            if !self.experiment.seeds.contains(seed) {
                let known: Vec<String> = self.experiment.seeds.iter().map(u64::to_string).collect();
                let known = known.join(", ");
                return Err(Failure::Input(format!("there is no seed {seed}; there are {known}")));
            }
        }
        let SelectionArgs { arm, seed } = selection;
        let wanted = |run: &Run| {
            (arm.is_empty() || arm.contains(&run.arm) || arm.contains(base_name(run)))
                && (seed.is_empty() || seed.contains(&run.seed))
        };
        Ok(runs.into_iter().filter(wanted).collect())
    }
}

/// A setting in the form of the command line.
fn written((key, value): &(String, String)) -> String {
    format!("{key}={value}")
}

/// Problems of an experiment that its file alone does not have, each with the setting since which it is there.
fn by_settings(
    mut file: Experiment,
    experiment: &Experiment,
    set: &[(String, String)],
) -> Vec<(Problem, String)> {
    let mut left = if set.is_empty() { Vec::new() } else { validate(experiment) };
    if left.is_empty() {
        return Vec::new();
    }
    let of_file = validate(&file);
    left.retain(|problem| !of_file.contains(problem));
    let mut by_settings = Vec::new();
    for setting in set {
        // It was written once without an error.
        let _ = assign(&mut file, &setting.0, &setting.1);
        let now = validate(&file);
        let present = left.extract_if(.., |problem| now.contains(problem));
        by_settings.extend(present.map(|problem| (problem, written(setting))));
    }
    by_settings
}

/// The runs of each arm, in the order of the document.
pub fn by_arm(runs: &[Run]) -> Vec<(&str, Vec<&Run>)> {
    let mut arms: Vec<(&str, Vec<&Run>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        let place = *places.entry(&run.arm).or_insert_with(|| {
            arms.push((&run.arm, Vec::new()));
            arms.len() - 1
        });
        arms[place].1.push(run);
    }
    arms
}

/// The runs that differ: equal arms share a run. In the order of the document.
pub fn distinct(runs: &[Run]) -> Vec<Run> {
    let mut seen = BTreeSet::new();
    runs.iter().filter(|run| seen.insert(run.id.clone())).cloned().collect()
}

#[cfg(test)]
mod tests;
