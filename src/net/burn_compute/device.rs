//! Burn's devices: those of every build, and GPUs where this build and this machine have them.

#[cfg(any(feature = "cuda", feature = "wgpu"))]
use std::sync::LazyLock;

use burn::tensor::Device;

/// The reason why a device cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    #[error("{0}")]
    NotBuilt(String),
    #[error(
        "the device {device} cannot be used on this machine: {reason}; install the driver of its GPU (for Cuda also NVRTC of \
            the CUDA toolkit), or choose the device Cpu"
    )]
    Absent { device: &'static str, reason: String },
}

/// A GPU that was opened and what it calls itself, or what is missing. Burn opens a device once in a process, for all runs; so
/// this is found out once, too.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
type Opened = LazyLock<Result<(Device, String), String>>;

/// Opens Burn's device; returns what a GPU calls itself, too.
pub(super) fn open(device: &doc::Device) -> Result<(Device, Option<String>), DeviceError> {
    #[cfg(feature = "cuda")]
    if *device == doc::Device::Cuda {
        return opened(device, &CUDA);
    }
    #[cfg(feature = "wgpu")]
    if *device == doc::Device::Wgpu {
        return opened(device, &WGPU);
    }
    match device {
        #[allow(deprecated)] // the reference device is asked for by name
        doc::Device::Cpu | doc::Device::Ndarray => Ok((Device::ndarray(), None)),
        // Those of this build were opened above.
        doc::Device::Cuda | doc::Device::Wgpu => {
            Err(DeviceError::NotBuilt(device.refusal().unwrap_or_default()))
        }
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn opened(device: &doc::Device, opened: &Opened) -> Result<(Device, Option<String>), DeviceError> {
    match &**opened {
        Ok((burn, name)) => Ok((burn.clone(), Some(name.clone()))),
        Err(reason) => Err(DeviceError::Absent { device: device.key(), reason: reason.clone() }),
    }
}

/// Opens a device and computes with it, since much of a driver is loaded with the first kernel. Burn's failures are panics.
#[cfg(any(feature = "cuda", feature = "wgpu"))]
fn tried(open: impl FnOnce() -> Result<(Device, String), String>) -> Result<(Device, String), String> {
    let compute = || {
        let (device, name) = open()?;
        let sum = burn::tensor::Tensor::<1>::from_floats([1.0, 2.0], &device).sum().into_data();
        match sum.as_slice::<f32>() {
            Ok([sum]) if *sum == 3.0 => Ok((device, name)),
            _ => Err("it computes a sum wrongly".to_owned()),
        }
    };
    let failed = |_| Err("its driver fails, or a library of it is missing".to_owned());
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(compute)).unwrap_or_else(failed)
}

#[cfg(feature = "cuda")]
static CUDA: Opened = LazyLock::new(|| {
    // Asked first: Burn panics where the driver's library or a GPU is missing.
    if Device::enumerate(burn::tensor::DeviceType::Cuda).is_empty() {
        return Err("the CUDA driver finds no GPU, or is not installed".to_owned());
    }
    tried(|| {
        let device = Device::cuda(0);
        let name = device.identity().map(|identity| identity.name);
        Ok((device, name.unwrap_or_else(|| "a GPU without a name".to_owned())))
    })
});

#[cfg(feature = "wgpu")]
static WGPU: Opened = LazyLock::new(|| {
    tried(|| {
        let (device, setup) = Device::wgpu_options().init_with_setup().map_err(|error| error.to_string())?;
        let info = setup.adapter.get_info();
        let about = [info.driver, info.driver_info].map(|text| text.trim().to_owned());
        let about: Vec<String> = about.into_iter().filter(|text| !text.is_empty()).collect();
        let backend = format!("{:?}", info.backend);
        Ok((device, [vec![info.name, backend], about].concat().join(", ")))
    })
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_opened_or_says_what_is_missing() {
        for device in doc::Device::all() {
            match (open(&device), device.feature()) {
                (Ok((_, name)), feature) => {
                    assert!(device.is_built());
                    assert_eq!(name.is_some(), feature.is_some(), "{device:?}: {name:?}");
                }
                (Err(DeviceError::NotBuilt(why)), Some(feature)) => {
                    assert!(!device.is_built() && why.contains(feature), "{why}");
                }
                (Err(error), Some(_)) => {
                    assert!(device.is_built() && error.to_string().contains(device.key()), "{error}");
                }
                (Err(error), None) => panic!("every machine has {device:?}: {error}"),
            }
        }
    }
}
