//! Columns of tables that never cut a number: those that find no room are left out whole.

/// Free space beside the text of a cell, both sides together, in points.
pub const CELL_MARGIN: f32 = 16.0;

/// Which columns of these widths fit into a space, with a gap between two of them. The columns of `expendable` go first, in
/// this order; the others stay in any case.
pub fn fitting<const N: usize>(widths: [f32; N], gap: f32, space: f32, expendable: &[usize]) -> [bool; N] {
    let mut shown = [true; N];
    let needed = |shown: &[bool; N]| -> f32 {
        let all = widths.iter().zip(shown).filter(|(_, is_shown)| **is_shown);
        all.map(|(width, _)| width + gap).sum::<f32>() - gap
    };
    for column in expendable {
        if needed(&shown) <= space {
            break;
        }
        shown[*column] = false;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_find_no_room_go_in_their_order_and_the_others_stay() {
        let widths = [100.0, 50.0, 80.0];
        assert_eq!(fitting(widths, 10.0, 250.0, &[1, 2]), [true, true, true]);
        assert_eq!(fitting(widths, 10.0, 249.0, &[1, 2]), [true, false, true]);
        assert_eq!(fitting(widths, 10.0, 189.0, &[1, 2]), [true, false, false]);
        assert_eq!(fitting(widths, 10.0, 10.0, &[1, 2]), [true, false, false]);
    }
}
