#!/usr/bin/env bash
# Shards side by side with GNU parallel, as the guide shows it, and as an array of Kubernetes and of PBS would run them:
# together they are all runs, and their points are those of a run in one piece, byte for byte. A clock that is ahead takes
# no run away from another host.
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
# The claim of a living run on another host is left alone by a process whose clock is five minutes ahead of the folder's.
can_shift() {
  [ "$(id -u)" = 0 ] && unshare --uts --pid --fork --mount-proc true 2>/dev/null || return 1
  command -v faketime >/dev/null || { command -v apt-get && apt-get install -y -qq --no-install-recommends faketime; } >/dev/null 2>&1
}
if can_shift; then
  cat >long.ron <<'RON'
Experiment(data: Digits(limit_train: 200, limit_test: 100), net: Mlp(hidden: [16]), seeds: [1], arms: [
    (name: "long", train: (batch: 2), plan: [Train("1000000ep")])])
RON
  # A host of its own: its processes cannot be seen from here, so that the age of the claim decides.
  unshare --uts --pid --fork --kill-child --mount-proc sh -c 'hostname elsewhere; exec "$binary" run long.ron --jobs 1 --threads 1' >/dev/null 2>&1 &
  owner=$!
  disown # the shell need not tell how it ends
  trap 'kill -9 "$owner" 2>/dev/null || true; rm -rf "$root"' EXIT
  for _ in $(seq 300); do
    [ -s "$(echo long.runs/*/claim)" ] && break
    sleep 0.1
  done
  export NO_FAKE_STAT=1 # times of files stay those of the folder
  [ -z "$(faketime -f +5m find long.runs -name claim -newermt '2 minutes ago')" ] || fail "the clock is not shifted"
  status=0
  timeout 60 faketime -f +5m "$binary" run long.ron --jobs 1 --threads 1 >/dev/null 2>clock.txt || status=$?
  [ "$status" = 3 ] && grep -q 'on elsewhere' clock.txt || fail "a living claim was taken: $status, $(cat clock.txt)"
  echo "passed: a clock that is ahead takes no living claim"
else
  echo "skipped: the clock of a process can be shifted by root with faketime only"
fi
echo "passed: shards of GNU parallel, Kubernetes, PBS and Slurm give the same points"
