//! Data and weights that are dropped on the window.

use std::path::Path;

use super::Editor;
use crate::drop;
use crate::log::Log;
use crate::selection::Selection;
use data::{Data, Recognised};
use doc::intervention::{Import, WeightFile};
use doc::{Intervention, Stage, capitalised, listed};
use form::number::counted;
use run::weight_files::Guess;

/// More arms than these are counted.
const MOST_NAMES: usize = 4;

/// What becomes of the present data when the experiment takes a network: that network's data are `taken`, or say what is
/// missing. A sentence without its end.
pub fn of_data(taken: &Result<Data, String>, present: &Data) -> String {
    match taken {
        Ok(data) if data == present => "the data stay as they are".to_owned(),
        Ok(data) => format!(
            "the present data do not fit it: the experiment takes {} (normalize: {}); other data of that kind can be chosen under \
                Data",
            data.name(),
            data.normalize().text()
        ),
        Err(missing) => format!("the present data do not fit it: {missing}"),
    }
}

impl Editor {
    /// Makes a folder of data the data of the experiment.
    pub fn use_data(&mut self, found: &Recognised, log: &mut Log) {
        let dir = self.document.as_written(&found.folder);
        let data = drop::data_in(found, dir, &self.document.experiment.data);
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
        let data = guess.data(&experiment.data);
        log.info(format!("{}.", capitalised(&of_data(&data, &experiment.data))));
        if let Ok(data) = data {
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

    /// Whose network an arm has: its own, or that of the experiment with the arms that have no other one.
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
