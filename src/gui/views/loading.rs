//! Reads a view's data in a thread, and caches the last answer.

use std::path::PathBuf;

use eframe::egui;

use crate::background::{BackgroundTask, TaskState};
use run::summary::Moment;

/// A run whose files are read: with another wall time they are other files.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The folder of all runs.
    pub folder: PathBuf,
    /// The run.
    pub id: String,
    /// Wall time of the run, seconds.
    pub secs: f64,
    /// When its network is read.
    pub moment: Moment,
}

impl Source {
    /// Returns true if both are of one run, at whatever moments.
    pub fn is_same_run(&self, other: &Self) -> bool {
        let at = |source: &Self| Self { moment: Moment::End, ..source.clone() };
        at(self) == at(other)
    }
}

/// The answer to the last question.
pub enum LoadState<'a, T> {
    /// A thread reads it.
    Pending,
    /// It was read.
    Ready(&'a T),
    /// It could not be read, and why.
    Failed(&'a str),
}

/// A slow question, answered in a thread; the answer to the last one is kept.
pub struct Loading<K, T> {
    asked: Option<(K, BackgroundTask<Result<T, String>>)>,
    kept: Option<(K, Result<T, String>)>,
}

impl<K, T> Default for Loading<K, T> {
    fn default() -> Self {
        Self { asked: None, kept: None }
    }
}

impl<K: Clone + PartialEq, T: Send + 'static> Loading<K, T> {
    /// Returns the answer to a question, which `read` finds in a thread if it is not known yet; the thread then wakes
    /// the window.
    pub fn get(
        &mut self,
        key: &K,
        ctx: &egui::Context,
        read: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> LoadState<'_, T> {
        if let Some((key, task)) = self.asked.take() {
            match task.take() {
                TaskState::Running => self.asked = Some((key, task)),
                TaskState::Done(answer) => self.kept = Some((key, answer)),
                TaskState::Failed(_) => {
                    self.kept = Some((key, Err("the reader ended unexpectedly".to_owned())));
                }
            }
        }
        let is_kept = self.kept.as_ref().is_some_and(|(kept, _)| kept == key);
        // One thread at a time: another question waits for the answer to the last one.
        if !is_kept && self.asked.is_none() {
            match BackgroundTask::begin("reader", ctx, read) {
                Some(task) => self.asked = Some((key.clone(), task)),
                None => {
                    self.kept = Some((key.clone(), Err("the system refused to start a thread".to_owned())));
                }
            }
        }
        match &self.kept {
            Some((kept, Ok(answer))) if kept == key => LoadState::Ready(answer),
            Some((kept, Err(why))) if kept == key => LoadState::Failed(why),
            _ => LoadState::Pending,
        }
    }

    /// Forgets the answer, so that the question is asked again; not while a thread still looks for it.
    pub fn forget(&mut self) {
        self.kept = None;
    }

    /// Returns true if a thread looks for an answer.
    pub const fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// Returns the last answer with its question, if there is one.
    pub fn last(&self) -> Option<(&K, &T)> {
        let (key, answer) = self.kept.as_ref()?;
        answer.as_ref().ok().map(|answer| (key, answer))
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

    #[test]
    fn a_question_that_is_asked_again_waits_for_the_thread_that_looks_for_it() {
        let ctx = egui::Context::default();
        let mut loading: Loading<u32, u32> = Loading::default();
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        loading.get(&1, &ctx, move || receiver.recv().map_err(|error| error.to_string()));
        for _ in 0..3 {
            loading.forget();
            assert!(loading.is_busy());
            assert!(matches!(
                loading.get(&1, &ctx, || Err("a second thread".to_owned())),
                LoadState::Pending
            ));
        }
        sender.send(7).unwrap();
        while loading.is_busy() {
            std::thread::yield_now();
            loading.get(&1, &ctx, || Err("a second thread".to_owned()));
        }
        assert!(matches!(loading.get(&1, &ctx, || Err("again".to_owned())), LoadState::Ready(7)));
    }
}
