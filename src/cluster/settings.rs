//! What is asked of Slurm: options of `weightlab submit`.

use super::ClusterError;

/// How runs go to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSettings {
    /// Number of tasks among which all runs are dealt out; without it, it follows from `minutes`.
    pub shards: Option<usize>,
    /// Minutes of a task, by the expected time of its runs.
    pub minutes: u64,
    /// At most so many tasks run at the same time.
    pub parallel: Option<usize>,
    pub partition: Option<String>,
    /// Time limit of a task as `sbatch(1)` reads it.
    pub time: Option<String>,
    pub cpus: usize,
    /// Memory of a task, such as 4G.
    pub memory: Option<String>,
    pub account: Option<String>,
    pub job_name: Option<String>,
    /// Seconds between Slurm's warning and the time limit.
    pub warning: u64,
    /// Other options of `sbatch(1)`.
    pub option: Vec<String>,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self {
            shards: None,
            minutes: 60,
            parallel: None,
            partition: None,
            time: None,
            cpus: 1,
            memory: None,
            account: None,
            job_name: None,
            warning: 120,
            option: Vec::new(),
        }
    }
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
