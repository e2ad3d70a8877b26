//! Whole queues with their threads and directories.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::directory::{is_done, read_record, weights_path};
use crate::summary::{Moment, read_histograms, read_summary_at, stored_rounds};
use doc::file::parse;
use doc::runs;
use results::RunState;

/// Longer than any of these runs takes.
const PATIENCE: Duration = Duration::from_mins(2);

/// A run for each seed of an arm with this plan.
fn jobs(folder: &Path, plan: &str, seeds: std::ops::RangeInclusive<u64>) -> Vec<Job> {
    jobs_with(folder, "", plan, seeds)
}

/// The same with further settings of the training.
fn jobs_with(folder: &Path, train: &str, plan: &str, seeds: std::ops::RangeInclusive<u64>) -> Vec<Job> {
    let seeds: Vec<u64> = seeds.collect();
    let text = format!(
        "(data: Digits(limit_train: 64, limit_test: 20), net: Mlp(hidden: [4]), train: (batch: 16{train}),
          seeds: {seeds:?}, arms: [(name: \"a\", plan: [{plan}])])"
    );
    let runs = runs(&parse(&text, Path::new("x.ron")).unwrap()).unwrap();
    let job = |run| Job { run, folder: folder.to_owned(), base: PathBuf::from(".") };
    runs.into_iter().map(job).collect()
}

fn ids(jobs: &[Job]) -> Vec<String> {
    jobs.iter().map(|job| job.run.id.clone()).collect()
}

fn options(jobs: usize) -> QueueOptions {
    QueueOptions { jobs, threads: 1 }
}

/// Reads messages up to the first that fits.
fn wait_for(messages: &Receiver<Message>, fits: impl Fn(&Message) -> bool) -> Vec<Message> {
    let mut seen = Vec::new();
    loop {
        let message = messages.recv_timeout(PATIENCE).expect("the queue goes on");
        seen.push(message);
        if seen.last().is_some_and(&fits) {
            return seen;
        }
    }
}

/// All messages to the end.
fn rest(queue: Queue, messages: &Receiver<Message>) -> Vec<Message> {
    let mut seen = Vec::new();
    while let Ok(message) = messages.recv_timeout(PATIENCE) {
        seen.push(message);
    }
    queue.join();
    seen
}

fn with(messages: &[Message], fits: impl Fn(&Event) -> bool) -> Vec<&str> {
    let fitting = messages.iter().filter(|message| fits(&message.event));
    fitting.map(|message| message.run.as_str()).collect()
}

fn starts(event: &Event) -> bool {
    matches!(event, Event::Started { .. })
}

fn finishes(event: &Event) -> bool {
    matches!(event, Event::Finished { .. })
}

#[test]
fn a_run_whose_weights_find_no_room_fails_and_goes_on_when_there_is_some() {
    let folder = tempfile::tempdir().unwrap();
    let job = jobs(folder.path(), "Test", 1..=1).remove(0);
    let weights = weights_path(folder.path(), &job.run.id);
    let run_once = || -> Vec<Event> {
        let (queue, messages) = Queue::start(vec![job.clone()], &options(1), StopFlag::new());
        rest(queue, &messages).into_iter().map(|message| message.event).collect()
    };
    let state = || read_record(folder.path(), &job.run.id).unwrap().state().clone();

    std::fs::create_dir_all(&weights).unwrap(); // no file can be written there
    let first = run_once();
    let Some(Event::Failed { message }) = first.last() else { panic!("{first:?}") };
    assert!(!first.iter().any(finishes), "nothing is done yet: {first:?}");
    assert_eq!(state(), RunState::Failed(message.clone()), "the same on the disk");
    std::fs::remove_dir(&weights).unwrap();
    let second = run_once();
    assert!(second.iter().any(finishes), "{second:?}");
    assert!(weights.is_file() && is_done(folder.path(), &job.run.id));
    assert_eq!(state(), RunState::Done);
}

#[test]
fn runs_start_in_the_order_of_the_list_which_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = jobs(folder.path(), "Test", 1..=5);
    let ids = ids(&jobs);
    let stop = StopFlag::new();
    stop.pause(); // nothing starts before the order is made
    let (queue, messages) = Queue::start(jobs[..4].to_vec(), &options(1), stop.clone());
    let before = queue.revision();
    queue.command(Command::Move { run: ids[3].clone(), before: Some(ids[0].clone()) });
    queue.command(Command::Add(jobs[4..].to_vec()));
    assert!(queue.revision() > before);
    let wanted = [3, 0, 1, 2, 4].map(|at: usize| ids[at].as_str());
    let view = queue.view();
    let reason = |run: &QueuedRun| matches!(run.state, QueuedState::Waiting { why: WaitReason::Paused, position } if position > 0);
    assert!(view.is_paused && view.runs.iter().all(reason), "{view:?}");
    assert_eq!(view.runs.iter().map(|run| run.run.as_str()).collect::<Vec<_>>(), wanted);
    queue.command(Command::StopAll(StopKind::Now));
    assert_eq!(with(&rest(queue, &messages), starts), Vec::<&str>::new());

    let (queue, messages) = Queue::start(jobs.clone(), &options(1), StopFlag::new());
    let started = rest(queue, &messages);
    assert_eq!(with(&started, starts), wanted);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_refuses_stops_the_queue_at_the_first_run_and_the_others_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut jobs = jobs(folder.path(), "Test", 1..=5);
    jobs[0].folder = PathBuf::from("/sys/weightlab"); // where nobody may write
    let (queue, messages) = Queue::start(jobs.clone(), &options(1), StopFlag::new());
    while messages.recv_timeout(PATIENCE).is_ok() {}
    let view = queue.view();
    assert!(view.halted.is_some(), "{view:?}");
    let state = |run: usize| &view.runs.iter().find(|it| it.run == jobs[run].run.id).unwrap().state;
    assert!(matches!(state(0), QueuedState::Ended(Ended::Failed(_))), "{view:?}");
    for run in 1..5 {
        assert!(matches!(state(run), QueuedState::Waiting { .. }), "{view:?}");
    }
    folder.path().clone_into(&mut jobs[0].folder);
    let (queue, messages) = Queue::start(jobs.clone(), &options(1), StopFlag::new());
    assert_eq!(with(&rest(queue, &messages), finishes).len(), 5);
}

#[test]
fn a_done_run_whose_results_were_archived_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = jobs(folder.path(), "Test", 1..=1);
    all.extend(jobs(folder.path(), "Train(\"1000ep\")", 1..=1));
    let done = all[0].run.id.clone();
    let (queue, messages) = Queue::start(all.clone(), &options(1), StopFlag::new());
    let is_over = |queue: &Queue| {
        queue.view().runs.iter().any(|run| run.run == done && matches!(run.state, QueuedState::Ended(_)))
    };
    while !is_over(&queue) {
        messages.recv_timeout(PATIENCE).unwrap();
    }
    std::fs::remove_dir_all(folder.path().join(&done)).unwrap();
    assert!(queue.command(Command::Add(all[..1].to_vec())));
    assert!(!is_over(&queue), "it waits for another turn");
    queue.command(Command::Stop { run: all[1].run.id.clone(), kind: StopKind::Now });
    let rest = rest(queue, &messages);
    assert_eq!(with(&rest, finishes).last(), Some(&done.as_str()));
    assert!(is_done(folder.path(), &done), "its results are made again");
}

#[test]
fn a_queue_takes_runs_while_it_goes_on_and_none_once_it_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = jobs(folder.path(), "Train(\"20ep\")", 1..=3);
    let last = all.split_off(1);
    let stop = StopFlag::new();
    stop.pause();
    let (queue, messages) = Queue::start(all.clone(), &options(1), stop);
    assert!(queue.command(Command::Add(last.clone())));
    assert!(queue.command(Command::Add(all.clone())), "it is there already");
    queue.command(Command::Pause(false));
    let mut finished = Vec::new();
    while let Ok(message) = messages.recv_timeout(PATIENCE) {
        finished.extend(finishes(&message.event).then_some(message.run));
    }
    assert_eq!(finished, [ids(&all), ids(&last)].concat());
    assert!(queue.view().is_over && !queue.command(Command::Add(last)));
    queue.join();
}

#[test]
fn stopping_one_run_leaves_the_others_and_a_retry_carries_it_on() {
    let folder = tempfile::tempdir().unwrap();
    let long = jobs(folder.path(), "Train(\"300ep\")", 1..=3);
    let [first, second, third] = [0, 1, 2].map(|at: usize| long[at].run.id.clone());
    let (queue, messages) = Queue::start(long, &options(1), StopFlag::new());
    let now = |run: &String| Command::Stop { run: run.clone(), kind: StopKind::Now };
    let mut seen = wait_for(&messages, |message| matches!(message.event, Event::Point(_)));
    queue.command(now(&first));
    queue.command(now(&second));
    seen.extend(wait_for(&messages, |message| message.run == third && starts(&message.event)));
    assert!(with(&seen, finishes).is_empty(), "neither the first nor the second run");
    let stopped = |event: &Event| matches!(event, Event::Stopped { .. });
    assert_eq!(with(&seen, stopped), [&first], "the second one has not started");
    let view = queue.view();
    let ended = view.runs.iter().filter(|run| run.state == QueuedState::Ended(Ended::Stopped));
    assert_eq!(ended.count(), 2, "{view:?}");
    queue.command(Command::Retry { run: first.clone() });
    let end = rest(queue, &messages);
    assert_eq!(with(&end, finishes), [&third, &first]);
    assert!(end.iter().any(|message| matches!(message.event, Event::Started { resumed: true, .. })));
    assert!(!is_done(folder.path(), &second));
}

#[test]
fn a_run_that_still_stops_gets_another_turn_when_asked_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let long = jobs(folder.path(), "Train(\"200ep\")", 1..=1);
    let run = long[0].run.id.clone();
    let (queue, messages) = Queue::start(long.clone(), &options(1), StopFlag::new());
    let mut seen = wait_for(&messages, |message| matches!(message.event, Event::Point(_)));
    queue.command(Command::Pause(true)); // it must not be over before it is asked
    queue.command(Command::Stop { run: run.clone(), kind: StopKind::AfterStage });
    queue.command(Command::Retry { run: run.clone() });
    queue.command(Command::Stop { run: run.clone(), kind: StopKind::Now });
    queue.command(Command::Add(long));
    queue.command(Command::Pause(false));
    seen.extend(rest(queue, &messages));
    assert_eq!(with(&seen, finishes), [&run]);
    let stops = with(&seen, |event| matches!(event, Event::Stopped { .. })).len();
    assert_eq!((stops, with(&seen, starts).len()), (1, 2));
}

#[test]
fn a_pause_ends_with_the_last_run_and_the_order_is_on_disk_before_the_queue_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = jobs(folder.path(), "Train(\"300ep\")", 1..=3);
    let ids = ids(&jobs);
    let (queue, messages) = Queue::start(jobs, &options(1), StopFlag::new());
    wait_for(&messages, |message| matches!(message.event, Event::Point(_)));
    queue.command(Command::Pause(true));
    queue.command(Command::Move { run: ids[2].clone(), before: Some(ids[1].clone()) });
    assert!(queue.finish_order(PATIENCE));
    assert_eq!(RunOrder::read(folder.path()).order, [&ids[0], &ids[2], &ids[1]].map(String::as_str));
    for run in ids {
        queue.command(Command::Stop { run, kind: StopKind::Now });
    }
    rest(queue, &messages); // would wait for the end of the pause
}

#[test]
fn a_failed_run_is_retried_while_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let all = jobs(folder.path(), "Train(\"200ep\")", 1..=2);
    let [failing, other] = [0, 1].map(|at: usize| all[at].run.id.clone());
    let in_the_way = weights_path(folder.path(), &failing);
    std::fs::create_dir_all(&in_the_way).unwrap();
    let (queue, messages) = Queue::start(all, &options(1), StopFlag::new());
    let mut seen = wait_for(&messages, |message| matches!(message.event, Event::Failed { .. }));
    seen.extend(wait_for(&messages, |message| message.run == other && starts(&message.event)));
    let failed =
        |run: &QueuedRun| run.run == failing && matches!(run.state, QueuedState::Ended(Ended::Failed(_)));
    assert!(queue.view().runs.iter().any(failed));
    std::fs::remove_dir(&in_the_way).unwrap();
    assert!(queue.command(Command::Retry { run: failing.clone() }));
    assert_eq!(with(&rest(queue, &messages), finishes), [&other, &failing]);
}

#[test]
fn jobs_and_threads_change_while_runs_go_on_and_no_bit_does() {
    let plain = tempfile::tempdir().unwrap();
    let plan = "Train(\"60ep\"), Do(Prune()), Train(\"60ep\")";
    let all = |folder: &Path| jobs_with(folder, ", record: (weights: Histograms, rounds: true)", plan, 1..=4);
    let (queue, messages) = Queue::start(all(plain.path()), &options(1), StopFlag::new());
    assert_eq!(with(&rest(queue, &messages), finishes).len(), 4);

    let folder = tempfile::tempdir().unwrap();
    let all = all(folder.path());
    let (queue, messages) = Queue::start(all.clone(), &options(1), StopFlag::new());
    let running = |view: &QueueView| {
        view.runs.iter().filter(|run| matches!(run.state, QueuedState::Running { .. })).count()
    };
    wait_for(&messages, |message| matches!(message.event, Event::Point(_)));
    assert_eq!(running(&queue.view()), 1);
    queue.command(Command::Options { options: options(3), interrupt: None });
    let started: Vec<Message> =
        (0..2).flat_map(|_| wait_for(&messages, |message| starts(&message.event))).collect();
    assert!(with(&started, finishes).len() <= 1, "more of them at once: {started:?}");
    let fewer = QueueOptions { jobs: 1, threads: 2 };
    queue.command(Command::Options { options: fewer, interrupt: Some(StopKind::Now) });
    let end = rest(queue, &messages);
    let threads = |event: &Event| matches!(event, Event::Started { threads: 2, resumed: true });
    assert!(!with(&end, threads).is_empty(), "interrupted runs go on with other threads");
    for run in ids(&all) {
        assert_eq!(stored_rounds(folder.path(), &run), [0, 2]);
        let files = ["weights", "rounds/step-0", "rounds/step-2", "rounds/step-2.pins"];
        for file in
            files.map(|file| format!("{file}.safetensors")).iter().chain([&"histograms.jsonl".to_owned()])
        {
            let bytes = |folder: &Path| std::fs::read(folder.join(&run).join(file)).unwrap();
            assert!(bytes(folder.path()) == bytes(plain.path()), "{run} {file}");
        }
        let pruned = |moment| read_summary_at(folder.path(), &run, moment).unwrap().parameters[0].pruned;
        assert_eq!(pruned(Moment::Round(0)), 0);
        assert!(pruned(Moment::Round(2)) > 0 && pruned(Moment::Round(2)) == pruned(Moment::End));
        assert_eq!(read_histograms(folder.path(), &run).len(), 2 * 120, "two layers, 60 + 60 evaluations");
        let points = |folder: &Path| -> Vec<u64> {
            let record = read_record(folder, &run).unwrap();
            record.points().iter().map(|point| point.value.to_bits()).collect()
        };
        assert_eq!(points(folder.path()), points(plain.path()));
    }
}
