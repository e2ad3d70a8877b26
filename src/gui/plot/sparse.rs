//! Simplifies bands: the graphics card gets all triangles of a plot in every frame, so fewer corners are faster.

use eframe::egui::epaint::BandPoint;

/// The largest movement of an edge, in points.
const TOLERANCE: f32 = 0.2;

/// The columns that a band needs: between two of them, both edges are straight within the tolerance. The first and the last
/// stay. Columns that do not all go in one direction stay as they are.
pub fn sparse(columns: Vec<BandPoint>) -> Vec<BandPoint> {
    let goes = |is_on: fn(&f32, &f32) -> bool| columns.windows(2).all(|two| is_on(&two[0].x, &two[1].x));
    if columns.len() < 3 || !(goes(f32::lt) || goes(f32::gt)) {
        return columns;
    }
    let mut kept = vec![columns[0]];
    let (mut start, mut end) = (columns[0], columns[0]);
    let mut cones = [Cone::OPEN; 2];
    for &column in &columns[1..] {
        if !edges(start, column).into_iter().zip(cones).all(|(edge, cone)| cone.holds(edge)) {
            kept.push(end);
            (start, cones) = (end, [Cone::OPEN; 2]);
        }
        for (cone, edge) in cones.iter_mut().zip(edges(start, column)) {
            cone.narrow(edge);
        }
        end = column;
    }
    kept.push(end);
    kept
}

/// The distance from one column to another, and the rise of the lower and the upper edge.
fn edges(from: BandPoint, to: BandPoint) -> [[f32; 2]; 2] {
    let run = (to.x - from.x).abs();
    [[run, to.y.min - from.y.min], [run, to.y.max - from.y.max]]
}

/// The gradients of lines that pass all columns so far within the tolerance.
#[derive(Clone, Copy)]
struct Cone {
    low: f32,
    high: f32,
}

impl Cone {
    const OPEN: Self = Self { low: f32::NEG_INFINITY, high: f32::INFINITY };

    fn holds(self, [run, rise]: [f32; 2]) -> bool {
        (self.low..=self.high).contains(&(rise / run))
    }

    fn narrow(&mut self, [run, rise]: [f32; 2]) {
        self.low = self.low.max((rise - TOLERANCE) / run);
        self.high = self.high.min((rise + TOLERANCE) / run);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn column(x: f32, low: f32, high: f32) -> BandPoint {
        BandPoint::new(x, low..=high)
    }

    /// The lower and the upper edge at a place between columns.
    fn at(columns: &[BandPoint], x: f32) -> [f32; 2] {
        let between = columns.windows(2).find(|two| (two[0].x..=two[1].x).contains(&x)).unwrap();
        let share = (x - between[0].x) / (between[1].x - between[0].x);
        [(between[0].y.min, between[1].y.min), (between[0].y.max, between[1].y.max)]
            .map(|(from, to)| from + share * (to - from))
    }

    #[test]
    fn straight_edges_need_their_ends_alone() {
        let straight: Vec<BandPoint> =
            (0..100_u8).map(f32::from).map(|x| column(x, x / 2.0, 60.0 - x / 3.0)).collect();
        assert_eq!(sparse(straight.clone()).len(), 2);
        let mut bent = straight;
        bent[50].y.max += 1.0;
        let kept = sparse(bent.clone());
        assert!(kept.contains(&bent[50]) && kept.len() <= 5, "{kept:?}");
    }

    #[test]
    fn columns_that_turn_back_stay() {
        let turning = [0.0, 1.0, 0.5, 2.0].map(|x| column(x, 0.0, 1.0)).to_vec();
        assert_eq!(sparse(turning.clone()), turning);
    }

    proptest! {
        #[test]
        fn no_edge_moves_farther_than_the_tolerance(
            heights in prop::collection::vec((0.0..3.0_f32, 0.0..2.0_f32), 3..80)
        ) {
            let places = (0..80_u8).map(f32::from);
            let columns: Vec<BandPoint> =
                places.zip(&heights).map(|(x, (low, more))| column(x, *low, low + more)).collect();
            let kept = sparse(columns.clone());
            prop_assert_eq!((kept.first(), kept.last()), (columns.first(), columns.last()));
            for column in &columns {
                let [low, high] = at(&kept, column.x);
                prop_assert!((low - column.y.min).abs() <= TOLERANCE * 1.001);
                prop_assert!((high - column.y.max).abs() <= TOLERANCE * 1.001);
            }
        }
    }
}
