//! Markers at points, as outlines around the origin.

use super::palette::Marker;

impl Marker {
    /// Whether it consists of strokes.
    pub const fn has_strokes(self) -> bool {
        matches!(self, Self::Plus | Self::Cross)
    }
}

/// The outline of a marker with this radius; `None` for no marker. Those with strokes have pairs of their ends, all others
/// are filled.
pub fn outline(marker: Marker, radius: f64) -> Option<Vec<[f64; 2]>> {
    let r = radius;
    // Scaled to look equally large: a square of the same radius would look larger than a circle.
    let corners = match marker {
        Marker::None => return None,
        Marker::Circle => circle(r),
        Marker::Square => polygon(&[[-0.86, -0.86], [0.86, -0.86], [0.86, 0.86], [-0.86, 0.86]], r),
        Marker::Triangle => polygon(&[[0.0, -1.2], [1.1, 0.75], [-1.1, 0.75]], r),
        Marker::Diamond => polygon(&[[0.0, -1.25], [1.1, 0.0], [0.0, 1.25], [-1.1, 0.0]], r),
        Marker::Down => polygon(&[[0.0, 1.2], [1.1, -0.75], [-1.1, -0.75]], r),
        Marker::Pentagon => {
            polygon(&[[0.0, -1.1], [1.05, -0.34], [0.65, 0.89], [-0.65, 0.89], [-1.05, -0.34]], r)
        }
        Marker::Plus => polygon(&[[-1.1, 0.0], [1.1, 0.0], [0.0, -1.1], [0.0, 1.1]], r),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_markers_but_none_have_an_outline_within_one_and_a_half_radii() {
        assert_eq!(outline(Marker::None, 2.0), None);
        for marker in crate::palette::MARKERS.into_iter().skip(1) {
            let corners = outline(marker, 2.0).unwrap();
            assert!(corners.len() >= 3 && corners.iter().flatten().all(|share| share.abs() <= 3.0));
        }
    }
}
