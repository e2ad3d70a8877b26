//! The network as a graph of operations: shapes, parameters, remaining weights, and the vulnerability of each layer.

mod graph;
mod lines;
mod table;

use std::sync::Arc;

use eframe::egui::{RichText, Ui};

use super::offer::{Offer, Offers};
use super::reports::reports_ui;
use super::{Shared, View, ViewEntry, ViewInput, ViewResponse};
use crate::plot::stage_choice_ui;
use crate::selection::Selection;
use crate::widgets::{Tone, message_ui};
use doc::{Experiment, Net, RunSpec, planned};
use figure::network;
use form::path::{Place, Segment};
use lines::Lines;
use results::network::{LayerSummary, Vulnerabilities, as_begun};
use results::tiles::Group;
use run::summary::planned_summary;
use table::table_ui;

/// The last contents, for exports.
#[derive(Default)]
pub struct NetworkView {
    drawn: Option<(Vec<LayerSummary>, Vulnerabilities, String)>,
    /// The stage whose campaigns give the vulnerability; the first one where there is none of them.
    stage: Option<String>,
}

/// The view in the registry.
pub const ENTRY: ViewEntry = ViewEntry {
    name: "network",
    title: "Network",
    group: Group::Weights,
    help: "The network of the selected arm or run from its input to its logits, before a run and after it, with the \
           shortcuts of residual blocks as arrows at the left, or beside the operations of a projection. Edits are drawn at \
           once, up to the first layer that does not fit; a click on a block of a list of layers opens its line in the \
           inspector. Each row is an operation with the shape of its output, its parameters, the share of its \
           weights that remain after pruning, and the multiply-adds of the surviving weights; a layer with 0 % \
           remaining cuts the network in two. Vulnerability is the share of images that get another class under \
           a single fault in the layer; it needs a Campaign with one fault per trial. Remaining and frozen weights \
           need a run that is done; where the networks after each training are kept, the slider at the top goes \
           through the rounds, also while the run goes on. The reports of the stages follow below, such as \
           \u{201c}Pruned or frozen weights: bit-identical\u{201d}.",
    make: || Box::<NetworkView>::default(),
};

impl View for NetworkView {
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<ViewResponse> {
        self.drawn = None;
        let of_experiment = is_of_experiment(input, shared.experiment_for);
        let shown = if of_experiment { None } else { shared.network.spec(ui.ctx(), input) };
        let place = place_of_net(input, of_experiment);
        let planned = Planned::of(input, shown, of_experiment);
        let drawn;
        let (summary, lines, id, arm, title) = if let Some(Planned { spec, id, arm }) = planned {
            let title = as_begun(&arm);
            ui.label(RichText::new(&title).strong())
                .on_hover_text("Remaining and frozen weights appear when the run is done");
            let (summary, misfit) = planned_summary(&spec);
            let lines = Lines::of(ui.ctx(), &spec.net, &place, misfit);
            for message in lines.messages() {
                message_ui(ui, Tone::Bad, &message);
            }
            drawn = summary;
            (&drawn, lines, id, arm, title)
        } else {
            let net = net_at(input.experiment, &place).clone();
            let read = shared.network.ui(ui, ENTRY.help, input)?;
            let lines = Lines::of(ui.ctx(), &net, &place, None);
            (read.summary, lines, read.source.id, read.arm, read.title)
        };
        let reports = input.runs.record(&id);
        let harm = vulnerabilities(input, &arm, self.stage.as_deref());
        if !harm.subject.is_empty() {
            ui.horizontal(|ui| {
                ui.label(RichText::new(format!("Vulnerability: {}", harm.subject)).small().weak());
                if harm.stages.len() > 1 {
                    stage_choice_ui(ui, &harm.stages, &mut self.stage);
                }
            });
        }
        let drawing = lines.drawing(summary, &harm.by_layer);
        let clicked = table_ui(ui, &drawing, |ui, space| {
            // The table may be wider than the view, the reports are not.
            ui.scope(|ui| {
                ui.set_max_width(space);
                reports_ui(ui, reports);
            });
        });
        self.drawn = Some((summary.layers.clone(), harm, title));
        clicked.and_then(|position| lines.place(position)).map(ViewResponse::Edit)
    }

    fn offers(&self) -> Offers {
        match self.drawn {
            Some(_) => Offers::Figure,
            None => Offers::Later("Network shows nothing yet"),
        }
    }

    fn offer(&self) -> Option<Offer> {
        let (layers, harm, of) = self.drawn.clone()?;
        let make = move || network::layers(&layers, &harm, &of);
        Some(Offer::new("layers".to_owned(), "remaining weights of the layers".to_owned(), make))
    }
}

/// A network that no run has, as the document has it.
struct Planned {
    spec: Arc<RunSpec>,
    /// Its run; empty where it has none yet.
    id: String,
    arm: String,
}

impl Planned {
    /// The network to draw instead of that of a run, whose settings are given with whether they are outdated: while there
    /// is no such run, or it had another network.
    fn of(input: &ViewInput<'_>, shown: Option<(Arc<RunSpec>, bool)>, of_experiment: bool) -> Option<Self> {
        let edited = Self::edited(input, of_experiment);
        let is_edited = edited.is_some();
        let planned = edited.or_else(|| {
            let run = input.selected().next()?;
            Some(Self { spec: run.spec.clone(), id: run.id.clone(), arm: run.arm.clone() })
        })?;
        let is_current = shown.is_some_and(|(spec, is_outdated)| {
            let is_same = spec.net == planned.spec.net && spec.data == planned.spec.data;
            is_same || !(is_outdated || is_edited)
        });
        (!is_current).then_some(planned)
    }

    /// The network of the document where its runs are those before an edit, or where no arm is selected. Sweeps have
    /// several networks.
    fn edited(input: &ViewInput<'_>, of_experiment: bool) -> Option<Self> {
        let experiment = input.experiment;
        let index = input.selection.arm().filter(|_| !of_experiment);
        if index.is_some() && !input.is_behind {
            return None;
        }
        let arm = index.and_then(|index| experiment.arms.get(index));
        let sweeps = experiment.sweep.0.keys().chain(arm.into_iter().flat_map(|arm| arm.sweep.0.keys()));
        let (spec, is_swept) =
            (planned(experiment, index), sweeps.clone().any(|path| path.starts_with("net")));
        if index.is_some() && is_swept {
            return None;
        }
        let arm = arm.map_or_else(|| "experiment".to_owned(), |arm| arm.name.clone());
        Some(Self { spec: Arc::new(spec), id: String::new(), arm })
    }
}

/// Whether the network of the experiment was asked for since something was selected.
fn is_of_experiment(input: &ViewInput<'_>, asked: &mut Option<Selection>) -> bool {
    if asked.as_ref().is_some_and(|selection| selection != input.selection) {
        *asked = None;
    }
    asked.is_some()
}

/// The place in the document of the network that is drawn: that of the selected arm, or the one that it inherits.
fn place_of_net(input: &ViewInput<'_>, of_experiment: bool) -> Place {
    let root = Place::default();
    let arm = input.selection.arm().filter(|_| !of_experiment);
    let own = arm.filter(|arm| input.experiment.arms.get(*arm).is_some_and(|arm| arm.net.is_some()));
    own.map_or_else(|| root.key("net"), |arm| root.key("arms").index(arm).key("net"))
}

/// The network at such a place.
fn net_at<'a>(experiment: &'a Experiment, place: &Place) -> &'a Net {
    let arm = place.0.iter().find_map(|segment| match segment {
        Segment::Index(arm) => experiment.arms.get(*arm),
        Segment::Key(_) | Segment::Variant(_) => None,
    });
    arm.and_then(|arm| arm.net.as_ref()).unwrap_or(&experiment.net)
}

/// Vulnerability by the campaigns of a stage, of the selected run, or of the selected runs with the setting of the shown
/// network, which is the `arm` with its swept values.
fn vulnerabilities(input: &ViewInput<'_>, arm: &str, stage: Option<&str>) -> Vulnerabilities {
    let own = input.selected().filter(|run| run.arm == arm);
    Vulnerabilities::of(arm, own.filter_map(|run| Some((run.seed, input.runs.record(&run.id)?))), stage)
}
