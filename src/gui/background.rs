//! Work in background threads: a computation, the newest answer to a question that changes, and something to be written.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;

use eframe::egui::{ColorImage, Context};

use super::log::{Log, NoticeAction};
use super::widgets::Tone;
use run::panic_text;

/// Answers that are asked for again and again, while data grow, are asked for at most once in `PAUSE` seconds, and cost at
/// most `SHARE` of the time.
const PAUSE: f64 = 0.1;
const SHARE: f64 = 0.15;

/// Says that no thread could be started.
const REFUSED: &str = "The system refused to start a thread. Close other programs and try again.";

/// Returns the seconds between two answers of which the first took so many.
pub fn pause_after(took: f64) -> f64 {
    f64::max(PAUSE, took / SHARE)
}

/// Says that a thread has gone without an answer.
const LOST: &str = "the thread ended unexpectedly";

/// A value that a thread computes.
#[derive(Debug)]
pub struct BackgroundTask<T> {
    answer: Receiver<Result<T, String>>,
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

    /// Returns a task whose answer a test sends.
    #[cfg(test)]
    pub fn scripted() -> (std::sync::mpsc::SyncSender<Result<T, String>>, Self) {
        let (sender, answer) = sync_channel(1);
        (sender, Self { answer })
    }

    /// Returns the answer, once, or what an error of the program says that ended the thread; nothing while it goes on.
    pub fn take(&self) -> Option<Result<T, String>> {
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(LOST.to_owned())),
        }
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// What an error of the program says that ended the thread.
    pub fn wait(self) -> Result<T, String> {
        self.answer.recv().unwrap_or_else(|_| Err(LOST.to_owned()))
    }
}

/// The newest answer to a question that changes. A thread looks for it, one at a time: another question waits until the last
/// one is answered.
#[derive(Debug)]
pub struct Latest<K, T> {
    asked: Option<(K, BackgroundTask<Result<T, String>>)>,
    answered: Option<(K, Result<T, String>)>,
    is_reported: bool,
}

/// The state of a question.
#[derive(Debug)]
pub enum LoadState<'a, T> {
    /// A thread looks for the answer.
    Pending,
    /// The answer.
    Ready(&'a T),
    /// The reason why there is none.
    Failed(&'a str),
}

impl<K, T> Default for Latest<K, T> {
    fn default() -> Self {
        Self { asked: None, answered: None, is_reported: false }
    }
}

impl<K, T: Send + 'static> Latest<K, T> {
    /// Asks a question unless a thread is busy with one; the thread wakes the window at its end. Returns true if a thread
    /// looks for this answer now.
    pub fn ask(
        &mut self,
        key: K,
        ctx: &Context,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> bool {
        self.poll();
        if self.asked.is_some() {
            return false;
        }
        match BackgroundTask::begin("question", ctx, work) {
            Some(task) => self.asked = Some((key, task)),
            None => self.answer(key, Err(REFUSED.to_owned())),
        }
        self.asked.is_some()
    }

    /// Returns the answer to this question, and asks it where it is not the one that was answered last.
    pub fn get(
        &mut self,
        key: &K,
        ctx: &Context,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> LoadState<'_, T>
    where
        K: Clone + PartialEq,
    {
        self.poll();
        if self.answered.as_ref().is_none_or(|(answered, _)| answered != key) {
            self.ask(key.clone(), ctx, work);
        }
        match &self.answered {
            Some((answered, Ok(answer))) if answered == key => LoadState::Ready(answer),
            Some((answered, Err(why))) if answered == key => LoadState::Failed(why),
            _ => LoadState::Pending,
        }
    }

    /// Returns the newest answer that was taken from a thread, with its question.
    pub fn newest(&self) -> Option<(&K, Result<&T, &str>)> {
        self.answered.as_ref().map(|(key, answer)| (key, answer.as_ref().map_err(String::as_str)))
    }

    /// Returns the newest answer with its question, if it did not fail.
    pub fn last(&self) -> Option<(&K, &T)> {
        let (key, answer) = self.answered.as_ref()?;
        answer.as_ref().ok().map(|answer| (key, answer))
    }

    /// Hands over a new answer with its question, once. A failure stays.
    pub fn take(&mut self) -> Option<(K, T)> {
        self.poll();
        match self.answered.take()? {
            (key, Ok(answer)) => Some((key, answer)),
            failed => {
                self.answered = Some(failed);
                None
            }
        }
    }

    /// Returns the question whose answer failed, if that is the newest one.
    pub fn failed(&self) -> Option<&K> {
        self.answered.as_ref().filter(|(_, answer)| answer.is_err()).map(|(key, _)| key)
    }

    /// Returns the reason of a failure, once.
    pub fn failure(&mut self) -> Option<String> {
        let why = self.answered.as_ref().and_then(|(_, answer)| answer.as_ref().err());
        why.filter(|_| !std::mem::replace(&mut self.is_reported, true)).cloned()
    }

    /// Forgets the answer, so that the question is asked again; not while a thread still looks for it.
    pub fn forget(&mut self) {
        self.answered = None;
    }

    /// Returns true if a thread looks for an answer.
    pub const fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// Gives up the question that a thread is busy with.
    pub fn abandon(&mut self) {
        self.asked = None;
    }

    /// Takes the answer of a thread, if there is one.
    pub fn poll(&mut self) {
        let Some((key, task)) = self.asked.take() else { return };
        match task.take() {
            None => self.asked = Some((key, task)),
            Some(answer) => self.answer(key, answer.flatten()),
        }
    }

    /// Waits for the answer that a thread looks for.
    pub fn wait(&mut self) {
        if let Some((key, task)) = self.asked.take() {
            self.answer(key, task.wait().flatten());
        }
    }

    fn answer(&mut self, key: K, answer: Result<T, String>) {
        (self.answered, self.is_reported) = (Some((key, answer)), false);
    }
}

/// Something that a thread makes to be kept: a file, a folder, or the contents of the clipboard.
pub struct WriteJob {
    /// The title of the message where it fails: "The report was not written".
    pub failure: &'static str,
    /// The file or folder that is written, for which the window waits when it closes; none for the clipboard.
    pub path: Option<PathBuf>,
    work: BackgroundTask<Result<Written, String>>,
}

/// The result of a [`WriteJob`].
#[derive(Debug, Default)]
pub struct Written {
    /// Its name in the log: "the report".
    pub label: String,
    /// Remarks for the log.
    pub notes: Vec<String>,
    /// The contents of the clipboard, instead of a file.
    pub copied: Option<Copied>,
}

/// The contents of the clipboard.
#[derive(Debug)]
pub enum Copied {
    /// An image.
    Picture(ColorImage),
    /// Values of a figure as CSV.
    Values(String),
}

impl WriteJob {
    /// Begins to write in a thread.
    ///
    /// # Errors
    /// Where the system refuses a thread.
    pub fn begin(
        failure: &'static str,
        path: Option<PathBuf>,
        ctx: &Context,
        work: impl FnOnce() -> Result<Written, String> + Send + 'static,
    ) -> Result<Self, String> {
        let work = BackgroundTask::begin("export", ctx, work).ok_or(REFUSED)?;
        Ok(Self { failure, path, work })
    }

    /// Returns true once it is over, after it has told the log and filled the clipboard; or why it failed.
    pub fn finish(&self, log: &mut Log, ctx: &Context) -> Result<bool, String> {
        let Some(written) = self.work.take() else { return Ok(false) };
        let written =
            written.map_err(|why| format!("{why}. This is a bug in Weightlab; please report it."))?;
        let Written { label, notes, copied } = written?;
        match (copied, &self.path) {
            (Some(Copied::Picture(image)), _) => {
                let [width, height] = image.size;
                ctx.copy_image(image);
                log.info(format!("Copied {label} as an image of {width} × {height} pixels"));
            }
            (Some(Copied::Values(text)), _) => {
                ctx.copy_text(text);
                log.info(format!("Copied the values of {label} as CSV"));
            }
            (None, Some(path)) => {
                let open = path.is_file().then(|| NoticeAction::Open(path.clone()));
                let actions = open.into_iter().chain([NoticeAction::ShowInFolder(path.clone())]).collect();
                log.offer(Tone::Good, format!("Wrote {label} to {}", path.display()), actions);
            }
            (None, None) => {}
        }
        for note in notes {
            log.note(note);
        }
        Ok(true)
    }

    /// Waits for its file, but not longer than this: the window closes.
    pub fn wait(self, most: Duration) {
        if self.path.is_some() {
            let _ = self.work.answer.recv_timeout(most); // who waits wants no answer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_or_the_words_of_a_panic_come_back() {
        let ctx = Context::default();
        assert_eq!(BackgroundTask::begin("seven", &ctx, || 7).unwrap().wait(), Ok(7));
        let lost: BackgroundTask<u32> =
            BackgroundTask::begin("panic", &ctx, || panic!("on {}", "purpose")).unwrap();
        assert_eq!(lost.wait(), Err("on purpose".to_owned()));
    }

    #[test]
    fn an_answer_is_found_once_and_kept() {
        let ctx = Context::default();
        let mut latest: Latest<u32, u32> = Latest::default();
        let answer = loop {
            match latest.get(&1, &ctx, || Ok(7)) {
                LoadState::Ready(answer) => break *answer,
                LoadState::Failed(why) => panic!("{why}"),
                LoadState::Pending => std::thread::yield_now(),
            }
        };
        assert_eq!(answer, 7);
        let again = latest.get(&1, &ctx, || Err("asked twice".to_owned()));
        assert!(matches!(again, LoadState::Ready(7)));
        assert_eq!((latest.take(), latest.take()), (Some((1, 7)), None));
    }

    #[test]
    fn a_question_that_is_asked_again_waits_for_the_thread_that_looks_for_it() {
        let ctx = Context::default();
        let mut latest: Latest<u32, u32> = Latest::default();
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        latest.get(&1, &ctx, move || receiver.recv().map_err(|error| error.to_string()));
        for _ in 0..3 {
            latest.forget();
            assert!(latest.is_busy());
            let state = latest.get(&1, &ctx, || Err("a second thread".to_owned()));
            assert!(matches!(state, LoadState::Pending));
        }
        sender.send(7).unwrap();
        while latest.is_busy() {
            std::thread::yield_now();
            latest.get(&1, &ctx, || Err("a second thread".to_owned()));
        }
        assert!(matches!(latest.get(&1, &ctx, || Err("again".to_owned())), LoadState::Ready(7)));
    }

    #[test]
    fn a_failure_is_reported_once_and_remembered() {
        let ctx = Context::default();
        let mut latest: Latest<u32, u32> = Latest::default();
        assert!(latest.ask(1, &ctx, || panic!("on purpose")));
        while latest.is_busy() {
            latest.poll();
            std::thread::yield_now();
        }
        assert_eq!(latest.take(), None);
        assert_eq!(latest.failed(), Some(&1));
        assert_eq!(latest.failure().as_deref(), Some("on purpose"));
        assert_eq!((latest.failure(), latest.failed()), (None, Some(&1)));
    }
}
