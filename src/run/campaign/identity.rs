//! Which campaign of a run one is: its name, and the files of its weights.

use crate::program::{Op, ProgramStep};
use doc::Stage;

/// Which campaign of a run it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name in the column `campaign`.
    pub name: String,
    /// The round of the innermost repetition.
    pub round: Option<u64>,
    /// Number of its step.
    pub step: u64,
}

/// The campaign of a step.
pub(crate) fn identity(program: &[ProgramStep], number: usize) -> Identity {
    let step = &program[number];
    let is_like = |other: &&ProgramStep| {
        matches!(other.op, Op::Stage(Stage::Campaign(_)))
            && (&other.stage, other.round) == (&step.stage, step.round)
    };
    let previous = program[..number].iter().filter(is_like).count();
    let name = if previous == 0 { step.stage.clone() } else { format!("{}#{}", step.stage, previous + 1) };
    Identity { name, round: step.round, step: number as u64 }
}

/// The files of the weights that a campaign injects faults into, and of their mask.
pub(crate) fn files_of(identity: &Identity) -> [String; 2] {
    let round = identity.round.map_or_else(String::new, |round| format!("-round-{round}"));
    let name = format!("campaign-{}{round}", identity.name);
    [format!("{name}.safetensors"), format!("{name}.pins.safetensors")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::program;
    use doc::Train;
    use doc::fault::Campaign;
    use doc::stage::Repeat;

    #[test]
    fn campaigns_of_nested_repetitions_have_names_of_their_own() {
        let inner = Stage::Repeat(Repeat { times: 2, body: vec![Stage::Campaign(Campaign::default())] });
        let plan = [Stage::Train(Train::default()), Stage::Repeat(Repeat { times: 2, body: vec![inner] })];
        let steps = program(&plan);
        let names: Vec<_> =
            (1..steps.len()).map(|step| files_of(&identity(&steps, step))[0].clone()).collect();
        assert_eq!(
            names[..3],
            [
                "campaign-1.0.0-round-1.safetensors",
                "campaign-1.0.0-round-2.safetensors",
                "campaign-1.0.0#2-round-1.safetensors"
            ]
        );
    }
}
