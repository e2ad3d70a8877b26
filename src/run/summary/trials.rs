//! The trials of campaigns, read from the tables of a run: the faults of one, or all trials, or those with a single fault in
//! one layer or one bit.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::listener::Table;
use intervene::fault::log::{Logged, LoggedFault, Row, each_row};
use results::campaign::CampaignRecord;

/// One fault of a trial, with the image that alone saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialFault {
    /// The image; none: all of them.
    pub image: Option<u64>,
    pub fault: LoggedFault<'static>,
}

/// A trial of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialKey {
    /// The campaign, by its name in `faults.csv`.
    pub campaign: String,
    pub round: Option<u64>,
    pub trial: u64,
}

/// The lines of `faults.csv` on a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialFaults {
    pub faults: Vec<TrialFault>,
    pub count: u64,
    /// True where they are too many to list, so that only their stream is there.
    pub is_unlisted: bool,
}

/// Reads the faults of a trial, the first `most` of them one by one.
pub fn read_trial(folder: &Path, id: &str, key: &TrialKey, most: usize) -> Result<TrialFaults, String> {
    let mut found = TrialFaults::default();
    each_fault_row(&folder.join(id), |row| {
        if (&*row.campaign, row.round, row.trial) != (&*key.campaign, key.round, key.trial) {
            return;
        }
        match row.logged {
            Logged::Draw { faults, .. } => (found.count, found.is_unlisted) = (faults, true),
            Logged::Fault(fault) => {
                found.count += 1;
                if found.faults.len() < most {
                    found.faults.push(TrialFault { image: row.image, fault: fault.into_owned() });
                }
            }
        }
    })?;
    Ok(found)
}

/// Calls `take` for every line of the `faults.csv` of a run.
pub(super) fn each_fault_row(run: &Path, take: impl FnMut(Row<'_>)) -> Result<(), String> {
    let path = run.join(Table::Faults.file());
    let log = File::open(&path).and_then(|file| each_row(BufReader::new(file), take));
    log.map_err(|error| format!("{}: {error}", path.display()))
}

/// A filter of trials: those with a single fault at a place, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultFilter {
    /// The layer of the fault; none: any.
    pub layer: Option<String>,
    /// The bit, from the least significant; none: any.
    pub bit: Option<u32>,
}

/// A campaign, and its cells whose trials have one fault each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleCells {
    pub campaign: String,
    pub round: Option<u64>,
    /// Places of those cells; empty if no cell has one fault in each trial.
    pub cells: Vec<usize>,
}

/// A trial that passes a filter.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultyTrial {
    pub run: String,
    pub key: TrialKey,
    /// Its only fault, or the first of them; none if they are too many to list.
    pub fault: Option<TrialFault>,
    pub faults: u64,
    /// The number of images with a separate fault there; 0 where all images have the same.
    pub images_hit: usize,
    pub images: u64,
    /// Those with bit-identical logits.
    pub masked: u64,
    /// Those with other logits and the same class.
    pub benign: u64,
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
    pub count: usize,
}

impl SingleCells {
    /// Finds the cells of a campaign whose trials have one fault each.
    pub fn new(campaign: &CampaignRecord) -> Self {
        let single = campaign.states(false).filter(|state| !state.outcomes.is_empty());
        let cells = single.map(|state| state.cell).collect();
        Self { campaign: campaign.began.campaign.clone(), round: campaign.began.round, cells }
    }

    fn is_of(&self, campaign: &str, round: Option<u64>) -> bool {
        (self.campaign.as_str(), self.round) == (campaign, round)
    }
}

impl FaultFilter {
    /// Returns true if a layer or a bit is chosen; otherwise every trial passes.
    pub fn is_chosen(&self) -> bool {
        *self != Self::default()
    }

    fn passes(&self, fault: &LoggedFault) -> bool {
        self.layer.as_ref().is_none_or(|layer| layer == fault.layer())
            && self.bit.is_none_or(|bit| fault.bit == Some(bit))
    }
}

/// Reads the trials of some runs; with a filter, those with a single fault (for all images together, or for an image
/// alone) that passes it. Returns the `most` worst of them one by one.
pub fn read_faulty_trials(
    folder: &Path,
    runs: &[(String, Vec<SingleCells>)],
    filter: &FaultFilter,
    most: usize,
) -> Result<FaultyTrials, String> {
    let mut found = Vec::new();
    for (run, campaigns) in runs.iter().filter(|(_, campaigns)| !campaigns.is_empty()) {
        let faulty = single_faults(&folder.join(run), campaigns, filter)?;
        add_counts(&mut found, folder, run, campaigns, filter, faulty)?;
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

/// Reads the single faults of trials that pass a filter.
fn single_faults(
    run: &Path,
    campaigns: &[SingleCells],
    filter: &FaultFilter,
) -> Result<SingleFaults, String> {
    let mut found = SingleFaults::new();
    let mut open: Option<((usize, u64), Vec<TrialFault>)> = None;
    let mut close = |open: Option<((usize, u64), Vec<TrialFault>)>| {
        let Some((trial, faults)) = open else { return };
        let first = if filter.is_chosen() {
            alone(faults, filter)
        } else {
            faults.into_iter().next().map(|fault| (fault, 0))
        };
        found.extend(first.map(|first| (trial, first)));
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
        if let Some((_, faults)) = &mut open
            && (filter.is_chosen() || faults.is_empty())
        {
            faults.push(fault);
        }
    })?;
    close(open);
    Ok(found)
}

/// Picks the first single fault of a trial, for all images or for one, that passes a filter, and counts the images with
/// such a fault.
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
    filter: &FaultFilter,
    mut faulty: SingleFaults,
) -> Result<(), String> {
    let path = folder.join(run).join(Table::Trials.file());
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    for line in BufReader::new(File::open(&path).map_err(fail)?).lines() {
        let Some((mut trial, cell)) = parse(run, &line.map_err(fail)?) else { continue };
        let TrialKey { campaign, round, trial: number } = &trial.key;
        let Some(campaign) = campaigns.iter().position(|known| known.is_of(campaign, *round)) else {
            continue;
        };
        let is_single = cell.is_some_and(|cell| campaigns[campaign].cells.contains(&cell));
        let first = faulty.remove(&(campaign, *number));
        if filter.is_chosen() && !(is_single && first.is_some()) {
            continue;
        }
        if let Some((fault, images)) = first {
            (trial.fault, trial.images_hit) = (Some(fault), images);
        }
        found.push(trial);
    }
    Ok(())
}

/// Parses a line of `trials.csv` into a trial without its faults, and its cell; none for the head.
fn parse(run: &str, line: &str) -> Option<(FaultyTrial, Option<usize>)> {
    let cells: Vec<&str> = line.split(',').collect();
    let [campaign, round, trial, cell, faults, images, masked, benign, sdc1, _, due, _, _, accuracy] =
        cells[..]
    else {
        return None;
    };
    let (campaign, round, trial) = (campaign.to_owned(), round.parse().ok(), trial.parse().ok()?);
    let trial = FaultyTrial {
        run: run.to_owned(),
        key: TrialKey { campaign, round, trial },
        fault: None,
        faults: faults.parse().ok()?,
        images_hit: 0,
        images: images.parse().ok()?,
        masked: masked.parse().ok()?,
        benign: benign.parse().ok()?,
        sdc1: sdc1.parse().ok()?,
        due: due.parse().ok()?,
        accuracy: accuracy.parse().ok()?,
    };
    Some((trial, cell.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faults_of_one_trial_of_one_round_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        let head = Table::Faults.header().unwrap();
        let lines = "1,,7,,fc1.weight,3,30,3f000000,7f000000\n1,,7,,fc1.weight,4,30,0,40000000\n\
                     1,2,7,,fc1.weight,5,30,0,40000000\n2,,7,,fc1.bias,0,,0,1\n\
                     1,2,9,,stream 3 0 9,200000,,,\n";
        std::fs::write(folder.path().join("a/faults.csv"), format!("{head}\n{lines}")).unwrap();
        let read = |id: &str, round: Option<u64>, trial: u64| {
            read_trial(folder.path(), id, &TrialKey { campaign: "1".to_owned(), round, trial }, 1)
        };
        let found = read("a", None, 7).unwrap();
        assert_eq!((found.faults.len(), found.count, found.is_unlisted), (1, 2, false));
        let first = &found.faults[0].fault;
        assert_eq!((first.index, first.after), (3, Some(0x7f00_0000)));
        let found = read("a", Some(2), 7).unwrap();
        assert_eq!((found.faults[0].fault.index, found.count), (5, 1));
        let large = read("a", Some(2), 9).unwrap();
        assert_eq!((large.faults.len(), large.count, large.is_unlisted), (0, 200_000, true));
        assert!(read("b", None, 7).unwrap_err().contains("faults.csv"));
    }

    const FAULTS: &str = "1,,0,,fc1.weight,3,30,3f000000,7f000000\n\
        1,,1,,fc1.weight,4,30,0,40000000\n\
        1,,2,,fc1.weight,4,29,0,20000000\n\
        1,,3,,fc1.output,4,30,0,40000000\n1,,3,,fc2.weight,5,30,0,40000000\n\
        1,,4,,features.0.weight,7,30,0,40000000\n\
        1,,5,0,fc1.weight,1,30,0,40000000\n1,,5,1,fc1.weight,2,30,0,40000000\n\
        1,,5,2,fc1.weight,2,30,0,40000000\n1,,5,2,fc1.weight,3,30,0,40000000\n\
        1,,6,,fc1.weight,9,30,0,40000000\n\
        1,1,0,,fc1.weight,3,30,3f000000,7f000000\n";

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
        let place = |trial: &FaultyTrial| {
            let fault = trial.fault.as_ref().unwrap();
            (fault.image, fault.fault.index)
        };
        assert_eq!((first.images_hit, first.sdc1, first.accuracy), (2, 5, 0.4));
        assert_eq!((place(first), place(&faulty.worst[1])), ((Some(0), 1), (None, 4)));
    }

    #[test]
    fn a_layer_or_a_bit_alone_can_be_chosen_and_the_worst_are_shown() {
        assert_eq!(trials(&found(Some("features.0"), None, 10)), [4]);
        assert_eq!(trials(&found(None, Some(29), 10)), [2]);
        assert_eq!(found(Some("fc3"), None, 10), FaultyTrials::default());
    }

    #[test]
    fn without_a_filter_every_trial_of_the_campaign_is_listed_with_its_first_fault() {
        let all = found(None, None, 10);
        assert_eq!(trials(&all), [6, 5, 4, 3, 2, 1, 0], "trials of two faults and of other cells too");
        let two = &all.worst[3];
        assert_eq!((two.fault.as_ref().unwrap().fault.index, two.faults, two.benign), (4, 1, 0));
        let worst = found(None, None, 2);
        assert_eq!((trials(&worst), worst.count), (vec![6, 5], 7));
    }

    #[test]
    fn a_table_that_is_gone_is_named() {
        let single = SingleCells { campaign: "1".to_owned(), round: None, cells: vec![0] };
        let runs = [("gone".to_owned(), vec![single])];
        let why = read_faulty_trials(Path::new("/nowhere"), &runs, &FaultFilter::default(), 10).unwrap_err();
        assert!(why.contains("/nowhere/gone/faults.csv"), "{why}");
    }
}
