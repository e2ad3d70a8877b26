//! The icon of the window.

use eframe::egui::IconData;

use figure::raster::icon_pixels;

const SIDE: u32 = 64;

/// 64×64 pixels; nothing, which the system replaces by its own, when they cannot be drawn.
pub fn icon() -> IconData {
    match icon_pixels(SIDE) {
        Ok(rgba) => IconData { rgba, width: SIDE, height: SIDE },
        Err(_) => IconData::default(),
    }
}
