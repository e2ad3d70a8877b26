//! Results in the forms that others read, without this program.

mod digest;
mod error;
mod points;
pub mod report;
pub mod ro_crate;
mod selected;
pub mod tensorboard;

pub use error::PublishError;
pub use points::write_points;
pub use selected::Selected;
