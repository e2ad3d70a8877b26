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
    /// Brings up to date what is kept between frames; the places that the visible data need.
    pub(super) fn prepare(&mut self, figure: &Arc<Figure>, ctx: &Context) -> View {
        match self.pending.as_ref().map(|pending| pending.take(figure)) {
            None | Some(TaskState::Running) => {}
            Some(TaskState::Done(scene)) => {
                self.pending = None;
                if let Some(scene) = scene {
                    self.take(scene);
                }
            }
            Some(TaskState::Failed(why)) => {
                self.failed = self
                    .pending
                    .take()
                    .map(|pending| FailedScene { request: pending.request, why: Some(why) });
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
        // What a person zooms to needs no other fit.
        self.refits = self.zoom.is_none() && scene.request.chosen != self.chosen;
        (self.kept, self.drawn, self.line_mesh) = (Some(scene.kept), Some(scene.drawn), scene.line_mesh);
    }

    /// Asks a thread for the look of a large figure; whether the last one will do until then.
    fn ask(&mut self, figure: &Arc<Figure>, ctx: &Context) -> bool {
        if self.kept.is_none() || self.drawn.is_none() || !is_large(figure) {
            return false;
        }
        if self.pending.is_none() {
            let request = SceneRequest { zoom: self.zoom, ..self.request() };
            if self.failed.as_ref().is_some_and(|failed| failed.request == request) {
                return true; // it would be lost again
            }
            let kept = self.kept.clone().filter(|_| self.is_kept());
            self.pending = PendingScene::begin(figure, request, kept, ctx);
        }
        self.pending.is_some()
    }

    /// The lines of the figure, of which this part is seen. Those of a large one may be the last ones, moved to where they
    /// belong, until a thread has made new ones.
    pub(super) fn lines(
        &mut self,
        figure: &Arc<Figure>,
        ctx: &Context,
        view: View,
        viewport: PlotViewport,
    ) -> Shape {
        let key = MeshKey::new(figure, view, &self.hidden, viewport.clone());
        let room = (viewport.width(), viewport.plots);
        self.viewport = Some(viewport);
        let fits = self.line_mesh.as_ref().is_some_and(|line_mesh| line_mesh.fits(&key));
        if !fits && !self.ask(figure, ctx) {
            let kept = self.drawn.take().filter(|drawn| drawn.fits(view[0], room));
            let drawn = kept.unwrap_or_else(|| ThinnedLines::of(figure, &self.hidden, view[0], room));
            self.line_mesh = Some(LineMesh::of(figure, &drawn.lines, key.clone()));
            self.drawn = Some(drawn);
        }
        self.line_mesh.as_ref().map_or(Shape::Noop, |line_mesh| line_mesh.shape(&key))
    }

    /// Whether a thread computes how the figure looks.
    pub(in crate::gui::plot) const fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Why the figure could not be drawn as it should look, once.
    pub(in crate::gui::plot) fn trouble(&mut self) -> Option<String> {
        self.failed.as_mut()?.why.take()
    }
}
