//! The export dialog: settings of the figure at the left, a preview in true proportions at the right.

mod controls;
mod preview;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{
    self, Align, Checkbox, DragValue, Frame, Id, Label, Layout, Modal, Panel, RichText, ScrollArea, TextEdit,
    Ui,
};

use super::background::Latest;
use super::files::{home_folder, typed};
use super::icons::Icon;
use super::text::shortened;
use super::theme::{SMALL, STEP, present};
use super::widgets::{self, FieldState, Tone, message_ui};
use controls::row_ui;
use doc::{capitalised, listed};
use figure::{Figure, FileKind, Options};
use preview::Preview;

/// Width of the settings, in points.
const SETTINGS: f32 = 440.0;

/// Settings that a dialog shares with the window.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureSettings {
    /// Size, legend, look of lines and text around the figure.
    pub options: Options,
    /// The title above the figure, where it can have one.
    pub title: Option<String>,
    /// True if each seed is drawn behind the mean, where there are means.
    pub seeds: Option<bool>,
}

/// Settings of an export beside the figure; kept between dialogs.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportSettings {
    pub figure: FigureSettings,
    /// The formats, of each of which it writes a file, in the order of the dialog.
    pub kinds: Vec<FileKind>,
    /// The folder of the last export.
    pub folder: PathBuf,
}

/// The formats in the order of the dialog.
const KINDS: [FileKind; 4] = [FileKind::Pdf, FileKind::Svg, FileKind::Png, FileKind::Csv];

impl ExportSettings {
    /// Returns true if a file of it is a picture.
    fn draws(&self) -> bool {
        self.kinds.iter().any(|kind| *kind != FileKind::Csv)
    }
}

/// The choice in the dialog, which keeps its settings when it closes.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportResponse {
    /// Write the files of [`ExportDialog::paths`].
    Write,
    CopyPicture,
    CopyCaption(String),
    /// Show this folder.
    Show(PathBuf),
    /// Choose the folder.
    Browse,
    Close,
}

#[derive(Default)]
struct FolderField {
    text: String,
    folder: PathBuf,
    is_missing: bool,
}

impl FolderField {
    /// Takes a folder that was chosen elsewhere, and looks whether a folder is there: once, and again when somebody comes
    /// back to the window, who may have made it meanwhile.
    fn follow(&mut self, folder: &Path, is_back: bool) {
        if self.folder == folder && !self.text.is_empty() && !is_back {
            return;
        }
        if typed(&self.text, home_folder().as_deref()) != folder {
            self.text = folder.display().to_string();
        }
        self.is_missing = !folder.is_dir();
        folder.clone_into(&mut self.folder);
    }
}

pub struct ExportDialog {
    /// The name of the figure: "Accuracy vs. sparsity".
    title: String,
    pub settings: ExportSettings,
    /// The files of the last export that are still being written, and the others, each with the reason if it was not.
    writing: Vec<PathBuf>,
    written: Vec<(PathBuf, Result<(), String>)>,
    /// The name of the files, without their endings.
    name: String,
    folder: FolderField,
    figure: Latest<(), Arc<Figure>>,
    preview: Preview,
}

impl ExportDialog {
    /// Returns a dialog for a figure that `build` makes in a thread.
    pub fn new(
        title: &str,
        name: &str,
        settings: ExportSettings,
        ctx: &egui::Context,
        build: impl FnOnce() -> Result<Figure, String> + Send + 'static,
    ) -> Self {
        let (title, name) = (title.to_owned(), name.to_owned());
        let (folder, preview) = (FolderField::default(), Preview::default());
        let (figure, writing, written) = (Latest::default(), Vec::new(), Vec::new());
        let mut dialog = Self { title, settings, writing, written, name, folder, figure, preview };
        dialog.rebuild(ctx, build);
        dialog
    }

    /// Returns the name of the file, without its ending.
    #[cfg(test)]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the figure, once it is there.
    pub fn figure(&self) -> Option<&Arc<Figure>> {
        self.figure.last().map(|((), figure)| figure)
    }

    /// Takes the figure with other settings; the last one stays until the new one is there.
    pub fn rebuild(
        &mut self,
        ctx: &egui::Context,
        build: impl FnOnce() -> Result<Figure, String> + Send + 'static,
    ) {
        self.figure.abandon();
        self.figure.ask((), ctx, move || build().map(Arc::new));
    }

    /// Notes that these files are being written.
    pub fn begin(&mut self, paths: &[PathBuf]) {
        self.written.clear();
        self.writing = paths.to_vec();
    }

    /// Notes that a file was written, or why not. Returns true if it is one of the last export.
    pub fn end(&mut self, path: &Path, result: &Result<(), String>) -> bool {
        let Some(place) = self.writing.iter().position(|own| own == path) else { return false };
        self.written.push((self.writing.remove(place), result.clone()));
        self.written.sort();
        true
    }

    /// Draws the dialog.
    pub fn ui(&mut self, ctx: &egui::Context) -> Option<ExportResponse> {
        self.figure.poll();
        let window = ctx.content_rect().size() - egui::Vec2::splat(6.0 * STEP);
        let size = egui::vec2(1184.0, 792.0).min(window);
        let frame = Frame::popup(&ctx.global_style()).inner_margin(0.0);
        let shown = Modal::new(Id::unique("export")).frame(frame).show(ctx, |ui| {
            ui.set_min_size(size);
            ui.set_max_size(size);
            self.contents_ui(ui)
        });
        shown.inner.clone().or_else(|| shown.should_close().then_some(ExportResponse::Close))
    }

    fn contents_ui(&mut self, ui: &mut Ui) -> Option<ExportResponse> {
        let margin = egui::Margin::same(16);
        let head = Frame::new().inner_margin(egui::Margin::symmetric(16, 10));
        let head =
            Panel::top("export head").resizable(false).frame(head).show(ui, |ui| self.head_ui(ui)).inner;
        let foot = Frame::new().inner_margin(margin);
        let foot =
            Panel::bottom("export foot").resizable(false).frame(foot).show(ui, |ui| self.foot_ui(ui)).inner;
        let left = Panel::left("export settings").resizable(false).exact_size(SETTINGS).frame(Frame::new());
        let browse = left.show(ui, |ui| {
            ScrollArea::vertical()
                .auto_shrink([false, false])
                .show(ui, |ui| Frame::new().inner_margin(margin).show(ui, |ui| self.settings_ui(ui)).inner)
        });
        let right = Frame::new().inner_margin(24);
        egui::CentralPanel::default().frame(right).show(ui, |ui| self.preview_ui(ui));
        head.or(foot).or(browse.inner.inner)
    }

    fn head_ui(&self, ui: &mut Ui) -> Option<ExportResponse> {
        ui.horizontal(|ui| {
            widgets::title_ui(ui, "Export figure");
            ui.label(RichText::new(shortened(&self.title, 60)).color(present(ui).text2));
            let right = Layout::right_to_left(Align::Center);
            let close = ui.with_layout(right, |ui| widgets::icon_button_ui(ui, true, Icon::X, "Close"));
            close.inner.clicked().then_some(ExportResponse::Close)
        })
        .inner
    }

    fn file_ui(&mut self, ui: &mut Ui) -> Option<ExportResponse> {
        let is_back = ui.input(|input| input.events.contains(&egui::Event::WindowFocused(true)));
        self.folder.follow(&self.settings.folder, is_back);
        row_ui(ui, "Format", |ui| {
            let chosen = &mut self.settings.kinds;
            let is_chosen = |kind: FileKind| chosen.contains(&kind);
            let mut ticks = KINDS.map(|kind| (kind, is_chosen(kind)));
            for (kind, is_on) in &mut ticks {
                widgets::input_ui(ui, Checkbox::new(is_on, kind.ending().to_uppercase()));
            }
            *chosen = ticks.into_iter().filter(|(_, is_on)| *is_on).map(|(kind, _)| kind).collect();
        });
        if self.settings.kinds.contains(&FileKind::Png) {
            row_ui(ui, "PNG resolution", |ui| {
                let dpi =
                    DragValue::new(&mut self.settings.figure.options.dpi).range(36.0..=1200.0).suffix(" dpi");
                widgets::input_ui(ui, dpi.fixed_decimals(0)).accessible_name("PNG resolution");
            });
        }
        let mut response = None;
        row_ui(ui, "Folder", |ui| {
            let state = if self.folder.is_missing { FieldState::Wrong } else { FieldState::Plain };
            let field =
                TextEdit::singleline(&mut self.folder.text).desired_width(ui.available_width() - 104.0);
            let field = widgets::field_ui(ui, field, state).accessible_name("Folder");
            if field.changed() {
                self.settings.folder = typed(&self.folder.text, home_folder().as_deref());
            }
            field.on_hover_text(self.settings.folder.display().to_string());
            if ui.add(widgets::button(None, "Browse…")).clicked() {
                response = Some(ExportResponse::Browse);
            }
        });
        let is_wrong = self.why_not().is_some();
        row_ui(ui, "Name", |ui| {
            let endings = self.settings.kinds.iter().map(|kind| format!(".{}", kind.ending()));
            let endings = RichText::new(endings.collect::<Vec<_>>().join(" ")).color(present(ui).text3);
            let is_named = self.settings.kinds.is_empty() || !self.writing.is_empty();
            let state = if is_wrong && self.figure.newest().is_some() && !is_named {
                FieldState::Wrong
            } else {
                FieldState::Plain
            };
            // The same field below more or fewer settings.
            let field = TextEdit::singleline(&mut self.name).id(Id::unique("export file name"));
            let field = field.desired_width(ui.available_width() - 144.0);
            let field = widgets::field_ui(ui, field, state).accessible_name("File name");
            ui.label(endings);
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) && !is_wrong {
                response = Some(ExportResponse::Write);
            }
        });
        response
    }

    /// Returns the files that it writes.
    pub fn paths(&self) -> Vec<PathBuf> {
        let path = |kind: &FileKind| format!("{}.{}", self.name.trim(), kind.ending());
        self.settings.kinds.iter().map(|kind| self.settings.folder.join(path(kind))).collect()
    }

    /// Returns why the figure cannot be written.
    fn why_not(&self) -> Option<String> {
        if self.folder.is_missing {
            return Some("This folder does not exist".to_owned());
        }
        let name = self.name.trim();
        if name.is_empty() {
            return Some("Give the file a name".to_owned());
        }
        if Path::new(name).components().count() != 1 || name.starts_with('.') {
            return Some("The name of the file cannot have a slash or start with a dot".to_owned());
        }
        if self.settings.kinds.is_empty() {
            return Some("Choose a format".to_owned());
        }
        if !self.writing.is_empty() {
            return Some("The files are being written".to_owned());
        }
        match self.figure.newest() {
            None => Some("The figure is being made".to_owned()),
            Some(((), Err(why))) => Some(why.to_owned()),
            Some(((), Ok(_))) if self.settings.draws() => self.settings.figure.options.size.check().err(),
            Some(((), Ok(_))) => None,
        }
    }

    /// Draws what became of the files of the last export.
    fn written_ui(&self, ui: &mut Ui) -> Option<ExportResponse> {
        const LINK: f32 = 120.0;
        for (_, result) in &self.written {
            if let Err(why) = result {
                message_ui(ui, Tone::Bad, &capitalised(why));
            }
        }
        let mut done = self.written.iter().filter(|(_, result)| result.is_ok()).map(|(path, _)| path);
        let names: Vec<_> =
            done.clone().filter_map(|path| Some(path.file_name()?.to_string_lossy())).collect();
        let folder = done.next_back()?.parent()?;
        ui.horizontal(|ui| {
            let text = format!("Wrote {} to {}", listed(&names), folder.display());
            let width = ui.available_width() - LINK;
            ui.scope(|ui| {
                ui.set_max_width(width);
                message_ui(ui, Tone::Good, &text);
            });
            let link = ui.link(RichText::new("Show in folder").size(SMALL).color(present(ui).link));
            link.clicked().then(|| ExportResponse::Show(folder.to_owned()))
        })
        .inner
    }

    fn foot_ui(&self, ui: &mut Ui) -> Option<ExportResponse> {
        let mut response = self.written_ui(ui);
        let caption =
            self.figure().map(|figure| caption(figure, &self.settings.figure.options)).unwrap_or_default();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let why_not = self.why_not();
            let export = widgets::primary_ui(ui, why_not.is_none(), Icon::Export, "Export");
            let export = export.on_disabled_hover_text(why_not.unwrap_or_default());
            if export.clicked() {
                response = Some(ExportResponse::Write);
            }
            if ui.add(widgets::button(None, "Close")).clicked() {
                response = Some(ExportResponse::Close);
            }
            if ui
                .add_enabled(self.figure().is_some(), widgets::button(Icon::Copy, "Copy as picture"))
                .clicked()
            {
                response = Some(ExportResponse::CopyPicture);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let copy = ui.add_enabled(!caption.is_empty(), widgets::ghost(Icon::Text, "Copy caption"));
                if copy.clicked() {
                    response = Some(ExportResponse::CopyCaption(caption.clone()));
                }
                if !caption.is_empty() {
                    let quoted = RichText::new(format!("“{caption}”")).size(SMALL).color(present(ui).text3);
                    ui.add(Label::new(quoted).truncate());
                }
            });
        });
        response
    }

    fn preview_ui(&mut self, ui: &mut Ui) {
        match self.figure.newest() {
            None => drop(ui.spinner()),
            Some(((), Err(why))) => drop(message_ui(ui, Tone::Bad, why)),
            Some(((), Ok(figure))) => {
                let has_values = self.settings.kinds.contains(&FileKind::Csv);
                self.preview.ui(
                    ui,
                    figure,
                    &self.settings.figure.options,
                    [self.settings.draws(), has_values],
                );
            }
        }
    }
}

/// Returns the caption of a figure: its small print as sentences.
fn caption(figure: &Figure, options: &Options) -> String {
    let sentences = options.remarks(figure).into_iter().map(|remark| capitalised(&remark) + ".");
    sentences.collect::<Vec<_>>().join(" ")
}
