//! What needs the whole crate, in one binary: `cargo test --test it format` runs the module `format`.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests may stop with a panic")]

mod campaign;
mod campaign_disk;
mod checkpoints;
mod cli;
mod cli_output;
mod cluster;
mod contract;
mod crashes;
mod engine;
mod engine_devices;
mod engine_ensemble;
mod engine_faults;
mod engine_graphs;
mod engine_line;
mod engine_past;
mod engine_recording;
mod engine_weights;
mod format;
mod guide;
mod holding;
mod inputs;
mod licences;
mod networks;
mod own_data;
mod pictures;
mod same_figure;
mod share;
mod support;
mod window;
