//! Simplifies bands: the graphics card gets all triangles of a plot in every frame, so fewer corners are faster.

use super::item::Column;

/// The columns that a band needs: between two of them, both edges are straight within the tolerance, in points. The first and
/// the last stay. Columns that do not all go in one direction stay as they are.
pub fn sparse(columns: Vec<Column>, tolerance: f64) -> Vec<Column> {
    let goes = |is_on: fn(&f64, &f64) -> bool| columns.windows(2).all(|two| is_on(&two[0][0], &two[1][0]));
    if columns.len() < 3 || !(goes(f64::lt) || goes(f64::gt)) {
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
            cone.narrow(edge, tolerance);
        }
        end = column;
    }
    kept.push(end);
    kept
}

/// The distance from one column to another, and the rise of the upper and the lower edge.
fn edges(from: Column, to: Column) -> [[f64; 2]; 2] {
    let run = (to[0] - from[0]).abs();
    [[run, to[1] - from[1]], [run, to[2] - from[2]]]
}

/// The gradients of lines that pass all columns so far within the tolerance.
#[derive(Clone, Copy)]
struct Cone {
    low: f64,
    high: f64,
}

impl Cone {
    const OPEN: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    fn holds(self, [run, rise]: [f64; 2]) -> bool {
        (self.low..=self.high).contains(&(rise / run))
    }

    fn narrow(&mut self, [run, rise]: [f64; 2], tolerance: f64) {
        self.low = self.low.max((rise - tolerance) / run);
        self.high = self.high.min((rise + tolerance) / run);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOLERANCE: f64 = 0.2;

    /// The upper and the lower edge at a place between columns.
    fn at(columns: &[Column], x: f64) -> [f64; 2] {
        let between = columns.windows(2).find(|two| (two[0][0]..=two[1][0]).contains(&x)).unwrap();
        let share = (x - between[0][0]) / (between[1][0] - between[0][0]);
        [1, 2].map(|edge| between[0][edge] + share * (between[1][edge] - between[0][edge]))
    }

    #[test]
    fn straight_edges_need_their_ends_alone() {
        let straight: Vec<Column> =
            (0..100_u8).map(f64::from).map(|x| [x, x / 2.0, 90.0 - x / 3.0]).collect();
        assert_eq!(sparse(straight.clone(), TOLERANCE).len(), 2);
        let mut bent = straight;
        bent[50][2] += 1.0;
        let kept = sparse(bent.clone(), TOLERANCE);
        assert!(kept.contains(&bent[50]) && kept.len() <= 5, "{kept:?}");
    }

    #[test]
    fn columns_that_turn_back_stay() {
        let turning = [0.0, 1.0, 0.5, 2.0].map(|x| [x, 0.0, 1.0]).to_vec();
        assert_eq!(sparse(turning.clone(), TOLERANCE), turning);
    }

    proptest! {
        #[test]
        fn no_edge_moves_farther_than_the_tolerance(
            heights in prop::collection::vec((0.0..3.0_f64, 0.0..2.0_f64), 3..80)
        ) {
            let places = (0..80_u8).map(f64::from);
            let columns: Vec<Column> =
                places.zip(&heights).map(|(x, (low, more))| [x, *low, low + more]).collect();
            let kept = sparse(columns.clone(), TOLERANCE);
            prop_assert_eq!((kept.first(), kept.last()), (columns.first(), columns.last()));
            for column in &columns {
                let [top, bottom] = at(&kept, column[0]);
                prop_assert!((top - column[1]).abs() <= TOLERANCE * 1.001);
                prop_assert!((bottom - column[2]).abs() <= TOLERANCE * 1.001);
            }
        }
    }
}
