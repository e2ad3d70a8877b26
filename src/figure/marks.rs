//! Markers at points, as outlines around the origin.

use super::palette::Marker;

/// The outline of a marker with this radius; `None` for no marker. Crosses are stroked, all others filled.
pub fn outline(marker: Marker, radius: f64) -> Option<Vec<[f64; 2]>> {
    let r = radius;
    // Scaled to look equally large: a square of the same radius would look larger than a circle.
    let corners = match marker {
        Marker::None => return None,
        Marker::Circle => circle(r),
        Marker::Square => polygon(&[[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]], r),
        Marker::Triangle => polygon(&[[0.0, -1.2], [1.1, 0.75], [-1.1, 0.75]], r),
        Marker::Diamond => polygon(&[[0.0, -1.25], [1.1, 0.0], [0.0, 1.25], [-1.1, 0.0]], r),
        Marker::Cross => polygon(&[[-0.85, -0.85], [0.85, 0.85], [0.85, -0.85], [-0.85, 0.85]], r),
    };
    Some(corners)
}

fn polygon(corners: &[[f64; 2]], radius: f64) -> Vec<[f64; 2]> {
    corners.iter().map(|corner| corner.map(|share| share * radius)).collect()
}

/// Twenty-four corners look round at the size of a marker.
fn circle(radius: f64) -> Vec<[f64; 2]> {
    let corner = |index: u32| {
        let (sin, cos) = (f64::from(index) * std::f64::consts::TAU / 24.0).sin_cos();
        [radius * cos, radius * sin]
    };
    (0..24).map(corner).collect()
}

/// Selects which of `count` points get a marker, so that markers stay apart: all of up to 25, otherwise every nth. Lines
/// with different `offset` mark different points.
pub fn marked(count: usize, offset: usize) -> impl Fn(usize) -> bool {
    let stride = if count <= 25 { 1 } else { count.div_ceil(10) };
    move |index| index % stride == offset * 2 % stride
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_markers_but_none_have_an_outline_within_one_and_a_half_radii() {
        assert_eq!(outline(Marker::None, 2.0), None);
        for marker in [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross] {
            let corners = outline(marker, 2.0).unwrap();
            assert!(corners.len() >= 3 && corners.iter().flatten().all(|share| share.abs() <= 3.0));
        }
    }

    #[test]
    fn few_points_are_all_marked_and_many_are_not() {
        assert!((0..25).all(marked(25, 3)));
        assert_eq!((0..1000).filter(|index| marked(1000, 0)(*index)).count(), 10);
        assert!((0..1000).all(|index| !(marked(1000, 0)(index) && marked(1000, 1)(index))));
    }
}
