//! The axes of figures: what they are called, and the ranges that fit their values.

use super::scale::Scale;
use results::number::Format;

/// Free space on each side of the data, as a share of their range.
pub const PADDING: f64 = 0.03;

/// One axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// What is measured, in words: "Test accuracy".
    pub title: String,
    /// Its unit, in brackets after the title; may be empty. [`Format::Percent`] implies "%".
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Fixed ends; `None` fits them to the data.
    pub range: Option<[f64; 2]>,
    /// The format of tick labels.
    pub format: Format,
    /// Large values come first, as in plots over remaining weights.
    pub reversed: bool,
    /// Names instead of numbers, with the nth name at position n; empty for an axis of numbers.
    pub categories: Vec<Category>,
}

/// A position on an axis of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Category {
    /// Its tick label: "b30".
    pub name: String,
    /// The group that it shares with its neighbours, written once below the horizontal axis: "exponent". May be empty.
    pub group: String,
    /// A second, quiet line of the label: "6,400 weights". May be empty.
    pub detail: String,
}

impl Axis {
    /// A linear axis with a title and a unit (empty for none).
    pub fn new(title: &str, unit: &str) -> Self {
        Self { title: title.to_owned(), unit: unit.to_owned(), ..Self::default() }
    }

    /// An axis of shares in 0..1, written as percent.
    pub fn percent(title: &str) -> Self {
        Self { format: Format::Percent, ..Self::new(title, "") }
    }

    /// The same axis with a logarithmic scale.
    pub fn log(self) -> Self {
        Self { scale: Scale::Log10, ..self }
    }

    /// An axis of categories.
    pub fn named(title: &str, categories: Vec<Category>) -> Self {
        Self { categories, ..Self::new(title, "") }
    }

    /// An axis of names without groups.
    pub fn of_names(title: &str, names: impl IntoIterator<Item = String>) -> Self {
        let category = |name| Category { name, ..Category::default() };
        Self::named(title, names.into_iter().map(category).collect())
    }

    /// The category nearest to a position.
    pub fn category(&self, place: f64) -> Option<usize> {
        let nearest = place.round();
        let index = (0.0..1e6).contains(&nearest).then_some(nearest as usize)?;
        (index < self.categories.len()).then_some(index)
    }

    /// Each run of neighbours with the same group: the group's name with its first and last category.
    pub fn groups(&self) -> Vec<(&str, [usize; 2])> {
        let mut first = 0;
        let groups = self.categories.chunk_by(|a, b| a.group == b.group).map(|group| {
            let ends = [first, first + group.len() - 1];
            first += group.len();
            (group[0].group.as_str(), ends)
        });
        groups.filter(|(name, _)| !name.is_empty()).collect()
    }

    /// The title with its unit in brackets.
    pub fn label(&self) -> String {
        let unit = match (self.unit.as_str(), self.format) {
            ("", Format::Percent) => "%",
            (unit, _) => unit,
        };
        match (self.title.is_empty(), unit.is_empty()) {
            (_, true) => self.title.clone(),
            (true, false) => unit.to_owned(),
            (false, false) => format!("{} ({unit})", self.title),
        }
    }

    /// The fixed range, or one that shows these values with some space around them.
    pub fn fit(&self, values: impl Iterator<Item = f64>) -> [f64; 2] {
        self.fit_or(self.range, values)
    }

    /// The same with another fixed range.
    pub fn fit_or(&self, fixed: Option<[f64; 2]>, values: impl Iterator<Item = f64>) -> [f64; 2] {
        if let Some(fixed) = fixed.and_then(|ends| usable(self.scale, ends)) {
            return fixed;
        }
        if !self.categories.is_empty() {
            return [-0.5, self.categories.len() as f64 - 0.5];
        }
        let mut ends: Option<[f64; 2]> = None;
        for place in values.filter_map(|value| self.scale.forward(value)) {
            let [low, high] = ends.unwrap_or([place; 2]);
            ends = Some([low.min(place), high.max(place)]);
        }
        let Some([low, high]) = ends else {
            return if self.scale == Scale::Linear { [0.0, 1.0] } else { [0.1, 1.0] };
        };
        let padded = pad(self.scale, low, high);
        if self.scale == Scale::Log10 {
            return padded.map(|place| self.scale.inverse(place));
        }
        within_natural_limits(self.format, [low, high], padded)
    }
}

/// The given ends in increasing order; `None` if the axis cannot show them.
fn usable(scale: Scale, ends: [f64; 2]) -> Option<[f64; 2]> {
    let [low, high] = if ends[0] <= ends[1] { ends } else { [ends[1], ends[0]] };
    let places = [scale.forward(low)?, scale.forward(high)?];
    (places[0] < places[1]).then_some([low, high])
}

fn pad(scale: Scale, low: f64, high: f64) -> [f64; 2] {
    let smallest = if scale == Scale::Linear { low.abs().max(high.abs()) * 1e-9 } else { 1e-9 };
    if high - low > smallest {
        let air = (high - low) * PADDING;
        return [low - air, high + air];
    }
    // A single value goes into the middle.
    let air = match scale {
        Scale::Log10 => 0.5,
        Scale::Linear if low == 0.0 => 0.5,
        Scale::Linear => low.abs() / 2.0,
    };
    [low - air, high + air]
}

/// The two ends of a category, or of a row or column of cells, on its axis.
pub fn ends_of(index: usize) -> [f64; 2] {
    [index as f64 - 0.5, index as f64 + 0.5]
}

/// Padding never suggests impossible values: below 0 for data that are not negative, above 100 % for shares.
fn within_natural_limits(format: Format, data: [f64; 2], padded: [f64; 2]) -> [f64; 2] {
    let [mut low, mut high] = padded;
    if data[0] >= 0.0 {
        low = low.max(0.0);
    }
    if format == Format::Percent && data[1] <= 1.0 {
        high = high.min(1.0);
    }
    if low < high { [low, high] } else { padded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_of_an_axis_has_its_unit_in_brackets() {
        assert_eq!(Axis::new("Epoch", "").label(), "Epoch");
        assert_eq!(Axis::new("Time", "s").label(), "Time (s)");
        assert_eq!(Axis::percent("Accuracy").label(), "Accuracy (%)");
        assert_eq!(Axis::new("", "s").label(), "s");
    }
}
