//! How long the runs will take, told before they start.

use super::*;

const PACE: Pace = Pace { mini_batch: 1.0, sample: 0.0, interrupted: 1.0, measured: 4 };

fn window() -> Window {
    let mut window = Window::new();
    window.stage.borrow_mut().asked.clear();
    window.stage.borrow_mut().measures = true;
    window.edit();
    window
}

/// Counts the measurements that were begun, and those of them that are wanted.
fn asked(window: &Window) -> (usize, usize) {
    let stage = window.stage.borrow();
    let wanted = stage.asked.iter().filter(|asked| asked.stop.requested().is_none());
    (stage.asked.len(), wanted.count())
}

fn answer(window: &mut Window, pace: Option<Pace>) {
    window.stage.borrow().asked.last().unwrap().answer.send(Ok(pace)).unwrap();
    window.harness.run();
}

fn detail(window: &Window) -> String {
    window.harness.state().runner.status().detail
}

#[test]
fn measurements_tell_how_long_arms_of_one_network_take() {
    let mut window = window();
    assert_eq!(asked(&window), (1, 1));
    assert!(window.sees("16 runs to do · ") && window.sees("estimating…"), "until it is known");
    answer(&mut window, Some(PACE));
    assert_eq!(asked(&window), (2, 1), "pruned networks are another task than dense ones");
    answer(&mut window, Some(PACE));
    assert_eq!(asked(&window).0, 2);
    assert!(window.stage.borrow().asked.iter().all(|asked| asked.options.jobs > 0));
    let estimate = window.harness.state().runner.status().text;
    let range = estimate.strip_prefix("16 runs to do · ").unwrap();
    assert!(range.contains('–') && range.ends_with('h'), "a second for each mini-batch: {range}");
    let detail = detail(&window);
    assert!(detail.contains("50,610 parameters\n") && detail.contains(" MB per network"), "{detail}");
    assert!(detail.contains("Time from a quick measurement of 8 mini-batches"), "{detail}");
    window.harness.state_mut().editor.document.experiment.name.push('!');
    window.harness.run();
    assert_eq!(asked(&window).0, 2, "what was measured is remembered");
    assert!(window.sees(&estimate));
}

#[test]
fn a_measurement_is_given_up_when_the_document_changes_or_runs_start() {
    let mut window = window();
    window.harness.state_mut().editor.document.experiment.train.batch = 7;
    window.harness.run();
    assert_eq!(asked(&window), (2, 1), "of the new batches alone");
    window.click("Run all");
    assert_eq!(asked(&window), (2, 0));
    for _ in 0..3 {
        window.harness.run();
    }
    assert_eq!(asked(&window), (2, 0), "nothing is measured while runs go on");
    window.say(0, started());
    window.say(0, Event::Finished { secs: 20.0 });
    window.hang_up();
    assert_eq!(asked(&window).0, 2, "what is done tells the rest");
    assert!(window.sees("15 runs to do · "));
    assert!(detail(&window).contains("Time from the pace of 1 finished run"), "{}", detail(&window));
}

#[test]
fn what_cannot_be_measured_says_so_and_has_its_multiply_adds_in_the_details() {
    let mut window = window();
    answer(&mut window, None);
    answer(&mut window, None);
    assert_eq!(asked(&window).0, 2, "nobody tries again");
    assert!(window.sees("16 runs to do · time unknown"));
    assert!(detail(&window).contains(" multiply-adds for training"), "{}", detail(&window));
}

#[test]
fn a_document_with_an_error_is_not_measured() {
    let mut window = window();
    let net = doc::Mlp { hidden: vec![0], ..doc::Mlp::default() };
    window.harness.state_mut().editor.document.experiment.net = doc::Net::Mlp(net);
    window.harness.run();
    assert_eq!(asked(&window), (1, 0), "what was measured is given up, and nothing else is begun");
    assert_eq!(window.harness.state().runner.status().text, "", "no number of runs beside the problem");
    assert!(detail(&window).starts_with("Network, Hidden layers: "), "{}", detail(&window));
}
