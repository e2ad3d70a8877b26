//! Problems and sizes of data, read before anything runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::data::Data;
use crate::doc::{Net, Run};
use crate::form::Stored;
use crate::form::number::grouped;
use crate::run::{Datasets, Op, program};

/// What reading the data found, each once.
#[derive(Debug, Default)]
pub struct Found {
    /// Data that cannot be read.
    pub errors: BTreeSet<String>,
    /// Data of which there are fewer than the whole.
    pub notes: BTreeSet<String>,
    /// The number of training samples of these, by the settings of the data.
    samples: BTreeMap<String, usize>,
}

impl Found {
    /// Reads the data of these runs; paths are relative to `base`.
    pub fn of(runs: &[Run], base: &Path) -> Self {
        let (mut found, datasets) = (Self::default(), Datasets::default());
        let mut seen = BTreeSet::new();
        // The seeds of an arm have the same data.
        for Run { spec, .. } in runs.iter().filter(|run| seen.insert((run.arm_index, run.arm.as_str()))) {
            let branches = program(&spec.plan).into_iter().filter_map(|step| match step.op {
                Op::Enter(branch) => branch.data,
                Op::Stage(_) | Op::Leave(_) => None,
            });
            // Data of the user were looked at when the experiment was opened.
            let all = std::iter::once(spec.data.clone()).chain(branches);
            for data in all.filter(|data| !data.needs_look()) {
                found.read(&data, &spec.net, base, &datasets);
            }
        }
        found
    }

    fn read(&mut self, data: &Data, net: &Net, base: &Path, datasets: &Datasets) {
        let read = match datasets.get(data, net, base) {
            Err(error) => {
                self.errors.insert(error.to_string());
                return;
            }
            Ok(read) => read,
        };
        if let Some((there, whole)) = data.shortage(&read) {
            self.samples.insert(data.to_ron(), there);
            let place = data.place(base).ok().flatten().unwrap_or_default();
            let [there, whole] = [there, whole].map(|count| grouped(count as u64));
            let place = place.display();
            self.notes.insert(format!("{there} of {whole} training images are in {place}"));
        }
    }

    /// These runs with the number of samples that there are, for estimates of their cost.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cifar10;
    use crate::doc::stage::Branch;
    use crate::doc::{RunSpec, Stage, Train};
    use crate::run::cost;

    fn cifar(dir: &Path) -> Run {
        let dir = Some(dir.display().to_string());
        let data = Data::Cifar10(Cifar10 { dir, ..Cifar10::default() });
        let spec = RunSpec { data, plan: vec![Stage::Train(Train::default())], ..RunSpec::default() };
        Run { id: "a".to_owned(), arm: "a".to_owned(), arm_index: 0, seed: 1, spec: Arc::new(spec) }
    }

    #[test]
    fn one_file_of_cifar_is_noted_and_its_cost_is_that_of_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data_batch_1.bin", "test_batch.bin"] {
            std::fs::write(folder.path().join(name), vec![0; 30_730_000]).unwrap();
        }
        let run = cifar(folder.path());
        let found = Found::of(std::slice::from_ref(&run), Path::new("."));
        assert!(found.errors.is_empty());
        let note = format!("10,000 of 50,000 training images are in {}", folder.path().display());
        assert_eq!(found.notes.iter().collect::<Vec<_>>(), [&note]);
        let [whole, there] =
            [&run, &found.measured(std::slice::from_ref(&run))[0]].map(|run| cost(run).unwrap().iterations);
        assert!(there <= whole / 5 + 1, "{there} of {whole}");
    }

    #[test]
    fn data_that_cannot_be_read_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let found = Found::of(&[cifar(folder.path()), cifar(folder.path())], Path::new("."));
        assert_eq!((found.errors.len(), found.notes.len()), (1, 0));
    }

    #[test]
    fn the_data_of_a_branch_are_read_beforehand_too() {
        let folder = tempfile::tempdir().unwrap();
        let run = cifar(folder.path());
        let branch = Branch { data: Some(run.spec.data.clone()), ..Branch::default() };
        let spec = RunSpec { plan: vec![Stage::Branch(branch)], ..RunSpec::default() };
        let found = Found::of(&[Run { spec: Arc::new(spec), ..run }], Path::new("."));
        assert_eq!(found.errors.len(), 1);
    }
}
