//! Computes the scene of a figure: within the frame if the figure is small, in a thread if it is large.

use std::sync::Arc;

use eframe::egui::{Context, Rect, Ui};

use super::FigureView;
use crate::plot::navigate::View;
use crate::plot::painter::{Layer, texts};
use crate::plot::scene::{Analysis, EM, MeshKey, PlotMesh, PlotViewport, Scene, SceneRequest, is_large};
use figure::legend::{Sample, samples};
use figure::model::{Figure, FigureLook};
use figure::scene::Id;
use results::view::BandChoice;

impl FigureView {
    /// Updates what is kept between frames; returns the places that show all visible data.
    pub(super) fn prepare(&mut self, figure: &Arc<Figure>, ctx: &Context) -> View {
        if let Some(((of, _), scene)) = self.work.take()
            && Arc::ptr_eq(figure, &of)
        {
            self.take(scene);
        }
        if !self.is_kept(figure) && !self.ask(figure, ctx) {
            self.kept = Some(Arc::new(Analysis::new(figure, &self.request())));
            (self.refits, self.mesh) = (false, None);
        }
        self.kept.as_ref().map_or([[0.0, 1.0]; 2], |kept| kept.fit)
    }

    fn is_kept(&self, figure: &Figure) -> bool {
        let holds = |kept: &Analysis| {
            kept.hidden == self.hidden && kept.look.intervals(figure) == self.look().intervals(figure)
        };
        !self.refits && self.kept.as_deref().is_some_and(holds)
    }

    pub(super) fn take(&mut self, scene: Scene) {
        // A zoomed part needs no other fit.
        self.refits = self.zoom.is_none() && scene.request.chosen != self.chosen;
        (self.kept, self.mesh) = (Some(scene.kept), scene.mesh);
    }

    /// Asks a thread for the scene of a large figure; returns whether the last one stays until then.
    fn ask(&mut self, figure: &Arc<Figure>, ctx: &Context) -> bool {
        if self.kept.is_none() || self.mesh.is_none() || !is_large(figure) {
            return false;
        }
        if self.work.is_busy() {
            return true;
        }
        let request = SceneRequest { zoom: self.zoom, ..self.request() };
        if self.work.failed().is_some_and(|(_, failed)| *failed == request) {
            return true; // it would fail again
        }
        let kept = self.kept.clone().filter(|_| self.is_kept(figure));
        let (of, asked) = (figure.clone(), request.clone());
        let began = self.work.ask((figure.clone(), request), ctx, move || Ok(Scene::new(&of, asked, kept)));
        if !began {
            self.work.forget(); // without a thread, it is computed here
        }
        began
    }

    /// Paints the data of a part of the figure into its frame, with the texts on them.
    pub(super) fn paint_data(&mut self, ui: &Ui, figure: &Arc<Figure>, view: View, frame: Rect) {
        let painter = ui.painter().with_clip_rect(frame.intersect(ui.clip_rect()));
        let around = ui.painter().with_clip_rect(frame.expand(EM as f32).intersect(ui.clip_rect()));
        let viewport = PlotViewport {
            highlighted: self.highlighted.clone(),
            look: self.look(),
            ..PlotViewport::new(ui, frame, self.around.plots)
        };
        for layer in self.layers(figure, ui.ctx(), view, viewport) {
            layer.paint(&painter, &around);
        }
        if let Some(mesh) = &self.mesh {
            texts(&painter, &mesh.items);
        }
    }

    /// Returns the layers of the visible part; those of a large figure may be the last ones, moved, until a thread has new
    /// ones.
    fn layers(
        &mut self,
        figure: &Arc<Figure>,
        ctx: &Context,
        view: View,
        viewport: PlotViewport,
    ) -> Vec<Layer> {
        let key = MeshKey { viewport: viewport.clone(), view, hidden: self.hidden.clone() };
        self.viewport = Some(viewport);
        let fits = self.mesh.as_ref().is_some_and(|mesh| mesh.fits(&key));
        if !fits && !self.ask(figure, ctx) {
            self.mesh = Some(PlotMesh::new(figure, key.clone()));
        }
        let front = self.front_layer(figure, &key);
        self.mesh.as_ref().map(|mesh| mesh.layer(figure, &key)).into_iter().chain(front).collect()
    }

    /// Returns the line at the pointer, which is over all others.
    pub(super) fn front_layer(&mut self, figure: &Figure, key: &MeshKey) -> Option<Layer> {
        let pointed = self.hovered.as_ref().or(self.keyboard.line.as_ref());
        let Some(name) = pointed.filter(|_| figure.has_curves() && key.viewport.highlighted.is_none()) else {
            self.front = None;
            return None;
        };
        if let Some((_, mesh)) = self.front.as_ref().filter(|(known, _)| known.0 == *name && known.1 == *key)
        {
            return Some(mesh.layer(figure, mesh.key()));
        }
        let look = FigureLook { selected: Some(name.clone()), bands: BandChoice::None };
        let all = samples(figure).into_iter().map(|sample| sample.name());
        let hidden = all.filter(|other| other != name).map(str::to_owned).collect();
        let alone =
            MeshKey { viewport: PlotViewport { look, ..key.viewport.clone() }, hidden, ..key.clone() };
        let mesh = PlotMesh::new(figure, alone);
        let layer = mesh.layer(figure, mesh.key());
        self.front = Some(((name.clone(), key.clone()), mesh));
        Some(layer)
    }

    /// Returns what decides the look of the figure, in the window and in files.
    pub fn look(&self) -> FigureLook {
        FigureLook { selected: self.around.selected.clone(), bands: self.around.bands }
    }

    /// Returns the name of what an item shows.
    pub(super) fn name_of(figure: &Figure, id: Id) -> Option<&str> {
        let sample = match id {
            Id::Line(index) | Id::Run([index, _]) => Sample::Line(figure.lines.get(index)?),
            Id::Reference(index) => Sample::Reference(figure.reference_lines.get(index)?),
            Id::Bars(index) => Sample::Bars(figure.bars.get(index)?),
            Id::Cell(_) => return None,
        };
        Some(sample.name())
    }

    /// Returns true if a thread computes the scene.
    pub(in crate::plot) fn is_waiting(&self) -> bool {
        self.work.is_busy() || self.panels.views.iter().any(Self::is_waiting)
    }

    /// Returns why the scene could not be computed, once.
    pub(in crate::plot) fn trouble(&mut self) -> Option<String> {
        self.work.failure().or_else(|| self.panels.views.iter_mut().find_map(Self::trouble))
    }
}
