//! The icons: glyphs of Phosphor (<https://phosphoricons.com>), which the fonts of the window include.

use eframe::egui::{Align2, Atom, Color32, FontId, Painter, Pos2, RichText, Ui, Vec2};

/// Declares the icons with their characters in `assets/fonts/icons.ttf`.
macro_rules! icons {
    ($($name:ident: $glyph:literal,)*) => {
        /// A picture of the size of a letter.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Icon {
            $($name,)*
        }

        impl Icon {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name,)*];

            pub const fn glyph(self) -> char {
                match self {
                    $(Self::$name => $glyph,)*
                }
            }
        }
    };
}

icons! {
    Archive: '\u{E00C}',
    ArrowDown: '\u{E03E}',
    ArrowLeft: '\u{E058}',
    ArrowUp: '\u{E08E}',
    ArrowsIn: '\u{E1CE}',
    ArrowsOut: '\u{E1D0}',
    Book: '\u{E0E6}',
    CaretDown: '\u{E136}',
    CaretRight: '\u{E13A}',
    CaretUp: '\u{E13C}',
    Check: '\u{E182}',
    CheckCircle: '\u{E184}',
    CircleDashed: '\u{E602}',
    Columns: '\u{E546}',
    Compare: '\u{E27C}',
    Copy: '\u{E1CA}',
    Dots: '\u{EAE2}',
    DotsThree: '\u{E208}',
    ErrorFill: '\u{ECE2}',
    Export: '\u{EAF0}',
    Eye: '\u{E220}',
    EyeOff: '\u{E224}',
    Filter: '\u{E268}',
    FolderOpen: '\u{E256}',
    Hourglass: '\u{E2B8}',
    Info: '\u{E2CE}',
    Keyboard: '\u{E2D8}',
    List: '\u{E2F0}',
    ListBullets: '\u{E2F2}',
    MagnifierMinus: '\u{E30E}',
    MagnifierPlus: '\u{E310}',
    PauseFill: '\u{EB9E}',
    Pencil: '\u{E3B4}',
    Pin: '\u{E3E2}',
    Play: '\u{E3D0}',
    PlayFill: '\u{EBD0}',
    Plus: '\u{E3D4}',
    Question: '\u{E3E8}',
    Repeat: '\u{E3F6}',
    Sidebar: '\u{EC24}',
    SidebarRight: '\u{EC25}', // Sidebar, mirrored
    Stack: '\u{E466}',
    Star: '\u{E46A}',
    StarFill: '\u{EC6A}',
    StopFill: '\u{EC6C}',
    Table: '\u{E476}',
    Terminal: '\u{E47E}',
    Text: '\u{E484}',
    Trash: '\u{E4A6}',
    Undo: '\u{E038}',
    Warning: '\u{E4E0}',
    WarningFill: '\u{ECE0}',
    X: '\u{E4F6}',
}

impl Icon {
    /// Returns the icon as text of this size, in points. Screen readers read its character out: prefer [`Icon::atom`].
    pub fn text(self, size: f32) -> RichText {
        RichText::new(self.glyph()).size(size)
    }

    /// Returns the icon as a part of a button, in the colour of the text beside it; screen readers skip it.
    pub fn atom(self, size: f32) -> Atom<'static> {
        self.coloured(size, None)
    }

    /// Returns the icon as a part of a button, in a colour.
    pub fn coloured(self, size: f32, colour: Option<Color32>) -> Atom<'static> {
        Atom::paint(Vec2::splat(size), move |ui: &Ui, at| {
            let colour = colour.unwrap_or(at.fallback_text_color);
            self.paint(ui.painter(), at.rect.center(), size, colour);
        })
    }

    /// Paints the icon around a point.
    pub fn paint(self, painter: &Painter, center: Pos2, size: f32, colour: Color32) {
        painter.text(center, Align2::CENTER_CENTER, self.glyph(), FontId::proportional(size), colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme;

    #[test]
    fn the_font_has_every_icon() {
        let face = ttf_parser::Face::parse(theme::ICONS, 0).unwrap();
        for icon in Icon::ALL {
            assert!(face.glyph_index(icon.glyph()).is_some(), "{icon:?}");
        }
        // Buttons for copying code in the guide, and a button that its pages name.
        for (sign, icon) in [('🗐', Icon::Copy), ('✔', Icon::Check), ('⋮', Icon::DotsThree)] {
            assert_eq!(face.glyph_index(sign), face.glyph_index(icon.glyph()), "{sign}");
        }
    }
}
