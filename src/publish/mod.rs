//! Results in the forms that others read, without this program.

pub mod report;
