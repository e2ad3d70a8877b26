//! The icon of the window, drawn here: a grid of weights, some of them pruned.

use eframe::egui::IconData;

const SIDE: u32 = 64;
const CELL: u32 = 16;

/// Which of the 4×4 weights are left.
const LEFT: [[bool; 4]; 4] = [
    [true, false, true, true],
    [false, true, false, true],
    [true, true, false, false],
    [false, true, true, true],
];

const WEIGHT: [u8; 4] = [0x24, 0x5F, 0xC2, 0xFF];
const PRUNED: [u8; 4] = [0xC9, 0xD2, 0xE0, 0xFF];
const GAP: [u8; 4] = [0; 4];

/// 64×64 pixels.
pub fn icon() -> IconData {
    let pixel = |at: u32| {
        let (x, y) = (at % SIDE, at / SIDE);
        let in_gap = |position: u32| !(1..CELL - 1).contains(&(position % CELL));
        match (in_gap(x) || in_gap(y), LEFT[(y / CELL) as usize][(x / CELL) as usize]) {
            (true, _) => GAP,
            (false, true) => WEIGHT,
            (false, false) => PRUNED,
        }
    };
    IconData { rgba: (0..SIDE * SIDE).flat_map(pixel).collect(), width: SIDE, height: SIDE }
}
