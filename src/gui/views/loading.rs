//! Reads a view's data in a thread, and caches the last answer.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use eframe::egui;

/// A run whose files are read: another time of its end makes them other files.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The folder of all runs.
    pub folder: PathBuf,
    /// The run.
    pub id: String,
    /// Wall time of the run, seconds.
    pub secs: f64,
}

/// The answer to the last question.
pub enum LoadState<'a, T> {
    /// It is still being read.
    Pending,
    /// It is there.
    Ready(&'a T),
    /// It could not be read.
    Failed(&'a str),
}

/// A slow question, answered in a thread; the answer to the last one is kept.
pub struct Loading<K, T> {
    asked: Option<(K, Receiver<Result<T, String>>)>,
    kept: Option<(K, Result<T, String>)>,
}

impl<K, T> Default for Loading<K, T> {
    fn default() -> Self {
        Self { asked: None, kept: None }
    }
}

impl<K: Clone + PartialEq, T: Send + 'static> Loading<K, T> {
    /// The answer to a question, which `read` finds in a thread if it is not known yet. The window is drawn anew when it
    /// is there.
    pub fn get(
        &mut self,
        key: &K,
        ctx: &egui::Context,
        read: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> LoadState<'_, T> {
        self.take_answer();
        let is_kept = self.kept.as_ref().is_some_and(|(kept, _)| kept == key);
        // One thread at a time: who changes their mind waits for the first answer.
        if !is_kept && self.asked.is_none() {
            self.ask(key, ctx, read);
        }
        match &self.kept {
            Some((kept, Ok(answer))) if kept == key => LoadState::Ready(answer),
            Some((kept, Err(why))) if kept == key => LoadState::Failed(why),
            _ => LoadState::Pending,
        }
    }

    /// The last answer, to whatever question; nothing where there was none.
    pub fn last(&self) -> Option<(&K, &T)> {
        let (key, answer) = self.kept.as_ref()?;
        answer.as_ref().ok().map(|answer| (key, answer))
    }

    fn take_answer(&mut self) {
        let Some((key, answer)) = self.asked.take() else { return };
        match answer.try_recv() {
            Ok(answer) => self.kept = Some((key, answer)),
            Err(TryRecvError::Empty) => self.asked = Some((key, answer)),
            Err(TryRecvError::Disconnected) => {
                self.kept = Some((key, Err("the reader ended unexpectedly".to_owned())));
            }
        }
    }

    fn ask(
        &mut self,
        key: &K,
        ctx: &egui::Context,
        read: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) {
        let (sender, receiver) = sync_channel(1);
        let ctx = ctx.clone();
        let work = move || {
            let _ = sender.send(read()); // nobody waits any more
            ctx.request_repaint();
        };
        if let Err(error) = std::thread::Builder::new().name("reader".to_owned()).spawn(work) {
            self.kept = Some((key.clone(), Err(format!("no thread could be started: {error}"))));
        } else {
            self.asked = Some((key.clone(), receiver));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_once_and_kept() {
        let ctx = egui::Context::default();
        let mut loading: Loading<u32, u32> = Loading::default();
        let answer = loop {
            match loading.get(&1, &ctx, || Ok(7)) {
                LoadState::Ready(answer) => break *answer,
                LoadState::Failed(why) => panic!("{why}"),
                LoadState::Pending => std::thread::yield_now(),
            }
        };
        assert_eq!(answer, 7);
        let again = loading.get(&1, &ctx, || Err("asked twice".to_owned()));
        assert!(matches!(again, LoadState::Ready(7)));
    }
}
