mod draws;

use proptest::prelude::*;

use super::*;
use crate::fault::BitField;
use crate::stream::{Purpose, stream};

fn rng(counter: u64) -> Stream {
    stream(5, Purpose::Fault, &[counter])
}

fn region(parameter: usize, entries: usize, bits: Bits) -> Region {
    Region::new(parameter, entries, Format::Int8, FaultModel::Flip, bits)
}

fn site(parameter: usize, index: usize, bit: u32) -> Site {
    Site { parameter, index, bit: Some(bit) }
}

#[test]
fn sites_count_bits_within_entries_within_parameters() {
    let space = SiteSpace::new(vec![
        region(3, 2, Bits::Bit(0)),
        region(4, 0, Bits::All),
        region(7, 2, Bits::All).only(Some(vec![5])),
        Region::new(9, 2, Format::Float32, FaultModel::Flip, Bits::Field(BitField::Sign)),
    ]);
    assert_eq!(space.total(), 2 + 8 + 2);
    let all: Vec<Site> = (0..space.total()).map(|number| space.site(number)).collect();
    assert_eq!(all[..3], [site(3, 0, 0), site(3, 1, 0), site(7, 5, 0)]);
    assert_eq!(all[9..], [site(7, 5, 7), site(9, 0, 31), site(9, 1, 31)]);
    assert!(all.is_sorted());
}

#[test]
fn a_model_of_whole_values_has_one_site_per_entry() {
    let region = Region::new(0, 3, Format::Float32, FaultModel::Zero, Bits::Bit(30));
    let space = SiteSpace::new(vec![region]);
    assert_eq!((space.total(), space.site(2)), (3, Site { parameter: 0, index: 2, bit: None }));
}

#[test]
fn a_double_flip_has_no_site_at_the_highest_bit() {
    let sites = |bits| Region::new(0, 1, Format::Float32, FaultModel::DoubleFlip, bits).sites();
    assert_eq!([Bits::All, Bits::Bit(30), Bits::Bit(31)].map(sites), [31, 1, 0]);
}

#[test]
fn a_count_draws_exactly_as_many_and_all_of_them_if_asked() {
    let space = SiteSpace::new(vec![region(0, 3, Bits::All)]);
    let all = space.draw(FaultAmount::Count(24), &mut rng(0)).unwrap();
    assert!(all.into_iter().eq((0..24).map(|number| space.site(number))));
    let error = space.draw(FaultAmount::Count(25), &mut rng(0)).unwrap_err();
    assert!(error.to_string().starts_with("25 faults at once do not fit: the target has 24 sites"));
}

#[test]
fn a_rate_is_a_probability() {
    let space = SiteSpace::new(vec![region(0, 3, Bits::All)]);
    let count = |rate| space.draw(FaultAmount::Rate(rate), &mut rng(0)).map(|sites| sites.len());
    assert_eq!([count(0.0), count(1.0)], [Ok(0), Ok(24)]);
    assert_eq!(count(1.5), Err(TooManyFaults::Rate(1.5)));
    assert!(count(f64::NAN).is_err());
}

#[test]
fn without_sites_a_rate_draws_nothing_and_a_count_is_an_error() {
    let space = SiteSpace::new(vec![region(0, 3, Bits::Bit(30))]);
    assert_eq!(space.total(), 0);
    assert_eq!(space.draw(FaultAmount::Rate(0.5), &mut rng(0)), Ok(vec![]));
    assert!(space.draw(FaultAmount::Count(1), &mut rng(0)).is_err());
}

/// Every bit of every entry of two parameters of different widths is drawn as often; 99.9 % quantile of χ², 47 degrees.
#[test]
fn sites_are_uniform_over_bits_by_chi_square() {
    let wide = Region::new(1, 1, Format::Float32, FaultModel::Flip, Bits::All);
    let space = SiteSpace::new(vec![region(0, 2, Bits::All), wide]);
    let mut counts = std::collections::BTreeMap::<Site, f64>::new();
    let (draws, mut rng) = (10_000, rng(1));
    for _ in 0..draws {
        for site in space.draw(FaultAmount::Count(3), &mut rng).unwrap() {
            *counts.entry(site).or_default() += 1.0;
        }
    }
    assert_eq!(counts.len(), 48);
    let expected = f64::from(draws) * 3.0 / 48.0;
    let statistic: f64 = counts.values().map(|count| (count - expected).powi(2) / expected).sum();
    assert!(statistic < 82.72, "{statistic}");
}

proptest! {
    #[test]
    fn drawn_sites_are_distinct_in_order_and_of_the_space(
        seed: u64,
        sizes in prop::collection::vec(0_usize..20, 1..5),
        share in 0.0..=1.0,
    ) {
        let regions = (0..).zip(&sizes).map(|(parameter, &entries)| region(parameter, entries, Bits::All));
        let space = SiteSpace::new(regions.collect());
        let drawn = space.draw(FaultAmount::Rate(share), &mut stream(seed, Purpose::Fault, &[])).unwrap();
        prop_assert!(drawn.is_sorted_by(|a, b| a < b));
        prop_assert!(drawn.iter().all(|site| site.index < sizes[site.parameter] && site.bit < Some(8)));
    }
}
