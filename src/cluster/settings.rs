//! What is asked of Slurm: options of `weightlab submit`.

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::ClusterError;

/// The settings of a submission to a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Options of Slurm")]
pub struct ClusterSettings {
    /// Number of tasks among which all runs are dealt out [default: by time]
    #[arg(long, value_name = "N", value_parser = number::<usize>(1, 1_000_000))]
    pub shards: Option<usize>,
    /// Packs so many short runs into a task, by their expected time, in minutes
    #[arg(long, value_name = "N", default_value = "60", value_parser = number::<u64>(1, 100_000))]
    pub minutes: u64,
    /// At most so many tasks run at the same time [default: no limit]
    #[arg(long, value_name = "N", value_parser = number::<usize>(1, 1_000_000))]
    pub parallel: Option<usize>,
    /// Partition of the cluster; sinfo lists them [default: that of the cluster]
    #[arg(long, value_name = "TEXT", value_parser = line)]
    pub partition: Option<String>,
    /// Time limit of a task, such as 2:00:00 or 1-12; tasks that reach it save, and continue from there [default: that of the
    /// partition]
    #[arg(long, value_name = "TEXT", value_parser = line)]
    pub time: Option<String>,
    /// Processors of a task: its runs share them
    #[arg(long, value_name = "N", default_value = "1", value_parser = number::<usize>(1, 4096))]
    pub cpus: usize,
    /// Memory of a task, such as 4G [default: that of the cluster]
    #[arg(long, value_name = "TEXT", value_parser = line)]
    pub memory: Option<String>,
    /// Account that the time is charged to [default: your usual one]
    #[arg(long, value_name = "TEXT", value_parser = line)]
    pub account: Option<String>,
    /// Name of the job in the queue [default: that of the file]
    #[arg(long, value_name = "TEXT", value_parser = line)]
    pub job_name: Option<String>,
    /// Slurm warns a task so many seconds before its time limit, and the task saves
    #[arg(long, value_name = "N", default_value = "120", value_parser = number::<u64>(10, 3600))]
    pub warning: u64,
    /// Another option of sbatch, such as qos=long or exclusive; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = line)]
    pub option: Vec<String>,
}

fn number<T: TryFrom<u64>>(least: u64, most: u64) -> RangedU64ValueParser<T> {
    RangedU64ValueParser::new().range(least..=most)
}

/// Reads a text that a batch script can have on one line.
fn line(text: &str) -> Result<String, String> {
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err("it is empty, or not one line".to_owned());
    }
    Ok(text.trim().to_owned())
}

impl ClusterSettings {
    /// Checks the settings alone.
    ///
    /// # Errors
    /// The first thing that Slurm would misread.
    pub fn check(&self) -> Result<(), ClusterError> {
        if let Some(time) = &self.time {
            let secs = seconds(time).map_err(ClusterError::Settings)?;
            if secs.is_some_and(|secs| secs < self.warning + 60) {
                return Err(ClusterError::Settings(format!(
                    "the time limit {time} leaves no time for runs: it must be at least a minute longer than the warning, \
                     which comes {} s before the end",
                    self.warning
                )));
            }
        }
        let own =
            ["array", "output", "error", "signal", "open-mode", "requeue", "no-requeue", "parsable", "wrap"];
        for option in &self.option {
            let name = option.trim_start_matches('-').split('=').next().unwrap_or_default();
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(ClusterError::Settings(format!(
                    "\"{option}\" is no option of sbatch; write NAME=VALUE, such as qos=long"
                )));
            }
            if own.contains(&name) {
                return Err(ClusterError::Settings(format!(
                    "the script sets {name} itself; leave that option out"
                )));
            }
        }
        Ok(())
    }
}

/// Reads the seconds of a time limit as Slurm writes it (`sbatch(1)`, `--time`); nothing where there is no limit.
fn seconds(time: &str) -> Result<Option<u64>, String> {
    let wrong = || {
        format!(
            "\"{time}\" is no time limit; write minutes, hours:minutes:seconds or days-hours, such as 90, 2:00:00 or 1-12"
        )
    };
    if ["unlimited", "infinite"].contains(&time.to_ascii_lowercase().as_str()) {
        return Ok(None);
    }
    let (days, rest) = match time.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u64>().map_err(|_| wrong())?), rest),
        None => (None, time),
    };
    let numbers: Result<Vec<u64>, _> = rest.split(':').map(str::parse).collect();
    let secs = match (days, numbers.map_err(|_| wrong())?.as_slice()) {
        (None, [minutes]) => minutes.checked_mul(60),
        (None, [minutes, secs]) => minutes.checked_mul(60).and_then(|all| all.checked_add(*secs)),
        (_, [hours, rest @ ..]) if rest.len() <= 2 => {
            let minutes = rest.first().copied().unwrap_or_default();
            let secs = rest.get(1).copied().unwrap_or_default();
            let hours = days.unwrap_or_default().checked_mul(24).and_then(|all| all.checked_add(*hours));
            let all = hours.and_then(|all| all.checked_mul(60)).and_then(|all| all.checked_add(minutes));
            all.and_then(|all| all.checked_mul(60)).and_then(|all| all.checked_add(secs))
        }
        _ => return Err(wrong()),
    };
    // Slurm takes a limit of zero for none.
    secs.map(|secs| (secs > 0).then_some(secs)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    #[test]
    fn time_limits_are_read_as_slurm_reads_them() {
        for (text, secs) in [
            ("90", Some(5400)),
            ("1:30", Some(90)),
            ("2:00:00", Some(7200)),
            ("1-12", Some(129_600)),
            ("1-0:30", Some(88_200)),
            ("1-0:0:5", Some(86_405)),
            ("0", None),
            ("UNLIMITED", None),
        ] {
            assert_eq!(seconds(text), Ok(secs), "{text}");
        }
        for wrong in ["", "2h", "1:2:3:4", "-5", "1-", "99999999999999999999", "18446744073709551615-0"] {
            assert!(seconds(wrong).unwrap_err().contains("no time limit"), "{wrong}");
        }
    }

    fn parse(arguments: &[&str]) -> Result<ClusterSettings, String> {
        let command = ClusterSettings::augment_args(Command::new("submit").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments).map_err(|error| error.to_string())?;
        Ok(ClusterSettings::from_arg_matches(&matches).unwrap())
    }

    impl Default for ClusterSettings {
        fn default() -> Self {
            parse(&[]).unwrap()
        }
    }

    #[test]
    fn every_setting_of_a_cluster_is_an_option() {
        let settings =
            parse(&["--shards", "7", "--time", " 1-12", "--option", "qos=long", "--option", "exclusive"]);
        let option = ["qos=long", "exclusive"].map(str::to_owned).to_vec();
        let (shards, time) = (Some(7), Some("1-12".to_owned()));
        assert_eq!(settings, Ok(ClusterSettings { shards, time, option, ..ClusterSettings::default() }));
        assert!(parse(&["--shards", "0"]).unwrap_err().contains("0 is not in 1..=1000000"));
        assert!(parse(&["--cpus", "many"]).unwrap_err().contains("'--cpus"));
        assert!(parse(&["--job-name", "a\n#SBATCH"]).unwrap_err().contains("not one line"));
    }

    #[test]
    fn settings_that_leave_no_time_or_break_the_script_are_refused() {
        let check = |settings: ClusterSettings| settings.check().map_err(|error| error.to_string());
        let time = |time: &str| ClusterSettings { time: Some(time.to_owned()), ..ClusterSettings::default() };
        assert_eq!(check(time("3")), Ok(()));
        assert!(check(time("2")).unwrap_err().contains("leaves no time"));
        let option =
            |option: &str| ClusterSettings { option: vec![option.to_owned()], ..ClusterSettings::default() };
        assert_eq!(check(option("qos=long")), Ok(()));
        assert_eq!(check(option("--exclusive")), Ok(()));
        assert!(check(option("array=1-3")).unwrap_err().contains("itself"));
        assert!(check(option("")).unwrap_err().contains("NAME=VALUE"));
    }
}
