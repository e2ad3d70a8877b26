//! Draws what the window shows into pixels on the processor: the same picture on every machine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use eframe::egui::epaint::textures::TexturesDelta;
use eframe::egui::epaint::{ClippedPrimitive, ImageData, Primitive, Vertex};
use eframe::egui::{Color32, ColorImage, Context, Pos2, Rect, TextureId};
use egui_kittest::TestRenderer;

/// The textures of a window, kept up to date by the harness that draws it.
#[derive(Clone, Default)]
pub struct Textures(Rc<RefCell<HashMap<TextureId, ColorImage>>>);

#[allow(clippy::iter_over_hash_type, reason = "textures do not feel each other")]
impl TestRenderer for Textures {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        let mut textures = self.0.borrow_mut();
        for (id, deltas) in delta.set.drain() {
            for delta in deltas {
                let ImageData::Color(image) = delta.image;
                match (delta.pos, textures.get_mut(&id)) {
                    (Some(at), Some(whole)) => paste(whole, &image, at),
                    _ => drop(textures.insert(id, (*image).clone())),
                }
            }
        }
        for id in delta.free.drain() {
            textures.remove(&id);
        }
    }
}

fn paste(whole: &mut ColorImage, patch: &ColorImage, [left, top]: [usize; 2]) {
    for y in 0..patch.size[1] {
        for x in 0..patch.size[0] {
            whole[(left + x, top + y)] = patch[(x, y)];
        }
    }
}

/// The pixels of what was drawn last, one for each point.
pub fn picture(
    ctx: &Context,
    shapes: Vec<eframe::egui::epaint::ClippedShape>,
    textures: &Textures,
    size: [usize; 2],
) -> ColorImage {
    let mut screen = Screen { image: ColorImage::filled(size, Color32::BLACK) };
    let textures = textures.0.borrow();
    for ClippedPrimitive { clip_rect, primitive } in ctx.tessellate(shapes, 1.0) {
        let Primitive::Mesh(mesh) = primitive else { panic!("the window draws meshes only") };
        let texture = &textures[&mesh.texture_id];
        for corners in mesh.indices.chunks_exact(3) {
            let corner = |index: u32| mesh.vertices[index as usize];
            screen.triangle([corner(corners[0]), corner(corners[1]), corner(corners[2])], texture, clip_rect);
        }
    }
    screen.image
}

struct Screen {
    image: ColorImage,
}

impl Screen {
    /// A pixel belongs to a triangle when its centre does; a centre on an edge belongs to one of both neighbours.
    fn triangle(&mut self, [a, mut b, mut c]: [Vertex; 3], texture: &ColorImage, clip: Rect) {
        let mut area = edge(a.pos, b.pos, c.pos);
        if area < 0.0 {
            std::mem::swap(&mut b, &mut c);
            area = -area;
        }
        if area == 0.0 {
            return;
        }
        let [width, height] = self.image.size;
        let [clip_left, clip_top, clip_right, clip_bottom] =
            [clip.left(), clip.top(), clip.right(), clip.bottom()].map(f32::round);
        let ends = |of: fn(Pos2) -> f32, low: f32, high: f32, most: usize| {
            let [least, greatest] =
                [f32::min, f32::max].map(|pick| pick(pick(of(a.pos), of(b.pos)), of(c.pos)));
            (least.floor().max(low).max(0.0) as usize)
                ..(greatest.ceil().min(high).max(0.0) as usize).min(most)
        };
        for y in ends(|at| at.y, clip_top, clip_bottom, height) {
            for x in ends(|at| at.x, clip_left, clip_right, width) {
                let at = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
                let weights = [(b, c), (c, a), (a, b)].map(|(from, to)| {
                    let inside = edge(from.pos, to.pos, at);
                    (inside > 0.0 || (inside == 0.0 && owns_edge(from.pos, to.pos))).then_some(inside / area)
                });
                if let [Some(of_a), Some(of_b), Some(of_c)] = weights {
                    let mix = |of: &dyn Fn(Vertex) -> f32| of_a * of(a) + of_b * of(b) + of_c * of(c);
                    let texel = sample(texture, mix(&|v| v.uv.x), mix(&|v| v.uv.y));
                    let source: [f32; 4] = std::array::from_fn(|i| {
                        mix(&|v| f32::from(v.color.to_array()[i])) * texel[i] / 255.0
                    });
                    let pixel = &mut self.image[(x, y)];
                    *pixel = over(source, *pixel);
                }
            }
        }
    }
}

/// Twice the signed area of a triangle.
fn edge(a: Pos2, b: Pos2, c: Pos2) -> f32 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Of two triangles with a common edge, which run along it in opposite directions, exactly one owns it.
fn owns_edge(from: Pos2, to: Pos2) -> bool {
    from.y > to.y || (from.y == to.y && from.x < to.x)
}

/// A texture between its four nearest texels, as screens do it.
fn sample(texture: &ColorImage, u: f32, v: f32) -> [f32; 4] {
    let [width, height] = texture.size;
    let [x, y] =
        [(u, width), (v, height)].map(|(at, size)| (at * size as f32 - 0.5).clamp(0.0, (size - 1) as f32));
    let [left, top] = [x, y].map(|at| at.floor() as usize);
    let [right, bottom] = [(left + 1).min(width - 1), (top + 1).min(height - 1)];
    let [across, down] = [x.fract(), y.fract()];
    let texel = |x, y| texture[(x, y)].to_array().map(f32::from);
    let upper = [texel(left, top), texel(right, top)];
    let lower = [texel(left, bottom), texel(right, bottom)];
    std::array::from_fn(|i| {
        let [upper, lower] = [upper, lower].map(|ends| ends[0][i] + (ends[1][i] - ends[0][i]) * across);
        upper + (lower - upper) * down
    })
}

/// Colours with premultiplied alpha, mixed as they are stored.
fn over(source: [f32; 4], below: Color32) -> Color32 {
    let through = 1.0 - source[3] / 255.0;
    let below = below.to_array().map(f32::from);
    let mixed: [u8; 4] =
        std::array::from_fn(|i| (source[i] + below[i] * through).round().clamp(0.0, 255.0) as u8);
    Color32::from_rgba_premultiplied(mixed[0], mixed[1], mixed[2], mixed[3])
}
