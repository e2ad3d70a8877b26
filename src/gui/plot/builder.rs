//! The figure of a plot. Small figures are built within the frame, large ones in a thread while the last one stays
//! visible.

use std::sync::Arc;
use std::time::Instant;

use eframe::egui::Context;

use super::figure_view::FigureView;
use super::scene::Scene;
use crate::background::{Latest, pause_after};
use figure::model::Figure;
use figure::plots::{ArmRuns, Plot, campaign_choices};
use figure::view::whole;
use results::campaign::CampaignChoice;
use results::table::Row;
use results::view::{PlotOptions, PlotView};
use results::{arms_of, subject_of};

/// After a failed build, new data trigger another attempt only after this many seconds.
const AGAIN: f64 = 10.0;
/// The figure of records with at most this many points takes a small part of a frame.
const SMALL: usize = 20_000;

/// The inputs whose change rebuilds a figure at once; a new revision does only after a pause.
#[derive(Clone, Debug, PartialEq)]
struct FigureKey {
    options: PlotOptions,
    /// Titles and scales of this one.
    titles: PlotView,
    note: String,
    arms: Vec<ArmKey>,
    /// The subject of a plot of one arm: lines of other arms may have the same names.
    subject: String,
}

impl FigureKey {
    fn new(options: &PlotOptions, titles: PlotView, input: &PlotInput) -> Self {
        let (note, arms, subject) = (input.note(), input.lines(), input.subject.clone());
        Self { options: options.clone(), titles, note, arms, subject }
    }
}

#[derive(Debug)]
pub struct BuiltFigure {
    pub figure: Arc<Figure>,
    /// Of a plot of single faults, the campaigns that can be chosen.
    pub campaigns: Vec<CampaignChoice>,
    /// As in [`PlotInput::stand_in`].
    pub stand_in: String,
    key: FigureKey,
    revision: u64,
    /// The time of the build, and its duration, in seconds.
    at: f64,
    took: f64,
}

#[derive(Debug, Default)]
pub struct Builder {
    built: Option<BuiltFigure>,
    /// The figure that a thread builds, by its inputs and their revision.
    work: Latest<(FigureKey, u64), (BuiltFigure, Scene)>,
    /// The time of its begin, in seconds.
    began: f64,
}

impl Builder {
    pub const fn built(&self) -> Option<&BuiltFigure> {
        self.built.as_ref()
    }

    /// Returns true if a figure is being built in a thread.
    pub const fn is_pending(&self) -> bool {
        self.work.is_busy()
    }

    /// Returns true if it does not show this revision of the records yet.
    pub fn is_behind(&self, revision: u64) -> bool {
        self.is_pending() || self.built.as_ref().is_none_or(|built| built.revision != revision)
    }

    /// Returns why the figure could not be built, once.
    pub fn trouble(&mut self) -> Option<String> {
        self.work.failure()
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
        if let Some((_, (built, scene))) = self.work.take() {
            view.begin(&built.figure, scene);
            self.built = Some(BuiltFigure { at: now, ..built });
        }
        let key = FigureKey::new(options, titles, input);
        let due = |built: &BuiltFigure| built.at + pause_after(built.took);
        if let Some(built) = self.built.as_ref().filter(|built| built.key == key) {
            if built.revision == input.revision {
                return None;
            }
            if now < due(built) {
                return Some(due(built) - now);
            }
        }
        if self.is_pending() {
            return None; // it wakes the window
        }
        // Rebuilds of large figures are throttled: after one that took t, wait t.
        let rested = self.built.as_ref().map_or(now, |built| built.at + built.took);
        if now < rested && input.points() > SMALL {
            return Some(rested - now);
        }
        let fails_again = |(failed, revision): &(FigureKey, u64)| {
            *failed == key && (*revision == input.revision || now < self.began + AGAIN)
        };
        if self.work.failed().is_some_and(fails_again) {
            return None; // it would fail again
        }
        if input.points() > SMALL {
            let (own, own_key, request) = (input.clone(), key.clone(), view.request());
            let work = move || {
                let began = Instant::now();
                let built = build(plot, &own, own_key);
                let scene = Scene::new(&built.figure, request, None);
                Ok((BuiltFigure { took: began.elapsed().as_secs_f64(), ..built }, scene))
            };
            self.began = now;
            if self.work.ask((key.clone(), input.revision), ctx, work) {
                return None;
            }
            self.work.forget(); // without a thread, it is built here
        }
        view.forget_figure();
        self.built = Some(BuiltFigure { at: now, ..build(plot, input, key) });
        None
    }

    /// Returns the last figure, if these are its inputs.
    pub fn current(
        &self,
        options: &PlotOptions,
        titles: PlotView,
        input: &PlotInput,
    ) -> Option<&Arc<Figure>> {
        let built = self.built.as_ref().filter(|built| built.revision == input.revision)?;
        (built.key == FigureKey::new(options, titles, input)).then_some(&built.figure)
    }
}

fn build(plot: &Plot, input: &PlotInput, key: FigureKey) -> BuiltFigure {
    let began = Instant::now();
    let figure = whole(plot, &input.arms, &key.options, &key.titles, &key.note);
    let took = began.elapsed().as_secs_f64();
    let campaigns = if plot.controls.one_arm { campaign_choices(&input.arms) } else { Vec::new() };
    let (figure, stand_in) = (Arc::new(figure), input.stand_in.clone());
    BuiltFigure { figure, campaigns, stand_in, key, revision: input.revision, at: 0.0, took }
}

#[derive(Clone, Debug, Default)]
pub struct PlotInput {
    pub arms: Arc<Vec<ArmRuns>>,
    /// The note about the filter in the figures; empty if all runs pass.
    pub filter: String,
    /// The setting whose values the lines stand for: "grouped by learning rate"; empty for lines of arms.
    pub grouping: String,
    /// A further note about the runs; may be empty.
    pub remark: String,
    /// What an empty plot says instead of how to begin: that runs go on, or why nothing can run; may be empty.
    pub instead: String,
    /// Which run has failed and why, while none goes on; may be empty.
    pub failed: String,
    /// Changes whenever a record changes.
    pub revision: u64,
    pub faults: Option<ListedFaults>,
    /// Of a plot that shows one arm, what it shows: "a, storage int8, seeds 1, 2"; empty for others.
    pub subject: String,
    /// The arms that it shows in place of the selected one, which has no data for it: "b", "2 arms"; mostly empty.
    pub stand_in: String,
}

/// Single faults whose trials are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFaults {
    pub layer: String,
    pub bit: u32,
    /// The name of their campaign: "bits of conv1"; empty for all.
    pub campaign: String,
    /// The runs, by identity; empty if they do not come from a figure.
    pub runs: Vec<String>,
}

pub type ArmKey = (String, usize, Vec<u64>);

impl PlotInput {
    /// Returns the input with these arms, without a remark.
    pub fn new(arms: Vec<ArmRuns>, filter: String, revision: u64) -> Self {
        Self { arms: Arc::new(arms), filter, revision, ..Self::default() }
    }

    /// Returns the part for a plot that shows one arm: the runs that are selected, or all while none of these has data for it.
    pub fn narrowed(&self, plot: &Plot, is_selected: impl Fn(&Row) -> bool) -> Self {
        let subject = |arms: &[ArmRuns]| {
            let runs = arms.iter().flat_map(|arm| arm.runs.iter().zip(&arm.rows));
            let about = runs.filter(|((_, record), _)| plot.concerns(std::iter::once(record)));
            let about: Vec<_> = about.map(|(_, row)| (row.arm_index, row.arm.as_str(), row.seed)).collect();
            (subject_of(about.iter().copied()), arms_of(about))
        };
        let selected = |arm: &ArmRuns| {
            let mut arm = arm.clone();
            let mut rows = arm.rows.iter();
            arm.runs.retain(|_| rows.next().is_some_and(|row| is_selected(row)));
            arm.rows.retain(|row| is_selected(row));
            arm.waiting.retain(|row| is_selected(row));
            arm
        };
        let selected: Vec<ArmRuns> = self.arms.iter().map(selected).collect();
        match subject(&selected) {
            (nothing, _) if nothing.is_empty() => {
                let (subject, stand_in) = subject(&self.arms);
                Self { subject, stand_in, ..self.clone() }
            }
            (subject, _) => Self { arms: Arc::new(selected), subject, ..self.clone() },
        }
    }

    /// Returns the note in the small print of figures: filter and remark.
    pub fn note(&self) -> String {
        let parts = [self.filter.as_str(), self.remark.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// Identifies the lines.
    pub(super) fn lines(&self) -> Vec<ArmKey> {
        let line = |arm: &ArmRuns| {
            let seeds = arm.runs.iter().map(|run| run.0).collect();
            (arm.name.clone(), arm.colour, seeds)
        };
        self.arms.iter().map(line).collect()
    }

    pub(super) fn points(&self) -> usize {
        self.arms.iter().flat_map(|arm| &arm.runs).map(|(_, record)| record.points().len()).sum()
    }
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
        let arm = ArmRuns { runs: vec![(1, record)], ..ArmRuns::default() };
        let input = PlotInput::new(vec![arm], String::new(), 0);
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
