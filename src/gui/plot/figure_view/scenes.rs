//! Computes the scene of a figure: within the frame if the figure is small, in a thread if it is large.

use std::sync::Arc;

use eframe::egui::{Context, Shape};

use super::{FailedScene, FigureView};
use crate::figure::model::Figure;
use crate::gui::background::TaskState;
use crate::gui::plot::mesh::{LineMesh, MeshKey, PlotViewport};
use crate::gui::plot::navigate::View;
use crate::gui::plot::scene::{Analysis, PendingScene, Scene, SceneRequest, ThinnedLines, is_large};

impl FigureView {
    /// Updates what is kept between frames; returns the places that show all visible data.
    pub(super) fn prepare(&mut self, figure: &Arc<Figure>, ctx: &Context) -> View {
        if let Some(pending) = self.pending.take() {
            match pending.scene.take() {
                TaskState::Running => self.pending = Some(pending),
                TaskState::Done(scene) if Arc::ptr_eq(figure, &pending.figure) => self.take(scene),
                TaskState::Done(_) => {} // the scene of another figure
                TaskState::Failed(why) => {
                    self.failed = Some(FailedScene { request: pending.request, why: Some(why) });
                }
            }
        }
        if !self.is_kept() && !self.ask(figure, ctx) {
            self.kept = Some(Arc::new(Analysis::of(figure, &self.request())));
            (self.refits, self.drawn, self.line_mesh) = (false, None, None);
        }
        self.kept.as_ref().map_or([[0.0, 1.0]; 2], |kept| kept.fit)
    }

    fn is_kept(&self) -> bool {
        !self.refits && self.kept.as_ref().is_some_and(|kept| kept.hidden == self.hidden)
    }

    pub(super) fn take(&mut self, scene: Scene) {
        // A zoomed part needs no other fit.
        self.refits = self.zoom.is_none() && scene.request.chosen != self.chosen;
        (self.kept, self.drawn, self.line_mesh) = (Some(scene.kept), Some(scene.drawn), scene.line_mesh);
    }

    /// Asks a thread for the scene of a large figure; returns whether the last one stays until then.
    fn ask(&mut self, figure: &Arc<Figure>, ctx: &Context) -> bool {
        if self.kept.is_none() || self.drawn.is_none() || !is_large(figure) {
            return false;
        }
        if self.pending.is_none() {
            let request = SceneRequest { zoom: self.zoom, ..self.request() };
            if self.failed.as_ref().is_some_and(|failed| failed.request == request) {
                return true; // it would fail again
            }
            let kept = self.kept.clone().filter(|_| self.is_kept());
            self.pending = PendingScene::begin(figure, request, kept, ctx);
        }
        self.pending.is_some()
    }

    /// The lines of the visible part of the figure. Those of a large one may be the last ones, moved into place, until a
    /// thread has made new ones.
    pub(super) fn lines(
        &mut self,
        figure: &Arc<Figure>,
        ctx: &Context,
        view: View,
        viewport: PlotViewport,
    ) -> Shape {
        let key = MeshKey::new(figure, view, &self.hidden, viewport.clone());
        let surface = (viewport.width(), viewport.plots);
        self.viewport = Some(viewport);
        let fits = self.line_mesh.as_ref().is_some_and(|line_mesh| line_mesh.fits(&key));
        if !fits && !self.ask(figure, ctx) {
            let kept = self.drawn.take().filter(|drawn| drawn.fits(view[0], surface));
            let drawn = kept.unwrap_or_else(|| ThinnedLines::of(figure, &self.hidden, view[0], surface));
            self.line_mesh = Some(LineMesh::of(figure, &drawn.lines, key.clone()));
            self.drawn = Some(drawn);
        }
        self.line_mesh.as_ref().map_or(Shape::Noop, |line_mesh| line_mesh.shape(&key))
    }

    /// Whether a thread computes the scene.
    pub(in crate::gui::plot) const fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Why the scene could not be computed; reported once.
    pub(in crate::gui::plot) fn trouble(&mut self) -> Option<String> {
        self.failed.as_mut()?.why.take()
    }
}
