//! What a source knows of the user's files, for people to read.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// What a source knows of the user's files beside what settings need. No identity depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Details {
    /// The files that hold the samples and what the program reads beside them, with the names that count: their digests name
    /// the content.
    pub files: Vec<(String, PathBuf)>,
    /// The classes of the samples of the training, validation and test part in the order of the files, before limits.
    pub labels: [Vec<u32>; 3],
    /// Where the parts come from: "the folders train and val", "20 % of the samples for testing, the same for all seeds".
    pub split: String,
    /// The columns of a table; none for other data.
    pub columns: Option<Columns>,
    /// Files that are no samples.
    pub left_out: Vec<LeftOut>,
    /// What the program assumed about the files, and what looks odd in them: whole sentences, with the remedy.
    pub notes: Vec<String>,
}

/// The columns of a table by what they become, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Columns {
    /// Names of columns of numbers: one feature each.
    pub numbers: Vec<String>,
    /// Names of columns of words, and how many different words each has: one feature a word.
    pub words: Vec<(String, usize)>,
    /// Names of columns that are no features.
    pub left_out: Vec<String>,
}

/// Files of one ending that are left out for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Why: "no format that this program reads".
    pub reason: String,
    /// The ending, in lower case, with its dot; empty where they have none.
    pub ending: String,
    /// How many there are.
    pub count: usize,
    /// The first one.
    #[serde(serialize_with = "path_text")]
    pub first: PathBuf,
}

/// Writes a path as text, whatever is in it.
fn path_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
