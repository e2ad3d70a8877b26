//! The figure of a plot. Small figures are built within the frame, large ones in a thread while the last one stays
//! visible.

use std::sync::Arc;
use std::time::Instant;

use eframe::egui::Context;

use super::figure_view::FigureView;
use super::input::{ArmKey, PlotInput};
use super::scene::{Scene, SceneRequest};
use crate::background::{BackgroundTask, TaskState};
use figure::model::Figure;
use figure::plots::Plot;
use figure::view::whole;
use results::view::{PlotOptions, PlotView};

/// Rebuilds are throttled while runs are in progress: at most once in `PAUSE` seconds, and at most `SHARE` of the time.
pub const PAUSE: f64 = 0.1;
pub const SHARE: f64 = 0.15;
/// After a failed build, new data trigger another attempt only after this many seconds.
const AGAIN: f64 = 10.0;
/// The figure of records with at most this many points takes a small part of a frame.
const SMALL: usize = 20_000;

/// The inputs whose change rebuilds a figure at once; a new revision does only after a pause.
#[derive(Clone, Debug, PartialEq)]
struct FigureKey {
    /// The options of all plots.
    options: PlotOptions,
    /// Titles and scales of this one.
    titles: PlotView,
    /// The note about the runs.
    note: String,
    /// Names, colours and seeds.
    arms: Vec<ArmKey>,
    /// What a plot of one arm shows: lines of other arms may have the same names.
    subject: String,
}

impl FigureKey {
    fn of(options: &PlotOptions, titles: PlotView, input: &PlotInput) -> Self {
        let (note, arms, subject) = (input.note(), input.lines(), input.subject.clone());
        Self { options: options.clone(), titles, note, arms, subject }
    }
}

/// A figure with its inputs.
#[derive(Debug)]
pub struct BuiltFigure {
    /// As it is drawn.
    pub figure: Arc<Figure>,
    /// Whether it has data.
    pub has_data: bool,
    key: FigureKey,
    revision: u64,
    /// The time of the build, and its duration, in seconds.
    at: f64,
    took: f64,
}

/// The figure of one plot.
#[derive(Debug, Default)]
pub struct Builder {
    built: Option<BuiltFigure>,
    pending: Option<PendingFigure>,
    failed: Option<FailedFigure>,
}

/// A figure that a thread builds.
#[derive(Debug)]
struct PendingFigure {
    key: FigureKey,
    revision: u64,
    figure: BackgroundTask<(BuiltFigure, Scene)>,
}

/// A figure that a thread could not build.
#[derive(Debug)]
struct FailedFigure {
    key: FigureKey,
    revision: u64,
    /// The time of the failure, in seconds.
    at: f64,
    /// Why, until it is reported.
    why: Option<String>,
}

impl Builder {
    /// The last figure.
    pub const fn built(&self) -> Option<&BuiltFigure> {
        self.built.as_ref()
    }

    /// Whether a figure is being built in a thread.
    pub const fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Whether it does not show this revision of the records yet.
    pub fn is_behind(&self, revision: u64) -> bool {
        self.is_pending() || self.built.as_ref().is_none_or(|built| built.revision != revision)
    }

    /// Why the figure could not be built; reported once.
    pub fn trouble(&mut self) -> Option<String> {
        self.failed.as_mut()?.why.take()
    }

    /// Rebuilds the figure if it is outdated. `now` in seconds; returns the seconds until the next update if the figure is
    /// still older than the data.
    pub fn update(
        &mut self,
        plot: &'static Plot,
        (options, titles): (&PlotOptions, PlotView),
        input: &PlotInput,
        view: &mut FigureView,
        (ctx, now): (&Context, f64),
    ) -> Option<f64> {
        self.take(view, now);
        let key = FigureKey::of(options, titles, input);
        let due = |built: &BuiltFigure| built.at + f64::max(PAUSE, built.took / SHARE);
        if let Some(built) = self.built.as_ref().filter(|built| built.key == key) {
            if built.revision == input.revision {
                return None;
            }
            if now < due(built) {
                return Some(due(built) - now);
            }
        }
        if self.pending.is_some() {
            return None; // it wakes the window
        }
        // Rebuilds of large figures are throttled: after one that took t, wait t.
        let rested = self.built.as_ref().map_or(now, |built| built.at + built.took);
        if now < rested && input.points() > SMALL {
            return Some(rested - now);
        }
        let fails_again = |failed: &FailedFigure| {
            failed.key == key && (failed.revision == input.revision || now < failed.at + AGAIN)
        };
        if self.failed.as_ref().is_some_and(fails_again) {
            return None; // it would fail again
        }
        if input.points() > SMALL && self.begin(plot, input, &key, view.request(), ctx) {
            return None;
        }
        view.forget_figure();
        self.built = Some(BuiltFigure { at: now, ..build(plot, input, key) });
        None
    }

    /// The last figure, if these are its inputs.
    pub fn current(
        &self,
        options: &PlotOptions,
        titles: PlotView,
        input: &PlotInput,
    ) -> Option<&Arc<Figure>> {
        let built = self.built.as_ref().filter(|built| built.revision == input.revision)?;
        (built.key == FigureKey::of(options, titles, input)).then_some(&built.figure)
    }

    /// Takes the figure that a thread has built.
    fn take(&mut self, view: &mut FigureView, now: f64) {
        let Some(pending) = self.pending.take() else { return };
        match pending.figure.take() {
            TaskState::Running => self.pending = Some(pending),
            TaskState::Done((built, scene)) => {
                view.begin(&built.figure, scene);
                self.built = Some(BuiltFigure { at: now, ..built });
                self.failed = None;
            }
            TaskState::Failed(why) => {
                let PendingFigure { key, revision, .. } = pending;
                self.failed = Some(FailedFigure { key, revision, at: now, why: Some(why) });
            }
        }
    }

    /// Builds in a thread; returns whether the system gave one.
    fn begin(
        &mut self,
        plot: &'static Plot,
        input: &PlotInput,
        key: &FigureKey,
        request: SceneRequest,
        ctx: &Context,
    ) -> bool {
        let (own, own_key) = (input.clone(), key.clone());
        let work = move || {
            let began = Instant::now();
            let built = build(plot, &own, own_key);
            let scene = Scene::of(&built.figure, request, None);
            (BuiltFigure { took: began.elapsed().as_secs_f64(), ..built }, scene)
        };
        let figure = BackgroundTask::begin("figure", ctx, work);
        let (key, revision) = (key.clone(), input.revision);
        self.pending = figure.map(|figure| PendingFigure { key, revision, figure });
        self.pending.is_some()
    }
}

fn build(plot: &Plot, input: &PlotInput, key: FigureKey) -> BuiltFigure {
    let began = Instant::now();
    let arms = input.borrowed();
    let figure = whole(plot, &arms, &key.options, &key.titles, &key.note);
    let has_data = figure.has_data();
    let took = began.elapsed().as_secs_f64();
    BuiltFigure { figure: Arc::new(figure), has_data, key, revision: input.revision, at: 0.0, took }
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::plots::ArmRuns;
    use figure::plots::testing::{at, record};

    static BROKEN: Plot = Plot { build: |_, _| panic!("on purpose"), ..Plot::BASE };

    #[test]
    fn a_figure_that_cannot_be_built_is_told_once_and_not_tried_again() {
        let record = record((0..=SMALL).map(|_| at("test_accuracy", 1.0, 0.5)));
        let arms = [ArmRuns { runs: vec![(1, &record)], ..ArmRuns::default() }];
        let input = PlotInput::new(&arms, String::new(), 0);
        let (mut builder, mut view) = (Builder::default(), FigureView::default());
        let (options, ctx) = (PlotOptions::default(), Context::default());
        let mut update = |builder: &mut Builder, input: &PlotInput, now: f64| {
            builder.update(&BROKEN, (&options, PlotView::default()), input, &mut view, (&ctx, now));
        };
        update(&mut builder, &input, 0.0);
        assert!(builder.is_pending());
        while builder.is_pending() {
            update(&mut builder, &input, 0.0);
            std::thread::yield_now();
        }
        assert_eq!(builder.trouble().as_deref(), Some("on purpose"));
        assert_eq!(builder.trouble(), None);
        update(&mut builder, &input, 100.0);
        assert!(!builder.is_pending(), "it would end the same way");
        let newer = PlotInput { revision: 1, ..input };
        update(&mut builder, &newer, AGAIN / 2.0);
        assert!(!builder.is_pending(), "too early");
        update(&mut builder, &newer, AGAIN);
        assert!(builder.is_pending(), "other data may do");
    }
}
