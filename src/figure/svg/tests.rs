use super::*;
use crate::axis::{Axis, Category};
use crate::cells::Cells;
use crate::export::picture;
use crate::font::width;
use crate::layout::layout;
use crate::model::{Bars, Line, Note, ReferenceLine, Seeds, Trace};
use crate::palette::{Theme, colour};
use crate::plots::testing::by_batch;
use crate::raster::pdf;
use crate::scene::page::page_facts;
use crate::{IntervalStyle, LegendPlace, Size, Style, style_of};
use results::facets::FacetAxes;
use results::statistics::Band;
use results::view::Preset;

fn options(preset: Preset) -> Options {
    Options { size: preset.size(), ..Options::default() }
}

fn example() -> Figure {
    let points = vec![[0.0, 0.5], [1.0, 0.8], [2.0, f64::NAN], [3.0, 0.9], [4.0, 0.95]];
    let band = vec![Band { x: 0.0, low: 0.4, high: 0.6 }, Band { x: 1.0, low: 0.7, high: 0.9 }];
    let traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.4], [1.0, 0.7]] }];
    let line = Line { band, traces, ..Line::new("tickets <20 %> & \"dense\"", style_of(0), points) };
    Figure {
        title: "Tickets & their levels".to_owned(),
        x: Axis::new("Epochs trained", ""),
        y: Axis::percent("Test accuracy"),
        lines: vec![line],
        reference_lines: vec![ReferenceLine::level("dense level", 0.97, None)],
        note: "mean over 3 seeds".into(),
        ..Figure::default()
    }
}

fn text_of(figure: &Figure) -> String {
    svg(figure, &options(Preset::TwoColumns))
}

#[test]
fn equal_figures_have_equal_bytes() {
    assert_eq!(text_of(&example()), text_of(&example().clone()));
}

#[test]
fn text_stays_text_and_is_escaped() {
    let with_note = Options { footnote: true, ..options(Preset::TwoColumns) };
    let text = svg(&example(), &with_note);
    for expected in [
        ">Tickets &amp; their levels</text>",
        ">tickets &lt;20 %&gt; &amp; \"dense\"</text>",
        ">Test accuracy (%)</text>",
        ">Epochs trained</text>",
        ">dense level</text>",
        ">mean over 3 seeds</text>",
        ">× interrupted: the value is not finite</text>",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text_of(&example()).contains("mean over"), "papers have captions");
}

#[test]
fn an_empty_figure_says_that_there_are_no_data() {
    let text = text_of(&Figure::default());
    assert!(text.contains(">No data yet</text>"));
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

#[test]
fn a_gap_divides_the_line_and_is_marked() {
    let text = text_of(&example());
    let blue = hex(colour(0, Theme::Light));
    let pen = format!("stroke=\"{blue}\" stroke-width=\"{}\"", number(0.165 * 8.0));
    let line = text.lines().find(|line| line.contains(&pen)).unwrap();
    assert_eq!(line.matches('M').count(), 2, "{line}");
    let sign = format!("stroke=\"{blue}\" stroke-width=\"{}\"", number(0.8 * 0.165 * 8.0));
    assert!(text.contains(&sign) && !text.contains("NaN"));
}

#[test]
fn intervals_are_bars_or_bands_or_nothing() {
    let of = |intervals| svg(&example(), &Options { intervals, ..options(Preset::OneColumn) });
    let whisker = format!("stroke-width=\"{}\"", number(0.145 * 8.0));
    assert_eq!(of(IntervalStyle::Bars).matches(&whisker).count(), 2);
    assert!(of(IntervalStyle::Bands).contains("fill-opacity=\"0.18\""));
    let none = of(IntervalStyle::None);
    assert!(!none.contains(&whisker) && !none.contains("fill-opacity=\"0.18\""));
}

#[test]
fn lines_of_earlier_settings_and_of_unfinished_seeds_are_thin() {
    let thin = format!("stroke-width=\"{}\"", number(0.1 * 8.0));
    let of = |change: fn(&mut Line)| {
        let mut figure = example();
        change(&mut figure.lines[0]);
        svg(&figure, &Options { intervals: IntervalStyle::None, ..options(Preset::OneColumn) })
    };
    assert!(!of(|_| {}).contains(&thin));
    assert!(of(|line| line.style.is_muted = true).contains(&thin));
    assert!(of(|line| line.seeds = Some(Seeds { done: 0, planned: 3, running: 0 })).contains(&thin));
    let mut figure = example();
    figure.lines[0].seeds = Some(Seeds { done: 2, planned: 3, running: 1 });
    let text = svg(&figure, &options(Preset::OneColumn));
    assert!(text.contains(&thin), "the line of a seed\n{text}");
}

#[test]
fn unfinished_seeds_are_drawn_also_where_there_are_too_many_averaged_ones() {
    let mut figure = example();
    let trace =
        |number: usize| Trace { name: format!("seed {number}"), points: vec![[1.0, 0.9], [2.0, 0.95]] };
    figure.lines[0].traces = (0..40).map(trace).collect();
    figure.lines[0].seeds = Some(Seeds { done: 39, planned: 40, running: 1 });
    let width = |share: f64| format!("stroke-width=\"{}\"", number(share * 8.0));
    let text = svg(&figure, &Options { intervals: IntervalStyle::None, ..options(Preset::OneColumn) });
    assert!(text.contains(&width(0.1)) && !text.contains(&width(0.08)), "{text}");
}

#[test]
fn the_footnote_says_what_the_intervals_are_drawn_as() {
    let note = Note { interval: "95 % CI".to_owned(), ..example().note };
    let figure = Figure { note, ..example() };
    for (intervals, text) in [
        (IntervalStyle::Bars, ">mean over 3 seeds, bars: 95 % CI<"),
        (IntervalStyle::Bands, ">mean over 3 seeds, bands: 95 % CI<"),
        (IntervalStyle::None, ">mean over 3 seeds<"),
    ] {
        let drawn = svg(&figure, &Options { intervals, footnote: true, ..options(Preset::TwoColumns) });
        assert!(drawn.contains(text), "{text}\n{drawn}");
    }
}

#[test]
fn a_file_is_titled_after_its_experiment() {
    let figure = Figure { title: String::new(), name: "Accuracy".to_owned(), ..example() };
    assert!(text_of(&figure).contains("<title>Accuracy</title>"));
    let figure = figure.of_experiment(" Lottery tickets ");
    assert!(text_of(&figure).contains("<title>Lottery tickets – Accuracy</title>"));
}

#[test]
fn names_at_the_ends_of_lines_replace_the_legend() {
    let size = Size { legend: LegendPlace::LineEnds, ..Preset::TwoColumns.size() };
    let text = svg(&example(), &Options { size, ..Options::default() });
    assert_eq!(text.matches(">dense level</text>").count(), 1);
}

#[test]
fn themes_differ_in_ground_and_ink() {
    let dark = svg(&example(), &Options { theme: Theme::Dark, ..Options::default() });
    assert!(dark.contains("#1b1b1b") && !dark.contains("#ffffff"));
}

#[test]
fn hostile_names_make_no_broken_document() {
    let mut figure = example();
    figure.lines[0].name = "a\u{0}b\nc]]>\u{FFFF}\u{1F600}".to_owned();
    assert!(text_of(&figure).chars().all(|letter| letter == '\n' || !letter.is_control()));
}

#[test]
fn names_have_marks_with_whiskers_and_no_line_between_them() {
    let names = ["cat", "dog"].map(|name| Category { name: name.to_owned(), ..Category::default() });
    let style = Style { marker: Marker::Square, ..style_of(0) };
    let mut line = Line::new("a", style, vec![[0.0, 0.5], [1.0, 0.75]]);
    line.band = vec![Band { x: 0.0, low: 0.25, high: 0.75 }];
    line.traces = vec![Trace { name: "seed 1".to_owned(), points: vec![[0.0, 0.4], [1.0, f64::NAN]] }];
    let figure = Figure {
        x: Axis::named("Class", names.to_vec()),
        y: Axis::percent("Accuracy"),
        lines: vec![line],
        ..Figure::default()
    };
    let text = text_of(&figure);
    assert_eq!(text.matches("<circle").count(), 1, "the dot of the single run");
    let inside = &text[text.find("clip-path=").unwrap()..text.find("</g>").unwrap()];
    assert_eq!(inside.matches("fill=\"none\"").count(), 2, "a whisker and the sign of a gap: {inside}");
    assert!(!text.contains("NaN"));
}

fn axis(title: &str, names: &[&str]) -> Axis {
    let category = |name: &&str| Category {
        name: (*name).to_owned(),
        group: "exponent".to_owned(),
        ..Category::default()
    };
    Axis::named(title, names.iter().map(category).collect())
}

#[test]
fn every_part_that_was_measured_is_a_rectangle_of_its_colour() {
    let bars = |name: &str, colour, values: [f64; 2]| Bars {
        name: name.to_owned(),
        colour,
        values: values.to_vec(),
        ..Bars::default()
    };
    let figure = Figure {
        x: axis("Bit", &["b31", "b30"]),
        y: Axis::percent("Share of faults"),
        bars: vec![bars("masked", None, [0.75, f64::NAN]), bars("SDC", Some(1), [0.25, 0.0])],
        ..Figure::default()
    };
    let text = text_of(&figure);
    let rectangles = |colour: Rgb| text.matches(&format!("fill=\"{}\" stroke", hex(colour))).count();
    assert_eq!(rectangles(Theme::Light.pale()), 1);
    assert_eq!(rectangles([0xD5, 0x5E, 0x00]), 1, "nothing is drawn of 0 %");
    assert!(
        text.contains(">exponent</text>") && text.contains(">b30</text>") && text.contains(">masked</text>")
    );
    assert!(!text.contains("NaN"));
}

#[test]
fn a_heat_map_has_its_cells_and_the_scale_of_their_colours() {
    let values = vec![vec![0.0, 0.5], vec![f64::NAN, 0.25]];
    let cells = Cells { axis: Axis::percent("SDC share"), values, ..Cells::default() };
    let y = Axis { reversed: true, ..axis("Layer", &["fc1", "fc2"]) };
    let figure = Figure { x: axis("Bit", &["b1", "b0"]), y, cells: Some(cells), ..Figure::default() };
    let text = svg(&figure, &Options { theme: Theme::Dark, footnote: true, ..options(Preset::TwoColumns) });
    assert_eq!(text.matches("<rect").count(), 2 + 3 + 64);
    assert!(text.contains(">SDC share (%)</text>") && text.contains(">empty cells were not measured</text>"));
}

/// A thousand columns of which the right half is high; a row more than fits into equal blocks.
fn image() -> Figure {
    let row = |_| (0..1000_u16).map(|column| if column < 500 { 0.0 } else { 1.0 }).collect();
    let cells = Cells { values: (0..7).map(row).collect(), ..Cells::default() };
    let axis = |title: &str, count: f64| Axis { range: Some([-0.5, count - 0.5]), ..Axis::new(title, "") };
    Figure { x: axis("Input", 1000.0), y: axis("Output", 7.0), cells: Some(cells), ..Figure::default() }
}

#[test]
fn many_cells_are_one_image_in_every_kind_of_file() {
    let (figure, options) = (image(), Options::default());
    let drawing = svg(&figure, &options);
    assert_eq!(drawing.matches("<image").count(), 1);
    assert!(drawing.len() < 60_000, "{}", drawing.len());
    assert!(pdf(&drawing, "a").unwrap().windows(6).any(|bytes| bytes == b"/Image"));
    let ([width, height], pixels) = picture(&figure, &options).unwrap();
    let at = |x: usize, y: usize| &pixels[4 * (y * width + x)..][..3];
    let [low, high] = [0.0, 1.0].map(|share| {
        let range = figure.cells.as_ref().unwrap().range();
        figure.cells.as_ref().unwrap().colour(share, range, options.theme).unwrap()
    });
    assert_eq!(at(width / 3, height / 2), low);
    assert_eq!(at(width * 2 / 3, height / 2), high);
}

#[test]
fn single_runs_have_no_line_through_them_and_the_best_point_has_a_ring() {
    let points: Vec<[f64; 2]> = (0..100).map(|nth| [f64::from(nth), 0.5]).collect();
    let line = Line::new("a", style_of(0).with_marker(), points);
    let lines = |line: &Line| {
        let text = text_of(&Figure { lines: vec![line.clone()], ..Figure::default() });
        let of_arm = text.lines().filter(|part| part.contains("#0072b2") || part.contains("#0072B2"));
        of_arm.map(str::to_owned).collect::<Vec<_>>()
    };
    let (through, single) = (lines(&line), Line { names: vec![String::new(); 100], ..line.clone() });
    let single = lines(&single);
    let strokes = |parts: &[String]| parts.iter().filter(|part| part.contains("fill=\"none\"")).count();
    assert!(
        through.len() < 100 && single.len() > 100,
        "all runs are marked: {} {}",
        through.len(),
        single.len()
    );
    let ringed = lines(&Line { best: Some(3), ..line });
    assert_eq!(strokes(&ringed), strokes(&through) + 1);
    assert_eq!(strokes(&single), 0);
}

fn parallel(axes: usize, runs: usize) -> Figure {
    let names = vec![Category::default(); axes];
    let words = ["Adam", "a value with a name of some length that has no room"];
    let words = words.map(|name| Category { name: name.to_owned(), ..Category::default() });
    let axis = |index: usize| {
        let name = format!("setting {index}");
        let axis =
            if index.is_multiple_of(2) { Axis::new(&name, "s") } else { Axis::named(&name, words.to_vec()) };
        Axis { range: Some([-0.5, 1.5]), ..axis }
    };
    let trace = |run: usize| Trace {
        name: format!("seed {run}"),
        points: (0..axes)
            .map(|at| [at as f64, if run == 1 && at == 1 { f64::NAN } else { (at % 2) as f64 }])
            .collect(),
    };
    let traces = (0..runs).map(trace).collect();
    Figure {
        x: Axis::named("", names),
        parallel: (0..axes).map(axis).collect(),
        lines: vec![Line { traces, ..Line::new("an arm", style_of(1), Vec::new()) }],
        ..Figure::default()
    }
}

#[test]
fn every_run_is_a_line_and_a_missing_value_divides_it() {
    let text = text_of(&parallel(4, 3));
    let runs: Vec<&str> = text.lines().filter(|line| line.contains("stroke-opacity")).collect();
    assert_eq!(runs.len(), 3);
    assert_eq!(runs.iter().map(|line| line.matches('M').count()).collect::<Vec<_>>(), [1, 1, 1]);
    assert!(runs[1].len() < runs[0].len(), "its first value stands alone");
    assert!(text.contains(">Adam</text>") && text.contains(">setting 3</text>") && !text.contains("NaN"));
}

#[test]
fn labels_keep_off_their_neighbours_at_any_size() {
    for (preset, axes) in Preset::ALL.into_iter().flat_map(|preset| [2, 5, 14].map(|axes| (preset, axes))) {
        let figure = parallel(axes, 2);
        let layout = layout(&figure, &options(preset));
        let mut end = 0.0;
        for axis in &layout.parallel {
            assert!(axis.labels.iter().all(|(rect, _)| rect.left >= end), "{preset:?}, {axes} axes");
            assert!(axis.labels.windows(2).all(|pair| pair[0].0.top > pair[1].0.bottom), "{preset:?}");
            end = axis.x;
        }
        assert!(end <= layout.plot.right);
        let mut names: Vec<_> = layout.texts.iter().filter(|text| text.at[1] < layout.plot.top).collect();
        assert_eq!(names.len(), axes, "every axis has its name");
        names.sort_by(|a, b| (a.at[1], a.at[0]).partial_cmp(&(b.at[1], b.at[0])).unwrap());
        let half = |text: &Text| width(&text.content, text.size, text.weight) / 2.0;
        let is_apart = |pair: &[&Text]| {
            pair[0].at[1] < pair[1].at[1] || pair[0].at[0] + half(pair[0]) < pair[1].at[0] - half(pair[1])
        };
        assert!(names.windows(2).all(is_apart), "{preset:?}, {axes} axes: {names:?}");
    }
}

#[test]
fn numbers_are_short() {
    assert_eq!(number(1.0), "1");
    assert_eq!(number(100.0), "100");
    assert_eq!(number(-0.001), "0");
    assert_eq!(number(2.345_6), "2.35");
}

#[test]
fn quotes_in_attributes_are_escaped() {
    let mut out = Writer::default();
    out.element("a", &[("b", "\"<".to_owned())], None);
    assert_eq!(out.text, "<a b=\"&quot;&lt;\"/>\n");
}

#[test]
fn a_path_moves_once_and_then_draws() {
    assert_eq!(path(&[[0.0, 1.0], [2.5, 3.0]]), "M0 1L2.5 3");
    assert_eq!(path(&[]), "");
}

#[test]
fn every_panel_and_one_legend_are_on_the_page() {
    let figure = by_batch(&[16, 64, 256], FacetAxes::Shared);
    let text = text_of(&figure);
    for (word, count) in [
        (">dense<", 1),
        (">winning ticket<", 1),
        (">batch size<", 3),
        (">16<", 1),
        (">64<", 1),
        (">256<", 1),
        (">Test accuracy (%)</text>", 1),
        (">Epochs trained</text>", 1),
        ("<clipPath", 3),
    ] {
        assert_eq!(text.matches(word).count(), count, "{word}");
    }
    let table = crate::csv::csv(&figure);
    assert!(table.starts_with("kind,series,run,x,y,low,high,train.batch\nline,dense,,0,0,,,16\n"), "{table}");
    assert!(table.contains("line,winning ticket,,0,0.4,,,256\n"), "{table}");
    assert_eq!(table.lines().count(), 1 + 3 * 2 * 3);
}

#[test]
fn a_legend_that_finds_no_free_corner_is_above_the_plot() {
    let zigzag = |steps: u32| {
        let points =
            (0..=steps).map(|step| [f64::from(step) / f64::from(steps), f64::from(step % 2)]).collect();
        Figure { lines: vec![Line::new("up and down", style_of(0), points)], ..Figure::default() }
    };
    let place = |figure: &Figure, legend: LegendPlace| {
        let size = Size { legend, ..Preset::OneColumn.size() };
        svg(figure, &Options { size, ..Options::default() })
    };
    let full = zigzag(60);
    assert!(place(&full, LegendPlace::Inside) == place(&full, LegendPlace::Above));
    let found = |figure: &Figure| page_facts(figure, &Options::default()).legend;
    assert_eq!(found(&full), LegendPlace::Above);
    let free = Figure {
        lines: vec![Line::new("up", style_of(0), vec![[0.0, 0.0], [1.0, 1.0]])],
        ..Figure::default()
    };
    assert!(place(&free, LegendPlace::Inside) != place(&free, LegendPlace::Above));
    assert_eq!(found(&free), LegendPlace::Inside);
}
