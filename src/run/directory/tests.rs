use super::*;
use crate::doc::RunSpec;

fn run() -> Run {
    Run {
        id: "run".to_owned(),
        arm: "arm".to_owned(),
        arm_index: 0,
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

#[test]
fn a_finished_run_has_no_folder_for_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let structure = crate::run::sharing::testing::network(1).structure().clone();
    let network = crate::run::context::initial_network(&run.spec, structure, 0);
    let checkpoint = Checkpoint {
        next: 0,
        inside: None,
        campaign: None,
        secs: 0.0,
        stack: vec![crate::run::State::new(network.clone(), run.spec.train.optimizer.clone())],
    };
    let mut directory = RunDirectory::claim(folder.path(), &run, silent()).unwrap();
    let kept = folder.path().join(&run.id).join("checkpoint");
    assert!(!kept.exists());
    directory.checkpoint(&checkpoint).unwrap();
    assert!(kept.join("state.safetensors").exists());
    directory.finish(&network).unwrap();
    assert!(!kept.exists());
}

#[test]
fn why_a_run_starts_over_stays_in_its_record_and_log() {
    let folder = tempfile::tempdir().unwrap();
    let run = run();
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = heard.clone();
    let hear = move |event| listener.lock().unwrap().push(event);
    let mut directory = RunDirectory::claim(folder.path(), &run, Box::new(hear)).unwrap();
    directory.event(Event::Started { resumed: false, threads: 1 }).unwrap();
    std::fs::create_dir_all(directory.path().join(CHECKPOINT)).unwrap();
    std::fs::write(directory.checkpoint_path(), "half").unwrap();
    let data = crate::run::Datasets::default();
    let data = data.get(&run.spec.data, &run.spec.net, Path::new(".")).unwrap();
    let compute = crate::net::backend(&run.spec.device, &run.spec.train.kernels).unwrap();
    let (spec, here) = (RunSpec::clone(&run.spec), PathBuf::new());
    let context = RunContext::new(spec, run.arm.clone(), data, compute, here.clone(), here).unwrap();
    assert!(directory.resume(&context).unwrap().is_none());
    directory.event(Event::Started { resumed: false, threads: 1 }).unwrap();
    let record = RunRecord::of(heard.lock().unwrap().iter().cloned());
    let read = read_record(folder.path(), &run.id).unwrap();
    for record in [record, read] {
        let [report] = record.reports() else { panic!("{:?}", record.reports()) };
        assert!(report.summary.starts_with("the checkpoint cannot be read"), "{}", report.summary);
    }
    assert!(directory.path().join("events.old.jsonl").exists());
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
