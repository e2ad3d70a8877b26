//! What the app asks of the desktop around it: a notification, and to stay awake. A desktop that refuses is reported in
//! the log, and nothing waits for it.

use std::error::Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use keepawake::KeepAwake;
use notify_rust::Notification;

/// The desktop, or a script in tests.
pub trait Desktop {
    /// Shows a notification.
    fn notify(&mut self, title: &str, text: &str);

    /// Keeps the computer from going to sleep, or stops doing so.
    fn keep_awake(&mut self, on: bool);

    /// Returns something that failed, once each; call it now and then.
    fn trouble(&mut self) -> Option<String>;
}

/// The desktop that the app runs on. D-Bus may be slow or missing, so threads ask it.
pub struct System {
    /// While this exists, a thread keeps the computer awake.
    awake: Option<SyncSender<()>>,
    failures: SyncSender<String>,
    failed: Receiver<String>,
}

/// Further failures are dropped until these are taken.
const KEPT: usize = 8;

impl Default for System {
    fn default() -> Self {
        let (failures, failed) = sync_channel(KEPT);
        Self { awake: None, failures, failed }
    }
}

impl Desktop for System {
    fn notify(&mut self, title: &str, text: &str) {
        let mut notification = Notification::new();
        notification.appname("Weightlab").summary(title).body(text).icon("weightlab");
        self.run("The notification failed", move || {
            notification.show()?;
            Ok(())
        });
    }

    fn keep_awake(&mut self, on: bool) {
        if !on {
            self.awake = None;
        } else if self.awake.is_none() {
            self.hold("The computer may go to sleep", inhibit_sleep);
        }
    }

    fn trouble(&mut self) -> Option<String> {
        self.failed.try_recv().ok()
    }
}

type Refusal = Box<dyn Error>;

fn inhibit_sleep() -> Result<KeepAwake, Refusal> {
    let mut request = keepawake::Builder::default();
    request
        .idle(true)
        .sleep(true)
        .app_name("Weightlab")
        .app_reverse_domain("weightlab")
        .reason("Runs in progress");
    Ok(request.create()?)
}

impl System {
    /// Runs something in a thread, and reports its failure with `consequence` first.
    fn run(&self, consequence: &'static str, work: impl FnOnce() -> Result<(), Refusal> + Send + 'static) {
        let failures = self.failures.clone();
        let work = move || {
            if let Err(error) = work() {
                let _ = failures.try_send(format!("{consequence}: {error}")); // see KEPT
            }
        };
        if let Err(error) = std::thread::Builder::new().name("desktop".to_owned()).spawn(work) {
            let _ = self.failures.try_send(format!("{consequence}: {error}"));
        }
    }

    /// Gets a guard in a thread, and keeps it until `awake` is dropped. Some systems tie it to the thread.
    fn hold<T>(
        &mut self,
        consequence: &'static str,
        take: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
    ) {
        let (awake, released) = sync_channel::<()>(0);
        self.awake = Some(awake);
        self.run(consequence, move || {
            let guard = take()?;
            for () in released {} // until the sender is dropped
            drop(guard);
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports when it is dropped.
    struct Guard(SyncSender<()>);

    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn the_computer_may_sleep_again_when_runs_end_or_the_app_does() {
        for ends_with_app in [false, true] {
            let (dropped, is_dropped) = sync_channel(1);
            let (taken, is_taken) = sync_channel(1);
            let mut system = System::default();
            system.hold("The computer may go to sleep", move || {
                let guard = Guard(dropped);
                taken.send(())?;
                Ok(guard)
            });
            is_taken.recv().unwrap();
            assert!(is_dropped.try_recv().is_err());
            if ends_with_app {
                drop(system);
            } else {
                system.keep_awake(false);
                assert_eq!(system.trouble(), None);
            }
            assert_eq!(is_dropped.recv(), Ok(()));
        }
    }

    #[test]
    fn a_desktop_that_refuses_is_reported_once() {
        let mut system = System::default();
        system.hold::<()>("The computer may go to sleep", || Err("no login manager".into()));
        let reported = loop {
            match system.trouble() {
                Some(reported) => break reported,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!(reported, "The computer may go to sleep: no login manager");
        assert_eq!(system.trouble(), None);
    }
}
