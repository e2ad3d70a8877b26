//! How networks are trained, in parts of sentences for a paper.

use super::length;
use super::words::{listed, number};
use crate::doc::Training;
use crate::optimize::Schedule;

impl Training {
    /// How the learning rate changes: `, the rate falling along half a cosine over 30 epochs`; nothing where it does not.
    pub fn rate_sentence(&self) -> String {
        let change = match &self.schedule {
            Schedule::Constant => String::new(),
            Schedule::Steps(steps) => {
                let times: Vec<String> = steps.at.iter().map(|at| length(*at)).collect();
                format!(", the rate multiplied by {} after {}", number(steps.factor), listed(&times))
            }
            Schedule::Cosine(cosine) => {
                let floor = if cosine.floor > 0.0 {
                    format!(" to {} of it", number(cosine.floor))
                } else {
                    String::new()
                };
                format!(", the rate falling{floor} along half a cosine over {}", length(cosine.over))
            }
        };
        let rise = self.warm_up.map(|steps| format!(", after a linear warm-up of {}", length(steps)));
        change + &rise.unwrap_or_default()
    }

    /// How often networks are evaluated: `every epoch`, `every 100 iterations`.
    pub fn evaluation_sentence(&self) -> String {
        let length = length(self.evaluate);
        format!("every {}", length.strip_prefix("1 ").unwrap_or(&length))
    }
}

#[cfg(test)]
mod tests {
    use crate::doc::Training;
    use crate::form::ron_text;

    fn said(training: &str) -> [String; 2] {
        let training: Training = ron_text::from_str(training).unwrap();
        [training.rate_sentence(), training.evaluation_sentence()]
    }

    #[test]
    fn a_paper_reads_how_the_rate_changes() {
        assert_eq!(said("()"), ["", "every epoch"]);
        assert_eq!(
            said("(schedule: Steps(at: [\"80ep\", \"120ep\"]), warm_up: \"500it\", evaluate: \"5ep\")"),
            [
                ", the rate multiplied by 0.1 after 80 epochs and 120 epochs, after a linear warm-up of 500 iterations",
                "every 5 epochs"
            ]
        );
        assert_eq!(
            said("(schedule: Cosine(over: \"9ep\", floor: 0.01))")[0],
            ", the rate falling to 0.01 of it along half a cosine over 9 epochs"
        );
    }
}
