//! What is known of runs: their events and records, and what can be computed of several records together.

pub mod campaign;
pub mod colours;
pub mod confusion;
pub mod divergence;
pub mod early_stops;
mod ends;
pub mod event;
pub mod facets;
pub mod kept_rounds;
mod log;
pub mod methods;
pub mod metric;
pub mod network;
pub mod number;
pub mod outline;
pub mod page;
pub mod paired;
mod points;
mod record;
pub mod report;
pub mod rounds;
mod run_state;
pub mod statistics;
mod subject;
pub mod table;
pub mod tickets;
pub mod tiles;
pub mod view;
pub mod weights;

pub use divergence::has_diverged;
pub use ends::{end_in_words, ends_in_words};
pub use event::{Event, Point, PointRef, Report, ReportLevel};
pub use points::Points;
pub use record::{EarlyStop, RunRecord, StepStart};
pub use run_state::{RunState, Split};
pub use subject::subject_of;
