//! The user guide in a window of its own: the pages of `docs/`, without their pictures.

use std::collections::BTreeSet;

use eframe::egui::{self, Id, Label, RichText, ScrollArea, TextEdit, Ui};
use egui_commonmark::{CommonMarkCache, CommonMarkScrollOptions, CommonMarkViewer};

use super::theme::{SMALL, STEP, present};
use super::widgets::{self, FieldState};

/// A page of `docs/`.
struct Page {
    /// Within `docs/`.
    path: &'static str,
    /// In the list of pages.
    title: &'static str,
    text: &'static str,
}

macro_rules! page {
    ($path:literal, $title:literal) => {
        Page { path: $path, title: $title, text: include_str!(concat!("../../docs/", $path)) }
    };
}

/// All pages, in the order of the list.
const PAGES: &[Page] = &[
    page!("guide.md", "User guide"),
    page!("guide/install.md", "Install"),
    page!("guide/networks.md", "Networks"),
    page!("guide/lottery.md", "Lottery tickets"),
    page!("guide/freezing.md", "Freezing"),
    page!("guide/shared-trunk.md", "Shared trunk"),
    page!("guide/past.md", "Past and present"),
    page!("guide/clones.md", "Clones"),
    page!("guide/faults.md", "Faults"),
    page!("guide/optimizers.md", "Optimizers"),
    page!("guide/command-line.md", "Command line"),
    page!("guide/cluster.md", "Clusters"),
    page!("guide/data.md", "Data and devices"),
    page!("guide/results.md", "Result files"),
    page!("guide/sharing.md", "Sharing results"),
    page!("semantics.md", "What each setting computes"),
    page!("format.md", "All settings"),
    page!("performance.md", "Performance"),
];

const LIST: f32 = 200.0;

/// The window with the user guide.
#[derive(Default)]
pub struct Guide {
    is_open: bool,
    page: usize,
    search: String,
    shown: Option<PreparedPage>,
    cache: CommonMarkCache,
}

struct PreparedPage {
    index: usize,
    text: String,
    /// Those to other pages.
    links: BTreeSet<String>,
}

impl Guide {
    pub const fn open(&mut self) {
        self.is_open = true;
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
        widgets::field_ui(ui, field, FieldState::Plain);
        ui.add_space(STEP);
        let wanted = self.search.trim().to_lowercase();
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let mut found = 0;
            for (index, Page { title, text, .. }) in PAGES.iter().enumerate() {
                let hits = if wanted.is_empty() { 0 } else { text.to_lowercase().matches(&wanted).count() };
                if !wanted.is_empty() && hits == 0 {
                    continue;
                }
                found += 1;
                let name = if hits > 0 { format!("{title}  ({hits})") } else { (*title).to_owned() };
                let row = egui::Button::selectable(index == self.page, name).truncate();
                if ui.add_sized([ui.available_width(), 0.0], row).clicked() {
                    self.page = index;
                }
            }
            if found == 0 {
                let none = RichText::new("No page has these words.").size(SMALL).color(present(ui).text3);
                ui.add(Label::new(none).wrap());
            }
        });
    }

    fn page_ui(&mut self, ui: &mut Ui) {
        if self.shown.as_ref().is_none_or(|shown| shown.index != self.page) {
            let Page { path, text, .. } = &PAGES[self.page];
            let text = prepared(text);
            let links = links(path, &text);
            self.cache.link_hooks_clear();
            for link in &links {
                self.cache.add_link_hook(link);
            }
            self.shown = Some(PreparedPage { index: self.page, text, links });
        }
        let Some(PreparedPage { index, text, links }) = &self.shown else { return };
        let id = Id::unique(("guide page", *index));
        CommonMarkViewer::new().enable_scroll_to_heading(true).show_scrollable(
            id,
            ui,
            &mut self.cache,
            &CommonMarkScrollOptions::default(),
            text,
        );
        let clicked = links.iter().find(|link| self.cache.get_link_hook(link) == Some(true));
        let target = clicked.and_then(|link| target(PAGES[*index].path, link));
        if let Some((page, heading)) = target {
            self.page = page;
            self.cache.scroll_to_heading(&Id::unique(("guide page", page)), heading);
        }
    }
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

/// Returns the text without pictures, and with an anchor at each heading as on the web.
fn prepared(text: &str) -> String {
    let text = &without_wide_tables(text);
    let mut is_code = false;
    let mut prepared = String::with_capacity(text.len() + 1024);
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let is_picture = line.starts_with("![");
        if !is_code && is_picture {
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
    fn pictures_are_left_out_and_code_stays() {
        let text = prepared("# A b, c!\n![a picture](x.png)\n```\n# comment\n![kept](y)\n```\nend");
        assert_eq!(text, "# A b, c! {#a-b-c}\n```\n# comment\n![kept](y)\n```\nend\n");
    }
}
