#!/usr/bin/env bash
# Shards side by side with GNU parallel, as the guide shows it, and as an array of Kubernetes and of PBS would run them:
# together they are all runs, and their points are those of a run in one piece, byte for byte.
# usage: tests/parallel.sh [BINARY]
set -euo pipefail

binary="$(realpath "${1:-target/release/weightlab}")"
if ! command -v parallel >/dev/null; then
  { command -v apt-get && apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends parallel; } \
    >/dev/null 2>&1 || {
    echo "skipped: GNU parallel cannot be installed (no network?)"
    exit 0
  }
fi
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
cd "$root"
fail() {
  echo "FAILED: $1"
  exit 1
}
weightlab() { "$binary" "$@"; }
export binary
export -f weightlab
cat >first.ron <<'RON'
Experiment(data: Digits(limit_train: 200, limit_test: 100), net: Mlp(hidden: [16]), seeds: [1, 2, 3, 4], arms: [
    (name: "dense", plan: [Train("2ep")]),
    (name: "pruned", plan: [Train("1ep"), Do(Prune(amount: Fraction(0.8))), Train("1ep")]),
])
RON
points() { weightlab export first.ron --into "$1" --to "$1.csv" >/dev/null && cat "$1.csv"; }

weightlab run first.ron --into whole >/dev/null 2>&1
# A job that has failed or was killed is started again.
parallel --jobs 2 --retries 3 weightlab run first.ron --shard '{}/3' --into parallel --jobs 1 ::: 1 2 3 >/dev/null 2>&1 ||
  fail "GNU parallel"
for index in 0 1 2; do
  JOB_COMPLETION_INDEX="$index" weightlab run first.ron --shards 3 --into kubernetes >/dev/null 2>"kubernetes$index.txt"
  grep -q "by JOB_COMPLETION_INDEX" "kubernetes$index.txt" || fail "JOB_COMPLETION_INDEX: $(cat "kubernetes$index.txt")"
  PBS_ARRAY_INDEX="$((index + 1))" weightlab run first.ron --shards 3 --into pbs >/dev/null 2>&1
  SLURM_ARRAY_TASK_ID="$((index + 4))" SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_MAX=6 SLURM_ARRAY_TASK_COUNT=3 \
    weightlab run first.ron --into slurm >/dev/null 2>&1
done
points whole >/dev/null
[ "$(tail -n +2 whole.csv | cut -d, -f1 | sort -u | wc -l)" = 8 ] || fail "the export has not all runs"
for folder in parallel kubernetes pbs slurm; do
  points "$folder" >/dev/null
  cmp whole.csv "$folder.csv" || fail "points of $folder differ"
done
# Without the number of parts, nothing runs.
if JOB_COMPLETION_INDEX=0 weightlab run first.ron --into nothing 2>said.txt; then fail "the number of parts was guessed"; fi
grep -q -- '--shards K' said.txt && [ ! -e nothing ] || fail "the message: $(cat said.txt)"
echo "passed: shards of GNU parallel, Kubernetes, PBS and Slurm give the same points"
