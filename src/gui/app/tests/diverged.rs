//! A run whose training diverged does not look like a success.

use super::*;

fn loss(value: f64) -> Event {
    let Event::Point(point) = accuracy(value, 1.0) else { panic!("a point") };
    Event::Point(Point { series: "train_loss".to_owned(), ..point })
}

#[test]
fn a_diverged_run_is_marked_in_the_list_the_log_and_the_message() {
    let mut window = Window::new();
    window.click("Run all");
    for (run, value) in [(0, 0.5), (1, 3.1e8)] {
        window.say(run, started());
        window.say(run, loss(value));
        window.say(run, accuracy(0.098, 1.0));
        window.say(run, Event::Finished { secs: 2.0 });
    }
    assert!(window.sees("1 of 3 diverged"), "the arm");
    assert!(window.log().contains("seed 2: diverged: training loss 3.1×10⁸, test accuracy 9.80 %, 2.0 s"));
    assert!(window.log().contains("seed 1: done: test accuracy 9.80 %"), "{}", window.log());
    window.hang_up();
    assert!(window.sees("1 done, 1 diverged, 10 not started"), "the line at the bottom: {}", window.log());
    let message = window.harness.state().log.latest().unwrap();
    assert_eq!(message.tone, crate::widgets::Tone::Warning);
}
