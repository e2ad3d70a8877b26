//! Computations in background threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;

use eframe::egui::Context;

use run::panic_text;

/// A value that a thread computes.
#[derive(Debug)]
pub struct BackgroundTask<T> {
    answer: Receiver<Result<T, String>>,
}

/// How far a thread is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState<T> {
    /// It goes on.
    Running,
    /// What it has computed.
    Done(T),
    /// It ended with an error of the program, which says this.
    Failed(String),
}

impl<T: Send + 'static> BackgroundTask<T> {
    /// Begins in a thread of this name, which wakes the window at its end; `None` where the system refuses one.
    pub fn begin(name: &str, ctx: &Context, work: impl FnOnce() -> T + Send + 'static) -> Option<Self> {
        let (sender, answer) = sync_channel(1);
        let ctx = ctx.clone();
        let all = move || {
            // What the work shares with others it only reads.
            let answer = catch_unwind(AssertUnwindSafe(work));
            let _ = sender.try_send(answer.map_err(|payload| panic_text(payload.as_ref()))); // nobody may wait any more
            ctx.request_repaint();
        };
        std::thread::Builder::new().name(name.to_owned()).spawn(all).ok()?;
        Some(Self { answer })
    }

    /// Something that a script in a test computes: what it sends is the answer.
    #[cfg(test)]
    pub fn scripted() -> (std::sync::mpsc::SyncSender<Result<T, String>>, Self) {
        let (sender, answer) = sync_channel(1);
        (sender, Self { answer })
    }

    /// Waits until it is over, but not longer than this.
    pub fn wait(self, most: Duration) {
        let _ = self.answer.recv_timeout(most); // who waits wants no answer
    }

    /// What it has computed, once.
    pub fn take(&self) -> TaskState<T> {
        match self.answer.try_recv() {
            Ok(Ok(answer)) => TaskState::Done(answer),
            Ok(Err(why)) => TaskState::Failed(why),
            Err(TryRecvError::Empty) => TaskState::Running,
            Err(TryRecvError::Disconnected) => TaskState::Failed("the thread ended unexpectedly".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end<T: Send + 'static>(background: &BackgroundTask<T>) -> TaskState<T> {
        loop {
            match background.take() {
                TaskState::Running => std::thread::yield_now(),
                answer => return answer,
            }
        }
    }

    #[test]
    fn an_answer_or_the_words_of_a_panic_come_back() {
        let ctx = Context::default();
        assert_eq!(end(&BackgroundTask::begin("seven", &ctx, || 7).unwrap()), TaskState::Done(7));
        let lost: BackgroundTask<u32> =
            BackgroundTask::begin("panic", &ctx, || panic!("on {}", "purpose")).unwrap();
        assert_eq!(end(&lost), TaskState::Failed("on purpose".to_owned()));
    }
}
