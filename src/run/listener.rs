//! What receives the events of a run.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::checkpoint::Checkpoint;
use super::error::RunError;
use doc::file::remove_if_there;
use doc::file_names::TABLES;
use intervene::fault::log::HEADER;
use net::Network;
use results::Event;

/// Receives events and checkpoints.
pub trait Listener {
    /// Receives an event.
    fn event(&mut self, event: Event) -> Result<(), RunError>;

    /// Receives a checkpoint to resume from.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError>;

    /// Receives lines of a table, each with its end.
    fn lines(&mut self, table: Table, lines: &str) -> Result<(), RunError>;

    /// Receives a network for a later replay: its values and masks, in files of these names.
    fn network(&mut self, files: &[String; 2], network: &Network) -> Result<(), RunError>;

    /// Checks that a stage may write into the run's directory.
    fn may_write(&mut self) -> Result<(), RunError> {
        Ok(())
    }
}

/// A file of lines with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    Faults,
    /// Outcomes of the images of every trial.
    Trials,
    /// The outcomes without the protection, where a campaign has one.
    Unprotected,
    /// Hashes of the logits of every trial, for a replay.
    Logits,
    /// Histograms of weights at each evaluation, as lines of JSON.
    Histograms,
}

impl Table {
    pub const ALL: [Self; 5] =
        [Self::Faults, Self::Trials, Self::Unprotected, Self::Logits, Self::Histograms];

    pub const fn file(self) -> &'static str {
        TABLES[self as usize]
    }

    /// Returns its header: the names of the columns; lines of JSON have none.
    pub const fn header(self) -> Option<&'static str> {
        match self {
            Self::Faults => Some(HEADER),
            Self::Trials | Self::Unprotected => Some(
                "campaign,round,trial,cell,faults,images,masked,benign,sdc1,sdc5,due,corrected,lost,accuracy",
            ),
            Self::Logits => Some("campaign,round,trial,sha256"),
            Self::Histograms => None,
        }
    }
}

/// The tables of a run directory, opened with their first line.
#[derive(Debug)]
pub struct Tables {
    folder: PathBuf,
    open: BTreeMap<Table, (File, u64)>,
}

impl Tables {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), open: BTreeMap::new() }
    }

    pub fn path(&self, table: Table) -> PathBuf {
        self.folder.join(table.file())
    }

    /// Appends whole lines, after the header in a new file.
    pub fn append(&mut self, table: Table, lines: &str) -> std::io::Result<()> {
        let (file, length) = self.opened(table)?;
        let head = table.header().filter(|_| *length == 0).map(|head| format!("{head}\n"));
        let text = head.unwrap_or_default() + lines;
        file.write_all(text.as_bytes())?;
        *length += text.len() as u64;
        Ok(())
    }

    /// Returns the length of every non-empty table, by the name of its file.
    pub fn lengths(&self) -> BTreeMap<String, u64> {
        let lengths = self.open.iter().filter(|(_, (_, length))| *length > 0);
        lengths.map(|(table, (_, length))| (table.file().to_owned(), *length)).collect()
    }

    /// Waits until all lines are on the disk.
    pub fn flush(&self) -> std::io::Result<()> {
        self.open.values().try_for_each(|(file, _)| file.sync_data())
    }

    /// Cuts every table to a previous length; removes those that did not exist then.
    pub fn cut(&mut self, lengths: &BTreeMap<String, u64>) -> std::io::Result<()> {
        self.open.clear();
        for table in Table::ALL {
            match lengths.get(table.file()) {
                Some(&length) => {
                    let (file, now) = self.opened(table)?;
                    file.set_len(length.min(*now))?;
                    *now = length.min(*now);
                }
                None => remove_if_there(&self.path(table))?,
            }
        }
        Ok(())
    }

    fn opened(&mut self, table: Table) -> std::io::Result<&mut (File, u64)> {
        if !self.open.contains_key(&table) {
            let file = OpenOptions::new().create(true).append(true).open(self.path(table))?;
            let length = file.metadata()?.len();
            self.open.insert(table, (file, length));
        }
        Ok(self.open.get_mut(&table).expect("it is open"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_one_head_and_is_cut_to_what_a_checkpoint_knows() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::new(folder.path());
        tables.append(Table::Trials, "0,,0\n").unwrap();
        let lengths = tables.lengths();
        tables.append(Table::Trials, "0,,1\n").unwrap();
        tables.append(Table::Faults, "0,,0\n").unwrap();
        let mut again = Tables::new(folder.path());
        again.cut(&lengths).unwrap();
        again.append(Table::Trials, "0,,2\n").unwrap();
        let text = std::fs::read_to_string(again.path(Table::Trials)).unwrap();
        assert_eq!(text, format!("{}\n0,,0\n0,,2\n", Table::Trials.header().unwrap()));
        assert!(!again.path(Table::Faults).exists());
        assert_eq!(again.lengths()["trials.csv"], text.len() as u64);
    }
}
