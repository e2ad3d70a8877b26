//! What remains of the parameters whose mask changed.

use intervene::MaskCounts;
use net::Network;
use results::Report;

/// A report of this kind on the chosen parameters; the summary ends with those that have no entry left.
pub fn mask_report(
    kind: &str,
    mut summary: String,
    chosen: &[usize],
    [before, after]: [&Network; 2],
) -> Report {
    let (mut rows, mut emptied) = (Vec::new(), Vec::new());
    for &index in chosen {
        let name = &after.structure().parameters[index].name;
        let [then, now] = [before, after].map(|network| network.mask_counts(index));
        let pruned = i128::from(now.pruned) - i128::from(then.pruned);
        rows.push(vec![
            name.clone(),
            now.size().to_string(),
            pruned.to_string(),
            now.surviving().to_string(),
            percent(now),
        ]);
        if now.is_emptied() {
            emptied.push(name.as_str());
        }
    }
    let columns = ["parameter", "entries", "pruned now", "remaining", "remaining %"];
    if emptied.is_empty() {
        return super::table(kind, summary, &columns, rows);
    }
    summary = format!("{summary}; no entry remains in {}", emptied.join(", "));
    super::table(kind, summary, &columns, rows).warning()
}

/// The surviving share in percent.
pub fn percent(mask_counts: MaskCounts) -> String {
    format!("{:.2}", 100.0 * mask_counts.surviving() as f64 / mask_counts.size().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surviving_share_has_two_decimals_and_frozen_entries_survive() {
        assert_eq!(percent(MaskCounts { free: 1, pruned: 2, frozen: 0 }), "33.33");
        assert_eq!(percent(MaskCounts { free: 1, pruned: 1, frozen: 2 }), "75.00");
        assert_eq!(percent(MaskCounts { free: 3, pruned: 0, frozen: 0 }), "100.00");
        assert_eq!(percent(MaskCounts::default()), "0.00", "of nothing, nothing remains");
    }
}
