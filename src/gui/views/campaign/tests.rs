use super::*;

#[test]
fn a_cell_is_named_by_what_it_varies() {
    let plan = CellPlan::default();
    assert_eq!(cell_name(&plan), "all");
    assert_eq!(cell_name(&CellPlan { rate: Some(1e-6), ..plan.clone() }), "rate 1e-6");
    assert_eq!(cell_name(&CellPlan { bit: Some(30), ..plan.clone() }), "bit 30");
    assert_eq!(cell_name(&CellPlan { layer: Some("fc1".to_owned()), ..plan }), "fc1");
}

#[test]
fn a_share_comes_with_its_interval() {
    let estimate = Estimate { value: 0.05, low: 0.02154, high: 0.11175 };
    assert_eq!(interval(estimate), "5.00 % [2.15, 11.18]");
}
