//! The check of the files that a plan reads, before anything is trained.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::campaign::list_problem;
use super::tables::Table;
use crate::doc::file_names::{filled, is_file};
use crate::doc::plan::FileUse;
use crate::doc::{Problem, Run, Stage, Structure};
use crate::form::path::Place;

/// What is wrong with the weight files and lists of faults that a run reads, at the settings that name them. `base` is the
/// folder that paths are relative to. Files that a previous stage of the run writes need not exist.
pub fn input_problems(run: &Run, base: &Path) -> Vec<Problem> {
    let spec = &run.spec;
    // A network that does not fit its data is a problem of the document.
    let Ok(structure) = spec.structure() else { return Vec::new() };
    let (written, names) = (BTreeSet::new(), BTreeSet::new());
    let mut search = Search { run, base, structure, written, names, problems: Vec::new() };
    search.stages(&spec.plan, &Place::default().key("arms").index(run.arm_index).key("plan"));
    search.problems
}

struct Search<'a> {
    run: &'a Run,
    base: &'a Path,
    structure: Structure,
    /// Files that the stages so far write into the directory of the run.
    written: BTreeSet<String>,
    /// Snapshots and branches so far: they come before files of the same name.
    names: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl Search<'_> {
    fn stages(&mut self, stages: &[Stage], place: &Place) {
        for (index, stage) in stages.iter().enumerate() {
            self.stage(stage, &place.index(index).variant(stage.key()));
        }
    }

    fn stage(&mut self, stage: &Stage, place: &Place) {
        if let Some(nested) = stage.nested().filter(|nested| nested.times > 0) {
            self.stages(nested.plan, &place.key(nested.key));
        }
        for used in stage.rule().files(place) {
            self.used(used);
        }
    }

    fn used(&mut self, used: FileUse<'_>) {
        match used {
            FileUse::Weights(file, place) => drop(self.find(file, &place)),
            FileUse::Source(from, place) => {
                if is_file(from) && !self.names.contains(from) {
                    self.find(from, &place);
                }
            }
            FileUse::Faults(file, campaign, place) => {
                if let Some(path) = self.find(file, &place)
                    && let Some(message) = list_problem(campaign, &self.structure, &path)
                {
                    self.problems.push(Problem::error(place, message));
                }
            }
            FileUse::Writes(file) => drop(self.written.insert(self.name(file))),
            FileUse::Tables => self.written.extend(Table::ALL.map(|table| table.file().to_owned())),
            FileUse::Keeps(name) => drop(self.names.insert(name.to_owned())),
        }
    }

    /// The file, where it exists and no previous stage writes it.
    fn find(&mut self, file: &str, place: &Place) -> Option<PathBuf> {
        if self.written.contains(&self.name(file)) {
            return None;
        }
        let path = self.base.join(self.name(file));
        if path.is_file() {
            return Some(path);
        }
        let path = std::path::absolute(&path).unwrap_or(path);
        let message = format!("there is no file {}; put it there, or name another", path.display());
        self.problems.push(Problem::error(place.clone(), message));
        None
    }

    fn name(&self, file: &str) -> String {
        filled(file, &self.run.arm, self.run.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{file::parse, runs};

    fn problems(plan: &str, base: &Path) -> Vec<String> {
        let text = format!("(arms: [(name: \"a\", plan: [{plan}])])");
        let runs = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        input_problems(&runs[0], base).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_that_are_not_there_are_named_with_the_path_that_was_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let (base, shown) = (folder.path(), folder.path().display());
        for (plan, place, file) in [
            ("Do(Import(file: \"{arm}-{seed}.safetensors\"))", "Do.Import.file", "a-1.safetensors"),
            ("Do(Graft(from: \"w.safetensors\"))", "Do.Graft.from", "w.safetensors"),
            ("Do(Freeze(select: Mask(\"m.safetensors\")))", "Do.Freeze.select.Mask", "m.safetensors"),
            ("Campaign(faults: File(\"list.csv\"))", "Campaign.faults.File", "list.csv"),
        ] {
            let message = format!(
                "arms[0].plan[1].{place}: there is no file {shown}/{file}; put it there, or name another"
            );
            assert_eq!(problems(&format!("Test, {plan}"), base), [message]);
            std::fs::write(base.join(file), "parameter,index,bit\nfc1.weight,0,30\n").unwrap();
            assert_eq!(problems(plan, base), Vec::<String>::new());
        }
        std::fs::write(base.join("list.csv"), "parameter,index,bit\nfc9.weight,0,30\n").unwrap();
        let wrong = problems("Campaign(faults: File(\"list.csv\"))", base);
        assert!(wrong[0].contains("list.csv: line 2: there is no parameter"), "{wrong:?}");
    }

    #[test]
    fn files_that_an_earlier_stage_writes_need_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        for (plan, missing) in [
            ("Do(Export(file: \"{seed}.safetensors\")), Do(Import(file: \"1.safetensors\"))", 0),
            ("Do(Import(file: \"x.safetensors\")), Do(Export(file: \"x.safetensors\"))", 1),
            ("Do(Snapshot(name: \"x.safetensors\")), Do(Graft(from: \"x.safetensors\"))", 0),
            ("Campaign(), Campaign(faults: File(\"faults.csv\"))", 0),
            ("Campaign(faults: File(\"faults.csv\"))", 1),
            ("Repeat(times: 2, body: [Do(Import(file: \"x.safetensors\"))])", 1),
            ("Repeat(times: 0, body: [Do(Import(file: \"x.safetensors\"))])", 0),
            ("Branch(name: \"b\", plan: [Do(Import(file: \"x.safetensors\"))])", 1),
        ] {
            assert_eq!(problems(plan, folder.path()).len(), missing, "{plan}");
        }
    }
}
