//! The experiment of a command, and its selected runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;

use super::found::Found;
use super::output::{Failure, print_err, refuse};
use doc::{Experiment, Problem, Run, RunSpec, Severity, expand_arms, file, idle_sweeps, validate};
use form::path::{Place, Segment, assign};
use results::view::ViewSettings;
use run::{Looker, folder_of, input_problems, outdated_notes, outdated_runs};

/// The experiment of a command, and settings that change it.
#[derive(Debug, Args)]
pub struct DocumentArgs {
    /// Experiment file
    pub file: PathBuf,
    /// Change a setting, such as train.batch=16 or 'arms.*.plan.**.Train=200it'; can be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub set: Vec<(String, String)>,
}

/// A choice of its runs.
#[derive(Debug, Args)]
pub struct SelectionArgs {
    /// Only this arm, by its name with or without swept values; can be repeated
    #[arg(long, value_name = "NAME")]
    pub arm: Vec<String>,
    /// Only this seed; can be repeated
    #[arg(long, value_name = "N")]
    pub seed: Vec<u64>,
}

impl SelectionArgs {
    /// Returns true if it leaves nothing out.
    pub fn is_empty(&self) -> bool {
        self.arm.is_empty() && self.seed.is_empty()
    }
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
    pub path: PathBuf,
    /// The folder of its runs: the chosen one, or that next to the file.
    pub folder: PathBuf,
    pub text: String,
    pub experiment: Experiment,
    /// The experiment of the file alone.
    file: Experiment,
    set: Vec<(String, String)>,
    /// Problems by a setting of the command line, with that setting.
    by_settings: Vec<(Problem, String)>,
}

/// The result of checking an experiment.
#[derive(Debug)]
pub struct Checked {
    pub problems: Vec<Problem>,
    /// Its runs; none where there are errors.
    pub runs: Vec<Run>,
    pub found: Found,
}

impl Document {
    /// Opens the file and writes the settings in; `folder` is that of its runs, where one was chosen.
    ///
    /// # Errors
    /// What cannot be read, and settings that match nothing or do not fit.
    pub fn open(arguments: &DocumentArgs, folder: Option<&PathBuf>) -> Result<Self, Failure> {
        let opened = file::open(&arguments.file)?;
        let mut experiment = opened.experiment.clone();
        for (key, value) in &arguments.set {
            assign(&mut experiment, key, value)?;
        }
        let mut file = opened.experiment;
        let base = file::base_of(&arguments.file);
        let folder = folder.cloned().unwrap_or_else(|| folder_of(&arguments.file));
        let looker = Looker::new(base, folder.clone());
        looker.look_at_all(&mut experiment);
        file.looks = experiment.looks.clone();
        if !arguments.set.is_empty() {
            looker.look_at_all(&mut file);
        }
        let by_settings = by_settings(file.clone(), &experiment, &arguments.set);
        Ok(Self {
            path: arguments.file.clone(),
            folder,
            text: opened.text,
            experiment,
            file,
            set: arguments.set.clone(),
            by_settings,
        })
    }

    /// Returns the text of its file, or where the command line changes settings, that of a file with these.
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

    /// Returns the folder that paths in the file are relative to.
    pub fn base(&self) -> PathBuf {
        file::base_of(&self.path)
    }

    /// Finds all problems, missing data included, the runs of an experiment without any, and what is in its data.
    pub fn checked(&self) -> Checked {
        let mut problems = validate(&self.experiment);
        let (mut runs, mut found) = (Vec::new(), Found::default());
        if !problems.iter().any(|problem| problem.severity == Severity::Error)
            && let Ok(all) = doc::runs(&self.experiment)
        {
            problems.extend(idle_sweeps(&self.experiment, &all));
            runs = all;
            found = Found::read(&runs, &self.experiment.looks, &self.base());
            let data = || Place::default().key("data");
            problems.extend(found.errors.iter().map(|error| Problem::error(data(), error)));
            problems.extend(found.notes.iter().map(|note| Problem::note(data(), note)));
            problems.extend(input_problems(&runs, &self.base()));
            Problem::locate(&mut problems, &self.experiment);
        }
        Checked { problems, runs, found }
    }

    /// Finds the setting of the command line that a problem comes from, if it comes from one.
    pub fn setting_of(&self, problem: &Problem) -> Option<String> {
        if let Some((_, setting)) = self.by_settings.iter().find(|(known, _)| known == problem) {
            return Some(setting.clone());
        }
        let is_of_data = |(key, _): &&(String, String)| key == "data" || key.starts_with("data.");
        let setting = self.set.iter().rfind(is_of_data)?;
        (problem.place.0 == [Segment::Key("data".to_owned())]).then(|| written(setting))
    }

    /// Writes a problem with its position, as compilers write it; or with its setting of the command line. Its details follow.
    fn line(&self, problem: &Problem) -> String {
        let (severity, what) = (word_of(problem.severity), problem.with_path());
        let line = if let Some(setting) = self.setting_of(problem) {
            format!("{severity}: --set {setting}: {what}")
        } else {
            let (line, column) = file::locate(&self.text, &problem.place);
            format!("{}:{line}:{column}: {severity}: {what}", self.path.display())
        };
        if problem.details.is_empty() { line } else { format!("{line}\n{}", problem.details) }
    }

    /// Returns all runs of a valid experiment, and what is in its data; prints notes on it.
    ///
    /// # Errors
    /// All errors of the experiment.
    pub fn runs(&self) -> Result<(Vec<Run>, Found), Failure> {
        let Checked { problems, runs, found } = self.checked();
        self.refuse(&problems)?;
        for note in self.notes(&runs, &runs).iter().chain(&self.lines(&problems, Severity::Note)) {
            print_err(note);
        }
        Ok((runs, found))
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

    /// Says which settings of the command line that change no run, and on results of the selected ones of `all` runs that are not
    /// those of today's files.
    pub fn notes(&self, all: &[Run], selected: &[Run]) -> Vec<String> {
        let mut notes = idle_notes(&self.file, &self.experiment, &self.set);
        let mut outdated = outdated_runs(&self.folder, all);
        let chosen: BTreeSet<_> = selected.iter().map(|run| (run.arm.as_str(), run.seed)).collect();
        outdated.retain(|found| chosen.contains(&(found.arm.as_str(), found.seed)));
        let outdated = outdated_notes(&outdated, selected);
        notes.extend(outdated.iter().map(|note| format!("note: {note}")));
        notes
    }

    /// Returns all runs, whether or not they could be carried out.
    ///
    /// # Errors
    /// Settings of arms that match nothing or do not fit.
    pub fn all_runs(&self) -> Result<Vec<Run>, Failure> {
        doc::runs(&self.experiment).map_err(|problems| {
            Failure::Problems(problems.iter().map(|problem| self.line(problem)).collect())
        })
    }

    /// Returns all runs and the selected ones; prints notes on them.
    ///
    /// # Errors
    /// As [`all_runs`](Self::all_runs) and [`select`](Self::select).
    pub fn selected(&self, selection: &SelectionArgs) -> Result<(Vec<Run>, Vec<Run>), Failure> {
        let all = self.all_runs()?;
        let runs = self.select(all.clone(), selection)?;
        for note in self.notes(&all, &runs) {
            print_err(&note);
        }
        Ok((all, runs))
    }

    /// Picks the selected runs.
    ///
    /// # Errors
    /// Arms and seeds that do not exist, with those that do.
    pub fn select(&self, runs: Vec<Run>, selection: &SelectionArgs) -> Result<Vec<Run>, Failure> {
        let base_name = |run: &Run| &self.experiment.arms[run.arm_index].name;
        for arm in &selection.arm {
            if !runs.iter().any(|run| run.arm == *arm || base_name(run) == arm) {
                let known: BTreeSet<&str> = runs.iter().map(|run| run.arm.as_str()).collect();
                let known = known.into_iter().collect::<Vec<_>>().join("\n  ");
                return refuse(format!("there is no arm \"{arm}\"; there are\n  {known}"));
            }
        }
        for seed in &selection.seed {
            if !self.experiment.seeds.contains(seed) {
                let known: Vec<String> = self.experiment.seeds.iter().map(u64::to_string).collect();
                return refuse(format!("there is no seed {seed}; there are {}", known.join(", ")));
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

pub const fn word_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Note => "note",
    }
}

/// Reads how the window shows the runs in a folder; what cannot be read is a warning.
pub fn view_of(folder: &Path) -> ViewSettings {
    ViewSettings::read(folder).unwrap_or_else(|why| {
        print_err(&format!("warning: {why}"));
        ViewSettings::default()
    })
}

/// Writes a setting in the form of the command line.
fn written((key, value): &(String, String)) -> String {
    format!("{key}={value}")
}

/// Finds problems of an experiment that its file alone does not have, each with the setting since which it is there.
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

/// Groups the runs of each arm, in the order of the document.
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

/// Picks the runs that differ: equal arms share a run. In the order of the document.
pub fn distinct(runs: &[Run]) -> Vec<Run> {
    let mut seen = BTreeSet::new();
    runs.iter().filter(|run| seen.insert(run.id.clone())).cloned().collect()
}

/// The first steps of settings that every run has.
const OF_RUNS: [&str; 4] = ["data", "net", "train", "device"];

/// Finds those of the settings without which the runs would be the same, although the file has another value.
fn idle_notes(file: &Experiment, experiment: &Experiment, set: &[(String, String)]) -> Vec<String> {
    let of_runs = |(key, _): &&(String, String)| OF_RUNS.contains(&first(key));
    if !set.iter().any(|setting| of_runs(&setting)) {
        return Vec::new();
    }
    let Some(with_all) = specs(experiment) else { return Vec::new() };
    let is_idle = |setting: &&(String, String)| {
        let mut without = file.clone();
        let others = set.iter().filter(|other| other != setting);
        let fits = others.clone().all(|(key, value)| assign(&mut without, key, value).is_ok());
        fits && without != *experiment && specs(&without).as_ref() == Some(&with_all)
    };
    set.iter().filter(of_runs).filter(is_idle).map(|setting| idle_note(experiment, setting)).collect()
}

fn idle_note(experiment: &Experiment, (key, value): &(String, String)) -> String {
    let first = first(key);
    let has_own = match first {
        "net" => experiment.arms.iter().all(|arm| arm.net.is_some()),
        "train" => experiment.arms.iter().all(|arm| arm.train.is_some()),
        _ => false,
    };
    let why = if has_own {
        format!("every arm has its own {first}; write arms.*.{key}={value}")
    } else {
        "the arms have their own values, or set or sweep give them".to_owned()
    };
    format!("note: --set {key}={value} changes no run: {why}")
}

fn first(key: &str) -> &str {
    key.split('.').next().unwrap_or(key)
}

fn specs(experiment: &Experiment) -> Option<Vec<RunSpec>> {
    Some(expand_arms(experiment).ok()?.into_iter().map(|arm| arm.spec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::file::parse;

    const TEXT: &str = r#"(
        seeds: [1, 2],
        sweep: { "train.batch": [8, 16] },
        arms: [(name: "a", plan: [Train("1ep")]), (name: "b", plan: [Train("1ep"), Test])],
    )"#;

    fn document(set: &[(&str, &str)]) -> Result<Document, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ron");
        std::fs::write(&path, TEXT).unwrap();
        let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Document::open(&DocumentArgs { file: path, set }, None)
    }

    fn select(arm: &[&str], seed: &[u64]) -> Result<Vec<String>, String> {
        let document = document(&[]).unwrap();
        let arm = arm.iter().map(|&arm| arm.to_owned()).collect();
        let selection = SelectionArgs { arm, seed: seed.to_vec() };
        let runs = document.all_runs().and_then(|runs| document.select(runs, &selection));
        runs.map(|runs| runs.iter().map(|run| format!("{} {}", run.arm, run.seed)).collect())
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn an_arm_answers_to_its_name_with_and_without_swept_values() {
        assert_eq!(select(&[], &[]).unwrap().len(), 8);
        assert_eq!(select(&["a"], &[2]).unwrap(), ["a, batch 8 2", "a, batch 16 2"]);
        assert_eq!(select(&["b, batch 16"], &[]).unwrap(), ["b, batch 16 1", "b, batch 16 2"]);
    }

    #[test]
    fn runs_come_by_arm_in_the_order_of_the_document() {
        let all = document(&[]).unwrap().all_runs().unwrap();
        let mixed: Vec<Run> = [6, 0, 3, 1, 7].map(|at: usize| all[at].clone()).into();
        let found: Vec<(&str, Vec<u64>)> = by_arm(&mixed)
            .into_iter()
            .map(|(arm, runs)| (arm, runs.iter().map(|run| run.seed).collect()))
            .collect();
        assert_eq!(
            found,
            [("b, batch 16", vec![1, 2]), ("a, batch 8", vec![1, 2]), ("a, batch 16", vec![2])]
        );
    }

    #[test]
    fn arms_and_seeds_that_do_not_exist_are_named_with_those_that_do() {
        assert!(select(&["c"], &[]).unwrap_err().contains("a, batch 8"));
        assert_eq!(select(&[], &[3]).unwrap_err(), "error: there is no seed 3; there are 1, 2");
    }

    #[test]
    fn settings_of_the_command_line_reach_every_plan() {
        let document = document(&[("arms.*.plan.**.Train", "7it"), ("seeds", "[5]")]).unwrap();
        let runs = document.all_runs().unwrap();
        assert_eq!(runs.len(), 4);
        assert!(runs.iter().all(|run| run.seed == 5 && run.spec.plan[0].sentence() == "Train 7 iterations"));
        assert_eq!(distinct(&[runs.clone(), runs.clone()].concat()), runs);
    }

    #[test]
    fn what_is_wrong_by_a_setting_is_said_of_the_setting() {
        let errors = |set: &[(&str, &str)]| match document(set).unwrap().runs() {
            Err(Failure::Problems(lines)) => lines,
            other => panic!("{other:?}"),
        };
        let found = errors(&[("seeds", "[5]"), ("train.optimizer", "Sgd(rate: -1.0)")]);
        assert!(
            found[0].starts_with("error: --set train.optimizer=Sgd(rate: -1.0): Training, Optimizer, "),
            "{found:?}"
        );
        let found = errors(&[("data", "Mnist(dir: \"/nowhere\")")]);
        assert!(
            found[0].starts_with("error: --set data=Mnist(dir: \"/nowhere\"): Data: MNIST was not"),
            "{found:?}"
        );
    }

    #[test]
    fn names_in_quotes_may_hold_any_sign() {
        let key = "arms.\"rate=0.1\".plan";
        assert_eq!(key_and_value(&format!("{key}=[Test]")).unwrap(), (key.to_owned(), "[Test]".to_owned()));
    }

    #[test]
    fn a_setting_that_matches_nothing_is_an_error() {
        let failure = document(&[("train.bach", "8")]).unwrap_err();
        assert!(
            failure.to_string().starts_with("error: --set: no setting matches \"train.bach\""),
            "{failure}"
        );
        assert!(key_and_value("train.batch").is_err() && key_and_value("=8").is_err());
    }

    fn notes_of(arms: &str, set: &[(&str, &str)]) -> Vec<String> {
        let file = parse(&format!("(train: (batch: 32), arms: [{arms}])"), Path::new("x.ron")).unwrap();
        let mut experiment = file.clone();
        let set: Vec<(String, String)> =
            set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        for (key, value) in &set {
            assign(&mut experiment, key, value).unwrap();
        }
        idle_notes(&file, &experiment, &set)
    }

    #[test]
    fn a_setting_that_every_arm_has_itself_is_noted() {
        let own =
            "(name: \"a\", train: (batch: 8), plan: [Test]), (name: \"b\", train: (batch: 4), plan: [Test])";
        assert_eq!(
            notes_of(own, &[("train.batch", "16")]),
            [
                "note: --set train.batch=16 changes no run: every arm has its own train; write arms.*.train.batch=16"
            ]
        );
        let swept = "(name: \"a\", sweep: { \"train.batch\": [8, 16] }, plan: [Test])";
        let note = notes_of(swept, &[("train.batch", "64"), ("data", "Iris()")]);
        assert!(note.len() == 1 && note[0].ends_with("set or sweep give them"), "{note:?}");
    }

    #[test]
    fn a_setting_that_changes_a_run_or_is_there_already_is_not_noted() {
        let plain = "(name: \"a\", train: (batch: 8), plan: [Test]), (name: \"b\", plan: [Test])";
        for set in [("train.batch", "16"), ("train.batch", "32"), ("arms.*.train.batch", "16"), ("name", "x")]
        {
            assert_eq!(notes_of(plain, &[set]), Vec::<String>::new(), "{set:?}");
        }
    }
}
