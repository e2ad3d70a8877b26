//! The document: one experiment with its arms.

use super::network::Net;
use super::stage::Stage;
use super::training::Training;
use crate::data::Data;
use crate::form::Overrides;

/// The version of the file format that this program writes.
pub const VERSION: u32 = 1;

crate::choice! {
    /// What computes.
    pub enum Device: "Device" {
        Flex, "flex", "Burn's fast processor backend";
        Ndarray, "ndarray", "Burn's older processor backend: the reference, slow with convolutions";
    }
}

crate::form! {
    /// One treatment: a plan, with optional settings of its own.
    pub struct Arm: "Arm" {
        name: String = "arm".to_owned(), "Name", "What legends and tables call it";
        net: Option<Net> = None, "Network", "Instead of the experiment's";
        train: Option<Training> = None, "Training", "Instead of the experiment's";
        set: Overrides = Overrides::default(), "Set", "Single settings of this arm, such as train.batch";
        sweep: Overrides = Overrides::default(), "Sweep", "Lists of values; every combination becomes an arm";
        plan: Vec<Stage> = Vec::new(), "Plan", "What a run of this arm does, in order";
    }
}

crate::form! {
    /// Everything that the user decides.
    pub struct Experiment: "Experiment" {
        version: u32 = VERSION, "Version", "Version of the file format", range [1, VERSION];
        name: String = String::new(), "Name", "What windows and reports call it";
        notes: String = String::new(), "Notes", "For yourself and for others";
        data: Data = Data::default(), "Data", "What is learned";
        net: Net = Net::default(), "Network", "What learns";
        train: Training = Training::default(), "Training", "How it learns";
        device: Device = Device::Flex, "Device", "What computes";
        seeds: Vec<u64> = vec![1], "Seeds", "Replicates; every arm is run once per seed";
        set: Overrides = Overrides::default(), "Set", "Single settings of all arms, such as train.batch";
        sweep: Overrides = Overrides::default(), "Sweep", "Lists of values; every combination becomes an arm";
        arms: Vec<Arm> = Vec::new(), "Arms", "The treatments that are compared";
    }
}
