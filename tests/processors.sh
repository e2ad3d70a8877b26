#!/usr/bin/env bash
# Other processors, emulated (Debian's qemu-user): the program on a small experiment, and the tests of the kernels, on an x86-64
# without AVX and on one with AVX2 but no AVX-512. AVX2 has to give the bits of this machine; plain code, which rounds a product
# before it adds, the same to float32. That each of them starts shows that the binary needs nothing beyond x86-64.
# With a Rust standard library for aarch64, a linker and qemu, the kernels run with NEON as well.
# usage: tests/processors.sh [BINARY [program]]; with `program`, the tests of the kernels, which take some seven minutes, are left out
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
binary="$(realpath "${1:-$here/target/release/weightlab}")"
cache="${WEIGHTLAB_CI_TARGET:-${XDG_CACHE_HOME:-$HOME/.cache}/weightlab-ci/target}/processors"
skip() { echo "processors: SKIPPED $1"; }
fail() { echo "processors: FAILED: $1"; exit 1; }

[ "$(uname -sm)" = "Linux x86_64" ] || { skip "all: the emulation is of x86-64 on Linux"; exit 0; }
if ! command -v qemu-x86_64 > /dev/null && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends qemu-user > /dev/null; } || true
fi
command -v qemu-x86_64 > /dev/null || { skip "all: there is no qemu-x86_64; install qemu-user"; exit 0; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

# A pass of every kernel: convolutions with Winograd's transform and without, batch norm, pooling, a linear layer, held entries.
cat > small.ron <<'RON'
(data: Digits(limit_train: 16, limit_test: 16), train: (batch: 8, optimizer: Adam()),
  net: Sequential(layers: [Conv(channels: 32), Relu, Conv(channels: 32), BatchNorm(), Relu, MaxPool(2), Flatten, Linear()]),
  arms: [(name: "a", plan: [Train("1ep"), Do(Prune(amount: Fraction(0.5))), Train("1it"), Campaign(trials: Fixed(3)), Test])])
RON
vectors() { sed -n 's/.*the kernels use //p'; }
# emulated CPU PROGRAM...: as on this processor; qemu warns about features that it leaves out.
emulated() {
    local cpu="$1"
    shift
    qemu-x86_64 -cpu "$cpu" "$@" 2> >(grep -v 'TCG doesn.t support' >&2)
}
run() { "${@:2}" run small.ron --into "$1" > "$1.txt" 2>&1 || { tail "$1.txt"; return 1; }; }
# The losses and accuracies of a run, one a line.
values() { sed -n 's/.*"event":"point","series":"\([^"]*\)","value":\([^,]*\),.*/\1 \2/p' "$1"/*/events.jsonl; }

own="$("$binary" --version | vectors)"
run own "$binary"
[ -n "$(values own)" ] || fail "the run has no points"
for cpu in qemu64 Haswell; do
    case "$cpu" in
    qemu64) expected="plain code without vectors" ;;
    Haswell) expected="AVX2" ;;
    esac
    found="$(emulated "$cpu" "$binary" --version | vectors)" || fail "$cpu: the program does not start"
    [ "$found" = "$expected" ] || fail "$cpu: the kernels use $found instead of $expected"
    run "$cpu" emulated "$cpu" "$binary" || fail "$cpu: the run fails"
    if [ "$expected" = AVX2 ] && [[ "$own" = AVX* ]]; then
        for file in weights.safetensors trials.csv; do
            cmp own/*/"$file" "$cpu"/*/"$file" || fail "$cpu: other bits in $file than with $own"
        done
        [ "$(values own)" = "$(values "$cpu")" ] || fail "$cpu: other points than with $own"
        echo "processors: $cpu ($found) gives the bits of this machine ($own)"
    else
        paste -d ' ' <(values own) <(values "$cpu") | awk '
            $1 != $3 { print "other points"; bad = 1 }
            { d = $2 - $4; if (d < 0) d = -d; if (d > 0.001 * (1 + ($2 < 0 ? -$2 : $2)) && $1 !~ /accuracy|campaign/) { print; bad = 1 } }
            END { exit bad || NR == 0 }' || fail "$cpu: other values than with $own"
        echo "processors: $cpu ($found) gives the values of this machine ($own) to float32"
    fi
done

[ "${2:-}" != program ] || exit 0
command -v cargo > /dev/null || { skip "the tests of the kernels: there is no cargo"; exit 0; }
# Central differences are slow, and say nothing about a processor that the other tests do not.
# tested NAME TARGET RUNNER: builds the tests for a target and lets a program run them.
tested() {
    local name="$1" target="$2" runner="$3" variable
    variable="CARGO_TARGET_$(tr a-z- A-Z_ <<< "$target")_RUNNER"
    (cd "$here" && env RUSTFLAGS="-A warnings" CARGO_TARGET_DIR="$cache" "$variable=$runner" \
        cargo test -q -p weightlab-kernels --lib --target "$target" -- --skip differences > "$work/$name.txt" 2>&1) || { tail -30 "$work/$name.txt"; fail "$name: tests of the kernels"; }
    grep -q '^test result: ok. [1-9]' "$work/$name.txt" || fail "$name: no test ran"
    echo "processors: $name passes the tests of the kernels"
}
for cpu in qemu64 Haswell; do
    tested "$cpu" x86_64-unknown-linux-gnu "qemu-x86_64 -cpu $cpu"
done

# NEON. RUSTC_AARCH64 is a compiler with the standard library of aarch64, where the usual one has none.
export RUSTC="${RUSTC_AARCH64:-$(command -v rustc)}"
target=aarch64-unknown-linux-gnu
if ! ls "$("$RUSTC" --print target-libdir --target "$target")"/libstd-*.rlib > /dev/null 2>&1; then
    skip "NEON: rustc has no standard library for $target (rustup target add $target); it is untried here"
elif ! command -v aarch64-linux-gnu-gcc > /dev/null || ! command -v qemu-aarch64 > /dev/null; then
    skip "NEON: it needs qemu-aarch64 and aarch64-linux-gnu-gcc (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross); it is untried here"
else
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
    tested NEON "$target" "qemu-aarch64 -L /usr/aarch64-linux-gnu"
fi
