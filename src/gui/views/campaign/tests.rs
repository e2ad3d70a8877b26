use super::*;

#[test]
fn a_cell_is_named_by_what_it_varies() {
    let plan = CellPlan::default();
    assert_eq!(plan.name(), "all");
    assert_eq!(CellPlan { rate: Some(1e-6), ..plan.clone() }.name(), "rate 1e-6");
    assert_eq!(CellPlan { bit: Some(30), ..plan.clone() }.name(), "b30");
    assert_eq!(CellPlan { layer: Some("fc1".to_owned()), ..plan }.name(), "fc1");
}

#[test]
fn a_share_comes_with_its_interval() {
    let estimate = Estimate { value: 0.05, low: 0.02154, high: 0.11175 };
    assert_eq!(interval(estimate), "5.00 % [2.15, 11.18]");
}

#[test]
fn the_format_and_the_protection_say_what_they_cost_even_nothing() {
    let plain = CampaignBegan {
        images: 1797,
        golden_accuracy: 0.5,
        unprotected_accuracy: 0.75,
        float32_accuracy: 0.75,
        ..CampaignBegan::default()
    };
    assert_eq!(golden(&plain), "1,797 images, 50.00 % right without faults");
    let int8 = CampaignBegan { format: Format::Int8, ..plain.clone() };
    assert!(golden(&int8).ends_with("faults (75.00 % in float32: int8 loses 0.00 points)"));
    let better = CampaignBegan { float32_accuracy: 0.745, ..int8.clone() };
    assert!(golden(&better).ends_with("(74.50 % in float32: int8 gains 0.50 points)"));
    let both = CampaignBegan { protect: Protect::Clip, float32_accuracy: 0.76, ..int8 };
    assert!(
        golden(&both)
            .ends_with("(75.00 % without the protection; 76.00 % in float32: int8 loses 1.00 points)")
    );
}
