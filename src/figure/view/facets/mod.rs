//! Splits the runs of a plot by the values of settings: a figure for each panel, and one around them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cells::{CellText, Cells};
use crate::distinct;
use crate::facets::{Facets, Head, Panel};
use crate::model::{Bars, Figure, Line, Note};
use crate::plots::{ArmRuns, in_panels};
use crate::view::details;
use results::by_key;
use results::colours::{base, shaded_again};
use results::facets::{FacetSettings, MOST_PANELS, MOST_VALUES};
use results::metric::differing;
use results::table::columns::Column;
use results::table::settings::{NONE, compare, without_value};
use results::table::{Labels, LineFacts, Row};

/// Returns the columns that can split these runs into panels, with their names: settings that differ, the arm, and the
/// seed.
pub fn choices(arms: &[ArmRuns]) -> Vec<(Column, String)> {
    let rows: Vec<&Row> = arms.iter().flat_map(|arm| &arm.rows).map(Arc::as_ref).collect();
    let Some(first) = rows.first() else { return Vec::new() };
    let settings = differing(&rows).into_iter().filter(|path| path != "plan").map(Column::Setting);
    let several = [
        (Column::Arm, rows.iter().any(|row| row.arm_index != first.arm_index)),
        (Column::Seed, rows.iter().any(|row| row.seed != first.seed)),
    ];
    let others = several.into_iter().filter_map(|(column, differs)| differs.then_some(column));
    settings
        .chain(others)
        .map(|column| {
            let name = label(&column, &first.labels);
            (column, name)
        })
        .collect()
}

/// Names the column within a line: "learning rate", "seed".
pub(super) fn label(column: &Column, labels: &Labels) -> String {
    let title = match column {
        Column::Seed => return "seed".to_owned(),
        _ => column.title(labels),
    };
    // "L2 penalty" and "SGD" keep their letters.
    let is_word = title.chars().nth(1).is_none_or(|second| second.is_lowercase() || second == ' ');
    let mut letters = title.chars();
    match letters.next() {
        Some(first) if is_word => first.to_lowercase().chain(letters).collect(),
        _ => title,
    }
}

/// Returns the figure with a panel for each value of the settings that some runs have; `single` is that of the runs of a panel.
/// Where figures show one arm, lines that would share a panel have one each.
pub fn faceted(
    arms: &[ArmRuns],
    chosen: &FacetSettings,
    one_arm: bool,
    single: impl Fn(&[ArmRuns]) -> Figure,
) -> Figure {
    let bases = bases(arms);
    let keys: Vec<Key<'_>> =
        chosen.by.iter().filter_map(|column| Key::new(column, arms, &bases)).take(2).collect();
    let is_split = one_arm && arms.len() > 1;
    if keys.is_empty() && !is_split {
        return single(arms);
    }
    let mut refused = refusal(&keys);
    let mut pieces = if refused.is_empty() { pieces(arms, &keys, &bases) } else { Vec::new() };
    let mut sides: Vec<Side> =
        keys.iter().map(|key| Side { key: key.column.key(), values: key.values.clone() }).collect();
    if is_split {
        by_line(&mut pieces, &mut sides);
        let count = sides.iter().map(|side| side.values.len()).product::<usize>();
        let longest = sides.iter().map(|side| side.values.len()).max().unwrap_or_default();
        if refused.is_empty() && longest > MOST_VALUES {
            refused =
                format!("There are {longest} settings, and a figure has panels for up to {MOST_VALUES}");
        } else if refused.is_empty() && count > MOST_PANELS {
            refused = format!("There are {count} panels, and a figure has up to {MOST_PANELS}");
        }
    }
    let heads = |nth: usize| -> Vec<Head> {
        sides.get(nth).into_iter().flat_map(|side| &side.values).map(|(_, head)| head.clone()).collect()
    };
    let mut facets = Facets {
        keys: sides.iter().map(|side| side.key.clone()).collect(),
        columns: heads(0),
        rows: heads(1),
        axes: chosen.axes,
        refusal: refused,
        ..Facets::default()
    };
    if !facets.refusal.is_empty() {
        return Figure { facets: Some(facets), ..single(&[]) };
    }
    let places: BTreeSet<[usize; 2]> = pieces.iter().map(|piece| piece.place).collect();
    let mut figures: Vec<Figure> = Vec::new();
    for place in places {
        let own = pieces.iter().filter(|piece| piece.place == place).map(|piece| piece.arm.clone());
        figures.push(single(&own.collect::<Vec<_>>()));
        let values = sides.iter().zip([place[1], place[0]]).map(|(side, index)| side.values[index].0.clone());
        facets.panels.push(Panel { place, values: values.collect(), figure: Arc::default() });
    }
    around(facets, figures, &merged(&pieces))
}

/// Returns the names of arms without the values of their sweeps, by their places in the document.
fn bases(arms: &[ArmRuns]) -> BTreeMap<usize, String> {
    let rows = arms.iter().flat_map(|arm| &arm.rows);
    let names = by_key(distinct(rows.map(|row| (row.arm_index, row.arm.as_str()))));
    names.into_iter().map(|(index, names)| (index, base(&names).to_owned())).collect()
}

/// A column that splits runs, and its values in order.
struct Key<'a> {
    column: &'a Column,
    values: Vec<(String, Head)>,
}

impl<'a> Key<'a> {
    /// Returns the values of the runs; `None` if no run has one.
    fn new(column: &'a Column, arms: &[ArmRuns], bases: &BTreeMap<usize, String>) -> Option<Self> {
        let mut values: Vec<(String, usize, Head)> = Vec::new();
        for row in arms.iter().flat_map(|arm| &arm.rows) {
            let Some(cell) = cell(column, row, bases) else { continue };
            if values.iter().all(|(known, ..)| *known != cell) {
                let head = match column {
                    Column::Arm => Head { label: String::new(), value: cell.clone() },
                    _ => Head { label: label(column, &row.labels), value: column.text(row) },
                };
                values.push((cell, row.arm_index, head));
            }
        }
        if *column == Column::Arm {
            values.sort_by_key(|(_, index, _)| *index);
        } else {
            values.sort_by(|a, b| compare(&a.0, &b.0));
        }
        let has_value = values.iter().any(|(cell, ..)| cell != NONE);
        let values = values.into_iter().map(|(cell, _, head)| (cell, head)).collect();
        has_value.then_some(Self { column, values })
    }
}

/// Returns the value of a run, for tables; none of a setting of a run whose settings are unknown.
fn cell(column: &Column, row: &Row, bases: &BTreeMap<usize, String>) -> Option<String> {
    match column {
        Column::Arm => bases.get(&row.arm_index).cloned(),
        Column::Setting(_) if !row.has_settings() => None,
        _ => Some(column.cell(row)),
    }
}

/// Returns why there are too many panels; empty if there are not.
fn refusal(keys: &[Key<'_>]) -> String {
    let name = |key: &Key<'_>| key.values.first().map_or("", |(_, head)| &head.label).to_owned();
    if let Some(key) = keys.iter().find(|key| key.values.len() > MOST_VALUES) {
        let (name, count) = (name(key), key.values.len());
        let name = if name.is_empty() { "arm".to_owned() } else { name };
        return format!(
            "There are {count} values of \"{name}\", and a figure has panels for up to {MOST_VALUES}"
        );
    }
    let count: usize = keys.iter().map(|key| key.values.len()).product();
    if count > MOST_PANELS {
        return format!("These settings make {count} panels, and a figure has up to {MOST_PANELS}");
    }
    String::new()
}

/// The runs of a line in one panel.
struct Piece {
    place: [usize; 2],
    arm: ArmRuns,
}

/// Splits lines by panels. The values that head a panel leave the names of its lines, so that a line has one name and one
/// style in all panels.
fn pieces(arms: &[ArmRuns], keys: &[Key<'_>], bases: &BTreeMap<usize, String>) -> Vec<Piece> {
    let place_of = |row: &Row| {
        let index = |key: &Key<'_>| {
            let cell = cell(key.column, row, bases)?;
            key.values.iter().position(|(value, _)| *value == cell)
        };
        Some([keys.get(1).map_or(Some(0), index)?, keys.first().map_or(Some(0), index)?])
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for arm in arms {
        let runs = arm.runs.iter().cloned().zip(&arm.rows);
        let placed = runs.filter_map(|(run, row)| Some((place_of(row)?, (run, Arc::clone(row)))));
        // Runs that have not begun make no panels.
        for (place, runs) in by_key(placed) {
            let (runs, rows) = runs.into_iter().unzip();
            let waiting = arm.waiting.iter().filter(|row| place_of(row) == Some(place)).cloned().collect();
            let arm = ArmRuns { name: arm.name.clone(), colour: arm.colour, runs, rows, waiting };
            pieces.push(Piece { place, arm });
        }
    }
    let short = |piece: &Piece| {
        let values = keys.iter().zip([piece.place[1], piece.place[0]]);
        values.fold(piece.arm.name.clone(), |name, (key, index)| match key.column {
            Column::Setting(path) => without_value(&name, path, &key.values[index].0),
            _ => name,
        })
    };
    let names: Vec<String> = pieces.iter().map(short).collect();
    let distinct: BTreeSet<_> = pieces.iter().zip(&names).map(|(piece, name)| (piece.place, name)).collect();
    let is_short = pieces.iter().zip(&names).any(|(piece, name)| piece.arm.name != *name);
    if is_short && distinct.len() == pieces.len() {
        let lines: Vec<_> = names.into_iter().zip(pieces.iter().map(|piece| piece.arm.colour)).collect();
        let colours = shaded_again(&lines);
        for ((piece, (name, _)), colour) in pieces.iter_mut().zip(lines).zip(colours) {
            (piece.arm.name, piece.arm.colour) = (name, colour);
        }
    }
    pieces
}

/// Returns the lines of all panels together.
fn merged(pieces: &[Piece]) -> Vec<ArmRuns> {
    let arms = by_key(pieces.iter().map(|Piece { arm, .. }| ((arm.name.as_str(), arm.colour), arm)));
    let line = |((name, colour), arms): ((&str, usize), Vec<&ArmRuns>)| ArmRuns {
        name: name.to_owned(),
        colour,
        runs: arms.iter().flat_map(|arm| &arm.runs).cloned().collect(),
        rows: arms.iter().flat_map(|arm| &arm.rows).cloned().collect(),
        waiting: arms.iter().flat_map(|arm| &arm.waiting).cloned().collect(),
    };
    arms.into_iter().map(line).collect()
}

/// Returns the figure around its panels, with what the legend, the axes and the small print need.
fn around(mut facets: Facets, mut figures: Vec<Figure>, arms: &[ArmRuns]) -> Figure {
    share_colours(&mut figures);
    let levels = in_panels(&mut figures);
    let note = note(&facets, &figures);
    let first = figures.iter().find(|figure| figure.has_data()).or_else(|| figures.first()).cloned();
    let mut whole = first.unwrap_or_default();
    (whole.x.range, whole.y.range, whole.levels) = (None, None, levels);
    let in_both = |mut a: BTreeMap<String, String>, b: BTreeMap<String, String>| {
        a.retain(|name, other| b.get(name) == Some(other));
        a
    };
    let names = figures.iter().map(|figure| figure.in_legend.clone());
    whole.in_legend = names.reduce(in_both).unwrap_or_default();
    (whole.lines, whole.bars, whole.reference_lines) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(cells) = &mut whole.cells {
        *cells = Cells {
            kinds: cells.kinds.clone(),
            axis: cells.axis.clone(),
            colour_map: cells.colour_map,
            ..Cells::default()
        };
    }
    for figure in &mut figures {
        for line in &figure.lines {
            if !whole.lines.iter().any(|known| (&known.name, known.style) == (&line.name, line.style)) {
                let line =
                    Line { names: line.names.clone(), ..Line::new(&line.name, line.style, Vec::new()) };
                whole.lines.push(line);
            }
        }
        for bars in &figure.bars {
            if !whole.bars.iter().any(|known| (&known.name, &known.stack) == (&bars.name, &bars.stack)) {
                whole.bars.push(Bars { values: Vec::new(), ..bars.clone() });
            }
        }
        for line in &figure.reference_lines {
            if !whole.reference_lines.iter().any(|known| known.name == line.name) {
                whole.reference_lines.push(line.clone());
            }
        }
        for kind in figure.cells.iter().flat_map(|cells| &cells.kinds) {
            let Some(cells) = &mut whole.cells else { continue };
            match cells.kinds.iter_mut().find(|known| known.name == kind.name) {
                Some(known) => known.count = known.count.max(kind.count),
                None => cells.kinds.push(kind.clone()),
            }
        }
        figure.title.clear();
        figure.note = Note::default();
        figure.details.clear();
    }
    for (panel, figure) in facets.panels.iter_mut().zip(figures) {
        panel.figure = Arc::new(figure);
    }
    whole.note = note;
    whole.details = details(&whole, arms);
    whole.facts = LineFacts::default();
    whole.facets = Some(facets);
    whole
}

/// Gives the cells of all panels the same scale of colours and the same room for texts, and all runs the same scale.
fn share_colours(figures: &mut [Figure]) {
    let cells =
        figures.iter_mut().filter_map(|figure| figure.cells.as_mut()).filter(|cells| cells.has_data());
    share(cells.collect());
    share(figures.iter_mut().filter_map(|figure| figure.run_scale.as_mut()).collect());
}

fn share(scales: Vec<&mut Cells>) {
    let ranges = scales.iter().map(|cells| cells.range());
    let all = ranges.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    let widest = scales.iter().fold(CellText::default(), |widest, cells| cells.wider(&widest));
    for cells in scales {
        (cells.axis.range, cells.widest) = (all, widest.clone());
    }
}

/// Returns the small print of all panels; with their names where they differ. Trials are those of all panels together.
fn note(facets: &Facets, figures: &[Figure]) -> Note {
    let with_data = || figures.iter().zip(&facets.panels).filter(|(figure, _)| figure.has_data());
    let bare = |(figure, _): (&Figure, &Panel)| Note { trials: Vec::new(), ..figure.note.clone() };
    let notes: BTreeSet<Note> = with_data().map(bare).collect();
    if notes.len() < 2 {
        let whole = notes.into_iter().next().unwrap_or_default();
        return with_data().fold(whole, |whole, (figure, _)| whole.and_trials_of(&figure.note));
    }
    let parts =
        with_data().map(|(figure, panel)| format!("{}: {}", facets.title(panel), figure.note.text("")));
    // Panels without an interval have single runs.
    let intervals = notes.iter().map(|note| note.interval.as_str()).filter(|interval| !interval.is_empty());
    let interval = distinct(intervals).join(" or ");
    Note { what: parts.collect::<Vec<_>>().join("; "), interval, ..Note::default() }
}

/// The columns of a grid of panels, or its rows.
struct Side {
    key: String,
    values: Vec<(String, Head)>,
}

/// Gives lines that would share a panel one each, along the side of the grid that no setting has.
fn by_line(pieces: &mut [Piece], sides: &mut Vec<Side>) {
    let is_shared =
        |(at, piece): (usize, &Piece)| pieces[..at].iter().any(|other| other.place == piece.place);
    if sides.len() > 1 || !pieces.iter().enumerate().any(is_shared) {
        return;
    }
    let names = distinct(pieces.iter().map(|piece| piece.arm.name.clone()));
    for piece in &mut *pieces {
        let index = names.iter().position(|name| *name == piece.arm.name).unwrap_or_default();
        piece.place[1 - sides.len()] = index;
    }
    // The settings of one arm go without its name.
    let own = format!("{}, ", base(&names.iter().map(String::as_str).collect::<Vec<_>>()));
    let short: Option<Vec<&str>> = names.iter().map(|name| name.strip_prefix(&own)).collect();
    let short = short.unwrap_or_else(|| names.iter().map(String::as_str).collect());
    let heads = short.into_iter().map(|name| Head { label: String::new(), value: name.to_owned() });
    sides.push(Side { key: Column::Arm.key(), values: names.iter().cloned().zip(heads).collect() });
}

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod tests;
