//! What a fault did to images: classes of outcomes, from golden and faulty logits.

/// Returns the predicted class: that of the largest logit, the lower one of equals; with one logit its sign. Logits
/// that are NaN or infinite predict nothing.
#[inline]
pub fn top1(logits: &[f32]) -> Option<u32> {
    if logits.iter().any(|logit| !logit.is_finite()) {
        return None;
    }
    if let [logit] = logits {
        return Some(u32::from(*logit > 0.0));
    }
    let largest = (0_u32..).zip(logits).reduce(|best, next| if next.1 > best.1 { next } else { best });
    largest.map(|(class, _)| class)
}

/// Counts the classes that come before this one: those with a larger logit, and the lower ones with an equal logit.
/// With one logit there are two classes, and none has five before it.
pub fn rank(logits: &[f32], class: u32) -> usize {
    let Some(own) = logits.get(class as usize) else { return 0 };
    let is_before = |(other, logit): &(u32, &f32)| *logit > own || *logit == own && *other < class;
    (0_u32..).zip(logits).filter(is_before).count()
}

/// The outcome of a fault for one image. The variants exclude each other; the first one that holds from
/// [`Due`](Self::Due) downwards counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImageOutcome {
    /// NaN or infinity among the logits.
    Due,
    /// All logits are bit-identical to the golden ones.
    Masked,
    /// Some logit differs, the predicted class does not.
    Benign,
    /// Another class is predicted.
    Sdc1,
}

impl ImageOutcome {
    /// All outcomes, from harmless to harmful: the order of legends, tables and lists.
    pub const ALL: [Self; 4] = [Self::Masked, Self::Benign, Self::Sdc1, Self::Due];

    /// Returns the outcome of an image with these logits.
    pub fn from_logits(golden: &[f32], faulty: &[f32]) -> Self {
        let predicted = top1(faulty);
        if predicted.is_none() {
            Self::Due
        } else if golden.iter().zip(faulty).all(|(a, b)| a.to_bits() == b.to_bits()) {
            Self::Masked
        } else if predicted == top1(golden) {
            Self::Benign
        } else {
            Self::Sdc1
        }
    }

    /// Returns its name in texts and tables: "SDC-1".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Due => "DUE",
            Self::Masked => "masked",
            Self::Benign => "benign",
            Self::Sdc1 => "SDC-1",
        }
    }

    /// Returns its definition, in one or two sentences with their source.
    pub const fn definition(self) -> &'static str {
        match self {
            Self::Due => {
                "DUE, detected unrecoverable error: a logit is NaN or infinite. The fault can be noticed, but no class is \
                 predicted, so the image counts as wrong (after Mukherjee et al., HPCA 2005)"
            }
            Self::Masked => {
                "Masked: all logits are bit-identical to those without the fault, so nothing after it can differ"
            }
            Self::Benign => "Benign: some logit differs, but the predicted class is the same",
            Self::Sdc1 => {
                "SDC-1, silent data corruption: the fault changes the predicted class, and nothing reveals it (Li et al., \
                 SC 2017). Whether the class without the fault was right does not matter"
            }
        }
    }

    /// Returns the number of images of a tally that have it.
    pub const fn count(self, tally: &Tally) -> u64 {
        match self {
            Self::Due => tally.due,
            Self::Masked => tally.masked,
            Self::Benign => tally.benign,
            Self::Sdc1 => tally.sdc1,
        }
    }
}

/// The part of SDC-1 in which the golden class is not among the five largest logits.
pub const SDC5: &str = "SDC-5: the part of SDC-1 in which the class without the fault is not among the five largest \
    logits; never with five classes or fewer (after Li et al., SC 2017)";

/// Returns the definition of an outcome that goes by this name in a figure or table.
pub fn definition(name: &str) -> Option<&'static str> {
    match name {
        "SDC-5" => Some(SDC5),
        "SDC-1 only" => Some(
            "SDC-1 without SDC-5: another class is predicted, and the class without the fault is among the five largest logits",
        ),
        _ => {
            ImageOutcome::ALL.into_iter().find(|outcome| outcome.name() == name).map(ImageOutcome::definition)
        }
    }
}

/// The outcomes of faults, added up over images and over trials.
///
/// Each image has one of four classes: `masked`, `benign`, `sdc1`, `due`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Images: masked + benign + sdc1 + due.
    pub images: u64,
    /// All logits are bit-identical to the golden ones.
    pub masked: u64,
    /// Some logit differs, the predicted class does not.
    pub benign: u64,
    /// Another class is predicted: silent data corruption.
    pub sdc1: u64,
    /// The golden class is not among the five largest logits. Only with SDC-1, and never with five classes or fewer.
    pub sdc5: u64,
    /// NaN or infinity among the logits: detectable, and without a predicted class.
    pub due: u64,
    /// The golden network is wrong and the faulty one right; only with SDC-1.
    pub corrected: u64,
    /// The golden network is right and the faulty one wrong; only with SDC-1.
    pub lost: u64,
    /// The faulty network is right.
    pub correct: u64,
}

impl Tally {
    /// Returns the tally of a batch: logits are `[images, outputs]`, row by row.
    pub fn from_logits(golden: &[f32], faulty: &[f32], outputs: usize, labels: &[u32]) -> Self {
        let rows = golden.chunks_exact(outputs).zip(faulty.chunks_exact(outputs)).zip(labels);
        rows.map(|((golden, faulty), &label)| Self::from_image(golden, faulty, label)).sum()
    }

    fn from_image(golden: &[f32], faulty: &[f32], label: u32) -> Self {
        let (expected, predicted) = (top1(golden), top1(faulty));
        let correct = u64::from(predicted == Some(label));
        let image = Self { images: 1, correct, ..Self::default() };
        match ImageOutcome::from_logits(golden, faulty) {
            ImageOutcome::Due => Self { due: 1, ..image },
            ImageOutcome::Masked => Self { masked: 1, ..image },
            ImageOutcome::Benign => Self { benign: 1, ..image },
            ImageOutcome::Sdc1 => {
                let sdc5 = expected.is_some_and(|class| rank(faulty, class) >= 5);
                let lost = expected == Some(label);
                Self { sdc1: 1, sdc5: sdc5.into(), corrected: correct, lost: lost.into(), ..image }
            }
        }
    }

    /// Returns the share of images that the faulty network classifies rightly, in [0, 1]; an image with NaN or
    /// infinity is wrong.
    pub fn accuracy(&self) -> f64 {
        self.share(self.correct)
    }

    /// Returns the share of images with SDC-1, in [0, 1].
    pub fn sdc1_share(&self) -> f64 {
        self.share(self.sdc1)
    }

    /// Returns any of the counts as a share of the images.
    pub fn share(&self, count: u64) -> f64 {
        count as f64 / self.images as f64
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            images: self.images + other.images,
            masked: self.masked + other.masked,
            benign: self.benign + other.benign,
            sdc1: self.sdc1 + other.sdc1,
            sdc5: self.sdc5 + other.sdc5,
            due: self.due + other.due,
            corrected: self.corrected + other.corrected,
            lost: self.lost + other.lost,
            correct: self.correct + other.correct,
        }
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |total, part| total + part)
    }
}

#[cfg(test)]
mod tests;
