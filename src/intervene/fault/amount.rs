//! How many faults.

crate::choice! {
    /// How many faults are drawn at once.
    #[derive(Copy)]
    pub enum FaultAmount: "Number of faults" {
        Count(u64) = 1, "Count", "This many", range [0, 1e9];
        Rate(f64) = 1e-6, "Rate", "Each bit (or value) with this probability", range [0.0, 1.0];
    }
}
