//! The real binary, driven as a person or a script would.

use std::process::Command;

use crate::support::bench::{Bench, LONG, errors, events, points, stages};
use crate::support::tiny::TINY;

const HEADER: &str =
    "run,arm,seed,stage,branch,member,series,round,epoch,iteration,remaining,rate,bit,layer,value";

const DIVERGING: &str =
    "train=(optimizer: Sgd(rate: 1000, weight_decay: 0.9), batch: 32, non_finite: Continue)";

#[test]
fn an_experiment_runs_to_its_end_and_is_not_repeated() {
    let bench = Bench::new(TINY);
    let said = bench.said(&["run", "x.ron", "--jobs", "2", "--threads", "1"]);
    assert!(said.starts_with("arm ") && said.contains("dense, plain") && said.contains("2/2"), "{said}");
    let [.., results, figure] = said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert_eq!([results, figure], ["Results: x.runs", "Figure: x.runs/remaining.png"]);
    assert!(bench.path("x.runs/remaining.png").is_file());
    let rows = bench.shown(&[]);
    assert_eq!(rows.as_array().unwrap().len(), 4);
    for row in rows.as_array().unwrap() {
        assert_eq!(row["state"], "done");
        assert!(row["test_accuracy"].as_f64().unwrap() > 0.3, "{row}");
        assert_eq!(row["remaining"], if row["arm"] == "pruned" { 0.5 } else { 1.0 });
    }
    let log = bench.path("x.runs").join(rows[0]["run"].as_str().unwrap()).join("events.jsonl");
    let about = std::fs::read_to_string(log.with_file_name("run.json")).unwrap();
    assert!(about.contains("\"state\": \"done\"") && about.contains("\"data\": \""), "{about}");
    let before = std::fs::read(&log).unwrap();
    bench.said(&["run", "x.ron"]);
    assert_eq!(std::fs::read(&log).unwrap(), before, "a run that is done is left alone");
    assert_eq!(std::fs::read_to_string(log.with_file_name("run.json")).unwrap(), about);
    assert!(bench.said(&["check", "x.ron"]).ends_with("All of them are done\n"));
}

#[test]
fn a_typo_is_shown_with_its_line_and_column() {
    let bench = Bench::new(&TINY.replace("seeds", "sedes"));
    let output = bench.weightlab(&["check", "x.ron"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).starts_with("x.ron:5:5: error: "), "{}", errors(&output));
    let bench = Bench::new(&TINY.replace("Fraction(0.5)", "Fraction(1.5)"));
    let output = bench.weightlab(&["run", "x.ron"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).starts_with("x.ron:8:"), "{}", errors(&output));
    assert!(errors(&output).contains(": error: pruned, stage 2 Prune, Amount: "), "{}", errors(&output));
    assert!(!bench.path("x.runs").exists(), "nothing ran");
}

#[test]
fn a_valid_file_is_told_its_size() {
    let said = Bench::new(TINY).said(&["check", "x.ron"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(
        lines[0],
        "x.ron is valid: 2 arms, 4 runs, 1,210 parameters, 1,184 multiply-adds per sample, 35 iterations per run"
    );
    assert_eq!(lines[1], "Data: Digits (built in)");
    let time = lines[lines.len() - 1];
    assert!(time.starts_with("They take ") && time.ends_with(" mini-batches"), "{time}");
}

#[test]
fn files_arms_seeds_and_settings_that_do_not_exist_are_wrong_input() {
    let bench = Bench::new(TINY);
    for (arguments, reason) in [
        (&["run", "y.ron"][..], "cannot read y.ron"),
        (&["run", "x.ron", "--arm", "densest"], "there is no arm \"densest\""),
        (&["run", "x.ron", "--seed", "3"], "there is no seed 3"),
        (&["run", "x.ron", "--set", "train.bach=8"], "no setting matches \"train.bach\""),
        (&["run", "x.ron", "--set", "train.batch=many"], "\"many\" is not a value for \"train.batch\""),
        (&["run", "x.ron", "--set", "train.batch"], "KEY=VALUE"),
        (&["run", "x.ron", "--shard", "3/2"], "I/N"),
        (&["run", "x.ron", "--set", "train.batch=0"], "error: --set train.batch=0: Training, Batch size: "),
        (
            &["run", "x.ron", "--set", "arms.pruned.train.batch=8"],
            "is not set; write arms.pruned.train=(…) or train.batch=…",
        ),
        (&["chek"], "error: there is no file or command \"chek\""),
        (&["export", "x.ron", "--to", "x.csv"], "there are no results"),
        (&["export", "x.ron", "--to", "x.txt"], "ends with .csv"),
        (&["export", "x.ron", "--to", "x.csv", "--x", "seconds"], "apply to a figure"),
        (&["export", "x.ron", "--to", "x.svg", "--y-range", "9..1"], "such as 85..100"),
        (&["export", "x.ron", "--to", "x.svg", "--band", "wide"], "standard-error"),
        (&["show", "x.ron", "--pairs", "pruned", "densest"], "--pairs: there is no arm \"densest\""),
        (
            &["run", "x.ron", "--set", "arms.pruned.plan.1=Do(Import(file: \"w.safetensors\"))"],
            "w.safetensors; put it",
        ),
        (&["export", "x.ron", "--to", "x.svg", "--figure", "nothing"], "nothing"),
    ] {
        let output = bench.weightlab(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(reason), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn arms_are_compared_and_settings_without_effect_are_noted() {
    let plan = |name: &str| format!("(name: \"{name}\", train: (batch: 50), plan: [Train(\"1ep\"), Test])");
    let text = format!(
        "(data: Digits(limit_train: 100, limit_test: 50), net: Mlp(hidden: [8]), seeds: [1, 2], arms: [{}, {}])",
        plan("a"),
        plan("b").replace("1ep", "4ep")
    );
    let bench = Bench::new(&text);
    bench.said(&["run", "x.ron"]);
    let said = bench.said(&["show", "x.ron", "--pairs", "a", "b", "--reports"]);
    assert!(
        said.contains("b minus a, seed by seed\nlast test accuracy: ") && said.contains("n = 2"),
        "{said}"
    );
    assert!(
        said.contains("Start: Digits (built in): 100 for training, 0 for validation, 50 for testing; 10"),
        "{said}"
    );
    let json = bench.shown(&["--pairs", "a", "b"]);
    assert_eq!(
        (&json["pairs"][0]["test_accuracy"]["n"], json["runs"].as_array().unwrap().len()),
        (&2.into(), 4)
    );

    let look = ["--x", "iterations", "--band", "min-max", "--y-range", "0..40", "--footnote"];
    let page = ["--title", "Mine", "--individual-seeds", "--marks", "off", "--dashes", "off", "--notes=off"];
    bench.said(&[&["export", "x.ron", "--to", "x.svg"], &look[..], &page[..]].concat());
    let svg = std::fs::read_to_string(bench.path("x.svg")).unwrap();
    for part in ["Iterations trained", "bars: min to max", ">40<", ">Mine<", "stroke-opacity=\"0.32\""] {
        assert!(svg.contains(part), "{part}");
    }
    assert!(!svg.contains("stroke-dasharray"), "dashes are off");
    let output = bench.weightlab(&["export", "x.ron", "--to", "y.svg", "--figure", "remaining"]);
    assert!(errors(&output).contains("these runs pruned nothing"), "{}", errors(&output));

    let output = bench.weightlab(&["check", "x.ron", "--set", "train.batch=16"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(errors(&output).contains("note: --set train.batch=16 changes no run"), "{}", errors(&output));
}

#[test]
fn arms_seeds_and_settings_can_be_chosen() {
    let bench = Bench::new(TINY);
    bench.said(&[
        "run",
        "x.ron",
        "--arm",
        "pruned",
        "--seed",
        "2",
        "--set",
        "arms.*.plan.**.Train=3it",
        "--into",
        "there",
    ]);
    let rows = bench.shown(&["--from", "there", "--set", "arms.*.plan.**.Train=3it"]);
    assert_eq!(bench.shown(&["--into", "there", "--set", "arms.*.plan.**.Train=3it"]), rows);
    let states: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["queued", "queued", "queued", "done"]);
    assert!(!bench.path("x.runs").exists());
}

#[test]
fn shards_together_cover_all_runs() {
    let bench = Bench::new(TINY);
    let done = || {
        let rows = bench.shown(&[]);
        rows.as_array().unwrap().iter().filter(|row| row["state"] == "done").count()
    };
    bench.said(&["run", "x.ron", "--shard", "1/2"]);
    assert_eq!(done(), 2);
    bench.said(&["run", "x.ron", "--shard", "2/2"]);
    assert_eq!(done(), 4);
}

#[test]
fn results_are_exported_by_the_ending_of_the_file() {
    let bench = Bench::new(TINY);
    bench.said(&["run", "x.ron"]);
    bench.said(&["export", "x.ron", "--to", "points.csv"]);
    let csv = std::fs::read_to_string(bench.path("points.csv")).unwrap();
    assert_eq!(csv.lines().next(), Some(HEADER));
    assert!(
        csv.lines()
            .skip(1)
            .any(|line| line.contains(",\"dense, plain\",2,") && line.contains(",test_accuracy,"))
    );
    for (name, head) in [("a.svg", &b"<"[..]), ("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")] {
        bench.said(&["export", "x.ron", "--to", name, "--figure", "accuracy"]);
        assert!(std::fs::read(bench.path(name)).unwrap().starts_with(head), "{name}");
    }
    for name in ["no/a.svg", "no/points.csv"] {
        let output = bench.weightlab(&["export", "x.ron", "--to", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains("the folder no does not exist"), "{}", errors(&output));
    }
    let output = bench.weightlab(&["export", "x.ron", "--to", "w.safetensors"]);
    assert!(
        output.status.code() == Some(2) && errors(&output).contains("--arm and --seed"),
        "{}",
        errors(&output)
    );
    bench.said(&["export", "x.ron", "--to", "w.safetensors", "--arm", "pruned", "--seed", "1"]);
    let bytes = std::fs::read(bench.path("w.safetensors")).unwrap();
    let names = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(names.tensor("fc1.weight").unwrap().shape(), [16, 64]);
}

#[test]
fn a_figure_has_panels_for_the_values_of_a_setting() {
    let bench =
        Bench::new(&TINY.replace("seeds: [1, 2],", "seeds: [1, 2], sweep: { \"train.batch\": [96, 32] },"));
    bench.said(&["run", "x.ron"]);
    let figure = ["export", "x.ron", "--figure", "accuracy", "--facets"];
    bench.said(&[&figure[..], &["batch", "--axes", "free", "--to", "a.svg"]].concat());
    let text = std::fs::read_to_string(bench.path("a.svg")).unwrap();
    for (word, count) in
        [(">batch size<", 2), (">32<", 1), (">96<", 1), (">dense, plain<", 1), (">pruned<", 1)]
    {
        assert_eq!(text.matches(word).count(), count, "{word}");
    }
    bench.said(&[&figure[..], &["batch,seed", "--to", "a.csv"]].concat());
    let csv = std::fs::read_to_string(bench.path("a.csv")).unwrap();
    assert_eq!(csv.lines().next(), Some("kind,series,run,x,y,low,high,train.batch,seed"));
    for end in [",32,1", ",96,1", ",32,2", ",96,2"] {
        assert!(csv.lines().any(|line| line.starts_with("line,pruned,") && line.ends_with(end)), "{end}");
    }
    for (wrong, part) in [("depth", "no setting of these runs"), ("batch,batch", "there twice")] {
        let output = bench.weightlab(&[&figure[..], &[wrong, "--to", "b.svg"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains(part), "{}", errors(&output));
    }
}

#[test]
fn a_figure_of_values_that_are_not_finite_is_not_taken_for_missing_results() {
    let bench = Bench::new(TINY);
    let diverging = ["--set", DIVERGING, "--set", "net=Mlp(hidden: [16, 16, 16])", "--arm", "dense, plain"];
    bench.said(&[&["run", "x.ron"], &diverging[..]].concat());
    let output = bench
        .weightlab(&[&["export", "x.ron", "--to", "x.svg", "--figure", "loss"], &diverging[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("no value of the figure \"loss\" can be drawn"), "{}", errors(&output));
    assert!(!bench.path("x.svg").exists());
}

#[test]
fn a_killed_run_goes_on_without_repeating_finished_stages() {
    let bench = Bench::new(LONG);
    let (mut child, log) = bench.interrupted();
    child.kill().unwrap(); // SIGKILL on Unix
    child.wait().unwrap();
    let finished = stages(&log).len() - 1;
    bench.said(&["run", "x.ron"]);
    assert_eq!(stages(&log), (0..60).collect::<Vec<u64>>(), "every stage is there once");
    let resumed = events(&log).iter().position(|event| event["resumed"] == true).expect("it was resumed");
    let before = events(&log)[..resumed].iter().filter(|event| event["event"] == "stage").count();
    assert!(
        before >= finished - 1,
        "{before} stages before the resumption, {finished} finished before the kill"
    );

    let whole = Bench::new(LONG);
    whole.said(&["run", "x.ron"]);
    let run = log.parent().unwrap().file_name().unwrap();
    let log_of_whole = whole.path("x.runs").join(run).join("events.jsonl");
    assert_eq!(points(&log), points(&log_of_whole), "an interruption leaves no trace in the results");
}

#[test]
fn a_run_that_another_process_carries_out_is_left_alone() {
    let bench = Bench::new(LONG);
    let (mut child, log) = bench.interrupted();
    let output = bench.weightlab(&["run", "x.ron"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let owner = format!("long (seed 1) is running elsewhere (process {} on ", child.id());
    assert!(errors(&output).contains(&owner), "{}", errors(&output));
    assert!(!log.with_file_name("FAILED").exists() && !errors(&output).contains("failed"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_and_the_run_can_be_resumed() {
    let bench = Bench::new(LONG);
    let (mut child, log) = bench.interrupted();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(bench.shown(&[])[0]["state"], "stopped");
    let about = std::fs::read_to_string(log.with_file_name("run.json")).unwrap();
    assert!(about.contains("\"state\": \"stopped\""), "{about}");
    bench.said(&["run", "x.ron"]);
    assert_eq!(stages(&log), (0..60).collect::<Vec<u64>>(), "every stage is there once");
}
