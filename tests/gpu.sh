#!/usr/bin/env bash
# tests/gpu.sh [TARGET]: builds the tests with the feature wgpu and runs those of devices on a software driver for Vulkan (lavapipe, of
# Debian's mesa-vulkan-drivers), or on the GPU where GPU=1 is set: logits, gradients and statistics of small networks, and whole runs
# with pruning, freezing, faults and campaigns, against Cpu to float32 tolerance. FEATURES=cuda takes that device instead.
# A build from nothing takes a quarter of an hour, so .ci/run leaves this out. TARGET is the target directory for it.
set -euo pipefail
cd "$(dirname "$0")/.."
features="${FEATURES:-wgpu}"
export CARGO_TARGET_DIR="${1:-${XDG_CACHE_HOME:-$HOME/.cache}/weightlab-gpu/target}" CARGO_INCREMENTAL=0
skip() { echo "gpu: SKIPPED: $1"; exit 0; }

if [ "${GPU:-0}" = 0 ]; then
    [ "$features" = wgpu ] || skip "only wgpu has a software driver; set GPU=1 on a machine with a GPU for $features"
    driver() { { find /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d -name 'lvp_icd*.json' 2> /dev/null || true; } | head -1; }
    if [ -z "$(driver)" ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            mesa-vulkan-drivers libvulkan1 > /dev/null; } || true
    fi
    [ -n "$(driver)" ] || skip "there is no software driver for Vulkan; install mesa-vulkan-drivers and libvulkan1"
    VK_ICD_FILENAMES="$(driver)"
    export VK_ICD_FILENAMES VK_DRIVER_FILES="$VK_ICD_FILENAMES" # the name in newer loaders
fi
cargo test --locked --features "$features" --no-run
said="$(mktemp)"
trap 'rm -f "$said"' EXIT
# One at a time: the driver of the processor has all threads anyway.
for tests in "--lib burn_compute" "--lib doc::device" "--test it engine_devices::"; do
    # shellcheck disable=SC2086 # two words
    cargo test --locked --features "$features" $tests -- --test-threads 1 --nocapture 2>&1 | tee -a "$said"
done
! grep -q 'skipped: ' "$said" || { echo "gpu: FAILED: the device of $features could not be opened, so nothing was compared"; exit 1; }
name="$(grep -m1 -io "$features: .*" "$said")" || { echo "gpu: FAILED: no test named the device"; exit 1; }
echo "gpu: $name agrees with Cpu"
