//! The figure of a plot as it was built last. Small ones are built in the frame that needs them, large ones in a thread,
//! and until those are there the last one is shown.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Instant;

use eframe::egui::Context;

use super::figure_view::FigureView;
use super::look::{Look, Wish};
use super::panel::PlotInput;
use crate::doc::RunRecord;
use crate::figure::model::Figure;
use crate::figure::plots::{ArmRuns, Plot, PlotOptions};
use crate::figure::table::Row;
use crate::figure::view::{PlotView, whole};

/// While runs go on, figures are built at most this often, in seconds; where building takes long, at most this share of
/// the time is spent on it.
pub const PAUSE: f64 = 0.1;
pub const SHARE: f64 = 0.15;
/// Records with up to so many points are built in a small part of a frame.
const SMALL: usize = 20_000;

/// What makes another figure at once; a new revision only after a pause.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What a person chose about the plots.
    pub options: PlotOptions,
    /// What a person chose about this one.
    pub titles: PlotView,
    /// What it says of the filter.
    pub filter: String,
    /// Names, colours and seeds.
    pub arms: Vec<(String, usize, Vec<u64>)>,
}

impl Cause {
    fn of(options: &PlotOptions, titles: PlotView, input: &PlotInput<'_>) -> Self {
        Self {
            options: options.clone(),
            titles,
            filter: input.filter.to_owned(),
            arms: input.arms.iter().map(told).collect(),
        }
    }
}

/// A figure, and what it was built from.
#[derive(Debug)]
pub struct Built {
    /// As it is drawn.
    pub figure: Arc<Figure>,
    /// Whether there is anything to see.
    pub has_data: bool,
    cause: Cause,
    revision: u64,
    /// When, and for how long, in seconds.
    at: f64,
    took: f64,
}

/// The figure of one plot.
#[derive(Debug, Default)]
pub struct Builder {
    built: Option<Built>,
    going: Option<Receiver<(Built, Look)>>,
}

/// An arm of which records and rows are copies.
struct OwnArm {
    name: String,
    colour: usize,
    runs: Vec<(u64, RunRecord)>,
    rows: Vec<Row>,
}

impl Builder {
    /// What was built last.
    #[must_use]
    pub const fn built(&self) -> Option<&Built> {
        self.built.as_ref()
    }

    /// Whether a figure is being built in a thread.
    #[must_use]
    pub const fn is_going(&self) -> bool {
        self.going.is_some()
    }

    /// Whether it does not show this revision of the records yet.
    #[must_use]
    pub fn is_behind(&self, revision: u64) -> bool {
        self.is_going() || self.built.as_ref().is_none_or(|built| built.revision != revision)
    }

    /// Builds the figure anew where it is out of date. `now` in seconds; returns the time after which to look again,
    /// where the figure is behind the data.
    pub fn update(
        &mut self,
        plot: &'static dyn Plot,
        (options, titles): (&PlotOptions, PlotView),
        input: &PlotInput<'_>,
        view: &mut FigureView,
        (ctx, now): (&Context, f64),
    ) -> Option<f64> {
        self.take(view, now);
        let cause = Cause::of(options, titles, input);
        let due = |built: &Built| built.at + f64::max(PAUSE, built.took / SHARE);
        if let Some(built) = self.built.as_ref().filter(|built| built.cause == cause) {
            if built.revision == input.revision {
                return None;
            }
            if now < due(built) {
                return Some(due(built) - now);
            }
        }
        if self.going.is_some() {
            return None; // it wakes the window
        }
        if points(input.arms) > SMALL && self.begin(plot, input, &cause, view.wish(), ctx) {
            return None;
        }
        view.forget_figure();
        self.built = Some(Built { at: now, ..build(plot, input.arms, cause, input.revision) });
        None
    }

    /// Builds the figure anew where it is out of date, and waits for it: what is exported is what there is.
    pub fn build_now(
        &mut self,
        plot: &'static dyn Plot,
        (options, titles): (&PlotOptions, PlotView),
        input: &PlotInput<'_>,
        view: &mut FigureView,
        now: f64,
    ) {
        let cause = Cause::of(options, titles, input);
        let is_new = |built: &Built| built.cause == cause && built.revision == input.revision;
        if !self.built.as_ref().is_some_and(is_new) {
            view.forget_figure();
            self.going = None;
            self.built = Some(Built { at: now, ..build(plot, input.arms, cause, input.revision) });
        }
    }

    /// Takes what a thread has built.
    fn take(&mut self, view: &mut FigureView, now: f64) {
        match self.going.as_ref().map(Receiver::try_recv) {
            Some(Ok((built, look))) => {
                view.begin(look);
                self.built = Some(Built { at: now, ..built });
                self.going = None;
            }
            Some(Err(TryRecvError::Disconnected)) => self.going = None,
            Some(Err(TryRecvError::Empty)) | None => {}
        }
    }

    /// Builds in a thread; whether there is one.
    fn begin(
        &mut self,
        plot: &'static dyn Plot,
        input: &PlotInput<'_>,
        cause: &Cause,
        wish: Wish,
        ctx: &Context,
    ) -> bool {
        let own = |arm: &ArmRuns<'_>| OwnArm {
            name: arm.name.clone(),
            colour: arm.colour,
            runs: arm.runs.iter().map(|(seed, record)| (*seed, (*record).clone())).collect(),
            rows: arm.rows.iter().map(|row| (*row).clone()).collect(),
        };
        let arms: Vec<OwnArm> = input.arms.iter().map(own).collect();
        let (cause, revision, ctx) = (cause.clone(), input.revision, ctx.clone());
        let (sender, built) = sync_channel(1);
        let work = move || {
            let began = Instant::now();
            let arms: Vec<ArmRuns<'_>> = arms.iter().map(borrowed).collect();
            let built = build(plot, &arms, cause, revision);
            let look = Look::of(&built.figure, wish, None);
            let took = began.elapsed().as_secs_f64();
            let _ = sender.try_send((Built { took, ..built }, look)); // nobody waits when the window is gone
            ctx.request_repaint();
        };
        let thread = std::thread::Builder::new().name("figure".to_owned());
        self.going = thread.spawn(work).is_ok().then_some(built);
        self.going.is_some()
    }
}

fn told(arm: &ArmRuns<'_>) -> (String, usize, Vec<u64>) {
    (arm.name.clone(), arm.colour, arm.runs.iter().map(|run| run.0).collect())
}

fn borrowed(arm: &OwnArm) -> ArmRuns<'_> {
    let runs = arm.runs.iter().map(|(seed, record)| (*seed, record)).collect();
    ArmRuns { name: arm.name.clone(), colour: arm.colour, runs, rows: arm.rows.iter().collect() }
}

fn points(arms: &[ArmRuns<'_>]) -> usize {
    arms.iter().flat_map(|arm| &arm.runs).map(|(_, record)| record.points().len()).sum()
}

fn build(plot: &dyn Plot, arms: &[ArmRuns<'_>], cause: Cause, revision: u64) -> Built {
    let began = Instant::now();
    let figure = whole(plot, arms, &cause.options, &cause.titles, &cause.filter);
    let has_data = figure.has_data();
    let took = began.elapsed().as_secs_f64();
    Built { figure: Arc::new(figure), has_data, cause, revision, at: 0.0, took }
}
