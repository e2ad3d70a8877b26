//! The faults of one trial of a campaign, read from the run's directory.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use crate::tables::Table;
use intervene::fault::log::{Logged, LoggedFault, Row, each_row};

/// One fault of a trial, with the image that alone saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialFault {
    /// The image; none: all of them.
    pub image: Option<u64>,
    /// The fault.
    pub fault: LoggedFault<'static>,
}

/// A trial of a campaign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialKey {
    /// The campaign, by its name in `faults.csv`.
    pub campaign: String,
    /// The round of the innermost repetition.
    pub round: Option<u64>,
    /// Its number.
    pub trial: u64,
}

/// What `faults.csv` has of a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialFaults {
    /// The first of its faults.
    pub faults: Vec<TrialFault>,
    /// How many there are.
    pub count: u64,
    /// Whether they are too many to list, so that only their stream is there.
    pub is_unlisted: bool,
}

/// The faults of a trial, the first `most` of them one by one.
///
/// # Errors
/// When the log cannot be read.
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
                     # 1,2,8: 200000 faults are too many to be listed\n1,2,9,,stream 3 0 9,200000,,,\n";
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
        for trial in [8, 9] {
            let large = read("a", Some(2), trial).unwrap();
            assert_eq!((large.faults.len(), large.count, large.is_unlisted), (0, 200_000, true));
        }
        assert!(read("b", None, 7).unwrap_err().contains("faults.csv"));
    }
}
