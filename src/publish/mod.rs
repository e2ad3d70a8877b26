//! Results for others to read.

mod error;
mod points;
pub mod ro_crate;
mod selected;
pub mod tensorboard;

pub use error::PublishError;
pub use points::points_csv;
pub use selected::Selected;
