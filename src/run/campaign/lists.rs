//! Lists of faults from a file.

use std::path::Path;

use super::tables::TOO_MANY;
use crate::doc::Structure;
use crate::doc::fault::{Campaign, Fault, FaultSource};
use crate::doc::intervention::{Params, Target};
use crate::doc::strikes::struck;
use crate::intervene::fault::list::{ListedTrial, Place, read, trials};

/// The trials of a campaign's list; none where its faults are drawn. Sites have the numbers of parameters (or operations).
///
/// # Errors
/// The file and the line where something is wrong: a place that is not there, an image that the campaign does not see.
pub fn listed(
    campaign: &Campaign,
    structure: &Structure,
    path: &Path,
    images: Option<usize>,
) -> Result<Option<Vec<ListedTrial>>, String> {
    if campaign.faults == FaultSource::Drawn {
        return Ok(None);
    }
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let trials = complete(&text).and_then(|()| place(&text, campaign, structure, images));
    match trials {
        Ok(trials) if trials.is_empty() => {
            Err(format!("{name}: the list has no fault, so that there is no trial"))
        }
        trials => trials.map(Some).map_err(|problem| format!("{name}: {problem}")),
    }
}

/// Refuses the log of a run that leaves trials out, whose faults were too many to be listed.
fn complete(text: &str) -> Result<(), String> {
    let is_left_out = |line: &str| line.starts_with('#') && line.contains(TOO_MANY);
    match text.lines().position(is_left_out) {
        None => Ok(()),
        Some(at) => Err(format!(
            "line {}: the faults of this trial are not in the list; take the line out to go without the trial, or draw its faults again",
            at + 1
        )),
    }
}

/// The fault of a campaign; a list may name any parameter, or what flows behind any layer, whatever the target says.
pub fn fault_of(campaign: &Campaign) -> Fault {
    let fault = campaign.fault.clone();
    if campaign.faults == FaultSource::Drawn {
        return fault;
    }
    let params = if fault.strikes_flows() { fault.target.params } else { Some(Params::Everything) };
    Fault { target: Target { params, ..Target::default() }, indices: Vec::new(), ..fault }
}

/// The trials of a list as text.
///
/// # Errors
/// The line where something is wrong.
pub fn place(
    text: &str,
    campaign: &Campaign,
    structure: &Structure,
    images: Option<usize>,
) -> Result<Vec<ListedTrial>, String> {
    let fault = &fault_of(campaign);
    let known = struck(structure, fault);
    let places: Vec<Place> = known
        .iter()
        .map(|place| Place { name: &place.name, entries: place.entries, format: place.format })
        .collect();
    let list = read(text).map_err(|error| error.to_string())?;
    let mut trials = trials(&list, &places, fault.model.unit()).map_err(|error| error.to_string())?;
    for fault in trials.iter_mut().flat_map(|trial| &mut trial.faults) {
        if let Some((image, images)) =
            fault.image.zip(images).filter(|(image, images)| *image >= *images as u64)
        {
            return Err(format!(
                "line {}: there is no image {image}; the campaign has {images}, numbered from 0",
                fault.line
            ));
        }
        fault.site.parameter = known[fault.site.parameter].number;
    }
    Ok(trials)
}

/// What is wrong with the list of a campaign: the file and the line.
pub fn problem(campaign: &Campaign, structure: &Structure, path: &Path) -> Option<String> {
    listed(campaign, structure, path, campaign.images).err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;
    use crate::doc::{Loss, Mlp, Net};

    fn placed(text: &str) -> Result<Vec<ListedTrial>, String> {
        let net = Net::Mlp(Mlp { hidden: vec![3], ..Mlp::default() });
        let structure =
            Structure::new(&net, Shape { channels: 4, height: 1, width: 1 }, 3, &Loss::CrossEntropy);
        let campaign =
            crate::form::ron_text::from_str("(fault: (target: (params: WeightsAndBiases)))").unwrap();
        place(text, &campaign, &structure, Some(10))
    }

    #[test]
    fn lines_that_name_what_is_not_there_are_told() {
        let trials = placed("parameter,index,bit\nfc2.weight,8,30\nfc1.bias,0,31\n").unwrap();
        let sites: Vec<_> =
            trials.iter().map(|trial| (trial.trial, trial.faults[0].site.parameter)).collect();
        assert_eq!(sites, [(0, 2), (1, 1)]);
        for (list, part) in [
            ("parameter,index,bit\nfc9.weight,0,0\n", "line 2: there is no parameter"),
            ("parameter,index,bit\nfc1.bias,1,1\nfc1.bias,3,0\n", "line 3: fc1.bias has 3 entries"),
            ("parameter,index,bit\nfc1.bias,0,32\n", "line 2: fc1.bias is stored as float32"),
            ("parameter,index,bit,image\nfc1.bias,0,3,10\n", "line 2: there is no image 10"),
        ] {
            let problem = placed(list).unwrap_err();
            assert!(problem.starts_with(part), "{problem}");
        }
    }

    #[test]
    fn logs_that_leave_trials_out_are_refused_with_their_line() {
        let note =
            "# 2,,7: 200000 faults are too many to be listed; they are the draw of the stream fault 2, 0, 7";
        let problem = complete(&format!("parameter,index\n{note}\nfc1.bias,0\n")).unwrap_err();
        assert!(problem.starts_with("line 2: "), "{problem}");
        assert_eq!(complete("# a list by hand\nparameter,index\n"), Ok(()));
    }

    #[test]
    fn a_list_without_faults_is_refused() {
        let path = std::env::temp_dir().join(format!("weightlab-empty-list-{}.csv", std::process::id()));
        std::fs::write(&path, "parameter,index\n# nothing\n").unwrap();
        let campaign = crate::form::ron_text::from_str("(faults: File(\"list.csv\"))").unwrap();
        let net = Net::Mlp(Mlp::default());
        let structure =
            Structure::new(&net, Shape { channels: 4, height: 1, width: 1 }, 3, &Loss::CrossEntropy);
        let problem = listed(&campaign, &structure, &path, None).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(problem.ends_with("the list has no fault, so that there is no trial"), "{problem}");
    }
}
