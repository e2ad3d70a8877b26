//! What is asked for on the command line.

use doc::{Device, Kernels};
use net::{Compute, backend};

/// A scenario and how to measure it.
pub struct Call {
    pub scenario: String,
    pub threads: usize,
    pub runs: usize,
    pub kernels: Kernels,
    pub device: Device,
}

impl Call {
    /// Reads the command line. Options stand anywhere; what is none of them is the scenario.
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut call = Self {
            scenario: String::new(),
            threads: 2,
            runs: 7,
            kernels: Kernels::default(),
            device: Device::default(),
        };
        while let Some(argument) = arguments.next() {
            if !argument.starts_with("--") {
                if !call.scenario.is_empty() {
                    return Err(format!("{argument} is a second scenario, behind {}", call.scenario));
                }
                call.scenario = argument;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
            match argument.as_str() {
                "--threads" => call.threads = at_least_one(&argument, &value)?,
                "--runs" => call.runs = at_least_one(&argument, &value)?,
                "--kernels" => call.kernels = kernels(&value)?,
                "--device" => call.device = device(&value)?,
                _ => return Err(format!("there is no option {argument}")),
            }
        }
        if call.scenario.is_empty() {
            return Err("a scenario is missing".to_owned());
        }
        if call.scenario.starts_with("machine-") && call.device != Device::Cpu {
            return Err(format!("{} measures the processor, and no other device", call.scenario));
        }
        Ok(call)
    }

    /// Returns the device, opened once more.
    pub fn compute(&self) -> Box<dyn Compute> {
        backend(&self.device, &self.kernels).expect("it was opened before anything was measured")
    }
}

fn at_least_one(option: &str, value: &str) -> Result<usize, String> {
    let count = value.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| format!("{option} takes a number from 1, not {value}"))
}

fn kernels(value: &str) -> Result<Kernels, String> {
    match value {
        "fast" => Ok(Kernels::Fast),
        "exact" => Ok(Kernels::Exact),
        "burn" => Ok(Kernels::Burn),
        _ => Err(format!("there are no kernels {value}; there are fast, exact and burn")),
    }
}

fn device(value: &str) -> Result<Device, String> {
    let names: Vec<&str> = Device::all().iter().map(Device::key).collect();
    let found = Device::all().into_iter().find(|device| device.key().eq_ignore_ascii_case(value));
    found.ok_or_else(|| format!("there is no device {value}; there are {}", names.join(", ")))
}
