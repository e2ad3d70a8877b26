mod damaged;
mod files;

use safetensors::tensor::TensorView;

use super::*;

#[test]
fn tensors_survive_a_file_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.safetensors");
    let values = vec![0.0, -0.0, f32::from_bits(0x7fa0_0001), f32::INFINITY, 1.5, f32::MIN_POSITIVE / 2.0];
    let tensor = FileTensor { shape: vec![2, 3], values };
    let tensors = BTreeMap::from([("fc1.weight".to_owned(), tensor.clone())]);
    let about = BTreeMap::from([("seed".to_owned(), "1".to_owned())]);
    write_tensors(&path, &tensors, Some(("seed", "1".to_owned()))).unwrap();
    let again = read_tensors(&path, false).unwrap();
    let bits = |tensor: &FileTensor| tensor.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&again.tensors["fc1.weight"]), bits(&tensor));
    assert_eq!((again.about, again.notes), (about, Vec::new()));
}

#[test]
fn a_truncated_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.safetensors");
    std::fs::write(&path, [9, 0, 0, 0, 0, 0, 0, 0, b'{']).unwrap();
    let message = read_tensors(&path, false).unwrap_err().to_string();
    assert!(message.contains("weights.safetensors is not a readable safetensors file"), "{message}");
}

#[test]
fn whole_numbers_and_truth_values_are_masks_and_no_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mask.safetensors");
    let wide: Vec<u8> = [0_i64, 256, -1].iter().flat_map(|number| number.to_le_bytes()).collect();
    let views = [
        ("bool", TensorView::new(Dtype::BOOL, vec![3], &[0, 1, 1]).unwrap()),
        ("i64", TensorView::new(Dtype::I64, vec![3], &wide).unwrap()),
        ("i8", TensorView::new(Dtype::I8, vec![3], &[0, 2, 255]).unwrap()),
    ];
    std::fs::write(&path, safetensors::serialize(views, None).unwrap()).unwrap();
    let masks = read_tensors(&path, true).unwrap().tensors;
    assert_eq!(masks.len(), 3);
    assert!(masks.values().all(|mask| mask.values == [0.0, 1.0, 1.0]), "{masks:?}");
    let values = read_tensors(&path, false).unwrap();
    assert!(values.tensors.is_empty());
    let notes = ["1 bool tensor was left out", "1 int64 tensor was left out", "1 int8 tensor was left out"];
    assert_eq!(values.notes, notes);
    let file = TensorFile::open(&path).unwrap();
    assert!(file.shapes(true).contains_key("i64") && !file.shapes(false).contains_key("i64"));
}

#[test]
fn older_files_with_tensors_that_are_not_read_are_refused_with_the_remedy() {
    let message = read_tensors(&files::stored("legacy-complex"), false).unwrap_err().to_string();
    assert!(
        message.contains("it has complex, quantized or float8 tensors, in the form of before"),
        "{message}"
    );
    assert!(
        message.ends_with("save it again with torch.save: of a newer file the other tensors are read"),
        "{message}"
    );
}
