//! Where problems lead.

use super::*;

#[test]
fn a_problem_leads_to_what_it_belongs_to() {
    let root = Place::default();
    assert_eq!(selection_of(&root.key("train").key("batch")), None);
    assert_eq!(selection_of(&root.key("seeds")), None);
    assert_eq!(selection_of(&root.key("arms").index(2).key("name")), Some(Selection::Arm(2)));
    let inner = root.key("arms").index(1).key("plan").index(2).variant("Repeat").key("body").index(0);
    let place = inner.variant("Do").variant("Prune").key("amount");
    assert_eq!(selection_of(&place), Some(Selection::Stage { arm: 1, path: vec![2, 0] }));
}
