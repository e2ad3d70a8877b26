//! The document: one experiment with its arms.

use super::arch::Net;
use super::device::Device;
use super::stage::Stage;
use super::training::Training;
use data::{Data, Looks};
use form::Overrides;

/// The version of the file format that this program writes.
pub const VERSION: u32 = 1;

form::form! {
    /// One treatment: a plan, with optional settings.
    pub struct Arm: "Arm" {
        name: String = "arm".to_owned(), "Name", "Its name in legends and tables";
        net: Option<Net> = None, "Network", "Replaces the experiment's", inherits "net";
        train: Option<Training> = None, "Training", "Replaces the experiment's", inherits "train";
        set: Overrides = Overrides::default(), "Change settings", "Changes single settings of this arm, such as \
            train.batch";
        sweep: Overrides = Overrides::default(), "Swept settings", "Lists of values; every combination becomes an arm";
        plan: Vec<Stage> = Vec::new(), "Plan", "What a run of this arm does, in order";
    }
}

form::form! {
    /// Everything that the user decides.
    pub struct Experiment: "Experiment" {
        version: u32 = VERSION, "Version", "Version of the file format", range [1, VERSION];
        name: String = String::new(), "Name", "Its name in windows and reports";
        notes: String = String::new(), "Notes", "Notes for yourself and others";
        data: Data = Data::default(), "Data", "What the network learns from";
        net: Net = Net::default(), "Network", "The network to train";
        train: Training = Training::default(), "Training", "How to train it";
        device: Device = Device::Cpu, "Device", "What runs the computations";
        seeds: Vec<u64> = vec![1], "Seeds", "Replicates: every arm runs once per seed", unit "seeds";
        set: Overrides = Overrides::default(), "Change settings", "Changes single settings of all arms, such as \
            train.batch";
        sweep: Overrides = Overrides::default(), "Swept settings", "Lists of values; every combination becomes an arm";
        arms: Vec<Arm> = Vec::new(), "Arms", "The treatments to compare";
    } hidden {
        /// What is known of the user's data that it names.
        #[serde(skip)]
        looks: Looks = Looks::default();
    }
}
