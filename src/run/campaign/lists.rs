//! Lists of faults from a file.

use std::path::Path;

use crate::session::Session;
use data::stand_in;
use doc::Structure;
use doc::fault::{Campaign, Fault, FaultSource};
use doc::fault_sites::fault_places;
use doc::intervention::{Params, Target};
use intervene::fault::list::{ListedTrial, Place, trials};
use intervene::fault::log::{LineError, Row, read};

/// The trials of a campaign's list; none where its faults are drawn.
///
/// # Errors
/// As [`read_list`].
pub fn listed(
    session: &Session,
    campaign: &Campaign,
    samples: usize,
) -> Result<Option<Vec<ListedTrial>>, String> {
    let FaultSource::File(file) = &campaign.faults else { return Ok(None) };
    let images = campaign.images.unwrap_or(samples).min(samples);
    let path = session.input_path(file);
    let list = read_list(campaign, &session.context.structure, &path, Some(images))?;
    session.check_input(file, &path).map_err(|error| error.to_string())?;
    Ok(Some(list))
}

/// The trials of a list. Sites have the numbers of parameters (or operations).
///
/// # Errors
/// The file and the line where something is wrong: a place that is not there, an image that the campaign does not see.
fn read_list(
    campaign: &Campaign,
    structure: &Structure,
    path: &Path,
    images: Option<usize>,
) -> Result<Vec<ListedTrial>, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    if let Some(what) = stand_in(text.as_bytes()) {
        return Err(format!("{name} is {what}"));
    }
    let trials = read(&text).and_then(|rows| place(&rows, campaign, structure, images));
    match trials {
        Ok(trials) if trials.is_empty() => {
            Err(format!("{name}: the list has no fault, so there is no trial"))
        }
        trials => trials.map_err(|problem| format!("{name}: {problem}")),
    }
}

/// The fault of a campaign; a list may name any parameter, or the activations of any layer, whatever the target is.
pub fn fault_of(campaign: &Campaign) -> Fault {
    let fault = campaign.fault.clone();
    if campaign.faults == FaultSource::Drawn {
        return fault;
    }
    let params = if fault.is_in_activations() { fault.target.params } else { Some(Params::Everything) };
    Fault { target: Target { params, ..Target::default() }, indices: Vec::new(), ..fault }
}

/// The trials of some rows of a log or of a list.
///
/// # Errors
/// The line where something is wrong.
pub fn place<'a>(
    rows: impl IntoIterator<Item = &'a (usize, Row<'a>)>,
    campaign: &Campaign,
    structure: &Structure,
    images: Option<usize>,
) -> Result<Vec<ListedTrial>, LineError> {
    let fault = &fault_of(campaign);
    let known = fault_places(structure, fault);
    let places: Vec<Place> = known
        .iter()
        .map(|place| Place { name: &place.name, entries: place.entries, format: place.format })
        .collect();
    let mut trials = trials(rows, &places, fault.model.unit())?;
    for fault in trials.iter_mut().flat_map(|trial| &mut trial.faults) {
        let images = images.map(|images| images as u64);
        if let Some((image, images)) = fault.image.zip(images).filter(|(image, images)| image >= images) {
            let problem = format!("there is no image {image}; the campaign has {images}, numbered from 0");
            return Err(LineError { line: fault.line, problem });
        }
        fault.site.parameter = known[fault.site.parameter].number;
    }
    Ok(trials)
}

/// What is wrong with the list of a campaign: the file and the line.
pub fn problem(campaign: &Campaign, structure: &Structure, path: &Path) -> Option<String> {
    read_list(campaign, structure, path, campaign.images).err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::Shape;
    use doc::{Loss, Mlp, Net};

    fn placed(text: &str) -> Result<Vec<ListedTrial>, String> {
        let net = Net::Mlp(Mlp { hidden: vec![3], ..Mlp::default() });
        let structure =
            Structure::new(&net, Shape { channels: 4, height: 1, width: 1 }, 3, &Loss::CrossEntropy).unwrap();
        let campaign = form::ron_text::from_str("(fault: (target: (params: WeightsAndBiases)))").unwrap();
        let trials = read(text).and_then(|rows| place(&rows, &campaign, &structure, Some(10)));
        trials.map_err(|error| error.to_string())
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
    fn a_list_without_faults_is_refused() {
        let path = std::env::temp_dir().join(format!("weightlab-empty-list-{}.csv", std::process::id()));
        std::fs::write(&path, "parameter,index\n# nothing\n").unwrap();
        let campaign = form::ron_text::from_str("(faults: File(\"list.csv\"))").unwrap();
        let net = Net::Mlp(Mlp::default());
        let structure =
            Structure::new(&net, Shape { channels: 4, height: 1, width: 1 }, 3, &Loss::CrossEntropy).unwrap();
        let problem = read_list(&campaign, &structure, &path, None).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(problem.ends_with("the list has no fault, so there is no trial"), "{problem}");
    }
}
