//! What must hold before anything runs: ranges, names, and that stages find what they refer to.

use std::collections::{BTreeMap, BTreeSet};

use super::arch::{Output, place_of};
use super::experiment::Experiment;
use super::inputs::inputs_of;
use super::plan::{Check, Left};
use super::problem::Problem;
use super::run_count::{MOST_RUNS, count_runs};
use super::spec::{ExpandedArm, Run, RunSpec, expand_arms};
use super::stage::{check_plan, count_steps};
use super::structure::Structure;
use super::training::{Loss, NO_STEP};
use crate::data::{Data, Facts, Input};
use crate::form::number::grouped;
use crate::form::path::Place;
use crate::form::{Overrides, check_ranges};
use crate::optimize::UpdateRule;

/// Everything that is wrong with a document, or worth knowing, in the order of the document.
pub fn validate(experiment: &Experiment) -> Vec<Problem> {
    let mut problems = found(experiment);
    Problem::locate(&mut problems, experiment);
    problems
}

fn found(experiment: &Experiment) -> Vec<Problem> {
    let ranges = check_ranges(&mut experiment.clone()).into_iter();
    let mut problems: Vec<Problem> =
        ranges.map(|problem| Problem::error(problem.place, problem.message)).collect();
    names(experiment, &mut problems);
    if !problems.is_empty() {
        return problems;
    }
    let runs = count_runs(experiment);
    if runs > MOST_RUNS {
        let message = format!(
            "seeds and sweeps make {} runs, more than {}; use fewer seeds or values, or split the file",
            grouped(runs as u64),
            grouped(MOST_RUNS as u64)
        );
        let is_swept =
            !experiment.sweep.0.is_empty() || experiment.arms.iter().any(|arm| !arm.sweep.0.is_empty());
        let key = if is_swept { "sweep" } else { "seeds" };
        return vec![Problem::error(Place::default().key(key), message)];
    }
    match expand_arms(experiment) {
        Err(found) => problems.extend(found),
        Ok(arms) => {
            let mut known: Vec<&Data> = Vec::new();
            for arm in &arms {
                if !known.contains(&&arm.spec.data) {
                    known.push(&arm.spec.data);
                    let place = Place::default().key("data");
                    problems.extend(Problem::notes_on_data(&arm.spec.data, &experiment.looks, &place));
                }
                spec(experiment, arm, &mut problems);
            }
        }
    }
    let mut seen = Vec::new();
    problems.retain(|problem| {
        !seen.contains(problem) && {
            seen.push(problem.clone());
            true
        }
    });
    problems
}

/// The most steps of one run: more are typing errors, and would fill the memory.
const MOST_STEPS: u64 = 1_000_000;
/// The most rounds of repetitions that are looked at after their first ones.
const MOST_ROUNDS: usize = 1000;

fn names(experiment: &Experiment, problems: &mut Vec<Problem>) {
    let arms = Place::default().key("arms");
    if experiment.arms.is_empty() {
        let message = "there is no arm; add one with a plan, such as Train and Test";
        problems.push(Problem::error(arms.clone(), message));
    }
    let mut seen = BTreeMap::new();
    for (index, arm) in experiment.arms.iter().enumerate() {
        let place = arms.index(index).key("name");
        if arm.name.trim().is_empty() {
            problems.push(Problem::error(place, "the arm has no name; legends and tables need one"));
        } else if let Some(first) = seen.insert(arm.name.as_str(), index) {
            let message =
                format!("\"{}\" is also the name of arm {}; give each arm its own name", arm.name, first + 1);
            problems.push(Problem::error(place, message));
        }
    }
    let seeds = Place::default().key("seeds");
    if experiment.seeds.is_empty() {
        let message = "there is no seed, so nothing would run; add one or more, such as 1, 2 and 3";
        problems.push(Problem::error(seeds.clone(), message));
    }
    let mut seen = BTreeSet::new();
    for (index, seed) in experiment.seeds.iter().enumerate() {
        if !seen.insert(seed) {
            let message = format!("seed {seed} is listed twice; remove one");
            problems.push(Problem::error(seeds.index(index), message));
        }
    }
}

/// Checks the settings of an arm: its own where it has them, the experiment's otherwise.
fn spec(experiment: &Experiment, arm: &ExpandedArm, problems: &mut Vec<Problem>) {
    let here = Place::default().key("arms").index(arm.index);
    let own = &experiment.arms[arm.index];
    let at = |owned: bool, key: &str| if owned { here.key(key) } else { Place::default().key(key) };
    let (net, train) = (at(own.net.is_some(), "net"), at(own.train.is_some(), "train"));
    let plan = here.key("plan");
    let place_of_data = Place::default().key("data");
    if let Some(problem) = Problem::of_data(&arm.spec.data, &experiment.looks, &place_of_data) {
        return problems.push(problem);
    }
    device(&arm.spec, problems);
    let structure = network(&arm.spec, &net, problems);
    training(&arm.spec, &net, &train, problems);
    let steps = count_steps(&arm.spec.plan);
    if steps > MOST_STEPS {
        let message = format!(
            "the plan has {steps} steps including repetitions, more than {MOST_STEPS}; repeat less often"
        );
        problems.push(Problem::error(plan, message));
        return;
    }
    if arm.spec.plan.is_empty() {
        let message = format!("add a stage to the plan of \"{}\", such as Train", arm.name);
        problems.push(Problem::error(plan.clone(), message));
    }
    let Some(structure) = structure else { return };
    let RunSpec { net, data, train, seed, .. } = &arm.spec;
    let (looks, structure) = (&experiment.looks, &structure);
    let samples = data.facts(net.image_side()).map_or(0, |facts| facts.train_samples);
    let (left, rounds) = (Left { samples, ..Left::default() }, MOST_ROUNDS);
    let (name, seed) = (arm.name.as_str(), *seed);
    let mut check = Check { arm: name, seed, net, data, looks, structure, train, rounds, left, problems };
    check_plan(&arm.spec.plan, &mut check, &plan);
}

/// Errors of sweeps whose values change no run: two of them make runs with one identity, which would be shown as two results.
/// Says nothing before the inputs of the runs were looked at.
pub fn idle_sweeps(experiment: &Experiment, runs: &[Run]) -> Vec<Problem> {
    let Some(seed) = runs.first().map(|run| run.seed) else { return Vec::new() };
    let mut problems = Vec::new();
    // Of each arm, where runs are among those that it makes, and the next place.
    let mut arms: BTreeMap<usize, (BTreeMap<&str, usize>, usize)> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.seed == seed) {
        let (known, next) = arms.entry(run.arm_index).or_default();
        let at = *next;
        *next += 1;
        if let Some(other) = known.insert(&run.id, at)
            && has_known_inputs(run)
        {
            problems.extend(idle_value(experiment, run.arm_index, [other, at]));
        }
    }
    problems.dedup();
    problems
}

/// Returns true if the contents of all that a run reads are known.
fn has_known_inputs(run: &Run) -> bool {
    let known = &run.spec.inputs;
    let mut sets = known.sets.iter();
    inputs_of(&run.spec, &run.arm, run.seed).iter().all(|input| match input {
        Input::Data(data) if data.needs_look() => data.found().is_some(),
        Input::Data(_) => sets.next().is_some_and(|digest| !digest.is_empty()),
        Input::File(file) => known.files.contains_key(file),
    })
}

/// The error of two values of a sweep, by the positions of their arms among those that the arm makes.
fn idle_value(experiment: &Experiment, arm: usize, positions: [usize; 2]) -> Option<Problem> {
    let own = Place::default().key("arms").index(arm).key("sweep");
    let of_all = experiment.sweep.0.iter().map(|pair| (pair, Place::default().key("sweep")));
    let swept: Vec<_> =
        of_all.chain(experiment.arms[arm].sweep.0.iter().map(|pair| (pair, own.clone()))).collect();
    let [mut first, mut second] = positions;
    // The last list varies fastest.
    for ((path, list), place) in swept.into_iter().rev() {
        let values = Overrides::items(list).ok()?;
        let [one, other] = [first, second].map(|position| position % values.len());
        if one != other {
            let message = format!(
                "{} and {} give the same runs, since nothing that a run depends on differs between them; remove one of them",
                values[one], values[other]
            );
            return Some(Problem::error(place.key(path), message));
        }
        (first, second) = (first / values.len(), second / values.len());
    }
    None
}

/// Whether this build has the device, and what a GPU does not promise.
fn device(spec: &RunSpec, problems: &mut Vec<Problem>) {
    let place = Place::default().key("device");
    problems.extend(spec.device.refusal().map(|refusal| Problem::error(place.clone(), refusal)));
    problems.extend(spec.device.caution().map(|caution| Problem::note(place, caution)));
}

/// Checks a network; returns its structure, if there is one.
fn network(spec: &RunSpec, place: &Place, problems: &mut Vec<Problem>) -> Option<Structure> {
    let RunSpec { net, data, .. } = spec;
    let place = place.variant(net.key());
    let wrong = net.rule().problems();
    let is_known = wrong.is_empty();
    problems.extend(wrong.into_iter().map(|(key, message)| Problem::error(place.key(key), message)));
    let facts = data.facts(net.image_side())?;
    if let Some((setting, message)) = data.problem() {
        let place = Place::default().key("data").variant(data.key()).key(setting);
        problems.push(Problem::error(place, message));
    }
    if let Some(message) = net.rule().problem_of_input(facts.shape) {
        problems.push(Problem::error(Place::default().key("data").variant(data.key()), message));
        return None;
    }
    if let Some(classes) = net.rule().classes().filter(|classes| *classes < facts.classes) {
        let message = format!(
            "the network knows {classes} classes, and the data have {}; leave out classes, or give it more",
            facts.classes
        );
        problems.push(Problem::error(place.key("classes"), message));
        return None;
    }
    match spec.structure() {
        Ok(structure) => is_known.then_some(structure),
        Err(misfit) if is_known => {
            let problem = match net.rule().written() {
                Some(layers) => Problem::error(place_of(&place, layers, &misfit.path), misfit.message),
                None => Problem::error(place, format!("the network does not fit the data: {misfit}")),
            };
            problems.push(problem);
            None
        }
        Err(_) => None,
    }
}

fn training(spec: &RunSpec, net_place: &Place, place: &Place, problems: &mut Vec<Problem>) {
    let RunSpec { net, data, train, .. } = spec;
    let Some(Facts { classes, shape, .. }) = data.facts(net.image_side()) else { return };
    if train.loss == Loss::BinaryCrossEntropy && classes != 2 {
        let message = format!(
            "binary cross-entropy needs two classes, and the data have {classes}; label them as even or odd, or \
                choose cross-entropy"
        );
        problems.push(Problem::error(place.key("loss"), message));
    }
    if train.loss == Loss::BinaryCrossEntropy && net.rule().output() == Output::Tanh {
        let place = net_place.variant(net.key()).key("output");
        problems.push(Problem::note(place, "with a tanh output, binary cross-entropy takes p = (1 + y) / 2"));
    }
    if !train.augment.is_empty() && !shape.is_image() {
        let message = "these data are not images, so there is nothing to flip or crop; remove augment";
        problems.push(Problem::error(place.key("augment"), message));
    }
    if let Some((setting, message)) = train.optimizer.problem() {
        let place = place.key("optimizer").variant(train.optimizer.key()).key(setting);
        problems.push(Problem::error(place, message));
    }
    if train.optimizer.rate() == 0.0 {
        let place = place.key("optimizer").variant(train.optimizer.key()).key("rate");
        problems.push(Problem::note(place, NO_STEP));
    }
    if train.evaluate.count == 0 {
        let message = "evaluating every 0 steps never ends; write 1ep or 100it";
        problems.push(Problem::error(place.key("evaluate"), message));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::doc::file::{describe, parse};
    use crate::doc::problem::Severity;

    fn problems(text: &str) -> Vec<String> {
        let path = Path::new("x.ron");
        let experiment = parse(text, path).unwrap();
        validate(&experiment).iter().map(|problem| describe(problem, path, text)).collect()
    }

    fn with_plan(plan: &str) -> Vec<String> {
        problems(&format!("(arms: [(name: \"a\", plan: [\n{plan}\n])])"))
    }

    #[test]
    fn a_short_correct_document_has_no_problems() {
        assert_eq!(with_plan("Train(\"1ep\"), Test"), Vec::<String>::new());
    }

    #[test]
    fn each_mistake_is_named_with_line_and_column() {
        for (plan, line) in [
            (
                "Do(Prune(amount: Fraction(1.5)))",
                "x.ron:2:18: a, stage 1 Prune, Amount: Fraction is 150 %; it must be between 0 % and 100 % \
                    (arms[0].plan[0].Do.Prune.amount.Fraction)",
            ),
            ("Do(Graft(from: \"start\"))", "x.ron:2:10: a, stage 1 Graft, From: there is no snapshot"),
            ("Train(\"0ep\")", "x.ron:2:1: a, stage 1 Train: "),
            (
                "Do(Prune(target: (layers: Only([\"fc9\"]))))",
                "x.ron:2:33: a, stage 1 Prune, Target, Layers: there is no layer \"fc9\"",
            ),
        ] {
            let found = with_plan(plan);
            assert!(found.iter().any(|problem| problem.starts_with(line)), "{found:#?} lacks {line}");
        }
    }

    #[test]
    fn an_empty_plan_asks_for_a_stage() {
        let found = with_plan("");
        let message = "add a stage to the plan of \"a\", such as Train";
        assert!(found.len() == 1 && found[0].contains(message), "{found:?}");
    }

    #[test]
    fn settings_that_change_nothing_are_noted_and_run() {
        let notes = |text: &str| {
            let experiment = parse(text, Path::new("x.ron")).unwrap();
            let found = validate(&experiment).into_iter();
            found.map(|it| (it.severity == Severity::Note, it.message)).collect::<Vec<_>>()
        };
        let no_step = (true, NO_STEP.to_owned());
        let of_all = "(train: (optimizer: Sgd(rate: 0.0)), arms: [(plan: [Train()])])";
        assert!(notes(of_all) == notes("(arms: [(plan: [Train(rate: 0.0)])])") && notes(of_all) == [no_step]);
        let frozen = notes("(arms: [(plan: [Do(Freeze()), Train()])])");
        assert!(frozen.len() == 1 && frozen[0].0 && frozen[0].1.contains("freezes everything"), "{frozen:?}");
        assert_eq!(notes("(arms: [(plan: [Do(Freeze(target: (layers: First(1)))), Train()])])"), []);
    }

    #[test]
    fn plans_and_sweeps_without_end_are_refused_before_they_are_written_out() {
        let nested = with_plan(
            "Repeat(times: 1000, body: [Repeat(times: 1000, body: [Repeat(times: 1000, body: [Test])])])",
        );
        assert!(nested[0].contains("1000000000 steps"), "{nested:#?}");
        let values = vec!["0.1"; 400].join(", ");
        let sweep = problems(&format!(
            "(sweep: {{ \"train.optimizer.rate\": [{values}], \"train.batch\": [{values}] }}, arms: [(plan: [Test])])"
        ));
        assert!(sweep[0].contains("160,000 runs"), "{sweep:#?}");
    }

    #[test]
    fn settings_that_cannot_go_together_are_named() {
        for (text, part) in [
            ("(data: Iris(), train: (augment: [Crop(4)]), arms: [(plan: [Test])])", "not images"),
            ("(train: (optimizer: Sgd(nesterov: true)), arms: [(plan: [Test])])", "momentum above 0"),
            ("(set: { \"seed\": 7 }, arms: [(plan: [Test])])", "seeds"),
            ("(data: Iris(), net: Vgg(), arms: [(plan: [Test])])", "not images"),
            (
                "(net: ResNet(), arms: [(plan: [Do(Freeze(target: (layers: Only([\"layer9.0\"]))))])])",
                "there are conv1, layer1.0.conv1, layer1.0.conv2, layer1.0, layer1.1.conv1",
            ),
            (
                "(data: Digits(limit_train: 1), net: ResNet(), arms: [(plan: [Do(Snapshot(name: \"a\")), Connect(a: \"a\", b: \"a\")])])",
                "measured on two training samples at least",
            ),
            ("(arms: [(plan: [Do(Export(file: \"../x.safetensors\"))])])", "go into the folder exports"),
            ("(arms: [(plan: [Do(Prune(criterion: Movement(since: \"nope\")))])])", "there is no snapshot"),
            ("(arms: [(plan: [Do(Freeze(target: (params: Activations)))])])", "only faults can target them"),
            (
                "(arms: [(plan: [Do(Freeze(target: (params: Norm)))])])",
                "matches no parameter of this network",
            ),
            ("(arms: [(plan: [Do(Prune(target: (channels: [999])))])])", "there is no channel 999"),
        ] {
            let found = problems(text);
            assert!(found.iter().any(|problem| problem.contains(part)), "{text}: {found:#?}");
        }
    }

    #[test]
    fn networks_and_data_must_fit() {
        let vgg = problems("(data: Mnist(), net: Vgg(depth: 12), arms: [(plan: [Test])])");
        assert!(vgg[0].contains("Depth is 12; it must be 11, 13, 16 or 19"), "{vgg:#?}");
        let vgg = problems("(data: Digits(image_size: Some(16)), net: Vgg(), arms: [(plan: [Test])])");
        assert!(vgg[0].contains("image_size: 32"), "{vgg:#?}");
        for (net, name) in
            [("LeNet5()", "LeNet-5"), ("ConvNet()", "convolutional network"), ("ResNet()", "ResNet")]
        {
            let found = problems(&format!("(data: Iris(), net: {net}, arms: [(plan: [Test])])"));
            let expected = format!("a {name} needs images, and these data are not images; choose an Mlp");
            assert!(found.len() == 1 && found[0].contains(&expected), "{found:#?}");
        }
        let rows =
            "(data: Iris(), net: Sequential(layers: [Conv(), Flatten, Linear()]), arms: [(plan: [Test])])";
        assert!(problems(rows)[0].contains("a row of 4 features comes in; choose data with images"));
        let loss = problems("(train: (loss: BinaryCrossEntropy), arms: [(plan: [Test])])");
        assert!(loss[0].contains("the data have 10"), "{loss:#?}");
    }

    #[test]
    fn names_and_seeds_are_told_apart() {
        let found =
            problems("(seeds: [1, 1], arms: [(name: \"a\", plan: [Test]), (name: \"a\", plan: [Test])])");
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found[0].starts_with("x.ron:1:52: a, Name: "), "{found:#?}");
    }
}
