//! The small print of a figure.

use form::number::counted;

/// The small print of a figure. How its intervals are drawn is up to what draws it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Note {
    /// What is drawn: "mean over 5 seeds".
    pub what: String,
    /// In figures of faults, the trials that are drawn, by arm; panels add theirs up.
    pub trials: Vec<(String, u64)>,
    /// What the intervals around means are: "95 % CI". Empty without intervals.
    pub interval: String,
    /// Everything else.
    pub rest: String,
}

impl Note {
    /// The text for a figure whose intervals are drawn as `shown`: "bars"; empty where they are not drawn.
    pub fn text(&self, shown: &str) -> String {
        let interval = if self.interval.is_empty() || shown.is_empty() {
            String::new()
        } else {
            format!("{shown}: {}", self.interval)
        };
        let what = [self.what.trim().to_owned(), self.trials_in_words()];
        let what = what.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        let parts = [what.as_str(), interval.as_str(), self.rest.trim()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// "a, storage int8 (1,500 trials); b (3 trials)"; many arms are only added up.
    fn trials_in_words(&self) -> String {
        const MOST: usize = 6;
        if self.trials.len() > MOST {
            let all: u64 = self.trials.iter().map(|(_, trials)| trials).sum();
            return format!("{} arms and settings ({})", self.trials.len(), counted(all, "trial"));
        }
        let each = self.trials.iter().map(|(arm, trials)| format!("{arm} ({})", counted(*trials, "trial")));
        each.collect::<Vec<_>>().join("; ")
    }

    /// The same with the trials of another one.
    pub fn and_trials_of(mut self, other: &Self) -> Self {
        for (arm, trials) in &other.trials {
            match self.trials.iter_mut().find(|(known, _)| known == arm) {
                Some((_, sum)) => *sum += trials,
                None => self.trials.push((arm.clone(), *trials)),
            }
        }
        self
    }
}

impl<T: Into<String>> From<T> for Note {
    fn from(what: T) -> Self {
        Self { what: what.into(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_of_the_same_arm_add_up_and_many_arms_are_counted() {
        let of = |trials: &[(&str, u64)]| Note {
            what: "share".to_owned(),
            trials: trials.iter().map(|(arm, trials)| ((*arm).to_owned(), *trials)).collect(),
            ..Note::default()
        };
        let both = of(&[("a", 1500)]).and_trials_of(&of(&[("a", 1500), ("b", 1)]));
        assert_eq!(both.text(""), "share: a (3,000 trials); b (1 trial)");
        let many = ["a", "b", "c", "d", "e", "f", "g"].map(|arm| (arm, 100));
        assert_eq!(of(&many).text(""), "share: 7 arms and settings (700 trials)");
    }
}
