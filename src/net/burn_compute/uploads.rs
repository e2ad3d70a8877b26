//! Parameters that are on the device already.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use burn::tensor::Tensor;

/// Versions of a parameter that stay on the device: those of a network with and without faults, for trials side by side.
const KEPT: usize = 4;

/// Copies of host arrays on a device.
///
/// An array is known by its allocation, which a weak reference keeps from being used again. Whoever writes an array in place
/// needs it for itself, and so moves it to another allocation first ([`Arc::make_mut`]): what is found here has the values
/// that were copied.
#[derive(Debug, Default)]
pub(super) struct Uploads(Mutex<Vec<Vec<Upload>>>);

#[derive(Debug)]
struct Upload {
    of: Weak<Vec<f32>>,
    tensor: Tensor<1>,
}

impl Uploads {
    /// The copy of an array of parameter `index`, made by `upload` where there is none yet.
    pub fn get(
        &self,
        index: usize,
        array: &Arc<Vec<f32>>,
        upload: impl FnOnce(&[f32]) -> Tensor<1>,
    ) -> Tensor<1> {
        let of = Arc::downgrade(array);
        if let Some(tensor) = self.with(index, |known| {
            let found = known.iter().position(|upload| Weak::ptr_eq(&upload.of, &of))?;
            known[found..].rotate_left(1); // the last used is the last to go
            known.last().map(|upload| upload.tensor.clone())
        }) {
            return tensor;
        }
        // Not under the lock: other threads need their parameters meanwhile, and two copies of an array are equal.
        let tensor = upload(array);
        self.with(index, |known| {
            known.retain(|upload| upload.of.strong_count() > 0);
            if known.len() == KEPT {
                known.remove(0);
            }
            known.push(Upload { of, tensor: tensor.clone() });
        });
        tensor
    }

    fn with<T>(&self, index: usize, act: impl FnOnce(&mut Vec<Upload>) -> T) -> T {
        let mut parameters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if parameters.len() <= index {
            parameters.resize_with(index + 1, Vec::new);
        }
        act(&mut parameters[index])
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    #[allow(deprecated)] // the reference device
    fn upload(values: &[f32]) -> Tensor<1> {
        Tensor::from_floats(values, &Device::ndarray())
    }

    fn values(tensor: &Tensor<1>) -> Vec<f32> {
        tensor.clone().into_data().try_into_vec().unwrap()
    }

    #[test]
    fn an_array_travels_once_and_again_after_it_was_written_in_place() {
        let uploads = Uploads::default();
        let mut array = Arc::new(vec![1.0, 2.0]);
        let never = |_: &[f32]| -> Tensor<1> { panic!("it is there") };
        assert_eq!(values(&uploads.get(3, &array, upload)), [1.0, 2.0]);
        assert_eq!(values(&uploads.get(3, &array.clone(), never)), [1.0, 2.0]);
        let buffer = array.as_ptr();
        Arc::make_mut(&mut array)[0] = 5.0;
        assert_eq!(
            array.as_ptr(),
            buffer,
            "the values stay where they are, only the allocation of the array moves"
        );
        assert_eq!(values(&uploads.get(3, &array, upload)), [5.0, 2.0]);
        assert_eq!(values(&uploads.get(3, &array, never)), [5.0, 2.0]);
        // The same array as another parameter is another copy.
        assert_eq!(values(&uploads.get(0, &array, upload)), [5.0, 2.0]);
    }

    #[test]
    fn the_versions_that_were_used_last_stay_and_what_is_gone_goes_first() {
        let uploads = Uploads::default();
        let arrays: Vec<Arc<Vec<f32>>> = (0..=KEPT).map(|at| Arc::new(vec![at as f32])).collect();
        for array in &arrays[..KEPT] {
            uploads.get(0, array, upload);
        }
        let is_there = |array: &Arc<Vec<f32>>| {
            let mut is_there = true;
            uploads.get(0, array, |values| {
                is_there = false;
                upload(values)
            });
            is_there
        };
        assert!(is_there(&arrays[0]), "and so it was used last");
        drop(uploads.get(0, &arrays[KEPT], upload));
        assert!(is_there(&arrays[0]) && !is_there(&arrays[1]));
        let count = || uploads.with(0, |known| known.len());
        assert_eq!(count(), KEPT);
        drop(arrays);
        uploads.get(0, &Arc::new(vec![9.0]), upload);
        assert_eq!(count(), 1);
    }
}
