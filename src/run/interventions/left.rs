//! What is left of the parameters whose mask changed.

use crate::intervene::MaskCounts;
use crate::net::Network;
use crate::results::Report;

/// What is left of some parameters.
pub struct Left {
    /// One row for each parameter.
    rows: Vec<Vec<String>>,
    /// All of them together.
    pub total: MaskCounts,
    /// Names of those with nothing left.
    emptied: Vec<String>,
}

impl Left {
    /// What is left of the chosen parameters; `before` is what held them.
    pub fn of(network: &Network, chosen: &[usize], before: &[MaskCounts]) -> Self {
        let names = &network.structure().parameters;
        let after: Vec<MaskCounts> = chosen.iter().map(|&index| network.mask_counts(index)).collect();
        let rows = chosen.iter().zip(before).zip(&after).map(|((&index, before), after)| {
            let change = i128::from(after.pruned) - i128::from(before.pruned);
            let size = after.size().to_string();
            let left = after.surviving().to_string();
            vec![names[index].name.clone(), size, change.to_string(), left, percent(after)]
        });
        let rows = rows.collect();
        let emptied = chosen.iter().zip(&after).filter(|(_, mask_counts)| mask_counts.is_emptied());
        let emptied = emptied.map(|(&index, _)| names[index].name.clone()).collect();
        Self { rows, total: after.iter().copied().sum(), emptied }
    }

    /// A report of this kind; what has reached 0 is named behind the summary.
    pub fn report(self, kind: &str, mut summary: String) -> Report {
        if !self.emptied.is_empty() {
            summary = format!("{summary}; no entry remains in {}", self.emptied.join(", "));
        }
        let columns = ["parameter", "entries", "pruned now", "remaining", "remaining %"];
        super::table(kind, summary, &columns, self.rows)
    }
}

/// The surviving share in percent.
pub fn percent(mask_counts: &MaskCounts) -> String {
    format!("{:.2}", 100.0 * mask_counts.surviving() as f64 / mask_counts.size().max(1) as f64)
}
