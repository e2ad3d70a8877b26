use super::*;
use doc::RunSpec;

fn run() -> Run {
    Run {
        id: "run".to_owned(),
        arm: "arm".to_owned(),
        arm_index: 0,
        is_earlier: false,
        seed: 1,
        spec: RunSpec::default().into(),
    }
}

fn silent() -> Box<dyn FnMut(Event) + Send> {
    Box::new(|_| {})
}

#[test]
fn a_run_whose_last_files_are_not_written_goes_on_or_is_stopped_or_failed_and_never_done() {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
    directory.event(Event::Started { resumed: false, threads: 1 }).unwrap();
    directory.event(Event::Finished { secs: 1.0 }).unwrap();
    let state = || read_record(folder.path(), &run.id).unwrap().state().clone();
    assert_eq!(state(), RunState::Running, "its last files are still to be written");
    drop(directory); // as a kill does, but for the claim
    assert_eq!(state(), RunState::Stopped);
    std::fs::write(folder.path().join(&run.id).join("FAILED"), "no room").unwrap();
    assert_eq!(state(), RunState::Failed("no room".to_owned()));
    std::fs::write(folder.path().join(&run.id).join("DONE"), "").unwrap();
    assert_eq!(state(), RunState::Done);
}

/// A checkpoint at the start of a run.
fn beginning(run: &Run) -> Checkpoint {
    let structure = crate::testing::network(1).structure().clone();
    let network = crate::context::initial_network(&run.spec, structure, 0);
    let stack = vec![crate::State::new(network, run.spec.train.optimizer.clone())];
    Checkpoint { next: 0, inside: None, campaign: None, secs: 0.0, stack }
}

#[test]
fn a_finished_run_has_no_folder_for_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let checkpoint = beginning(&run);
    let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
    let kept = folder.path().join(&run.id).join("checkpoint");
    assert!(!kept.exists());
    directory.checkpoint(&checkpoint).unwrap();
    assert!(kept.join("state.safetensors").exists());
    directory.finish(&checkpoint.stack[0].network).unwrap();
    assert!(!kept.exists());
}

#[test]
fn a_run_that_another_process_has_taken_over_is_written_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let checkpoint = beginning(&run);
    let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
    directory.event(Event::Started { resumed: false, threads: 1 }).unwrap();
    let path = folder.path().join(&run.id);
    std::fs::remove_file(path.join("claim")).unwrap();
    std::fs::write(path.join("claim"), "there\n7\n1\n").unwrap();
    let files = || {
        let entries = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.map(|path| (std::fs::read(&path).ok(), path)).collect();
        files.sort();
        files
    };
    let before = files();
    directory.claim.forget(false);
    let network = &checkpoint.stack[0].network;
    let names = ["n.safetensors", "m.safetensors"].map(str::to_owned);
    let attempts = [
        directory.event(Event::Stopped { secs: 1.0 }),
        directory.checkpoint(&checkpoint),
        directory.lines(Table::Faults, "1\n"),
        directory.network(&names, network),
        directory.may_write(),
        directory.note_data("00ff".to_owned()),
        directory.note_hardware(Some("a GPU")),
        directory.finish(network),
        directory.fail("no room"),
    ];
    for (number, attempt) in attempts.into_iter().enumerate() {
        let message = attempt.unwrap_err().to_string();
        assert!(message.contains("process 7 on there writes it now"), "{number}: {message}");
    }
    drop(directory);
    assert_eq!(files(), before);
}

/// The context of a run of the default settings.
fn context(run: &Run) -> RunContext {
    let data = crate::Datasets::default();
    let data = data.get(&run.spec.data, &run.spec.net, Path::new(".")).unwrap();
    let compute = net::backend(&run.spec.device, &run.spec.train.kernels).unwrap();
    let (spec, here) = (RunSpec::clone(&run.spec), PathBuf::new());
    RunContext::new(spec, run.arm.clone(), data, compute, here.clone(), here).unwrap()
}

/// A log of whole lines.
fn whole_log(lines: usize) -> String {
    format!("{}\n", r#"{"event":"stage","number":0,"of":2,"stage":"0","label":"Train"}"#).repeat(lines)
}

/// Keeps a checkpoint with two lines of the log and one with four; where they are, the newest one first.
fn two_checkpoints(folder: &Path, run: &Run, context: &RunContext) -> [PathBuf; 2] {
    let mut directory = RunDirectory::claim(folder, run, silent()).unwrap();
    for next in 1..3 {
        let stack = vec![crate::State::new(context.fresh_network(0), run.spec.train.optimizer.clone())];
        directory.written = whole_log(2 * next).len() as u64;
        directory.checkpoint(&Checkpoint { next, inside: None, campaign: None, secs: 0.0, stack }).unwrap();
    }
    let paths = directory.kept.paths();
    assert!(paths[1].exists(), "one older checkpoint stays");
    paths
}

#[test]
fn what_a_crash_left_of_a_checkpoint_and_its_log_decides_where_a_run_goes_on() {
    let start_over = "the run starts over, and events.old.jsonl keeps the earlier events";
    for (what, is_newest_damaged, log, expected, told) in [
        ("nothing is lost", false, whole_log(9), Some(2), vec![]),
        (
            "the newest checkpoint is half",
            true,
            whole_log(9),
            Some(1),
            vec!["the checkpoint cannot be read", "the run goes on from the checkpoint before it"],
        ),
        (
            "the log lacks its end",
            false,
            whole_log(3),
            Some(1),
            vec!["events.jsonl has 192 of the 256 bytes that it had at the last checkpoint; the run goes on"],
        ),
        (
            "blocks of the log were not written",
            false,
            whole_log(3) + &"\0".repeat(99),
            Some(1),
            vec!["is damaged"],
        ),
        (
            "the log has other lines",
            false,
            whole_log(4).replace("Train", "TrainTrain"),
            None,
            vec![start_over],
        ),
        (
            "the log is gone",
            false,
            String::new(),
            None,
            vec!["events.jsonl has 0 of the 256 bytes", start_over],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = run();
        let context = context(&run);
        let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let listener = heard.clone();
        let hear = move |event| listener.lock().unwrap().push(event);
        let [newest, older] = two_checkpoints(folder.path(), &run, &context);
        if is_newest_damaged {
            std::fs::write(&newest, "half").unwrap();
        }
        std::fs::write(folder.path().join(&run.id).join("events.jsonl"), log).unwrap();
        let mut directory = RunDirectory::claim(folder.path(), &run, Box::new(hear)).unwrap();
        let found = directory.resume(&context).unwrap();
        assert_eq!(found.as_ref().map(|checkpoint| checkpoint.next), expected, "{what}");
        assert_eq!(directory.written, expected.map_or(0, |next| whole_log(2 * next).len()) as u64, "{what}");
        directory.event(Event::Started { resumed: found.is_some(), threads: 1 }).unwrap();
        let record = RunRecord::from_events(heard.lock().unwrap().iter().cloned());
        let read = read_record(folder.path(), &run.id).unwrap();
        for record in [record, read] {
            let said: String = record.reports().iter().map(|report| report.summary.as_str()).collect();
            assert_eq!(said.is_empty(), told.is_empty(), "{what}: {said}");
            assert!(told.iter().all(|part| said.contains(part)), "{what}: {said}");
        }
        assert_eq!(directory.path().join("events.old.jsonl").exists(), expected.is_none(), "{what}");
        assert_eq!(older.exists(), expected.is_some(), "{what}");
        // Nothing that was refused is found the next time.
        drop(directory);
        let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
        let again = directory.resume(&context).unwrap().map(|checkpoint| checkpoint.next);
        assert_eq!((again, directory.to_report.len()), (expected, 0), "{what}");
    }
}

#[test]
fn which_data_a_run_used_stays_known_as_long_as_it_is_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let data = |run: &Run| RunDirectory::claim(folder.path(), run, silent()).unwrap().about.data.clone();
    RunDirectory::claim(folder.path(), &run, silent()).unwrap().note_data("00ff".to_owned()).unwrap();
    assert_eq!(data(&run).as_deref(), Some("00ff"));
    let about = About::read(&folder.path().join(&run.id)).unwrap();
    assert_eq!(about.data.as_deref(), Some("00ff"), "in the file too");
    let mut other = run.clone();
    std::sync::Arc::make_mut(&mut other.spec).seed += 1;
    assert_eq!(data(&other), None);
}
