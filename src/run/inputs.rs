//! The data and files that runs read: their check before anything is trained, and what earlier runs know of those that are
//! gone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use rayon::prelude::*;

use super::campaign::list_problem;
use super::directory::{is_done, spec_of};
use super::folder::{last_written, names};
use super::weight_files::{FileShapes, Fit, Naming, Scaling, Shapes, read_shapes};
use data::{Data, Digests, Input, Look};
use doc::plan::{FileUse, Reading, WeightUse, files_read};
use doc::{Experiment, Inputs, Problem, Run, RunSpec, Stage, Structure, changed_inputs, inputs_to_look_at};
use form::path::{Place, Segment};

/// Checks the weight files and lists of faults that runs read: what is wrong, at the settings that name them, each
/// problem once, and notes on weights that are not used. Files that a previous stage of the run writes need not exist.
pub fn input_problems(runs: &[Run], base: &Path) -> Vec<Problem> {
    let (mut headers, mut named) = (Headers::default(), Named::default());
    let mut problems: Vec<Problem> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut last: Option<(&RunSpec, Option<Structure>)> = None;
    for run in runs {
        let spec: &RunSpec = &run.spec;
        // Thousands of runs in a row have one network.
        let is_last = |(last, _): &(&RunSpec, Option<Structure>)| {
            last.net == spec.net && last.data == spec.data && last.train.loss == spec.train.loss
        };
        let known = last.take_if(|last| is_last(last)).map(|(_, structure)| structure);
        let structure = known.unwrap_or_else(|| {
            named.clear();
            spec.structure().ok()
        });
        let (_, structure) = last.insert((spec, structure));
        // A network that does not fit its data is a problem of the document.
        let Some(structure) = structure else { continue };
        let (headers, named) = (&mut headers, &mut named);
        let mut check = Check { spec, base, headers, named, structure, problems: Vec::new() };
        let place = Place::default().key("arms").index(run.arm_index).key("plan");
        for (used, file) in files_read(&spec.plan, &run.arm, run.seed, &place) {
            check.used(used, &file);
        }
        let found = check.problems.into_iter();
        problems.extend(found.filter(|problem| seen.insert((problem.place.to_string(), problem.whole()))));
    }
    problems
}

/// Headers of weight files as values or masks: many runs read the same ones.
type Headers = BTreeMap<(PathBuf, bool), Result<FileShapes, String>>;
/// Names of their tensors in the present network, and shapes.
type Named = BTreeMap<(PathBuf, bool), (Naming, Shapes)>;

struct Check<'a> {
    spec: &'a RunSpec,
    base: &'a Path,
    headers: &'a mut Headers,
    named: &'a mut Named,
    structure: &'a Structure,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn used(&mut self, used: FileUse<'_>, file: &str) {
        match used {
            FileUse::Weights(used) | FileUse::Source(used) => self.weights(used, file),
            FileUse::Faults(_, campaign, place) => {
                if let Some(path) = self.find(file, &place)
                    && let Some(message) = list_problem(campaign, self.structure, &path)
                {
                    self.problems.push(Problem::error(place, message));
                }
            }
            FileUse::Writes(_) | FileUse::Tables | FileUse::Keeps(_) => {} // nothing is read
        }
    }

    /// Reads the header of a weight file, and compares it with the network.
    fn weights(&mut self, used: WeightUse<'_>, file: &str) {
        let WeightUse { place, target, reading, .. } = used;
        let Some(path) = self.find(file, &place) else { return };
        let key = (path, reading.is_mask());
        let header =
            self.headers.entry(key.clone()).or_insert_with_key(|(path, as_mask)| read_shapes(path, *as_mask));
        let header = match header {
            Ok(header) => header,
            Err(why) => return self.problems.push(Problem::error(place, why.clone())),
        };
        let (naming, shapes) = self.named.entry(key).or_insert_with(|| {
            let naming = Naming::new(self.structure, header);
            let shapes = naming.apply(header.shapes.clone());
            (naming, shapes)
        });
        let parameters = reading.parameters(self.structure, target);
        let fit = Fit::new(self.structure, &parameters, shapes, reading);
        if let Some(refusal) = fit.refusal(file) {
            let details = [&[fit.table()], &*header.notes].concat().join("\n");
            return self.problems.push(Problem { details, ..Problem::error(place, refusal) });
        }
        let unused = fit.unused(file);
        let unused =
            unused.map(|unused| format!("{unused}; weightlab inspect says which network its weights are of"));
        let all = &self.structure.parameters;
        // Whatever was trained before, it is these values that the inputs meet.
        let meets_inputs =
            reading == Reading::Copies && parameters.iter().any(|&at| all[at].layer == all[0].layer);
        let data = data_at(self.spec, &place);
        let scaling = meets_inputs.then(|| Scaling::new(header).note(file, data)).flatten();
        let others = naming.doubts.iter().chain(&header.left_out).map(|note| format!("{file}: {note}"));
        for message in unused.into_iter().chain(others).chain(scaling) {
            self.problems.push(Problem::note(place.clone(), message));
        }
    }

    /// Finds a file, and notes a problem where it does not exist.
    fn find(&mut self, file: &str, place: &Place) -> Option<PathBuf> {
        let path = self.base.join(file);
        if path.is_file() {
            return Some(path);
        }
        let path = std::path::absolute(&path).unwrap_or(path);
        let message = format!("there is no file {}; put it there, or name another", path.display());
        self.problems.push(Problem::error(place.clone(), message));
        None
    }
}

/// Returns the data that the stage at this place sees: those of the innermost branch around it that has its own.
fn data_at<'a>(spec: &'a RunSpec, place: &Place) -> &'a Data {
    let (mut data, mut plan) = (&spec.data, spec.plan.as_slice());
    let indices = place.0.iter().filter_map(|segment| match segment {
        Segment::Index(index) => Some(*index),
        Segment::Key(_) | Segment::Variant(_) => None,
    });
    // The first index is that of the arm.
    for index in indices.skip(1) {
        let Some(nested) = plan.get(index).and_then(Stage::nested) else { break };
        data = nested.branch.and_then(|branch| branch.data.as_ref()).unwrap_or(data);
        plan = nested.plan;
    }
    data
}

/// Looks at inputs. Reads from disk, which may be slow.
pub struct Looker {
    base: PathBuf,
    results: PathBuf,
    digests: Digests,
    /// The settings of the runs in the folder of results, with the time of their last event; read when they are needed.
    specs: OnceLock<Vec<(SystemTime, RunSpec)>>,
}

impl Looker {
    /// Looks at inputs whose paths are relative to `base`; what is gone, runs in the folder `results` may know.
    pub fn new(base: PathBuf, results: PathBuf) -> Self {
        Self { base, results, digests: Digests::open(), specs: OnceLock::new() }
    }

    /// Looks at the inputs that an experiment names and that were not looked at yet.
    pub fn look_at_all(&self, experiment: &mut Experiment) {
        let inputs = inputs_to_look_at(experiment);
        for input in &inputs {
            if experiment.looks.of_input(input).is_none() {
                experiment.looks.add(input, self.look(input));
            }
        }
        if !inputs.is_empty() {
            experiment.looks.note_done(self.done_runs());
        }
    }

    /// Looks at one of them. What is gone is what the last run that read it knows of it; files that are there and cannot be
    /// used are not those of before.
    pub fn look(&self, input: &Input) -> Look {
        let look = input.look(&self.base, &self.digests);
        if !input.is_gone(&self.base) {
            return look;
        }
        let known = self.specs().iter().filter_map(|(written, spec)| Some((written, recorded(input, spec)?)));
        let before = known.max_by_key(|(written, _)| **written).map(|(_, look)| look).unwrap_or_default();
        Look { found: before.found, content: before.content, ..look }
    }

    /// Lists the directories of runs that are done.
    pub fn done_runs(&self) -> BTreeSet<String> {
        names(&self.results).into_par_iter().filter(|name| is_done(&self.results, name)).collect()
    }

    fn specs(&self) -> &[(SystemTime, RunSpec)] {
        self.specs.get_or_init(|| {
            let read =
                |id: String| Some((last_written(&self.results, &id)?, spec_of(&self.results, &id).ok()?));
            names(&self.results).into_par_iter().filter_map(read).collect()
        })
    }
}

fn recorded(input: &Input, spec: &RunSpec) -> Option<Look> {
    match input {
        Input::File(file) => {
            Some(Look { content: Some(spec.inputs.files.get(file)?.clone()), ..Look::default() })
        }
        Input::Data(data) if spec.data.with_found(None) != *data => None,
        Input::Data(data) if data.needs_look() => {
            Some(Look { found: Some(spec.data.found()?.clone()), ..Look::default() })
        }
        Input::Data(_) => Some(Look { content: Some(spec.inputs.sets.first()?.clone()), ..Look::default() }),
    }
}

/// Checks that the known sets and files that a run reads are those that it was made for. Readers of users' data compare
/// these themselves.
pub(super) fn check_inputs(run: &Run, base: &Path, digests: &Digests) -> Result<(), String> {
    let inputs = Inputs::gather(&run.spec, &run.arm, run.seed, |input| input.content(base, digests));
    let now = RunSpec { inputs, ..RunSpec::clone(&run.spec) };
    let Some(changes) = changed_inputs(&run.spec, &now) else { return Ok(()) };
    Err(format!(
        "{changes}: the run was made for other contents; restore the files, or start the experiment again: with other \
         inputs its runs are other runs"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use doc::file::parse;
    use doc::{Severity, runs};
    use net::weights_file::{FileTensor, write_tensors};

    fn problems(plan: &str, base: &Path) -> Vec<String> {
        let text = format!("(data: Digits(normalize: Standard), arms: [(name: \"a\", plan: [{plan}])])");
        let runs = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        let problems = input_problems(&runs[..1], base);
        let text = |problem: &Problem| [problem.to_string(), problem.details.clone()].join("\n");
        problems.iter().map(|problem| text(problem).trim_end().to_owned()).collect()
    }

    fn tensors(shapes: &[(&str, &[usize])]) -> BTreeMap<String, FileTensor> {
        let tensor =
            |shape: &[usize]| FileTensor { shape: shape.to_vec(), values: vec![0.5; shape.iter().product()] };
        shapes.iter().map(|(name, shape)| ((*name).to_owned(), tensor(shape))).collect()
    }

    fn write(path: &Path, shapes: &[(&str, &[usize])]) {
        write_tensors(path, &tensors(shapes), None).unwrap();
    }

    /// Weights of the perceptron that experiments have by default, and of a part of it.
    const WHOLE: [(&str, &[usize]); 6] = [
        ("fc1.weight", &[300, 64]),
        ("fc1.bias", &[300]),
        ("fc2.weight", &[100, 300]),
        ("fc2.bias", &[100]),
        ("fc3.weight", &[10, 100]),
        ("fc3.bias", &[10]),
    ];

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
            if file == "list.csv" {
                std::fs::write(base.join(file), "parameter,index,bit\nfc1.weight,0,30\n").unwrap();
            } else {
                write(&base.join(file), &WHOLE);
            }
            assert_eq!(problems(plan, base), Vec::<String>::new());
        }
        std::fs::write(base.join("list.csv"), "version https://git-lfs.github.com/spec/v1\n").unwrap();
        let pointer = problems("Campaign(faults: File(\"list.csv\"))", base);
        assert!(pointer[0].contains("list.csv is a Git LFS pointer"), "{pointer:?}");
        std::fs::write(base.join("list.csv"), "parameter,index,bit\nfc9.weight,0,30\n").unwrap();
        let wrong = problems("Campaign(faults: File(\"list.csv\"))", base);
        assert!(wrong[0].contains("list.csv: line 2: there is no parameter"), "{wrong:?}");
    }

    #[test]
    fn weight_files_are_compared_with_the_network_before_anything_runs() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        std::fs::write(base.join("page.pth"), "<!DOCTYPE html>").unwrap();
        let page = problems("Do(Import(file: \"page.pth\"))", base);
        assert!(page[0].contains("page.pth is a web page, not the file itself"), "{page:?}");
        write(&base.join("part.safetensors"), &WHOLE[..4]);
        for (plan, place, done) in [
            ("Do(Import(file: \"part.safetensors\"))", "Do.Import.file", "copied"),
            ("Do(Graft(from: \"part.safetensors\"))", "Do.Graft.from", "copied"),
            ("Do(Import(file: \"part.safetensors\", content: Mask))", "Do.Import.file", "pruned"),
            ("Do(Freeze(select: Mask(\"part.safetensors\")))", "Do.Freeze.select.Mask", "frozen"),
        ] {
            let found = problems(plan, base);
            let message = format!(
                "arms[0].plan[0].{place}: part.safetensors does not fit this network, so nothing is {done}. Choose "
            );
            assert!(found.len() == 1 && found[0].starts_with(&message), "{found:?}");
            assert!(found[0].contains(" parameters fit; these differ:\n"), "{found:?}");
            assert!(found[0].contains("fc3.weight  10×100 here, no "), "{found:?}");
        }
        let part = "Do(Import(file: \"part.safetensors\", target: (layers: First(2))))";
        assert_eq!(problems(part, base), Vec::<String>::new());
    }

    #[test]
    fn weights_that_the_network_has_no_place_for_are_noted() {
        let folder = tempfile::tempdir().unwrap();
        let more: Vec<_> = WHOLE.into_iter().chain([("shortcut.weight", &[2, 2][..])]).collect();
        write(&folder.path().join("w.safetensors"), &more);
        let text = "(data: Digits(normalize: Standard), arms: [(name: \"a\", plan: [Do(Import(file: \"w.safetensors\"))])], seeds: [1, 2])";
        let runs = runs(&parse(text, Path::new("x.ron")).unwrap()).unwrap();
        let problems = input_problems(&runs, folder.path());
        assert_eq!((problems.len(), problems[0].severity), (1, Severity::Note), "once for both runs");
        let message = "w.safetensors also has shortcut.weight, which this network does not have";
        assert!(problems[0].message.starts_with(message), "{}", problems[0]);
    }

    #[test]
    fn tensors_of_types_that_are_not_read_are_noted() {
        let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .join("tests/oracle/checkpoints/others.pth");
        let text = format!(
            "(data: Iris(), net: Mlp(hidden: [3]), arms: [(plan: [Do(Import(file: \"{}\", target: (layers: First(1))))])])",
            file.display()
        );
        let runs = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        let problems = input_problems(&runs, Path::new(""));
        assert!(problems.iter().all(|problem| problem.severity == Severity::Note), "{problems:?}");
        for what in ["1 complex64 tensor was left out", "2 quantized tensors were left out"] {
            let message = format!("{}: {what}", file.display());
            assert!(problems.iter().any(|problem| problem.message == message), "{problems:?}");
        }
    }

    #[test]
    fn the_scaling_that_a_file_was_trained_with_is_compared_or_asked_for() {
        use data::{Digits, Normalize};
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for (name, normalize) in [("known", Normalize::Standard), ("plain", Normalize::None)] {
            let data = Data::Digits(Digits { normalize, ..Digits::default() });
            let note = net::weights_file::note_of_writer(&[], &data);
            let path = base.join(format!("{name}.safetensors"));
            write_tensors(&path, &tensors(&WHOLE), Some(note)).unwrap();
        }
        write(&base.join("unknown.safetensors"), &WHOLE);
        let notes = |data: &str, plan: &str| {
            let text = format!("(data: {data}, arms: [(name: \"a\", plan: [{plan}])])");
            let runs = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
            let problems = input_problems(&runs[..1], base);
            assert!(problems.iter().all(|problem| problem.severity == Severity::Note));
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        let (known, unknown) =
            ("Do(Import(file: \"known.safetensors\"))", "Do(Import(file: \"unknown.safetensors\"))");
        let [scaled, plain] = ["Digits(normalize: Standard)", "Digits()"];
        assert_eq!(notes(plain, "Do(Import(file: \"plain.safetensors\"))"), Vec::<String>::new());
        assert_eq!(notes(scaled, known), Vec::<String>::new());
        assert_eq!(notes(scaled, unknown), Vec::<String>::new());
        let found = notes(plain, known);
        assert!(found[0].starts_with("known.safetensors was trained with normalize: Standard, and the data here have normalize: None"), "{found:?}");
        let found = notes(plain, unknown);
        assert!(
            found[0].starts_with("unknown.safetensors does not say how its inputs were scaled in training"),
            "{found:?}"
        );
        // The import replaces what was trained, wherever that was; but not by the last layer alone.
        for (plan, count) in [
            (format!("Train(\"1it\"), {unknown}"), 1),
            (format!("Repeat(times: 2, body: [Train(\"1it\"), {unknown}])"), 1),
            (format!("Branch(name: \"b\", plan: [Train(\"1it\"), {unknown}])"), 1),
            ("Do(Import(file: \"unknown.safetensors\", target: (layers: Last(1))))".to_owned(), 0),
        ] {
            assert_eq!(notes(plain, &plan).len(), count, "{plan}");
        }
        // A branch sees data of its own, also around a branch without.
        for (data, branch, count) in [(scaled, plain, 1), (plain, scaled, 0)] {
            for plan in [known.to_owned(), format!("Branch(name: \"in\", plan: [Test, {known}])")] {
                let plan = format!("Test, Branch(name: \"b\", data: {branch}, plan: [{plan}])");
                assert_eq!(notes(data, &plan).len(), count, "{data}: {plan}");
            }
        }
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

    #[test]
    fn every_network_is_compared_where_arms_have_different_ones_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("w.safetensors"), &WHOLE);
        let arm = |name: &str, net: &str| {
            format!("(name: \"{name}\", net: {net}, plan: [Do(Import(file: \"w.safetensors\"))])")
        };
        let arms = [arm("a", "Mlp()"), arm("b", "Mlp(hidden: [7])"), arm("c", "Mlp()"), arm("d", "LeNet5()")];
        let text = format!("(data: Digits(normalize: Standard), seeds: [1, 2], arms: [{}])", arms.join(", "));
        let runs = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
        let alone = |run: &Run| input_problems(std::slice::from_ref(run), folder.path());
        let each: Vec<Problem> = runs.iter().step_by(2).flat_map(alone).collect();
        assert_eq!(input_problems(&runs, folder.path()), each);
        assert!(each.iter().any(|problem| problem.place.to_string().starts_with("arms[1]")), "{each:?}");
        assert!(each.iter().all(|problem| !problem.place.to_string().starts_with("arms[2]")), "{each:?}");
    }
}
