//! Tables of text: the first columns at the left, numbers at the right.

/// Lines of a table with its head; the first `left` columns are aligned at the left, the others at the right.
pub fn table(head: &[&str], rows: &[Vec<String>], left: usize) -> String {
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width_of).collect();
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        padded.collect::<Vec<_>>().join("   ").trim_end().to_owned() + "\n"
    };
    let mut text = line(head);
    for row in rows {
        text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn names_stand_at_the_left_and_numbers_at_the_right() {
        let rows = [vec!["dense".to_owned(), "9 %".to_owned()], vec!["ticket".to_owned(), "10 %".to_owned()]];
        assert_eq!(table(&["arm", "best"], &rows, 1), "arm      best\ndense     9 %\nticket   10 %\n");
    }
}
