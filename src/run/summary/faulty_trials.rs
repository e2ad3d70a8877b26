//! The trials of a cell of the heat map: those with a single fault in one layer or one bit, from the tables of a run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::trial::each_fault_row;
use super::{TrialFault, TrialKey};
use crate::intervene::fault::log::{Logged, LoggedFault};
use crate::results::campaign::CampaignRecord;
use crate::run::tables::Table;

/// Which single faults are searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultFilter {
    /// The layer of the fault; none: any.
    pub layer: Option<String>,
    /// The bit, from the least significant; none: any.
    pub bit: Option<u32>,
}

/// The cells of a campaign whose trials have one fault each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleCells {
    /// The campaign, by its name in `faults.csv`.
    pub campaign: String,
    /// The round of the innermost repetition.
    pub round: Option<u64>,
    /// Places of the cells.
    pub cells: Vec<usize>,
}

/// A trial with a single fault that passes a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultyTrial {
    /// Its run.
    pub run: String,
    /// Its key.
    pub key: TrialKey,
    /// That fault, or the first of them.
    pub fault: TrialFault,
    /// The number of images with a separate fault there; 0 where all images have the same.
    pub images_hit: usize,
    /// Images of the trial.
    pub images: u64,
    /// Those with bit-identical logits.
    pub masked: u64,
    /// Those with another class.
    pub sdc1: u64,
    /// Those with NaN or infinity among the logits.
    pub due: u64,
    /// Accuracy in the trial, in [0, 1].
    pub accuracy: f64,
}

/// The faulty trials of some runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FaultyTrials {
    /// The worst of them, worst first: most images with SDC-1 or DUE, then the lowest accuracy, then the earliest.
    pub worst: Vec<FaultyTrial>,
    /// How many there are.
    pub count: usize,
}

impl SingleCells {
    /// Those of a campaign; none where no cell has one fault in each trial.
    pub fn of(campaign: &CampaignRecord) -> Option<Self> {
        let single = campaign.states(false).filter(|state| !state.outcomes.is_empty());
        let cells: Vec<usize> = single.map(|state| state.cell).collect();
        let (campaign, round) = (campaign.began.campaign.clone(), campaign.began.round);
        (!cells.is_empty()).then_some(Self { campaign, round, cells })
    }

    fn is_of(&self, campaign: &str, round: Option<u64>) -> bool {
        (self.campaign.as_str(), self.round) == (campaign, round)
    }
}

impl FaultFilter {
    fn passes(&self, fault: &LoggedFault) -> bool {
        self.layer.as_ref().is_none_or(|layer| layer == fault.layer())
            && self.bit.is_none_or(|bit| fault.bit == Some(bit))
    }
}

/// The trials of some runs with a single fault (for all images together, or for an image alone) that passes a filter; the
/// `most` worst of them one by one.
///
/// # Errors
/// When a table cannot be read.
pub fn read_faulty_trials(
    folder: &Path,
    runs: &[(String, Vec<SingleCells>)],
    filter: &FaultFilter,
    most: usize,
) -> Result<FaultyTrials, String> {
    let mut found = Vec::new();
    for (run, campaigns) in runs.iter().filter(|(_, campaigns)| !campaigns.is_empty()) {
        let faulty = single_faults(&folder.join(run), campaigns, filter)?;
        add_counts(&mut found, &folder.join(run), run, campaigns, faulty)?;
    }
    let order = |trial: &FaultyTrial| Reverse(trial.sdc1 + trial.due);
    found.sort_by(|a, b| {
        let accuracy = a.accuracy.total_cmp(&b.accuracy);
        order(a).cmp(&order(b)).then(accuracy).then(a.key.trial.cmp(&b.key.trial))
    });
    let count = found.len();
    found.truncate(most);
    Ok(FaultyTrials { worst: found, count })
}

/// Trials by the index of their campaign and their number: the first single fault, and the number of images with a
/// separate fault.
type SingleFaults = BTreeMap<(usize, u64), (TrialFault, usize)>;

/// The single faults of trials that pass a filter.
fn single_faults(
    run: &Path,
    campaigns: &[SingleCells],
    filter: &FaultFilter,
) -> Result<SingleFaults, String> {
    let mut found = SingleFaults::new();
    let mut open: Option<((usize, u64), Vec<TrialFault>)> = None;
    let mut close = |open: Option<((usize, u64), Vec<TrialFault>)>| {
        let single = open.and_then(|(trial, faults)| Some((trial, alone(faults, filter)?)));
        found.extend(single);
    };
    each_fault_row(run, |row| {
        let Some(campaign) = campaigns.iter().position(|campaign| campaign.is_of(&row.campaign, row.round))
        else {
            return;
        };
        let Logged::Fault(fault) = row.logged else { return };
        let trial = (campaign, row.trial);
        if open.as_ref().is_none_or(|(last, _)| *last != trial) {
            close(open.replace((trial, Vec::new())));
        }
        let fault = TrialFault { image: row.image, fault: fault.into_owned() };
        if let Some((_, faults)) = &mut open {
            faults.push(fault);
        }
    })?;
    close(open);
    Ok(found)
}

/// The first single fault of a trial, for all images or for one, that passes a filter, and the number of images with such
/// a fault.
fn alone(faults: Vec<TrialFault>, filter: &FaultFilter) -> Option<(TrialFault, usize)> {
    if faults.iter().any(|fault| fault.image.is_none()) {
        let [fault] = <[TrialFault; 1]>::try_from(faults).ok()?;
        return filter.passes(&fault.fault).then_some((fault, 0));
    }
    let mut images: BTreeMap<Option<u64>, usize> = BTreeMap::new();
    for fault in &faults {
        *images.entry(fault.image).or_default() += 1;
    }
    let mut alone = faults.iter().filter(|fault| images[&fault.image] == 1 && filter.passes(&fault.fault));
    let first = alone.next()?.clone();
    let count = 1 + alone.count();
    Some((first, count))
}

/// Adds what became of the images of these trials.
fn add_counts(
    found: &mut Vec<FaultyTrial>,
    folder: &Path,
    run: &str,
    campaigns: &[SingleCells],
    mut faulty: SingleFaults,
) -> Result<(), String> {
    let path = folder.join(Table::Trials.file());
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    for line in BufReader::new(File::open(&path).map_err(fail)?).lines() {
        let line = line.map_err(fail)?;
        let Some((key, [cell, _, images, masked, _, sdc1, _, due, _, _, accuracy])) = cells_of(&line) else {
            continue;
        };
        let Some(campaign) = campaigns.iter().position(|campaign| campaign.is_of(&key.campaign, key.round))
        else {
            continue;
        };
        let is_single = cell.parse().is_ok_and(|cell| campaigns[campaign].cells.contains(&cell));
        let counts = [images, masked, sdc1, due].map(str::parse);
        let ([Ok(images), Ok(masked), Ok(sdc1), Ok(due)], Ok(accuracy)) = (counts, accuracy.parse()) else {
            continue;
        };
        if let Some((fault, images_hit)) = faulty.remove(&(campaign, key.trial)).filter(|_| is_single) {
            let run = run.to_owned();
            found.push(FaultyTrial { run, key, fault, images_hit, images, masked, sdc1, due, accuracy });
        }
    }
    Ok(())
}

/// The trial of a line of `trials.csv`, and its other cells; nothing of the head.
fn cells_of(line: &str) -> Option<(TrialKey, [&str; 11])> {
    let mut cells = line.split(',');
    let [campaign, round, trial] = [cells.next()?, cells.next()?, cells.next()?];
    let key =
        TrialKey { campaign: campaign.to_owned(), round: round.parse().ok(), trial: trial.parse().ok()? };
    let rest: Vec<&str> = cells.collect();
    Some((key, rest.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULTS: &str = "1,,0,,fc1.weight,3,30,3f000000,7f000000\n\
        1,,1,,fc1.weight,4,30,0,40000000\n\
        1,,2,,fc1.weight,4,29,0,20000000\n\
        1,,3,,fc1.output,4,30,0,40000000\n1,,3,,fc2.weight,5,30,0,40000000\n\
        1,,4,,features.0.weight,7,30,0,40000000\n\
        1,,5,0,fc1.weight,1,30,0,40000000\n1,,5,1,fc1.weight,2,30,0,40000000\n\
        1,,5,2,fc1.weight,2,30,0,40000000\n1,,5,2,fc1.weight,3,30,0,40000000\n\
        1,,6,,fc1.weight,9,30,0,40000000\n\
        1,1,0,,fc1.weight,3,30,3f000000,7f000000\n\
        # 1,,9: 200000 faults are too many to be listed\n";

    fn found(layer: Option<&str>, bit: Option<u32>, most: usize) -> FaultyTrials {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let write = |table: Table, lines: &str| {
            let text = format!("{}\n{lines}", table.header().unwrap());
            std::fs::write(folder.path().join("a").join(table.file()), text).unwrap();
        };
        write(Table::Faults, FAULTS);
        let trial = |trial: u64, cell: u64, sdc1: u64| {
            format!("1,,{trial},{cell},1,10,{},0,{sdc1},0,0,0,0,0.{}\n", 10 - sdc1, 9 - sdc1)
        };
        let lines: String = (0..6).map(|number| trial(number, 0, number)).collect();
        write(Table::Trials, &(lines + &trial(6, 1, 9) + "1,1,0,0,1,10,0,0,8,0,0,0,0,0.1\n"));
        let single = SingleCells { campaign: "1".to_owned(), round: None, cells: vec![0] };
        let filter = FaultFilter { layer: layer.map(str::to_owned), bit };
        read_faulty_trials(folder.path(), &[("a".to_owned(), vec![single])], &filter, most).unwrap()
    }

    fn trials(found: &FaultyTrials) -> Vec<u64> {
        found.worst.iter().map(|trial| trial.key.trial).collect()
    }

    #[test]
    fn trials_of_one_layer_and_bit_come_worst_first() {
        let faulty = found(Some("fc1"), Some(30), 10);
        assert_eq!(
            trials(&faulty),
            [5, 1, 0],
            "a trial of two faults, another round and another cell stay out"
        );
        let first = &faulty.worst[0];
        assert_eq!((first.images_hit, first.sdc1, first.accuracy), (2, 5, 0.4));
        assert_eq!((first.fault.image, faulty.worst[1].fault.fault.index), (Some(0), 4));
    }

    #[test]
    fn a_layer_or_a_bit_alone_can_be_chosen_and_the_worst_are_shown() {
        assert_eq!(trials(&found(Some("features.0"), None, 10)), [4]);
        assert_eq!(trials(&found(None, Some(29), 10)), [2]);
        let faulty = found(None, None, 2);
        assert_eq!((trials(&faulty), faulty.count), (vec![5, 4], 5));
        assert_eq!(found(Some("fc3"), None, 10), FaultyTrials::default());
    }

    #[test]
    fn a_table_that_is_gone_is_named() {
        let single = SingleCells { campaign: "1".to_owned(), round: None, cells: vec![0] };
        let runs = [("gone".to_owned(), vec![single])];
        let why = read_faulty_trials(Path::new("/nowhere"), &runs, &FaultFilter::default(), 10).unwrap_err();
        assert!(why.contains("/nowhere/gone/faults.csv"), "{why}");
    }
}
