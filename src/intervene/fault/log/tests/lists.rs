use crate::fault::log::*;
use crate::fault::{
    Bits, FaultAmount, FaultModel, Format, Injected, Injection, Memory, Region, Site, SiteSpace, Storage,
};
use crate::stream::{Purpose, stream};

const PLACES: [Place; 2] = [
    Place { name: "fc1.weight", entries: 12, format: Format::Float32 },
    Place { name: "fc2.weight", entries: 3, format: Format::Int8 },
];

fn trials_of(text: &str) -> Result<Vec<ListedTrial>, LineError> {
    trials(&read(text)?, &PLACES, Unit::Bits(1))
}

fn problem(text: &str) -> String {
    trials_of(text).unwrap_err().to_string()
}

#[test]
fn a_list_by_hand_needs_little() {
    let trials =
        trials_of("# two faults\nindex, parameter, bit\n\n3, fc1.weight, 30\n2, fc2.weight, 7\n").unwrap();
    assert_eq!(trials.len(), 2, "every line is a trial of its own");
    let fault = PlacedFault {
        line: 5,
        image: None,
        site: Site { parameter: 1, index: 2, bit: Some(7) },
        before: None,
        after: None,
    };
    assert_eq!((trials[1].trial, &trials[1].faults), (1, &vec![fault]));
}

#[test]
fn lines_of_one_campaign_round_and_trial_are_one_trial_also_when_others_stand_between() {
    let text = "campaign,trial,parameter,index,bit\n2,5,fc1.weight,0,1\n2,6,fc1.weight,1,1\n3,5,fc1.weight,2,1\n\
                2,5,fc1.weight,3,1\n";
    let trials = trials_of(text).unwrap();
    let brief: Vec<_> =
        trials.iter().map(|trial| (&*trial.campaign, trial.trial, trial.faults.len())).collect();
    assert_eq!(brief, [("2", 5, 2), ("2", 6, 1), ("3", 5, 1)]);
}

#[test]
fn columns_are_checked_by_name() {
    assert_eq!(
        problem("parameter,index,bits"),
        "line 1: there is no column \"bits\"; columns are campaign, round, trial, image, parameter, index, bit, before, after"
    );
    assert_eq!(
        problem("parameter,bit"),
        "line 1: the column index is missing; a list needs parameter and index at least"
    );
    assert_eq!(problem("# nothing\nindex,index"), "line 2: the column index appears twice");
    assert_eq!(problem(" \n"), "line 1: the list is empty; its first line must name the columns");
}

#[test]
fn cells_are_checked_with_their_line() {
    let problem = |line: &str| problem(&format!("parameter,index,bit,trial\nfc1.weight,0,0,0\n{line}"));
    assert_eq!(
        problem("fc1.weight,x,0,0"),
        "line 3: index is \"x\"; a whole number of 0 or more is expected"
    );
    assert_eq!(
        problem("fc1.weight,-1,0,0"),
        "line 3: index is \"-1\"; a whole number of 0 or more is expected"
    );
    assert_eq!(problem("fc1.weight,,0,0"), "line 3: index is empty");
    assert_eq!(problem(",1,0,0"), "line 3: parameter is empty");
    assert_eq!(problem("fc1.weight,1,0,"), "line 3: trial is empty");
    assert_eq!(problem("fc1.weight,1,0"), "line 3: 3 cells, but the first line names 4 columns");
}

#[test]
fn places_that_are_not_there_are_refused_with_their_line() {
    let problem = |line: &str| problem(&format!("parameter,index,bit\n{line}"));
    assert_eq!(
        problem("fc9.weight,0,0"),
        "line 2: there is no parameter \"fc9.weight\"; there are fc1.weight, fc2.weight"
    );
    assert_eq!(
        problem("fc1.weight,12,0"),
        "line 2: fc1.weight has 12 entries, so its last index is 11, not 12"
    );
    assert_eq!(
        problem("fc1.weight,0,32"),
        "line 2: fc1.weight is stored as float32, whose highest bit is 31, not 32"
    );
    assert_eq!(
        problem("fc2.weight,0,8"),
        "line 2: fc2.weight is stored as int8, whose highest bit is 7, not 8"
    );
    assert_eq!(
        problem("fc1.weight,0,"),
        "line 2: the fault model changes bits, but both bit and after are empty; give one of them"
    );
}

#[test]
fn bits_that_a_format_lacks_are_refused() {
    let text = "parameter,index,after\nfc2.weight,0,0000001ff";
    assert!(read(text).is_err(), "nine digits");
    assert_eq!(
        problem("parameter,index,after\nfc2.weight,0,000001ff"),
        "line 2: 000001ff does not fit into the 8 bits of int8"
    );
}

#[test]
fn a_model_of_whole_values_needs_no_bit() {
    let list = read("parameter,index\nfc1.weight,4").unwrap();
    assert!(trials(&list, &PLACES, Unit::Bits(1)).is_err());
    assert_eq!(trials(&list, &PLACES, Unit::Value).unwrap()[0].faults[0].site.bit, None);
}

#[test]
fn a_double_flip_needs_a_bit_above() {
    let placed = |line: &str| {
        let text = format!("parameter,index,bit,after\n{line}");
        let list = read(&text).unwrap();
        trials(&list, &PLACES, FaultModel::DoubleFlip.unit()).map_err(|error| error.to_string())
    };
    for (line, problem) in [
        ("fc1.weight,0,31,", "in float32 is at most 30, not 31"),
        ("fc2.weight,0,7,", "in int8 is at most 6, not 7"),
    ] {
        assert!(placed(line).unwrap_err().ends_with(problem));
    }
    assert!(placed("fc1.weight,0,30,").is_ok() && placed("fc2.weight,0,6,").is_ok());
    assert!(placed("fc1.weight,0,31,7f800000").is_ok(), "what is stored afterwards is said");
}

/// Injects the only trial of a list into `values`, in the format of the first place.
fn inject_all(text: &str, model: FaultModel, values: &[f32]) -> Result<Vec<Injected>, LineError> {
    let storage = Storage::new(Format::Float32, values, 1);
    let trials = trials_of(text).unwrap();
    let mut injection = Injection::listed(model, trials[0].faults.clone(), stream(0, Purpose::Fault, &[]));
    injection.inject(|_| Memory { values, storage: &storage })
}

#[test]
fn listed_faults_take_their_bits_from_the_list_or_from_the_model() {
    let text = "trial,parameter,index,bit,before,after\n\
                0,fc1.weight,0,30,,\n0,fc1.weight,1,,3f800000,c0000000\n0,fc1.weight,1,31,c0000000,\n";
    let faults = inject_all(text, FaultModel::Flip, &[0.0, 1.0]).unwrap();
    assert_eq!(faults.iter().map(|fault| fault.value).collect::<Vec<_>>(), [2.0, -2.0, 2.0]);
    assert_eq!(faults[2].before, 0xc000_0000, "what the line before it left");
}

#[test]
fn a_list_made_for_another_network_is_refused_with_its_line() {
    let text = "parameter,index,bit,before\nfc1.weight,0,30,3f800000";
    let error = inject_all(text, FaultModel::Flip, &[2.0]).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 2: before is 3f800000, but the entry holds 40000000; the list was made for another network"
    );
}

/// Faults of every model, drawn, logged, read and injected again.
#[test]
fn replaying_a_log_gives_identical_bits() {
    let values: Vec<f32> = (0_i8..12).map(|at| f32::from(at) / 8.0 - 0.7).collect();
    let models = || FaultModel::all().into_iter();
    for (format, model) in
        Format::all().into_iter().flat_map(|format| models().map(move |model| (format, model)))
    {
        let storage = Storage::new(format, &values, 3);
        let memory = |_| Memory { values: &values, storage: &storage };
        let space = SiteSpace::new(vec![Region::new(0, values.len(), format, model, Bits::All)]);
        let rng = || stream(7, Purpose::Fault, &[]);
        let drawn =
            Injection::draw(model, &space, FaultAmount::Count(9), rng()).unwrap().inject(memory).unwrap();
        let row = |fault| Row {
            campaign: "2".into(),
            round: None,
            trial: 0,
            image: None,
            logged: Logged::Fault(LoggedFault::new("w", fault)),
        };
        let log = drawn.iter().map(|fault| row(fault).to_string());
        let text = std::iter::once(HEADER.to_owned()).chain(log).collect::<Vec<_>>().join("\n");
        let places = [Place { name: "w", entries: values.len(), format }];
        let trials = trials(&read(&text).unwrap(), &places, model.unit()).unwrap();
        // Another model: the log alone says what happens.
        let again =
            Injection::listed(FaultModel::Zero, trials[0].faults.clone(), rng()).inject(memory).unwrap();
        let bits =
            |faults: &[Injected]| faults.iter().map(|s| (s.site, s.value.to_bits())).collect::<Vec<_>>();
        assert_eq!(bits(&again), bits(&drawn), "{} {}", format.key(), model.key());
    }
}

/// In the form of now, and in those of 2026-11-22 and before.
#[test]
fn a_list_that_leaves_faults_out_is_refused_with_its_line() {
    let of_run = "2,,7,,stream 2 0 7,200000,,,";
    let of_place = "2,,7,,stream,200000,,,";
    for line in [of_run, of_place] {
        let problem = problem(&format!("{HEADER}\n{line}\n2,,8,,fc1.weight,0,1,,\n"));
        assert!(problem.starts_with("line 2: the list does not have the faults of this draw"), "{problem}");
    }
    assert_eq!(trials_of("# a list by hand\nparameter,index,bit\n"), Ok(Vec::new()));
}
