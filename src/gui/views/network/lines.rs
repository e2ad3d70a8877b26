//! The lines of the editor that the blocks of a network belong to, where it is a list of layers.

use std::collections::BTreeMap;

use eframe::egui::Context;

use super::graph::Marks;
use super::table::Drawing;
use crate::form::open_line;
use doc::arch::place_of;
use doc::structure::Misfit;
use doc::{Module, Net};
use form::check_ranges;
use form::path::Place;
use results::network::{NetworkSummary, Vulnerability};
use run::summary::paths;

/// What the editor knows about the operations of a network.
#[derive(Default)]
pub(super) struct Lines {
    /// The line of each operation after the input; empty where the network is no list.
    paths: Vec<Vec<usize>>,
    /// The places of these lines.
    places: Vec<Place>,
    /// The open line.
    open: Vec<usize>,
    /// Places of settings out of range, and what is wrong with them.
    wrong: Vec<(Place, String)>,
    /// The layer that does not fit: its line, what it is, and what is wrong.
    misfit: Option<(Misfit, String)>,
}

impl Lines {
    /// The lines of a network at a place of the document.
    pub fn of(ctx: &Context, net: &Net, place: &Place, misfit: Option<Misfit>) -> Self {
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
        let misfit = misfit.map(|misfit| {
            let what = layer_at(layers, &misfit.path).map_or_else(String::new, Module::words);
            (misfit, what)
        });
        Self { paths, places, open, wrong, misfit }
    }

    /// What is wrong with the network.
    pub fn messages(&self) -> Vec<String> {
        let wrong = self.wrong.iter().map(|(_, message)| message.clone());
        wrong.chain(self.misfit.iter().map(|(misfit, _)| misfit.to_string())).collect()
    }

    /// The network with the marks of its blocks. Its operations are those of the lines, or the first ones of them.
    pub fn drawing<'a>(
        &self,
        summary: &'a NetworkSummary,
        harm: &'a BTreeMap<String, Vulnerability>,
    ) -> Drawing<'a> {
        let count = summary.chain.len();
        let is_cut = self.misfit.is_some();
        if !self.fits(count) {
            let misfit = self.misfit.clone().map(|(misfit, what)| (what, misfit.message));
            return Drawing { summary, harm, misfit, marks: Vec::new() };
        }
        // What is wrong with the end of the network is about its last layer, which is drawn.
        let is_at_end = is_cut && self.paths.len() + 1 == count;
        let misfit = self.misfit.clone().filter(|_| !is_at_end).map(|(misfit, what)| (what, misfit.message));
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

    /// The line of the operation at a position, or of the layer that does not fit.
    pub fn place(&self, position: usize) -> Option<Place> {
        self.places.get(position.checked_sub(1)?).cloned()
    }

    /// Whether these are the lines of a network with so many operations.
    fn fits(&self, count: usize) -> bool {
        let all = self.paths.len() + 1;
        if self.misfit.is_some() { count <= all } else { count == all }
    }
}

/// The open line of a list: its position, then that in the body of an open block, and so on.
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

/// The layer at a path.
fn layer_at<'a>(mut layers: &'a [Module], path: &[usize]) -> Option<&'a Module> {
    let (last, blocks) = path.split_last()?;
    for block in blocks {
        let Module::Residual(residual) = layers.get(*block)? else { return None };
        layers = &residual.body;
    }
    layers.get(*last)
}
