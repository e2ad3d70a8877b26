//! The user guide in a window of its own: the pages of `docs/` with their figures.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use eframe::egui::layers::PaintList;
use eframe::egui::text::CCursor;
use eframe::egui::{
    self, Align, Id, Label, Layout, Rect, RichText, ScrollArea, Shape, TextEdit, TextStyle, Ui,
};
use egui_commonmark::{CommonMarkCache, CommonMarkScrollOptions, CommonMarkViewer};

use super::theme::{SMALL, STEP, present};
use super::widgets::{self, FieldState};
use licences::Licences;

/// A page of `docs/`.
struct Page {
    /// Within `docs/`.
    path: &'static str,
    /// In the list of pages.
    title: &'static str,
    text: &'static str,
    /// By their names there.
    figures: &'static [(&'static str, &'static [u8])],
}

macro_rules! page {
    ($path:literal, $title:literal $(, $figure:literal)*) => {
        Page {
            path: $path,
            title: $title,
            text: include_str!(concat!("../../docs/", $path)),
            figures: &[$(($figure, include_bytes!(concat!("../../docs/guide/", $figure)))),*],
        }
    };
}

/// All pages, in the order of the list.
const PAGES: &[Page] = &[
    page!("guide.md", "User guide"),
    page!("guide/install.md", "Install"),
    page!("guide/networks.md", "Networks", "networks.png"),
    page!("guide/lottery.md", "Lottery tickets", "lottery.png"),
    page!("guide/freezing.md", "Freezing", "freezing.png"),
    page!("guide/shared-trunk.md", "Shared trunk", "shared-trunk.png"),
    page!("guide/past.md", "Past and present", "past.png"),
    page!("guide/clones.md", "Clones", "clones.png", "clones-line.png"),
    page!("guide/faults.md", "Faults", "faults-bits.png", "faults-layers.png", "faults-rate.png"),
    page!("guide/optimizers.md", "Optimizers", "optimizers.png"),
    page!("guide/command-line.md", "Command line"),
    page!("guide/cluster.md", "Clusters"),
    page!("guide/data.md", "Data and devices"),
    page!("guide/results.md", "Result files"),
    page!("guide/sharing.md", "Sharing results"),
    page!("semantics.md", "What each setting computes"),
    page!("format.md", "All settings"),
    page!("performance.md", "Performance"),
];

/// The addresses of figures begin so.
const SCHEME: &str = "bytes://";

/// All licences in one text.
static LICENCES: LazyLock<String> = LazyLock::new(|| Licences::load().text());

/// Returns the title and the text of a page; behind the others come the licences.
fn page(index: usize) -> (&'static str, &'static str) {
    PAGES.get(index).map_or_else(|| ("Licences", LICENCES.as_str()), |page| (page.title, page.text))
}

const LIST: f32 = 200.0;

/// The window with the user guide.
#[derive(Default)]
pub struct Guide {
    is_open: bool,
    wants_keyboard: bool,
    page: usize,
    search: String,
    /// What was searched, and how often each page has it.
    hits: (String, Vec<usize>),
    shown: Option<PreparedPage>,
    /// The text that is marked, and the page.
    marked: (String, usize),
    cache: CommonMarkCache,
}

struct PreparedPage {
    index: usize,
    text: String,
    /// Those to other pages.
    links: BTreeSet<String>,
}

impl Guide {
    /// Opens it, if wanted at the licences, which come last.
    pub const fn open(&mut self, at_licences: bool) {
        (self.is_open, self.wants_keyboard) = (true, true);
        if at_licences {
            self.page = PAGES.len();
        }
    }

    pub fn ui(&mut self, ctx: &egui::Context) {
        if !self.is_open {
            return;
        }
        self.is_open = widgets::window_ui(ctx, "User guide", 880.0, |ui| {
            let list = egui::Panel::left("guide pages").resizable(false).exact_size(LIST);
            list.show(ui, |ui| self.list_ui(ui));
            egui::CentralPanel::default().show(ui, |ui| self.page_ui(ui));
        });
    }

    fn list_ui(&mut self, ui: &mut Ui) {
        let field =
            TextEdit::singleline(&mut self.search).hint_text("Search the guide").desired_width(f32::INFINITY);
        let field = widgets::field_ui(ui, field, FieldState::Plain);
        if std::mem::take(&mut self.wants_keyboard) {
            field.request_focus();
        }
        ui.add_space(STEP);
        let wanted = self.search.trim().to_ascii_lowercase();
        if self.hits.0 != wanted {
            let count = |index| page(index).1.to_ascii_lowercase().matches(&wanted).count();
            self.hits = (wanted.clone(), (0..=PAGES.len()).map(count).collect());
        }
        let list = |ui: &mut Ui| {
            let mut found = 0;
            for index in 0..=PAGES.len() {
                let hits = self.hits.1.get(index).copied().unwrap_or_default();
                if !wanted.is_empty() && hits == 0 {
                    continue;
                }
                found += 1;
                let (title, _) = page(index);
                let name = if wanted.is_empty() { title.to_owned() } else { format!("{title}  ({hits})") };
                let row = egui::Button::selectable(index == self.page, name).truncate();
                if ui.add(row).clicked() {
                    self.page = index;
                }
            }
            if found == 0 {
                let none = RichText::new("No page has these words.").size(SMALL).color(present(ui).text3);
                ui.add(Label::new(none).wrap());
            }
        };
        let area = ScrollArea::vertical().auto_shrink([false, false]);
        area.show(ui, |ui| ui.with_layout(Layout::top_down_justified(Align::Min), list));
    }

    fn page_ui(&mut self, ui: &mut Ui) {
        let wanted = self.search.trim().to_ascii_lowercase();
        let now = (wanted.clone(), self.page);
        let is_new = std::mem::replace(&mut self.marked, now.clone()) != now;
        // A row of text is no control: bullets are on the line of their text.
        ui.spacing_mut().interact_size.y = ui.text_style_height(&TextStyle::Body);
        let place = ui.painter().add(Shape::Noop);
        match PAGES.get(self.page) {
            Some(page) => self.text_ui(ui, page, Some(wanted.as_str()).filter(|_| is_new)),
            None => licences_ui(ui, Some(wanted.as_str()).filter(|_| is_new)),
        }
        if !wanted.is_empty() {
            let wanted: Vec<char> = wanted.chars().collect();
            let colour = present(ui).warning.gamma_multiply(0.4);
            let marks = ui.ctx().graphics(|graphics| {
                let shapes = graphics.get(ui.layer_id()).into_iter().flat_map(PaintList::all_entries);
                shapes.flat_map(|drawn| marks(&drawn.shape, drawn.clip_rect, &wanted)).collect::<Vec<_>>()
            });
            let marks = marks.into_iter().map(|mark| Shape::rect_filled(mark, 2.0, colour));
            ui.painter().set(place, Shape::Vec(marks.collect()));
        }
    }

    /// Draws a page, and scrolls it to the heading above these words.
    fn text_ui(&mut self, ui: &mut Ui, page: &Page, words: Option<&str>) {
        if self.shown.as_ref().is_none_or(|shown| shown.index != self.page) {
            let text = prepared(page.text);
            let links = links(page.path, &text);
            self.cache.link_hooks_clear();
            for link in &links {
                self.cache.add_link_hook(link);
            }
            for (name, bytes) in page.figures {
                ui.ctx().include_bytes(format!("{SCHEME}{name}"), *bytes);
            }
            self.shown = Some(PreparedPage { index: self.page, text, links });
        }
        let Some(PreparedPage { text, links, .. }) = &self.shown else { return };
        let id = Id::unique(("guide page", self.page));
        if let Some(heading) = words.and_then(|words| heading_of(text, words)) {
            self.cache.scroll_to_heading(&id, Some(heading.to_owned()));
        }
        let viewer = CommonMarkViewer::new().enable_scroll_to_heading(true);
        let viewer = viewer.default_implicit_uri_scheme(SCHEME);
        viewer.show_scrollable(id, ui, &mut self.cache, &CommonMarkScrollOptions::default(), text);
        let clicked = links.iter().find(|link| self.cache.get_link_hook(link) == Some(true));
        if let Some((page, heading)) = clicked.and_then(|link| target(page.path, link)) {
            self.page = page;
            self.cache.scroll_to_heading(&Id::unique(("guide page", page)), heading);
        }
    }
}

/// Draws the licences line by line, and scrolls to these words.
fn licences_ui(ui: &mut Ui, words: Option<&str>) {
    let lines: Vec<&str> = LICENCES.lines().collect();
    let row = ui.text_style_height(&TextStyle::Monospace);
    ui.spacing_mut().item_spacing.y = 0.0;
    let has = |line: &&str| words.is_some_and(|words| line.to_ascii_lowercase().contains(words));
    let mut area = ScrollArea::both().auto_shrink([false, false]);
    if let Some(at) = lines.iter().position(has) {
        area = area.vertical_scroll_offset(row * at as f32);
    }
    area.show_rows(ui, row, lines.len(), |ui, rows| {
        for line in &lines[rows] {
            ui.add(Label::new(RichText::new(*line).monospace()).extend());
        }
    });
}

const fn small(letter: char) -> char {
    letter.to_ascii_lowercase()
}

/// Returns the places of words, in small letters, in texts as they are drawn.
fn marks(shape: &Shape, clip: Rect, words: &[char]) -> Vec<Rect> {
    match shape {
        Shape::Vec(shapes) => shapes.iter().flat_map(|shape| marks(shape, clip, words)).collect(),
        Shape::Text(text) => {
            let letters: Vec<char> = text.galley.text().chars().map(small).collect();
            let found = (0..letters.len()).filter(|start| letters[*start..].starts_with(words));
            let place = |letter: usize| {
                let [left, right] =
                    [letter, letter + 1].map(|at| text.galley.pos_from_cursor(CCursor::new(at)));
                let is_row = left.top() == right.top();
                is_row.then(|| left.union(right).translate(text.pos.to_vec2()).intersect(clip))
            };
            found.flat_map(|start| start..start + words.len()).filter_map(place).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the anchor of the heading above the first place of words, in small letters.
fn heading_of<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let at = text.to_ascii_lowercase().find(words).filter(|_| !words.is_empty())?;
    let (_, heading) = text[..at].rsplit_once("{#")?;
    heading.split('}').next()
}

/// Tables with longer lines are lists in the window: its tables do not wrap.
const TABLE: usize = 90;

/// Returns the text with wide tables as lists: an entry for each row, its cells behind one another.
fn without_wide_tables(text: &str) -> String {
    let mut list = String::with_capacity(text.len());
    let lines: Vec<&str> = text.lines().collect();
    for part in lines.chunk_by(|a, b| a.starts_with('|') == b.starts_with('|')) {
        let is_wide = part[0].starts_with('|') && part.iter().any(|line| line.chars().count() > TABLE);
        // The second line of a table only separates its head.
        let lines = part.iter().enumerate().filter(|(nth, _)| !is_wide || *nth != 1);
        for (nth, line) in lines {
            let row = is_wide.then(|| cells(line).join(" – "));
            match row {
                Some(head) if nth == 0 => list.extend(["*", &head, "*\n"]),
                Some(row) => list.extend(["- ", &row]),
                None => list += line,
            }
            list.push('\n');
        }
    }
    list
}

fn cells(row: &str) -> Vec<&str> {
    let mut start = 0;
    let mut cells = Vec::new();
    for (at, _) in row.match_indices('|').filter(|(at, _)| !row[..*at].ends_with('\\')) {
        cells.push(row[start..at].trim());
        start = at + 1;
    }
    cells.retain(|cell| !cell.is_empty());
    cells
}

/// Returns the text without pictures of the window, and with an anchor at each heading as on the web.
fn prepared(text: &str) -> String {
    let text = &without_wide_tables(text);
    let mut is_code = false;
    let mut prepared = String::with_capacity(text.len() + 1024);
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let is_figure = || {
            let mut all = PAGES.iter().flat_map(|page| page.figures);
            all.any(|(name, _)| line.ends_with(&format!("]({name})")))
        };
        if !is_code && line.starts_with("![") && !is_figure() {
            continue;
        }
        prepared += &line.replace('⌘', "Cmd"); // no font of the window has the sign
        if !is_code && line.starts_with('#') {
            let anchor = anchor(line.trim_start_matches('#'));
            prepared.extend([" {#", &anchor, "}"]);
        }
        prepared.push('\n');
    }
    prepared
}

/// Returns the anchor of a heading: small letters, and dashes for spaces.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    letters.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Returns the destinations in a text that are other pages.
fn links(path: &str, text: &str) -> BTreeSet<String> {
    let parts = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    parts.map(|(link, _)| link).filter(|link| target(path, link).is_some()).map(str::to_owned).collect()
}

/// Returns the page that a link on another page leads to, and its heading.
fn target(from: &str, link: &str) -> Option<(usize, Option<String>)> {
    let (path, heading) = link.split_once('#').map_or((link, None), |(path, heading)| (path, Some(heading)));
    let mut names: Vec<&str> = from.split('/').collect();
    names.pop();
    for name in path.split('/') {
        match name {
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let path = names.join("/");
    let page = PAGES.iter().position(|page| page.path == path)?;
    Some((page, heading.map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn the_guide_has_all_its_pages() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/guide");
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let path = format!("guide/{}", file.file_name().unwrap().to_string_lossy());
            assert!(
                file.extension().is_none_or(|ending| ending != "md")
                    || PAGES.iter().any(|page| page.path == path),
                "{path}"
            );
        }
    }

    #[test]
    fn every_link_between_pages_leads_to_a_page_and_a_heading() {
        for Page { path, text, .. } in PAGES {
            let parts = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            for (link, _) in parts.filter(|(link, _)| link.contains(".md") && !link.contains("://")) {
                let found = target(path, link);
                let is_of_repository =
                    ["CONTRIBUTING", "ARCHITECTURE", "decisions"].iter().any(|file| link.contains(file));
                assert!(found.is_some() || is_of_repository, "{link} in {path}");
                if let Some((page, Some(heading))) = found {
                    assert!(
                        prepared(PAGES[page].text).contains(&format!("{{#{heading}}}")),
                        "{link} in {path}"
                    );
                }
            }
        }
    }

    #[test]
    fn wide_tables_are_lists() {
        let long = "word ".repeat(20);
        let text = format!("a\n\n| x | y |\n|---|---|\n| `1` | {long} |\n| 2 \\| 3 | |\n\nb\n");
        let long = long.trim();
        let expected = format!("a\n\n*x – y*\n\n- `1` – {long}\n- 2 \\| 3\n\nb\n");
        assert_eq!(without_wide_tables(&text), expected);
        let narrow = "| x | y |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(without_wide_tables(narrow), narrow);
        for Page { path, text, .. } in PAGES {
            let table = prepared(text)
                .lines()
                .find(|line| line.starts_with('|') && line.chars().count() > TABLE)
                .map(str::to_owned);
            assert_eq!(table, None, "{path}");
        }
    }

    #[test]
    fn pictures_of_the_window_are_left_out_and_figures_and_code_stay() {
        let text =
            prepared("# A b, c!\n![a picture](x.png)\n![f](past.png)\n```\n# comment\n![kept](y)\n```\nend");
        assert_eq!(text, "# A b, c! {#a-b-c}\n![f](past.png)\n```\n# comment\n![kept](y)\n```\nend\n");
    }

    #[test]
    fn every_page_of_the_guide_shows_its_figures_and_they_are_small() {
        let shown = |Page { path, text, .. }: &Page| {
            let pictures = text.lines().filter(|line| line.starts_with("![") && path.contains('/')).count();
            assert_eq!(prepared(text).matches("\n![").count(), pictures, "{path}");
            pictures
        };
        let figures = || PAGES.iter().flat_map(|page| page.figures);
        assert_eq!(PAGES.iter().map(shown).sum::<usize>(), figures().count(), "each is of one page");
        for (name, bytes) in figures() {
            assert!(eframe::icon_data::from_png_bytes(bytes).is_ok(), "{name}");
            assert!(bytes.len() < 64 << 10, "{name}: docs/take-picture makes it small");
        }
    }

    #[test]
    fn words_that_are_searched_are_marked_in_the_page_and_its_head_closes_the_window() {
        let page = PAGES.iter().position(|page| page.path == "guide/lottery.md").unwrap();
        let guide = Guide { is_open: true, page, search: "jaccard".to_owned(), ..Guide::default() };
        let mut is_dressed = false;
        let draw = move |ui: &mut Ui, guide: &mut Guide| {
            if !std::mem::replace(&mut is_dressed, true) {
                return crate::theme::install(ui.ctx());
            }
            guide.ui(ui.ctx());
        };
        let mut harness = egui_kittest::Harness::new_ui_state(draw, guide);
        harness.run_steps(8);
        assert_eq!(heading_of(&prepared(PAGES[page].text), "jaccard"), Some("the-figure"));
        let shapes = &harness.output().shapes;
        let words: Vec<char> = "jaccard".chars().collect();
        let of = |drawn: &egui::epaint::ClippedShape| marks(&drawn.shape, drawn.clip_rect, &words);
        let places: Vec<Rect> = shapes.iter().flat_map(of).filter(Rect::is_positive).collect();
        assert_eq!(places.len(), words.len(), "a rectangle for each letter, and the page is scrolled there");
        let is_mark = |shape: &&Shape| matches!(shape, Shape::Rect(mark) if places.contains(&mark.rect));
        let inner = |shape: &Shape| if let Shape::Vec(all) = shape { all.clone() } else { Vec::new() };
        let drawn: Vec<Shape> = shapes.iter().flat_map(|drawn| inner(&drawn.shape)).collect();
        assert_eq!(drawn.iter().filter(is_mark).count(), places.len());
        harness.get_by_label("Close").click();
        harness.run_steps(2);
        assert!(!harness.state().is_open);
    }
}
