//! Clusters by the command line: shards of schedulers, and what there is to see without Slurm. `tests/slurm.sh` has a real one.

use crate::support::bench::{Bench, errors};
use crate::support::tiny::TINY;

#[test]
fn a_task_of_an_array_has_the_shard_of_its_scheduler() {
    let bench = Bench::new(TINY);
    let task = |arguments: &[&str]| {
        let arguments = [&["run", "x.ron"], arguments].concat();
        bench.command(&arguments).env("JOB_COMPLETION_INDEX", "1").output().unwrap()
    };
    let output = task(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("add --shards K"), "{}", errors(&output));
    let output = task(&["--shards", "2"]);
    assert!(errors(&output).contains("Part 2 of 2, by JOB_COMPLETION_INDEX"), "{}", errors(&output));
    let done = || {
        let rows = bench.shown(&[]);
        rows.as_array().unwrap().iter().filter(|row| row["state"] == "done").count()
    };
    assert_eq!(done(), 2);
    let output = task(&["--shard", "1/1"]);
    assert!(!errors(&output).contains("JOB_COMPLETION_INDEX"), "a shard was named");
    assert_eq!(done(), 4);
}

#[test]
fn without_slurm_a_dry_run_shows_the_script_and_the_status_is_that_of_the_directories() {
    let bench = Bench::new(TINY);
    let nowhere = |arguments: &[&str]| bench.command(arguments).env("PATH", "/nowhere").output().unwrap();
    let output = nowhere(&["submit", "x.ron", "--shards", "2", "--set", "name=\"it's\"", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let script = String::from_utf8(output.stdout.clone()).unwrap();
    for line in ["#SBATCH --array=1-2", "#SBATCH --job-name=x", r#"set -- --set 'name="it'\''s"'"#] {
        assert!(script.lines().any(|known| known == line), "{line}: {script}");
    }
    assert!(errors(&output).contains("Slurm is not installed here"));
    assert!(!bench.folder.path().join("x.runs").exists());
    let output = nowhere(&["submit", "x.ron", "--shards", "2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(bench.weightlab(&["run", "x.ron", "--seed", "1"]).status.success());
    let output = nowhere(&["status", "x.ron"]);
    let status = String::from_utf8(output.stdout).unwrap();
    assert!(status.lines().next().unwrap().ends_with("done   not submitted   runs"), "{status}");
    assert!(status.contains("Nothing was submitted to Slurm"), "{status}");
}
