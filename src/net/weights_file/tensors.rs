//! Numbers of a file as float32 or as a mask; and weights that a state dict has in two parts, as PyTorch's pruning and weight
//! norms keep them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use form::number::first_of;
use safetensors::Dtype;

use super::{Converted, FileTensor, Head, Place, TensorFile, WeightFileError};

/// Returns the little-endian bytes of numbers.
pub fn f32_bytes(values: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0u8; values.len() * 4];
    for (bytes, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
    bytes
}

/// Returns the numbers from their little-endian bytes.
pub fn f32_values(bytes: &[u8]) -> Vec<f32> {
    numbers(bytes, f32::from_le_bytes)
}

/// Returns PyTorch's name of a type.
pub const fn dtype_name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "float32",
        Dtype::F64 => "float64",
        Dtype::F16 => "float16",
        Dtype::BF16 => "bfloat16",
        Dtype::I64 => "int64",
        Dtype::I32 => "int32",
        Dtype::I16 => "int16",
        Dtype::I8 => "int8",
        Dtype::U64 => "uint64",
        Dtype::U32 => "uint32",
        Dtype::U16 => "uint16",
        Dtype::U8 => "uint8",
        Dtype::BOOL => "bool",
        Dtype::C64 => "complex64",
        Dtype::F8_E5M2 | Dtype::F8_E4M3 | Dtype::F8_E8M0 | Dtype::F8_E4M3FNUZ | Dtype::F8_E5M2FNUZ => {
            "float8"
        }
        _ => "other", // types of 4 and 6 bits, and those of later versions of the format
    }
}

/// Returns the numbers of a type as float32; none for a type that holds no floating-point numbers of 16 to 64 bits.
pub fn to_f32(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    Some(match dtype {
        Dtype::F32 => f32_values(bytes),
        Dtype::F64 => numbers(bytes, |bytes| f64::from_le_bytes(bytes) as f32),
        Dtype::BF16 => numbers(bytes, |[low, high]| f32::from_le_bytes([0, 0, low, high])),
        Dtype::F16 => numbers(bytes, |bytes| half_to_f32(u16::from_le_bytes(bytes))),
        _ => return None,
    })
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}

/// Returns the number of values of a type that are finite, and infinite as float32.
pub fn too_large(dtype: Dtype, bytes: &[u8]) -> usize {
    if dtype != Dtype::F64 {
        return 0;
    }
    let values = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
    values.filter(|value| value.is_finite() && (*value as f32).is_infinite()).count()
}

/// Returns the numbers of a type as a mask: integers, booleans and float64 that are not 0 become 1. (As float32 small
/// ones would be 0.)
pub fn to_mask(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f32>> {
    let size = match dtype {
        Dtype::BOOL | Dtype::U8 | Dtype::I8 => 1,
        Dtype::U16 | Dtype::I16 => 2,
        Dtype::U32 | Dtype::I32 => 4,
        Dtype::U64 | Dtype::I64 => 8,
        Dtype::F64 => {
            let is_set = |bytes| if f64::from_le_bytes(bytes) == 0.0 { 0.0 } else { 1.0 };
            return Some(numbers(bytes, is_set));
        }
        _ => return to_f32(dtype, bytes),
    };
    let is_set = |bytes: &[u8]| bytes.iter().any(|&byte| byte != 0);
    Some(bytes.chunks(size).map(|bytes| if is_set(bytes) { 1.0 } else { 0.0 }).collect())
}

/// Returns a float16 as float32, exactly; every NaN becomes the same one.
fn half_to_f32(bits: u16) -> f32 {
    let value = half::f16::from_bits(bits);
    if value.is_nan() { f32::NAN } else { value.to_f32_const() }
}

/// Weights that are named in a note; more are counted.
const SOME: usize = 3;
/// Between a layer and the name of its parameter, for `torch.nn.utils.parametrize`.
const PARAMETRISED: &str = ".parametrizations.";

/// The rule by which a weight is computed from its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The product of the values and a mask: `torch.nn.utils.prune`.
    Masked,
    /// g · v / ‖v‖, where the lengths of v are those along the axis of g, or one of all of v: `weight_norm`, Salimans and
    /// Kingma 2016 (<https://arxiv.org/abs/1602.07868>). The parts are g, then v.
    WeightNorm,
}

impl Rule {
    /// Returns the weight, in float32; as a mask, the mask of a product.
    pub fn compute(
        self,
        file: &TensorFile,
        [first, second]: &[Head; 2],
        as_mask: bool,
    ) -> Result<Option<Converted>, WeightFileError> {
        if self == Self::Masked && as_mask {
            return file.plain(second, true);
        }
        let Some(first) = file.plain(first, false)? else { return Ok(None) };
        let second = match file.plain(second, false)? {
            None => file.plain(second, true)?, // a mask of truth values
            second => second,
        };
        let Some(second) = second else { return Ok(None) };
        let too_large = first.too_large + second.too_large;
        let tensor = match self {
            Self::Masked => product(first.tensor, &second.tensor),
            Self::WeightNorm => scaled(&first.tensor, second.tensor),
        };
        Ok(Some(Converted { tensor, too_large }))
    }

    fn note(self, names: &[String]) -> String {
        let how = match self {
            Self::Masked => "values times masks of torch.nn.utils.prune",
            Self::WeightNorm => "directions of weight_norm in their lengths",
        };
        format!("{how}: {}", first_of(names, SOME, ", "))
    }
}

/// Puts weights in the place of their parts, and notes it. Parts of other parametrisations stay, with a note.
pub fn combine(file: &mut TensorFile) {
    let (mut made, mut unknown) = (BTreeMap::new(), BTreeSet::new());
    for name in file.heads.keys() {
        let Some((weight, role)) = part_of(name) else { continue };
        match rule_of(file, name, &weight, role) {
            Some((rule, other)) if !file.heads.contains_key(&weight) => {
                made.insert(weight, (rule, [name.clone(), other]));
            }
            None if name.contains(PARAMETRISED) || file.heads.contains_key(&format!("{weight}_u")) => {
                unknown.insert(weight);
            }
            Some(_) | None => {}
        }
    }
    unknown.retain(|weight| !made.contains_key(weight)); // the second part alone says nothing
    let (mut notes, mut weights): (BTreeMap<Rule, Vec<String>>, BTreeMap<String, String>) =
        (BTreeMap::new(), BTreeMap::new());
    for (weight, (rule, parts)) in made {
        let [first, second] = parts.each_ref().map(|part| file.heads.remove(part));
        let (Some(first), Some(second)) = (first, second) else { continue };
        weights.extend(parts.map(|part| (part, weight.clone())));
        let whole = if rule == Rule::Masked { &first } else { &second };
        let (dtype, shape) = (whole.dtype, whole.shape.clone());
        let place = Place::Parts(rule, Box::new([first, second]));
        notes.entry(rule).or_default().push(weight.clone());
        file.heads.insert(weight, Head { dtype, shape, place });
    }
    // In the order of the file a weight has the place of its first part.
    let mut placed = BTreeSet::new();
    let in_order = |name: String| match weights.get(&name) {
        Some(weight) => placed.insert(weight).then(|| weight.clone()),
        None => Some(name),
    };
    file.order = std::mem::take(&mut file.order).into_iter().filter_map(in_order).collect();
    file.notes.extend(notes.iter().map(|(rule, names)| rule.note(names)));
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.into_iter().collect();
        file.notes.push(format!(
            "a spectral norm or another parametrisation that this program does not compute: {}; in Python, call \
                torch.nn.utils.parametrize.remove_parametrizations or torch.nn.utils.remove_spectral_norm for each of these \
                layers, and save the weights again",
            first_of(&names, SOME, ", ")
        ));
    }
}

/// Returns the weight that a tensor is a part of, by its name, and its role: `fc1.weight` and `orig` for `fc1.weight_orig`.
fn part_of(name: &str) -> Option<(String, &str)> {
    if let Some((layer, rest)) = name.split_once(PARAMETRISED) {
        let (parameter, role) = rest.split_once('.')?;
        return Some((format!("{layer}.{parameter}"), role));
    }
    let (weight, role) = name.rsplit_once('_')?;
    let is_part = role == "orig" || role == "g" && weight.rsplit('.').next()?.starts_with("weight");
    is_part.then(|| (weight.to_owned(), role))
}

/// Returns how a weight is computed whose first part has this name, and the name of the other part; none where that
/// is not known, or for other parts.
fn rule_of(file: &TensorFile, name: &str, weight: &str, role: &str) -> Option<(Rule, String)> {
    let shape = |name: &str| file.heads.get(name).map(|head| head.shape.as_slice());
    let (rule, other) = match role {
        "orig" => (Rule::Masked, format!("{weight}_mask")),
        "g" => (Rule::WeightNorm, format!("{weight}_v")),
        "original0" => {
            let list = name.strip_suffix(role)?;
            let from = (Bound::Included(list), Bound::Unbounded);
            let of_it = file.heads.range::<str, _>(from).take_while(|(name, _)| name.starts_with(list));
            if of_it.take(3).count() != 2 {
                return None; // other parametrisations follow
            }
            (Rule::WeightNorm, format!("{list}original1"))
        }
        _ => return None,
    };
    let (first, second) = (shape(name)?, shape(&other)?);
    let fits = match rule {
        Rule::Masked => first == second,
        Rule::WeightNorm => axis(first, second).is_some(),
    };
    fits.then_some((rule, other))
}

/// Returns the axis along which these lengths are, among as many axes as the directions have; the number of axes for
/// one length of all.
fn axis(lengths: &[usize], directions: &[usize]) -> Option<usize> {
    if lengths.is_empty() {
        return Some(directions.len());
    }
    let axis = lengths.iter().position(|&length| length != 1).unwrap_or_default();
    let fits = |at: usize| lengths[at] == if at == axis { directions[at] } else { 1 };
    (lengths.len() == directions.len() && (0..lengths.len()).all(fits)).then_some(axis)
}

fn product(mut values: FileTensor, mask: &FileTensor) -> FileTensor {
    values.values.iter_mut().zip(&mask.values).for_each(|(value, mask)| *value *= mask);
    values
}

/// Returns the directions scaled to their lengths; squares are added in float64.
fn scaled(lengths: &FileTensor, mut directions: FileTensor) -> FileTensor {
    let axis = axis(&lengths.shape, &directions.shape).unwrap_or_default();
    let stride: usize = directions.shape.iter().skip(axis + 1).product();
    let count = lengths.values.len();
    let mut squares = vec![0.0_f64; count];
    for (at, value) in directions.values.iter().enumerate() {
        squares[at / stride % count] += f64::from(*value).powi(2);
    }
    let factors: Vec<f32> =
        lengths.values.iter().zip(squares).map(|(length, square)| length / square.sqrt() as f32).collect();
    for (at, value) in directions.values.iter_mut().enumerate() {
        *value *= factors[at / stride % count];
    }
    directions
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::weights_file::Form;

    #[test]
    fn numbers_of_every_width_are_read() {
        let double: Vec<u8> = [-0.5_f64, 3.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(to_f32(Dtype::F64, &double), Some(vec![-0.5, 3.0]));
        assert_eq!(to_f32(Dtype::F32, &[0, 0, 0x80, 0x3f]), Some(vec![1.0]));
        assert_eq!(to_f32(Dtype::BF16, &[0x80, 0x3f]), Some(vec![1.0]));
        assert_eq!(to_f32(Dtype::F16, &[0, 0x3c]), Some(vec![1.0]));
    }

    #[test]
    fn numbers_beyond_float32_are_counted_and_stay_in_masks() {
        let double: Vec<u8> = [1e200, -1e200, 1e-60, f64::INFINITY, -0.0]
            .iter()
            .flat_map(|value: &f64| value.to_le_bytes())
            .collect();
        assert_eq!((too_large(Dtype::F64, &double), too_large(Dtype::F32, &double)), (2, 0));
        assert_eq!(to_mask(Dtype::F64, &double), Some(vec![1.0, 1.0, 1.0, 1.0, 0.0]));
    }

    #[test]
    fn half_precision_is_read_exactly() {
        for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x0001, 2f32.powi(-24)), (0x7bff, 65504.0)] {
            assert_eq!(half_to_f32(bits), value);
        }
        assert!(half_to_f32(0x7e00).is_nan() && half_to_f32(0xfc00) == f32::NEG_INFINITY);
    }
    /// A header of 100 MB has a million names.
    #[test]
    fn many_weights_are_combined_in_one_pass_and_keep_their_order() {
        const COUNT: usize = 30_000;
        let layer = |at: usize| format!("{}.parametrizations.weight", COUNT - at);
        let order: Vec<String> = (0..COUNT)
            .flat_map(|at| ["original1", "original0"].map(|part| format!("{}.{part}", layer(at))))
            .collect();
        let head = |name: &String| {
            let shape = if name.ends_with('0') { vec![1, 1] } else { vec![1, 2] };
            Head { dtype: Dtype::F32, shape, place: Place::Bytes { start: 0, size: 0 } }
        };
        let mut file = TensorFile {
            path: PathBuf::new(),
            file: tempfile::tempfile().unwrap(),
            form: Form::Safetensors,
            heads: order.iter().map(|name| (name.clone(), head(name))).collect(),
            order,
            about: BTreeMap::new(),
            notes: Vec::new(),
            unread: BTreeMap::new(),
            _copy: None,
        };
        combine(&mut file);
        assert!(file.order.iter().cloned().eq((0..COUNT).map(|at| format!("{}.weight", COUNT - at))));
        assert_eq!((file.heads.len(), file.heads["7.weight"].shape.as_slice()), (COUNT, &[1, 2][..]));
    }
}
