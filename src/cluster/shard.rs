//! Shards: equal parts of all runs of an experiment, which depend on the experiment alone.

use std::fmt::{self, Display};
use std::str::FromStr;

/// One of several parts of all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Self { index, of }),
            _ => Err("write I/N with I from 1 to N, such as 2/4".to_owned()),
        }
    }
}

impl Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.of)
    }
}

impl Shard {
    /// Picks every N-th run, beginning with the I-th: the parts differ by one run at most, and together are all runs.
    pub fn pick<T>(self, runs: impl IntoIterator<Item = T>) -> Vec<T> {
        runs.into_iter().skip(self.index - 1).step_by(self.of).collect()
    }

    /// Finds the shard of a task in an array, by the variables that schedulers set: Kubernetes (indexed jobs), Slurm and PBS.
    /// `shards` is their number, which only Slurm tells; `variable` looks a variable up. Returns it with the name of the variable
    /// that it is from; nothing outside of an array.
    ///
    /// # Errors
    /// When the number of shards is needed and not known, or does not fit.
    pub fn from_scheduler(
        variable: &dyn Fn(&str) -> Option<String>,
        shards: Option<usize>,
    ) -> Result<Option<(Self, &'static str)>, String> {
        let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<usize>().ok());
        let names = ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX"];
        let Some((name, task)) = names.iter().find_map(|name| Some((*name, number(name)?))) else {
            return match shards {
                None => Ok(None),
                Some(_) => Err(
                    "--shards gives the number of parts, but no scheduler says which one this is; name it \
                     with --shard I/N"
                        .to_owned(),
                ),
            };
        };
        let first = usize::from(name != "JOB_COMPLETION_INDEX"); // Kubernetes counts from 0
        let (index, of) = match shards {
            Some(of) => ((task + 1).checked_sub(first), of),
            None if name == "SLURM_ARRAY_TASK_ID" => array_of_slurm(task, &number)
                .map(|(index, of)| (Some(index), of))
                .ok_or_else(|| how_many(name, task, "the indices of its array are no even range"))?,
            None => return Err(how_many(name, task, "it does not say how many parts there are")),
        };
        match index {
            Some(index) if (1..=of).contains(&index) => Ok(Some((Self { index, of }, name))),
            _ => Err(format!(
                "{name} is {task}, but there are {of} parts: their numbers go from {first} to {}; change the array or \
                 --shards",
                of + first - 1
            )),
        }
    }
}

fn how_many(name: &str, task: usize, why: &str) -> String {
    format!("{name} is {task}, and {why}; add --shards K, or --shard 1/1 for all runs")
}

/// Finds the place of a task of Slurm in its array, from 1, and the number of tasks; nothing where they are no even range.
fn array_of_slurm(task: usize, number: &dyn Fn(&str) -> Option<usize>) -> Option<(usize, usize)> {
    let [min, max, count] = ["MIN", "MAX", "COUNT"].map(|what| number(&format!("SLURM_ARRAY_TASK_{what}")));
    let (min, max, count) = (min?, max?, count?);
    let step = number("SLURM_ARRAY_TASK_STEP").filter(|step| *step > 0).unwrap_or(1);
    // A list such as 1,4-6 has the step 1, or that of its last range.
    let is_even = max.checked_sub(min)? / step + 1 == count && task.checked_sub(min)?.is_multiple_of(step);
    is_even.then(|| ((task - min) / step + 1, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_and_together_everything() {
        let seeds = |text: &str| text.parse::<Shard>().unwrap().pick(1..=7);
        assert_eq!((seeds("1/3"), seeds("2/3"), seeds("3/3")), (vec![1, 4, 7], vec![2, 5], vec![3, 6]));
        for wrong in ["0/3", "4/3", "1/0", "2", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    fn taken(variables: &[(&str, &str)], shards: Option<usize>) -> Result<Option<String>, String> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let taken = Shard::from_scheduler(&variable, shards)?;
        Ok(taken.map(|(shard, name)| format!("{shard} {name}")))
    }

    #[test]
    fn kubernetes_counts_from_0_and_pbs_from_1_and_both_need_the_number_of_shards() {
        let kubernetes = [("JOB_COMPLETION_INDEX", "0")];
        assert_eq!(taken(&kubernetes, Some(4)).unwrap().unwrap(), "1/4 JOB_COMPLETION_INDEX");
        assert!(taken(&kubernetes, None).unwrap_err().contains("add --shards K"));
        assert_eq!(taken(&[("PBS_ARRAY_INDEX", "4")], Some(4)).unwrap().unwrap(), "4/4 PBS_ARRAY_INDEX");
        assert!(taken(&[("PBS_ARRAY_INDEX", "0")], Some(4)).unwrap_err().contains("from 1 to 4"));
        assert!(taken(&[("JOB_COMPLETION_INDEX", "4")], Some(4)).unwrap_err().contains("from 0 to 3"));
    }

    #[test]
    fn slurm_tells_the_number_of_shards_of_an_even_range() {
        let slurm = |task: &str, min: &str, max: &str, count: &str, step: &str| {
            let variables = [
                ("SLURM_ARRAY_TASK_ID", task),
                ("SLURM_ARRAY_TASK_MIN", min),
                ("SLURM_ARRAY_TASK_MAX", max),
                ("SLURM_ARRAY_TASK_COUNT", count),
                ("SLURM_ARRAY_TASK_STEP", step),
            ];
            taken(&variables, None).map(Option::unwrap_or_default)
        };
        assert_eq!(slurm("1", "1", "12", "12", "1").unwrap(), "1/12 SLURM_ARRAY_TASK_ID");
        assert_eq!(slurm("11", "0", "11", "12", "1").unwrap(), "12/12 SLURM_ARRAY_TASK_ID");
        assert_eq!(slurm("7", "3", "11", "3", "4").unwrap(), "2/3 SLURM_ARRAY_TASK_ID");
        assert!(slurm("7", "1", "7", "3", "1").unwrap_err().contains("no even range"));
        assert!(taken(&[("SLURM_ARRAY_TASK_ID", "7")], None).is_err());
        assert_eq!(
            taken(&[("SLURM_ARRAY_TASK_ID", "7")], Some(9)).unwrap().unwrap(),
            "7/9 SLURM_ARRAY_TASK_ID"
        );
    }

    #[test]
    fn outside_of_an_array_there_is_no_shard() {
        assert_eq!(taken(&[("SLURM_JOB_ID", "7"), ("PBS_ARRAY_INDEX", "")], None), Ok(None));
        assert!(taken(&[], Some(3)).unwrap_err().contains("--shard I/N"));
    }
}
