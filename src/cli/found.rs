//! What is in the data of an experiment and what is wrong with it, found before anything runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use data::{Data, DataError, Dataset, Digests, Inventory, Looks, NOTE};
use doc::{Net, Run};
use form::Stored;
use form::number::{counted, first_of, grouped};
use run::{Datasets, Op, program};

/// Datasets that are printed line by line; of more, the others are counted.
const MOST: usize = 10;

/// A dataset of an experiment, and what uses it.
#[derive(Debug, Serialize)]
pub struct UsedData {
    /// The arms, with their branches where those have it: "dense", "dense, branch noisy".
    used_by: Vec<String>,
    #[serde(skip)]
    arms: BTreeSet<String>,
    #[serde(flatten)]
    inventory: Inventory,
    /// What it is known by among the others: the data, and the image size that a network asks for.
    #[serde(skip)]
    key: (String, Option<usize>),
}

/// The findings of a look at the data and of reading them, each once.
#[derive(Debug, Default)]
pub struct Found {
    /// What is in them, in the order of the runs.
    pub data: Vec<UsedData>,
    /// Data that cannot be read.
    pub errors: BTreeSet<String>,
    /// Data of which there are fewer than the whole.
    pub notes: BTreeSet<String>,
    /// The number of training samples of these, by the settings of the data.
    samples: BTreeMap<String, usize>,
}

impl Found {
    /// Reads the known sets of these runs, and takes what was seen in the data of users; paths are relative to `base`.
    pub fn read(runs: &[Run], looks: &Looks, base: &Path) -> Self {
        let (mut found, datasets) = (Self::default(), Datasets::default());
        let mut seen = BTreeSet::new();
        // The seeds of an arm have the same data.
        for Run { spec, arm, .. } in runs.iter().filter(|run| seen.insert((run.arm_index, run.arm.as_str())))
        {
            let branches = program(&spec.plan).into_iter().filter_map(|step| match step.op {
                Op::Enter(branch) => branch.data.map(|data| (format!("{arm}, branch {}", branch.name), data)),
                Op::Stage(_) | Op::Leave(_) => None,
            });
            for (user, data) in std::iter::once((arm.clone(), spec.data.clone())).chain(branches) {
                let key = (data.to_ron(), spec.net.image_side());
                if !found.data.iter().any(|known| known.key == key)
                    && let Some(inventory) = found.look_at(&data, &spec.net, (looks, base), &datasets)
                {
                    let (used_by, arms) = (Vec::new(), BTreeSet::new());
                    found.data.push(UsedData { used_by, arms, inventory, key: key.clone() });
                }
                if let Some(known) = found.data.iter_mut().find(|known| known.key == key) {
                    known.arms.insert(arm.clone());
                    if !known.used_by.contains(&user) {
                        known.used_by.push(user);
                    }
                }
            }
        }
        found
    }

    /// Finds what is in a dataset; notes its problems. Data of the user were looked at when the experiment was opened, and what is
    /// worth knowing of them is said with the problems of the experiment.
    fn look_at(
        &mut self,
        data: &Data,
        net: &Net,
        (looks, base): (&Looks, &Path),
        datasets: &Datasets,
    ) -> Option<Inventory> {
        if data.needs_look() {
            return looks.inventory(data, net.image_side());
        }
        let read = datasets.get(data, net, base);
        match read.and_then(|read| self.told(data, &read, base, datasets.digests())) {
            Ok(mut inventory) => {
                let content = looks.of(data).and_then(|look| look.content.clone());
                inventory.digest.files = content.unwrap_or_default();
                Some(inventory)
            }
            Err(error) => {
                self.errors.insert(error.to_string());
                None
            }
        }
    }

    /// Finds what is in a known set that was read, and what its files lack.
    fn told(
        &mut self,
        data: &Data,
        read: &Dataset,
        base: &Path,
        digests: &Digests,
    ) -> Result<Inventory, DataError> {
        let mut inventory = Inventory::from_read(data, read);
        self.notes.extend(inventory.notes.iter().cloned());
        match data.place(base)? {
            Some(place) => inventory.path = place.display().to_string(),
            None => inventory.digest.samples = read.digest(digests)?, // data inside the program are small
        }
        if let Some((there, whole)) = inventory.shortage {
            self.samples.insert(data.to_ron(), there);
            let [there, whole] = [there, whole].map(|count| grouped(count as u64));
            self.notes.insert(format!("{there} of {whole} training images are in {}", inventory.path));
        }
        Ok(inventory)
    }

    /// Describes what is in the data of these arms, in lines; notes are said elsewhere. Nothing without data.
    pub fn text(&self, is_of: impl Fn(&str) -> bool) -> String {
        let data: Vec<&UsedData> =
            self.data.iter().filter(|data| data.arms.iter().any(|arm| is_of(arm))).collect();
        let block = |used: &&UsedData| {
            let users = first_of(&used.used_by, MOST, "; ");
            let of = if data.len() > 1 { format!(" of {users}") } else { String::new() };
            let lines = used.inventory.lines(false).into_iter().filter(|(label, _)| *label != NOTE);
            let lines = lines.map(|(label, text)| format!("\n  {label:<WIDTH$}{text}"));
            format!("Data{of}: {}{}", used.inventory.title(), lines.collect::<String>())
        };
        let mut blocks: Vec<String> = data.iter().take(MOST).map(block).collect();
        if data.len() > MOST {
            let more = counted(data.len() - MOST, "more dataset");
            blocks.push(format!("… and {more}, which check --json lists"));
        }
        blocks.join("\n")
    }

    /// Returns these runs with the number of samples that there are, for estimates of their cost.
    pub fn measured(&self, runs: &[Run]) -> Vec<Run> {
        if self.samples.is_empty() {
            return runs.to_vec();
        }
        let measured = |run: &Run| {
            let mut run = run.clone();
            if let Some(&samples) = self.samples.get(&run.spec.data.to_ron()) {
                let data = run.spec.data.limited_to(samples);
                Arc::make_mut(&mut run.spec).data = data;
            }
            run
        };
        runs.iter().map(measured).collect()
    }
}

/// Width of the labels of lines, with a gap.
const WIDTH: usize = 18;

#[cfg(test)]
mod tests {
    use super::*;
    use data::Cifar10;
    use doc::stage::Branch;
    use doc::{RunSpec, Stage, Train};
    use run::cost;

    fn cifar(dir: &Path) -> Run {
        let dir = Some(dir.display().to_string());
        let data = Data::Cifar10(Cifar10 { dir, ..Cifar10::default() });
        let spec = RunSpec { data, plan: vec![Stage::Train(Train::default())], ..RunSpec::default() };
        Run {
            id: "a".to_owned(),
            arm: "a".to_owned(),
            arm_index: 0,
            is_earlier: false,
            seed: 1,
            spec: Arc::new(spec),
        }
    }

    #[test]
    fn one_file_of_cifar_is_noted_and_its_cost_is_that_of_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data_batch_1.bin", "test_batch.bin"] {
            std::fs::write(folder.path().join(name), vec![0; 30_730_000]).unwrap();
        }
        let run = cifar(folder.path());
        let found = Found::read(std::slice::from_ref(&run), &Looks::default(), Path::new("."));
        assert!(found.errors.is_empty());
        let note = format!("10,000 of 50,000 training images are in {}", folder.path().display());
        assert!(found.notes.contains(&note), "{:?}", found.notes);
        let lines = found.text(|_| true);
        assert!(lines.starts_with(&format!("Data: CIFAR-10, {}\n", folder.path().display())), "{lines}");
        assert!(
            lines.contains("\n  samples           10,000 for training, 0 for validation, 10,000 for testing")
        );
        assert_eq!(found.data[0].inventory.shortage, Some((10_000, 50_000)));
        let [whole, there] =
            [&run, &found.measured(std::slice::from_ref(&run))[0]].map(|run| cost(run).unwrap().iterations);
        assert!(there <= whole / 5 + 1, "{there} of {whole}");
    }

    #[test]
    fn data_that_cannot_be_read_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let runs = [cifar(folder.path()), cifar(folder.path())];
        let found = Found::read(&runs, &Looks::default(), Path::new("."));
        assert_eq!((found.errors.len(), found.notes.len()), (1, 0));
    }

    #[test]
    fn the_data_of_a_branch_are_read_beforehand_too() {
        let folder = tempfile::tempdir().unwrap();
        let run = cifar(folder.path());
        let branch = Branch { data: Some(run.spec.data.clone()), ..Branch::default() };
        let spec = RunSpec { plan: vec![Stage::Branch(branch)], ..RunSpec::default() };
        let runs = [Run { spec: Arc::new(spec), ..run }];
        let found = Found::read(&runs, &Looks::default(), Path::new("."));
        assert_eq!(found.errors.len(), 1);
        assert_eq!(found.data.len(), 1);
    }

    #[test]
    fn each_dataset_is_told_once_with_what_uses_it() {
        let run = |arm: &str, limit_train| {
            let data = Data::Digits(data::Digits { limit_train, ..Default::default() });
            let own = Data::Iris(data::Iris::default());
            let branch = Branch { name: "b".to_owned(), data: Some(own), ..Branch::default() };
            let spec = RunSpec { data, plan: vec![Stage::Branch(branch)], ..RunSpec::default() };
            let (id, arm) = (arm.to_owned(), arm.to_owned());
            Run {
                id,
                arm_index: usize::from(limit_train.is_some()),
                arm,
                is_earlier: false,
                seed: 1,
                spec: Arc::new(spec),
            }
        };
        let found =
            Found::read(&[run("all", None), run("some", Some(700))], &Looks::default(), Path::new("."));
        let heads = |text: String| {
            let heads = text.lines().filter(|line| line.starts_with("Data")).map(str::to_owned);
            heads.collect::<Vec<_>>()
        };
        assert_eq!(
            heads(found.text(|_| true)),
            [
                "Data of all: Digits (built in)",
                "Data of all, branch b; some, branch b: Iris (built in)",
                "Data of some: Digits (built in)",
            ]
        );
        assert_eq!(heads(found.text(|arm| arm == "some")).len(), 2);
        assert!(found.notes.is_empty(), "{:?}", found.notes);
        let json = serde_json::to_value(&found.data).unwrap();
        assert_eq!(
            (&json[2]["train"]["samples"], &json[1]["used_by"][1]),
            (&700.into(), &"some, branch b".into())
        );
        assert_eq!(json[0]["digest"]["samples"].as_str().unwrap().len(), 64);
    }
}
