//! `weightlab replay`: applies the logged faults of a run again, and compares the logits bit for bit.

use std::path::PathBuf;

use clap::Args;

use super::output::{Exit, Failure, print_err, print_out, table};
use doc::stage_number;
use form::number::{counted, grouped};
use run::{Replay, Replayed, replay as replay_run, write_images};

/// Settings of `weightlab replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Directory of a run, such as faults.runs/0123456789abcdef
    directory: PathBuf,
    /// Only this trial, by its number in trials.csv [default: all of them]
    #[arg(long, value_name = "N")]
    trial: Option<u64>,
    /// Only the campaign of this stage, numbered as plans and reports are: 7, or 4.2 in a repetition [default: all]
    #[arg(long, value_name = "STAGE", conflicts_with = "campaign")]
    stage: Option<String>,
    /// The same by its name in trials.csv, which counts stages from 0
    #[arg(long, value_name = "NAME")]
    campaign: Option<String>,
    /// Only this round of the innermost repetition, by its number in trials.csv [default: all of them]
    #[arg(long, value_name = "N")]
    round: Option<u64>,
    /// Folder to which the experiment's paths are relative [default: the one with the folder of runs]
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,
    /// Write the test images and their labels to this .safetensors file instead, for another program
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trial", "stage", "campaign", "round"])]
    data: Option<PathBuf>,
}

const LISTED: usize = 20;

/// Prints how many trials have the same logits, and which ones differ.
///
/// # Errors
/// What is missing or damaged.
pub fn replay(arguments: &ReplayArgs) -> Result<Exit, Failure> {
    let ReplayArgs { directory, trial, stage, campaign, round, base, data } = arguments;
    let ask = Replay {
        trial: *trial,
        campaign: campaign.clone(),
        stage: stage.clone(),
        round: *round,
        base: base.clone(),
        has_images: false,
    };
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.clone());
    if let Some(to) = data {
        let images = write_images(&directory, ask.base.as_deref(), to).map_err(Failure::Input)?;
        print_err(&format!("wrote {} to {}", counted(images, "image"), to.display()));
        return Ok(Exit::Done);
    }
    let replayed = replay_run(&directory, &ask).map_err(Failure::Input)?;
    let different: Vec<&Replayed> = replayed.iter().filter(|trial| !trial.is_equal()).collect();
    let shown: Vec<&Replayed> =
        if replayed.len() <= LISTED { replayed.iter().collect() } else { different.clone() };
    if !shown.is_empty() {
        print_out(&table(&["stage", "round", "trial", "faults", "logits"], &rows(&shown), 1))?;
    }
    if different.is_empty() {
        print_out(&format!("{} replayed: all logits are bit-identical\n", counted(replayed.len(), "trial")))?;
        return Ok(Exit::Done);
    }
    let (others, all) = (grouped(different.len() as u64), counted(replayed.len(), "trial"));
    print_err(&format!("{others} of {all} have other logits than in the run"));
    if let Some(caution) = different.iter().find_map(|trial| trial.spec.device.caution()) {
        print_err(&caution);
    }
    Ok(Exit::RunFailed)
}

fn rows(replayed: &[&Replayed]) -> Vec<Vec<String>> {
    let row = |replayed: &&Replayed| {
        vec![
            stage_number(&replayed.campaign),
            replayed.round.map_or_else(|| "–".to_owned(), |round| round.to_string()),
            replayed.trial.to_string(),
            replayed.faults.to_string(),
            if replayed.is_equal() { "bit-identical" } else { "different" }.to_owned(),
        ]
    };
    replayed.iter().take(LISTED).map(row).collect()
}
