//! What is computed of a figure for its view: in the frame where it is small, in a thread where it is large.

use std::sync::Arc;

use eframe::egui::{Context, Shape};

use super::{FigureView, Lost};
use crate::figure::model::Figure;
use crate::gui::plot::look::{Drawn, Going, Kept, Look, Wish, is_large};
use crate::gui::plot::navigate::View;
use crate::gui::plot::sheet::{Canvas, Cause, Sheet};
use crate::gui::working::Answer;

impl FigureView {
    /// Brings up to date what is kept between frames; the places that the visible data need.
    pub(super) fn prepare(&mut self, figure: &Arc<Figure>, ctx: &Context) -> View {
        match self.going.as_ref().map(|going| going.take(figure)) {
            None | Some(Answer::Waiting) => {}
            Some(Answer::Here(look)) => {
                self.going = None;
                if let Some(look) = look {
                    self.take(look);
                }
            }
            Some(Answer::Lost(why)) => {
                self.lost = self.going.take().map(|going| Lost { wish: going.wish, why: Some(why) });
            }
        }
        if !self.is_kept() && !self.ask(figure, ctx) {
            self.kept = Some(Arc::new(Kept::of(figure, &self.wish())));
            (self.refits, self.drawn, self.sheet) = (false, None, None);
        }
        self.kept.as_ref().map_or([[0.0, 1.0]; 2], |kept| kept.fit)
    }

    fn is_kept(&self) -> bool {
        !self.refits && self.kept.as_ref().is_some_and(|kept| kept.hidden == self.hidden)
    }

    pub(super) fn take(&mut self, look: Look) {
        // What a person zooms to needs no other fit.
        self.refits = self.zoom.is_none() && look.wish.chosen != self.chosen;
        (self.kept, self.drawn, self.sheet) = (Some(look.kept), Some(look.drawn), look.sheet);
    }

    /// Asks a thread for the look of a large figure; whether the last one will do until then.
    fn ask(&mut self, figure: &Arc<Figure>, ctx: &Context) -> bool {
        if self.kept.is_none() || self.drawn.is_none() || !is_large(figure) {
            return false;
        }
        if self.going.is_none() {
            let wish = Wish { zoom: self.zoom, ..self.wish() };
            if self.lost.as_ref().is_some_and(|lost| lost.wish == wish) {
                return true; // it would be lost again
            }
            let kept = self.kept.clone().filter(|_| self.is_kept());
            self.going = Going::begin(figure, wish, kept, ctx);
        }
        self.going.is_some()
    }

    /// The lines of the figure, of which this part is seen. Those of a large one may be the last ones, moved to where they
    /// belong, until a thread has made new ones.
    pub(super) fn lines(&mut self, figure: &Arc<Figure>, ctx: &Context, view: View, canvas: Canvas) -> Shape {
        let cause = Cause::new(figure, view, &self.hidden, canvas.clone());
        let room = (canvas.width(), canvas.plots);
        self.canvas = Some(canvas);
        let fits = self.sheet.as_ref().is_some_and(|sheet| sheet.fits(&cause));
        if !fits && !self.ask(figure, ctx) {
            let kept = self.drawn.take().filter(|drawn| drawn.fits(view[0], room));
            let drawn = kept.unwrap_or_else(|| Drawn::of(figure, &self.hidden, view[0], room));
            self.sheet = Some(Sheet::of(figure, &drawn.lines, cause.clone()));
            self.drawn = Some(drawn);
        }
        self.sheet.as_ref().map_or(Shape::Noop, |sheet| sheet.shape(&cause))
    }

    /// Whether a thread computes how the figure looks.
    pub(in crate::gui::plot) const fn is_waiting(&self) -> bool {
        self.going.is_some()
    }

    /// Why the figure could not be drawn as it should look, once.
    pub(in crate::gui::plot) fn trouble(&mut self) -> Option<String> {
        self.lost.as_mut()?.why.take()
    }
}
