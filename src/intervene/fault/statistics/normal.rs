/// The quantile of the standard normal distribution for this probability.
///
/// Wichura's algorithm AS 241, PPND16 (*Applied Statistics* 37(3), 1988, 477–484), with a relative accuracy of about
/// 10⁻¹⁶. Infinite at 0 and 1, NaN outside. The crate `distrs` differs in the last bit of 31 % of confidences, which would
/// change results.
pub fn normal_quantile(probability: f64) -> f64 {
    let q = probability - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(&CENTRE, 0.180_625 - q * q);
    }
    let tail = if q < 0.0 { probability } else { 1.0 - probability };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let size = if r <= 5.0 { ratio(&MIDDLE, r - 1.6) } else { ratio(&FAR, r - 5.0) };
    size.copysign(q)
}

/// One polynomial divided by another; coefficients of the highest power first.
fn ratio([numerator, denominator]: &[[f64; 8]; 2], x: f64) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().fold(0.0, |sum, next| sum * x + next);
    polynomial(numerator) / polynomial(denominator)
}

/// Numerator and denominator for probabilities from 0.075 to 0.925, in 0.425² − q².
const CENTRE: [[f64; 8]; 2] = [
    [
        2_509.080_928_730_122_7,
        33_430.575_583_588_13,
        67_265.770_927_008_7,
        45_921.953_931_549_87,
        13_731.693_765_509_46,
        1_971.590_950_306_551_3,
        133.141_667_891_784_38,
        3.387_132_872_796_366_5,
    ],
    [
        5_226.495_278_852_854,
        28_729.085_735_721_943,
        39_307.895_800_092_71,
        21_213.794_301_586_597,
        5_394.196_021_424_751,
        687.187_007_492_057_9,
        42.313_330_701_600_91,
        1.0,
    ],
];

/// The same for tails down to e⁻²⁵, in √(−ln tail) − 1.6.
const MIDDLE: [[f64; 8]; 2] = [
    [
        7.745_450_142_783_414e-4,
        0.022_723_844_989_269_184,
        0.241_780_725_177_450_6,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        0.015_198_666_563_616_457,
        0.148_103_976_427_480_08,
        0.689_767_334_985_1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
];

/// The same for smaller tails, in √(−ln tail) − 5.
const FAR: [[f64; 8]; 2] = [
    [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        1.242_660_947_388_078_4e-3,
        0.026_532_189_526_576_124,
        0.296_560_571_828_504_87,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_7e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_8e-5,
        7.868_691_311_456_133e-4,
        0.014_875_361_290_850_615,
        0.136_929_880_922_735_8,
        0.599_832_206_555_888,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::normal_quantile;

    /// Roots of the distribution function, computed with 60 digits.
    #[test]
    fn quantiles_are_right_to_the_last_digits_of_a_double() {
        let known = [
            (0.975, 1.959_963_984_540_053_8),
            (0.995, 2.575_829_303_548_900_4),
            (0.9, 1.281_551_565_544_600_6),
            (0.6, 0.253_347_103_135_799_7),
            (0.001, -3.090_232_306_167_813_6),
            (1e-6, -4.753_424_308_822_899),
            (1e-10, -6.361_340_902_404_057),
            (1e-12, -7.034_483_825_301_132),
            (1e-300, -37.047_096_299_361_2),
        ];
        for (probability, quantile) in known {
            let error: f64 = normal_quantile(probability) / quantile - 1.0;
            assert!(error.abs() < 1e-15, "{probability}: {error}");
        }
        assert_eq!(normal_quantile(0.5), 0.0);
    }

    #[test]
    fn both_tails_are_alike_and_end_at_infinity() {
        for probability in [0.25, 0.0625, 2.0_f64.powi(-20), 2.0_f64.powi(-50)] {
            assert_eq!(normal_quantile(probability), -normal_quantile(1.0 - probability));
        }
        assert_eq!([0.0, 1.0].map(normal_quantile), [f64::NEG_INFINITY, f64::INFINITY]);
        assert!([-0.1, 1.1, f64::NAN].iter().all(|&outside| normal_quantile(outside).is_nan()));
    }
}
