use crate::plan::{Check, FileUse};
use crate::stage::Planned;
use form::path::Place;

form::form! {
    /// Settings of remembering a network.
    pub struct Snapshot: "Snapshot" {
        name: String = "init".to_owned(), "Name", "Its name for grafts; replaces a snapshot of the same \
            name", written always;
    }
}

impl Planned for Snapshot {
    fn sentence(&self) -> String {
        format!("Snapshot {}", self.name)
    }

    fn check(&self, check: &mut Check<'_>, _: &Place) {
        check.left.names.insert(self.name.clone());
        check.left.positions.insert(self.name.clone(), check.left.sample);
    }

    fn files(&self, _: &Place) -> Vec<FileUse<'_>> {
        vec![FileUse::Keeps(&self.name)]
    }

    fn is_outlined(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::testing::sentence_of_change as sentence;

    #[test]
    fn a_snapshot_says_its_name() {
        assert_eq!(sentence(r#"Snapshot(name: "iteration 10")"#), "Snapshot iteration 10");
    }
}
