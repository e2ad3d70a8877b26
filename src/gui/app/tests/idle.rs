//! A window that nothing happens in costs nothing.

use super::*;

/// Time until the window wants to be drawn again, after it has come to rest.
fn repaint_delay(window: &mut Window) -> Duration {
    window.harness.run();
    window.harness.step();
    window.harness.output().viewport_output[&ViewportId::ROOT].repaint_delay
}

#[test]
fn an_idle_window_asks_for_no_frame() {
    let mut window = Window::new();
    assert_eq!(repaint_delay(&mut window), Duration::MAX, "an untouched document");
    window.execute(Command::RunAll);
    window.say(0, started());
    window.say(0, accuracy(0.5, 1.0));
    assert!(repaint_delay(&mut window) < Duration::from_secs(1), "a run that goes on is followed");
    window.say(0, Event::Finished { secs: 1.0 });
    window.hang_up();
    // The table of runs and the figure are at most that far behind; view settings are written once they rest.
    let settled = (0..40).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        repaint_delay(&mut window) == Duration::MAX
    });
    assert!(settled, "a finished one");
}
