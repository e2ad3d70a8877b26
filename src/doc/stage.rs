//! Stages: what a run does, in order.

use super::fault::Campaign;
use super::intervention::{Intervention, Layers};
use crate::data::Data;
use crate::form::Steps;
use crate::optimize::{Optimizer, Schedule};

crate::short_form! {
    /// Settings of one stretch of training; written `Train("5ep")` when it has none of its own.
    pub struct Train: "Train", "a length of training such as \"5ep\", or (steps: \"5ep\", rate: 0.001)" {
        steps: Steps = Steps::default(), "Length", "How long, as 5ep or 200it";
        rate: Option<f64> = None, "Learning rate", "Left out: the optimizer's", range [0.0, 1000.0];
        batch: Option<usize> = None, "Batch size", "Left out: the training's", unit "samples", range [1, 65536];
        optimizer: Option<Optimizer> = None, "Optimizer", "Left out: the training's, which goes on from stage to stage";
        schedule: Option<Schedule> = None, "Schedule", "Left out: the training's";
        evaluate: Option<Steps> = None, "Evaluate every", "Left out: the training's";
    }
}

impl Train {
    /// Training of this length, with the experiment's settings.
    pub fn of(steps: Steps) -> Self {
        Self { steps, ..Self::default() }
    }
}

crate::form! {
    /// Settings of a repetition.
    pub struct Repeat: "Repeat" {
        times: u64 = 5, "Times", "Number of rounds", range [0, 100_000];
        body: Vec<Stage> = Vec::new(), "Stages", "What each round does";
    }
}

crate::choice! {
    /// What a clone starts from.
    pub enum BranchInit: "Starts from" {
        Copy, "A copy", "Values, pins, faults and position of the original";
        Fresh, "New weights", "The same structure with initial weights of its own";
    }
}

crate::choice! {
    /// In which order a clone sees the data.
    pub enum BranchOrder: "Order of data" {
        Parent, "The original's", "The same order as the original would";
        Own, "Its own", "An order of its own";
    }
}

crate::form! {
    /// Settings of a clone.
    pub struct Branch: "Branch" {
        name: String = "branch".to_owned(), "Name", "What later stages call it";
        init: BranchInit = BranchInit::Copy, "Starts from", "What the clone starts from";
        order: BranchOrder = BranchOrder::Parent, "Order of data", "In which order it sees the data";
        data: Option<Data> = None, "Data", "Other data of the same shape";
        plan: Vec<Stage> = Vec::new(), "Plan", "What the clone does; the original is untouched";
    }
}

crate::form! {
    /// Settings of the error along the line between two networks.
    pub struct Connect: "Connect" {
        a: String = String::new(), "From", "A branch or snapshot";
        b: String = String::new(), "To", "A branch or snapshot";
        points: usize = 11, "Points", "Networks along the line, ends included", range [2, 1001];
    }
}

crate::choice! {
    /// How members share their first layers.
    pub enum Sharing: "Sharing" {
        CopyInTurn, "Copied in turn", "Each member takes its step and hands its shared layers to the next";
        Tied, "Tied", "One set of shared parameters, gradients summed";
    }
}

crate::form! {
    /// Settings of an end by standstill.
    pub struct Change: "Change" {
        below: f64 = 1e-4, "Below", "Largest move of any shared weight", range [0.0, 1e6];
        over: Steps = Steps::epochs(1), "Over", "In this time";
    }
}

crate::choice! {
    /// When an ensemble's training ends early.
    pub enum EnsembleEnd: "Ends" {
        Never, "At its length", "Only when its length is over";
        Change(Change) = Change::default(), "At a standstill", "When no shared weight moved by more than a bound";
    }
}

crate::form! {
    /// Settings of networks that share their first layers.
    pub struct Ensemble: "Ensemble" {
        members: usize = 3, "Members", "How many networks; the first is the current one", range [1, 1000];
        share: Layers = Layers::First(1), "Shared layers", "The layers that all members have in common";
        mode: Sharing = Sharing::CopyInTurn, "Sharing", "How they are kept equal";
        local_steps: usize = 1, "Local steps", "Steps that a member takes before it hands over", range [1, 10_000];
        steps: Steps = Steps::epochs(10), "Length", "How long, in mini-batches";
        until: EnsembleEnd = EnsembleEnd::Never, "Ends", "When it ends early";
    }
}

crate::choice! {
    /// One step of a plan.
    pub enum Stage: "Stage" {
        Train(Train) = Train::default(), "Train", "Trains the network";
        Test, "Test", "Evaluates the network on the validation and test parts";
        Do(Intervention) = Intervention::default(), "Intervene", "Changes weights";
        Repeat(Repeat) = Repeat::default(), "Repeat", "Does its stages again and again";
        Branch(Branch) = Branch::default(), "Branch", "Goes on with a clone and leaves the original as it is";
        Connect(Connect) = Connect::default(), "Connect", "Measures the error along the line between two networks";
        Campaign(Campaign) = Campaign::default(), "Campaign", "Many fault trials on the network as it is, with statistics";
        Ensemble(Ensemble) = Ensemble::default(), "Ensemble", "Trains members that share their first layers";
    }
}
