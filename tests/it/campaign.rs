//! Whole campaigns: that they repeat, resume, restore and replay, and that statistics agree with each other.

use doc::RunSpec;
use results::Event;
use run::testing::Recorder;
use run::{RunEnd, Session, StopFlag, Table};

use crate::support::{self, campaigns, complaints, context, failure, reports, run, spec, values, with_plan};

/// What a run in memory says and writes.
fn recorded(spec: RunSpec, threads: usize) -> Recorder {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut recorder = Recorder::default();
    let outcome =
        pool.install(|| Session::new(context(spec), None, threads, StopFlag::new(), &mut recorder).run());
    assert_eq!(outcome.expect("the run ends well"), RunEnd::Done);
    recorder
}

#[test]
fn results_are_equal_for_one_thread_and_two() {
    let plan = "Train(\"2ep\"), Campaign(fault: (amount: Count(2)), trials: Fixed(70)),
        Campaign(fault: (target: (params: Activations)), vary: Bit([30, 3]), trials: Fixed(5))";
    for spec in [with_plan(plan), support::residual(plan)] {
        let [one, two] = [1, 2].map(|threads| recorded(spec.clone(), threads));
        assert_eq!(one.tables, two.tables);
        assert_eq!(campaigns(&one.events), campaigns(&two.events));
        assert_eq!(support::points(&one.events), support::points(&two.events));
        let lines = one.tables[&Table::Trials].lines().count();
        assert_eq!((lines, one.tables[&Table::Logits].lines().count()), (80, 80));
    }
}

#[test]
fn every_image_has_one_class_and_trials_add_up() {
    let recorder = recorded(with_plan("Train(\"3ep\"), Campaign(trials: Fixed(40), images: 25)"), 2);
    for line in recorder.tables[&Table::Trials].lines() {
        let cells: Vec<&str> = line.split(',').collect();
        let count = |column: usize| cells[column].parse::<u64>().unwrap();
        assert_eq!(count(6 - 1), 25);
        assert_eq!(count(6) + count(7) + count(8) + count(10), 25, "{line}");
        assert!(count(9) <= count(8) && count(11) + count(12) <= count(8), "{line}");
    }
    let campaign = &campaigns(&recorder.events)[0];
    let state = &campaign.cells[0];
    assert_eq!((state.trials, state.tally.images, state.done), (40, 1000, true));
    assert_eq!(campaign.outcomes().iter().map(|outcome| outcome.trials).sum::<u64>(), 40);
    assert_eq!(values(&recorder.events, "campaign_sdc1"), [state.sdc1.value]);
    assert!(campaign.ended.as_ref().unwrap().intact);
}

#[test]
fn faults_that_single_images_see_are_told_apart_by_layer_and_bit_too() {
    let fault = "target: (params: Activations), amount: Count(1)";
    let plan = format!(
        "Train(\"3ep\"), Campaign(fault: ({fault}), vary: Bit([30, 0]), trials: Fixed(4), images: 25),
        Campaign(fault: (draw: EveryImage), trials: Fixed(4), images: 25)"
    );
    let found = campaigns(&recorded(with_plan(&plan), 2).events);
    let counted = |at: usize| {
        let outcomes = found[at].outcomes();
        let trials: u64 = outcomes.iter().map(|outcome| outcome.trials).sum();
        (trials, outcomes.iter().map(|outcome| outcome.tally.images).sum::<u64>())
    };
    assert_eq!([counted(0), counted(1)], [(2 * 4 * 25, 2 * 4 * 25), (4 * 25, 4 * 25)]);
    let sdc1 = |bit: u32| -> u64 {
        let of_bit = found[0].outcomes().into_iter().filter(|outcome| outcome.bit == Some(bit));
        of_bit.map(|outcome| outcome.tally.sdc1 + outcome.tally.due).sum()
    };
    assert!(sdc1(30) > sdc1(0), "{} and {}", sdc1(30), sdc1(0));
}

/// A small network that is right, for laws that hold for those.
fn trained(campaign: &str) -> RunSpec {
    spec(&format!(
        "(data: Digits(limit_train: 600, limit_test: 60), net: Mlp(hidden: [12]),
          train: (optimizer: Adam(rate: 0.01), batch: 32), arms: [(plan: [Train(\"8ep\"), {campaign}])])"
    ))
}

#[test]
fn the_highest_bit_of_the_exponent_does_more_harm_than_any_bit_of_the_mantissa() {
    let ended = run(trained("Campaign(vary: Bit([30, 29, 22, 21, 10, 0]), trials: Fixed(64))"));
    let shares = values(&ended.events, "campaign_sdc1");
    let due = values(&ended.events, "campaign_due");
    assert!(shares[0] > 0.05 && shares[0] + due[0] > 0.1, "{shares:?} {due:?}");
    assert!(shares[2..].iter().all(|share| 10.0 * share < shares[0]), "{shares:?}");
}

#[test]
fn an_exhaustive_campaign_agrees_with_a_sampled_one() {
    let target = "target: (layers: Only([\"fc2\"]), params: Biases), bits: Field(Exponent)";
    let exhaustive = run(trained(&format!("Campaign(fault: ({target}), trials: Exhaustive)")));
    let all = &campaigns(&exhaustive.events)[0];
    assert_eq!(all.trials(), 10 * 8);
    assert!(all.outcomes().iter().all(|outcome| outcome.trials == 10), "each entry once");
    let sampled = run(trained(&format!("Campaign(fault: ({target}), trials: Fixed(300))")));
    let sampled = campaigns(&sampled.events)[0].cells[0].sdc1;
    let truth = all.cells[0].sdc1.value;
    assert!(sampled.low <= truth && truth <= sampled.high, "{truth} is not in {sampled:?}");
}

#[test]
fn four_entries_have_one_fault_each() {
    let plan = "Campaign(fault: (target: (layers: Only([\"fc1\"]), params: Biases, channels: [0, 2, 5, 7]), model: Sign),
        trials: Exhaustive, images: 3)";
    let recorder = recorded(with_plan(plan), 1);
    let faults: Vec<String> = recorder.tables[&Table::Faults]
        .lines()
        .map(|line| line.split(',').skip(4).take(3).collect::<Vec<_>>().join(","))
        .collect();
    assert_eq!(faults, ["fc1.bias,0,", "fc1.bias,2,", "fc1.bias,5,", "fc1.bias,7,"]);
}

#[test]
fn until_ends_at_its_margin_after_a_whole_block_and_never_before_a_hundred_trials() {
    let until = |margin: f64, at_most: u64| {
        let plan = format!(
            "Campaign(fault: (bits: Field(Mantissa)), trials: Until(margin: {margin}, at_most: {at_most}), images: 4)"
        );
        campaigns(&run(with_plan(&plan)).events)[0].clone()
    };
    let wide = until(0.4, 1000);
    assert_eq!(wide.trials(), 128, "two blocks");
    let narrow = until(0.0005, 150);
    assert_eq!((narrow.trials(), narrow.cells[0].done), (150, true));
}

#[test]
fn protection_stands_beside_the_same_trials_without_it() {
    let campaign = "Campaign(fault: (bits: Bit(30)), trials: Fixed(48), protect: Clip)";
    let recorder = recorded(trained(campaign), 2);
    let record = &campaigns(&recorder.events)[0];
    let [with, without] = [false, true].map(|unprotected| record.states(unprotected).next().unwrap().clone());
    assert_eq!((with.trials, without.trials, with.faults), (48, 48, without.faults));
    assert!(with.accuracy.value > without.accuracy.value, "{with:?}\n{without:?}");
    assert_eq!(recorder.tables[&Table::Unprotected].lines().count(), 48);
    assert_eq!(values(&recorder.events, "campaign_accuracy_unprotected"), [without.accuracy.value]);
}

#[test]
fn too_little_memory_is_said_and_changes_nothing() {
    let campaign = |memory: u64| {
        let plan = format!("Train(\"1ep\"), Campaign(trials: Fixed(9), memory: {memory})");
        recorded(with_plan(&plan), 1)
    };
    let (plenty, nothing) = (campaign(1024), campaign(0));
    assert_eq!(plenty.tables, nothing.tables);
    let summary = |recorder: &Recorder| reports(&recorder.events, "campaign_plan")[0].summary.clone();
    assert!(summary(&nothing).contains("take 1 MiB, and memory is 0 MiB"), "{}", summary(&nothing));
    assert!(!summary(&plenty).contains("MiB"));
}

#[test]
fn a_format_says_what_it_costs() {
    let ended = run(trained("Campaign(fault: (format: Int8), trials: Fixed(3))"));
    let began = &campaigns(&ended.events)[0].began;
    let tested = began.float32_accuracy;
    assert!(tested > 0.8 && (began.golden_accuracy - tested).abs() < 0.1, "{began:?}");
    let report = &reports(&ended.events, "campaign_golden")[0];
    assert_eq!(report.passed, Some(true));
}

#[test]
fn a_campaign_on_a_faulty_network_is_refused() {
    let active = complaints("Do(Fault(amount: Count(1))), Campaign(trials: Fixed(3))");
    assert!(active[0].contains("a fault is in place"), "{active:#?}");
    let broken = failure(with_plan(
        "Do(Set(parameter: \"fc2.bias\", value: 3e38)), Do(Set(parameter: \"fc3.weight\", value: 9e9)), Campaign()",
    ));
    assert!(broken.contains("predicts NaN or infinity for 40 of 40 images"), "{broken}");
    // Half precision ends at 65,504.
    let stored = failure(with_plan(
        "Do(Set(parameter: \"fc1.weight\", value: 1e5)), Campaign(fault: (format: Float16))",
    ));
    assert!(stored.contains("stored as"), "{stored}");
}

#[test]
fn trials_of_a_rate_say_nothing_of_single_faults() {
    let ended = run(with_plan("Campaign(fault: (amount: Rate(1e-5)), trials: Fixed(64), images: 3)"));
    assert!(campaigns(&ended.events)[0].outcomes().is_empty());
    assert!(reports(&ended.events, "campaign_layers").is_empty());
}

#[test]
fn of_an_ensemble_the_first_member_has_the_faults_and_the_report_says_so() {
    let ended = run(with_plan("Ensemble(members: 2, steps: \"2it\"), Campaign(trials: Fixed(2), images: 3)"));
    let summary = &reports(&ended.events, "campaign_plan")[0].summary;
    assert!(
        summary.contains("of an ensemble of 2 members, faults are injected into member 1 alone"),
        "{summary}"
    );
}

#[test]
fn settings_that_cannot_go_together_are_named() {
    for (campaign, part) in [
        ("fault: (amount: Rate(1.5))", "must be between 0 and 1"),
        ("vary: Rate([0.1, 2.0])", "must be between 0 and 1"),
        ("fault: (format: Int8, target: (params: Activations))", "no int8 scale"),
        ("fault: (format: Int8), vary: Bit([7, 8])", "bits 0 to 7, and no bit 8"),
        ("fault: (format: Int8, bits: Bit(30))", "int8 has none of these bits"),
        ("fault: (model: Zero), vary: Bit([3])", "acts on whole values"),
        ("vary: Bit([])", "no bit to vary"),
        ("fault: (amount: Rate(0.1)), trials: Exhaustive", "one fault at a time"),
        ("fault: (target: (params: Norm))", "no parameter of this network"),
        ("fault: (target: (layers: Only([\"fc9\"])))", "there is no layer \"fc9\""),
        ("faults: File(\"x.csv\"), vary: Layer", "a list determines"),
    ] {
        let found = complaints(&format!("Campaign({campaign})"));
        assert!(found.iter().any(|problem| problem.contains(part)), "{campaign}: {found:#?}");
    }
}

/// 70 trials in each of two cells: blocks of 64 and 6, twice.
#[test]
fn progress_rises_with_every_block_of_trials() {
    let recorder = recorded(with_plan("Campaign(vary: Bit([30, 3]), trials: Fixed(70), images: 10)"), 1);
    let mut done: Vec<f64> = Vec::new();
    for event in &recorder.events {
        if let Event::Progress(progress) = event {
            done.push(progress.done);
        }
    }
    assert!(done.is_sorted() && done.iter().all(|done| *done <= 1.0), "{done:?}");
    done.dedup();
    assert!(done.len() >= 4, "{done:?}");
}
