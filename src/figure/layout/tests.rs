use proptest::prelude::*;

use super::*;
use crate::axis::{Axis, Category};
use crate::font::{CAP_HEIGHT, width};
use crate::model::{Line, LineRound};
use crate::plots::testing::by_batch;
use crate::scene::page::page_facts;
use crate::{Bars, Cells, LegendPlace, Size, style_of};
use results::facets::FacetAxes;
use results::number::Format;
use results::view::Preset;

/// The rectangle of a text, without the little that descenders need.
fn rect(text: &Text) -> Rect {
    let (long, high) = (width(&text.content, text.size, text.weight), text.size * CAP_HEIGHT);
    let before = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => long / 2.0,
        Anchor::End => long,
    };
    let [x, y] = text.at;
    if text.upwards {
        let bottom = y + before;
        return Rect { left: x - high, right: x, top: bottom - long, bottom };
    }
    Rect { left: x - before, right: x - before + long, top: y - high, bottom: y }
}

/// All texts, also those of the legend.
fn rects(layout: &Layout<'_>) -> Vec<(Rect, String)> {
    let mut rects: Vec<_> = layout.texts.iter().map(|text| (rect(text), text.content.clone())).collect();
    if matches!(layout.place, LegendPlace::Inside | LegendPlace::Corner(_)) {
        return rects; // within the data
    }
    for row in &layout.legend.rows {
        let mut at = [row.text[0] + layout.legend_at[0], row.text[1] + layout.legend_at[1]];
        for line in &row.lines {
            rects.push((rect(&Text::new(line, at, Anchor::Start, layout.legend.font)), line.clone()));
            at[1] += LINE_HEIGHT * layout.legend.font;
        }
    }
    rects
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

fn options(size: Size) -> Options {
    Options { size, notes: true, footnote: true, ..Options::default() }
}

fn check(figure: &Figure, size: &Size) -> Result<(), String> {
    let layout = layout(figure, &options(*size));
    let rects = rects(&layout);
    for (index, (a, text)) in rects.iter().enumerate() {
        let inside = a.left >= -0.01 && a.top >= -0.01;
        if !inside || a.right > layout.page[0] + 0.01 || a.bottom > layout.page[1] + 0.01 {
            return Err(format!("{text:?} is not on the paper: {a:?}"));
        }
        if overlap(a, &layout.plot) && text != "No data yet" {
            return Err(format!("{text:?} covers data: {a:?} {:?}", layout.plot));
        }
        if let Some((_, other)) = rects[..index].iter().find(|(b, _)| overlap(a, b)) {
            return Err(format!("{text:?} overlaps {other:?}"));
        }
    }
    Ok(())
}

fn figure(names: &[String], ends: [f64; 2]) -> Figure {
    let points = vec![[ends[0], 0.1], [ends[1], 0.9]];
    let lines = names.iter().enumerate().map(|(i, name)| Line::new(name, style_of(i), points.clone()));
    Figure {
        title: "A figure".to_owned(),
        x: Axis::new("Epochs trained", ""),
        y: Axis::percent("Test accuracy"),
        lines: lines.collect(),
        note: "mean over 3 seeds, bars: 95 % CI".into(),
        ..Figure::default()
    }
}

#[test]
fn long_names_overlap_nothing_at_any_size() {
    let names: Vec<String> = (0..12).map(|i| format!("{i} {}", "winning ticket reset ".repeat(4))).collect();
    for preset in Preset::ALL {
        for legend in [LegendPlace::Right, LegendPlace::Above, LegendPlace::Below, LegendPlace::Hidden] {
            let size = Size { legend, ..preset.size() };
            assert_eq!(check(&figure(&names, [0.0, 12.0]), &size), Ok(()), "{preset:?} {legend:?}");
        }
    }
}

#[test]
fn the_page_has_the_requested_size_and_a_long_legend_gets_smaller_then_shorter() {
    let long = figure(
        &(0..60).map(|i| format!("arm {i} with a name of some length")).collect::<Vec<_>>(),
        [0.0, 12.0],
    );
    let places = [
        LegendPlace::Inside,
        LegendPlace::Right,
        LegendPlace::Above,
        LegendPlace::Below,
        LegendPlace::LineEnds,
    ];
    for (preset, legend) in Preset::ALL.into_iter().flat_map(|preset| places.map(|place| (preset, place))) {
        let size = Size { legend, ..preset.size() };
        let layout = layout(&long, &options(size));
        assert_eq!(layout.page, [size.width_pt, size.height_pt]);
        let high = layout.plot.bottom - layout.plot.top;
        assert!(high >= (LEAST_PLOT - 0.06) * size.height_pt, "{preset:?} {legend:?}: {high}");
        assert_eq!(check(&long, &size), Ok(()), "{preset:?} {legend:?}");
        assert!(layout.legend.font < size.font_pt);
    }
}

#[test]
fn one_column_of_six_arms_keeps_most_of_its_height_for_data() {
    let names: Vec<String> = (0..6).map(|i| format!("winning ticket {i}")).collect();
    let size = Preset::Own { width: 85.0, height: 60.0 }.size();
    let long = figure(&names, [0.0, 12.0]);
    for legend in [LegendPlace::Inside, LegendPlace::LineEnds, LegendPlace::Hidden] {
        let untitled = Figure { title: String::new(), ..long.clone() };
        let options = Options { size: Size { legend, ..size }, ..Options::default() };
        let layout = layout(&untitled, &options);
        let share = (layout.plot.bottom - layout.plot.top) / size.height_pt;
        assert!(share >= 0.7, "{legend:?}: {share}");
        assert_eq!(layout.legend.omitted, 0);
    }
}

/// Six arms with four trainings each, whose accuracy is `y` after so many epochs.
fn by_round(y: impl Fn(u32) -> f64) -> Figure {
    let line = |(arm, number): (usize, usize)| {
        let of = format!("winning ticket {arm}");
        let remaining = Some(2.0 / 2.0_f64.powf(number as f64));
        let round = LineRound { arm: of.clone(), of, number, remaining };
        let name = format!("{}, {}", round.of, round.level());
        let points = (1..=20).map(|x| [f64::from(x), y(x) - 0.01 * (arm + number) as f64]).collect();
        Line { round: Some(round), ..Line::new(&name, style_of(arm).with_shade(number as f64 / 4.0), points) }
    };
    let lines = (0..6).flat_map(|arm| (1..=4).map(move |number| (arm, number))).map(line).collect();
    let x = Axis::new("Epochs in this training", "");
    Figure { x, y: Axis::percent("Test accuracy"), lines, ..Figure::default() }
}

#[test]
fn one_column_of_six_arms_by_round_keeps_most_of_its_height_for_data() {
    let rising = by_round(|x| 0.95 - 0.6 / f64::from(x * x));
    let full = by_round(|x| if x % 2 == 0 { 0.9 } else { 0.3 });
    for size in [Preset::OneColumn.size(), Preset::Own { width: 85.0, height: 60.0 }.size()] {
        for (figure, place) in [(&rising, LegendPlace::Inside), (&full, LegendPlace::Right)] {
            let options = options(size);
            assert_eq!(page_facts(figure, &options).legend, place);
            let layout = if place == LegendPlace::Right {
                outside(figure, &options)
            } else {
                layout(figure, &options)
            };
            let share = (layout.plot.bottom - layout.plot.top) / size.height_pt;
            assert!(share >= 0.7, "{place:?}: {share}");
            assert_eq!((layout.place, layout.legend.omitted), (place, 0));
        }
    }
}

#[test]
fn all_bits_have_their_labels_in_one_column() {
    let bits: Vec<String> = (0..32).rev().map(|bit| format!("b{bit}")).collect();
    let figure = named_figure(1, &bits);
    let paper = layout(&figure, &options(Preset::Own { width: 85.0, height: 60.0 }.size()));
    assert!(bits.iter().all(|bit| paper.texts.iter().any(|text| text.content == *bit)));
    assert_eq!(check(&figure, &Preset::Own { width: 85.0, height: 60.0 }.size()), Ok(()));
}

#[test]
fn an_empty_figure_says_so() {
    let empty = Figure::default();
    let layout = layout(&empty, &Options::default());
    assert!(layout.texts.iter().any(|text| text.content == "No data yet"));
}

fn named(title: &str, names: &[String]) -> Axis {
    let group = |index: usize| ["sign", "exponent", "mantissa"][(index + 2) / 5 % 3].to_owned();
    let category = |(index, name): (usize, &String)| Category {
        name: name.clone(),
        group: group(index),
        ..Category::default()
    };
    Axis::named(title, names.iter().enumerate().map(category).collect())
}

/// A heat map, standing bars, or lying bars over these names.
fn named_figure(kind: usize, names: &[String]) -> Figure {
    let axis = named("Bit", names);
    let values = vec![0.25; names.len()];
    let bars = ["masked", "SDC"].map(|name| Bars {
        name: name.to_owned(),
        values: values.clone(),
        ..Bars::default()
    });
    match kind {
        0 => {
            let values = vec![values; names.len()];
            let cells = Cells { axis: Axis::percent("SDC share"), values, ..Cells::default() };
            Figure {
                x: axis.clone(),
                y: Axis { reversed: true, ..axis },
                cells: Some(cells),
                ..Figure::default()
            }
        }
        1 => Figure { x: axis, y: Axis::percent("Share"), bars: bars.to_vec(), ..Figure::default() },
        _ => Figure {
            x: Axis::percent("Share"),
            y: Axis { reversed: true, ..axis },
            bars: bars.to_vec(),
            ..Figure::default()
        },
    }
}

#[test]
fn thirty_two_bits_have_their_fields_below_and_all_layers_their_names() {
    let bits: Vec<String> = (0..32).rev().map(|bit| format!("b{bit}")).collect();
    let figure = named_figure(1, &bits);
    let paper = layout(&figure, &options(Preset::TwoColumns.size()));
    let has = |name: &str| paper.texts.iter().any(|text| text.content == name);
    assert!(has("exponent") && has("mantissa") && has("b31") && paper.brackets.len() >= 3);
    let layers: Vec<String> = (0..16).map(|index| format!("features.{index}")).collect();
    let figure = named_figure(2, &layers);
    let paper = layout(&figure, &options(Preset::TwoColumns.size()));
    assert!(layers.iter().all(|layer| paper.texts.iter().any(|text| text.content == *layer)));
}

proptest! {
    #[test]
    fn names_and_colour_scales_overlap_nothing(
        names in prop::collection::vec("[a-z0-9.]{1,60}", 1..40), kind in 0..3_usize, preset in 0..3_usize,
    ) {
        let size = Preset::ALL[preset].size();
        prop_assert_eq!(check(&named_figure(kind, &names), &size), Ok(()));
    }

    #[test]
    fn nothing_ever_overlaps(
        names in prop::collection::vec("[a-zA-Z0-9 _.,=-]{0,90}", 0..9),
        low in -1e7..1e7_f64, span in 1e-4..1e8_f64, log in any::<bool>(), power in any::<bool>(),
        place in 0..3_usize, preset in 0..3_usize,
    ) {
        let low = if log { low.abs() + 1e-6 } else { low };
        let mut figure = figure(&names, [low, low + span]);
        if log { figure.x = figure.x.log(); }
        if power { figure.x.format = Format::Power; }
        let legend = [LegendPlace::Right, LegendPlace::Above, LegendPlace::Below][place];
        let size = Size { legend, ..Preset::ALL[preset].size() };
        prop_assert_eq!(check(&figure, &size), Ok(()));
    }
}

#[test]
fn the_details_of_names_are_a_second_line_where_rows_are_high_enough() {
    let category = |name: &str| Category {
        name: name.to_owned(),
        detail: "6,400 weights".to_owned(),
        ..Category::default()
    };
    let of = |rows: usize| {
        let cells = Cells { values: vec![vec![0.5]; rows], ..Cells::default() };
        let y = Axis::named("Layer", (0..rows).map(|row| category(&format!("fc{row}"))).collect());
        Figure { x: Axis::of_names("Bit", ["b1".to_owned()]), y, cells: Some(cells), ..Figure::default() }
    };
    let (few, many) = (of(3), of(30));
    let [few, many] = [&few, &many].map(|figure| layout(figure, &Options::default()));
    let details = |layout: &Layout<'_>| -> Vec<Text> {
        layout.texts.iter().filter(|text| text.content == "6,400 weights").cloned().collect()
    };
    assert_eq!((details(&few).len(), details(&many).len()), (3, 0));
    let name = few.texts.iter().find(|text| text.content == "fc0").unwrap();
    let detail = &details(&few)[0];
    assert!(detail.muted && detail.size < name.size && detail.at[1] > name.at[1] + 0.8 * name.size);
    let left = detail.at[0] - width(&detail.content, detail.size, Weight::Regular);
    assert!(left > 0.0 && few.plot.left > many.plot.left, "there is room for them");
}

/// All texts of the panels and around them, with the rectangles of the data.
fn check_panels(figure: &Figure, size: Size) -> Result<(), String> {
    let layout = layout(figure, &options(size));
    let mut rects = rects(&layout);
    rects.extend(
        layout.panels.iter().flat_map(|panel| &panel.texts).map(|text| (rect(text), text.content.clone())),
    );
    for (index, (a, text)) in rects.iter().enumerate() {
        if a.left < -0.01
            || a.top < -0.01
            || a.right > layout.page[0] + 0.01
            || a.bottom > layout.page[1] + 0.01
        {
            return Err(format!("{text:?} is not on the paper: {a:?}"));
        }
        if layout.panels.iter().any(|panel| overlap(a, &panel.plot)) {
            return Err(format!("{text:?} covers data: {a:?}"));
        }
        if let Some((_, other)) = rects[..index].iter().find(|(b, _)| overlap(a, b)) {
            return Err(format!("{text:?} overlaps {other:?}"));
        }
    }
    Ok(())
}

#[test]
fn heads_of_panels_count_the_seeds_where_there_are_several() {
    let mut figure = by_batch(&[16, 64, 256], FacetAxes::Shared);
    figure.facets.as_mut().unwrap().change(|index, panel| {
        for (nth, line) in panel.lines.iter_mut().enumerate() {
            line.counts = match index {
                0 => vec![5; 3],
                1 => vec![5, 5, 3 + nth as u32],
                _ => Vec::new(),
            };
        }
    });
    let layout = layout(&figure, &Options::default());
    let shown: Vec<&str> = layout.texts.iter().map(|text| text.content.as_str()).collect();
    assert!(shown.contains(&"n = 5 each") && shown.contains(&"n = 3–5"), "{shown:?}");
    assert_eq!(shown.iter().filter(|text| text.starts_with("n =")).count(), 2, "one seed is no mean");
}

#[test]
fn panels_their_heads_and_their_labels_overlap_nothing() {
    for count in [1, 2, 3, 5, 8] {
        let sizes: Vec<u32> = (0..count).map(|power| 16 << power).collect();
        for axes in [FacetAxes::Shared, FacetAxes::Free] {
            for preset in Preset::ALL {
                for legend in
                    [LegendPlace::Inside, LegendPlace::Right, LegendPlace::Below, LegendPlace::Hidden]
                {
                    let size = Size { legend, ..preset.size() };
                    let found = check_panels(&by_batch(&sizes, axes), size);
                    assert_eq!(found, Ok(()), "{count} {axes:?} {preset:?} {legend:?}");
                }
            }
        }
    }
}

#[test]
fn shared_axes_have_labels_at_the_outer_panels_alone() {
    let labels = |axes: FacetAxes| -> Vec<usize> {
        let figure = by_batch(&[16, 64, 256, 1024], axes);
        let layout = layout(&figure, &options(Preset::TwoColumns.size()));
        layout.panels.iter().map(|panel| panel.texts.len()).collect()
    };
    let (shared, free) = (labels(FacetAxes::Shared), labels(FacetAxes::Free));
    assert!(free.iter().all(|count| *count >= 6), "{free:?}");
    let (inner, outer) = (shared.iter().min().unwrap(), shared.iter().max().unwrap());
    assert!(
        *inner < *outer && shared.iter().sum::<usize>() < free.iter().sum::<usize>() * 3 / 4,
        "{shared:?}"
    );
    let figure = by_batch(&[16, 64, 256, 1024], FacetAxes::Shared);
    let wide = layout(&figure, &options(Preset::TwoColumns.size()));
    let sizes = wide
        .panels
        .iter()
        .map(|panel| [panel.plot.right - panel.plot.left, panel.plot.bottom - panel.plot.top]);
    let sizes: Vec<[f64; 2]> = sizes.collect();
    assert!(
        sizes.iter().all(|size| (size[0] - sizes[0][0]).abs() < 1e-9 && (size[1] - sizes[0][1]).abs() < 1e-9)
    );
}

#[test]
fn small_panels_make_the_grid_larger_than_its_space() {
    let figure = by_batch(&(1..=20).collect::<Vec<_>>(), FacetAxes::Shared);
    let facets = figure.facets.as_ref().unwrap();
    let [wide, high] = least(facets, [300.0, 200.0], 12.0);
    assert!((wide - 300.0).abs() < 1e-9 && high > 1000.0, "{wide} {high}");
    assert_eq!(least(facets, [2000.0, 1500.0], 12.0), [2000.0, 1500.0]);
}
