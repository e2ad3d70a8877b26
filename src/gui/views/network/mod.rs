//! The network as a graph of operations: shapes, parameters, remaining weights, and the vulnerability of each layer.

mod graph;

use std::collections::BTreeMap;
use std::sync::Arc;

use eframe::egui::{Context, RichText, ScrollArea, Ui, vec2};

use super::network_at_end::NetworkAtEnd;
use super::offer::{Offer, Offers};
use super::reports::reports_ui;
use super::{Request, Shared, View, ViewEntry, ViewInput};
use crate::form::open_line;
use crate::plot::campaign_choice_ui;
use crate::selection::Selection;
use crate::theme;
use crate::widgets::{Tone, message_ui};
use doc::arch::place_of;
use doc::structure::Misfit;
use doc::{Module, Net, RunSpec, planned};
use figure::network;
use form::check_ranges;
use form::path::Place;
use graph::{Drawing, Marks, table_ui};
use results::network::{LayerSummary, NetworkSummary, Vulnerabilities, Vulnerability, as_begun};
use results::tiles::Group;
use run::summary::{paths, planned_summary};

/// The share of the height that the table has at most; the reports have the rest.
const TABLE: f32 = 0.65;

/// The last contents, for exports.
#[derive(Default)]
pub struct NetworkView {
    drawn: Option<Arc<(Vec<LayerSummary>, Vulnerabilities, String)>>,
    /// The campaigns that give the vulnerability; the first ones where there are none of them.
    campaign: Option<String>,
}

/// The selection for which the network of the experiment is drawn, instead of that of what is selected.
#[derive(Default)]
pub struct ExperimentFor(pub Option<Selection>);

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
    fn ui(&mut self, ui: &mut Ui, input: &ViewInput<'_>, shared: &mut Shared<'_>) -> Option<Request> {
        self.drawn = None;
        let asked = &mut shared.store.of::<ExperimentFor>().0;
        asked.take_if(|selection| selection != input.selection);
        let of_experiment = asked.is_some();
        let network: &mut NetworkAtEnd = shared.store.of();
        let shown = if of_experiment { None } else { network.spec(ui.ctx(), input) };
        let (place, net) = drawn_net(input, of_experiment);
        let planned = Planned::new(input, shown, of_experiment);
        let drawn;
        let (summary, lines, id, arm, title) = if let Some(Planned { spec, id, arm }) = planned {
            let title = as_begun(&arm);
            ui.label(RichText::new(&title).strong())
                .on_hover_text("Remaining and frozen weights appear when the run is done");
            let (summary, misfit) = planned_summary(&spec);
            let lines = Lines::new(ui.ctx(), &spec.net, &place, misfit);
            let wrong = lines.wrong.iter().map(|(_, message)| message.clone());
            for message in wrong.chain(lines.misfit.iter().map(|(misfit, _)| misfit.to_string())) {
                message_ui(ui, Tone::Bad, &message);
            }
            drawn = summary;
            (&drawn, lines, id, arm, title)
        } else {
            let read = network.ui(ui, ENTRY.help, input)?;
            let lines = Lines::new(ui.ctx(), net, &place, None);
            (read.summary, lines, read.source.id, read.arm, read.title)
        };
        let reports = input.runs.record(&id);
        let own = input.selected().filter(|run| run.arm == arm);
        let own = own.filter_map(|run| Some((run.seed, input.runs.record(&run.id)?)));
        let harm = Vulnerabilities::new(&arm, own, self.campaign.as_deref());
        if !harm.subject.is_empty() {
            ui.horizontal(|ui| {
                ui.label(RichText::new(format!("Vulnerability: {}", harm.subject)).small().weak());
                campaign_choice_ui(ui, &harm.campaigns, &mut self.campaign);
            });
        }
        let drawing = lines.drawing(summary, &harm.by_layer);
        let most = vec2(ui.available_width(), TABLE * ui.available_height());
        let clicked = ui.allocate_ui(most, |ui| table_ui(ui, &drawing)).inner;
        ui.add_space(2.0 * theme::STEP);
        ScrollArea::vertical().id_salt("reports").auto_shrink(false).show(ui, |ui| reports_ui(ui, reports));
        self.drawn = Some(Arc::new((summary.layers.clone(), harm, title)));
        // The input has no line; that of a layer that does not fit is the last one.
        clicked.and_then(|position| lines.places.get(position.checked_sub(1)?).cloned()).map(Request::Edit)
    }

    fn offers(&self) -> Offers {
        let Some(drawn) = self.drawn.clone() else { return Offers::Later("Network shows nothing yet") };
        let make = move || network::layers(&drawn.0, &drawn.1, &drawn.2);
        Offers::Figure(Offer::new("layers".to_owned(), "remaining weights of the layers".to_owned(), make))
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
    /// Returns the network to draw instead of that of a run, whose settings are given with whether they are outdated:
    /// while there is no such run, or it had another network.
    fn new(input: &ViewInput<'_>, shown: Option<(Arc<RunSpec>, bool)>, of_experiment: bool) -> Option<Self> {
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

    /// Returns the network of the document where its runs are those before an edit, or where no arm is selected. Sweeps
    /// have several networks.
    fn edited(input: &ViewInput<'_>, of_experiment: bool) -> Option<Self> {
        let experiment = input.experiment;
        let index = input.selection.arm().filter(|_| !of_experiment);
        if index.is_some() && !input.is_behind {
            return None;
        }
        let arm = index.and_then(|index| experiment.arms.get(index));
        let mut sweeps = experiment.sweep.0.keys().chain(arm.into_iter().flat_map(|arm| arm.sweep.0.keys()));
        if index.is_some() && sweeps.any(|path| path.starts_with("net")) {
            return None;
        }
        let arm = arm.map_or_else(|| "experiment".to_owned(), |arm| arm.name.clone());
        Some(Self { spec: Arc::new(planned(experiment, index)), id: String::new(), arm })
    }
}

/// Returns the network that is drawn with its place in the document: that of the selected arm, or the one that it inherits.
fn drawn_net<'a>(input: &ViewInput<'a>, of_experiment: bool) -> (Place, &'a Net) {
    let (experiment, root) = (input.experiment, Place::default());
    let arm = input.selection.arm().filter(|_| !of_experiment);
    match arm.and_then(|arm| Some((arm, experiment.arms.get(arm)?.net.as_ref()?))) {
        Some((arm, net)) => (root.key("arms").index(arm).key("net"), net),
        None => (root.key("net"), &experiment.net),
    }
}

/// The lines of the editor for the operations of a network.
#[derive(Default)]
struct Lines {
    /// The line of each operation after the input; empty where the network is no list.
    paths: Vec<Vec<usize>>,
    /// The places of these lines.
    places: Vec<Place>,
    open: Vec<usize>,
    /// Places of settings out of range, and what is wrong with them.
    wrong: Vec<(Place, String)>,
    /// The layer that does not fit: its line, what it is, and what is wrong.
    misfit: Option<(Misfit, String)>,
}

impl Lines {
    /// Returns the lines of a network at a place of the document.
    pub fn new(ctx: &Context, net: &Net, place: &Place, misfit: Option<Misfit>) -> Self {
        let wrong = check_ranges(&mut net.clone()).into_iter();
        let inside = |inner: Place| Place([place.0.clone(), inner.0].concat());
        let wrong = wrong.map(|problem| (inside(problem.place), problem.message)).collect();
        let Some(layers) = net.rule().written() else {
            let misfit = misfit.map(|misfit| (misfit, "This layer does not fit".to_owned()));
            return Self { wrong, misfit, ..Self::default() };
        };
        let of_net = place.variant(net.key());
        let paths = paths(layers);
        let places = paths.iter().map(|path| place_of(&of_net, layers, path)).collect();
        let open = open_path(ctx, of_net.key("layers"), layers);
        let what = |misfit: &Misfit| layer_at(layers, &misfit.path).map_or_else(String::new, Module::words);
        let misfit = misfit.map(|misfit| (misfit.clone(), what(&misfit)));
        Self { paths, places, open, wrong, misfit }
    }

    /// Returns the network with the marks of its blocks. Its operations are those of the lines, or the first ones of
    /// them.
    pub fn drawing<'a>(
        &self,
        summary: &'a NetworkSummary,
        harm: &'a BTreeMap<String, Vulnerability>,
    ) -> Drawing<'a> {
        let (count, all) = (summary.chain.len(), self.paths.len() + 1);
        let misfit = self.misfit.clone().map(|(misfit, what)| (what, misfit.message));
        if count > all || count < all && misfit.is_none() {
            return Drawing { summary, harm, misfit, marks: Vec::new() }; // lines of another network
        }
        // What is wrong with the end of the network is about its last layer, which is drawn.
        let is_at_end = misfit.is_some() && count == all;
        let misfit = misfit.filter(|_| !is_at_end);
        let mark = |(path, place): (&Vec<usize>, &Place)| Marks {
            is_open: !self.open.is_empty() && path.starts_with(&self.open),
            is_wrong: self.wrong.iter().any(|(wrong, _)| wrong.0.starts_with(&place.0)),
            leads: true,
        };
        let mut marks: Vec<Marks> = self.paths.iter().zip(&self.places).map(mark).collect();
        marks.insert(0, Marks::default());
        if is_at_end && let Some(last) = marks.last_mut() {
            last.is_wrong = true;
        }
        if let (Some((failed, _)), Some(mark)) = (&self.misfit, marks.get_mut(count)) {
            mark.is_open = failed.path == self.open;
        }
        Drawing { summary, harm, misfit, marks }
    }
}

/// Returns the open line of a list: its position, then that in the body of an open block, and so on.
fn open_path(ctx: &Context, mut list: Place, mut layers: &[Module]) -> Vec<usize> {
    let mut path = Vec::new();
    while let Some(open) = open_line(ctx, &list).filter(|open| *open < layers.len()) {
        path.push(open);
        let Module::Residual(block) = &layers[open] else { break };
        list = list.index(open).variant(layers[open].key()).key("body");
        layers = &block.body;
    }
    path
}

fn layer_at<'a>(mut layers: &'a [Module], path: &[usize]) -> Option<&'a Module> {
    let (last, blocks) = path.split_last()?;
    for block in blocks {
        let Module::Residual(residual) = layers.get(*block)? else { return None };
        layers = &residual.body;
    }
    layers.get(*last)
}
