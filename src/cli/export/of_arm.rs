//! Figures of one arm: its early stops, and the network at the end of a run or after a training.

use super::Results;
use crate::document::by_arm;
use crate::output::{Failure, refuse};
use doc::Run;
use figure::Figure;
use figure::early_stops::{early_stops, overlaps};
use figure::network::image::{Shown, image};
use figure::network::{histogram, histogram_parameters, histograms, layers};
use results::RunRecord;
use results::network::{ParameterSummary, Vulnerabilities, as_begun, at_end, at_moment};
use results::rounds::{KeptRound, kept_rounds, rounds};
use results::tickets::trainings;
use run::mask_overlaps;
use run::summary::{
    Moment, planned_summary, read_histograms, read_summary_at, read_values_at, stored_rounds,
};

/// A figure about one arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfArm {
    /// When each training should have stopped.
    EarlyStops,
    /// The overlap of the masks of seeds.
    Overlap,
    /// What is left of each layer.
    Layers,
    /// The values of a parameter as a histogram.
    Histogram,
    /// The recorded histograms of a parameter over time.
    Histograms,
    /// The entries of a parameter as an image.
    Image(Shown),
}

/// Their names for `--figure`.
const NAMES: [(&str, OfArm); 7] = [
    ("early-stops", OfArm::EarlyStops),
    ("overlap", OfArm::Overlap),
    ("layers", OfArm::Layers),
    ("histogram", OfArm::Histogram),
    ("histograms", OfArm::Histograms),
    ("values", OfArm::Image(Shown::Values)),
    ("mask", OfArm::Image(Shown::Mask)),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().map(|(name, _)| name)
}

impl OfArm {
    pub fn find(name: &str) -> Option<Self> {
        NAMES.into_iter().find(|(own, _)| *own == name).map(|(_, found)| found)
    }

    fn name(self) -> &'static str {
        NAMES.into_iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }

    pub fn has_parameter(self) -> bool {
        match self {
            Self::Histogram | Self::Histograms | Self::Image(_) => true,
            Self::EarlyStops | Self::Overlap | Self::Layers => false,
        }
    }

    /// Returns true if it shows a network at a moment.
    pub fn has_moment(self) -> bool {
        match self {
            Self::Layers | Self::Histogram | Self::Image(_) => true,
            Self::EarlyStops | Self::Overlap | Self::Histograms => false,
        }
    }

    /// Draws the figure as the window makes it, and its subject for the message. The network is that of the first run that is
    /// done, or with `round` of the first run that has kept it.
    pub fn figure(
        self,
        results: &Results,
        parameter: Option<&str>,
        round: Option<&str>,
    ) -> Result<(Figure, String), Failure> {
        let arms: Vec<&str> = by_arm(&results.runs).into_iter().map(|(arm, _)| arm).collect();
        if arms.len() != 1 && !matches!(self, Self::EarlyStops | Self::Overlap) {
            let (name, arms) = (self.name(), arms.join("\n  "));
            return refuse(format!("the figure \"{name}\" needs one arm; choose it with --arm:\n  {arms}"));
        }
        match self {
            Self::EarlyStops => self.of_early_stops(results),
            Self::Overlap => self.of_masks(results),
            Self::Histograms => self.of_histograms(results, parameter),
            Self::Layers => Self::of_layers(results, round),
            Self::Histogram | Self::Image(_) => self.of_parameter(results, parameter, round),
        }
    }

    /// Draws the histograms of the first run that recorded some.
    fn of_histograms(self, results: &Results, name: Option<&str>) -> Result<(Figure, String), Failure> {
        let of_run = |run: &Run| Some((run.clone(), read_histograms(&results.folder, &run.id)));
        let recorded = results.runs.iter().filter_map(of_run).find(|(_, found)| !found.is_empty());
        let Some((run, found)) = recorded else {
            return self.lacks("no run recorded any; set train.record.weights to Histograms, and run again");
        };
        let known = histogram_parameters(&found);
        let parameter = name.or_else(|| known.first().map(String::as_str)).unwrap_or_default();
        if known.iter().all(|known| known != parameter) {
            return no_parameter(parameter, &known);
        }
        let of = doc::named(&run.arm, run.seed);
        Ok((histograms(&found, parameter, &of), format!(" of {parameter}: {of}")))
    }

    /// Draws the overlap of the masks of the selected arms.
    fn of_masks(self, results: &Results) -> Result<(Figure, String), Failure> {
        let moments = |runs: &[&Run]| {
            let record = |run: &Run| results.records.get(&run.id).filter(|record| record.is_done());
            let done: Vec<&str> =
                runs.iter().filter(|run| record(run).is_some()).map(|run| run.id.as_str()).collect();
            let trainings = runs.iter().find_map(|run| record(run)).map(rounds).unwrap_or_default();
            mask_overlaps(&results.folder, &done, &trainings)
        };
        self.of_arms(results, moments, overlaps, "no two finished seeds of an arm end with a mask")
    }

    /// Draws the early stops of the selected arms.
    fn of_early_stops(self, results: &Results) -> Result<(Figure, String), Failure> {
        let of_arm = |runs: &[&Run]| {
            trainings(runs.iter().filter_map(|run| Some((run.seed, results.records.get(&run.id)?))))
        };
        let lacks = "no training has validation data; set validation in data, and run again";
        self.of_arms(results, of_arm, early_stops, lacks)
    }

    /// Draws what is found in the runs of each of the selected arms, in the colours of their places among all arms.
    fn of_arms<T>(
        self,
        results: &Results,
        find: impl Fn(&[&Run]) -> Vec<T>,
        draw: impl for<'a> Fn(&[(&'a str, usize, &'a [T])]) -> Figure,
        lacks: &str,
    ) -> Result<(Figure, String), Failure> {
        let all = by_arm(&results.all);
        let selected = by_arm(&results.runs);
        let found: Vec<Vec<T>> = selected.iter().map(|(_, runs)| find(runs)).collect();
        if found.iter().all(Vec::is_empty) {
            return self.lacks(lacks);
        }
        let place = |arm: &str| all.iter().position(|(name, _)| *name == arm).unwrap_or_default();
        let names: Vec<&str> = selected.iter().map(|(arm, _)| *arm).collect();
        let arms: Vec<_> =
            names.iter().zip(&found).map(|(arm, found)| (*arm, place(arm), &found[..])).collect();
        Ok((draw(&arms), format!(" of {}", names.join(", "))))
    }

    fn of_parameter(
        self,
        results: &Results,
        name: Option<&str>,
        round: Option<&str>,
    ) -> Result<(Figure, String), Failure> {
        let Some(NetworkAt { run, moment, of }) = network_at(results, round)? else {
            return self.lacks(
                "it needs a finished run, and none of these is; a run writes its final weights when it finishes",
            );
        };
        let unreadable = |why: String| {
            Failure::Input(format!("the network of {} (seed {}) cannot be read: {why}", run.arm, run.seed))
        };
        let summary = read_summary_at(&results.folder, &run.id, moment).map_err(unreadable)?;
        let parameter = chosen(&summary.parameters, name)?;
        let figure = match self {
            Self::Image(shown) => {
                let values = read_values_at(&results.folder, &run.id, &parameter.name, moment);
                let values = values.map_err(unreadable)?;
                image(&parameter.name, &values, shown)
            }
            Self::Histogram | Self::Histograms | Self::EarlyStops | Self::Overlap | Self::Layers => {
                histogram(parameter)
            }
        };
        Ok((figure, format!(" of {}: {of}", parameter.name)))
    }

    /// Draws what is left of the layers of a network, or as a run begins; with the vulnerability by all runs of its setting.
    fn of_layers(results: &Results, round: Option<&str>) -> Result<(Figure, String), Failure> {
        let (summary, run, of) = match (network_at(results, round)?, results.runs.first()) {
            (Some(NetworkAt { run, moment, of }), _) => {
                (read_summary_at(&results.folder, &run.id, moment).map_err(Failure::Input)?, run, of)
            }
            (None, Some(run)) => (planned_summary(&run.spec).0, run, as_begun(&run.arm)),
            (None, None) => return super::nothing_there(&results.folder),
        };
        let own = results.runs.iter().filter(|other| other.arm == run.arm);
        let found = own.filter_map(|run| Some((run.seed, results.records.get(&run.id)?)));
        let found = Vulnerabilities::new(&run.arm, found, None);
        let figure = layers(&summary.layers, &found, &of);
        Ok((figure, format!(" of {of}")))
    }

    fn lacks<T>(self, why: &str) -> Result<T, Failure> {
        refuse(format!("there is no figure \"{}\": {why}", self.name()))
    }
}

/// The network of a run at a moment, as the window calls it.
struct NetworkAt<'a> {
    run: &'a Run,
    moment: Moment,
    of: String,
}

/// Finds the network that is shown: at the end of the first run that is done, or after a training whose network a run has kept.
fn network_at<'a>(results: &'a Results, round: Option<&str>) -> Result<Option<NetworkAt<'a>>, Failure> {
    let Some(wanted) = round else {
        let is_done = |run: &&Run| results.records.get(&run.id).is_some_and(RunRecord::is_done);
        let run = results.runs.iter().find(is_done);
        return Ok(run.map(|run| NetworkAt { run, moment: Moment::End, of: at_end(&run.arm, run.seed) }));
    };
    let mut known: Vec<String> = Vec::new();
    for run in &results.runs {
        let Some(record) = results.records.get(&run.id) else { continue };
        let kept = kept_rounds(record, &stored_rounds(&results.folder, &run.id));
        match KeptRound::find(&kept, wanted).as_slice() {
            [] => {}
            [found] => {
                let of = at_moment(&run.arm, run.seed, &found.caption());
                return Ok(Some(NetworkAt { run, moment: Moment::Round(found.step), of }));
            }
            several => {
                let names: Vec<&str> = several.iter().map(|found| found.name.as_str()).collect();
                let names = names.join("\n  ");
                return refuse(format!(
                    "--round: \"{wanted}\" can be several trainings; write one of\n  {names}"
                ));
            }
        }
        let named = |kept: &KeptRound| format!("seed {}: {}", run.seed, kept.caption());
        known.extend(kept.iter().map(named));
    }
    if known.is_empty() {
        return refuse(
            "--round: no run has kept its networks; set train.record.rounds to true, and run again",
        );
    }
    refuse(format!("--round: no network of \"{wanted}\" is kept; there are\n  {}", known.join("\n  ")))
}

/// Finds the parameter of a name; the first one without.
fn chosen<'a>(
    parameters: &'a [ParameterSummary],
    name: Option<&str>,
) -> Result<&'a ParameterSummary, Failure> {
    let found = match name {
        Some(name) => parameters.iter().find(|parameter| parameter.name == name),
        None => parameters.first(),
    };
    found.map_or_else(
        || {
            let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            no_parameter(name.unwrap_or_default(), &known)
        },
        Ok,
    )
}

fn no_parameter<T>(name: &str, known: &[impl AsRef<str>]) -> Result<T, Failure> {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    refuse(format!("--parameter: the network has no \"{name}\"; there are\n  {}", known.join("\n  ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use figure::plots::find;

    #[test]
    fn no_figure_has_the_name_of_a_plot() {
        assert!(names().all(|name| find(name).is_none()));
        assert_eq!(
            names().filter(|name| OfArm::find(name).map(OfArm::name) == Some(name)).count(),
            NAMES.len()
        );
    }

    #[test]
    fn a_parameter_that_is_not_there_is_named_with_those_that_are() {
        let parameter = |name: &str| ParameterSummary {
            name: name.to_owned(),
            shape: vec![1],
            minimum: 0.0,
            maximum: 0.0,
            histogram: results::network::Histogram::default(),
            pruned: 0,
            frozen: 0,
        };
        let all = ["fc1.weight", "fc1.bias"].map(parameter);
        assert_eq!(chosen(&all, None).unwrap().name, "fc1.weight");
        assert_eq!(chosen(&all, Some("fc1.bias")).unwrap().name, "fc1.bias");
        let wrong = chosen(&all, Some("fc1")).unwrap_err().to_string();
        assert_eq!(
            wrong,
            "error: --parameter: the network has no \"fc1\"; there are\n  fc1.weight\n  fc1.bias"
        );
    }
}
