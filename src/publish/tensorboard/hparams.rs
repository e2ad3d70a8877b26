//! Settings for TensorBoard's hparams plugin.
//!
//! Numbers of fields are those of `tensorboard/plugins/hparams/plugin_data.proto` and `api.proto`, tags and version those of
//! `tensorboard/plugins/hparams/metadata.py`; values are `google/protobuf/struct.proto`. A run is a session. Sessions of
//! one group have equal settings, and the plugin shows their means: the group is the arm, its sessions are the seeds.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{EventFile, Message, When};
use super::tags::tag_of;
use crate::Selected;
use doc::Run;
use results::table::settings::{NONE, compare, number_of, short};
use results::table::{Differing, Row};
use results::{RunRecord, RunState};

/// `DataType` of api.proto.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Text = 1,
    Truth = 2,
    Number = 3,
}

/// Most values of a setting that are offered one by one; of more, numbers have a range and words a pattern.
const MOST_LISTED: usize = 20;

/// The series that the table of runs shows, the first ones in front.
const METRICS: &str =
    "test_accuracy vote_accuracy test_loss validation_accuracy validation_loss train_accuracy train_loss";

/// The settings in which the arms of an experiment differ.
#[derive(Debug)]
pub struct Hparams {
    settings: Vec<Setting>,
    /// The values of each arm, in the order of the settings; nothing where an arm does not have one.
    arms: BTreeMap<String, Vec<Option<String>>>,
}

#[derive(Debug)]
struct Setting {
    /// Its path in the file, or `arm`.
    name: String,
    title: String,
    help: String,
    kind: Type,
}

impl Hparams {
    /// Finds those of the arms of these runs.
    pub fn new(runs: &[Run]) -> Self {
        let mut seen = BTreeSet::new();
        let firsts: Vec<&Run> = runs.iter().filter(|run| seen.insert(run.arm.as_str())).collect();
        let mut rows: Vec<Row> = firsts.iter().map(|run| Row::default().called(run, "", 0)).collect();
        let mut differing = Differing::default();
        let paths = differing.give(&mut rows, &firsts).to_vec();
        let values = |row: &Row| {
            let own = paths.iter().map(|path| value_of(row, path));
            (row.arm.clone(), std::iter::once(Some(row.arm.clone())).chain(own).collect())
        };
        let arms: BTreeMap<String, Vec<Option<String>>> = rows.iter().map(values).collect();
        let [name, title, help] = ["arm", "arm", "The treatment"].map(str::to_owned);
        let arm = Setting { name, title, help, kind: Type::Text };
        let own = paths.iter().enumerate().map(|(at, path)| Setting {
            name: path.clone(),
            title: short(path, &paths).to_owned(),
            help: rows.first().map_or(String::new(), |row| row.labels.title(path)),
            kind: kind_of(&arms.values().filter_map(|values| values[at + 1].as_deref()).collect::<Vec<_>>()),
        });
        Self { settings: std::iter::once(arm).chain(own).collect(), arms }
    }

    /// Writes the names and types of settings and of metrics, for all runs together.
    pub fn write_experiment(&self, file: &mut EventFile, when: When, selected: &Selected<'_>) {
        let mut experiment = Message::default().double(3, when.wall_time).text(6, &selected.experiment.name);
        for (at, setting) in self.settings.iter().enumerate() {
            let mut info = Message::default()
                .text(1, &setting.name)
                .text(2, &setting.title)
                .text(3, &setting.help)
                .integer(4, setting.kind as u64);
            let values: BTreeSet<&String> = self.arms.values().filter_map(|own| own[at].as_ref()).collect();
            if values.len() <= MOST_LISTED {
                let mut values: Vec<&String> = values.into_iter().collect();
                values.sort_by(|a, b| compare(a, b));
                let list = values
                    .iter()
                    .fold(Message::default(), |list, text| list.nested(1, &value(text, setting.kind)));
                info = info.nested(5, &list);
            }
            experiment = experiment.nested(4, &info);
        }
        let has =
            |series: &&str| selected.begun().any(|(_, record)| record.points().latest(series).is_some());
        for series in METRICS.split(' ').filter(has) {
            // MetricInfo.name is a MetricName, whose group is the folder below the run's.
            let name = Message::default().text(2, &tag_of(series));
            let info = Message::default().nested(1, &name).text(3, &series.replace('_', " "));
            experiment = experiment.nested(5, &info);
        }
        let data = Message::default().nested(2, &experiment);
        file.plugin_data(when, "_hparams_/experiment", "hparams", &data);
    }

    /// Writes the settings of a run, and when it began.
    pub fn write_start(&self, file: &mut EventFile, when: When, run: &Run) {
        let mut start = Message::default();
        let own = self.arms.get(&run.arm).map_or(&[][..], Vec::as_slice);
        for (setting, text) in self.settings.iter().zip(own) {
            let Some(text) = text else { continue };
            let entry = Message::default().text(1, &setting.name).nested(2, &value(text, setting.kind));
            start = start.nested(1, &entry);
        }
        let start = start.text(4, &run.arm).double(5, when.wall_time);
        let data = Message::default().nested(3, &start);
        file.plugin_data(when, "_hparams_/session_start_info", "hparams", &data);
    }

    /// Writes how a run ended, and when, once it has.
    pub fn write_end(file: &mut EventFile, when: When, record: &RunRecord) {
        let status = match record.state() {
            RunState::Done => 1,
            RunState::Failed(_) => 2,
            RunState::Waiting | RunState::Running | RunState::Stopped => return,
        };
        let end = Message::default().integer(1, status).double(2, when.wall_time);
        let data = Message::default().nested(4, &end);
        file.plugin_data(when, "_hparams_/session_end_info", "hparams", &data);
    }
}

/// Returns the value of a setting in words that a table has room for; nothing where the arm does not have it.
fn value_of(row: &Row, path: &str) -> Option<String> {
    if path == "plan" {
        return Some(row.plan.to_string());
    }
    let value = row.settings.get(path).filter(|value| *value != NONE)?;
    // Lists of layers are called by a few words; other values stay what they are in the file.
    Some(if row.labels.details(value).is_some() { row.labels.value(path, value) } else { value }.to_owned())
}

fn kind_of(values: &[&str]) -> Type {
    if values.iter().all(|text| text.parse::<bool>().is_ok()) {
        Type::Truth
    } else if values.iter().all(|text| number_of(text).is_some()) {
        Type::Number
    } else {
        Type::Text
    }
}

/// Makes a `google.protobuf.Value`.
fn value(text: &str, kind: Type) -> Message {
    match kind {
        Type::Truth => Message::default().set_truth(4, text.parse().unwrap_or_default()),
        Type::Number => Message::default().set_double(2, number_of(text).unwrap_or(f64::NAN)),
        Type::Text => Message::default().set_bytes(3, text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::event::tests::{Read, read, records};
    use super::*;
    use doc::file::parse;
    use doc::runs;

    fn runs_of(text: &str) -> Vec<Run> {
        runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap()
    }

    const SWEEP: &str = "(data: Iris(), seeds: [1, 2], sweep: { \"train.batch\": [8, 16] }, arms: [(name: \"a\", train: (optimizer: Sgd()), plan: [Test]),
        (name: \"b\", plan: [Test])])";

    #[test]
    fn settings_are_numbers_and_words_and_seeds_are_no_settings() {
        let hparams = Hparams::new(&runs_of(SWEEP));
        let found: Vec<(&str, &str, Type)> = hparams
            .settings
            .iter()
            .map(|setting| (setting.name.as_str(), setting.title.as_str(), setting.kind))
            .collect();
        assert_eq!(found[0], ("arm", "arm", Type::Text));
        assert!(found.contains(&("train.batch", "batch", Type::Number)), "{found:?}");
        assert!(found.contains(&("train.optimizer", "optimizer", Type::Text)), "{found:?}");
        assert!(!found.iter().any(|(name, ..)| *name == "seed"));
        assert_eq!(hparams.arms.len(), 4);
        assert_eq!(kind_of(&["true", "false"]), Type::Truth);
        assert_eq!(kind_of(&["true", "1"]), Type::Text);
    }

    #[test]
    fn a_session_has_the_settings_of_its_run_and_the_group_of_its_arm() {
        let runs = runs_of(SWEEP);
        let mut file = EventFile::new(5.0);
        Hparams::new(&runs).write_start(&mut file, When { wall_time: 5.0, step: 0 }, &runs[2]);
        let event = read(&records(&file.into_bytes())[1]);
        let value = event[1].1.fields()[0].1.fields();
        assert_eq!(value[0].1.text(), "_hparams_/session_start_info");
        let metadata = value[2].1.fields()[0].1.fields();
        assert_eq!(metadata[0].1.text(), "hparams");
        let start = metadata[1].1.fields()[0].1.fields();
        let entry = |name: &str| {
            let entries = start.iter().filter(|(field, _)| *field == 1).map(|(_, entry)| entry.fields());
            let found = entries.into_iter().find(|entry| entry[0].1.text() == name);
            found.map(|entry| entry[1].1.fields())
        };
        assert_eq!(entry("train.batch"), Some(vec![(2, Read::Double(16.0))]));
        assert_eq!(entry("arm"), Some(vec![(3, Read::Bytes("a, batch 16".into()))]));
        assert_eq!(entry("train.optimizer.beta1"), None, "SGD has none");
        assert!(start.contains(&(4, Read::Bytes("a, batch 16".into()))));
        assert_eq!(start.last(), Some(&(5, Read::Double(5.0))));
    }
}
