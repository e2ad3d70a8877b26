//! What runs report and what it changes, and other lines of the log.

use eframe::egui;

use super::{App, PACE};
use crate::log::NoticeAction;
use crate::runs::RunNews;
use crate::text;
use crate::widgets::Tone;
use doc::capitalised;
use results::{RunState, end_in_words};
use run::outdated_notes;

/// Of a copied text, the log has as many letters.
const MOST_COPIED: usize = 80;

impl App {
    /// Takes in messages of runs.
    pub(super) fn drain(&mut self, ctx: &egui::Context) {
        if self.runner.runs.is_running() {
            self.workspace.forget_shown(); // records with one owner grow in place
        }
        for news in self.runner.runs.drain() {
            self.take_news(news);
        }
        if self.runner.start_pending() {
            self.shell.keep_awake(true);
        }
        let results = self.editor.results();
        self.runner.watch_others(&self.editor.document, &results, &mut self.log, ctx);
        let runs = &self.runner.runs;
        if self.runner.is_reading() || (runs.is_running() && !runs.is_paused()) {
            ctx.request_repaint_after(PACE);
        }
    }

    /// Says that a button has put a text into the clipboard, unless that was logged in this frame, before which the log had
    /// this many lines. Keys that copy need no message: what they copy is selected.
    pub(super) fn note_copied(&mut self, ctx: &egui::Context, lines: usize) {
        let is_key = ctx.input(|input| {
            input.events.iter().any(|event| matches!(event, egui::Event::Copy | egui::Event::Cut))
        });
        let copied = ctx.output(|output| {
            output.commands.iter().find_map(|command| {
                if let egui::OutputCommand::CopyText(text) = command {
                    Some(text::first_line(text).to_owned())
                } else {
                    None
                }
            })
        });
        if let Some(text) = copied.filter(|_| !is_key && self.log.count() == lines) {
            self.log.info(format!("Copied: {}", text::shortened(&text, MOST_COPIED)));
        }
    }

    fn take_news(&mut self, news: RunNews) {
        let name = |run: &str| self.runner.name_of(run, &self.editor.document);
        match news {
            RunNews::State { run, state } => {
                let (name, sign) = (name(&run), text::sign(&state));
                let diverged = self.runner.has_diverged(&run, &self.editor.document);
                let record = self.runner.runs.record(&run);
                let end = record.and_then(|record| end_in_words(record, diverged));
                let line = format!("{sign} {name}: {}", end.as_deref().unwrap_or(state.word()));
                match state {
                    RunState::Failed(_) => self.log.error(line),
                    RunState::Done if diverged => self.log.warn(line),
                    RunState::Waiting | RunState::Running | RunState::Stopped | RunState::Done => {
                        self.log.info(line);
                    }
                }
            }
            RunNews::Report { run, summary } => {
                let name = name(&run);
                self.log.warn(format!("{name}: {summary}"));
            }
            RunNews::Elsewhere { run, owner } => {
                let name = name(&run);
                self.log.info(format!(
                    "{name}: already running in another process ({owner}); skipped. If that process is dead, start \
                        again two minutes after its last sign of life"
                ));
            }
            RunNews::Read(count) => self.log_found(count),
            RunNews::ReadMore => self.runner.plan_cost(&self.editor.document),
            // Until the data are known, the runs of the experiment itself seem to have other settings.
            RunNews::Outdated { .. } if self.editor.document.is_looking() => {}
            RunNews::Outdated { all, shown, changed } => {
                self.log_outdated(all - changed.len(), shown);
                for note in outdated_notes(&changed, &[]) {
                    self.log.warn(capitalised(&note));
                }
            }
            RunNews::Over(halted) => {
                let (summary, is_bad) = self.runner.end_summary(&self.editor.document);
                let began = self.runner.end_batch();
                self.shell.keep_awake(false);
                self.shell.notify_end(began, &self.editor.document.title(), &summary);
                if is_bad {
                    self.editor.document.forget_stamps();
                }
                match halted {
                    Some(why) => {
                        let text = format!("{summary}: {why}. What is left waits for Retry");
                        self.log.offer(Tone::Bad, text, vec![NoticeAction::Retry]);
                    }
                    None if is_bad => self.log.warn(summary),
                    None => self.log.info(summary),
                }
                self.runner.plan_cost(&self.editor.document);
            }
        }
    }

    /// Says what was found in the folder of results.
    pub(super) fn log_found(&mut self, count: usize) {
        let results = self.editor.results();
        let (folder, has_file) = (results.display(), self.editor.document.path().is_some());
        let place = if has_file { format!(" in {folder}") } else { String::new() };
        match count {
            0 if has_file => self.log.info(format!("Results will go to {folder}")),
            0 => {}
            count => self.log.info(format!("Found results of {}{place}", text::counted(count, "run"))),
        }
        self.seeks_outdated = true;
        self.runner.plan_cost(&self.editor.document);
    }

    /// Looks for outdated results, once it is known what the runs of the document read.
    pub(super) fn seek_outdated(&mut self, ctx: &egui::Context) {
        if !self.seeks_outdated || self.editor.document.is_looking() {
            return;
        }
        self.seeks_outdated = false;
        for note in outdated_notes(&[], self.editor.document.runs()) {
            self.log.warn(capitalised(&note));
        }
        let results = self.editor.results();
        let (listed, runs) = (self.editor.document.runs(), &mut self.runner.runs);
        let empty =
            listed.iter().filter(|run| runs.record(&run.id).is_none_or(|record| record.points().is_empty()));
        let wanted = empty.map(|run| (run.arm.clone(), run.seed)).collect();
        runs.search(self.runner.worker.search(&results, listed, wanted));
        ctx.request_repaint(); // the next frame takes what is found
    }

    /// Says that the folder of results has runs of other settings.
    fn log_outdated(&mut self, all: usize, shown: usize) {
        if all == 0 {
            return;
        }
        let runs = text::counted(all, "run");
        let use_of_them = if shown == 0 {
            "open the document with their settings to see them".to_owned()
        } else {
            let drawn = if shown == 1 { "is drawn" } else { "are drawn" };
            format!("{shown} {drawn} as \"outdated\" until you run again")
        };
        self.log.info(format!("This folder also has {runs} with other settings; {use_of_them}"));
    }
}
