//! The batch script: what Slurm reads of it, and what a task does.

use std::path::{Path, PathBuf};

use super::settings::ClusterSettings;
use form::number::counted;

/// The part of the script that every task carries out.
const WORK: &str = include_str!("task.sh");

/// The content of a batch script. All paths are absolute.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pub program: PathBuf,
    pub file: PathBuf,
    pub set: Vec<(String, String)>,
    pub folder: PathBuf,
    pub runs: usize,
    pub shards: usize,
    /// Those that are handed out.
    pub tasks: Vec<usize>,
    pub settings: ClusterSettings,
}

impl Script {
    /// Writes the text for `sbatch`.
    pub fn text(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let one_line = one_line(&name);
        let mut text = format!(
            "#!/bin/sh\n# Weightlab {}: {} of {one_line}, dealt out to {}. What is done already is left out.\n",
            env!("CARGO_PKG_VERSION"),
            counted(self.runs, "run"),
            counted(self.shards, "task")
        );
        for (option, value) in self.options() {
            let value = value.map(|value| format!("={}", directive(&value))).unwrap_or_default();
            text.extend(["#SBATCH --", &option, &value, "\n"]);
        }
        let [program, file, folder] =
            [&self.program, &self.file, &self.folder].map(|path| word(&path.to_string_lossy()));
        let shards = self.shards.to_string();
        let values = [("\nprogram", program), ("experiment", file), ("results", folder), ("shards", shards)];
        for (name, value) in values {
            text.extend([name, "=", &value, "\n"]);
        }
        let set = self.set.iter().map(|(key, value)| format!(" --set {}", word(&format!("{key}={value}"))));
        text.extend(["set --", &set.collect::<String>(), "\n"]);
        if self.has_odd_log() {
            // A directive is one line.
            text.push_str(
                "exec >>\"$results/cluster/logs/${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.log\" 2>&1\n",
            );
        }
        text.push_str(WORK);
        text
    }

    /// Lists the options of `sbatch(1)`, with their values.
    pub fn options(&self) -> Vec<(String, Option<String>)> {
        let settings = &self.settings;
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let limit = settings.parallel.map(|most| format!("%{most}")).unwrap_or_default();
        let log = if self.has_odd_log() { PathBuf::from("/dev/null") } else { log(&self.folder) };
        let mut options = vec![
            ("job-name", Some(settings.job_name.clone().unwrap_or(stem))),
            ("array", Some(indices(&self.tasks) + &limit)),
            ("output", Some(log.to_string_lossy().into_owned())),
            ("open-mode", Some("append".to_owned())),
            ("signal", Some(format!("B:USR1@{}", settings.warning))),
            ("requeue", None),
            ("cpus-per-task", Some(settings.cpus.to_string())),
        ];
        let asked = [
            ("partition", &settings.partition),
            ("time", &settings.time),
            ("mem", &settings.memory),
            ("account", &settings.account),
        ];
        let asked = asked.into_iter().filter(|(_, value)| value.is_some());
        options.extend(asked.map(|(name, value)| (name, value.clone())));
        let options = options.into_iter().map(|(name, value)| (name.to_owned(), value));
        let others = settings.option.iter().map(|option| {
            let option = option.trim_start_matches('-');
            match option.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (option.to_owned(), None),
            }
        });
        options.chain(others).collect()
    }

    fn has_odd_log(&self) -> bool {
        self.folder.to_string_lossy().chars().any(char::is_control)
    }
}

/// Returns the folder of the tasks' logs.
pub fn logs(folder: &Path) -> PathBuf {
    folder.join(super::submissions::FOLDER).join("logs")
}

/// Returns the log of a task as a pattern of Slurm: `%` in a path stands doubled.
fn log(folder: &Path) -> PathBuf {
    PathBuf::from(logs(folder).to_string_lossy().replace('%', "%%")).join("%A_%a.log")
}

/// Writes indices as ranges: `1-3,7`.
fn indices(tasks: &[usize]) -> String {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for &task in tasks {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == task => *last = task,
            _ => ranges.push([task, task]),
        }
    }
    let text = |[first, last]: &[usize; 2]| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Returns true if the letters mean nothing to a shell and nothing to Slurm.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./:,=+@".contains(letter))
}

/// Quotes a word for a shell, with anything in it: spaces, quotes, `$`, line breaks.
pub fn word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Quotes words into a line for a shell.
pub fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Quotes the value of an option on a line `#SBATCH --option=value`; Slurm takes quotes and backslashes away. Nothing can stand
/// for a line break, which becomes a space.
pub fn directive(value: &str) -> String {
    if is_plain(value) || value.chars().all(|letter| letter == '%' || is_plain(&letter.to_string())) {
        return value.to_owned();
    }
    format!("\"{}\"", one_line(value).replace('\\', r"\\").replace('"', "\\\""))
}

/// Replaces line breaks and other control characters by spaces.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_written_as_ranges() {
        assert_eq!(indices(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(indices(&[5]), "5");
    }

    #[test]
    fn a_percent_sign_in_a_path_is_no_pattern() {
        assert_eq!(log(Path::new("/a%b.runs")), Path::new("/a%%b.runs/cluster/logs/%A_%a.log"));
    }

    #[test]
    fn a_shell_reads_back_every_word() {
        let odd = ["", "a b", "it's", "\"$HOME\"", "`id`", "a\nb", "\\", "*", "ü;&|", "~", "plain-1.ron"];
        let script = format!("printf '%s\\0' {}", words(odd));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let read = String::from_utf8(output.stdout).unwrap();
        assert_eq!(read.split_terminator('\0').collect::<Vec<_>>(), odd);
    }

    #[test]
    fn values_of_directives_are_quoted_where_they_need_it() {
        assert_eq!(directive("gpu,cpu"), "gpu,cpu");
        assert_eq!(directive("/a/%A_%a.log"), "/a/%A_%a.log");
        assert_eq!(directive("a \"b\" \\ c\nd"), r#""a \"b\" \\ c d""#);
    }
}
